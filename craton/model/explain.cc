#include "craton/model/explain.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "craton/base/error.h"
#include "craton/engine/for_each.h"

namespace craton {
namespace {

// The first of the largest that is not the label.
std::int32_t runner_up(std::span<const double> log_p, std::int32_t label) {
  std::int32_t best = label == 0 ? 1 : 0;
  for (std::int32_t c = best + 1; c < std::ssize(log_p); ++c) {
    if (c != label && log_p[usize(c)] > log_p[usize(best)]) best = c;
  }
  return best;
}

double odds(double a, double b) { return a == b ? 0 : a - b; }  // -inf - -inf says nothing

}  // namespace

void explain(const AnyModel& model, Source& x, std::int32_t other, const Exec& exec,
             FunctionRef<void(Index, const Explanation&)> use) {
  const std::size_t k = usize(model.classes()), d = usize(model.told_columns());
  if (!model.info().abilities.contributions) {
    throw InputError(
        Code::kNotAble, {},
        fmt::format("{} cannot say what each feature adds to a label", model.info().name),
        {"{} lists what each model can do.", Ref::verb("models")});
  }
  if (k < 2) {
    throw InputError(Code::kNotAble, {}, "the model has one label only: nothing speaks for it",
                     "Fit it on rows of two labels or more.");
  }
  if (other >= static_cast<std::int32_t>(k)) {
    throw InputError(Code::kBadOption, {}, fmt::format("there is no label number {}", other),
                     fmt::format("The model has {}: 0 to {}.", k, k - 1));
  }
  const std::size_t n = usize(x.shape().rows);
  std::vector<std::int32_t> labels(n);
  model.predict(x, labels, exec);
  std::vector<double> log_p(n * k);
  model.predict_log_proba(x, log_p, exec);
  const SteppedRows told = model.told_rows(x);
  for_rows(*told, exec, [&](const Chunk& chunk) {
    std::vector<double> mine(d + 1), others(d + 1), row(d);
    for (Index i = 0; i < chunk.rows(); ++i) {
      const std::size_t at = usize(chunk.first_row + i);
      const std::span<const double> p(&log_p[at * k], k);
      Explanation why{.label = labels[at], .other = other};
      if (other < 0) why.other = runner_up(p, why.label);
      model.contributions(chunk, i, why.label, mine);
      model.contributions(chunk, i, why.other, others);
      std::transform(mine.begin(), mine.end(), others.begin(), mine.begin(), odds);
      if (std::ranges::any_of(mine, [](double v) { return std::isnan(v); })) {
        throw InputError(Code::kNotFinite, x.place_of(chunk.first_row + i),
                         "what the features of the row say for a label overflows",
                         "Its values are too large: divide the columns by a power of ten.");
      }
      AnyModel::tell_row(chunk, i, row.data());
      why.log_p = p[usize(why.label)];
      why.log_p_other = p[usize(why.other)];
      why.prior = mine[0];
      why.x = row;
      why.log_odds = std::span<const double>(mine).subspan(1);
      use(static_cast<Index>(at), why);
    }
  });
}

}  // namespace craton
