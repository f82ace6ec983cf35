#pragma once
#include <span>
#include <vector>

#include "craton/engine/fold.h"
#include "craton/kernels/scratch.h"

// One discrete class z of every row, and features x given z:   p(x, z) = p(z) p(x | z).
//
// Naive Bayes, discriminants and mixtures are this one model. They differ in what p(x | z) is, and
// in whether z is seen:
//
//   z seen            count: the rows of each class estimate p(z) and p(x | z), in one pass
//   z hidden          EM (engine/em.h)
//   z seen for some   EM, in which the rows that have a label keep it
//
// EM climbs a lower bound of the log-likelihood, over guesses q(z) of every row and parameters:
//
//   F(q, theta) = E_q[log p(x, z | theta)] + H(q)
//
//   E-step   z hidden: q(z) = p(z | x, theta) = p(x, z | theta) / sum_z' p(x, z' | theta)
//            z seen:   q(z) = [z = label]
//   M-step   theta maximises E_q[log p(x, z | theta)]: the estimates of rows that are shared among
//            the classes by q(z)
//
// After an E-step F is the mean of log p(x | theta) of rows without a label and of log p(x, label |
// theta) of rows with one; an M-step raises it; so neither falls. With hard assignment q is all on
// the best class, which climbs log p(x, best z) instead (classification EM; Celeux and Govaert,
// 1992). A prior of theta joins the first term.
//
//   who               p(x | z)                   E-step, and the sums of the M-step
//   count_bayes       counts, one table          LatentRows over FeatureSums
//   product_bayes     columns of any family      ProductRows (product_em.h): a program over blocks
//   mixture           the same, z hidden         ProductRows
//   gaussian_mixture  Gaussians, whole           GaussianMixture::Statistics, a kernel of its own
//   gaussian_bayes    Gaussians, by column       z is seen: ClassMoments
//   discriminant      Gaussians, whole           z is seen: ClassScatter
//   generative        any density                z is seen: a fit of the rows of each class

namespace craton {

enum class Assignment { kSoft, kHard };

// F(q, theta), summed over rows by weight.
struct Bound {
  double weight = 0, expected = 0, entropy = 0;

  double value() const { return expected + entropy; }
  void add(const Bound& next) {
    weight += next.weight;
    expected += next.expected;
    entropy += next.entropy;
  }
};

// InputError (kOutsideSupport): what no class can have belongs to none.
[[noreturn]] void fail_impossible(Index row);

// The E-step of some rows.
class EStep {
 public:
  // `unlabelled_weight`: of a row without a label, beside 1 with one. At most `stride` rows.
  EStep(Assignment assignment, double unlabelled_weight, std::size_t stride);

  // The rows [first, first + count) of the chunk; table[z * stride + b] is log p(x_b, z) less
  // base[b] (none: 0), and becomes weight x q(z): 0 beyond the last row, up to a multiple of 8,
  // which the table must have numbers for. Returns F, without the prior of theta.
  Bound operator()(const Chunk& chunk, Index first, Index count, std::size_t classes, double* table,
                   const double* base = nullptr);
  // The sum of some number of each of those rows, by their weights in F.
  double total(const double* of_row) const;

 private:
  void assign_best(std::size_t classes, std::size_t rows, double* table);
  void weigh(const Chunk& chunk, Index first, std::size_t classes, double* table);

  Assignment assignment_;
  double unlabelled_weight_;
  std::size_t stride_;
  std::size_t rows_ = 0;
  bool weighted_ = false;
  Scratch log_p_, entropy_, of_label_, weight_;
};

// The E-step over statistics S. M has joint(chunk, out) and classes(); S is an accumulator with
// share(chunk, weights): of each row, one for each class. Borrows the model.
template <class M, class S>
class LatentRows {
 public:
  // `log_prior`: the log-density of the model's parameters, where the estimates have a prior.
  LatentRows(const M& model, S empty, double unlabelled_weight, double log_prior)
      : model_(&model),
        sums_(std::move(empty)),
        unlabelled_weight_(unlabelled_weight),
        log_prior_(log_prior) {}

  const S& sums() const { return sums_; }
  double objective() const { return (bound_.value() + log_prior_) / bound_.weight; }

  void accumulate(const Chunk& chunk) {
    const std::size_t k = usize(model_->classes()), n = usize(chunk.rows());
    const std::size_t stride = (n + 7) / 8 * 8;
    std::vector<double> rows(n * k), table(stride * k);
    model_->joint(chunk, rows);
    for (std::size_t b = 0; b < n; ++b) {
      for (std::size_t z = 0; z < k; ++z) table[z * stride + b] = rows[b * k + z];
    }
    EStep e_step(Assignment::kSoft, unlabelled_weight_, stride);
    bound_.add(e_step(chunk, 0, chunk.rows(), k, table.data()));
    for (std::size_t b = 0; b < n; ++b) {
      for (std::size_t z = 0; z < k; ++z) rows[b * k + z] = table[z * stride + b];
    }
    sums_.share(chunk, rows);
  }
  void merge(const LatentRows& next) {
    sums_.merge(next.sums_);
    bound_.add(next.bound_);
  }
  void write(Writer& writer) const {
    sums_.write(writer);
    writer.put(bound_);
  }
  void read(Reader& reader) {
    sums_.read(reader);
    reader.get(bound_);
  }
  Index words() const { return sums_.words() + 2; }
  Merge merge_kind() const { return Merge::kTree; }

 private:
  const M* model_;
  S sums_;
  double unlabelled_weight_, log_prior_;
  Bound bound_;
};

}  // namespace craton
