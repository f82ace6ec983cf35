#include "tests/model_file/kinds.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "craton/base/error.h"
#include "craton/base/random.h"
#include "craton/families/family.h"
#include "craton/text/text_options.h"

namespace craton::model_file {
namespace {

constexpr Index kRows = 40, kTrials = 32;

// Tables for families of any support, from narrow to wide: a model is fitted on the first that it
// takes.
struct Table {
  std::vector<double> x;
  std::vector<std::int32_t> labels;
  Index cols;
};
Table table(Index cols, Support support) {
  Table result{{}, {}, cols};
  for (Index i = 0; i < kRows; ++i) {
    Random random(7, Purpose::kTest, 0, static_cast<std::uint64_t>(i));
    const auto group = static_cast<std::int32_t>(i % 3);
    result.labels.push_back(group);
    for (Index j = 0; j < cols; ++j) {
      double x = 9 + 4 * static_cast<double>((group + j) % 3) + 1.5 * random.normal();
      if (support == Support::kUnit) x /= kTrials;
      if (support == Support::kCounts) x = std::round(x);
      if (support == Support::kBinary) x = random.uniform() < (group + 1) / 4.0 ? 1 : 0;
      result.x.push_back(x);
    }
  }
  return result;
}

std::optional<Fitted> fit(const ModelInfo& model, const std::vector<NamedOption>& options,
                          Index cols, bool labelled) {
  for (const Support support :
       {Support::kPositive, Support::kCounts, Support::kUnit, Support::kBinary}) {
    Table data = table(cols, support);
    Schema schema = numbered_schema(cols);
    schema.target = Column{"group", ColumnKind::kCategory, {"a", "b", "c"}};
    if (!labelled) std::ranges::fill(data.labels, -1);
    std::vector<double> targets;
    if (model.abilities.numbers) {
      schema.target = Column{"number"};
      for (Index i = 0; i < kRows; ++i) {
        targets.push_back(data.x[usize(i * cols)] / 2 + static_cast<double>(i % 5));
      }
    }
    MemorySource x({.x = Dense<double>{data.x.data(), kRows, cols, cols},
                    .labels = data.labels,
                    .targets = targets},
                   schema);
    try {
      return model.fit(x, options, {.threads = 1});
    } catch (const InputError&) {  // not this table, or not these options
    }
  }
  return std::nullopt;
}

// The same of texts, for models that take what is counted in them; beside a column of numbers, if
// the model takes both.
std::optional<Fitted> fit_texts(const ModelInfo& model, const std::vector<NamedOption>& options,
                                bool beside = false) {
  static const std::vector<std::vector<std::string>> words{
      {"cats", "dogs", "Mice"}, {"stars", "moon", "suns"}, {"rain", "wind", "na\u00efve snow"}};
  TextArray texts;
  std::vector<std::int32_t> labels;
  std::vector<double> targets;
  for (Index i = 0; i < kRows; ++i) {
    const auto& own = words[usize(i % 3)];
    texts.add(i == 7 ? "" : "the " + own[usize(i % 2)] + " and " + own[usize(i % 5 / 2)]);
    labels.push_back(static_cast<std::int32_t>(i % 3));
    targets.push_back(static_cast<double>(i % 3 + i % 7));
  }
  Schema schema;
  schema.texts.push_back({"body", ColumnKind::kText});
  schema.target = Column{"group", ColumnKind::kCategory, {"a", "b", "c"}};
  if (model.abilities.numbers) schema.target = Column{"number"};
  const Table numbers = table(1, Support::kPositive);
  if (beside) schema.columns.push_back({"number"});
  const Index cols = beside ? 1 : 0;
  Memory memory{.x = Dense<double>{numbers.x.data(), kRows, cols, cols}, .texts = {texts.view()}};
  if (model.abilities.numbers) {
    memory.targets = targets;
  } else {
    memory.labels = labels;
  }
  MemorySource x(memory, schema);
  try {
    return model.fit(x, options, {.threads = 1});
  } catch (const InputError&) {  // not these options
    return std::nullopt;
  }
}

// Words for an option that change the model, each alone.
std::vector<std::string> words_of(const Option& option, bool told) {
  if (option.type == OptionType::kFlag) return {"true", "false"};
  if (!option.choices.empty()) return option.choices;
  if (option.name == "support") return {"1=0..", "1=0..90"};
  if (option.name != "family") return {};
  std::vector<std::string> words{"auto", "equal-width", "equal-frequency", "by-labels"};
  for (const Family* family : families()) {
    if (told || family->info().told == 0) words.emplace_back(family->name());
  }
  return words;
}

// What keeps a fit small.
std::string small_words(const ModelInfo& model) {
  std::string words;
  for (const Option& option : model.options()) {
    const bool components = option.name == "n_components" && !model.abilities.labels;
    if (option.name == "n_clusters" || components) words += option.name + "=2 ";
    if (option.name == "max_iter") words += "max_iter=4 ";
    if (option.name == "trials") words += "trials=" + std::to_string(kTrials) + " ";
  }
  return words;
}

// "name=word" for each choice of each option but those of the rows' preparation, if `own`.
std::vector<std::string> choices_of(const ModelInfo& model, bool own) {
  static constexpr std::array kPreparation{"fill", "scale", "unit_rows"};
  std::vector<std::string> result{""};
  for (const Option& option : model.options()) {
    if (own && std::ranges::find(kPreparation, option.name) != kPreparation.end()) continue;
    for (const std::string& word : words_of(option, model.name == "density")) {
      result.push_back(option.name + "=" + word);
    }
  }
  return result;
}

// Of texts; those that are no choices, with a word that counts something else.
std::vector<std::string> choices_of_texts() {
  std::vector<std::string> result{"ngram_max=2", "least_length=1",  "stop_words=english",
                                  "hashed=5",    "stemmer=english", "min_df=0.1",
                                  "max_df=12",   "max_features=3",  "min_count=5"};
  for (const Option& option : text_options()) {
    for (const std::string& word : words_of(option, false)) {
      result.push_back(option.name + "=" + word);
    }
  }
  return result;
}

std::vector<NamedOption> parsed(const ModelInfo& model, const std::string& words) {
  std::vector<NamedOption> options;
  std::vector<Option> known = model.options();
  for (const Option& option : text_options()) known.push_back(option);
  for (std::size_t from = 0; from < words.size();) {
    const std::size_t end = std::min(words.find(' ', from), words.size());
    const std::string word = words.substr(from, end - from);
    from = end + 1;
    const std::size_t equals = word.find('=');
    if (equals == word.npos) continue;
    for (const Option& option : known) {
      if (option.name != word.substr(0, equals)) continue;
      options.emplace_back(option.name, parse_option(option, word.substr(equals + 1)));
    }
  }
  return options;
}

}  // namespace

std::vector<Kind> every_kind() {
  std::vector<Kind> kinds;
  const auto add = [&](const ModelInfo& model, const std::string& name,
                       const std::vector<NamedOption>& options) {
    for (const Index cols : {1, 2}) {
      for (const bool labelled : {true, false}) {
        if (!labelled && !model.abilities.some_labels) continue;
        std::optional<Fitted> fitted = fit(model, options, cols, labelled);
        const std::string of = cols == 1 ? ", one column" : "";
        const std::string hidden = labelled ? "" : ", no labels";
        if (fitted) kinds.push_back({name + of + hidden, std::move(*fitted)});
      }
    }
  };
  for (const ModelInfo& model : models()) {
    const std::string small = small_words(model), of(model.name);
    for (const std::string& choice : choices_of(model, false)) {
      add(model, of + " " + choice, parsed(model, small + choice));
    }
    for (const std::string& choice : choices_of_texts()) {
      if (!model.abilities.texts) break;
      for (const bool beside : {false, true}) {
        if (beside && !model.abilities.texts_beside) break;
        std::optional<Fitted> fitted = fit_texts(model, parsed(model, small + choice), beside);
        const std::string where = beside ? " of texts beside numbers " : " of texts ";
        if (fitted) kinds.push_back({of + where + choice, std::move(*fitted)});
      }
    }
    const std::vector<Option> options = model.options();
    const bool over =
        std::ranges::any_of(options, [](const Option& o) { return o.name == "density"; });
    if (!over) continue;
    for (const ModelInfo& density : models()) {
      if (!density.abilities.score_samples || density.abilities.labels) continue;
      for (const std::string& choice : choices_of(density, true)) {
        const std::string name(density.name);
        const std::vector<NamedOption> both{{"density", name},
                                            {"settings", small_words(density) + choice}};
        add(model, of + " density=" + name + " " + choice, both);
      }
    }
  }
  return kinds;
}

}  // namespace craton::model_file
