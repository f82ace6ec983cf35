#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "craton/classes/count_estimates.h"
#include "craton/classes/most_telling.h"
#include "craton/classes/positional_bayes.h"
#include "craton/core/digits.h"
#include "craton/core/error.h"

namespace craton {
namespace {

constexpr Index kMostCells = Index{1} << 31;  // of a table
constexpr Index kManyCells = 1 << 10;         // a part of that: what gaps between words may take

// A table for each class and position, or for each class.
Array estimate_words(const SeenSums& sums, const WordPositions& layout, double alpha) {
  const Index tables = layout.columns() / layout.words;
  const PerFeature alphas(alpha, layout.words);
  SeenSums by_table{layout.words, std::vector<SeenSums::OfClass>(usize(sums.classes() * tables)),
                    std::vector<double>(usize(sums.classes() * tables))};
  for (Index c = 0; c < sums.classes(); ++c) {
    const SeenSums::OfClass& seen = sums.of_class[usize(c)];
    for (std::size_t i = 0; i < seen.sums.size(); ++i) {
      const Index at = seen.features[i], table = c * tables + at / layout.words;
      SeenSums::OfClass& in_table = by_table.of_class[usize(table)];
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

double mean_log_p(const SeenSums& sums, std::span<const double> log_prior, const Array& table) {
  double sum = 0, weight = 0;
  for (std::size_t c = 0; c < sums.weight.size(); ++c) {
    weight += sums.weight[c];
    if (sums.weight[c] > 0) sum += sums.weight[c] * log_prior[c];
    const SeenSums::OfClass& seen = sums.of_class[c];
    const double* const row = &table.values[c * usize(sums.columns)];
    for (std::size_t i = 0; i < seen.sums.size(); ++i) sum += seen.sums[i] * row[seen.features[i]];
  }
  return sum / weight;
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
  const Vocabulary vocabulary = Vocabulary::of(x);
  const Index words = std::max(
      {count_words(x, vocabulary, exec), ssize(word_names(x.schema())), options.n_words, Index{1}});
  const WordPositions layout{x.shape().cols, words, options.tied};
  const Index most = kMostCells / std::max<Index>(1, classes * x.shape().cols);
  // Far more words than there are values have gaps between their numbers, and a table for them.
  const bool gaps = words > most / kManyCells && words / kManyCells > x.shape().rows &&
                    words > std::max(options.n_words, ssize(word_names(x.schema())));
  if (words > most || gaps) {
    throw InputError(Code::kOutsideSupport, {.file = x.name()},
                     fmt::format("{} words at {} positions in {} classes are too many", words,
                                 x.shape().cols, classes),
                     "Number the words 0, 1, ... without gaps, or give tied = true.");
  }
  const FeatureSums sums = sum_words(x, classes, vocabulary, layout, exec);
  std::vector<Note> notes;
  check_classes(x, sums.weight(), sums.unlabelled(), notes);
  const SeenSums seen = sums.seen(exec);
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

// Each class with its probability and the words that speak for it most, against the mean of all.
std::vector<SummaryTable> PositionalNB::summary(const Schema& schema) const {
  const std::vector<std::string> names = word_names(schema);
  const auto telling = most_telling(word_log_prob_.values, classes());
  SummaryTable result{"classes", {"class", "probability", "words that speak for it"}, {}};
  for (std::size_t c = 0; c < telling.size(); ++c) {
    std::string text;
    for (const std::size_t at : telling[c]) {
      const auto cell = static_cast<Index>(at), position = cell / words(), word = cell % words();
      text += text.empty() ? "" : ", ";
      text += tied() ? "" : schema.name(position) + "=";
      text += word < ssize(names) ? names[usize(word)] : std::to_string(word);
    }
    result.rows.push_back({label_name(schema, static_cast<Index>(c)),
                           shown_beside(std::exp(class_log_prior_.values[c]), 0, 4), text});
  }
  return {result};
}

}  // namespace craton
