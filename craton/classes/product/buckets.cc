#include "craton/classes/product/buckets.h"

#include <algorithm>
#include <cmath>

namespace craton {
namespace {

// Between two neighbours, and above the first even when no number lies between them.
double between(double a, double b) {
  const double middle = a + (b - a) / 2;
  return middle > a ? middle : b;
}

// One of the different values, with the weight of each class.
class Sorted {
 public:
  Sorted(std::span<const double> values, std::span<const double> weights,
         std::span<const std::int32_t> labels, Index classes)
      : classes_(usize(classes)) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool seen = labels.empty() || labels[i] >= 0;
      if (seen && !std::isnan(values[i]) && weight_of(weights, i) > 0) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    before_.resize(classes_);
    for (const std::size_t i : order) {
      if (values_.empty() || values_.back() != values[i]) {
        values_.push_back(values[i]);
        before_.insert(before_.end(), before_.end() - static_cast<Index>(classes_), before_.end());
      }
      const std::size_t c = labels.empty() ? 0 : static_cast<std::size_t>(labels[i]);
      before_[values_.size() * classes_ + c] += weight_of(weights, i);
    }
  }

  std::size_t size() const { return values_.size(); }
  double cut(std::size_t at) const { return between(values_[at - 1], values_[at]); }
  // The weight of class c in values [first, last).
  double weight(std::size_t first, std::size_t last, std::size_t c) const {
    return before_[last * classes_ + c] - before_[first * classes_ + c];
  }

  struct Entropy {
    double weight = 0, bits = 0;  // of the labels, a row
    double classes = 0;           // that are there
  };
  Entropy entropy(std::size_t first, std::size_t last) const {
    Entropy e;
    for (std::size_t c = 0; c < classes_; ++c) {
      const double w = weight(first, last, c);
      e.weight += w;
      e.classes += w > 0 ? 1 : 0;
    }
    for (std::size_t c = 0; c < classes_; ++c) {
      const double share = weight(first, last, c) / e.weight;
      if (share > 0) e.bits -= share * std::log2(share);
    }
    return e;
  }

 private:
  static double weight_of(std::span<const double> weights, std::size_t i) {
    return weights.empty() ? 1 : weights[i];
  }
  std::size_t classes_;
  std::vector<double> values_, before_;  // before_[v]: the classes of all values below v
};

// Is the information of a cut worth the bits that it takes to describe?
bool worth_it(const Sorted::Entropy& whole, const Sorted::Entropy& left,
              const Sorted::Entropy& right) {
  const double n = whole.weight;
  const double gain = whole.bits - (left.weight * left.bits + right.weight * right.bits) / n;
  const double delta =
      std::log2(std::pow(3, whole.classes) - 2) -
      (whole.classes * whole.bits - left.classes * left.bits - right.classes * right.bits);
  return n > 1 && gain > (std::log2(n - 1) + delta) / n;
}

// The cuts inside values [first, last), ascending.
void cut_by_labels(const Sorted& sorted, std::size_t first, std::size_t last,
                   std::vector<double>& cuts) {
  std::size_t best = 0;
  double least = INFINITY;
  for (std::size_t at = first + 1; at < last; ++at) {
    const auto left = sorted.entropy(first, at), right = sorted.entropy(at, last);
    const double bits = left.weight * left.bits + right.weight * right.bits;
    if (bits < least) {
      least = bits;
      best = at;
    }
  }
  if (best == 0) return;
  const auto whole = sorted.entropy(first, last);
  if (!worth_it(whole, sorted.entropy(first, best), sorted.entropy(best, last))) return;
  cut_by_labels(sorted, first, best, cuts);
  cuts.push_back(sorted.cut(best));
  cut_by_labels(sorted, best, last, cuts);
}

}  // namespace

std::vector<double> equal_width_cuts(double low, double high, Index buckets) {
  std::vector<double> cuts;
  for (Index b = 1; b < buckets; ++b) {
    const double share = static_cast<double>(b) / static_cast<double>(buckets);
    const double cut = low * (1 - share) + high * share;
    if (cut > (cuts.empty() ? low : cuts.back()) && cut < high) cuts.push_back(cut);
  }
  return cuts;
}

std::vector<double> equal_frequency_cuts(std::span<const double> values,
                                         std::span<const double> weights, Index buckets) {
  const Sorted sorted(values, weights, {}, 1);
  const auto below = [&](std::size_t at) { return sorted.weight(0, at, 0); };
  std::vector<double> cuts;
  std::size_t at = 0, last = 0;
  for (Index b = 1; b < buckets; ++b) {
    const double share = static_cast<double>(b) / static_cast<double>(buckets);
    const double wanted = below(sorted.size()) * share;
    while (at < sorted.size() && below(at + 1) <= wanted) ++at;
    std::size_t nearest = at;
    if (at < sorted.size() && below(at + 1) - wanted < wanted - below(at)) ++nearest;
    if (nearest <= last || nearest >= sorted.size()) continue;
    cuts.push_back(sorted.cut(nearest));
    last = nearest;
  }
  return cuts;
}

std::vector<double> label_cuts(std::span<const double> values, std::span<const double> weights,
                               std::span<const std::int32_t> labels, Index classes) {
  const Sorted sorted(values, weights, labels, classes);
  std::vector<double> cuts;
  if (sorted.size() > 1) cut_by_labels(sorted, 0, sorted.size(), cuts);
  return cuts;
}

}  // namespace craton
