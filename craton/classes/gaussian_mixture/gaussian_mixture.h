#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "craton/base/options.h"
#include "craton/classes/latent_class.h"
#include "craton/model/registry.h"

// A mixture of Gaussians:  p(x) = sum_c w_c N(x | mu_c, Sigma_c),  fitted by EM
// (Dempster, Laird, Rubin 1977): a latent class (latent_class.h) with Gaussian features given it,
// and kernels of its own. With r_ic = p(c | x_i) and n_c = sum_i r_ic the M-step is
//
//   w_c = n_c / n,   mu_c = sum_i r_ic x_i / n_c,   Sigma_c = S_c / n_c,
//   S_c = sum_i r_ic (x_i - mu_c)(x_i - mu_c)'
//
// and within the families of covariances: Sigma = sum_c S_c / n shared by all (tied), the diagonal
// of Sigma_c (diag), its mean diagonal (spherical). Weights and covariances may be known instead.
//
// The objective is the mean log-likelihood per unit weight. The likelihood is unbounded as a
// component shrinks onto a point, so covariances are kept above a floor: in units of the columns'
// standard deviations no eigenvalue of Sigma_c is below `covariance_floor`. Clipping the
// eigenvalues is the exact M-step under that constraint, so EM still never falls. A conjugate prior
// (Fraley and Raftery 2007) does the same more smoothly: gaussian_prior.h.

namespace craton {

class GaussianMixture {
 public:
  static constexpr std::string_view kName = "gmm";
  static constexpr std::string_view kPythonName = "GaussianMixture";
  static constexpr std::string_view kHelp = "mixture of Gaussians (EM)";
  static constexpr std::string_view kObjective = "mean log-likelihood";
  static constexpr TargetKind kTarget = TargetKind::kNone;
  static constexpr ScoreKind kScore = ScoreKind::kLogDensity;
  static const Usage kUsage;

  enum class Covariance { kFull, kTied, kDiag, kSpherical };
  enum class Init { kKMeans, kPlusPlus, kRandomRows, kRandom };
  enum class Weights { kEstimated, kEqual };
  using Assignment = craton::Assignment;
  enum class Stop { kLikelihood, kParameters };
  enum class Prior { kNone, kConjugate };

  struct Options {
    Index n_components = 1;
    Covariance covariance_type = Covariance::kFull;
    double tol = 1e-3;
    Stop convergence = Stop::kLikelihood;  // tol is of its gain, or of the parameters' change
    double covariance_floor = 1e-6;
    double reg_covar = 0;  // added to the diagonal, in the data's units; replaces the floor
    Index max_iter = 100;
    Index n_init = 1;
    Init init_params = Init::kKMeans;
    Array weights_init, means_init, precisions_init;  // a given start, whole or in part
    Weights weights = Weights::kEstimated;
    Array known_weights, known_covariances;  // not estimated
    Assignment assignment = Assignment::kSoft;
    Prior prior = Prior::kNone;
    Array mean_prior, covariance_prior;  // empty: from the data
    double mean_precision_prior = 0.01;
    double degrees_of_freedom_prior = 0;  // 0: columns + 2
    double learning_decay = 0.7;          // of partial_fit
    Index random_state = 0;
  };

  static Fit<GaussianMixture> fit(Source& x, const Options& options, const Exec& exec);
  // EM from where another fit ended.
  static Fit<GaussianMixture> fit_from(const GaussianMixture& start, Source& x,
                                       const Options& options, const Exec& exec);
  // One step of stepwise EM, and the M-step of two models' statistics.
  static Fit<GaussianMixture> partial_fit(const Fit<GaussianMixture>& so_far, Source& x,
                                          const Options& options, const Exec& exec);
  static Fit<GaussianMixture> merge(const Fit<GaussianMixture>& a, const Fit<GaussianMixture>& b,
                                    const Options& options);

  // requires weights k, means k x d, covariances k x d x d (full), 1 x d x d (tied), k x d (diag)
  // or k (spherical). Throws InputError (kNoSpread) when one is not positive definite.
  GaussianMixture(Array weights, Array means, Array covariances);

  const Array& weights() const { return weights_; }
  const Array& means() const { return means_; }
  const Array& covariances() const { return covariances_; }
  Index classes() const { return weights_.rows(); }
  Index columns() const { return means_.cols(); }
  Covariance covariance_type() const;
  double variance(Index component, Index column) const;

  void predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const;
  void predict_log_proba(Source& x, std::span<double> out, const Exec& exec) const;
  void score_samples(Source& x, std::span<double> log_density, const Exec& exec) const;
  double score(Source& x, const Exec& exec) const;  // mean log-density per unit weight
  Sample sample(Index rows, std::uint64_t seed) const;
  double entropy(Source& x, const Exec& exec) const;  // of the posteriors, likewise
  // Weights and covariances that the options give are not free.
  Index free_parameters(const Options& options) const;

  Index row_work() const { return 9 * classes() + columns(); }  // 8 rows are the least of a table
  std::int32_t predict_row(const double* row, double* work) const;  // registry.h
  bool predict_log_proba_row(const double* row, double* work, double* out) const;
  double score_row(const double* row, double* work) const;
  // Each column given the component and the columns before it: registry.h
  void contributions(const Chunk& chunk, Index row, Index label, std::span<double> out) const;

  class Statistics;
  Statistics statistics() const;

  void visit_parameters(ParameterVisitor& v) const;
  static GaussianMixture from_parameters(const ParameterList& parameters);
  void check_memory(std::span<const Parameter> memory) const;
  std::vector<ResultTable> tables(const Schema& schema) const;

 private:
  friend class GaussianBlock;
  friend class GaussianPrior;
  friend class GaussianUpdate;
  void prepare();  // the derived values below
  // log p(row, c) of every component; the best of them, -1 if none is finite.
  std::int32_t find_joint(const double* row, double* work, double* joint) const;

  bool triangular() const { return covariances_.shape.size() == 3; }  // full or tied
  // The covariance of a component; all have the first when it is tied.
  std::size_t covariance_of(std::size_t c) const { return covariances_.rows() == 1 ? 0 : c; }

  Array weights_, means_, covariances_;
  // L^-1 with Sigma = L L', one d x d for each covariance, and as the kernels read it; or
  // 1 / sigma, one d for each.
  std::vector<double> whiten_, packed_;
  std::vector<double> constant_;  // k: log w - log|L| - d/2 log(2 pi)
};

void describe(OptionVisitor& v, GaussianMixture::Options& o);

}  // namespace craton
