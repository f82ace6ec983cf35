#include "cli/sweep.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "cli/values.h"
#include "craton/base/error.h"

namespace craton::cli {
namespace {

constexpr Index kMostSettings = 1000;
constexpr const char *kComponents = "1..8", *kClusters = "2..10";  // when nothing is said

[[noreturn]] void refuse(std::string_view swept, const std::string& text) {
  throw InputError(Code::kBadOption, {}, {"{} is not allowed", Ref::option(swept, text)},
                   fmt::format("Give whole numbers from 1: a range such as 1..8, or a list such as "
                               "2,3,5; at most {}.",
                               kMostSettings));
}

std::optional<Index> count_of(std::string_view text) {
  Index count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 1) return {};
  return count;
}

std::vector<Index> parse_counts(std::string_view swept, const std::string& text) {
  std::vector<Index> counts;
  for (const std::string& part : split(text)) {
    const std::size_t dots = std::min(part.find(".."), part.find(':'));
    const std::size_t width = dots != part.npos && part[dots] == ':' ? 1 : 2;
    const auto low = count_of(part.substr(0, dots));
    const auto high = dots == part.npos ? low : count_of(part.substr(dots + width));
    if (!low || !high || *high < *low || *high - *low >= kMostSettings) refuse(swept, text);
    for (Index k = *low; k <= *high; ++k) counts.push_back(k);
  }
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  if (ssize(counts) > kMostSettings) refuse(swept, text);
  return counts;
}

Option find_option(const ModelInfo& model, const std::string& name) {
  const std::vector<Option> options = model.options();
  return *std::ranges::find(options, name, &Option::name);
}

std::vector<std::string> parse_kinds(const std::string& text) {
  if (text.find('=') == text.npos) return split(text);
  std::vector<std::string> kinds;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(';', from), text.size());
    kinds.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return kinds;
}

// The options that are the same in all settings.
Setting common_of(const Command& command, std::initializer_list<std::string_view> but) {
  Setting common;
  for (const auto& option : command.options) {
    if (std::find(but.begin(), but.end(), option.first) == but.end()) {
      common.options.push_back(option);
    }
  }
  return common;
}

std::string typed(const Command& command, std::string_view name, std::string otherwise) {
  for (const auto& [given, text] : command.options) {
    if (given == name) return text;
  }
  return otherwise;
}

std::vector<Setting> sweep_pooling(const Command& command) {
  const Setting common = common_of(command, {"pooling", "covariance_type"});
  std::vector<Setting> settings;
  for (const std::string& type : split(typed(command, "covariance_type", "full"))) {
    for (const std::string& text : split(typed(command, "pooling", "0,1"))) {
      Setting& setting = settings.emplace_back(common);
      setting.swept = "pooling";
      const auto [end, error] =
          std::from_chars(text.data(), text.data() + text.size(), setting.value);
      if (error != std::errc() || end != text.data() + text.size()) {
        throw InputError(Code::kBadOption, {}, {"{} is not allowed", Ref::option("pooling", text)},
                         "Give numbers from 0 to 1: a list such as 0,0.5,1.");
      }
      setting.kind = type;
      setting.options.emplace_back("pooling", text);
      setting.options.emplace_back("covariance_type", type);
    }
  }
  return settings;
}

}  // namespace

bool has_option(const ModelInfo& model, std::string_view name) {
  const std::vector<Option> options = model.options();
  return std::ranges::find(options, name, &Option::name) != options.end();
}

std::string Setting::name() const {
  return kind.empty() ? fmt::format("{}", value) : fmt::format("{} {}", value, kind);
}

std::string kind_option(const ModelInfo& model) {
  for (const char* name : {"covariance_type", "family"}) {
    if (has_option(model, name)) return name;
  }
  return "";
}

bool sweeps_clusters(const ModelInfo& model) { return has_option(model, "n_clusters"); }

std::vector<Setting> sweep(const Command& command) {
  const ModelInfo& model = find_model(command.model);
  if (has_option(model, "pooling")) return sweep_pooling(command);
  const std::string kind = kind_option(model);
  const bool clusters = sweeps_clusters(model);
  const std::string_view swept = clusters ? "n_clusters" : "n_components";
  std::string counts = clusters ? kClusters : kComponents, starts = "5";
  std::string kinds = kind.empty() ? "" : std::get<std::string>(find_option(model, kind).value);
  Setting common;
  for (const auto& [name, text] : command.options) {
    if (name == swept) {
      counts = text;
    } else if (name == kind) {
      kinds = text;
    } else if (name == "n_init") {
      if (text != "auto") starts = text;
    } else {
      common.options.emplace_back(name, text);
    }
  }
  common.options.emplace_back("n_init", starts);
  std::vector<Setting> settings;
  for (const std::string& one : kind.empty() ? std::vector<std::string>{""} : parse_kinds(kinds)) {
    for (const Index k : parse_counts(swept, counts)) {
      Setting& setting = settings.emplace_back(common);
      setting.swept = swept;
      setting.value = static_cast<double>(k);
      setting.kind = one;
      setting.options.emplace_back(swept, std::to_string(k));
      if (!kind.empty()) setting.options.emplace_back(kind, one);
    }
  }
  return settings;
}

std::vector<Option> sweep_options(const ModelInfo& model) {
  std::vector<Option> options = model.options();
  std::erase_if(options, [](const Option& o) { return o.type == OptionType::kArray; });
  for (Option& option : options) {
    if (option.name == "n_init") option.value = Index{5};
    if (option.name == "covariance_type") option.help += "; or several: full,diag";
    if (option.name == "family") option.help += "; or several: gaussian,gamma, or A=...;A=...";
    if (option.name == "pooling") {
      option.help += "; or several: 0,0.5,1";
      option.value = std::string("0,1");
    }
    if (option.name == "n_components" || option.name == "n_clusters") {
      option.help += ": a range, 1..8, or a list, 2,3,5";
      option.value = std::string(option.name == "n_clusters" ? kClusters : kComponents);
    }
  }
  return options;
}

bool can_sweep(const ModelInfo& model) {
  if (sweeps_clusters(model)) return true;
  return model.abilities.free_parameters &&
         has_option(model, model.abilities.labels ? "pooling" : "n_components");
}

void check_can_sweep(const ModelInfo& model, std::string_view example) {
  if (can_sweep(model)) return;
  const char* why = model.abilities.free_parameters
                        ? "{} has no number of components to choose"
                        : "{} has no likelihood, so BIC and AIC cannot compare its fits";
  throw InputError(Code::kNotAble, {}, fmt::format(fmt::runtime(why), model.name),
                   fmt::format("For example: {}", example));
}

}  // namespace craton::cli
