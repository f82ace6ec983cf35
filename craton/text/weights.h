#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "craton/base/matrix.h"
#include "craton/base/source.h"
#include "craton/text/text_options.h"

// Weights of counted terms: x_ij = tf(c_ij) idf_j, then each row divided by its norm. Of c, the
// count of a term in a document, L = sum_j c_ij, the document's length in counted terms, and its
// mean over documents A:
//
//   tf  count     c                           idf  none            1
//       presence  1                                textbook        log(N / df)
//       share     c / L                            textbook_plus   log(N / (df + 1))
//       log       1 + log c                        plain           log(N / df) + 1
//       bm25      c (k1 + 1)                       smooth          log((N + 1) / (df + 1)) + 1
//                 / (c + k1 (1 - b + b L / A))     bm25            log(1 + (N - df + 1/2) / (df +
//                 1/2))
//
// where N is the number of documents, and df that of those with the term. textbook_plus is negative
// for a term of all documents, and 0 for one that a single document lacks. plain and smooth are
// scikit-learn's, with its smooth_idf off and on. BM25: Robertson and Zaragoza, "The probabilistic
// relevance framework", 2009, with an idf that is never negative. A term that no document of the
// fit has, of a vocabulary that was given, counts as if one had it (df = 1). Counts below zero, of
// hashed terms, keep their sign.

namespace craton {

class TermWeights {
 public:
  TermWeights() = default;  // counts as they are
  // df by column; `length` is the sum of all counts. requires documents > 0
  TermWeights(const WeightOptions& options, std::span<const Index> df, Index documents,
              double length);
  // As a model file has them.
  TermWeights(const WeightOptions& options, std::vector<double> idf, double mean_length)
      : options_(options), idf_(std::move(idf)), mean_length_(mean_length) {}

  const WeightOptions& options() const { return options_; }
  const std::vector<double>& idf() const { return idf_; }  // by column; empty: all 1
  double mean_length() const { return mean_length_; }

  // The entries of one row: counts, then weights.
  void weigh(const std::int32_t* columns, double* values, Index entries) const;
  void weigh(SparseArray& rows, RowRange range) const;

 private:
  void weigh_counts(double* values, Index entries) const;

  WeightOptions options_;
  std::vector<double> idf_;
  double mean_length_ = 0;
};

}  // namespace craton
