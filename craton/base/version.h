#pragma once
#include <string>
#include <string_view>

namespace craton {

std::string_view version();  // "1.2.3"

// Is this a version, "1.2.3"? Is it a later one than version()?
bool is_version(std::string_view text);
bool is_newer(std::string_view text);  // requires is_version(text)

// What decides the last bits of a result: the processor's instructions, as far as the C library and
// our kernels choose by them, the C library and the compiler: "x86-64 avx2 fma, glibc 2.36,
// gcc 12.2".
std::string dispatch_target();

}  // namespace craton
