#include "craton/tables/points.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "craton/base/error.h"
#include "craton/base/narrowest.h"
#include "craton/engine/fold.h"
#include "craton/tables/columns.h"

// A chunk is sorted by itself, and sorted runs are merged up the tree of the fold: O(n log n) in
// all.

namespace craton {
namespace {

bool is_whole(double weight) { return weight == std::floor(weight); }

// < 0, 0 or > 0, as row a comes before, with or after row b.
int compare(const double* a, const double* b, Index columns) {
  for (Index j = 0; j < columns; ++j) {
    if (a[j] != b[j]) return a[j] < b[j] ? -1 : 1;
  }
  return 0;
}

// Rows in order; of equal ones those of whole weight are one, which comes first, and the others
// follow by weight.
class SortedRows {
 public:
  // `targets`: of the rows of this table, each behind its row.
  explicit SortedRows(Index columns, const Source* targets = nullptr) : targets_(targets) {
    points_.columns = columns;
  }

  void accumulate(const Chunk& chunk) {
    const Index d = points_.columns;
    if (targets_ != nullptr) check_targets(chunk, *targets_);
    std::vector<double> values;
    std::vector<double> weights;
    values.reserve(usize(chunk.rows() * d));
    visit_dense(chunk.x, [&]<class T>(const Dense<T>& x) {
      for (Index i = 0; i < x.rows; ++i) {
        if (chunk.weight(i) == 0) continue;
        weights.push_back(chunk.weight(i));
        for (Index j = 0; j < x.cols; ++j) {
          values.push_back(static_cast<double>(x.row(i)[j]) + 0.0);  // -0 + 0 is 0
        }
        if (targets_ != nullptr) values.push_back(chunk.targets[usize(i)] + 0.0);
      }
    });
    std::vector<std::size_t> order(weights.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return before(&values[a * usize(d)], weights[a], &values[b * usize(d)], weights[b]);
    });
    SortedRows sorted(d);
    for (const std::size_t i : order) sorted.add(&values[i * usize(d)], weights[i]);
    merge(sorted);
  }

  void merge(const SortedRows& next) {
    if (points_.size() == 0) {
      points_ = next.points_;
      return;
    }
    SortedRows both(points_.columns);
    both.points_.rows.reserve(points_.rows.size() + next.points_.rows.size());
    both.points_.weights.reserve(points_.weights.size() + next.points_.weights.size());
    Index a = 0, b = 0;
    while (a < points_.size() || b < next.points_.size()) {
      const bool left =
          b == next.points_.size() ||
          (a < points_.size() && !before(next.row(b), next.weight(b), row(a), weight(a)));
      if (left) {
        both.add(row(a), weight(a));
        ++a;
      } else {
        both.add(next.row(b), next.weight(b));
        ++b;
      }
    }
    points_ = std::move(both.points_);
  }

  void write(Writer& writer) const {
    writer.put(points_.rows);
    writer.put(points_.weights);
  }
  void read(Reader& reader) {
    reader.get(points_.rows);
    reader.get(points_.weights);
  }
  Index words() const { return 4096 * points_.columns; }  // as of the longest chunk
  Merge merge_kind() const { return Merge::kTree; }

  // Every row once.
  Points distinct() && {
    Points all{points_.columns, {}, {}};
    all.rows.reserve(points_.rows.size());
    all.weights.reserve(points_.weights.size());
    const Index d = points_.columns;
    for (Index i = 0; i < points_.size(); ++i) {
      if (i > 0 && compare(row(i), row(i - 1), d) == 0) {
        all.weights.back() += weight(i);
      } else {
        all.rows.insert(all.rows.end(), row(i), row(i) + d);
        all.weights.push_back(weight(i));
      }
    }
    return all;
  }

  void add(const double* row, double weight) {
    const Index d = points_.columns, n = points_.size();
    const bool same = n > 0 && is_whole(weight) && is_whole(points_.weights.back()) &&
                      compare(this->row(n - 1), row, d) == 0;
    if (same) {
      points_.weights.back() += weight;
      return;
    }
    points_.rows.insert(points_.rows.end(), row, row + d);
    points_.weights.push_back(weight);
  }

