#include "craton/kernels/smoothing/tensor_cells.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "craton/base/error.h"
#include "craton/kernels/smoothing/gaussian_series.h"
#include "craton/kernels/smoothing/point_weights.h"
#include "craton/kernels/smoothing/tensor_series.h"

// Moments of n points cost O(n p^d), a polynomial O(d p^(d+1) reach) where the cells around have
// one too, and a sum O(p^d).

namespace craton {
namespace {

constexpr double kRounding = 0x1p-53;
// Cells have numbers up to this, and widths of 10 bits: their centres are exact, and where a point
// lies is right to kSlack cells. Polynomials are those of half of that, so that points beyond are
// further away than they reach.
constexpr double kFarthestCell = 0x1p42, kWidthUnit = 0x1p-10, kSlack = 0x1p-9;
// Sides of cells, in bandwidths. Narrower ones cost more than a higher order.
constexpr double kWidestCell = 2, kNarrowestCell = 0.9;
// What the errors of all cells around add up to beside the sum, in units of that of one.
constexpr double kErrorSpread[] = {24, 96};
// What is left out, beside a single point: the share of rtol.
constexpr double kLeftOut = 1.0 / 16;
// Fewer points are summed sooner than their cells are made.
constexpr Index kFewest = 1024;
// A polynomial pays when it takes at most so many multiply-adds for each point of its cell.
constexpr double kMostWork = 16384;
// Points of a line of cells that are added up before the others.
constexpr Index kSegment = 1024;
// All tensors may have so many numbers, or so many for each coordinate. Two columns need about one.
constexpr Index kLeastMemory = Index{1} << 20, kMostMemory = 3;

// The side of the widest cells whose series leaves out at most `rest`.
double widest_cell(std::size_t order, double rest) {
  double low = 0, high = kWidestCell;
  if (series_rest(order, high) <= rest) return high;
  for (int step = 0; step < 30; ++step) {
    const double middle = (low + high) / 2;
    (series_rest(order, middle) <= rest ? low : high) = middle;
  }
  return low;
}

double rounded_down(double width) {
  int exponent = 0;
  const double fraction = std::frexp(width, &exponent);
  return std::ldexp(std::floor(fraction / kWidthUnit) * kWidthUnit, exponent);
}

// A cell that is left in all columns, or a line of cells along some.
struct TensorPart {
  CellKey key;
  const double* tensor;
  double weight;  // sum_i w_i prod_j f_j over those columns
};

// use(range): those that are equal in `column`.
template <class Use>
void for_groups(std::span<const CellKey> keys, RowRange all, std::size_t column, const Use& use) {
  for (RowRange group{all.first, all.first}; group.first < all.last; group.first = group.last) {
    const Index number = keys[usize(group.first)][column];
    while (group.last < all.last && keys[usize(group.last)][column] == number) ++group.last;
    use(group);
  }
}

}  // namespace

class TensorCells::Builder {
 public:
  Builder(TensorCells& cells, const Dense<double>& points, std::span<const double> weights,
          double rtol)
      : cells_(cells),
        points_(points),
        weights_(weights),
        columns_(cells.widths_.size()),
        rtol_(rtol) {
    make_series();
  }
  // False when cells do not pay, or sums of so many points are not within rtol.
  bool find_cells();
  bool choose_polynomials();
  void run(RunTasks tasks);

 private:
  struct Cell {
    CellKey key;
    Index points;
    std::int32_t id;  // in all_
  };
  struct Line {
    Index first = 0, points = 0;  // of points_
    Index segment = kSegment;     // of them
    Index moments = 0, needed = 0;
  };
  // What a task needs: of each column, tensors of lines of cells.
  struct Work {
    std::array<std::vector<double>, kMostTensorColumns> tensors;
  };

