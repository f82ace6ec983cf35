#pragma once
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "craton/base/function_ref.h"
#include "craton/base/options.h"
#include "craton/cluster/bounds.h"
#include "craton/engine/em.h"
#include "craton/kernels/differences.h"
#include "craton/kernels/exact_sums.h"
#include "craton/kernels/nearest.h"
#include "craton/model/registry.h"

// k-means: centres mu_1..mu_k that minimise
//
//   J = sum_i w_i min_c |x_i - mu_c|^2
//
// by Lloyd's algorithm ("Least squares quantization in PCM", 1982): assign every row to its nearest
// centre, move every centre to the mean of its rows, repeat until no row changes its centre. Ties
// go to the lower centre. J never rises. The objective of the report is -J; its trace has it after
// every assignment and every move.
//
// With metric = cosine the rows count by their directions alone (spherical k-means: Dhillon and
// Modha, "Concept decompositions for large sparse text data using clustering", 2001): rows and
// centres have unit length and J = sum_i w_i min_c (1 - x_i . mu_c), which is half the sum of the
// squared distances.
//
// A cluster that lost all its rows moves to the row that lies farthest from its centre, one such
// cluster in each pass.

namespace craton {

class ColumnStatistics;

class KMeans {
 public:
  static constexpr std::string_view kName = "kmeans";
  static constexpr std::string_view kPythonName = "KMeans";
  static constexpr std::string_view kHelp = "k-means clustering (Lloyd's algorithm)";
  static constexpr std::string_view kObjective =
      "minus the sum of squared distances, or of 1 - cosine";
  static constexpr TargetKind kTarget = TargetKind::kNone;
  static constexpr ScoreKind kScore = ScoreKind::kDistance;
  static const Usage kUsage;
  static constexpr bool kTakesSparse = true;

  enum class Metric { kEuclidean, kCosine };
  enum class Init { kPlusPlus, kRandom, kParallel };
  enum class Algorithm {
    kAuto,     // bounds, once they would have spared kWorthwhile of the rows
    kLloyd,    // compare every row with every centre
    kHamerly,  // bounds from the second pass on
  };

  struct Options {
    Index n_clusters = 8;
    Metric metric = Metric::kEuclidean;
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

  // requires shape k x d; for the cosine, rows of unit length
  explicit KMeans(const Array& centers, Metric metric = Metric::kEuclidean, Index parts = 1,
                  RowKind rows = RowKind::kAny);

  const Array& centers() const { return nearest_.centres(); }
  Metric metric() const { return metric_; }
  Index columns() const { return centers().cols(); }
  Index classes() const { return centers().rows(); }
  Index outputs() const { return centers().rows(); }

  void predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const;
  void transform(Source& x, std::span<double> distances, const Exec& exec) const;
  double score(Source& x, const Exec& exec) const;  // -J

  Index row_work() const { return classes() + columns(); }
  std::int32_t predict_row(const double* row, double* work) const;  // registry.h

  class Statistics;
  Statistics statistics() const;
  Statistics statistics(Source& x, const Exec& exec) const;  // of rows that are checked first
  // Moves each centre towards the mean of its rows, by their share of all weight that it has seen,
  // these rows included; a centre that has seen none goes to the farthest row. Returns
  // -J per unit of weight, before the move.
  double learn(const Statistics& statistics, std::vector<double>& seen);

  void visit_parameters(ParameterVisitor& v) const;
  static KMeans from_parameters(const ParameterList& parameters);
  std::vector<ResultTable> tables(const Schema& schema) const;
  void diagnose(Source& x, ResultTable& rows, const Exec& exec) const;  // adds the distance

 private:
  friend class Statistics;
  friend class MiniBatchKMeans;
  static Fit<KMeans> fit_rows(Source& x, const Options& options, const ColumnStatistics& columns,
                              const Exec& exec);
  EmStep update(const Statistics& statistics);
  EmStep turn(const Statistics& statistics);

