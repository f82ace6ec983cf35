#include "craton/base/version.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "craton/base/error.h"

namespace craton {
namespace {

using Parts = std::array<int, 3>;

std::optional<Parts> parse(std::string_view text) {
  Parts parts{};
  const char *at = text.data(), *end = at + text.size();
  for (int& part : parts) {
    if (&part != parts.data() && (at == end || *at++ != '.')) return {};
    const auto [next, error] = std::from_chars(at, end, part);
    if (error != std::errc() || *at == '-') return {};
    at = next;
  }
  if (at != end) return {};
  return parts;
}

std::string processor() {
#if defined(__x86_64__)
  std::string text = "x86-64";
  if (__builtin_cpu_supports("avx2")) text += " avx2";
  if (__builtin_cpu_supports("fma")) text += " fma";
  if (__builtin_cpu_supports("avx512f")) text += " avx512f";
  return text;
#elif defined(__aarch64__)
  return "aarch64";
#else
  return "other processor";
#endif
}

std::string c_library() {
#ifdef __GLIBC__
  return std::string(", glibc ") + ::gnu_get_libc_version();
#else
  return "";
#endif
}

std::string compiler() {
#if defined(__clang__)
  return ", clang " __clang_version__;
#elif defined(__GNUC__)
  return ", gcc " __VERSION__;
#else
  return "";
#endif
}

}  // namespace

std::string_view version() { return CRATON_VERSION; }

bool is_version(std::string_view text) { return parse(text).has_value(); }

bool is_newer(std::string_view text) {
  const std::optional<Parts> given = parse(text), own = parse(version());
  CRATON_ASSERT(given && own);
  return *given > *own;
}

std::string dispatch_target() { return processor() + c_library() + compiler(); }

}  // namespace craton
