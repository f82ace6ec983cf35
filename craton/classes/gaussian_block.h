#pragma once
#include <span>
#include <vector>

#include "craton/classes/gaussian_mixture.h"

// The E-step of a Gaussian mixture on a block of rows, and the statistics that it sums.

namespace craton {

// A block of rows, one column after the other, so that the loops over rows run in vector registers.
class GaussianBlock {
 public:
  static constexpr std::size_t kRows = 64;

  explicit GaussianBlock(const GaussianMixture& model);

  // Rows [first, first + count) of x; requires count <= kRows. Rows beyond count hold zeros.
  template <class T>
  void load(const Dense<T>& x, Index first, Index count);

  // joint(c)[b] = log w_c + log N(x_b | mu_c, Sigma_c)
  void find_joint();
  // log_density[b] = log sum_c exp joint(c)[b]; joint(c)[b] becomes the posterior p(c | x_b).
  // Neither is finite for a row so far away that the squares of its distances overflow.
  void find_posterior();
  // The same, with all of p on the component whose mean is nearest (the lower one on ties).
  void assign_nearest();

  double* joint(std::size_t c) { return &joint_[c * kRows]; }
  const double* joint(std::size_t c) const { return &joint_[c * kRows]; }
  // x - mu_c, column by column: d x kRows. Valid until the next call.
  const double* difference(std::size_t c);
  std::size_t best(std::size_t b) const;  // the lower index on ties

  double log_density[kRows];

 private:
  const GaussianMixture& model_;
  std::size_t k_, d_;
  std::vector<double> x_, difference_;  // d x kRows
  std::vector<double> joint_;           // k x kRows
};

// For each component n_c, sum r (x - mu) and the lower half of sum r (x - mu)(x - mu)', about the
// means of the model that the pass uses: additive, and nothing cancels.
class GaussianMixture::Statistics {
 public:
  enum class Assign { kPosterior, kNearest };

  // Borrows the model for one pass.
  explicit Statistics(const GaussianMixture& model, Assign assign = Assign::kPosterior);

  double objective() const { return log_likelihood_ / total_; }
  double total() const { return total_; }
  double weight(Index c) const { return weight_[usize(c)]; }
  std::span<const double> sum(Index c) const;
  std::span<const double> scatter(Index c) const;  // d(d+1)/2 by rows, or d

  void accumulate(const Chunk& chunk);
  void merge(const Statistics& next);
  void write(Writer& writer) const;
  void read(Reader& reader);
  Index words() const;
  Merge merge_kind() const { return Merge::kTree; }

 private:
  void add(GaussianBlock& block, const double* row_weights);

  const GaussianMixture* model_;
  Assign assign_;
  std::size_t k_, d_, scatter_words_;
  bool full_;
  double total_ = 0, log_likelihood_ = 0;
  std::vector<double> weight_, sum_, scatter_;
};

}  // namespace craton
