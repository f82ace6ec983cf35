#include "craton/linear/regression_rows.h"

#include <fmt/core.h>

#include <bit>
#include <cmath>

#include "craton/base/hash.h"
#include "craton/base/random.h"
#include "craton/kernels/scratch.h"

namespace craton {
namespace {

template <class T>
void fill_rows(const Dense<T>& x, RowRange range, const RowFrame& frame, double* z) {
  const Index d = frame.columns(), stride = frame.width();
  const double *shift = frame.shift.data(), *unit = frame.unit.data();
  for (Index i = range.first; i < range.last; ++i, z += stride) {
    const T* const row = x.row(i);
    z[0] = 1;
    for (Index j = 0; j < d; ++j) z[1 + j] = (static_cast<double>(row[j]) - shift[j]) * unit[j];
  }
}

template <class T>
void fill_rows(const Sparse<T>& x, RowRange range, const RowFrame& frame, double* z) {
  const Index d = frame.columns(), stride = frame.width();
  const double *shift = frame.shift.data(), *unit = frame.unit.data();
  for (Index i = range.first; i < range.last; ++i, z += stride) {
    z[0] = 1;
    for (Index j = 0; j < d; ++j) z[1 + j] = -shift[j] * unit[j];
    for (Index e = x.offsets[i]; e < x.offsets[i + 1]; ++e) {
      const Index j = x.columns[e];
      z[1 + j] = (static_cast<double>(x.values[e]) - shift[j]) * unit[j];
    }
  }
}

template <class T>
double first_value(const Dense<T>& x, Index row) {
  return static_cast<double>(x.row(row)[0]);
}
template <class T>
double first_value(const Sparse<T>& x, Index row) {
  const Index at = x.offsets[row];
  return at < x.offsets[row + 1] && x.columns[at] == 0 ? static_cast<double>(x.values[at]) : 0;
}

std::uint64_t bits_of(double v) { return std::bit_cast<std::uint64_t>(v + 0.0); }  // -0 is 0

// Room for a block of rows. A thread keeps its own while that is small: room that is given back and
// taken again between sums that stay leaves holes in the heap, worth more than all of these sums.
class BlockRoom {
 public:
  explicit BlockRoom(std::size_t size) : large_(size > kKept ? size : 0) {
    thread_local Scratch kept(kKept);
    data_ = size > kKept ? large_.data() : kept.data();
  }
  double* data() { return data_; }

 private:
  static constexpr std::size_t kKept = usize(kBlockRows * 256);  // doubles: half a megabyte
  Scratch large_;
  double* data_;
};

// The power of two that brings a length near 1.
double unit_near(double length) {
  if (!(length > 0)) return 1;
  int exponent = 0;
  std::frexp(length, &exponent);
  return std::ldexp(1.0, -exponent);
}

}  // namespace

void for_row_blocks(const Chunk& chunk, const RowFrame& frame,
                    FunctionRef<void(const RowBlock&)> use) {
  const Index stride = frame.width(), last = stride - 1;
  BlockRoom z(usize(kBlockRows * stride));
  for (Index first = 0; first < chunk.rows(); first += kBlockRows) {
    const RowRange range{first, std::min(first + kBlockRows, chunk.rows())};
    std::visit([&](const auto& x) { fill_rows(x, range, frame, z.data()); }, chunk.x);
    for (Index i = 0; i < range.size(); ++i) {
      const double y = chunk.targets.empty() ? frame.shift.back() : chunk.targets[usize(first + i)];
      z.data()[i * stride + last] = (y - frame.shift.back()) * frame.unit.back();
    }
    const double* weights = chunk.weights.empty() ? nullptr : chunk.weights.data() + first;
    use({first, range.size(), z.data(), stride, weights});
  }
}

RowFrame RegressionColumns::frame() const {
  RowFrame frame;
  const std::vector<double> variance = features_.variance();
  for (Index j = 0; j < std::ssize(variance); ++j) {
    const double mean = features_.mean()[usize(j)], largest = features_.largest(j);
    // Only a column without any zero has an entry in every row.
    const bool zeros = features_.range(j) >= largest;
    const bool stay = features_.sparse() && zeros;
    frame.shift.push_back(stay ? 0 : mean);
    frame.unit.push_back(unit_near(std::sqrt(variance[usize(j)] + (stay ? mean * mean : 0))));
  }
  frame.shift.push_back(mean_);
  frame.unit.push_back(unit_near(std::sqrt(target_variance())));
  return frame;
}

void RegressionColumns::accumulate(const Chunk& chunk) {
  features_.accumulate(chunk);
  check_targets(chunk, *source_);
  for (Index i = 0; i < chunk.rows(); ++i) {
    const double y = chunk.targets[usize(i)], w = chunk.weight(i);
    if (w == 0) continue;
    target_weight_ += w;
    const double delta = y - mean_;
    mean_ += w / target_weight_ * delta;
    scatter_ += w * delta * (y - mean_);
    log_weight_ += std::log(w);
    low_ = std::min(low_, y);
    high_ = std::max(high_, y);
    const double first = std::visit([&](const auto& x) { return first_value(x, i); }, chunk.x);
    hash_ += mix(bits_of(y), mix(bits_of(w), bits_of(first)));
  }
}

std::uint64_t RegressionColumns::hash() const { return hash_number(features_.data_hash()) + hash_; }

void RegressionColumns::merge(const RegressionColumns& next) {
  features_.merge(next.features_);
  if (next.target_weight_ == 0) return;
  const double total = target_weight_ + next.target_weight_, share = next.target_weight_ / total;
  const double delta = next.mean_ - mean_;
  mean_ += share * delta;
  scatter_ += next.scatter_ + target_weight_ * share * delta * delta;
  target_weight_ = total;
  log_weight_ += next.log_weight_;
  hash_ += next.hash_;
  low_ = std::min(low_, next.low_);
  high_ = std::max(high_, next.high_);
}

void RegressionColumns::write(Writer& writer) const {
  features_.write(writer);
  for (const double v : {target_weight_, mean_, scatter_, log_weight_, low_, high_}) writer.put(v);
  writer.put(hash_);
}

void RegressionColumns::read(Reader& reader) {
  features_.read(reader);
  for (double* v : {&target_weight_, &mean_, &scatter_, &log_weight_, &low_, &high_}) {
    reader.get(*v);
  }
  reader.get(hash_);
}

void check_sizes(const RegressionColumns& columns, bool centred, const Source& x) {
  const ColumnStatistics& features = columns.features();
  const auto& target = x.schema().target;
  for (Index j = 0; j <= x.shape().cols; ++j) {
    const bool feature = j < x.shape().cols;
    const double range = feature ? features.range(j) : columns.target_range();
    const double size = centred ? range : feature ? features.largest(j) : columns.largest_target();
    if (size == 0 || (size >= kNarrowest && size <= kWidest)) continue;
    const bool wide = size > kWidest;
    const std::string name = feature ? x.schema().name(j) : target ? target->name : "target";
    throw InputError(wide ? Code::kNotFinite : Code::kNoSpread, {.file = x.name(), .column = name},
                     fmt::format("the values spread over {:g}, so their squares {}", size,
                                 wide ? "overflow" : "vanish"),
                     fmt::format("{} the column by a power of ten.", wide ? "Divide" : "Multiply"));
  }
}

RegressionColumns check_regression(Source& x, const Exec& exec) {
  check_some(x);
  const RegressionColumns result = fold(x, RegressionColumns(x), exec);
  check_total_weight(result.features().weight(), x);
  check_sizes(result, true, x);
  return result;
}

}  // namespace craton
