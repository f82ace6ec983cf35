#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "craton/core/fold.h"
#include "craton/core/order_statistics.h"

namespace craton {
namespace {

// All values, with their weights.
class ValueWeights {
 public:
  explicit ValueWeights(std::span<const Index> columns)
      : columns_(columns), weights_(columns.size()) {}

  double heaviest(std::size_t column) const {
    double best = NAN, most = 0;
    for (const auto& [value, weight] : weights_[column]) {
      if (weight > most) {
        best = value;
        most = weight;
      }
    }
    return best;
  }

  void accumulate(const Chunk& chunk) {
    std::vector<double> row(usize(shape_of(chunk.x).cols));
    for (Index i = 0; i < chunk.rows(); ++i) {
      if (chunk.weight(i) == 0) continue;
      std::visit([&](const auto& x) { copy_row(x, i, row.data()); }, chunk.x);
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        const double value = row[usize(columns_[c])] + 0.0;  // -0 is 0
        if (!std::isnan(value)) weights_[c][value] += chunk.weight(i);
      }
    }
  }
  void merge(const ValueWeights& next) {
    for (std::size_t c = 0; c < weights_.size(); ++c) {
      for (const auto& [value, weight] : next.weights_[c]) weights_[c][value] += weight;
    }
  }
  void write(Writer& writer) const {
    for (const auto& of_column : weights_) {
      std::vector<double> flat;
      for (const auto& [value, weight] : of_column) flat.insert(flat.end(), {value, weight});
      writer.put(flat);
    }
  }
  void read(Reader& reader) {
    for (auto& of_column : weights_) {
      std::vector<double> flat;
      reader.get(flat);
      of_column.clear();
      for (std::size_t i = 0; i < flat.size(); i += 2) of_column.emplace(flat[i], flat[i + 1]);
    }
  }
  Index words() const { return 2 * ssize(columns_); }
  Merge merge_kind() const { return Merge::kTree; }

 private:
  std::span<const Index> columns_;
  std::vector<std::map<double, double>> weights_;
};

}  // namespace

std::vector<double> most_frequent(Source& x, std::span<const Index> columns, const Exec& exec) {
  constexpr Index kMostValues = Index{1} << 22;  // in memory at once, if all differ
  const std::size_t at_once = usize(std::max<Index>(1, kMostValues / (x.shape().rows + 1)));
  std::vector<double> result;
  for (std::size_t c = 0; c < columns.size(); c += at_once) {
    const auto some = columns.subspan(c, std::min(at_once, columns.size() - c));
    const ValueWeights found = fold(x, ValueWeights(some), exec);
    for (std::size_t i = 0; i < some.size(); ++i) result.push_back(found.heaviest(i));
  }
  return result;
}

}  // namespace craton
