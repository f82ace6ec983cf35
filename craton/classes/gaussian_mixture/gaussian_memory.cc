#include "craton/classes/gaussian_mixture/gaussian_memory.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace craton {

std::vector<Parameter> GaussianMixture::Statistics::arrays() const {
  const Index k = static_cast<Index>(k_), d = static_cast<Index>(d_);
  const Index words = static_cast<Index>(scatter_words_), f = std::ssize(scatter_) / words;
  return {{"totals",
           "of the weights, the log-likelihoods and the entropies of the rows",
           {{3}, {total_, log_likelihood_, entropy_}}},
          {"component_weights", "sum r", {{k}, weight_}},
          {"component_sums", "sum r (x - mean)", {{k, d}, sum_}},
          {"component_scatters",
           "sum r (x - mean)(x - mean)': its lower half by rows, or diagonal",
           {{f, words}, scatter_}}};
}

void GaussianMixture::Statistics::set(std::span<const Parameter> arrays) {
  const Index k = static_cast<Index>(k_), d = static_cast<Index>(d_);
  const Index words = static_cast<Index>(scatter_words_), f = std::ssize(scatter_) / words;
  const Array& totals = get_parameter(arrays, "totals", std::array<Index, 1>{3});
  const Array& weight = get_parameter(arrays, "component_weights", std::array<Index, 1>{k});
  const Array& sum = get_parameter(arrays, "component_sums", std::array<Index, 2>{k, d});
  const Array& scatter =
      get_parameter(arrays, "component_scatters", std::array<Index, 2>{f, words});
  for (const Array* array : {&totals, &weight, &sum, &scatter}) {
    if (std::all_of(array->values.begin(), array->values.end(),
                    [](double v) { return std::isfinite(v); }))
      continue;
    fail_parameters("a sum that it remembers is not finite");
  }
  double of_components = 0;
  for (const double w : weight.values) {
    if (w < 0) fail_parameters("it remembers a component of negative weight");
    of_components += w;
  }
  total_ = totals.values[0], log_likelihood_ = totals.values[1], entropy_ = totals.values[2];
  if (!(total_ > 0 && std::abs(of_components - total_) <= 1e-6 * total_)) {
    fail_parameters("the weights of the components that it remembers are not those of its rows");
  }
  weight_ = weight.values, sum_ = sum.values, scatter_ = scatter.values;
}

std::vector<Parameter> GaussianMemory::arrays() const {
  std::vector<Parameter> result = statistics.arrays();
  result.push_back({"columns", "the moments of the columns", columns.to_array()});
  return result;
}

GaussianMemory GaussianMemory::read(const GaussianMixture& model,
                                    std::span<const Parameter> arrays) {
  const Array& columns = get_parameter(arrays, "columns", std::array<Index, 1>{-1});
  GaussianMemory memory{ColumnStatistics::from_array(columns, model.columns()),
                        GaussianMixture::Statistics(model)};
  memory.statistics.set(arrays);
  return memory;
}

void GaussianMixture::check_memory(std::span<const Parameter> memory) const {
  GaussianMemory::read(*this, memory);
}

}  // namespace craton