  void make_series();
  void find_error(Index added);
  template <class Source, class Use>
  void for_near(std::span<const Source> sources, std::span<const CellKey> targets,
                std::size_t column, const Use& use) const;
  double mark_needed(std::span<const CellKey> targets, std::vector<bool>& needed) const;
  void add_line(const Line& line, double* moments) const;
  void translate(std::span<const TensorPart> sources, RowRange targets, std::size_t column,
                 Work& work);

  TensorCells& cells_;
  const Dense<double>& points_;
  std::span<const double> weights_;
  std::size_t columns_;
  double rtol_;
  std::vector<Index> reach_;                         // of each column, in cells
  std::vector<std::vector<double>> tables_, falls_;  // of cells -reach, ..., reach apart
  double error_ = 0;                                 // of a sum, beside sum_i w_i prod_j f_j
  double left_out_ = 0;                              // and what no cell has

  CellTable all_;
  std::vector<std::int32_t> cell_of_;  // of each point; -1: it is too far away to have one
  std::vector<Line> lines_;            // of cells that are equal in column 0
  std::vector<Cell> sorted_;
  std::vector<Index> moments_of_;  // of each cell: which tensor; -1: they are not needed
  Index tensors_ = 0;              // of moments
};

void TensorCells::Builder::make_series() {
  const std::size_t order = cells_.order_;
  double all = 0, nearest = INFINITY;
  for (Index i = 0; i < points_.rows; ++i) all += weight_of(weights_, i);
  const double reach =
      std::sqrt(2 * std::log(static_cast<double>(points_.rows) / (kLeftOut * rtol_)));
  for (std::size_t j = 0; j < columns_; ++j) {
    const auto side = static_cast<long double>(cells_.widths_[j]) / cells_.bandwidths_[j];
    const auto cells = static_cast<Index>(std::ceil(reach / static_cast<double>(side)));
    std::vector<double> tables, falls;
    for (Index apart = -cells; apart <= cells; ++apart) {
      const auto g = gaussian_derivatives(static_cast<long double>(apart) * side, 2 * order);
      for (std::size_t b = 0; b < order; ++b) {
        for (std::size_t a = 0; a < order; ++a) tables.push_back(b % 2 == 0 ? g[a + b] : -g[a + b]);
      }
      const double between = std::abs(static_cast<double>(apart)) - 1 - kSlack;
      const double least = std::max(0.0, between) * static_cast<double>(side);
      falls.push_back(std::exp(-least * least / 4));
    }
    nearest = std::min(nearest, (static_cast<double>(cells) - kSlack) * static_cast<double>(side));
    reach_.push_back(cells);
    tables_.push_back(std::move(tables));
    falls_.push_back(std::move(falls));
  }
  left_out_ = 1.01 * std::exp(-nearest * nearest / 2) * all;
}

// `added`: how many numbers are added one by one to a moment. So are the parts of a contraction. A
// power takes three roundings a step.
void TensorCells::Builder::find_error(Index added) {
  const auto order = static_cast<double>(cells_.order_);
  double log_rest = 0, terms = 1;
  double roundings =
      static_cast<double>(added) + static_cast<double>(cells_.tensor_ / cells_.order_) + order + 16;
  for (std::size_t j = 0; j < columns_; ++j) {
    const double side = cells_.widths_[j] * cells_.per_bandwidth_[j] * (1 + 2 * kSlack);
    log_rest += std::log1p(series_rest(cells_.order_, side));
    terms *= series_terms(side);
    roundings += 12 * order + static_cast<double>(2 * reach_[j] + 1) * order + 4;
  }
  error_ = 1.01 * (std::expm1(log_rest) + kRounding * roundings * terms);
}

bool TensorCells::Builder::find_cells() {
  const Index n = points_.rows;
  cell_of_.assign(usize(n), -1);
  std::vector<Index> points;
  for (Index i = 0; i < n; ++i) {
    const std::optional<CellKey> key = cells_.cell_of(points_.row(i));
    if (!key) continue;
    const std::int32_t id = cell_of_[usize(i)] = all_.add(*key);
    if (id == std::ssize(points)) {
      if (id == 0 || all_.keys()[usize(id - 1)][0] != (*key)[0]) lines_.push_back({.first = i});
      points.push_back(0);
      lines_.back().segment = std::max(kSegment, 4 * ++lines_.back().needed);
      if (4 * all_.size() > n) return false;
    }
    ++points[usize(id)];
    lines_.back().points = i + 1 - lines_.back().first;
  }
  for (std::size_t id = 0; id < points.size(); ++id) {
    sorted_.push_back({all_.keys()[id], points[id], static_cast<std::int32_t>(id)});
  }
  std::ranges::sort(sorted_, {}, &Cell::key);
  Index added = 0;
  for (const Line& line : lines_) {
    added = std::max(added, std::min(line.points, line.segment) + line.points / line.segment + 1);
  }
  find_error(added);
  return error_ * kErrorSpread[columns_ - 2] <= static_cast<double>(columns_ + 1) * rtol_;
}

// use(source, how many cells before the targets): the sources that are near enough in `column`, in
// which all targets are equal, and near one of them in the next.
template <class Source, class Use>
void TensorCells::Builder::for_near(std::span<const Source> sources,
                                    std::span<const CellKey> targets, std::size_t column,
                                    const Use& use) const {
  const Index at = targets.front()[column], reach = reach_[column];
  const auto number = [&](const Source& source) { return source.key[column]; };
  auto source = std::ranges::lower_bound(sources, at - reach, {}, number);
  for (; source != sources.end() && number(*source) <= at + reach; ++source) {
    if (column + 1 < columns_) {
      const Index next = source->key[column + 1], around = reach_[column + 1];
      const auto near = std::ranges::lower_bound(
          targets, next - around, {}, [&](const CellKey& key) { return key[column + 1]; });
      if (near == targets.end() || (*near)[column + 1] > next + around) continue;
    }
    use(*source, at - number(*source));
  }
}

// The cells whose moments are needed; and about how many tensors are contracted.
double TensorCells::Builder::mark_needed(std::span<const CellKey> targets,
                                         std::vector<bool>& needed) const {
  needed.assign(sorted_.size(), false);
  double contracted = static_cast<double>(std::ssize(targets) * (2 * reach_.back() + 1));
  for_groups(targets, {0, std::ssize(targets)}, 0, [&](RowRange group) {
    for_near(std::span<const Cell>(sorted_),
             targets.subspan(usize(group.first), usize(group.size())), 0,
             [&](const Cell& source, Index) {
               needed[usize(&source - sorted_.data())] = true;
               contracted += static_cast<double>(columns_ - 1);
             });
  });
  return contracted;
}

bool TensorCells::Builder::choose_polynomials() {
  const Index n = points_.rows, columns = std::ssize(reach_);
  const auto tensor = static_cast<double>(cells_.tensor_ * cells_.order_);
  const Index memory =
      std::max(kLeastMemory, kMostMemory * n * columns) / static_cast<Index>(cells_.tensor_);
  double least = tensor * static_cast<double>(columns * (2 * reach_[0] + 1)) / kMostWork;
  std::vector<CellKey> targets;
  std::vector<bool> needed;
  for (;; least *= 1.5) {
    targets.clear();
    Index covered = 0;
    for (const Cell& cell : sorted_) {
      const bool far = std::ranges::any_of(cell.key, [](Index number) {
        return std::abs(static_cast<double>(number)) >= kFarthestCell / 2;
      });
      if (far || static_cast<double>(cell.points) < least) continue;
      targets.push_back(cell.key);
      covered += cell.points;
    }
    if (2 * covered < n) return false;
    const double work = tensor * mark_needed(targets, needed);
    const Index tensors = std::ssize(targets) + std::ranges::count(needed, true);
    if (work <= kMostWork * static_cast<double>(n) && tensors <= memory) break;
  }
  for (const CellKey& key : targets) cells_.table_.add(key);
  moments_of_.assign(sorted_.size(), -1);
  std::size_t i = 0;
  for (Line& line : lines_) {
    const std::size_t cells = usize(std::exchange(line.needed, 0));
    line.moments = tensors_;
    for (const std::size_t last = i + cells; i < last; ++i) {
      if (!needed[i]) continue;
      moments_of_[usize(sorted_[i].id)] = tensors_++;
      ++line.needed;
    }
  }
  return true;
}

// The moments of one line of cells, which lie side by side from `moments` on. Those of a segment of
// its points are added up first, so that rounding does not grow with n.
void TensorCells::Builder::add_line(const Line& line, double* moments) const {
  constexpr std::size_t kTogether = 64;
  const std::size_t size = cells_.tensor_;
  std::vector<double> sums(line.points > line.segment ? usize(line.needed) * size : 0);
  double* const out = sums.empty() ? moments : sums.data();
  PointOfCell points[kTogether];
  for (Index begin = line.first, end; begin < line.first + line.points; begin = end) {
    end = std::min(begin + line.segment, line.first + line.points);
    std::size_t count = 0;
    for (Index i = begin; i < end; ++i) {
      const std::int32_t id = cell_of_[usize(i)];
      const Index at = id < 0 ? -1 : moments_of_[usize(id)];
      if (at < 0) continue;
      PointOfCell& point = points[count++];
      cells_.offsets(points_.row(i), all_.keys()[usize(id)], point.z);
      point.weight = weight_of(weights_, i);
      point.moments = out + usize(at - line.moments) * size;
      if (count < kTogether) continue;
      add_moments(cells_.order_, columns_, {points, count});
      count = 0;
    }
    add_moments(cells_.order_, columns_, {points, count});
    for (std::size_t k = 0; k < sums.size(); ++k) moments[k] += std::exchange(sums[k], 0.0);
  }
}

// The polynomials of `targets`, which are equal up to `column`, of what is left of the sources.
void TensorCells::Builder::translate(std::span<const TensorPart> sources, RowRange targets,
                                     std::size_t column, Work& work) {
  struct Near {
    const TensorPart* part;
    std::size_t apart;  // from -reach on
  };
  const std::span<const CellKey> keys = cells_.table_.keys();
  const std::size_t size = cells_.tensor_, table = cells_.order_ * cells_.order_;
  std::vector<Near> near;
  std::vector<SeriesPart> series;
  std::vector<TensorPart> lines;
  const auto sum = [&](std::size_t first, std::size_t last, double* out) {
    series.clear();
    double weight = 0;
    for (std::size_t k = first; k < last; ++k) {
      series.push_back({near[k].part->tensor, &tables_[column][near[k].apart * table]});
      weight += near[k].part->weight * falls_[column][near[k].apart];
    }
    contract(cells_.order_, columns_, series, out);
    return weight;
  };
  for_groups(keys, targets, column, [&](RowRange group) {
    near.clear();
    for_near(sources, keys.subspan(usize(group.first), usize(group.size())), column,
             [&](const TensorPart& part, Index apart) {
               near.push_back({&part, usize(apart + reach_[column])});
             });
    if (column + 1 == columns_) {
      double* const out = &cells_.coefficients_[usize(group.first) * size];
      cells_.errors_[usize(group.first)] = sum(0, near.size(), out) * error_ + left_out_;
      return;
    }
    const auto line_of = [&](const Near& a) {  // the columns that are left
      return column == 0 ? std::pair(a.part->key[1], a.part->key[2])
                         : std::pair(a.part->key[2], Index{0});
    };
    std::ranges::stable_sort(near, {}, line_of);
    std::size_t count = 1;
    for (std::size_t k = 1; k < near.size(); ++k) {
      if (line_of(near[k]) != line_of(near[k - 1])) ++count;
    }
    std::vector<double>& tensors = work.tensors[column];
    tensors.resize(count * size);
    lines.clear();
    for (std::size_t first = 0; first < near.size();) {
      std::size_t last = first + 1;
      while (last < near.size() && line_of(near[last]) == line_of(near[first])) ++last;
      double* const out = &tensors[lines.size() * size];
      const double weight = sum(first, last, out);
      lines.push_back({near[first].part->key, out, weight});
      first = last;
    }
    translate(lines, group, column + 1, work);
  });
}

void TensorCells::Builder::run(RunTasks tasks) {
  std::vector<double> moments(usize(tensors_) * cells_.tensor_);
  tasks(std::ssize(lines_), [&](Index i) {
    const Line& line = lines_[usize(i)];
    if (line.needed > 0) add_line(line, &moments[usize(line.moments) * cells_.tensor_]);
  });
  std::vector<TensorPart> sources;
  for (const Cell& cell : sorted_) {
    const Index at = moments_of_[usize(cell.id)];
    if (at < 0) continue;
    const double* const tensor = &moments[usize(at) * cells_.tensor_];
    sources.push_back({cell.key, tensor, tensor[0]});
  }
  const std::span<const CellKey> targets = cells_.table_.keys();
  cells_.coefficients_.resize(targets.size() * cells_.tensor_);
  cells_.errors_.resize(targets.size());
  std::vector<RowRange> groups;
  for_groups(targets, {0, std::ssize(targets)}, 0, [&](RowRange g) { groups.push_back(g); });
  tasks(std::ssize(groups), [&](Index group) {
    Work work;
    translate(sources, groups[usize(group)], 0, work);
  });
}

TensorCells::TensorCells(std::span<const double> bandwidths, const Dense<double>& points,
                         std::span<const double> weights, double rtol, RunTasks run)
    : bandwidths_(bandwidths.begin(), bandwidths.end()) {
  const std::size_t columns = bandwidths.size();
  CRATON_ASSERT(columns == 2 || columns == 3);
  for (Index i = 1; i < points.rows; ++i) CRATON_ASSERT(*points.row(i - 1) <= *points.row(i));
  if (points.rows < kFewest) return;
  double side = 0;
  while (side < kNarrowestCell) {
    order_ += order_ == 0 ? 8 : 4;
    if (order_ > kHighestOrder) return;
    side = widest_cell(order_, rtol / kErrorSpread[columns - 2]);
  }
  tensor_ = 1;
  for (const double h : bandwidths) {
    per_bandwidth_.push_back(1 / h);
    widths_.push_back(rounded_down(side * h));
    tensor_ *= order_;
  }
  Builder builder(*this, points, weights, rtol);
  if (builder.find_cells() && builder.choose_polynomials()) builder.run(run);
}

std::optional<CellKey> TensorCells::cell_of(const double* x) const {
  CellKey key{};
  for (std::size_t j = 0; j < widths_.size(); ++j) {
    const double number = std::floor(x[j] / widths_[j]);
    if (!(std::abs(number) < kFarthestCell)) return {};
    key[j] = static_cast<Index>(number);
  }
  return key;
}

// Where x lies about the centre of its cell, in bandwidths.
void TensorCells::offsets(const double* x, const CellKey& cell, double* out) const {
  for (std::size_t j = 0; j < widths_.size(); ++j) {
    const double centre = (static_cast<double>(cell[j]) + 0.5) * widths_[j];
    out[j] = (x[j] - centre) * per_bandwidth_[j];
  }
}

std::optional<TensorCells::Sum> TensorCells::at(const double* x) const {
  if (errors_.empty()) return {};
  const std::optional<CellKey> cell = cell_of(x);
  const std::int32_t found = cell ? table_.find(*cell) : -1;
  if (found < 0) return {};
  double t[kMostTensorColumns];
  offsets(x, *cell, t);
  return Sum{series_value(order_, widths_.size(), t, &coefficients_[usize(found) * tensor_]),
             errors_[usize(found)]};
}

}  // namespace craton
