#pragma once
#include <span>
#include <vector>

#include "craton/classes/gaussian_mixture/gaussian_mixture.h"
#include "craton/kernels/gaussian.h"
#include "craton/kernels/scratch.h"

// The E-step of a Gaussian mixture on a block of rows, and the statistics that it sums.

namespace craton {

// A block of rows, one column after the other, so that the loops over rows run in vector registers.
class GaussianBlock {
 public:
  static constexpr std::size_t kRows = kBlockRows;

  explicit GaussianBlock(const GaussianMixture& model);

  // Rows [first, first + count) of x; requires 0 < count <= kRows. The last row is repeated up to
  // the multiple of kRowStep that the kernels work on.
  template <class T>
  void load(const Dense<T>& x, Index first, Index count);

  // joint(c)[b] = log w_c + log N(x_b | mu_c, Sigma_c); -inf where the square of a distance
  // overflows.
  void find_joint();
  // log_density[b] = log sum_c exp joint(c)[b], NaN for a row too far from every component; joint
  // becomes the posterior p(c | x_b), and entropy[b] that of the posterior.
  void find_posterior();
  // The same with all of p on the best component (the lower one on ties) and log_density[b] its
  // joint.
  void find_best();

  double* joint(std::size_t c) { return joint_.data() + c * kRows; }
  const double* joint(std::size_t c) const { return joint_.data() + c * kRows; }
  std::size_t best(std::size_t b) const;  // the lower index on ties

  alignas(64) double log_density[kRows], entropy[kRows];

 private:
  friend class GaussianMixture::Statistics;
  const GaussianMixture& model_;
  std::size_t k_, d_, rows_ = 0;
  Scratch x_, by_row_, work_, joint_;  // d x kRows; kRows x d, padded (gaussian.h); k x kRows
};

// For each component n_c, sum r (x - mu) and the lower half (or the diagonal) of
// sum r (x - mu)(x - mu)', about the means of the model that the pass uses: additive, and nothing
// cancels. The scatter of a tied covariance is summed over the components too.
class GaussianMixture::Statistics {
 public:
  // Borrows the model for one pass. log_prior: of the model, part of the objective.
  explicit Statistics(const GaussianMixture& model, Assignment assignment = Assignment::kSoft,
                      double log_prior = 0);

  double objective() const { return (log_likelihood_ + log_prior_) / total_; }
  double entropy() const { return entropy_ / total_; }  // of the posteriors, mean a row
  double total() const { return total_; }
  double weight(Index c) const { return weight_[usize(c)]; }
  std::span<const double> sum(Index c) const;
  std::span<const double> scatter(Index covariance) const;  // d(d+1)/2 by rows, or d

  // As a memory keeps them (gaussian_memory.h), and back: InputError (kDamagedModel).
  std::vector<Parameter> arrays() const;
  void set(std::span<const Parameter> arrays);

  // As if every row had `factor` times its weight.
  void scale(double factor);
  // About the means of `model`, not those of `about`, which they are about now.
  void recentre(const GaussianMixture& about, const GaussianMixture& model);

  void accumulate(const Chunk& chunk);
  // Rows whose weight in each component is given, row after row.
  void share(const Dense<double>& x, std::span<const double> weights);
  void merge(const Statistics& next);
  void write(Writer& writer) const;
  void read(Reader& reader);
  Index words() const;
  Merge merge_kind() const { return Merge::kTree; }

 private:
  void add(GaussianBlock& block, const double* row_weights);

  const GaussianMixture* model_;
  Assignment assignment_;
  double log_prior_;
  std::size_t k_, d_, scatter_words_;
  double total_ = 0, log_likelihood_ = 0, entropy_ = 0;
  std::vector<double> weight_, sum_, scatter_;
};

}  // namespace craton
