#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "craton/classes/bayes_rule.h"
#include "craton/classes/class_prior.h"
#include "craton/classes/model_kind.h"
#include "craton/classes/product/class_product.h"
#include "craton/classes/product/feature_choice.h"
#include "craton/classes/semi_supervised.h"
#include "craton/model/abilities.h"

// Naive Bayes for columns of any kind: a class that is seen, and columns that are independent given
// it (class_product.h). The mixed model chooses the families, or is told; the categorical one takes
// codes in every column. A column of text beside the others, or alone, is one more (bag.h). Rows
// without a label may join by EM: product_em.h.

namespace craton {

enum class ProductKind { kMixed, kCategorical };

struct ProductOptions {
  FeatureChoice choice;
  Index min_categories = 0;   // of the categorical model: the least codes of a column
  Array min_categories_each;  // or of each column; wins
  ClassPrior prior;
  SemiSupervised semi;
  Calibrate calibrate = Calibrate::kNone;
};
void describe(OptionVisitor& v, ProductKind kind, ProductOptions& o);  // those that the kind has

class ProductBayes {
 public:
  using Options = ProductOptions;
  static constexpr std::string_view kObjective = "mean log p(row, label)";
  static constexpr TargetKind kTarget = TargetKind::kLabels;
  static constexpr ScoreKind kScore = ScoreKind::kAccuracy;
  static constexpr bool kTakesCategories = true, kTakesMissing = true;

  static Fit<ProductBayes> fit(ProductKind kind, Source& x, const Options& options,
                               const Exec& exec);
  // With the families and buckets that were chosen first. The report's objective is that of the new
  // rows; of two models that are merged, the mean of both objectives.
  static Fit<ProductBayes> partial_fit(FitOf<ProductBayes> so_far, Source& x,
                                       const Options& options, const Exec& exec);
  static Fit<ProductBayes> unlearn(FitOf<ProductBayes> so_far, Source& x, const Options& options,
                                   const Exec& exec);
  // InputError (kWrongColumns) when a column is of different families in the two.
  static Fit<ProductBayes> merge(FitOf<ProductBayes> a, FitOf<ProductBayes> b,
                                 const Options& options);
  // The terms of texts at other places (registry.h).
  static Fit<ProductBayes> with_columns(FitOf<ProductBayes> fit, std::span<const Index> places,
                                        Index terms, const Options& options);

  ProductKind kind() const { return kind_; }
  Index columns() const { return product_.columns(); }
  Index inner_columns() const { return product_.inner_columns(); }
  Index classes() const { return product_.classes(); }
  const std::vector<Feature>& features() const { return product_.features(); }
  const ClassProduct& product() const { return product_; }
  const std::optional<CalibrationFit>& calibration() const { return calibration_; }
  // log p(x, c) of the rows of a chunk, row after row.
  void joint(const Chunk& chunk, std::span<double> out) const { product_.joint(chunk, out); }
  const Parameters& of(Index column, Index c) const { return product_.of(column, c); }

  void predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const;
  void predict_log_proba(Source& x, std::span<double> out, const Exec& exec) const;
  void score_samples(Source& x, std::span<double> log_density, const Exec& exec) const;
  Index row_work() const { return product_.row_work(); }
  std::int32_t predict_row(const double* row, double* work) const {
    return product_.predict_row(row, work);
  }
  bool predict_log_proba_row(const double* row, double* work, double* out) const {
    return !calibration_ && product_.predict_log_proba_row(row, work, out);
  }
  double score_row(const double* row, double* work) const { return product_.score_row(row, work); }
  Index entries_work() const { return product_.entries_work(); }
  std::int32_t predict_entries(const Sparse<double>& row, double* work) const {
    return product_.predict_entries(row, work);
  }
  bool predict_log_proba_entries(const Sparse<double>& row, double* work, double* out) const {
    return !calibration_ && product_.predict_log_proba_entries(row, work, out);
  }
  void contributions(const Chunk& chunk, Index row, Index label, std::span<double> out) const {
    product_.contributions(chunk, row, label, out);
  }
  // In the sufficient statistics of the families, without those that are alike in all classes.
  // InputError (kNotAble) for a family that has none, and where something is impossible.
  LinearForm linear_form() const;
  double score(Source& x, const Exec& exec) const;  // accuracy
  std::vector<Measure> measures(Source& x, const Exec& exec) const;
  Sample sample(Index rows, std::uint64_t seed) const { return product_.sample(rows, seed); }
  Index free_parameters(const Options& options) const;
  bool counts_parameters() const { return product_.counts_parameters(); }

  void visit_parameters(ParameterVisitor& v) const;
  static ProductBayes from_parameters(ProductKind kind, const ParameterList& parameters);
  void check_memory(std::span<const Parameter> memory) const;
  std::vector<ResultTable> tables(const Schema& schema) const;
  std::vector<ResultTable> more_tables(const Schema& schema) const;

 private:
  ProductBayes(ProductKind kind, ClassProduct product)
      : kind_(kind), product_(std::move(product)) {}
  static Fit<ProductBayes> estimate(ProductKind kind, const ClassStatistics& seen,
                                    std::vector<Feature> features, const Options& options,
                                    std::vector<Note> notes, const Schema& schema);
  static void learn_unlabelled(Source& x, const ClassStatistics& seen, const Options& options,
                               const Exec& exec, Fit<ProductBayes>& fit);
  static void calibrate(Source& x, const ClassStatistics& seen, const Options& options,
                        const Exec& exec, Fit<ProductBayes>& fit);
  ClassStatistics remembered(std::span<const Parameter> memory, const FitReport& report) const;
  BayesRule::Score measure(Source& x, const Exec& exec) const;
  // The mean of log p(row, label) of the rows that it was estimated from.
  double mean_joint(Source& x, const ClassStatistics& seen, const Smoothing& smoothing,
                    const Exec& exec) const;
  template <class F>
  auto with_rule(Source& x, const F& f) const;

  ProductKind kind_;
  ClassProduct product_;
  std::optional<CalibrationFit> calibration_;
};

struct NaiveBayes : ModelKind<NaiveBayes, ProductBayes, ProductKind::kMixed> {
  static constexpr std::string_view kName = "nb", kPythonName = "NaiveBayes";
  static constexpr std::string_view kHelp = "naive Bayes classification of columns of any kind";
  static constexpr bool kTakesTexts = true;
  static const Usage kUsage;
};

struct CategoricalNB : ModelKind<CategoricalNB, ProductBayes, ProductKind::kCategorical> {
  static constexpr std::string_view kName = "categorical-nb", kPythonName = "CategoricalNB";
  static constexpr std::string_view kHelp = "naive Bayes classification of categories";
  static const Usage kUsage;
};

}  // namespace craton
