#include "craton/classes/standardised.h"

#include <algorithm>
#include <utility>

#include "craton/core/columns.h"

namespace craton {

StandardisedSource::StandardisedSource(Source& source, std::vector<double> mean,
                                       std::vector<double> scale)
    : source_(&source), mean_(std::move(mean)), scale_(std::move(scale)) {
  CRATON_ASSERT(std::ssize(mean_) == shape().cols && std::ssize(scale_) == shape().cols);
}

void StandardisedSource::decode(Block& block, Chunk& chunk) const {
  source_->decode(block, chunk);
  const Index rows = block.range.size(), cols = shape().cols;
  // Values and weights may lie in the block itself, so the new ones are made beside them.
  std::vector<std::byte> made(usize(rows) * sizeof(double) + usize(rows * cols) * sizeof(float));
  auto* const weights = reinterpret_cast<double*>(made.data());
  auto* const values = reinterpret_cast<float*>(weights + rows);
  std::copy(chunk.weights.begin(), chunk.weights.end(), weights);
  visit_dense(chunk.x, [&](const auto& x) {
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < cols; ++j) {
        values[i * cols + j] = standardise(static_cast<double>(x.row(i)[j]), usize(j));
      }
    }
  });
  std::swap(block.decoded, made);
  chunk.x = Dense<float>{values, rows, cols, cols};
  if (!chunk.weights.empty()) chunk.weights = {weights, usize(rows)};
}

void StandardisedSource::gather(std::span<const Index> rows, std::span<double> out) {
  source_->gather(rows, out);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<double>(standardise(out[i], i % mean_.size()));
  }
}

std::unique_ptr<Source> StandardisedSource::reopen() const {
  std::unique_ptr<Source> own = source_->reopen();
  auto result = std::make_unique<StandardisedSource>(*own, mean_, scale_);
  result->owned_ = std::move(own);
  return result;
}

Array StandardisedSource::restore(Array rows) const {
  for (std::size_t i = 0; i < rows.values.size(); ++i) {
    const std::size_t j = i % mean_.size();
    rows.values[i] = mean_[j] + scale_[j] * rows.values[i];
  }
  return rows;
}

}  // namespace craton
