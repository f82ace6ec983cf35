#pragma once

#include <cerrno>
#include <string>
#include <system_error>

// What the callers of the system share.

namespace craton {

// Calls f again for as long as signals interrupt it.
template <class F>
auto retry(F f) {
  auto result = f();
  while (result < 0 && errno == EINTR) result = f();
  return result;
}

// What errno says.
inline std::string reason(int error) { return std::generic_category().message(error); }

}  // namespace craton
