#include "craton/base/options.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "craton/base/error.h"

namespace craton {
namespace {

std::string join(std::span<const std::string_view> words) {
  std::string text;
  for (const std::string_view word : words)
    text += fmt::format("{}'{}'", text.empty() ? "" : ", ", word);
  return text;
}

[[noreturn]] void refuse(std::string_view name, const std::string& value, const std::string& rule) {
  throw InputError(Code::kBadOption, {}, {"{} is not allowed", Ref::option(name, value)}, rule);
}

std::string range_text(double low, double high) {
  if (std::isinf(high) && std::isinf(low)) return "any finite number";
  if (std::isinf(high)) return fmt::format("at least {}", low);
  return fmt::format("from {} to {}", low, high);
}

std::string range_text(Index low, Index high) { return fmt::format("from {} to {}", low, high); }

// fmt prints 2.0 as 2, which would read as if 2 were refused.
std::string number_text(double value) {
  const std::string text = fmt::format("{}", value);
  return text.find_first_not_of("-0123456789") == text.npos ? text + ".0" : text;
}

class Lister final : public OptionVisitor {
 public:
  std::vector<Option> options;

  void flag(std::string_view name, bool& value, std::string_view help) override {
    add(name, help, OptionType::kFlag).value = value;
  }
  void integer(std::string_view name, Index& value, Index low, Index high,
               std::string_view help) override {
    Option& option = add(name, help, OptionType::kInteger);
    option.value = value;
    option.low = static_cast<double>(low);
    option.high = static_cast<double>(high);
  }
  void number(std::string_view name, double& value, double low, double high,
              std::string_view help) override {
    Option& option = add(name, help, OptionType::kNumber);
    option.value = value;
    option.low = low;
    option.high = high;
  }
  void array(std::string_view name, Array& value, std::string_view help) override {
    Option& option = add(name, help, OptionType::kArray);
    if (!value.empty()) option.value = value;
  }
  void integer_or_array(std::string_view name, Index& value, Array& array, Index low, Index high,
                        std::string_view help) override {
    integer(name, value, low, high, help);
    options.back().type = OptionType::kIntegerOrArray;
    if (!array.empty()) options.back().value = array;
  }
  void text(std::string_view name, std::string& value, std::string_view help) override {
    add(name, help, OptionType::kText).value = value;
  }
  void not_in_digest() override { options.back().in_digest = false; }

  void visit_choice(std::string_view name, int& index, Array* array,
                    std::span<const std::string_view> choices, std::string_view help) override {
    Option& option =
        add(name, help, array == nullptr ? OptionType::kChoice : OptionType::kChoiceOrArray);
    option.choices.assign(choices.begin(), choices.end());
    option.value = option.choices[static_cast<std::size_t>(index)];
    if (array != nullptr && !array->empty()) option.value = *array;
  }
  void visit_choice_or_number(std::string_view name, int& index, double& number, Bounds bounds,
                              std::span<const std::string_view> choices,
                              std::string_view help) override {
    Option& option = add(name, help, OptionType::kChoiceOrNumber);
    option.choices.assign(choices.begin(), choices.end());
    option.low = bounds.low;
    option.high = bounds.high;
    if (index == std::ssize(choices)) {
      option.value = number;
    } else {
      option.value = option.choices[static_cast<std::size_t>(index)];
    }
  }

 private:
  Option& add(std::string_view name, std::string_view help, OptionType type) {
    Option& option = options.emplace_back();
    option.name = name;
    option.help = help;
    option.type = type;
    return option;
  }
};

// Sets the options whose names are given; of two with the same name the last.
class Setter : public OptionVisitor {
 public:
  explicit Setter(std::span<const NamedOption> given) : given_(given), found_(given.size()) {}
  // The first name that no option has; null: there is none.
  const std::string* unknown() const {
    const auto at = usize(std::find(found_.begin(), found_.end(), false) - found_.begin());
    return at == found_.size() ? nullptr : &given_[at].first;
  }

  void flag(std::string_view name, bool& value, std::string_view) override {
    if (!is(name)) return;
    if (const bool* given = std::get_if<bool>(&value_)) {
      value = *given;
    } else {
      refuse(name, to_text(value_), "Give true or false.");
    }
  }
  void integer(std::string_view name, Index& value, Index low, Index high,
               std::string_view) override {
    if (!is(name)) return;
    if (const Index* given = std::get_if<Index>(&value_)) {
      value = *given;
    } else {
      const double* number = std::get_if<double>(&value_);
      refuse(name, number == nullptr ? to_text(value_) : number_text(*number),
             fmt::format("Give a whole number, {}.", range_text(low, high)));
    }
  }
  void number(std::string_view name, double& value, double low, double high,
              std::string_view) override {
    if (!is(name)) return;
    if (const double* given = std::get_if<double>(&value_)) {
      value = *given;
    } else if (const Index* whole = std::get_if<Index>(&value_)) {
      value = static_cast<double>(*whole);
    } else {
      refuse(name, to_text(value_), fmt::format("Give a number, {}.", range_text(low, high)));
    }
  }
  void array(std::string_view name, Array& value, std::string_view) override {
    if (!is(name)) return;
    if (const Array* given = std::get_if<Array>(&value_)) {
      value = *given;
    } else if (std::holds_alternative<std::monostate>(value_)) {
      value = {};
    } else {
      refuse(name, to_text(value_), "Give an array, or leave it out.");
    }
  }
  void integer_or_array(std::string_view name, Index& value, Array& array, Index low, Index high,
                        std::string_view help) override {
    if (!is(name)) return;
    array = {};
    if (const Array* given = std::get_if<Array>(&value_)) {
      array = *given;
    } else {
      Setter::integer(name, value, low, high, help);
    }
  }
  void text(std::string_view name, std::string& value, std::string_view) override {
    if (!is(name)) return;
    if (const std::string* given = std::get_if<std::string>(&value_)) {
      value = *given;
    } else {
      refuse(name, to_text(value_), "Give a text.");
    }
  }

