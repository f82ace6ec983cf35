#include "craton/classes/product/bag.h"

#include <cmath>

#include "craton/base/inner_rows.h"
#include "craton/base/row_of.h"
#include "craton/classes/counts/count_estimates.h"
#include "craton/classes/counts/sums_by_class.h"
#include "craton/classes/distinctive_cells.h"

// The table is made when it is first asked for, as in count_bayes.cc.

namespace craton {
namespace {

constexpr const char* kTable = "term_log_prob";

double times(double n, double log_p) { return n == 0 ? 0 : n * log_p; }

}  // namespace

Bag::Bag(std::shared_ptr<const NonzeroSums> sums, double alpha)
    : Bag(Lazy<Array>::made_by([sums, alpha] {
            return multinomial_estimate(*sums, PerFeature(alpha, sums->columns));
          }),
          sums->classes(), sums->columns) {}

Bag::Bag(Lazy<Array> log_p, Index classes, Index terms)
    : classes_(classes),
      terms_(terms),
      log_p_(std::move(log_p)),
      scores_(Lazy<CountScores>::made_by([table = log_p_, classes] {
        return CountScores::of_counts(std::vector<double>(usize(classes)), table.get());
      })) {}

void Bag::find(const Chunk& chunk, std::span<double> out) const {
  scores_.get().find(inner_chunk(chunk), out);
}

bool Bag::add_row(const Inner& row, double* work, std::span<double> out) const {
  const std::span<double> own(work, out.size());
  if (!scores_.get().find_entries(row, work + out.size(), own)) return false;
  for (std::size_t z = 0; z < out.size(); ++z) out[z] += own[z];
  return true;
}

void Bag::contributions(const Chunk& chunk, Index row, Index z, std::span<double> out) const {
  std::ranges::fill(out, 0.0);
  const double* const table = log_p().view().row(z);
  const RowEntries<double> entries = row_of(chunk.inner[0], row);
  for (Index e = 0; e < entries.count; ++e) {
    const std::int32_t t = entries.columns[e];
    out[usize(t)] = std::isinf(table[t]) ? table[t] : times(entries.values[e], table[t]);
  }
}

double Bag::expected(const FeatureSums& sums) const {
  double sum = 0;
  for (Index z = 0; z < classes_; ++z) {
    const double* const table = log_p().view().row(z);
    double of_class = 0;
    for (Index t = 0; t < terms_; ++t) of_class += times(sums.of(z, t), table[t]);
    sum += of_class;
  }
  return sum;
}

double Bag::log_prior(double alpha) const {
  if (alpha == 0) return 0;
  const double at_mode = -std::log(static_cast<double>(terms_));
  double sum = 0;
  for (Index z = 0; z < classes_; ++z) {
    double of_class = 0;
    for (Index t = 0; t < terms_; ++t) of_class += log_p().view().row(z)[t] - at_mode;
    sum += of_class;
  }
  return alpha * sum;
}

void Bag::visit_parameters(ParameterVisitor& v) const {
  v.doubles(kTable, "log probability of each term of a text in each class", log_p());
}

bool Bag::is_in(const ParameterList& parameters) { return parameters.has(kTable); }

Bag Bag::from_parameters(const ParameterList& parameters, Index classes) {
  const ArrayView table = parameters.doubles(kTable, {classes, -1});
  if (table.empty()) fail_parameters("there are no terms");
  check_feature_log_prob(table.values);
  return Bag(Lazy(table.copy()), classes, table.cols());
}

ResultTable Bag::table(const Schema& schema, std::string_view word) const {
  const InnerTable named = schema.inner.empty() ? InnerTable{"text"} : schema.inner[0];
  ResultColumn::Words speaking;
  for (const std::vector<std::size_t>& terms : distinctive_cells(log_p().values, classes_)) {
    std::string names;
    for (const std::size_t t : terms) {
      names += (names.empty() ? "" : ", ") + named.level(static_cast<Index>(t));
    }
    speaking.push_back(std::move(names));
  }
  ResultTable table{"terms", "words of '" + named.name + "'"};
  table.add_labels(std::string(word), schema, classes_);
  table.add_words("words that speak for it", std::move(speaking));
  return table;
}

NonzeroSums find_terms(Source& x, Index classes, const Exec& exec) {
  InnerRows inside(x);
  auto sums = sums_by_class(inside, classes, {}, exec);
  if (!sums) sums = sum_features(inside, classes, {}, exec).nonzero(exec);
  return checked(*std::move(sums), inside.schema(), x.name());
}

}  // namespace craton
