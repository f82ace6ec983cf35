#pragma once
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "craton/model/registry.h"

// What every law needs: each registered model, with options and data that suit it.

namespace craton::laws {

// A table that owns everything, in double and in float (the same values: both hold them exactly).
struct Data {
  Index rows = 0, cols = 0;
  std::vector<double> x, weights;
  std::vector<float> x_float;
  std::vector<std::int32_t> labels = {};  // the group of each row
  std::vector<double> targets = {};       // its number, and
  bool numbers = false;                   // whether that is what is learned from

  Schema schema() const;
  MemorySource source() const;
  MemorySource float_source() const;
  Data rows_at(const std::vector<Index>& rows) const;  // weights dropped
  Data slice(Index first, Index last) const;
};

// The columns of such tables; their rows are labelled by group.
Schema labelled_schema(Index cols);

// Overlapping groups of rows in `cols` dimensions; values are positive multiples of 2^-10.
Data groups(Index rows, Index cols, std::uint64_t seed);

// The same, and whole numbers for a model that takes codes only; a model that learns from numbers
// has them as targets, sums of the columns and noise.
Data groups(const ModelInfo& model, Index rows, Index cols, std::uint64_t seed);

// Options that make a small, quick fit (Usage::small): three clusters or components, a few
// passes, and one family for all columns, so that parts of a table have the same.
std::vector<NamedOption> small_options(const ModelInfo& model);

// The same, of a model that takes missing values: Gaussians of full covariances do not.
std::vector<NamedOption> missing_options(const ModelInfo& model);

Fitted fit(const ModelInfo& model, Source& x, const Exec& exec = {});
Fitted fit(const ModelInfo& model, const Data& data, const Exec& exec = {});

// The label, or the number, that is predicted for each row; none: the model does neither.
std::vector<double> predicted(const Fitted& fitted, Source& x, const Exec& exec = {});

// The largest difference between parameters of the same name, relative to the largest value.
double difference(const Fitted& a, const Fitted& b);

// Runs the law for every registered model, with its name in every message.
template <class Law>
void for_every_model(const Law& law) {
  CHECK_FALSE(models().empty());
  for (const ModelInfo& model : models()) {
    const std::string name(model.name);
    CAPTURE(name);
    law(model);
  }
}

}  // namespace craton::laws
