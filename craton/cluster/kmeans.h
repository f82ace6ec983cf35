#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "craton/cluster/bounds.h"
#include "craton/core/em.h"
#include "craton/core/options.h"
#include "craton/core/registry.h"
#include "craton/kernels/differences.h"
#include "craton/kernels/nearest.h"

// k-means: centres mu_1..mu_k that minimise
//
//   J = sum_i w_i min_c |x_i - mu_c|^2
//
// by Lloyd's algorithm ("Least squares quantization in PCM", 1982): assign every row to its nearest
// centre, move every centre to the mean of its rows, repeat until no row changes its centre. Ties
// go to the lower centre. J never rises. The objective of the report is -J; its trace has it after
// every assignment and every move.
//
// A cluster that lost all its rows moves to the row that lies farthest from its centre, one such
// cluster in each pass.

namespace craton {

class KMeans {
 public:
  static constexpr std::string_view kName = "kmeans";
  static constexpr std::string_view kPythonName = "KMeans";
  static constexpr std::string_view kHelp = "k-means clustering (Lloyd's algorithm)";
  static constexpr std::string_view kObjective = "minus the sum of squared distances";
  static constexpr bool kTakesSparse = true;

  enum class Init { kPlusPlus, kRandom, kParallel };
  enum class Algorithm {
    kAuto,     // bounds, once they would have spared kWorthwhile of the rows in the last pass
    kLloyd,    // compare every row with every centre
    kHamerly,  // bounds from the second pass on
  };

  struct Options {
    Index n_clusters = 8;
    Init init = Init::kPlusPlus;
    Array centers;             // a given start; wins over init
    Index n_local_trials = 0;  // of k-means++; 0: 2 + ln(n_clusters)
    Index n_init = 1;
    Index max_iter = 300;
    double tol = 1e-4;  // of the summed squared shift of the centres, in units of the mean variance
    Index random_state = 0;
    Algorithm algorithm = Algorithm::kAuto;  // changes the time, never the result
  };

  static Fit<KMeans> fit(Source& x, const Options& options, const Exec& exec);

  explicit KMeans(const Array& centers);  // requires shape k x d

  const Array& centers() const { return nearest_.centres(); }
  Index columns() const { return centers().cols(); }
  Index classes() const { return centers().rows(); }
  Index outputs() const { return centers().rows(); }

  void predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const;
  void transform(Source& x, std::span<double> distances, const Exec& exec) const;
  double score(Source& x, const Exec& exec) const;  // -J

  class Statistics;
  Statistics statistics() const;
  // Moves each centre towards its rows by their share of the weight it has seen, which grows by
  // theirs; one that has seen none goes to the farthest row. Returns -J per unit of weight, before.
  double learn(const Statistics& statistics, std::vector<double>& seen);

  std::vector<Parameter> parameters() const;
  static KMeans from_parameters(std::span<const Parameter> parameters);
  std::vector<SummaryTable> summary(const Schema& schema) const;

 private:
  friend class Statistics;
  EmStep update(const Statistics& statistics);

  NearestCentres nearest_;
  Array weights_;  // of the rows of each cluster in the data fitted on
};

void describe(OptionVisitor& v, KMeans::Options& o);

// The rows of each cluster: their weight and the sum of their differences from its centre; J; and
// the row that lies farthest from its centre, which is where an empty cluster goes.
class KMeans::Statistics {
 public:
  // Borrows the model for one pass, and the bounds, if they are given: those of the rows seen are
  // brought up to date, and used if `prune`.
  explicit Statistics(const KMeans& model, RowBounds* bounds = nullptr, bool prune = false);

  double objective() const { return -inertia_; }
  bool settled() const { return bounds_ != nullptr && changed_ == 0; }
  // Of all rows, those that the bounds spared, or would have spared.
  double spared() const { return static_cast<double>(spared_) / static_cast<double>(rows_); }

  void accumulate(const Chunk& chunk);
  void merge(const Statistics& next);
  void write(Writer& writer) const;
  void read(Reader& reader);
  Index words() const;
  Merge merge_kind() const { return Merge::kTree; }

 private:
  friend class KMeans;
  template <class Row>
  struct Block;
  template <class Row>
  void add_rows(const Chunk& chunk, Index row_bytes, const auto& row_at);
  template <class Row>
  void add_block(Block<Row>& block);
  template <class Row>
  LabelledRows<Row> labelled(const Block<Row>& block) const;
  template <class Row>
  double at_most(const Block<Row>& block, std::size_t i) const;
  template <class Row>
  void assign_uncertain(Block<Row>& block);
  template <class Row>
  void remember(const Block<Row>& block);

  const KMeans* model_;
  RowBounds* bounds_;
  bool prune_;
  bool sparse_ = false;               // then sums are those of the rows themselves
  std::vector<double> weight_, sum_;  // k; k x d
  double inertia_ = 0;
  double farthest_ = 0;  // squared distance
  std::vector<double> farthest_row_;
  Index rows_ = 0, changed_ = 0, spared_ = 0;
};

}  // namespace craton
