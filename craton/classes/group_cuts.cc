#include "craton/classes/group_cuts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "craton/kernels/algebra/linalg.h"

// Cost of a cut of n rows: n d^2 / 2 for the covariance, and n d and some hundred logarithms for
// each of at most 2 d + 1 directions, of which the best three are measured by the covariances of
// their sides.

namespace craton {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();
constexpr std::size_t kBins = 128;
constexpr double kWidth = 4;           // deviations on either side that the bins cover
constexpr double kThinnest = 1e-3;     // variance of a side, in that of its group: no spikes
constexpr double kRidge = 1e-6;        // of correlations, for groups that are flat
constexpr std::size_t kManyAxes = 64;  // more have no principal axes, which cost d^3
constexpr std::size_t kMeasured = 3;
constexpr double kLeastShare = 1e-3;  // of a group in the weight of a row

double n_log_n(double n) { return n > 0 ? n * std::log(n) : 0; }

struct Spread {
  double n = 0;
  std::vector<double> mean, scatter;  // d, and d x d (lower half) or d
};

// Rows by one number of each, in bins, with its sums.
struct Bin {
  double n = 0, sum = 0, square = 0;

  double variance() const { return square / n - sum / n * (sum / n); }
  Bin operator+(const Bin& b) const { return {n + b.n, sum + b.sum, square + b.square}; }
  Bin operator-(const Bin& b) const { return {n - b.n, sum - b.sum, square - b.square}; }
};

// A cut by one number of every row: far where it is above the threshold.
struct Plane {
  double gain = kNone, threshold = 0;
  double crossed = 0;  // rows next to it: where many planes gain alike, the one in a gap is meant
  std::vector<double> values;
};

// n log n of two sides beside that of the whole.
double parting(const Bin& a, const Bin& b) {
  return n_log_n(a.n) + n_log_n(b.n) - n_log_n(a.n + b.n);
}

// The rows of one group.
class Group {
 public:
  // z: one column after the other.
  Group(std::vector<double> z, std::vector<double> weights, std::size_t d, GroupShape shape)
      : rows_(weights.size()),
        d_(d),
        shape_(shape),
        z_(std::move(z)),
        weights_(std::move(weights)),
        all_(spread(weights_)),
        fit_(fit(all_, all_)) {}

  double weight() const { return all_.n; }

  // The likeliest planes and shells, the best first, by what they gain along their own direction.
  std::vector<Plane> planes(double least) const {
    std::vector<Plane> result;
    const auto add = [&](Plane plane) {
      if (plane.gain > kNone) result.push_back(std::move(plane));
    };
    for (std::size_t j = 0; j < d_; ++j) {
      add(across({column(j), column(j) + rows_}, least));
    }
    if (full() && d_ > 1 && d_ <= kManyAxes) {
      std::vector<double> whole = all_.scatter;
      for (std::size_t j = 0; j < d_; ++j) {
        for (std::size_t l = 0; l < j; ++l) whole[l * d_ + j] = whole[j * d_ + l];
      }
      const SymmetricEigen axes = eigen_symmetric(whole, static_cast<Index>(d_));
      for (std::size_t a = 0; a < d_; ++a) {
        std::vector<double> values(rows_);
        for (std::size_t j = 0; j < d_; ++j) {
          const double along = axes.vectors[j * d_ + a];
          for (std::size_t i = 0; i < rows_; ++i) values[i] += along * column(j)[i];
        }
        add(across(std::move(values), least));
      }
    }
    add(shell(least));
    const auto best = result.begin() + static_cast<Index>(std::min(kMeasured, result.size()));
    std::partial_sort(result.begin(), best, result.end(),
                      [](const Plane& a, const Plane& b) { return a.gain > b.gain; });
    result.erase(best, result.end());
    return result;
  }

  // By the covariances of both sides.
  double gain(const Plane& plane) const {
    std::vector<double> weights[2] = {weights_, weights_};
    for (std::size_t i = 0; i < rows_; ++i) weights[plane.values[i] <= plane.threshold][i] = 0;
    const Spread a = spread(weights[0]), b = spread(weights[1]);
    Spread within = all_;
    for (std::size_t i = 0; i < within.scatter.size(); ++i) {
      within.scatter[i] = a.scatter[i] + b.scatter[i];
    }
    return fit(a, within) + fit(b, within) - fit_;
  }

 private:
  bool full() const { return shape_ == GroupShape::kFull; }
  const double* column(std::size_t j) const { return &z_[j * rows_]; }

