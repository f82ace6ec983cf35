#include "craton/base/json.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "craton/base/error.h"

namespace craton {
namespace {

Json parse(std::string_view text) { return parse_json(text, "x.json"); }
Json again(const Json& json) { return parse(write_json(json)); }
Json list(Json::List items) { return Json(std::move(items)); }

// What the error says; "" when there is none.
std::string fault(std::string_view text) {
  try {
    parse(text);
  } catch (const InputError& error) {
    CHECK(error.code() == Code::kBadFile);
    CHECK(error.place().file == "x.json");
    return error.what();
  }
  return "";
}

bool mentions(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

Json nested(int depth) {
  Json json = 1;
  for (int i = 0; i < depth; ++i) json = list({json});
  return json;
}

}  // namespace

TEST_CASE("every kind of value is read") {
  CHECK(parse(" null ") == Json());
  CHECK(parse("null") == Json(nullptr));
  CHECK(parse("true") == Json(true));
  CHECK(parse("-7") == Json(-7));
  CHECK(parse("2.5e3") == Json(2500.0));
  CHECK(parse("\"text\"") == Json("text"));
  CHECK(parse("[1,[],{}]") == list({1, list({}), Json::object({})}));
  CHECK(parse("{\"b\":1,\"a\":[2]}") == Json::object({{"b", 1}, {"a", list({2})}}));
}

TEST_CASE("integers that fit an Index become one and others doubles") {
  CHECK(parse("9223372036854775807") == Json(std::numeric_limits<Index>::max()));
  CHECK(parse("-9223372036854775808") == Json(std::numeric_limits<Index>::min()));
  CHECK(parse("9223372036854775808") == Json(0x1p63));
  CHECK(parse("-9223372036854775809") == Json(-0x1p63));
  CHECK(parse("18446744073709551616") == Json(0x1p64));
  CHECK(parse("1.0") == Json(1.0));
  CHECK(parse("1e2") == Json(100.0));
}

TEST_CASE("doubles read back exactly") {
  using Limits = std::numeric_limits<double>;
  for (const double number :
       {0.0, -0.0, 1.0, 0.1, 1.0 / 3, 1e22, 1e23, 123456789012345680.0, 1e-7, 0x1p63, Limits::max(),
        Limits::lowest(), Limits::min(), Limits::denorm_min(), 1 + Limits::epsilon()}) {
    const Json back = again(number);
    REQUIRE(std::holds_alternative<double>(back.value));
    CHECK(std::memcmp(&std::get<double>(back.value), &number, sizeof number) == 0);
  }
}

TEST_CASE("doubles are short and never look like integers") {
  CHECK(write_json(1.0) == "1.0");
  CHECK(write_json(-0.0) == "-0.0");
  CHECK(write_json(0.1) == "0.1");
  CHECK(write_json(1e22) == "1e+22");
  CHECK(write_json(1) == "1");
  CHECK(write_json(std::numeric_limits<Index>::min()) == "-9223372036854775808");
}

TEST_CASE("numbers that are not finite become null") {
  CHECK(write_json(std::nan("")) == "null");
  CHECK(write_json(-std::numeric_limits<double>::infinity()) == "null");
}

TEST_CASE("texts are escaped as JSON asks and as terminals need") {
  CHECK(write_json("a\"b\\c/\b\f\n\r\t\x01\x1f\x7f") ==
        "\"a\\\"b\\\\c/\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f\"");
  CHECK(write_json(std::string(1, '\0')) == "\"\\u0000\"");
  CHECK(write_json("\u00e9\u20ac\U0001F600") == "\"\u00e9\u20ac\U0001F600\"");
}

TEST_CASE("texts read back exactly") {
  std::string all;
  for (int c = 0; c < 128; ++c) all += static_cast<char>(c);
  all += "\u0080\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff";
  CHECK(again(all) == Json(all));
  CHECK(parse("\"\\u00e9\\ud83d\\ude00\"") == Json("\u00e9\U0001F600"));
}

TEST_CASE("bytes that are not UTF-8 are written as the replacement character") {
  CHECK(write_json("a\xff"
                   "b") ==
        "\"a\uFFFD"
        "b\"");
  CHECK(write_json("\xc3") == "\"\uFFFD\"");                                // cut short
  CHECK(write_json("\xc0\x80") == "\"\uFFFD\uFFFD\"");                      // too long for its code
  CHECK(write_json("\xed\xa0\x80") == "\"\uFFFD\uFFFD\uFFFD\"");            // a surrogate
  CHECK(write_json("\xf4\x90\x80\x80") == "\"\uFFFD\uFFFD\uFFFD\uFFFD\"");  // beyond Unicode
}

TEST_CASE("bytes that are not UTF-8 are refused and not repeated in the message") {
  for (const std::string bad : {"\xff", "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80"}) {
    const std::string message = fault("[\"" + bad + "\"]");
    CHECK(mentions(message, "UTF-8"));
    CHECK(!mentions(message, bad));
  }
}

TEST_CASE("an indented text has one member a line and plain lists on one line") {
  const Json json = Json::object({{"a", std::vector<double>{1, 2}},
                                  {"b", Json::object({{"c", list({list({}), "x"})}})},
                                  {"d", Json::object({})}});
  CHECK(write_json(json) == R"({"a":[1.0,2.0],"b":{"c":[[],"x"]},"d":{}})");
  CHECK(write_json(json, 2) == R"({
  "a": [1.0, 2.0],
  "b": {
    "c": [
      [],
      "x"
    ]
  },
  "d": {}
})");
  CHECK(parse(write_json(json, 2)) == json);
}

TEST_CASE("what is not JSON is refused with its line") {
  for (const char* text :
       {"",   " ",   "nul",     "[1,]",   "{\"a\" 1}", "{a:1}",      "[1 2]", "01",
        "+1", ".5",  "1.",      "NaN",    "Infinity",  "'a'",        "\"a",   "[",
        "{",  "1 2", "// x\n1", "\"\t\"", "\"\\x\"",   "\"\\ud800\""}) {
    CHECK_MESSAGE(mentions(fault(text), "not valid JSON"), text);
  }
  CHECK(mentions(fault("[1,\n2,\n  x]"), "x.json:3: not valid JSON at byte 3 of the line"));
}

TEST_CASE("a zero byte is refused and does not end the text") {
  CHECK(mentions(fault(std::string_view("1\0 garbage", 10)), "zero byte"));
}

TEST_CASE("a number too large for a double is refused") {
  CHECK(mentions(fault("[1e999]"), "too large"));
  CHECK(mentions(fault(std::string(400, '9')), "too large"));
}

TEST_CASE("a name given twice is refused and named") {
  CHECK(mentions(fault("{\"a\":1,\n\"b\":2,\"a\":3}"), "x.json:2: "));
  CHECK(mentions(fault("{\"a\":1,\"b\":2,\"a\":3}"), "\"a\" is given twice"));
  CHECK(fault("{\"a\":{\"a\":1},\"b\":{\"a\":1}}").empty());
}

TEST_CASE("one hundred levels are read and one more is refused") {
  CHECK(again(nested(100)) == nested(100));
  CHECK(mentions(fault(std::string(101, '[') + std::string(101, ']')), "100 deep"));
  CHECK_THROWS_AS(write_json(nested(101)), std::logic_error);
}

TEST_CASE("a million open brackets give the error and not a crash") {
  CHECK(mentions(fault(std::string(1000000, '[')), "100 deep"));
  std::string objects;
  for (int i = 0; i < 1000000; ++i) objects += "{\"a\":";
  CHECK(mentions(fault(objects), "100 deep"));
}

TEST_CASE("find and set work on objects alone") {
  Json json = Json::object({{"a", 1}});
  json.set("b", "x");
  CHECK(*json.find("b") == Json("x"));
  CHECK(json.find("c") == nullptr);
  CHECK(Json(3).find("a") == nullptr);
  CHECK_THROWS_AS(json.set("a", 2), std::logic_error);
  CHECK_THROWS_AS(Json().set("a", 2), std::logic_error);
}

}  // namespace craton
