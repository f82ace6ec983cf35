#include <algorithm>

#include "craton/cluster/kmeans.h"

namespace craton {
KMeans::Statistics::Statistics(const KMeans& model, RowBounds* bounds, bool prune,
                               const Frame* frame, ChunkSums* chunk_sums)
    : model_(&model),
      bounds_(bounds),
      prune_(prune),
      frame_(frame),
      chunk_sums_(chunk_sums),
      share_(model.metric_ == Metric::kCosine ? 0.5 : 1),
      weight_(usize(model.classes())),
      sum_(model.centers().values.size()),
      farthest_row_(usize(model.columns())) {}

bool KMeans::Statistics::any_empty() const {
  return std::find(weight_.begin(), weight_.end(), 0.0) != weight_.end();
}

// The sum of w (x - centre) in column j of cluster c.
double KMeans::Statistics::sum_about_centre(std::size_t c, std::size_t j) const {
  const std::size_t at = c * usize(model_->columns()) + j;
  const double center = model_->centers().values[at];
  if (frame_ != nullptr) return sum_[at] - weight_[c] * (center - frame_->origin[j]);
  return sparse_ ? sum_[at] - weight_[c] * center : sum_[at];
}

double KMeans::Statistics::objective() const {
  if (frame_ == nullptr) return -share_ * inertia_;
  const std::size_t d = usize(model_->columns());
  double explained = 0;
  for (std::size_t c = 0; c < weight_.size(); ++c) {
    double sum = 0;
    for (std::size_t j = 0; j < d; ++j) {
      const double delta = model_->centers().values[c * d + j] - frame_->origin[j];
      sum += delta * (2 * sum_[c * d + j] - weight_[c] * delta);
    }
    explained += sum;
  }
  return -share_ * std::max(0.0, frame_->scatter - explained);
}

void KMeans::Statistics::merge(const Statistics& next) {
  for (std::size_t c = 0; c < weight_.size(); ++c) weight_[c] += next.weight_[c];
  for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += next.sum_[i];
  sparse_ = sparse_ || next.sparse_;
  inertia_ += next.inertia_;
  rows_ += next.rows_;
  changed_ += next.changed_;
  spared_ += next.spared_;
  if (next.farthest_ > farthest_) {
    farthest_ = next.farthest_;
    farthest_row_ = next.farthest_row_;
  }
}

void KMeans::Statistics::write(Writer& writer) const {
  for (const auto* values : {&weight_, &sum_, &farthest_row_}) writer.put(*values);
  for (const double value : {inertia_, farthest_}) writer.put(value);
  for (const Index count : {rows_, changed_, spared_, Index{sparse_}}) writer.put(count);
}

void KMeans::Statistics::read(Reader& reader) {
  for (auto* values : {&weight_, &sum_, &farthest_row_}) reader.get(*values);
  for (double* value : {&inertia_, &farthest_}) reader.get(*value);
  Index sparse = 0;
  for (Index* count : {&rows_, &changed_, &spared_, &sparse}) reader.get(*count);
  sparse_ = sparse != 0;
}

Index KMeans::Statistics::words() const {
  return std::ssize(weight_) + std::ssize(sum_) + std::ssize(farthest_row_) + 6;
}

}  // namespace craton
