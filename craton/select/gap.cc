#include "craton/select/gap.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "craton/base/random.h"
#include "craton/density/density_passes.h"
#include "craton/tables/preparation.h"

namespace craton {
namespace {

constexpr Index kMostRows = 10'000;

// Rows that are uniform in a box.
Array uniform_rows(Index rows, std::span<const Extent> box, std::uint64_t seed, Index number) {
  Array x{{rows, ssize(box)}, {}};
  x.values.reserve(usize(rows) * box.size());
  Random random(seed, Purpose::kReference, static_cast<std::uint32_t>(number));
  for (Index i = 0; i < rows; ++i) {
    for (const Extent& side : box) {
      x.values.push_back(side.low + random.uniform() * (side.high - side.low));
    }
  }
  return x;
}

double log_spread(const FitReport& report, Index rows) {
  return std::log(-report.objective / static_cast<double>(rows));
}

}  // namespace

Gap find_gap(Source& x, const Fitted& fitted, Index references, std::uint64_t seed,
             const Exec& exec) {
  // Rows as the model sees them, and a model that sees them as they are.
  const std::vector<Extent> box = find_extents(*fitted.model->steps().over(x), exec);
  std::vector<NamedOption> options = fitted.options;
  std::erase_if(options, [](const NamedOption& option) { return is_preparation(option.first); });
  const Index rows = std::min(x.shape().rows, kMostRows);
  std::vector<double> logs;
  for (Index b = 0; b < references; ++b) {
    const Array table = uniform_rows(rows, box, seed, b);
    MemorySource source({.x = table.view()});
    logs.push_back(log_spread(fitted.info().fit(source, options, exec).report, rows));
  }
  const double count = static_cast<double>(references);
  double mean = 0, squares = 0;
  for (const double v : logs) mean += v / count;
  for (const double v : logs) squares += (v - mean) * (v - mean) / count;
  return {mean - log_spread(fitted.report, x.shape().rows), std::sqrt(squares * (1 + 1 / count))};
}

Index choose_by_gap(std::span<const Gap> gaps) {
  for (std::size_t k = 0; k + 1 < gaps.size(); ++k) {
    if (gaps[k].value >= gaps[k + 1].value - gaps[k + 1].error) return static_cast<Index>(k);
  }
  return std::ranges::max_element(gaps, {}, &Gap::value) - gaps.begin();
}

}  // namespace craton
