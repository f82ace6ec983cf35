#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "craton/core/options.h"
#include "craton/core/registry.h"

// A mixture of Gaussians:  p(x) = sum_c w_c N(x | mu_c, Sigma_c),  fitted by EM
// (Dempster, Laird, Rubin 1977). With r_ic = p(c | x_i) and n_c = sum_i r_ic the M-step is
//
//   w_c = n_c / n,   mu_c = sum_i r_ic x_i / n_c,   Sigma_c = sum_i r_ic (x_i-mu_c)(x_i-mu_c)' /
//   n_c
//
// The objective is the mean log-likelihood per unit weight. The likelihood is unbounded as a
// component shrinks onto a point, so covariances are kept above a floor: in units of the columns'
// standard deviations no eigenvalue of Sigma_c is below `covariance_floor`. Clipping the
// eigenvalues is the exact M-step under that constraint, so EM still never falls.

namespace craton {

class GaussianMixture {
 public:
  static constexpr std::string_view kName = "gmm";
  static constexpr std::string_view kPythonName = "GaussianMixture";
  static constexpr std::string_view kHelp = "mixture of Gaussians (EM)";
  static constexpr std::string_view kObjective = "mean log-likelihood";

  enum class Covariance { kFull, kDiag };
  enum class Init { kKMeans, kPlusPlus, kRandom };

  struct Options {
    Index n_components = 1;
    Covariance covariance_type = Covariance::kFull;
    double tol = 1e-3;  // of the gain in mean log-likelihood
    double covariance_floor = 1e-6;
    double reg_covar = 0;  // added to the diagonal, in the data's units; replaces the floor
    Index max_iter = 100;
    Index n_init = 1;
    Init init_params = Init::kKMeans;
    Array weights_init, means_init, precisions_init;  // a given start, whole or in part
    Index random_state = 0;
  };

  static Fit<GaussianMixture> fit(Source& x, const Options& options, const Exec& exec);

  // requires weights k, means k x d, covariances k x d x d or k x d.
  // Throws InputError (kNoSpread) when a covariance is not positive definite.
  GaussianMixture(Array weights, Array means, Array covariances);

  const Array& weights() const { return weights_; }
  const Array& means() const { return means_; }
  const Array& covariances() const { return covariances_; }
  Index classes() const { return weights_.rows(); }
  Index columns() const { return means_.cols(); }
  Covariance covariance_type() const {
    return covariances_.shape.size() == 3 ? Covariance::kFull : Covariance::kDiag;
  }

  void predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const;
  void predict_log_proba(Source& x, std::span<double> out, const Exec& exec) const;
  void score_samples(Source& x, std::span<double> log_density, const Exec& exec) const;
  double score(Source& x, const Exec& exec) const;  // mean log-density per unit weight
  Sample sample(Index rows, std::uint64_t seed) const;
  Index free_parameters() const;

  class Statistics;
  Statistics statistics() const;

  std::vector<Parameter> parameters() const;
  static GaussianMixture from_parameters(std::span<const Parameter> parameters);
  std::vector<SummaryTable> summary(const Schema& schema) const;

 private:
  friend class GaussianBlock;
  friend class GaussianUpdate;
  void prepare();  // the derived values below

  Array weights_, means_, covariances_;
  std::vector<double> whiten_;    // k x d x d: L^-1 with Sigma = L L'; or k x d: 1 / sigma
  std::vector<double> constant_;  // k: log w - log|L| - d/2 log(2 pi)
};

void describe(OptionVisitor& v, GaussianMixture::Options& o);

}  // namespace craton
