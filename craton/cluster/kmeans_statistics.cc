#include <algorithm>

#include "craton/cluster/kmeans.h"

namespace craton {
KMeans::Statistics::Statistics(const KMeans& model, RowBounds* bounds, Pass pass,
                               const Frame* frame)
    : model_(&model),
      bounds_(bounds),
      pass_(pass),
      frame_(frame),
      share_(model.metric_ == Metric::kCosine ? 0.5 : 1),
      farthest_row_(usize(model.columns())) {
  CRATON_ASSERT(frame == nullptr || bounds != nullptr);
  if (frame != nullptr) {
    moved_ = frame->sums.zero();
  } else {
    weight_.resize(usize(model.classes()));
    sum_.resize(model.centers().values.size());
  }
}

double KMeans::Statistics::weight(std::size_t c) const {
  return frame_ != nullptr ? frame_->sums.weight(moved_, c) : weight_[c];
}

std::vector<double> KMeans::Statistics::weights() const {
  if (frame_ == nullptr) return weight_;
  std::vector<double> result;
  for (std::size_t c = 0; c < usize(frame_->sums.size()); ++c) result.push_back(weight(c));
  return result;
}

// The sum of w (x - centre) in column j of cluster c.
double KMeans::Statistics::sum_about_centre(std::size_t c, std::size_t j) const {
  const std::size_t at = c * usize(model_->columns()) + j;
  const double center = model_->centers().values[at];
  if (frame_ != nullptr) {
    return frame_->sums.sum(moved_, c, j) - weight(c) * (center - frame_->sums.origin()[j]);
  }
  return sparse_ ? sum_[at] - weight_[c] * center : sum_[at];
}

double KMeans::Statistics::objective() const {
  if (frame_ == nullptr) return -share_ * inertia_;
  const std::size_t d = usize(model_->columns());
  double explained = 0;
  for (std::size_t c = 0; c < usize(model_->classes()); ++c) {
    const double w = weight(c);
    double sum = 0;
    for (std::size_t j = 0; j < d; ++j) {
      const double delta = model_->centers().values[c * d + j] - frame_->sums.origin()[j];
      sum += delta * (2 * frame_->sums.sum(moved_, c, j) - w * delta);
    }
    explained += sum;
  }
  return -share_ * std::max(0.0, frame_->scatter - explained);
}

void KMeans::Statistics::merge(const Statistics& next) {
  moved_.merge(next.moved_);
  for (std::size_t c = 0; c < weight_.size(); ++c) weight_[c] += next.weight_[c];
  for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += next.sum_[i];
  sparse_ = sparse_ || next.sparse_;
  inertia_ += next.inertia_;
  changed_ += next.changed_;
  asked_ += next.asked_;
  spared_ += next.spared_;
  if (next.farthest_ > farthest_) {
    farthest_ = next.farthest_;
    farthest_row_ = next.farthest_row_;
  }
}

void KMeans::Statistics::write(Writer& writer) const {
  moved_.write(writer);
  for (const auto* values : {&weight_, &sum_, &farthest_row_}) writer.put(*values);
  for (const double value : {inertia_, farthest_}) writer.put(value);
  for (const Index count : {changed_, asked_, spared_, Index{sparse_}}) writer.put(count);
}

void KMeans::Statistics::read(Reader& reader) {
  moved_.read(reader);
  for (auto* values : {&weight_, &sum_, &farthest_row_}) reader.get(*values);
  for (double* value : {&inertia_, &farthest_}) reader.get(*value);
  Index sparse = 0;
  for (Index* count : {&changed_, &asked_, &spared_, &sparse}) reader.get(*count);
  sparse_ = sparse != 0;
}

Index KMeans::Statistics::words() const {
  return moved_.words() + std::ssize(weight_) + std::ssize(sum_) + std::ssize(farthest_row_) + 6;
}

}  // namespace craton
