#include "craton/select/sweep.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "craton/base/error.h"

namespace craton {
namespace {

constexpr Index kMostSettings = 1000;
constexpr std::string_view kComponents = "n_components", kClusters = "n_clusters",
                           kPooling = "pooling";

[[noreturn]] void refuse_counts(std::string_view swept, const std::string& text) {
  throw InputError(Code::kBadOption, {}, {"{} is not allowed", Ref::option(swept, text)},
                   fmt::format("Give whole numbers from 1: a range such as 1..8, or a list such as "
                               "2,3,5; at most {}.",
                               kMostSettings));
}

std::vector<std::string> parted(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(separator, from), text.size());
    parts.emplace_back(text.substr(from, end - from));
    from = end + 1;
  }
  return parts;
}

template <class T>
std::optional<T> number_of(std::string_view text) {
  T number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

// Each once.
std::vector<double> ascending(std::string_view swept, std::vector<double> counts,
                              const std::string& given) {
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  if (ssize(counts) > kMostSettings) refuse_counts(swept, given);
  return counts;
}

std::vector<double> parse_counts(std::string_view swept, const std::string& text) {
  std::vector<double> counts;
  for (const std::string& part : parted(text, ',')) {
    const std::size_t dots = std::min(part.find(".."), part.find(':'));
    const std::size_t width = dots != part.npos && part[dots] == ':' ? 1 : 2;
    const auto low = number_of<Index>(part.substr(0, dots));
    const auto high = dots == part.npos ? low : number_of<Index>(part.substr(dots + width));
    const bool sound = low && high && *low >= 1 && *low <= *high && *high - *low < kMostSettings;
    if (!sound) refuse_counts(swept, text);
    for (Index k = *low; k <= *high; ++k) counts.push_back(static_cast<double>(k));
  }
  return ascending(swept, std::move(counts), text);
}

std::vector<double> parse_poolings(const std::string& text) {
  std::vector<double> values;
  for (const std::string& part : parted(text, ',')) {
    const auto value = number_of<double>(part);
    if (!value) {
      throw InputError(Code::kBadOption, {}, {"{} is not allowed", Ref::option("pooling", part)},
                       "Give numbers from 0 to 1: a list such as 0,0.5,1.");
    }
    values.push_back(*value);
  }
  return values;
}

std::vector<double> check_counts(std::string_view swept, const std::vector<double>& values) {
  std::string given;
  for (const double v : values) given += fmt::format("{}{}", given.empty() ? "" : ",", v);
  const auto counts = [](double v) { return v >= 1 && v == std::floor(v) && v < 0x1p53; };
  if (!std::ranges::all_of(values, counts)) refuse_counts(swept, given);
  return ascending(swept, values, given);
}

std::string default_kind(const ModelInfo& model) {
  const std::vector<Option> options = model.options();
  const Option& option = *std::ranges::find(options, kind_option(model), &Option::name);
  return std::get<std::string>(option.value);
}

}  // namespace

std::string Setting::name() const {
  return kind.empty() ? fmt::format("{}", value) : fmt::format("{} {}", value, kind);
}

bool has_option(const ModelInfo& model, std::string_view name) {
  const std::vector<Option> options = model.options();
  return std::ranges::find(options, name, &Option::name) != options.end();
}

std::string_view swept_option(const ModelInfo& model) {
  if (has_option(model, kPooling)) return kPooling;
  return sweeps_clusters(model) ? kClusters : kComponents;
}

std::string kind_option(const ModelInfo& model) {
  for (const char* name : {"covariance_type", "family"}) {
    if (has_option(model, name)) return name;
  }
  return "";
}

std::string usual_values(const ModelInfo& model) {
  const std::string_view swept = swept_option(model);
  return swept == kPooling ? "0,1" : swept == kClusters ? "2..10" : "1..8";
}

bool sweeps_clusters(const ModelInfo& model) { return has_option(model, kClusters); }

bool can_sweep(const ModelInfo& model) {
  if (sweeps_clusters(model)) return true;
  return model.abilities.free_parameters &&
         has_option(model, model.abilities.labels ? kPooling : kComponents);
}

void check_can_sweep(const ModelInfo& model, const std::string& fix) {
  if (can_sweep(model)) return;
  const char* why = model.abilities.free_parameters
                        ? "{} has no number of components to choose"
                        : "{} has no likelihood, so BIC and AIC cannot compare its fits";
  throw InputError(Code::kNotAble, {}, fmt::format(fmt::runtime(why), model.name), fix);
}

std::vector<double> parse_swept(const ModelInfo& model, const std::string& text) {
  const std::string_view swept = swept_option(model);
  return swept == kPooling ? parse_poolings(text) : parse_counts(swept, text);
}

std::vector<std::string> parse_kinds(const std::string& text) {
  return parted(text, text.find('=') == text.npos ? ',' : ';');
}

std::vector<Setting> settings_of(const ModelInfo& model, const Sweep& sweep) {
  check_can_sweep(model, "Choose among fits of components, such as gmm, or of clusters.");
  const std::string_view swept = swept_option(model);
  const std::string kind = kind_option(model);
  std::vector<double> values =
      sweep.values.empty() ? parse_swept(model, usual_values(model)) : sweep.values;
  if (swept != kPooling) values = check_counts(swept, values);
  std::vector<std::string> kinds = sweep.kinds;
  if (kind.empty()) kinds = {""};
  if (kinds.empty()) kinds = {default_kind(model)};
  const bool starts = std::ranges::any_of(
      sweep.options, [](const NamedOption& option) { return option.first == "n_init"; });
  std::vector<Setting> settings;
  for (const std::string& one : kinds) {
    for (const double value : values) {
      Setting& setting = settings.emplace_back(Setting{swept, value, one, sweep.options});
      if (!starts && has_option(model, "n_init")) {
        setting.options.emplace_back("n_init", kSweepStarts);
      }
      setting.options.emplace_back(
          swept, swept == kPooling ? OptionValue(value) : OptionValue(static_cast<Index>(value)));
      if (!kind.empty()) setting.options.emplace_back(kind, one);
    }
  }
  return settings;
}

}  // namespace craton
