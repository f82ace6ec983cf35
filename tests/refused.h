#pragma once
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "craton/base/error.h"

namespace craton {

// Runs f, which must throw an InputError of this code and line (-1: none) that says `part`.
template <class F>
void check_refused(F f, Code code, Index line, std::string_view part) {
  std::string message = "was taken";
  try {
    f();
  } catch (const InputError& error) {
    message = error.what();
    CHECK(info(error.code()).id == info(code).id);
    CHECK(error.place().line == line);
  }
  CAPTURE(message);
  CAPTURE(part);
  CHECK(message.find(part) != std::string::npos);
}

}  // namespace craton
