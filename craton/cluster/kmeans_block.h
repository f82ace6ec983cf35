#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "craton/cluster/kmeans.h"
#include "craton/kernels/differences.h"

// Some rows of a chunk that a pass of k-means takes together: kmeans_block.cc.

namespace craton {

// Some rows of positive weight.
template <class Row>
struct KMeans::Statistics::Block final : BlockRoom::Any {
  std::vector<Row> rows;
  std::size_t first = 0;
  std::vector<std::size_t> numbers;  // in the table; none: first and those that follow
  std::vector<double> weights;       // none: all are 1
  std::vector<std::int32_t> labels;
  std::vector<double> squared;  // distances from their centres
  std::vector<Reach> reach;
  // Of those whose centre is in doubt:
  std::vector<Row> uncertain;
  std::vector<std::size_t> places;
  std::vector<std::int32_t> found;
  std::vector<std::uint64_t> doubtful;  // which parts of the centres
  std::vector<double> others;           // distances from parts at least
  // Those that changed their centre, once for the old one (of negative weight) and once for the
  // new one:
  std::vector<Row> moved;
  std::vector<std::int32_t> moved_labels;
  std::vector<double> moved_weights;

  void clear() {
    rows.clear();
    numbers.clear();
    weights.clear();
    moved.clear();
    moved_labels.clear();
    moved_weights.clear();
  }
  std::size_t number(std::size_t i) const { return numbers.empty() ? first + i : numbers[i]; }
  // The places of rows whose label is not that of before; how many. No branch: it would go either
  // way.
  std::size_t find_changed(const std::int32_t* before) {
    std::size_t left = 0;
    places.resize(rows.size());
    const auto ask = [&](std::size_t i, std::int32_t label) {
      places[left] = i;
      left += std::size_t{label != labels[i]};
    };
    if (numbers.empty()) {
      constexpr std::size_t kTogether = 32;  // mostly none of them changed
      for (std::size_t i = 0; i < rows.size(); i += kTogether) {
        const std::size_t last = std::min(i + kTogether, rows.size());
        if (std::equal(&labels[i], labels.data() + last, before + first + i)) continue;
        for (std::size_t at = i; at < last; ++at) ask(at, before[first + at]);
      }
    } else {
      for (std::size_t i = 0; i < rows.size(); ++i) ask(i, before[numbers[i]]);
    }
    return left;
  }
  void move(std::size_t i, std::int32_t label, double sign) {
    if (label < 0) return;
    if (moved.empty()) {
      moved.reserve(2 * rows.size());
      moved_labels.reserve(2 * rows.size());
      moved_weights.reserve(2 * rows.size());
    }
    moved.push_back(rows[i]);
    moved_labels.push_back(label);
    moved_weights.push_back(weights.empty() ? sign : sign * weights[i]);
  }
};

template <class Row>
LabelledRows<Row> KMeans::Statistics::labelled(std::span<const Row> rows,
                                               const std::int32_t* labels) const {
  return {rows, labels, model_->centers().values.data(), model_->columns(),
          model_->nearest_.squared_norms().data()};
}

}  // namespace craton
