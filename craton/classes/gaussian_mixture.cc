#include "craton/classes/gaussian_mixture.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "craton/classes/gaussian_block.h"
#include "craton/core/columns.h"
#include "craton/core/digits.h"
#include "craton/core/for_each.h"
#include "craton/core/random.h"
#include "craton/kernels/linalg.h"
#include "craton/kernels/special.h"

namespace craton {
namespace {

// Calls f(row of the table, block, row of the block) for every row of new data, checked.
template <class F>
void for_each_row(const GaussianMixture& model, Source& x, const Exec& exec, const F& f) {
  constexpr Index kRows = static_cast<Index>(GaussianBlock::kRows);
  check_columns(x, model.columns());
  for_rows(x, exec, [&](const Chunk& chunk) {
    check_finite(chunk, x);
    GaussianBlock block(model);
    visit_dense(chunk.x, [&](const auto& rows) {
      for (Index first = 0; first < rows.rows; first += kRows) {
        const Index count = std::min(kRows, rows.rows - first);
        block.load(rows, first, count);
        block.find_joint();
        for (Index b = 0; b < count; ++b) {
          const std::size_t best = block.best(usize(b));
          if (!std::isfinite(block.joint(best)[b])) fail_too_far(x, chunk.first_row + first + b);
        }
        f(usize(chunk.first_row + first), usize(count), block);
      }
    });
  });
}

GaussianMixture::Statistics statistics_of(const GaussianMixture& model, Source& x,
                                          const Exec& exec) {
  check_columns(x, model.columns());
  check_start("the model", model.means(), check_table(x, exec));
  return fold(x, model.statistics(), exec);
}

// requires d x d numbers; or any count, the diagonal, and d = 1.
[[noreturn]] void fail_singular(std::size_t component, std::span<const double> covariance, Index d,
                                bool shared) {
  const double smallest = d > 1 ? eigen_symmetric(covariance, d).values[0]
                                : *std::min_element(covariance.begin(), covariance.end());
  throw InputError(
      Code::kNoSpread, {},
      fmt::format("the covariance of {} is singular (its smallest eigenvalue is {:.3g})",
                  shared ? "all components" : fmt::format("component {}", component), smallest),
      "Give covariance_floor or reg_covar above 0, fewer components, or covariance_type = 'diag'.");
}

void check_weights(const Array& weights) {
  double sum = 0;
  for (const double w : weights.values) {
    if (!(w >= 0 && w <= 1)) fail_parameters("a mixture weight is not between 0 and 1");
    sum += w;
  }
  if (std::abs(sum - 1) > 1e-9) fail_parameters("the mixture weights do not sum to 1");
}

void check_symmetric(const Array& covariances, Index d) {
  for (Index c = 0; c < covariances.rows(); ++c) {
    const double* a = &covariances.values[usize(c * d * d)];
    for (Index i = 0; i < d; ++i) {
      for (Index j = 0; j < i; ++j) {
        if (a[i * d + j] != a[j * d + i]) fail_parameters("a covariance is not symmetric");
      }
    }
  }
}

}  // namespace

GaussianMixture::GaussianMixture(Array weights, Array means, Array covariances)
    : weights_(std::move(weights)), means_(std::move(means)), covariances_(std::move(covariances)) {
  const Index k = weights_.rows(), d = means_.cols();
  CRATON_ASSERT(k > 0 && d > 0 && means_.shape == (std::vector<Index>{k, d}));
  CRATON_ASSERT(covariances_.shape == (std::vector<Index>{k, d, d}) ||
                covariances_.shape == (std::vector<Index>{1, d, d}) ||
                covariances_.shape == (std::vector<Index>{k, d}) ||
                covariances_.shape == (std::vector<Index>{k}));
  prepare();
}

GaussianMixture::Covariance GaussianMixture::covariance_type() const {
  if (triangular()) {
    return covariances_.rows() < classes() ? Covariance::kTied : Covariance::kFull;
  }
  return covariances_.shape.size() == 2 ? Covariance::kDiag : Covariance::kSpherical;
}

double GaussianMixture::variance(Index component, Index column) const {
  const Index f = static_cast<Index>(covariance_of(usize(component))), d = columns();
  const Index at = triangular()                    ? (f * d + column) * d + column
                   : covariances_.shape.size() > 1 ? f * d + column
                                                   : f;
  return covariances_.values[usize(at)];
}

void GaussianMixture::prepare() {
  const std::size_t k = usize(classes()), d = usize(columns());
  const std::size_t count = usize(covariances_.rows()), size = triangular() ? d * d : d;
  const std::size_t given = covariances_.values.size() / count;  // numbers for each covariance
  whiten_.resize(count * size);
  packed_.resize(triangular() ? count * packed_size(d) : 0);
  std::vector<double> log_determinant(count);
  for (std::size_t f = 0; f < count; ++f) {
    const std::span<const double> covariance =
        std::span(covariances_.values).subspan(f * given, given);
    const std::span<double> factor = std::span(whiten_).subspan(f * size, size);
    bool definite = true;
    if (triangular()) {
      std::copy(covariance.begin(), covariance.end(), factor.begin());
      definite = cholesky(factor, static_cast<Index>(d));
      if (definite) invert_lower(factor, static_cast<Index>(d));
    } else {
      for (std::size_t j = 0; j < d; ++j) {
        const double v = covariance[given > 1 ? j : 0];
        definite = definite && v > 0;
        factor[j] = 1 / std::sqrt(v);
      }
    }
    for (std::size_t j = 0; j < d; ++j) {
      log_determinant[f] += std::log(factor[triangular() ? j * d + j : j]);
    }
    definite = definite && std::isfinite(log_determinant[f]) &&
               std::all_of(factor.begin(), factor.end(), [](double v) { return std::isfinite(v); });
    if (!definite)
      fail_singular(f, covariance, triangular() ? static_cast<Index>(d) : 1, count < k);
    if (triangular()) pack_lower(factor.data(), d, &packed_[f * packed_size(d)]);
  }
  constant_.resize(k);
  for (std::size_t c = 0; c < k; ++c) {
    constant_[c] = std::log(weights_.values[c]) + log_determinant[covariance_of(c)] -
                   0.5 * static_cast<double>(d) * kLogTwoPi;
  }
}

GaussianMixture::Statistics GaussianMixture::statistics() const { return Statistics(*this); }

void GaussianMixture::predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const {
  for_each_row(*this, x, exec, [&](std::size_t row, std::size_t count, GaussianBlock& block) {
    for (std::size_t b = 0; b < count; ++b) {
      labels[row + b] = static_cast<std::int32_t>(block.best(b));
    }
  });
}

void GaussianMixture::predict_log_proba(Source& x, std::span<double> out, const Exec& exec) const {
  const std::size_t k = usize(classes());
  for_each_row(*this, x, exec, [&](std::size_t row, std::size_t count, GaussianBlock& block) {
    // (joint - top) - log sum exp(joint - top): far from everything joint is so large that the sum
    // of two terms would be lost beside it.
    for (std::size_t b = 0; b < count; ++b) {
      const double top = block.joint(block.best(b))[b];
      double* log_p = &out[(row + b) * k];
      double sum = 0;
      for (std::size_t c = 0; c < k; ++c) {
        log_p[c] = block.joint(c)[b] - top;
        sum += std::exp(log_p[c]);
      }
      const double log_sum = std::log(sum);
      for (std::size_t c = 0; c < k; ++c) log_p[c] -= log_sum;
    }
  });
}

void GaussianMixture::score_samples(Source& x, std::span<double> log_density,
                                    const Exec& exec) const {
  for_each_row(*this, x, exec, [&](std::size_t row, std::size_t count, GaussianBlock& block) {
    block.find_posterior();
    std::copy_n(block.log_density, count, &log_density[row]);
  });
}

double GaussianMixture::score(Source& x, const Exec& exec) const {
  return statistics_of(*this, x, exec).objective();
}

double GaussianMixture::entropy(Source& x, const Exec& exec) const {
  return statistics_of(*this, x, exec).entropy();
}

Sample GaussianMixture::sample(Index rows, std::uint64_t seed) const {
  const std::size_t d = usize(columns());
  std::vector<double> lower = covariances_.values;  // L of each covariance, where it has one
  for (std::size_t at = 0; triangular() && at < lower.size(); at += d * d) {
    CRATON_ASSERT(cholesky(std::span(lower).subspan(at, d * d), columns()));
  }
  Sample sample{{{rows, columns()}, std::vector<double>(usize(rows) * d)},
                std::vector<std::int32_t>(usize(rows))};
  std::vector<double> z(d);
  for (Index i = 0; i < rows; ++i) {
    Random random(seed, Purpose::kSample, 0, static_cast<std::uint64_t>(i));
    const Index c = random.categorical(weights_.values);
    sample.labels[usize(i)] = static_cast<std::int32_t>(c);
    for (double& v : z) v = random.normal();
    double* out = &sample.x.values[usize(i) * d];
    for (std::size_t j = 0; j < d; ++j) {
      out[j] = means_.values[usize(c) * d + j];
      if (triangular()) {
        const double* row = &lower[(covariance_of(usize(c)) * d + j) * d];
        for (std::size_t l = 0; l <= j; ++l) out[j] += row[l] * z[l];
      } else {
        out[j] += std::sqrt(variance(c, static_cast<Index>(j))) * z[j];
      }
    }
  }
  return sample;
}

Index GaussianMixture::free_parameters(const Options& options) const {
  const Index k = classes(), d = columns();
  const bool weights = options.weights == Weights::kEstimated && options.known_weights.empty();
  const Index of_covariance = triangular()                    ? d * (d + 1) / 2
                              : covariances_.shape.size() > 1 ? d
                                                              : 1;
  return (weights ? k - 1 : 0) + k * d +
         (options.known_covariances.empty() ? covariances_.rows() * of_covariance : 0);
}

std::vector<Parameter> GaussianMixture::parameters() const {
  return {
      {"weights", "the weight of each component; they sum to 1", weights_},
      {"means", "the mean of each component, one a row", means_},
      {"covariances",
       "the covariance of each component: k x d x d (full), k x d (diag), k (spherical), or one "
       "for all (tied)",
       covariances_}};
}

GaussianMixture GaussianMixture::from_parameters(std::span<const Parameter> parameters) {
  const Array& weights = get_parameter(parameters, "weights", std::array<Index, 1>{-1});
  const Index k = weights.rows();
  const Array& means = get_parameter(parameters, "means", std::array<Index, 2>{k, -1});
  const Index d = means.cols();
  const auto given = std::find_if(parameters.begin(), parameters.end(),
                                  [](const Parameter& p) { return p.name == "covariances"; });
  std::vector<Index> shape = given == parameters.end() ? std::vector<Index>{} : given->value.shape;
  const bool tied = shape == std::vector<Index>{1, d, d};
  shape = shape.size() == 1   ? std::vector<Index>{k}
          : shape.size() == 2 ? std::vector<Index>{k, d}
                              : std::vector<Index>{tied ? 1 : k, d, d};
  const Array& covariances = get_parameter(parameters, "covariances", shape);
  for (const Array* array : {&weights, &means, &covariances}) {
    const bool finite = std::all_of(array->values.begin(), array->values.end(),
                                    [](double v) { return std::isfinite(v); });
    if (array->empty() || !finite) fail_parameters("a parameter is empty or not finite");
  }
  check_weights(weights);
  if (shape.size() == 3) check_symmetric(covariances, d);
  try {
    return GaussianMixture(weights, means, covariances);
  } catch (const InputError& error) {
    fail_parameters(error.what());
  }
}

std::vector<SummaryTable> GaussianMixture::summary(const Schema& schema) const {
  const Index k = classes(), d = columns();
  SummaryTable means{"means (standard deviations)", {"component", "weight"}, {}};
  for (const std::string& name : schema.names()) means.header.push_back(name);
  for (Index c = 0; c < k; ++c) {
    std::vector<std::string> row{std::to_string(c),
                                 fmt::format("{:.4f}", weights_.values[usize(c)])};
    for (Index j = 0; j < d; ++j) {
      const double deviation = std::sqrt(variance(c, j));
      row.push_back(fmt::format("{} ({})",
                                shown_beside(means_.values[usize(c * d + j)], deviation, 4),
                                shown_beside(deviation, 0, 3)));
    }
    means.rows.push_back(std::move(row));
  }
  return {means};
}

}  // namespace craton
