#include "craton/select/search.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "craton/base/error.h"
#include "craton/base/random.h"

namespace craton {
namespace {

[[noreturn]] void refuse(const Message& what, const Message& fix) {
  throw InputError(Code::kBadOption, {}, what, fix);
}

std::vector<std::string> split(const std::string& text) {
  const char separator = text.find(';') == text.npos ? ',' : ';';
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

Option find_option(const ModelInfo& model, std::string name) {
  if (name.starts_with("--")) name.erase(0, 2);
  std::replace(name.begin(), name.end(), '-', '_');
  if (name == "seed") name = "random_state";
  std::vector<std::string> names;
  for (const Option& option : all_options(model)) {
    if (option.name == name) return option;
    names.push_back(option.name);
  }
  const std::string near = did_you_mean(name, names);
  throw InputError(Code::kUnknownName, {}, fmt::format("{} has no option '{}'", model.name, name),
                   near.empty() ? Message("{} lists its options.",
                                          Ref::either(fmt::format("'craton models {}'", model.name),
                                                      "get_params()"))
                                : Message(near));
}

bool is_number(OptionType type) {
  return type == OptionType::kInteger || type == OptionType::kNumber ||
         type == OptionType::kChoiceOrNumber || type == OptionType::kIntegerOrArray;
}

double end_of_range(const std::string& text, const std::string& all) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) {
    refuse(fmt::format("{} is no range", all), "Give two numbers, such as 0.01..10.");
  }
  return value;
}

void check_value(const ModelInfo& model, const Axis& axis, OptionValue value) {
  const NamedOption one{axis.option, std::move(value)};
  model.check({&one, 1});
}

OptionValue number_of(const Axis& axis, double value) {
  if (axis.whole) return static_cast<Index>(value);
  return value;
}

void read_range(const ModelInfo& model, const std::string& text, Axis& axis) {
  std::string ends = text;
  if (ends.ends_with(":log")) {
    axis.logarithmic = true;
    ends.resize(ends.size() - 4);
  }
  const std::size_t dots = ends.find("..");
  axis.range = true;
  axis.low = end_of_range(ends.substr(0, dots), text);
  axis.high = end_of_range(ends.substr(dots + 2), text);
  if (axis.low > axis.high)
    refuse(fmt::format("{} ends before it begins", text), "Give the lower end first.");
  if (axis.logarithmic && axis.low <= 0) {
    refuse(fmt::format("{} begins at {}, which has no logarithm", text, axis.low),
           "Give a lower end above 0.");
  }
  if (axis.whole && (axis.low != std::floor(axis.low) || axis.high != std::floor(axis.high))) {
    refuse({"{}: the option takes whole numbers", Ref::option(axis.option, text)},
           "Give whole ends, such as 1..8.");
  }
  for (const double end : {axis.low, axis.high}) check_value(model, axis, number_of(axis, end));
}

// At a place in [0, 1) of a range.
OptionValue value_at(const Axis& axis, double u) {
  const double low = axis.low, high = axis.high;
  if (axis.whole) {
    const double value = axis.logarithmic
                             ? std::floor(low * std::exp(u * std::log((high + 1) / low)))
                             : std::floor(low + u * (high - low + 1));
    return static_cast<Index>(std::min(value, high));
  }
  return axis.logarithmic ? low * std::exp(u * std::log(high / low)) : low + u * (high - low);
}

std::vector<OptionValue> all_values(const Axis& axis) {
  if (!axis.range) return axis.values;
  if (!axis.whole) {
    refuse(
        {"{} has no end of values",
         Ref::option(axis.option, fmt::format("{}..{}", axis.low, axis.high))},
        {"Give a list, such as 0.1,1,10, or {} to draw from the range.", Ref::flag("random", "N")});
  }
  if (axis.high - axis.low >= static_cast<double>(kMostCandidates)) {
    refuse({"{} has more than {} values", Ref::option(axis.option), kMostCandidates},
           {"Give {} to draw from the range.", Ref::flag("random", "N")});
  }
  std::vector<OptionValue> values;
  for (double v = axis.low; v <= axis.high; ++v) values.emplace_back(static_cast<Index>(v));
  return values;
}

void check_axes(std::span<const Axis> axes) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (axes[i].option != axes[j].option) continue;
      refuse({"{} is given twice", Ref::option(axes[i].option)},
             "Give all its values in one list.");
    }
  }
}

}  // namespace

Axis parse_axis(const ModelInfo& model, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == text.npos || equals == 0 || equals + 1 == text.size()) {
    refuse(fmt::format("'{}' names no option and values", text),
           "Give an option and its values, such as alpha=0.1,1,10.");
  }
  const Option option = find_option(model, text.substr(0, equals));
  const std::string values = text.substr(equals + 1);
  Axis axis{.option = option.name, .whole = option.type == OptionType::kInteger};
  if (option.type == OptionType::kArray) {
    refuse(fmt::format("{} takes an array, which is not searched", option.name), "Leave it out.");
  }
  if (is_number(option.type) && values.find("..") != values.npos) {
    read_range(model, values, axis);
    return axis;
  }
  for (const std::string& word : split(values)) {
    axis.values.push_back(parse_option(option, word));
    check_value(model, axis, axis.values.back());
  }
  return axis;
}

Axis make_axis(const ModelInfo& model, const std::string& option, std::vector<OptionValue> values) {
  Axis axis{.option = find_option(model, option).name, .values = std::move(values)};
  if (axis.values.empty()) refuse(fmt::format("{} has no values", axis.option), "Give some.");
  for (const OptionValue& value : axis.values) check_value(model, axis, value);
  return axis;
}

std::vector<std::vector<NamedOption>> grid(std::span<const Axis> axes) {
  check_axes(axes);
  std::vector<std::vector<NamedOption>> result(1);
  for (const Axis& axis : axes) {
    std::vector<std::vector<NamedOption>> longer;
    const std::vector<OptionValue> values = all_values(axis);
    if (ssize(result) * ssize(values) > kMostCandidates) {
      refuse(fmt::format("the grid has more than {} points", kMostCandidates),
             {"Give fewer values, or {} to draw from them.", Ref::flag("random", "N")});
    }
    for (const std::vector<NamedOption>& so_far : result) {
      for (const OptionValue& value : values) {
        longer.push_back(so_far);
        longer.back().emplace_back(axis.option, value);
      }
    }
    result = std::move(longer);
  }
  return result;
}

std::vector<std::vector<NamedOption>> random_search(std::span<const Axis> axes, Index count,
                                                    std::uint64_t seed) {
  check_axes(axes);
  std::vector<std::vector<NamedOption>> result;
  for (Index number = 0; number < count; ++number) {
    Random random(seed, Purpose::kSearch, 0, static_cast<std::uint64_t>(number));
    std::vector<NamedOption>& point = result.emplace_back();
    for (const Axis& axis : axes) {
      const double u = random.uniform();
      point.emplace_back(
          axis.option,
          axis.range
              ? value_at(axis, u)
              : axis.values[static_cast<std::size_t>(u * static_cast<double>(axis.values.size()))]);
    }
  }
  return result;
}

}  // namespace craton
