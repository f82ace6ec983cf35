#include "craton/base/error.h"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

namespace craton {
namespace {

std::string rendered(const Place& place) {
  return InputError(Code::kNotANumber, place, "what", "Fix.").what();
}

std::string suggestion(std::string_view given) {
  const std::vector<std::string> names{"kmeans", "gmm", "naive_bayes"};
  return did_you_mean(given, names);
}

}  // namespace

TEST_CASE("an error says where, what and the fix") {
  CHECK(rendered({.file = "data.csv", .line = 12, .row = 10, .column = "waiting"}) ==
        "data.csv:12: row 10, column 'waiting': what\n  Fix.");
}

TEST_CASE("what is not known of a place is left out") {
  CHECK(rendered({}) == "what\n  Fix.");
  CHECK(rendered({.file = "data.csv"}) == "data.csv: what\n  Fix.");
  CHECK(rendered({.file = "data.csv", .line = 3}) == "data.csv:3: what\n  Fix.");
  CHECK(rendered({.row = 0}) == "row 0 (counted from 0): what\n  Fix.");
  CHECK(rendered({.column = "x"}) == "column 'x': what\n  Fix.");
  CHECK(std::string(InputError(Code::kNoRows, {}, "what", "").what()) == "what");
}

TEST_CASE("an error carries its code, kind and place") {
  const InputError error(Code::kRaggedRow, {.file = "a", .line = 2}, "what", "Fix.");
  CHECK(error.code() == Code::kRaggedRow);
  CHECK(error.kind() == ErrorKind::kData);
  CHECK(error.place().file == "a");
  CHECK(error.place().line == 2);
}

TEST_CASE("an error repeated on another rank says the same") {
  const InputError first(Code::kNoSpread, {.row = 4}, "what", "Fix.");
  const InputError second =
      InputError::repeated(first.code(), first.place(), first.complaint(), first.advice());
  CHECK(std::string(second.what()) == first.what());
  CHECK(second.code() == first.code());
  CHECK(second.place().row == 4);
}

TEST_CASE("each code has one entry and an id of its own") {
  std::set<Code> codes;
  std::set<std::string_view> ids;
  for (const CodeInfo& entry : error_codes()) {
    codes.insert(entry.code);
    ids.insert(entry.id);
    CHECK(info(entry.code).id == entry.id);
  }
  CHECK(codes.size() == error_codes().size());
  CHECK(ids.size() == error_codes().size());
  // Enumerators count from 0, so a code without an entry would leave a gap or fall off the end.
  CHECK(codes.size() == static_cast<std::size_t>(Code::kOutOfMemory) + 1);
}

TEST_CASE("ids are made of lower-case letters and hyphens") {
  for (const CodeInfo& entry : error_codes()) {
    CHECK(entry.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == entry.id.npos);
  }
}

TEST_CASE("each code has a cause and a fix, in sentences") {
  for (const CodeInfo& entry : error_codes()) {
    CAPTURE(entry.id);
    const std::string cause = entry.cause.plain();
    CHECK(cause.ends_with('.'));
    CHECK(cause.size() > 20);
    CHECK(entry.fix.plain().size() > 20);
  }
}

TEST_CASE("a near name is suggested") {
  CHECK(suggestion("kmean") == "did you mean 'kmeans'?");
  CHECK(suggestion("kmaens") == "did you mean 'kmeans'?");
  CHECK(suggestion("naive-bays") == "did you mean 'naive_bayes'?");
  CHECK(suggestion("GMM") == "did you mean 'gmm'?");
  CHECK(suggestion("nai") == "did you mean 'naive_bayes'?");  // a beginning
}

TEST_CASE("a far name is not suggested") {
  CHECK(suggestion("regression").empty());
  CHECK(did_you_mean("x", {}).empty());
}

TEST_CASE("of two names equally near the first is suggested") {
  const std::vector<std::string> names{"cat", "car"};
  CHECK(did_you_mean("cab", names) == "did you mean 'cat'?");
}

TEST_CASE("a broken assertion is a logic error that says where") {
  CHECK_NOTHROW(CRATON_ASSERT(1 + 1 == 2));
  try {
    CRATON_ASSERT(1 + 1 == 3);
    FAIL("no exception");
  } catch (const std::logic_error& error) {
    const std::string message = error.what();
    CHECK(message.find("1 + 1 == 3") != message.npos);
    CHECK(message.find("error_test.cc") != message.npos);
  }
}

}  // namespace craton
