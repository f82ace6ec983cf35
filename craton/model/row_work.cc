#include "craton/model/row_work.h"

#include <limits>

#include "craton/base/error.h"
#include "craton/model/registry.h"

// The short way where the model has one, else the long way: a table of one row.

namespace craton {
namespace {

constexpr Exec kHere{.threads = 1};

MemorySource table_of(std::span<const double> row) {
  const Index d = ssize(row);
  return MemorySource({.x = Dense<double>{row.data(), 1, d, d}},
                      {.columns = {}, .target = std::nullopt, .unnamed = d});
}

}  // namespace

double* AnyModel::work_for(std::span<const double> row, RowWork& work) const {
  CRATON_ASSERT(work.size() >= row_work());
  return ssize(row) == columns() ? work.data() : nullptr;
}

std::int32_t AnyModel::predict_row(std::span<const double> row, RowWork& work) const {
  double* const own = work_for(row, work);
  std::int32_t label = own == nullptr ? -1 : try_predict(row.data(), own);
  if (label >= 0) return label;
  MemorySource x = table_of(row);
  predict(x, {&label, 1}, kHere);
  return label;
}

void AnyModel::predict_log_proba_row(std::span<const double> row, RowWork& work,
                                     std::span<double> out) const {
  CRATON_ASSERT(ssize(out) == classes());
  double* const own = work_for(row, work);
  if (own != nullptr && try_log_proba(row.data(), own, out.data())) return;
  MemorySource x = table_of(row);
  predict_log_proba(x, out, kHere);
}

double AnyModel::score_row(std::span<const double> row, RowWork& work) const {
  double* const own = work_for(row, work);
  double log_density =
      own == nullptr ? std::numeric_limits<double>::quiet_NaN() : try_score(row.data(), own);
  if (log_density == log_density) return log_density;
  MemorySource x = table_of(row);
  score_samples(x, {&log_density, 1}, kHere);
  return log_density;
}

}  // namespace craton
