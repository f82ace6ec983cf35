#include "craton/cluster/distances.h"
#include "craton/cluster/kmeans.h"
#include "craton/core/columns.h"

namespace craton {

KMeans::Statistics::Statistics(const KMeans& model, std::span<const double> shift)
    : model_(&model),
      shift_(shift.begin(), shift.end()),
      weight_(usize(model.classes())),
      sum_(model.centers_.values.size()),
      farthest_row_(shift_.size()) {}

void KMeans::Statistics::accumulate(const Chunk& chunk) {
  visit_dense(chunk.x, [&](const auto& x) { add_rows(x, chunk); });
}

template <class T>
void KMeans::Statistics::add_rows(const Dense<T>& x, const Chunk& chunk) {
  Distances distances(model_->centers_);
  const std::size_t d = shift_.size();
  for (Index i = 0; i < x.rows; ++i) {
    const double w = chunk.weight(i);
    if (w == 0) continue;
    const T* row = x.row(i);
    distances.compute(row);
    const std::size_t c = distances.nearest();
    weight_[c] += w;
    for (std::size_t j = 0; j < d; ++j) {
      sum_[c * d + j] += w * (static_cast<double>(row[j]) - shift_[j]);
    }
    inertia_ += w * distances.squared[c];
    if (distances.squared[c] > farthest_) {
      farthest_ = distances.squared[c];
      farthest_row_.assign(row, row + d);
    }
  }
}

void KMeans::Statistics::merge(const Statistics& next) {
  for (std::size_t c = 0; c < weight_.size(); ++c) weight_[c] += next.weight_[c];
  for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += next.sum_[i];
  inertia_ += next.inertia_;
  if (next.farthest_ > farthest_) {
    farthest_ = next.farthest_;
    farthest_row_ = next.farthest_row_;
  }
}

void KMeans::Statistics::write(Writer& writer) const {
  for (const auto* values : {&weight_, &sum_, &farthest_row_}) writer.put(*values);
  writer.put(inertia_);
  writer.put(farthest_);
}

void KMeans::Statistics::read(Reader& reader) {
  for (auto* values : {&weight_, &sum_, &farthest_row_}) reader.get(*values);
  reader.get(inertia_);
  reader.get(farthest_);
}

Index KMeans::Statistics::words() const {
  return std::ssize(weight_) + std::ssize(sum_) + std::ssize(farthest_row_) + 2;
}

}  // namespace craton
