#include "craton/model/number_errors.h"

#include <cmath>

#include "craton/base/error.h"
#include "craton/engine/fold.h"
#include "craton/tables/columns.h"

namespace craton {
namespace {

// The scatter about the mean is merged as in Chan, Golub, LeVeque (tables/columns.h).
class ErrorSums {
 public:
  ErrorSums(const Source& x, std::span<const double> predicted) : x_(&x), predicted_(predicted) {}
  const NumberErrors& sums() const { return sums_; }

  void accumulate(const Chunk& chunk) {
    check_weights(chunk, *x_);
    check_targets(chunk, *x_);
    for (Index i = 0; i < chunk.rows(); ++i) {
      const double w = chunk.weight(i), y = chunk.targets[usize(i)];
      if (w == 0) continue;
      const double error = y - predicted_[usize(chunk.first_row + i)], delta = y - mean_;
      sums_.weight += w;
      mean_ += w / sums_.weight * delta;
      sums_.scatter += w * delta * (y - mean_);
      sums_.squared += w * error * error;
      sums_.absolute += w * std::abs(error);
    }
  }
  void merge(const ErrorSums& next) {
    if (next.sums_.weight == 0) return;
    const double total = sums_.weight + next.sums_.weight, share = next.sums_.weight / total,
                 delta = next.mean_ - mean_;
    mean_ += share * delta;
    sums_.scatter += next.sums_.scatter + sums_.weight * share * delta * delta;
    sums_.weight = total;
    sums_.squared += next.sums_.squared;
    sums_.absolute += next.sums_.absolute;
  }
  void write(Writer& w) const {
    w.put(sums_);
    w.put(mean_);
  }
  void read(Reader& r) {
    r.get(sums_);
    r.get(mean_);
  }
  Index words() const { return 5; }
  Merge merge_kind() const { return Merge::kTree; }

 private:
  const Source* x_;
  std::span<const double> predicted_;
  NumberErrors sums_;
  double mean_ = 0;
};

}  // namespace

double NumberErrors::r2() const {
  if (squared == 0) return 1;
  return scatter == 0 ? 0 : 1 - squared / scatter;
}

std::vector<Measure> NumberErrors::measures() const {
  return {{"r2", r2(), ScoreKind::kR2},
          {"mean squared error", squared / weight},
          {"mean absolute error", absolute / weight}};
}

NumberErrors number_errors(Source& x, std::span<const double> predicted, const Exec& exec) {
  CRATON_ASSERT(ssize(predicted) == x.shape().rows);
  const NumberErrors errors = fold(x, ErrorSums(x, predicted), exec).sums();
  if (x.shape().rows == 0) {
    throw InputError(Code::kNoRows, {.file = x.name()}, "there are no rows (0 samples)",
                     "Check that the file is the one you meant.");
  }
  check_total_weight(errors.weight, x);
  if (!std::isfinite(errors.squared) || !std::isfinite(errors.scatter)) {
    throw InputError(Code::kNotFinite, {.file = x.name()},
                     "predictions and targets lie so far apart that squares overflow",
                     "Look at the rows: they are not like those of the fit.");
  }
  return errors;
}

}  // namespace craton
