#include <algorithm>
#include <cmath>
#include <limits>

#include "craton/classes/count_bayes.h"
#include "craton/classes/count_entries.h"
#include "craton/core/error.h"
#include "craton/kernels/linear_scores.h"
#include "craton/kernels/special.h"

// What a score is made of: the say of each feature, and the linear form that they are.

namespace craton {
namespace {

double absent(double log_p) { return log_p == 0 ? kNever : std::log1p(-std::exp(log_p)); }

}  // namespace

template <CountModel kModel>
void CountBayes<kModel>::contributions(const Chunk& chunk, Index row, Index label,
                                       std::span<double> out) const {
  constexpr bool kPresence = kModel == CountModel::kBernoulli;
  const bool prior = kModel != CountModel::kComplement || classes() == 1;
  const double* const table = feature_log_prob().view().row(label);
  out[0] = prior ? class_log_prior_.values[usize(label)] : 0;
  const std::span<double> terms = out.subspan(1);
  for (std::size_t j = 0; j < terms.size(); ++j) terms[j] = kPresence ? absent(table[j]) : 0;
  const auto add = [&](Index j, double value) {
    if (kPresence) {
      if (value > threshold_) terms[usize(j)] = table[j];
    } else if (value != 0) {
      terms[usize(j)] = std::isinf(table[j]) ? table[j] : value * table[j];  // -inf: impossible
    }
  };
  std::visit([&](const auto& x) { for_entries(x, row, add); }, chunk.x);
}

template <CountModel kModel>
LinearForm CountBayes<kModel>::linear_form() const {
  if (scores_.get().has_impossible()) {
    throw InputError(Code::kNotAble, {}, "a linear form has no weight for what is impossible",
                     "Fit with alpha above 0.");
  }
  const Index k = classes(), d = columns(), stride = padded_classes(k);
  LinearForm form{{{k, d}, std::vector<double>(usize(k * d))}, {{k}, {}}};
  form.intercept.values.assign(intercepts().begin(), intercepts().begin() + k);
  for (Index c = 0; c < k; ++c) {
    for (Index j = 0; j < d; ++j) {
      form.coef.values[usize(c * d + j)] = weights()[usize(j * stride + c)];
    }
  }
  return form;
}

template void MultinomialNB::contributions(const Chunk&, Index, Index, std::span<double>) const;
template void BernoulliNB::contributions(const Chunk&, Index, Index, std::span<double>) const;
template void ComplementNB::contributions(const Chunk&, Index, Index, std::span<double>) const;
template LinearForm MultinomialNB::linear_form() const;
template LinearForm BernoulliNB::linear_form() const;
template LinearForm ComplementNB::linear_form() const;

}  // namespace craton
