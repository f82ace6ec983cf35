#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "craton/core/options.h"
#include "craton/core/registry.h"

// k-means: centres mu_1..mu_k that minimise
//
//   J = sum_i w_i min_c |x_i - mu_c|^2
//
// by Lloyd's algorithm ("Least squares quantization in PCM", 1982): assign every row to its nearest
// centre, move every centre to the mean of its rows, repeat. Ties go to the lower centre. J never
// rises. The objective of the report is -J.

namespace craton {

class KMeans {
 public:
  static constexpr std::string_view kName = "kmeans";
  static constexpr std::string_view kPythonName = "KMeans";
  static constexpr std::string_view kHelp = "k-means clustering (Lloyd's algorithm)";
  static constexpr std::string_view kObjective = "minus the sum of squared distances";

  enum class Init { kPlusPlus, kRandom };

  struct Options {
    Index n_clusters = 8;
    Init init = Init::kPlusPlus;
    Array centers;  // a given start; wins over init
    Index n_init = 1;
    Index max_iter = 300;
    double tol = 1e-4;  // of the summed squared shift of the centres, in units of the mean variance
    Index random_state = 0;
  };

  static Fit<KMeans> fit(Source& x, const Options& options, const Exec& exec);

  explicit KMeans(Array centers);  // requires shape k x d

  const Array& centers() const { return centers_; }
  Index columns() const { return centers_.cols(); }
  Index classes() const { return centers_.rows(); }
  Index outputs() const { return centers_.rows(); }

  void predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const;
  void transform(Source& x, std::span<double> distances, const Exec& exec) const;
  double score(Source& x, const Exec& exec) const;  // -J

  class Statistics;
  Statistics statistics() const;

  std::vector<Parameter> parameters() const;
  static KMeans from_parameters(std::span<const Parameter> parameters);
  std::vector<SummaryTable> summary(const Schema& schema) const;

 private:
  friend class Statistics;
  double update(const Statistics& statistics);

  Array centers_;
  Array weights_;  // of the rows of each cluster in the data fitted on
};

void describe(OptionVisitor& v, KMeans::Options& o);

// Weight and sum of the rows of each cluster, about a fixed shift; J; and the row that lies
// farthest from its centre, which is where an empty cluster goes.
class KMeans::Statistics {
 public:
  // Borrows the model for one pass.
  Statistics(const KMeans& model, std::span<const double> shift);

  double objective() const { return -inertia_; }

  void accumulate(const Chunk& chunk);
  void merge(const Statistics& next);
  void write(Writer& writer) const;
  void read(Reader& reader);
  Index words() const;
  Merge merge_kind() const { return Merge::kTree; }

 private:
  friend class KMeans;
  template <class T>
  void add_rows(const Dense<T>& x, const Chunk& chunk);

  const KMeans* model_;
  std::vector<double> shift_;
  std::vector<double> weight_, sum_;  // k; k x d
  double inertia_ = 0;
  double farthest_ = 0;  // squared distance
  std::vector<double> farthest_row_;
};

}  // namespace craton
