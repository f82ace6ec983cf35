#include "tests/campaign/settings.h"

#include <algorithm>
#include <cmath>

#include "craton/base/random.h"
#include "craton/classes/product/feature_words.h"
#include "craton/families/family.h"

namespace craton::campaign {
namespace {

constexpr Index kGroups = 3;  // of clusters and components, where nothing else is said
constexpr int kCombinations = 40;

bool groups(const ModelInfo& model, const Option& option) {
  return option.name == "n_clusters" || (option.name == "n_components" && !model.abilities.labels);
}

// Arrays of every shape that some option may want: of the wrong one they are refused.
std::vector<OptionValue> arrays_for(const Rows& table) {
  const Index d = table.cols, k = kGroups;
  const auto filled = [](std::vector<Index> shape, double value) {
    Index size = 1;
    for (const Index n : shape) size *= n;
    return Array{shape, std::vector<double>(usize(size), value)};
  };
  Array rows = filled({k, d}, 0), identity = filled({k, d, d}, 0);
  for (std::size_t i = 0; i < rows.values.size(); ++i) {
    const double v = table.x[i % table.x.size()];
    rows.values[i] = std::isnan(v) ? 0 : v;
  }
  for (Index i = 0; i < k * d; ++i) identity.values[usize(i * d + i % d)] = 1;
  return {filled({table.classes}, 1.0 / static_cast<double>(table.classes)),
          filled({k}, 1.0 / static_cast<double>(k)),
          filled({d}, 1.0 / static_cast<double>(d)),
          filled({d}, 1e-300),
          filled({1}, 1.0),
          rows,
          identity};
}

std::vector<double> numbers_for(const Option& option) {
  std::vector<double> all;
  for (const double v : {option.low, 1e-300, 1e-9, 0.5, 1.0, 100.0, 1e300, option.high}) {
    if (std::isfinite(v) && v >= option.low && v <= option.high) all.push_back(v);
  }
  return all;
}

std::vector<std::string> words_for(const Option& option) {
  if (option.name == "family") {
    std::vector<std::string> words{std::string(kAutoWord), std::string(kEqualWidth),
                                   std::string(kEqualFrequency), std::string(kByLabels)};
    for (const Family* family : families()) words.emplace_back(family->name());
    return words;
  }
  return {};
}

std::vector<OptionValue> values_for(const ModelInfo& model, const Option& option,
                                    const Rows& table) {
  std::vector<OptionValue> all;
  if (option.type == OptionType::kFlag) all = {false, true};
  if (option.type == OptionType::kInteger) {
    for (const Index v : {Index{0}, Index{1}, Index{2}, Index{5}}) {
      const double x = static_cast<double>(v);
      if (x >= option.low && x <= option.high) all.emplace_back(v);
    }
    if (groups(model, option)) all.emplace_back(table.rows());
  }
  if (option.type == OptionType::kNumber || option.type == OptionType::kChoiceOrNumber) {
    for (const double v : numbers_for(option)) all.emplace_back(v);
  }
  for (const std::string& choice : option.choices) all.emplace_back(choice);
  if (option.type == OptionType::kArray || option.type == OptionType::kChoiceOrArray) {
    for (OptionValue& array : arrays_for(table)) all.push_back(std::move(array));
  }
  for (std::string& word : words_for(option)) all.emplace_back(std::move(word));
  return all;
}

std::vector<NamedOption> singles(const ModelInfo& model, const Rows& table) {
  std::vector<NamedOption> all;
  for (const Option& option : model.options()) {
    for (OptionValue& value : values_for(model, option, table)) {
      all.emplace_back(option.name, std::move(value));
    }
  }
  return all;
}

Setting base_of(const ModelInfo& model) {
  Setting base;
  for (const Option& option : model.options()) {
    if (groups(model, option)) base.emplace_back(option.name, kGroups);
  }
  return base;
}

void set(Setting& setting, const NamedOption& option) {
  std::erase_if(setting, [&](const NamedOption& other) { return other.first == option.first; });
  setting.push_back(option);
}

// Some other model's options, for a model whose classes are such models: "n_components=3 ...".
std::vector<Setting> of_classes(const Rows& table) {
  std::vector<Setting> all;
  for (const ModelInfo& inner : models()) {
    if (!inner.abilities.score_samples || inner.abilities.labels) continue;
    const std::string name(inner.name);
    all.push_back({{"density", name}});
    for (const auto& [option, value] : singles(inner, table)) {
      if (std::holds_alternative<Array>(value)) continue;
      all.push_back({{"density", name}, {"settings", option + "=" + craton::to_text(value)}});
    }
  }
  return all;
}

}  // namespace

std::vector<Setting> settings_of(const ModelInfo& model, const Rows& table) {
  const Setting base = base_of(model);
  const std::vector<NamedOption> each = singles(model, table);
  std::vector<Setting> all{{}, base};
  for (const NamedOption& option : each) {
    all.push_back(base);
    set(all.back(), option);
  }
  const std::vector<Option> options = model.options();
  if (std::ranges::any_of(options, [](const Option& o) { return o.name == "density"; })) {
    for (Setting& setting : of_classes(table)) all.push_back(std::move(setting));
  }
  Random random(78, Purpose::kTest);
  for (int i = 0; i < kCombinations; ++i) {
    all.push_back(base);
    for (int j = 0; j < 3; ++j) set(all.back(), each[usize(random.below(std::ssize(each)))]);
  }
  return all;
}

std::string to_text(const Setting& setting) {
  std::string text;
  for (const auto& [name, value] : setting) {
    text += (text.empty() ? "" : " ") + name + "=" + craton::to_text(value);
  }
  return text.empty() ? "defaults" : text;
}

}  // namespace craton::campaign
