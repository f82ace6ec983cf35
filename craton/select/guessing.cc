#include "craton/select/guessing.h"

#include <algorithm>
#include <cmath>

#include "craton/select/cross_validation.h"

namespace craton {

std::optional<Guessing> find_guessing(Source& x, const Exec& exec) {
  const std::vector<std::int32_t> labels = labels_of(x, exec);
  if (labels.empty() || !x.schema().target) return std::nullopt;
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

}  // namespace craton
