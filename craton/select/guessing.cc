#include "craton/select/guessing.h"

#include <algorithm>
#include <cmath>

#include "craton/engine/for_each.h"
#include "craton/select/cross_validation.h"
#include "craton/select/sum.h"

namespace craton {

std::optional<Guessing> find_guessing(Source& x, const Exec& exec) {
  const std::vector<std::int32_t> labels = labels_of(x, exec);
  if (labels.empty()) return std::nullopt;
  std::vector<double> count(x.schema().target->levels.size());
  double known = 0;
  for (const std::int32_t label : labels) {
    if (label < 0) continue;
    ++count[usize(label)];
    ++known;
  }
  if (known == 0) return std::nullopt;
  const auto most = std::max_element(count.begin(), count.end());
  Guessing result{static_cast<std::int32_t>(most - count.begin()), *most / known};
  for (const double n : count) {
    if (n > 0) result.log_loss -= n / known * std::log(n / known);
  }
  return result;
}

std::optional<MeanGuess> find_mean_guess(Source& x, const Exec& exec) {
  const std::vector<double> numbers = numbers_of(x, exec);
  Sum sum, weight, squares, distances;
  const auto each = [&](const auto& f) {
    for_rows(x, {.threads = 1}, [&](const Chunk& chunk) {
      for (Index i = 0; i < chunk.rows(); ++i) {
        f(chunk.weight(i), numbers[usize(chunk.first_row + i)]);
      }
    });
  };
  if (numbers.empty()) return std::nullopt;
  each([&](double w, double y) {
    sum += w * y;
    weight += w;
  });
  if (!(weight.value() > 0)) return std::nullopt;
  const double mean = sum.value() / weight.value();
  each([&](double w, double y) {
    squares += w * (y - mean) * (y - mean);
    distances += w * std::abs(y - mean);
  });
  return MeanGuess{mean, squares.value() / weight.value(), distances.value() / weight.value()};
}

}  // namespace craton
