#pragma once
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "craton/base/function_ref.h"
#include "craton/select/criteria.h"
#include "craton/select/cross_validation.h"
#include "craton/select/gap.h"
#include "craton/select/sweep.h"

// Which of several settings of a model to take. Those with a likelihood are compared by BIC, AIC or
// ICL (criteria.h), or by the likelihood of rows held out in 5 folds; clusters by how well they are
// parted: silhouette, Calinski-Harabasz, Davies-Bouldin, or the gap (gap.h).

namespace craton {

enum class ChooseBy {
  kBic,
  kAic,
  kIcl,
  kHeldOut,
  kSilhouette,
  kCalinskiHarabasz,
  kDaviesBouldin,
  kGap,
};

struct ChoiceCriterion {
  ChooseBy by;
  std::string_view name, shown_name;  // as typed; for people
  bool lower_is_better;
};

// Those that fit the model; the first is the usual one.
std::span<const ChoiceCriterion> choice_criteria(const ModelInfo& model);
// By name, "" for the usual one; else InputError (kBadOption).
const ChoiceCriterion& find_choice_criterion(const ModelInfo& model, const std::string& name);

// One setting, fitted and measured. Figures that were not asked for, or are not defined, are NaN.
struct SettingFit {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  Setting setting;
  Fitted fitted;
  Criteria criteria = {kNone, kNone, kNone, kNone};
  Estimate held_out = {kNone, kNone};  // mean log-likelihood of a row
  double silhouette = kNone, calinski_harabasz = kNone, davies_bouldin = kNone;
  Gap gap = {kNone, kNone};

  double value(ChooseBy by) const;
  // A component is flat: only its floor bounds the likelihood, and no criterion of it means
  // anything.
  bool flat() const;
};

// A clause of why a setting is the best, and what it suggests to do, which every surface says in
// its own words.
struct Reason {
  enum class Advice { kNone, kTryMore, kMeasureLabels, kMoreStarts };

  std::string text;
  Advice advice = Advice::kNone;
};

struct ModelChoice {
  ChoiceCriterion criterion;
  std::vector<SettingFit> fits;
  Index best = 0;
  std::vector<Reason> reasons;          // "the lowest BIC, 29.9 below the next (5 full): ..."
  std::vector<std::string> impossible;  // settings that there are too few rows for
  bool simplified = false;  // silhouettes are, to centres: there are too many rows for all pairs

  const SettingFit& chosen() const { return fits[usize(best)]; }
};

// Fits and measures every setting. By a criterion of the likelihood the best is the best of those
// that are not flat, if there are any; of held-out rows a flat component says nothing good, so
// there all count. Of equals it is the first. `next(i)` is called before setting i. InputError
// (kTooFewRows) when there are too few rows for all of them; (kBadOption) when the criterion does
// not go with labels, or with one cluster. requires settings of this model, and a criterion of it.
ModelChoice choose_model(const ModelInfo& model, Source& x, std::span<const Setting> settings,
                         const ChoiceCriterion& criterion, const Exec& exec,
                         FunctionRef<void(Index)> next);

}  // namespace craton