  Spread spread(const std::vector<double>& weights) const {
    Spread m{0, std::vector<double>(d_), std::vector<double>(full() ? d_ * d_ : d_)};
    for (const double w : weights) m.n += w;
    if (m.n == 0) return m;
    std::vector<double> weighted(rows_);
    for (std::size_t j = 0; j < d_; ++j) {
      const double* z = column(j);
      double sum = 0;
      for (std::size_t i = 0; i < rows_; ++i) sum += weights[i] * z[i];
      m.mean[j] = sum / m.n;
      for (std::size_t i = 0; i < rows_; ++i) weighted[i] = weights[i] * (z[i] - m.mean[j]);
      for (std::size_t l = full() ? 0 : j; l <= j; ++l) {
        const double* other = column(l);
        double product = 0;
        for (std::size_t i = 0; i < rows_; ++i) product += weighted[i] * (other[i] - m.mean[l]);
        m.scatter[full() ? j * d_ + l : j] = product;
      }
    }
    return m;
  }

  // n log n - n/2 log |S|. There are d + 2 rows more that are like all others, so that few rows do
  // not look flat.
  double fit(const Spread& of, const Spread& others) const {
    if (of.n == 0) return 0;
    const double d = static_cast<double>(d_), more = d + 2;
    std::vector<double> s(of.scatter.size());
    for (std::size_t i = 0; i < s.size(); ++i) {
      s[i] = (of.scatter[i] + more * others.scatter[i] / others.n) / (of.n + more);
    }
    double log_determinant = 0;
    if (full()) {
      for (std::size_t j = 0; j < d_; ++j) s[j * d_ + j] += kRidge;
      if (!cholesky(s, static_cast<Index>(d_))) return kNone;
      for (std::size_t j = 0; j < d_; ++j) log_determinant += 2 * std::log(s[j * d_ + j]);
    } else if (shape_ == GroupShape::kDiagonal) {
      for (const double v : s) log_determinant += std::log(v + kRidge);
    } else {
      double sum = 0;
      for (const double v : s) sum += v;
      log_determinant = d * std::log(sum / d + kRidge);
    }
    return n_log_n(of.n) - of.n / 2 * log_determinant;
  }

  // gain(near, far) of every threshold between two bins; the best.
  template <class Gain>
  Plane scan(std::vector<double> values, double low, double high, double least,
             const Gain& gain) const {
    Bin bins[kBins], all, near;
    const double scale = static_cast<double>(kBins) / (high - low);
    for (std::size_t i = 0; i < rows_; ++i) {
      const double v = values[i], w = weights_[i];
      const double at = std::clamp((v - low) * scale, 0.0, static_cast<double>(kBins - 1));
      Bin& bin = bins[static_cast<std::size_t>(at)];
      bin = bin + Bin{w, w * v, w * v * v};
    }
    for (const Bin& bin : bins) all = all + bin;
    Plane plane;
    for (std::size_t b = 0; b + 1 < kBins; ++b) {
      near = near + bins[b];
      const Bin far = all - near;
      if (near.n < least || far.n < least) continue;
      const double crossed = bins[b].n + bins[b + 1].n, g = gain(near, far) - crossed;
      if (!(g > plane.gain)) continue;
      plane.gain = g;
      plane.crossed = crossed;
      plane.threshold = low + static_cast<double>(b + 1) / scale;
    }
    plane.values = std::move(values);
    return plane;
  }

  Plane across(std::vector<double> values, double least) const {
    const double n = all_.n, d = static_cast<double>(d_);
    double sum = 0, square = 0, trace = 0;
    for (std::size_t i = 0; i < rows_; ++i) sum += weights_[i] * values[i];
    for (std::size_t i = 0; i < rows_; ++i) {
      values[i] -= sum / n;
      square += weights_[i] * values[i] * values[i];
    }
    if (!(square > 0)) return {};
    for (std::size_t j = 0; j < d_; ++j) trace += all_.scatter[full() ? j * d_ + j : j];
    const double v = square / n, reach = kWidth * std::sqrt(v);
    return scan(std::move(values), -reach, reach, least, [&](const Bin& a, const Bin& b) {
      if (shape_ == GroupShape::kBall) {  // they lose what lies between the sides
        const double apart = a.sum / a.n - b.sum / b.n;
        const double left = 1 - a.n * b.n / n * apart * apart / trace;
        return parting(a, b) - d * n / 2 * std::log(std::max(left, kThinnest));
      }
      const double va = std::max(a.variance() / v, kThinnest);
      const double vb = std::max(b.variance() / v, kThinnest);
      return parting(a, b) - 0.5 * (a.n * std::log(va) + b.n * std::log(vb));
    });
  }

