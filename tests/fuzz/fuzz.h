#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "craton/base/error.h"

// What fuzz targets share. A target is a function of some bytes: libFuzzer (make fuzz) finds new
// ones, and replay.cc gives it the files of corpus/ in every test run.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace craton::fuzz {

[[noreturn]] inline void fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

// Input is read, or refused with an error of the right kind; any other exception ends the program.
template <class F>
void refused_or_read(ErrorKind kind, const F& f) {
  try {
    f();
  } catch (const InputError& error) {
    if (error.kind() != kind) fail(std::string("the wrong kind of error: ") + error.what());
  }
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace craton::fuzz