 protected:
  void visit_choice(std::string_view name, int& index, Array* array,
                    std::span<const std::string_view> choices, std::string_view) override {
    if (!is(name)) return;
    if (array != nullptr) *array = {};
    if (chosen(choices, index)) return;
    if (const Array* given = std::get_if<Array>(&value_); given != nullptr && array != nullptr) {
      *array = *given;
      return;
    }
    refuse_choice(name, choices, array == nullptr ? "" : ", or an array");
  }
  void visit_choice_or_number(std::string_view name, int& index, double& number, Bounds bounds,
                              std::span<const std::string_view> choices,
                              std::string_view) override {
    if (!is(name)) return;
    if (std::holds_alternative<std::monostate>(value_)) {
      index = 0;
    } else if (const double* real = std::get_if<double>(&value_)) {
      index = static_cast<int>(choices.size());
      number = *real;
    } else if (const Index* whole = std::get_if<Index>(&value_)) {
      index = static_cast<int>(choices.size());
      number = static_cast<double>(*whole);
    } else if (!chosen(choices, index)) {
      refuse_choice(name, choices,
                    fmt::format(", or a number {}", range_text(bounds.low, bounds.high)));
    }
  }

 private:
  bool chosen(std::span<const std::string_view> choices, int& index) const {
    if (std::holds_alternative<std::monostate>(value_) && choices[0] == "none") {
      index = 0;  // None in Python
      return true;
    }
    const std::string* given = std::get_if<std::string>(&value_);
    const auto at =
        given == nullptr ? choices.end() : std::find(choices.begin(), choices.end(), *given);
    if (at == choices.end()) return false;
    index = static_cast<int>(at - choices.begin());
    return true;
  }
  [[noreturn]] void refuse_choice(std::string_view name, std::span<const std::string_view> choices,
                                  const std::string& or_what) const {
    const std::string* given = std::get_if<std::string>(&value_);
    const std::vector<std::string> names(choices.begin(), choices.end());
    const std::string near = given == nullptr ? "" : did_you_mean(*given, names);
    refuse(name, to_text(value_),
           fmt::format("Give one of {}{}.{}{}", join(choices), or_what, near.empty() ? "" : " ",
                       near));
  }
  // Is this one of those? Then value_ is what it is to be.
  bool is(std::string_view name) {
    bool any = false;
    for (std::size_t i = 0; i < given_.size(); ++i) {
      if (given_[i].first != name) continue;
      value_ = given_[i].second;
      any = found_[i] = true;
    }
    return any;
  }
  std::span<const NamedOption> given_;
  std::vector<bool> found_;
  OptionValue value_;
};

// Sets options and lists what they all are then, in one description.
class SetLister final : public Setter {
 public:
  using Setter::Setter;
  Lister lister;

  void flag(std::string_view name, bool& value, std::string_view help) override {
    Setter::flag(name, value, help);
    lister.flag(name, value, help);
  }
  void integer(std::string_view name, Index& value, Index low, Index high,
               std::string_view help) override {
    Setter::integer(name, value, low, high, help);
    lister.integer(name, value, low, high, help);
  }
  void number(std::string_view name, double& value, double low, double high,
              std::string_view help) override {
    Setter::number(name, value, low, high, help);
    lister.number(name, value, low, high, help);
  }
  void array(std::string_view name, Array& value, std::string_view help) override {
    Setter::array(name, value, help);
    lister.array(name, value, help);
  }
  void integer_or_array(std::string_view name, Index& value, Array& array, Index low, Index high,
                        std::string_view help) override {
    Setter::integer_or_array(name, value, array, low, high, help);
    lister.integer_or_array(name, value, array, low, high, help);
  }
  void text(std::string_view name, std::string& value, std::string_view help) override {
    Setter::text(name, value, help);
    lister.text(name, value, help);
  }
  void not_in_digest() override { lister.not_in_digest(); }

