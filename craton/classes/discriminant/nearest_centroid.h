#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "craton/model/registry.h"

// The class whose centroid is nearest, by Euclidean distance. With the rows of class c, n_c of them
// (by weight), and n rows in all, column by column:
//
//   centroid   mu_c = the mean of the rows of the class
//   spread     s_j^2 = sum over rows of (x_j - mu_cj)^2 / (n - classes)
//   deviation  d_cj = (mu_cj - mu_j) / (m_c (s_j + s_0)),  m_c^2 = 1/n_c - 1/n,  s_0 = median of s
//   shrunken   d'_cj = sign(d_cj) max(|d_cj| - shrink_threshold, 0)
//              mu'_cj = mu_j + m_c (s_j + s_0) d'_cj
//
// A column whose deviations are all shrunk to 0 no longer tells classes apart. Tibshirani, Hastie,
// Narasimhan, Chu, "Diagnosis of multiple cancer types by shrunken centroids of gene expression",
// PNAS 99, 2002. A missing value (NaN) is left out, of the means and of the distance.

namespace craton {

class ClassMoments;

class NearestCentroid {
 public:
  static constexpr std::string_view kName = "nearest-centroid", kPythonName = "NearestCentroid";
  static constexpr std::string_view kHelp = "classification by the nearest centroid of a class";
  static constexpr std::string_view kObjective =
      "minus the mean squared distance of a row to the centroid of its class";
  static constexpr TargetKind kTarget = TargetKind::kLabels;
  static constexpr ScoreKind kScore = ScoreKind::kAccuracy;
  static const Usage kUsage;
  static constexpr bool kTakesSparse = true, kTakesMissing = true;

  struct Options {
    double shrink_threshold = 0;
  };

  static Fit<NearestCentroid> fit(Source& x, const Options& options, const Exec& exec);
  static Fit<NearestCentroid> partial_fit(const Fit<NearestCentroid>& so_far, Source& x,
                                          const Options& options, const Exec& exec);
  static Fit<NearestCentroid> unlearn(const Fit<NearestCentroid>& so_far, Source& x,
                                      const Options& options, const Exec& exec);
  static Fit<NearestCentroid> merge(const Fit<NearestCentroid>& a, const Fit<NearestCentroid>& b,
                                    const Options& options);

  Index columns() const { return centroids_.cols(); }
  Index classes() const { return centroids_.rows(); }
  const Array& centroids() const { return centroids_; }

  // The nearest; of several, the first. A class without rows is never the nearest.
  void predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const;
  double score(Source& x, const Exec& exec) const;  // accuracy
  Index row_work() const { return classes(); }
  std::int32_t predict_row(const double* row, double* work) const;

  void visit_parameters(ParameterVisitor& v) const;
  static NearestCentroid from_parameters(const ParameterList& parameters);
  void check_memory(std::span<const Parameter> memory) const;
  std::vector<ResultTable> tables(const Schema& schema) const;

 private:
  NearestCentroid(Array centroids, Array class_weight);
  static Fit<NearestCentroid> estimate(const ClassMoments& moments, const Options& options,
                                       const Schema& schema, std::vector<Note> notes);
  void squared_distances_of(const double* row, double* out) const;
  void for_distances(Source& x, const Exec& exec,
                     FunctionRef<void(Index, std::span<double>)> use) const;

  Array centroids_;     // classes x columns
  Array class_weight_;  // of the rows of each
};

void describe(OptionVisitor& v, NearestCentroid::Options& o);

}  // namespace craton
