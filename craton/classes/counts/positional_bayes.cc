#include "craton/classes/counts/positional_bayes.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "craton/base/error.h"
#include "craton/base/hash.h"
#include "craton/classes/counts/count_estimates.h"
#include "craton/classes/distinctive_cells.h"
#include "craton/model/registered_model.h"
#include "craton/tables/columns.h"

// Rows of words are taken as sparse rows of counts, a column for each word at each position
// (word_positions.h), and scored as these are: O(words of the row x classes). A fit takes a pass to
// find the largest word, and one to count.

namespace craton {
namespace {

constexpr Index kMostCells = Index{1} << 31;  // of a table
constexpr Index kManyCells = 1 << 10;         // the part of it that gaps between words may take

// A table for each class and position, or for each class.
Array estimate_words(const NonzeroSums& sums, const WordPositions& layout, double alpha) {
  const Index tables = layout.columns() / layout.words;
  const PerFeature alphas(alpha, layout.words);
  NonzeroSums by_table{layout.words,
                       std::vector<NonzeroSums::OfClass>(usize(sums.classes() * tables)),
                       std::vector<double>(usize(sums.classes() * tables))};
  for (Index c = 0; c < sums.classes(); ++c) {
    const NonzeroSums::OfClass& seen = sums.of_class[usize(c)];
    for (std::size_t i = 0; i < seen.sums.size(); ++i) {
      const Index at = seen.features[i], table = c * tables + at / layout.words;
      NonzeroSums::OfClass& in_table = by_table.of_class[usize(table)];
      in_table.features.push_back(static_cast<std::int32_t>(at % layout.words));
      in_table.sums.push_back(seen.sums[i]);
      in_table.total += seen.sums[i];
    }
  }
  Array result = multinomial_estimate(by_table, alphas);
  result.shape = {sums.classes(), tables, layout.words};
  if (layout.tied) return result;
  const auto words = layout.words;
  for (auto row = result.values.begin(); row != result.values.end(); row += words) {
    const double none = -std::numeric_limits<double>::infinity();
    const bool nothing = std::all_of(row, row + words, [&](double v) { return v == none; });
    if (nothing) std::fill(row, row + words, -std::log(static_cast<double>(words)));
  }
  return result;
}

double mean_log_p(const NonzeroSums& sums, std::span<const double> log_prior, const Array& table) {
  double sum = 0, weight = 0;
  for (std::size_t c = 0; c < sums.weight.size(); ++c) {
    weight += sums.weight[c];
    if (sums.weight[c] > 0) sum += sums.weight[c] * log_prior[c];
    const NonzeroSums::OfClass& seen = sums.of_class[c];
    const double* const row = &table.values[c * usize(sums.columns)];
    for (std::size_t i = 0; i < seen.sums.size(); ++i) sum += seen.sums[i] * row[seen.features[i]];
  }
  return sum / weight;
}

// The tables of all positions side by side: one row a class.
Array flat(const Array& table) {
  return {{table.shape[0], table.shape[1] * table.shape[2]}, table.values};
}

}  // namespace

void describe(OptionVisitor& v, PositionalNB::Options& o) {
  v.number("alpha", o.alpha, 0, std::numeric_limits<double>::infinity(),
           "added to every count; 0: the shares of the counts");
  describe(v, o.prior);
  v.flag("tied", o.tied, "one table of words for all positions");
  v.integer("n_words", o.n_words, 0, kMostCells, "words of the vocabulary, at least");
}

Fit<PositionalNB> PositionalNB::fit(Source& x, const Options& options, const Exec& exec) {
  Options checked = options;
  check_options([&](OptionVisitor& v) { describe(v, checked); });
  const Index classes = count_classes(x);
  const WordsByPosition vocabulary = WordsByPosition::of(x);
  const Index words = std::max(
      {count_words(x, vocabulary, exec), ssize(word_names(x.schema())), options.n_words, Index{1}});
  const WordPositions layout{x.shape().cols, words, options.tied};
  const Index most = kMostCells / std::max<Index>(1, classes * x.shape().cols);
  // Far more words than there are values have gaps between their numbers, and a table for them.
  const bool gaps = words > most / kManyCells && words / kManyCells > x.shape().rows &&
                    words > std::max(options.n_words, ssize(word_names(x.schema())));
  if (words > most || gaps) {
    throw InputError(
        Code::kOutsideSupport, {.file = x.name()},
        fmt::format("{} words at {} positions in {} classes are too many", words, x.shape().cols,
                    classes),
        {"Number the words 0, 1, ... without gaps, or give {}.", Ref::option("tied", "true")});
  }
  const FeatureSums sums = sum_words(x, classes, vocabulary, layout, exec);
  std::vector<Note> notes;
  check_classes(x, sums.weight(), sums.unlabelled(), notes);
  const NonzeroSums seen = sums.nonzero(exec);
  Fit<PositionalNB> fit{
      PositionalNB({{classes}, log_class_prior(options.prior, sums.weight())},
                   estimate_words(seen, layout, options.alpha), x.shape().cols, vocabulary),
      {}};
  fit.report.notes = std::move(notes);
  fit.report.converged = true;
  fit.report.objective = mean_log_p(seen, fit.model.class_log_prior(), fit.model.word_log_prob());
  fit.report.trace = {fit.report.objective};
  fit.report.data_hash = hash_text(sums.hash());
  return fit;
}

PositionalNB::PositionalNB(Array class_log_prior, Array word_log_prob, Index positions,
                           WordsByPosition vocabulary)
    : class_log_prior_(std::move(class_log_prior)),
      word_log_prob_(std::move(word_log_prob)),
      positions_(positions),
      vocabulary_(std::move(vocabulary)),
      scores_(CountScores::of_counts(class_log_prior_.values, flat(word_log_prob_))) {}

template <class F>
auto PositionalNB::with_rule(Source& x, const F& f) const {
  check_columns(x, columns());
  const auto joint = [&](const Chunk& chunk, std::span<double> out) {
    check_not_infinite(chunk, x);
    const CountedWords counted(chunk, vocabulary_, layout());
    scores_.find(counted.chunk(), out);
  };
  return f(BayesRule(class_log_prior_.values, joint));
}

void PositionalNB::predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const {
  with_rule(x, [&](const BayesRule& rule) { rule.predict(x, labels, exec); });
}

void PositionalNB::predict_log_proba(Source& x, std::span<double> out, const Exec& exec) const {
  with_rule(x, [&](const BayesRule& rule) { rule.predict_log_proba(x, out, exec); });
}

double PositionalNB::score(Source& x, const Exec& exec) const {
  return with_rule(x, [&](const BayesRule& rule) { return rule.score(x, exec); }).accuracy;
}

std::vector<Measure> PositionalNB::measures(Source& x, const Exec& exec) const {
  return with_rule(x, [&](const BayesRule& rule) { return rule.score(x, exec); }).measures();
}

Index PositionalNB::free_parameters(const Options& options) const {
  const bool prior = options.prior.fit_prior && options.prior.class_prior.empty();
  return classes() * word_log_prob_.shape[1] * (words() - 1) + (prior ? classes() - 1 : 0);
}

void PositionalNB::contributions(const Chunk& chunk, Index row, Index label,
                                 std::span<double> out) const {
  out[0] = class_log_prior_.values[usize(label)];
  std::vector<double> values(usize(columns()));
  std::visit([&](const auto& x) { copy_row(x, row, values.data()); }, chunk.x);
  const Index tables = word_log_prob_.shape[1];
  for (Index t = 0; t < columns(); ++t) {
    const Index word = vocabulary_.word(t, values[usize(t)]);
    const Index table = label * tables + (tied() ? 0 : t);
    const bool known = word >= 0 && word < words();
    out[usize(t) + 1] = known ? word_log_prob_.values[usize(table * words() + word)] : 0;
  }
}

void PositionalNB::visit_parameters(ParameterVisitor& v) const {
  v.doubles("class_log_prior", "log probability of each class", class_log_prior_);
  v.doubles("word_log_prob", "log probability of each word, in each class and at each position",
            word_log_prob_);
  v.number("positions", "number of positions", static_cast<double>(positions_));
  if (!vocabulary_.words().empty()) {
    v.doubles("word_of_level", "the word of each level of each position", vocabulary_.words());
  }
}

PositionalNB PositionalNB::from_parameters(const ParameterList& parameters) {
  const ArrayView prior = parameters.doubles("class_log_prior", {-1});
  const ArrayView table = parameters.doubles("word_log_prob", {prior.rows(), -1, -1});
  const double positions = parameters.number("positions");
  check_log_prior(prior.values);
  if (table.empty()) fail_parameters("there are no words");
  for (const double v : table.values) {
    if (!(v <= 0)) fail_parameters("a log probability of a word is not one");
  }
  const double tables = static_cast<double>(table.shape[1]);
  constexpr double kMost = 2147483648.0;
  const bool fine = positions >= 1 && positions < kMost && positions == std::floor(positions) &&
                    (tables == 1 || tables == positions);
  if (!fine) fail_parameters("the number of positions is none");
  const auto count = static_cast<Index>(positions);
  if (!parameters.has("word_of_level")) {
    return PositionalNB(prior.copy(), table.copy(), count, {});
  }
  const ArrayView words = parameters.doubles("word_of_level", {count, -1});
  for (const double v : words.values) {
    const bool word = v >= -1 && v < static_cast<double>(table.shape[2]) && v == std::floor(v);
    if (!word) fail_parameters("the word of a level is none");
  }
  return PositionalNB(prior.copy(), table.copy(), count, WordsByPosition(words.copy()));
}

// Each class with its probability and the words that speak for it most, against the mean of all.
std::vector<ResultTable> PositionalNB::tables(const Schema& schema) const {
  const std::vector<std::string> names = word_names(schema);
  ResultColumn::Words speaking;
  for (const std::vector<std::size_t>& cells :
       distinctive_cells(word_log_prob_.values, classes())) {
    std::string text;
    for (const std::size_t at : cells) {
      const auto cell = static_cast<Index>(at), position = cell / words(), word = cell % words();
      text += text.empty() ? "" : ", ";
      text += tied() ? "" : schema.name(position) + "=";
      text += word < ssize(names) ? names[usize(word)] : std::to_string(word);
    }
    speaking.push_back(std::move(text));
  }
  ResultTable table{"classes", "classes"};
  table.add_labels("class", schema, classes());
  table.add_probabilities("probability", class_log_prior_.values);
  table.add_words("words that speak for it", std::move(speaking));
  return {table};
}

const Usage PositionalNB::kUsage{
    .example = "examples/data/letters.csv --target kind -o letters.craton", .python = R"(
>>> from craton import PositionalNB
>>> X = [["dear", "sir"], ["dear", "madam"], ["hello", "you"], ["hello", None]]
>>> model = PositionalNB().fit(X, ["letter", "letter", "chat", "chat"])
>>> model.predict([["dear", "you"], ["hello", None]]).tolist()
['letter', 'chat']
)"};

template ModelInfo registered<PositionalNB>();

}  // namespace craton
