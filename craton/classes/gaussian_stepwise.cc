#include "craton/classes/gaussian_stepwise.h"

#include <cmath>
#include <utility>

namespace craton {

StepwiseGaussian::StepwiseGaussian(GaussianMixture model, const GaussianMixture::Options& options,
                                   const ColumnStatistics& columns, double power)
    : model_(std::move(model)),
      update_(options, columns),
      assignment_(options.assignment),
      power_(power) {
  CRATON_ASSERT(power > 0.5 && power <= 1);
}

double StepwiseGaussian::learn(Source& batch, const Exec& exec) {
  check_columns(batch, model_.columns());
  check_start("the model", model_.means(), check_table(batch, exec));
  auto statistics = fold(batch, GaussianMixture::Statistics(model_, assignment_), exec);
  const double objective = statistics.objective(), weight = statistics.total();
  const double step = std::pow(static_cast<double>(++batches_), -power_);
  const double before = std::exchange(rows_, rows_ + weight);
  // Sums over rows_ rows, of which the batch makes up the part `step`.
  statistics.scale(step * rows_ / weight);
  if (memory_) {
    memory_->scale((1 - step) * rows_ / before);
    memory_->merge(statistics);
  } else {
    memory_ = std::move(statistics);
  }
  const GaussianMixture old = model_;
  update_(model_, *memory_);
  memory_->recentre(old, model_);
  return objective;
}

}  // namespace craton