 private:
  bool before(const double* a, double weight_a, const double* b, double weight_b) const {
    const int order = compare(a, b, points_.columns);
    if (order != 0) return order < 0;
    if (is_whole(weight_a) != is_whole(weight_b)) return is_whole(weight_a);
    return weight_a < weight_b;
  }
  const double* row(Index i) const { return &points_.rows[usize(i * points_.columns)]; }
  double weight(Index i) const { return points_.weights[usize(i)]; }

  const Source* targets_;  // for its messages, during the pass
  Points points_;
};

SortedRows sorted(const Points& points) {
  SortedRows result(points.columns);
  for (Index i = 0; i < points.size(); ++i) {
    result.add(points.view().row(i), points.weights[usize(i)]);
  }
  return result;
}

}  // namespace

double Points::weight() const { return std::accumulate(weights.begin(), weights.end(), 0.0); }

double Points::range(Index column) const {
  double low = INFINITY, high = -INFINITY;
  for (Index i = 0; i < size(); ++i) {
    low = std::min(low, view().row(i)[column]);
    high = std::max(high, view().row(i)[column]);
  }
  return high - low;
}

Points points_of(Source& x, const Exec& exec) {
  return fold(x, SortedRows(x.shape().cols), exec).distinct();
}

Points points_with_targets(Source& x, const Exec& exec) {
  return fold(x, SortedRows(x.shape().cols + 1, &x), exec).distinct();
}

Points merged(const Points& a, const Points& b) {
  SortedRows both = sorted(a);
  both.merge(sorted(b));
  return std::move(both).distinct();
}

Points without(const Points& a, const Points& b) {
  Points left{a.columns, {}, {}};
  Index taken = 0;
  for (Index i = 0; i < a.size(); ++i) {
    const double* const row = a.view().row(i);
    double weight = a.weights[usize(i)];
    if (taken < b.size() && compare(row, b.view().row(taken), a.columns) == 0) {
      weight -= b.weights[usize(taken++)];
    }
    if (weight < 0) break;
    if (weight == 0) continue;
    left.rows.insert(left.rows.end(), row, row + a.columns);
    left.weights.push_back(weight);
  }
  if (taken < b.size() || left.size() == 0) {
    throw InputError(Code::kBadTarget, {}, "the model has not seen all of these rows",
                     "Only rows that it was fitted on can be unlearned.");
  }
  return left;
}

NarrowNumbers::NarrowNumbers(std::span<const double> values) {
  const NarrowestValues narrow(values);
  const auto take = [&]<class T>(T) {
    std::vector<T> numbers(values.size());
    std::memcpy(numbers.data(), narrow.bytes.data(), narrow.bytes.size());
    values_ = std::move(numbers);
  };
  if (narrow.width == Width::kInt16) {
    take(std::int16_t{});
  } else if (narrow.width == Width::kFloat) {
    take(float{});
  } else {
    take(double{});
  }
}

std::vector<double> NarrowNumbers::wide() const {
  return std::visit(
      [](const auto& values) {
        std::vector<double> wide(values.size());
        std::ranges::transform(values, wide.begin(), [](auto v) { return widened(v); });
        return wide;
      },
      values_);
}

void NarrowNumbers::visit(ParameterVisitor& v, std::string_view name, std::string_view help,
                          std::span<const Index> shape) const {
  if (const auto* doubles = std::get_if<0>(&values_)) {
    v.doubles(name, help, shape, *doubles);
  } else if (const auto* floats = std::get_if<1>(&values_)) {
    v.floats(name, help, shape, *floats);
  } else {
    v.int16s(name, help, shape, std::get<2>(values_));
  }
}

Array wide_parameter(const ParameterList& parameters, std::string_view name,
                     std::span<const Index> shape) {
  const ParameterView* const found = parameters.find(name);
  if (found != nullptr) {
    if (std::holds_alternative<std::span<const float>>(found->elements)) {
      const auto values = parameters.floats(name, shape);
      return {found->shape, {values.begin(), values.end()}};
    }
    if (std::holds_alternative<std::span<const std::int16_t>>(found->elements)) {
      Array wide{found->shape, {}};
      for (const std::int16_t v : parameters.int16s(name, shape)) wide.values.push_back(widened(v));
      return wide;
    }
  }
  return parameters.doubles(name, shape).copy();
}

}  // namespace craton