  // By the distance from the middle, in units of the covariance of the group.
  Plane shell(double least) const {
    const double d = static_cast<double>(d_);
    std::vector<double> whiten = all_.scatter, square(rows_), y(rows_);
    for (double& v : whiten) v /= all_.n;
    if (full()) {
      for (std::size_t j = 0; j < d_; ++j) whiten[j * d_ + j] += kRidge;
      if (!cholesky(whiten, static_cast<Index>(d_))) return {};
      invert_lower(whiten, static_cast<Index>(d_));
    } else {
      double sum = 0;
      for (const double v : whiten) sum += v;
      for (double& v : whiten) {
        v = 1 / std::sqrt((shape_ == GroupShape::kBall ? sum / d : v) + kRidge);
      }
    }
    for (std::size_t j = 0; j < d_; ++j) {
      std::fill(y.begin(), y.end(), 0.0);
      for (std::size_t l = full() ? 0 : j; l <= j; ++l) {
        const double scale = whiten[full() ? j * d_ + l : j];
        for (std::size_t i = 0; i < rows_; ++i) y[i] += scale * (column(l)[i] - all_.mean[l]);
      }
      for (std::size_t i = 0; i < rows_; ++i) square[i] += y[i] * y[i];
    }
    for (double& v : square) v = std::sqrt(v);
    return scan(std::move(square), 0, 3 * std::sqrt(d), least, [&](const Bin& a, const Bin& b) {
      const double va = std::max(a.square / a.n / d, kThinnest);
      const double vb = std::max(b.square / b.n / d, kThinnest);
      return parting(a, b) - d / 2 * (a.n * std::log(va) + b.n * std::log(vb));
    });
  }

  std::size_t rows_, d_;
  GroupShape shape_;
  std::vector<double> z_, weights_;
  Spread all_;
  double fit_;
};

}  // namespace

GroupCuts::GroupCuts(const Array& x, const std::vector<double>& mean,
                     const std::vector<double>& unit, GroupShape shape)
    : rows_(usize(x.rows())), d_(usize(x.cols())), shape_(shape), z_(x.values) {
  for (std::size_t i = 0; i < z_.size(); ++i) z_[i] = (z_[i] - mean[i % d_]) / unit[i % d_];
}

GroupCut GroupCuts::best(std::span<const double> shares, double least) const {
  double most = 0;
  for (const double w : shares) most = std::max(most, w);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < rows_; ++i) {
    if (shares[i] > kLeastShare * most) rows.push_back(i);
  }
  std::vector<double> z(rows.size() * d_), weights(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    weights[i] = shares[rows[i]];
    for (std::size_t j = 0; j < d_; ++j) z[j * rows.size() + i] = z_[rows[i] * d_ + j];
  }
  const Group group(std::move(z), std::move(weights), d_, shape_);
  GroupCut cut{kNone, {}, {}};
  if (group.weight() < 2 * least || rows.size() < 2) return cut;
  const std::vector<Plane> planes = group.planes(least);
  const Plane* chosen = nullptr;
  for (const Plane& plane : planes) {
    const double gain = group.gain(plane);
    if (chosen != nullptr && !(gain - plane.crossed > cut.gain - chosen->crossed)) continue;
    cut.gain = gain;
    chosen = &plane;
  }
  for (std::size_t i = 0; i < rows.size() && chosen != nullptr; ++i) {
    (chosen->values[i] > chosen->threshold ? cut.far : cut.near).push_back(rows[i]);
  }
  return cut;
}

std::vector<std::int32_t> GroupCuts::divide(std::span<const double> weights, Index k) const {
  struct Part {
    double n;
    GroupCut cut;
  };
  double total = 0;
  for (const double w : weights) total += w;
  const double least = total / (8 * static_cast<double>(k));
  const auto part_of = [&](std::span<const std::size_t> rows) {
    std::vector<double> shares(rows_);
    double n = 0;
    for (const std::size_t i : rows) n += shares[i] = weights[i];
    return Part{n, best(shares, std::min(least, n / 4))};
  };
  // The one that gains most comes first; where none does, the largest.
  const auto before = [](const Part& a, const Part& b) {
    const double gain_a = std::max(a.cut.gain, 0.0), gain_b = std::max(b.cut.gain, 0.0);
    if (gain_a != gain_b) return gain_a > gain_b;
    return (a.cut.far.empty() ? 0 : a.n) > (b.cut.far.empty() ? 0 : b.n);
  };
  std::vector<std::int32_t> labels(rows_);
  std::vector<std::size_t> every(rows_);
  for (std::size_t i = 0; i < rows_; ++i) every[i] = i;
  std::vector<Part> parts{part_of(every)};
  while (std::ssize(parts) < k) {
    const auto chosen = std::min_element(parts.begin(), parts.end(), before);
    const GroupCut cut = std::move(chosen->cut);
    if (cut.far.empty()) break;
    for (const std::size_t i : cut.far) labels[i] = static_cast<std::int32_t>(parts.size());
    *chosen = part_of(cut.near);
    parts.push_back(part_of(cut.far));
  }
  return labels;
}

}  // namespace craton
