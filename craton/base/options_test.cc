#include "craton/base/options.h"

#include <doctest/doctest.h>

#include <cmath>

#include "craton/base/error.h"

using namespace craton;

namespace {

enum class Form { kRound, kSquare };
struct Options {
  Index count = 3;
  double size = 0.5;
  bool loud = false;
  Form shape = Form::kRound;
  Form start = Form::kSquare;
  Array start_array, extra;
  enum class Shrink { kNone, kAuto, kNumber } shrink = Shrink::kNone;
  double amount = 0;
};

void describe(OptionVisitor& v, Options& o) {
  v.integer("count", o.count, 1, 10, "how many");
  v.number("size", o.size, 0, INFINITY, "how large");
  v.flag("loud", o.loud, "whether");
  v.choice("shape", o.shape, {"round", "square"}, "which");
  v.choice_or_array("start", o.start, o.start_array, {"round", "square"}, "where");
  v.array("extra", o.extra, "more");
  v.choice_or_number("shrink", o.shrink, o.amount, 0, 1, {"none", "auto"}, "how far");
}

void set(Options& o, const NamedOption& value) {
  set_options([&](OptionVisitor& v) { describe(v, o); }, std::array{value});
}

std::string message(Options& o, const NamedOption& value) {
  try {
    set(o, value);
    check_options([&](OptionVisitor& v) { describe(v, o); });
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("options are set and listed in one description") {
  Options o;
  int described = 0;
  const auto describe_it = [&](OptionVisitor& v) {
    ++described;
    describe(v, o);
  };
  const std::vector<NamedOption> values{
      {"size", Index{3}}, {"count", Index{2}}, {"start", Array{{1}, {4}}}, {"count", Index{5}}};
  const std::vector<Option> set = set_options(describe_it, values);
  CHECK(described == 1);
  CHECK(o.size == 3);
  CHECK(o.count == 5);  // the last of two
  const std::vector<Option> listed = list_options(describe_it);
  REQUIRE(set.size() == listed.size());
  for (std::size_t i = 0; i < set.size(); ++i) {
    CHECK(set[i].name == listed[i].name);
    CHECK(set[i].value == listed[i].value);
  }
}

TEST_CASE("options are listed with their defaults, bounds and choices") {
  Options o;
  const std::vector<Option> options = list_options([&](OptionVisitor& v) { describe(v, o); });
  REQUIRE(options.size() == 7);
  CHECK(std::get<std::string>(options[6].value) == "none");
  CHECK(options[6].high == 1);
  CHECK(options[0].name == "count");
  CHECK(std::get<Index>(options[0].value) == 3);
  CHECK(options[0].low == 1);
  CHECK(options[0].high == 10);
  CHECK(std::get<std::string>(options[3].value) == "round");
  CHECK(options[3].choices == std::vector<std::string>{"round", "square"});
  CHECK(std::get<std::string>(options[4].value) == "square");
  CHECK(std::holds_alternative<std::monostate>(options[5].value));
}

TEST_CASE("options are set by name") {
  Options o;
  set(o, {"count", Index{7}});
  set(o, {"size", Index{2}});  // a whole number is a number
  set(o, {"loud", true});
  set(o, {"shape", "square"});
  set(o, {"start", Array{{2}, {1, 2}}});
  CHECK(o.count == 7);
  CHECK(o.size == 2);
  CHECK(o.loud);
  CHECK(o.shape == Form::kSquare);
  CHECK(o.start_array.values == std::vector<double>{1, 2});
  set(o, {"start", "round"});
  CHECK(o.start_array.empty());
}

TEST_CASE("a wrong value is refused with its name, itself and what is allowed") {
  Options o;
  CHECK(has(message(o, {"count", Index{0}}), "count = 0"));
  CHECK(has(message(o, {"count", Index{11}}), "from 1 to 10"));
  o = {};
  CHECK(has(message(o, {"count", 2.5}), "whole number"));
  CHECK(has(message(o, {"count", "many"}), "'many'"));
  CHECK(has(message(o, {"size", -1.0}), "at least 0"));
  o = {};
  CHECK(has(message(o, {"size", NAN}), "size = nan"));
  o = {};
  CHECK(has(message(o, {"shape", "rond"}), "'round', 'square'"));
  CHECK(has(message(o, {"extra", "file"}), "array"));
  CHECK(has(message(o, {"extra", Array{{1}, {NAN}}}), "finite"));
  o = {};
  CHECK(has(message(o, {"cuont", Index{1}}), "did you mean 'count'?"));
}

TEST_CASE("text is read as the option's type") {
  Options o;
  const std::vector<Option> options = list_options([&](OptionVisitor& v) { describe(v, o); });
  CHECK(std::get<Index>(parse_option(options[0], "12")) == 12);
  CHECK(std::get<double>(parse_option(options[1], "1e-3")) == 1e-3);
  CHECK(std::get<bool>(parse_option(options[2], "true")));
  CHECK(std::get<std::string>(parse_option(options[3], "round")) == "round");
  CHECK(std::get<std::string>(parse_option(options[0], "12x")) == "12x");  // refused when set
}

TEST_CASE("a choice or a number is either") {
  Options o;
  set(o, {"shrink", "auto"});
  CHECK(o.shrink == Options::Shrink::kAuto);
  for (const NamedOption& given : {NamedOption{"shrink", 0.25}, NamedOption{"shrink", Index{1}}}) {
    set(o, given);
    CHECK(o.shrink == Options::Shrink::kNumber);
  }
  CHECK(o.amount == 1);
  const std::vector<Option> options = list_options([&](OptionVisitor& v) { describe(v, o); });
  CHECK(std::get<double>(options[6].value) == 1);
  CHECK(std::get<double>(parse_option(options[6], "0.5")) == 0.5);
  CHECK(std::get<std::string>(parse_option(options[6], "auto")) == "auto");
  set(o, {"shrink", {}});
  CHECK(o.shrink == Options::Shrink::kNone);
  CHECK(has(message(o, {"shrink", "autp"}), "or a number from 0 to 1. did you mean 'auto'"));
  CHECK(has(message(o, {"shrink", 1.5}), "shrink = 1.5 is not allowed"));
  CHECK(has(message(o, {"shrink", true}), "shrink = true is not allowed"));
}
