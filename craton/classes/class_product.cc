#include "craton/classes/class_product.h"

#include <algorithm>
#include <cmath>

#include "craton/core/random.h"

namespace craton {

ClassProduct::ClassProduct(Array class_log_prior, std::vector<Feature> features,
                           std::vector<Parameters> parameters)
    : class_log_prior_(std::move(class_log_prior)),
      scores_(std::move(features), std::move(parameters), class_log_prior_.rows()),
      program_(class_log_prior_.values, scores_) {}

bool ClassProduct::operator==(const ClassProduct& other) const {
  return class_log_prior_ == other.class_log_prior_ && features() == other.features() &&
         scores_.parameters() == other.scores_.parameters();
}

void ClassProduct::joint(const Chunk& chunk, std::span<double> out) const {
  constexpr Index kRows = static_cast<Index>(kProgramRows);
  const std::size_t k = usize(classes());
  ProductBlock block(program_);
  for (Index first = 0; first < chunk.rows(); first += kRows) {
    const Index count = std::min(kRows, chunk.rows() - first);
    block.load(chunk.x, first, count);
    const double* const joint = block.find_joint();
    for (std::size_t b = 0; b < usize(count); ++b) {
      double* const row = &out[(usize(first) + b) * k];
      for (std::size_t z = 0; z < k; ++z) row[z] = joint[z * kProgramRows + b] + block.base()[b];
    }
  }
}

void ClassProduct::contributions(const Chunk& chunk, Index row, Index label,
                                 std::span<double> out) const {
  const Matrix one = slice(chunk.x, {row, row + 1});
  std::vector<double> terms(usize(classes()));
  out[0] = class_log_prior_.values[usize(label)];
  for (std::size_t j = 0; j < features().size(); ++j) {
    std::ranges::fill(terms, 0.0);
    scores_.add(j, one, terms);
    out[j + 1] = terms[usize(label)];
  }
}

Index ClassProduct::free_parameters() const {
  Index sum = 0;
  for (const Feature& f : features()) sum += classes() * f.family->free_parameters(f.levels);
  return sum;
}

Sample ClassProduct::sample(Index rows, std::uint64_t seed) const {
  const std::size_t d = features().size();
  Sample sample{{{rows, columns()}, std::vector<double>(usize(rows) * d)},
                std::vector<std::int32_t>(usize(rows))};
  std::vector<double> prior;
  for (const double log_p : class_log_prior_.values) prior.push_back(std::exp(log_p));
  for (std::size_t i = 0; i < usize(rows); ++i) {
    Random random(seed, Purpose::kSample, 0, i);
    const Index z = random.categorical(prior);
    sample.labels[i] = static_cast<std::int32_t>(z);
    for (std::size_t j = 0; j < d; ++j) {
      const Feature& feature = features()[j];
      double& value = sample.x.values[i * d + j];
      feature.family->sample(scores_.of(j, usize(z)), random, std::span(&value, 1));
      if (!feature.buckets) continue;
      const auto [from, to] = feature.ends(static_cast<Index>(value));
      value = from + (to - from) * random.uniform();
    }
  }
  return sample;
}

}  // namespace craton
