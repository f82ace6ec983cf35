#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "craton/classes/product/feature_choice.h"
#include "craton/classes/product/product_em.h"
#include "craton/model/abilities.h"

// A mixture of any family, and of products of families over columns of any kind:
//
//   p(x) = sum_z w_z prod_j p_j(x_j | theta_zj),
//
// the model of naive Bayes (class_product.h) with its class hidden, fitted by EM (latent_class.h).
// Of a text alone it is the mixture of unigrams, and with some labels the classifier of Nigam et
// al. (semi_supervised.h).
//
// Rows may have labels: those that do keep them, and there is a component for each label. With all
// labels seen this is naive Bayes, with some semi-supervised learning.
//
// The objective is the mean log-likelihood per unit weight, plus the log-density of the parameters
// under their priors: `alpha` rows of every category, `prior_rows` rows like the whole column, and
// a Dirichlet prior of the weights. A mixture's likelihood is unbounded as a component shrinks onto
// one value; variances stay above `var_smoothing` times the column's, and rows of the prior keep
// the other families from it too.

namespace craton {

class Mixture {
 public:
  static constexpr std::string_view kName = "mixture";
  static constexpr std::string_view kPythonName = "Mixture";
  static constexpr std::string_view kHelp = "mixture of any family, over columns of any kind (EM)";
  static constexpr std::string_view kObjective = "mean log-likelihood";
  static constexpr TargetKind kTarget = TargetKind::kSomeLabels;
  static constexpr ScoreKind kScore = ScoreKind::kLogDensity;
  static const Usage kUsage;
  static constexpr bool kTakesCategories = true, kTakesMissing = true, kTakesTexts = true;

  enum class Init { kKMeans, kPlusPlus, kRandomRows, kRandom };

  struct Options {
    Index n_components = 1;
    FeatureChoice choice;
    double weight_concentration = 1;
    Latent latent;
    Init init_params = Init::kKMeans;
    Index n_init = 1;
    Index max_iter = 200;
    double tol = 1e-4;
    Index random_state = 0;
  };

  static Fit<Mixture> fit(Source& x, const Options& options, const Exec& exec);
  // EM from where another fit ended, with its families.
  static Fit<Mixture> fit_from(const Mixture& start, Source& x, const Options& options,
                               const Exec& exec);

  explicit Mixture(ClassProduct product, bool labelled = false)
      : product_(std::move(product)), labelled_(labelled) {}

  Index columns() const { return product_.columns(); }
  Index inner_columns() const { return product_.inner_columns(); }
  Index classes() const { return product_.classes(); }
  const std::vector<Feature>& features() const { return product_.features(); }
  const ClassProduct& product() const { return product_; }
  bool labelled() const { return labelled_; }  // components stand for labels of the rows of fit

  void predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const;
  void predict_log_proba(Source& x, std::span<double> out, const Exec& exec) const;
  void score_samples(Source& x, std::span<double> log_density, const Exec& exec) const;
  Index row_work() const { return product_.row_work(); }
  std::int32_t predict_row(const double* row, double* work) const {
    return product_.predict_row(row, work);
  }
  bool predict_log_proba_row(const double* row, double* work, double* out) const {
    return product_.predict_log_proba_row(row, work, out);
  }
  double score_row(const double* row, double* work) const { return product_.score_row(row, work); }
  Index entries_work() const { return product_.entries_work(); }
  std::int32_t predict_entries(const Sparse<double>& row, double* work) const {
    return product_.predict_entries(row, work);
  }
  bool predict_log_proba_entries(const Sparse<double>& row, double* work, double* out) const {
    return product_.predict_log_proba_entries(row, work, out);
  }
  void contributions(const Chunk& chunk, Index row, Index label, std::span<double> out) const {
    product_.contributions(chunk, row, label, out);
  }
  double score(Source& x, const Exec& exec) const;    // mean log-density per unit weight
  double entropy(Source& x, const Exec& exec) const;  // of the posteriors, likewise
  Sample sample(Index rows, std::uint64_t seed) const { return product_.sample(rows, seed); }
  Index free_parameters(const Options& options) const;

  ProductRows statistics() const { return ProductRows(product_, {}, 0); }

  void visit_parameters(ParameterVisitor& v) const { product_.visit_parameters(v); }
  static Mixture from_parameters(const ParameterList& parameters);
  std::vector<ResultTable> tables(const Schema& schema) const;
  std::vector<ResultTable> more_tables(const Schema& schema) const;

 private:
  ProductRows rows_of(Source& x, const Exec& exec) const;

  ClassProduct product_;
  bool labelled_;
};

void describe(OptionVisitor& v, Mixture::Options& o);

}  // namespace craton
