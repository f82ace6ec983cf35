#pragma once
#include <optional>
#include <span>
#include <vector>

#include "craton/base/source.h"
#include "craton/classes/discriminant/gaussian_scores.h"
#include "craton/classes/discriminant/whitening.h"
#include "craton/model/registry.h"

// A Gaussian for each class: p(x, c) = p(c) N(x | mu_c, Sigma_c), with covariances of any shape.
//
// With one Sigma for all, and m = sum_c p(c) mu_c,
//
//   log p(x, c) = log N(x | m, Sigma) + w_c . (x - m) + b_c,
//   w_c = Sigma^-1 (mu_c - m),  b_c = log p(c) - w_c . (mu_c - m) / 2,
//
// whose first term is the same for all classes: borders are planes. Else they are quadrics.

namespace craton {

class GaussianClasses {
 public:
  // covariance: g x d x d, g x d or g, with g = 1 if shared, else the number of classes. Of full
  // ones see whiten() for tol: `ranks` may be less than d.
  GaussianClasses(Array log_prior, Array means, Array covariance, bool shared, double tol);

  Index columns() const { return means_.cols(); }
  Index classes() const { return means_.rows(); }
  bool shared() const { return shared_; }
  bool full() const { return !whitenings_.empty(); }
  const Array& log_prior() const { return log_prior_; }
  const Array& means() const { return means_; }
  const Array& covariance() const { return covariance_; }
  std::span<const Whitening> whitenings() const { return whitenings_; }  // of full ones
  double variance(Index label, Index column) const;
  std::vector<double> covariance_of(Index label) const;  // d x d
  std::vector<double> precision_of(Index label) const;   // d x d
  double log_scale(Index label) const;                   // log det Sigma^-1/2
  std::vector<double> centre() const;                    // m

  // log p(x, c), row after row. InputError (kNotFinite) as GaussianScores has it; a full covariance
  // takes no missing value.
  void joint(const Chunk& chunk, const Source& x, std::span<double> out) const;
  // The same up to what all classes share, where that is quicker.
  void scores(const Chunk& chunk, const Source& x, std::span<double> out) const;
  // The same of one row; false where these would refuse it, or must leave missing values out.
  // requires row_work() places of work.
  Index row_work() const { return columns() + 4 + classes(); }
  bool joint_row(const double* row, double* work, std::span<double> out) const;
  bool scores_row(const double* row, double* work, std::span<double> out) const;
  // registry.h. One covariance: w_cj (x_j - m_j) and b_c. Else, with y = x - mu_c,
  // -y_j (Sigma_c^-1 y)_j / 2, and log p(c) + log_scale.
  void contributions(const Chunk& chunk, Index row, Index label, std::span<double> out) const;
  LinearForm linear_form() const;  // requires shared()
  Sample sample(Index rows, std::uint64_t seed) const;

 private:
  void prepare_linear();
  template <class T>
  void find_own(const Dense<T>& x, std::span<double> out) const;
  template <class T>
  void find_common(const Dense<T>& x, std::span<double> out) const;
  template <class T>
  void find_linear(const Dense<T>& x, std::span<double> out) const;
  void check_scores(const Chunk& chunk, const Source& x, std::span<const double> out) const;

  Array log_prior_, means_, covariance_;
  bool shared_;
  std::size_t k_, d_;
  std::vector<Whitening> whitenings_;
  std::vector<double> packed_, constant_;  // the factors for the kernel, and what is added
  std::optional<GaussianScores> diagonal_;
  // Of one covariance: m, w by column, b, and b padded for the kernel.
  std::vector<double> centre_, weights_, intercept_, start_;
  std::vector<std::int32_t> all_columns_;
};

}  // namespace craton
