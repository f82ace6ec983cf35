#include "craton/classes/gaussian_mixture/gaussian_exchange.h"

#include <algorithm>
#include <cmath>

#include "craton/kernels/algebra/linalg.h"

// Cost for n rows: n k^2 / 2 logarithms and k^2 / 2 determinants; and a cut of every component.

namespace craton {
namespace {

double n_log_n(double n) { return n > 0 ? n * std::log(n) : 0; }

// What joining costs in place and shape: the first three terms.
class Volumes {
 public:
  Volumes(const GaussianMixture& model, std::span<const double> n) : model_(model), n_(n) {
    const std::size_t d = usize(model.columns());
    const Array& s = model.covariances();
    for (Index c = 0; c < s.rows(); ++c) half_log_.push_back(half_log_determinant(covariance(c)));
    if (!tied()) return;
    whiten_ = covariance(0);
    cholesky(whiten_, static_cast<Index>(d));
    invert_lower(whiten_, static_cast<Index>(d));
    for (const double rows : n) total_ += rows;
  }

  double join(std::size_t a, std::size_t b) const {
    const std::size_t d = usize(model_.columns());
    const double n = n_[a] + n_[b], between = n_[a] * n_[b] / n;
    std::vector<double> apart(d);
    for (std::size_t j = 0; j < d; ++j) {
      apart[j] = model_.means().values[a * d + j] - model_.means().values[b * d + j];
    }
    if (tied()) {
      double distance = 0;
      for (std::size_t i = 0; i < d; ++i) {
        double y = 0;
        for (std::size_t j = 0; j <= i; ++j) y += whiten_[i * d + j] * apart[j];
        distance += y * y;
      }
      return total_ / 2 * std::log1p(between * distance / total_);
    }
    std::vector<double> s = covariance(static_cast<Index>(a));
    const std::vector<double> other = covariance(static_cast<Index>(b));
    for (std::size_t i = 0; i < s.size(); ++i) s[i] = (n_[a] * s[i] + n_[b] * other[i]) / n;
    for (std::size_t i = 0; i < d; ++i) {
      if (s.size() == d * d && d > 1) {
        for (std::size_t j = 0; j < d; ++j) s[i * d + j] += between / n * apart[i] * apart[j];
      } else {
        const bool ball = s.size() == 1;
        s[ball ? 0 : i] += between / n * apart[i] * apart[i] / (ball ? static_cast<double>(d) : 1);
      }
    }
    return n * half_log_determinant(std::move(s)) - n_[a] * half_log_[a] - n_[b] * half_log_[b];
  }

 private:
  bool tied() const { return model_.covariance_type() == GaussianMixture::Covariance::kTied; }

  std::vector<double> covariance(Index c) const {
    const Array& s = model_.covariances();
    const Index size = ssize(s.values) / s.rows();
    return {s.values.begin() + c * size, s.values.begin() + (c + 1) * size};
  }

  double half_log_determinant(std::vector<double> s) const {
    const std::size_t d = usize(model_.columns());
    double sum = 0;
    if (model_.covariances().shape.size() == 3) {
      if (!cholesky(s, static_cast<Index>(d))) return INFINITY;
      for (std::size_t j = 0; j < d; ++j) sum += std::log(s[j * d + j]);
      return sum;
    }
    for (const double v : s) sum += std::log(v) / 2;
    return s.size() == 1 ? static_cast<double>(d) * sum : sum;
  }

  const GaussianMixture& model_;
  std::span<const double> n_;
  std::vector<double> half_log_, whiten_;
  double total_ = 0;
};

struct Join {
  std::size_t a, b;
  double cost;
};

struct Exchange {
  const Join* join;
  std::size_t cut;
  double gain;
};

}  // namespace

std::vector<Shares> exchanges(const GaussianMixture& model, const Shares& shares,
                              const GroupCuts& cuts, Index most) {
  const std::size_t k = usize(model.classes()), rows = shares.size() / k;
  std::vector<double> n(k), overlap(k * k);
  for (std::size_t i = 0; i < rows; ++i) {
    const double* q = &shares[i * k];
    for (std::size_t a = 0; a < k; ++a) {
      n[a] += q[a];
      for (std::size_t b = 0; b < a && q[a] > 0; ++b) {
        if (q[b] > 0) overlap[a * k + b] += n_log_n(q[a] + q[b]) - n_log_n(q[a]) - n_log_n(q[b]);
      }
    }
  }
  const Volumes volumes(model, n);
  std::vector<Join> joins;
  for (std::size_t a = 0; a < k; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const double words = n_log_n(n[a]) + n_log_n(n[b]) - n_log_n(n[a] + n[b]);
      const double place = n[a] > 0 && n[b] > 0 ? volumes.join(a, b) : 0;
      joins.push_back({a, b, place + words + overlap[a * k + b]});
    }
  }
  std::vector<Exchange> found;
  std::vector<GroupCut> cut(k);
  for (std::size_t c = 0; c < k; ++c) {
    std::vector<double> of_group(rows);
    for (std::size_t i = 0; i < rows; ++i) of_group[i] = shares[i * k + c];
    const double least = static_cast<double>(rows) / (8 * static_cast<double>(k));
    cut[c] = cuts.best(of_group, std::min(least, n[c] / 4));
    if (!(cut[c].gain > 0)) continue;
    for (const Join& join : joins) {
      const double gain = cut[c].gain - join.cost;
      if (join.a != c && join.b != c && gain > 0) found.push_back({&join, c, gain});
    }
  }
  const auto end = found.begin() + std::min<Index>(most, std::ssize(found));
  std::partial_sort(found.begin(), end, found.end(),
                    [](const Exchange& x, const Exchange& y) { return x.gain > y.gain; });
  std::vector<Shares> result;
  for (auto exchange = found.begin(); exchange < end; ++exchange) {
    const auto [a, b, cost] = *exchange->join;
    Shares& next = result.emplace_back(shares);
    for (std::size_t i = 0; i < rows; ++i) {
      next[i * k + a] += next[i * k + b];
      next[i * k + b] = 0;
    }
    for (const std::size_t i : cut[exchange->cut].far) {
      std::swap(next[i * k + b], next[i * k + exchange->cut]);
    }
  }
  return result;
}

}  // namespace craton