 private:
  void visit_choice(std::string_view name, int& index, Array* array,
                    std::span<const std::string_view> choices, std::string_view help) override {
    Setter::visit_choice(name, index, array, choices, help);
    lister.visit_choice(name, index, array, choices, help);
  }
  void visit_choice_or_number(std::string_view name, int& index, double& number, Bounds bounds,
                              std::span<const std::string_view> choices,
                              std::string_view help) override {
    Setter::visit_choice_or_number(name, index, number, bounds, choices, help);
    lister.visit_choice_or_number(name, index, number, bounds, choices, help);
  }
};

class Checker final : public OptionVisitor {
 public:
  void flag(std::string_view, bool&, std::string_view) override {}
  void integer(std::string_view name, Index& value, Index low, Index high,
               std::string_view) override {
    if (value >= low && value <= high) return;
    refuse(name, std::to_string(value),
           fmt::format("Give a whole number, {}.", range_text(low, high)));
  }
  void number(std::string_view name, double& value, double low, double high,
              std::string_view) override {
    if (value >= low && value <= high && std::isfinite(value)) return;
    refuse(name, fmt::format("{}", value),
           fmt::format("Give a number, {}.", range_text(low, high)));
  }
  void array(std::string_view name, Array& value, std::string_view) override {
    for (const double v : value.values) {
      if (!std::isfinite(v)) refuse(name, fmt::format("[... {} ...]", v), "Give finite numbers.");
    }
  }
  void integer_or_array(std::string_view name, Index& value, Array& array, Index low, Index high,
                        std::string_view help) override {
    integer(name, value, low, high, help);
    for (const double v : array.values) {
      if (v == std::floor(v) && v >= static_cast<double>(low) && v <= static_cast<double>(high)) {
        continue;
      }
      refuse(name, fmt::format("[... {} ...]", v),
             fmt::format("Give whole numbers, {}.", range_text(low, high)));
    }
  }
  void text(std::string_view, std::string&, std::string_view) override {}

 private:
  void visit_choice(std::string_view name, int& index, Array* given,
                    std::span<const std::string_view> choices, std::string_view help) override {
    CRATON_ASSERT(index >= 0 && index < std::ssize(choices));
    if (given != nullptr) array(name, *given, help);
  }
  void visit_choice_or_number(std::string_view name, int& index, double& value, Bounds bounds,
                              std::span<const std::string_view> choices,
                              std::string_view help) override {
    CRATON_ASSERT(index >= 0 && index <= std::ssize(choices));
    if (index == std::ssize(choices)) number(name, value, bounds.low, bounds.high, help);
  }
};

template <class T>
bool parse_all(const std::string& text, T& value) {
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc() && result.ptr == end;
}

}  // namespace

std::vector<Option> list_options(Describe describe) {
  Lister lister;
  describe(lister);
  return std::move(lister.options);
}

std::vector<Option> set_options(Describe describe, std::span<const NamedOption> values) {
  SetLister setter(values);
  describe(setter);
  const std::string* const unknown = setter.unknown();
  if (unknown == nullptr) return std::move(setter.lister.options);
  std::vector<std::string> names;
  for (const Option& option : setter.lister.options) names.push_back(option.name);
  const std::string near = did_you_mean(*unknown, names);
  throw InputError(Code::kUnknownName, {}, fmt::format("there is no option '{}'", *unknown),
                   near.empty() ? Ref::either("The options are listed by 'craton models'.",
                                              "get_params() lists the options.")
                                : Message(near));
}

void check_options(Describe describe) {
  Checker checker;
  describe(checker);
}

OptionValue parse_option(const Option& option, const std::string& text) {
  Index whole = 0;
  double number = 0;
  switch (option.type) {
    case OptionType::kFlag:
      if (text == "true" || text == "false") return text == "true";
      break;
    case OptionType::kInteger:
    case OptionType::kIntegerOrArray:
      if (parse_all(text, whole)) return whole;
      break;
    case OptionType::kNumber:
    case OptionType::kChoiceOrNumber:
      if (parse_all(text, number)) return number;
      break;
    default:
      break;
  }
  return text;  // set_options says what is wrong with it, if anything
}

std::vector<NamedOption> parse_options(std::span<const Option> options, std::string_view text) {
  std::vector<NamedOption> result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("; "), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 2, text.size()));
    const std::string_view name = word.substr(0, word.find('='));
    const auto option = std::ranges::find(options, name, &Option::name);
    CRATON_ASSERT(option != options.end() && name.size() < word.size());
    result.emplace_back(name, parse_option(*option, std::string(word.substr(name.size() + 1))));
  }
  return result;
}

std::string to_text(const OptionValue& value) {
  struct {
    std::string operator()(std::monostate) const { return "None"; }
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(Index v) const { return std::to_string(v); }
    std::string operator()(double v) const { return fmt::format("{}", v); }
    std::string operator()(const std::string& v) const { return fmt::format("'{}'", v); }
    std::string operator()(const Array& v) const {
      std::string shape;
      for (const Index n : v.shape) shape += fmt::format("{}{}", shape.empty() ? "" : " x ", n);
      return fmt::format("array of {}", shape);
    }
  } write;
  return std::visit(write, value);
}

}  // namespace craton
