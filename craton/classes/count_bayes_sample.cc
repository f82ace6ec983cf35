#include <algorithm>
#include <cmath>
#include <limits>

#include "craton/classes/count_bayes.h"
#include "craton/core/distributions.h"

namespace craton {

template <CountModel kModel>
Sample CountBayes<kModel>::sample(Index rows, std::uint64_t seed) const
    requires(kModel != CountModel::kComplement) {
  const std::size_t d = usize(columns());
  const auto exps = [](const std::vector<double>& logs) {
    std::vector<double> result(logs);
    for (double& v : result) v = std::exp(v);
    return result;
  };
  const std::vector<double> prior = exps(class_log_prior_.values);
  const std::vector<double> table = exps(feature_log_prob().values);
  // On either side of the threshold, and 1 and 0 where these are.
  const double above = std::max(
      {1.0, threshold_ + 1, std::nextafter(threshold_, std::numeric_limits<double>::max())});
  const double below = std::min(0.0, threshold_);
  Sample result{{{rows, columns()}, std::vector<double>(usize(rows) * d)}, {}};
  for (Index i = 0; i < rows; ++i) {
    Random random(seed, Purpose::kSample, 0, static_cast<std::uint64_t>(i));
    const std::size_t c = usize(random.categorical(prior));
    result.labels.push_back(static_cast<std::int32_t>(c));
    const std::span<const double> p(&table[c * d], d);
    const std::span<double> row(&result.x.values[usize(i) * d], d);
    if constexpr (kModel == CountModel::kBernoulli) {
      for (std::size_t j = 0; j < d; ++j) row[j] = random.uniform() < p[j] ? above : below;
    } else {
      const double mean = mean_length_.values[c],
                   length = mean > 0 ? draw_poisson(random, mean) : 0;
      if (length > 0) draw_multinomial(random, length, p, row);
    }
  }
  return result;
}

template Sample MultinomialNB::sample(Index, std::uint64_t) const;
template Sample BernoulliNB::sample(Index, std::uint64_t) const;

}  // namespace craton