  Metric metric_;
  NearestCentres nearest_;
  Array weights_;  // of the rows of each cluster in the data fitted on
};

void describe(OptionVisitor& v, KMeans::Options& o);

// The rows of each cluster about a point s, as the last pass left them, and how far all rows are
// from it: T = sum_i w_i |x_i - s|^2. With it
//
//   J = T - sum_c delta_c (2 S_c - W_c delta_c),  delta_c = mu_c - s,  S_c = sum of w (x - s)
//
// needs no distance of any row; its error is a few roundings of T. And a pass has to add only the
// rows that changed their cluster: the sums are the same to the bit as those of all rows.
struct KMeansFrame {
  double scatter = 0;
  ExactSums sums;
};

// Where a pass keeps the rows that it works on, from chunk to chunk: memory, no part of a value.
class BlockRoom {
 public:
  struct Any {
    virtual ~Any() = default;
  };
  BlockRoom() = default;
  BlockRoom(const BlockRoom&) {}
  BlockRoom& operator=(const BlockRoom&) { return *this; }
  template <class Block>
  Block& as() {
    if (dynamic_cast<Block*>(block_.get()) == nullptr) block_ = std::make_unique<Block>();
    return static_cast<Block&>(*block_);
  }

 private:
  std::unique_ptr<Any> block_;
};

// The rows of each cluster: their weight and the sum of their differences from its centre; J; and
// the row that lies farthest from its centre, which is where an empty cluster goes. In a frame
// there are the sums of the rows that changed, and no farthest row.
class KMeans::Statistics {
 public:
  // What a pass does with bounds.
  enum class Pass {
    kAll,      // every row with every centre
    kCompare,  // the same; some blocks keep bounds, and ask what they would spare
    kRecord,   // the same, and all rows keep bounds
    kSpare,    // rows and centres that the bounds leave in doubt
  };
  // Borrows the model for one pass, the bounds, whose labels are those of the last pass, and the
  // frame. requires bounds for a frame, and for kSpare those that kRecord or kSpare left.
  explicit Statistics(const KMeans& model, RowBounds* bounds = nullptr, Pass pass = Pass::kRecord,
                      const KMeansFrame* frame = nullptr);

  // Takes these rows of a table instead of the chunks' own: numbers[chunk.first_row] and on.
  void take_from(const Matrix& table, std::span<const Index> numbers) {
    table_ = &table;
    numbers_ = numbers;
  }

  double objective() const;  // -J
  bool settled() const { return bounds_ != nullptr && changed_ == 0; }
  // Of the comparisons of rows with parts of the centres, those that the bounds spared, or would
  // have spared where that was asked.
  double spared() const {
    return asked_ == 0 ? 0 : static_cast<double>(spared_) / static_cast<double>(asked_);
  }
  std::vector<double> weights() const;  // of each cluster
  const ExactSums& moved() const { return moved_; }

  void accumulate(const Chunk& chunk);
  void merge(const Statistics& next);
  void write(Writer& writer) const;
  void read(Reader& reader);
  Index words() const;
  Merge merge_kind() const { return frame_ == nullptr ? Merge::kTree : Merge::kExact; }

 private:
  friend class KMeans;
  template <class Row>
  struct Block;
  template <class Row>
  void add_rows(const Chunk& chunk, Index row_bytes, const auto& row_at);
  template <class Row>
  void for_blocks(const Chunk& chunk, Index size, const auto& row_at,
                  FunctionRef<void(Block<Row>&)> f);
  template <class Row>
  void assign_block(Block<Row>& block);
  template <class Row>
  void add_block(Block<Row>& block);
  template <class Row>
  LabelledRows<Row> labelled(std::span<const Row> rows, const std::int32_t* labels) const;
  template <class Row>
  double own_distance(std::int32_t label, double squared) const;
  template <class Row>
  void assign(Block<Row>& block);
  template <class Row>
  void assign_and_record(Block<Row>& block);
  template <class Row>
  void assign_uncertain(Block<Row>& block);
  template <class Row>
  void find_doubtful(Block<Row>& block);
  template <class Row>
  void change(Block<Row>& block, std::size_t i, std::int32_t from, std::int32_t to);
  double weight(std::size_t c) const;
  double sum_about_centre(std::size_t c, std::size_t j) const;

  const KMeans* model_;
  RowBounds* bounds_;
  Pass pass_;
  const KMeansFrame* frame_;
  const Matrix* table_ = nullptr;  // by numbers_, unless null
  std::span<const Index> numbers_;
  double share_;                      // of the squared distances in J
  bool sparse_ = false;               // then sums are those of the rows themselves
  ExactSums moved_;                   // in a frame: what came to each cluster, less what went
  std::vector<double> weight_, sum_;  // k; k x d; none in a frame
  double inertia_ = 0;
  double farthest_ = 0;  // squared distance
  std::vector<double> farthest_row_;
  Index changed_ = 0, asked_ = 0, spared_ = 0;
  BlockRoom room_;
};

}  // namespace craton
