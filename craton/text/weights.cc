#include "craton/text/weights.h"

#include <algorithm>
#include <cmath>

#include "craton/base/error.h"

namespace craton {
namespace {

using Tf = WeightOptions::Tf;
using Idf = WeightOptions::Idf;
using Norm = WeightOptions::Norm;

double idf_of(Idf idf, double documents, double df) {
  df = std::max(df, 1.0);
  switch (idf) {
    case Idf::kNone:
      return 1;
    case Idf::kTextbook:
      return std::log(documents / df);
    case Idf::kTextbookPlus:
      return std::log(documents / (df + 1));
    case Idf::kPlain:
      return std::log(documents / df) + 1;
    case Idf::kSmooth:
      return std::log((documents + 1) / (df + 1)) + 1;
    case Idf::kBm25:
      return std::log1p((documents - df + 0.5) / (df + 0.5));
  }
  return 1;
}

double absolute_sum(const double* values, Index count) {
  double sum = 0;
  for (Index e = 0; e < count; ++e) sum += std::abs(values[e]);
  return sum;
}

}  // namespace

void describe(OptionVisitor& v, WeightOptions& o) {
  v.choice("tf", o.tf, {"count", "presence", "share", "log", "bm25"},
           "what a document's count c of a term becomes: c, 1, c / length, 1 + log c, or that of "
           "BM25");
  v.choice("idf", o.idf, {"none", "textbook", "textbook_plus", "plain", "smooth", "bm25"},
           "the weight of a term of df in N documents: 1, log(N/df), log(N/(df+1)), log(N/df)+1, "
           "log((N+1)/(df+1))+1, or that of BM25");
  v.number("bm25_k1", o.k1, 0, 1000, "BM25: how much more a second occurrence says");
  v.number("bm25_b", o.b, 0, 1, "BM25: how far counts are held against a document's length");
  v.choice("text_norm", o.norm, {"none", "l1", "l2"},
           "divide each row by the sum of its absolute values, or the root of its squares' sum");
}

TermWeights::TermWeights(const WeightOptions& options, std::span<const Index> df, Index documents,
                         double length)
    : options_(options), mean_length_(length / static_cast<double>(documents)) {
  CRATON_ASSERT(documents > 0);
  if (options.idf == Idf::kNone) return;
  idf_.reserve(df.size());
  for (const Index of_term : df) {
    idf_.push_back(
        idf_of(options.idf, static_cast<double>(documents), static_cast<double>(of_term)));
  }
}

void TermWeights::weigh_counts(double* values, Index entries) const {
  const double length = absolute_sum(values, entries);
  const double k1 = options_.k1;
  const double relative = mean_length_ > 0 ? length / mean_length_ : 1;
  const double slow = k1 * (1 - options_.b + options_.b * relative);
  const auto weight = [&](double count) {
    switch (options_.tf) {
      case Tf::kCount:
        return count;
      case Tf::kPresence:
        return 1.0;
      case Tf::kShare:
        return count / length;
      case Tf::kLog:
        return 1 + std::log(count);
      case Tf::kBm25:
        return count * (k1 + 1) / (count + slow);
    }
    return count;
  };
  for (Index e = 0; e < entries; ++e) {
    const double count = std::abs(values[e]);
    if (options_.tf == Tf::kPresence) {
      values[e] = 1;
    } else if (count > 0) {  // 0: hashed terms that cancel out
      values[e] = std::copysign(weight(count), values[e]);
    }
  }
}

void TermWeights::weigh(const std::int32_t* columns, double* values, Index entries) const {
  if (options_.tf != Tf::kCount) weigh_counts(values, entries);
  if (!idf_.empty()) {
    for (Index e = 0; e < entries; ++e) values[e] *= idf_[static_cast<std::size_t>(columns[e])];
  }
  if (options_.norm == Norm::kNone) return;
  double norm = 0;
  if (options_.norm == Norm::kL1) {
    norm = absolute_sum(values, entries);
  } else {
    for (Index e = 0; e < entries; ++e) norm += values[e] * values[e];
    norm = std::sqrt(norm);
  }
  if (norm == 0) return;  // no term that counts
  for (Index e = 0; e < entries; ++e) values[e] /= norm;
}

void TermWeights::weigh(SparseArray& rows, RowRange range) const {
  for (Index i = range.first; i < range.last; ++i) {
    const Index first = rows.offsets[usize(i)], last = rows.offsets[usize(i + 1)];
    weigh(rows.columns.data() + first, rows.values.data() + first, last - first);
  }
}

}  // namespace craton
