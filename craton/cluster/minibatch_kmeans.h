#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "craton/cluster/kmeans.h"
#include "craton/model/abilities.h"

// k-means from small batches of rows (Sculley, "Web-scale k-means clustering", WWW 2010): every row
// of a batch is assigned to its nearest centre, and each centre moves towards its rows of the batch
// by their share of all the weight that it has ever had. An iteration is a walk through all
// batches, in which every row is in one of them. It ends when J of the batches, smoothed over about
// one such walk, has not fallen for some batches. J is nearly that of k-means, in few passes.
//
// A batch is made of rows whose hashed values fall into one class, so that neither the order of the
// rows nor weights for repeats matter.

namespace craton {

class MiniBatchKMeans {
 public:
  static constexpr std::string_view kName = "minibatch-kmeans";
  static constexpr std::string_view kPythonName = "MiniBatchKMeans";
  static constexpr std::string_view kHelp = "k-means clustering from small batches of rows";
  static constexpr std::string_view kObjective = "minus the sum of squared distances";
  static constexpr TargetKind kTarget = TargetKind::kNone;
  static constexpr ScoreKind kScore = ScoreKind::kDistance;
  static const Usage kUsage;
  static constexpr bool kTakesSparse = true;

  struct Options {
    Index n_clusters = 8;
    KMeans::Init init = KMeans::Init::kPlusPlus;
    Array centers;             // a given start; wins over init
    Index n_local_trials = 0;  // of k-means++; 0: 2 + ln(n_clusters)
    Index n_init = 1;
    Index max_iter = 100;
    Index batch_size = 1024;
    Index max_no_improvement = 10;  // batches; 0: never stop for that
    Index random_state = 0;
  };

  // The starts are chosen in a sample of the rows. Memory: 16 bytes a row.
  static Fit<MiniBatchKMeans> fit(Source& x, const Options& options, const Exec& exec);

  // More rows are one more batch: each centre moves towards its rows by their share of the weight
  // of all rows that it has had, which is cluster_weights. The objective is that of the batch.
  static Fit<MiniBatchKMeans> partial_fit(const Fit<MiniBatchKMeans>& so_far, Source& x,
                                          const Options& options, const Exec& exec);

  const Array& centers() const { return clusters_.centers(); }
  Index columns() const { return clusters_.columns(); }
  Index classes() const { return clusters_.classes(); }
  Index outputs() const { return clusters_.outputs(); }

  void predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const {
    clusters_.predict(x, labels, exec);
  }
  void transform(Source& x, std::span<double> distances, const Exec& exec) const {
    clusters_.transform(x, distances, exec);
  }
  double score(Source& x, const Exec& exec) const { return clusters_.score(x, exec); }
  Index row_work() const { return clusters_.row_work(); }
  std::int32_t predict_row(const double* row, double* work) const {
    return clusters_.predict_row(row, work);
  }

  void visit_parameters(ParameterVisitor& v) const { clusters_.visit_parameters(v); }
  static MiniBatchKMeans from_parameters(const ParameterList& parameters) {
    return MiniBatchKMeans(KMeans::from_parameters(parameters));
  }
  std::vector<ResultTable> tables(const Schema& schema) const { return clusters_.tables(schema); }
  void diagnose(Source& x, ResultTable& rows, const Exec& exec) const {
    clusters_.diagnose(x, rows, exec);
  }

 private:
  explicit MiniBatchKMeans(KMeans clusters) : clusters_(std::move(clusters)) {}

  KMeans clusters_;
};

void describe(OptionVisitor& v, MiniBatchKMeans::Options& o);

}  // namespace craton
