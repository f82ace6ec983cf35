#include "craton/select/model_choice.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "craton/base/error.h"
#include "craton/select/silhouette.h"

namespace craton {
namespace {

constexpr Index kReferences = 20;      // tables that a gap is measured by
constexpr std::uint64_t kGapSeed = 0;  // of them: the same, whatever the seed of the fits
constexpr Index kMostPairs = 20'000;   // rows, for distances of all pairs

constexpr ChoiceCriterion kLikelihoods[] = {
    {ChooseBy::kBic, "bic", "BIC", true},
    {ChooseBy::kAic, "aic", "AIC", true},
    {ChooseBy::kIcl, "icl", "ICL", true},
    {ChooseBy::kHeldOut, "held-out", "held-out log-likelihood", false},
};
constexpr ChoiceCriterion kPartings[] = {
    {ChooseBy::kSilhouette, "silhouette", "silhouette", false},
    {ChooseBy::kCalinskiHarabasz, "calinski-harabasz", "Calinski-Harabasz", false},
    {ChooseBy::kDaviesBouldin, "davies-bouldin", "Davies-Bouldin", true},
    {ChooseBy::kGap, "gap", "gap", false},
};

// The lower, the better.
double cost(const SettingFit& fit, const ChoiceCriterion& criterion) {
  const double value = fit.value(criterion.by);
  return criterion.lower_is_better ? value : -value;
}

// Work on the way to figures is not shown.
Exec unseen(const Exec& exec) {
  Exec result = exec;
  result.progress = nullptr;
  return result;
}

// ---- Models with a likelihood

void check_labels(const ModelInfo& model, ChooseBy by) {
  if (!model.abilities.labels) return;
  if (by == ChooseBy::kHeldOut) {
    throw InputError(Code::kBadOption, {}, "labels of held-out rows say more than their density",
                     Ref::either(fmt::format("Give 'craton cv {} ... --grid pooling=0,1', which "
                                             "measures them.",
                                             model.name),
                                 "craton.select.search measures them."));
  }
  if (by == ChooseBy::kIcl) {
    throw InputError(Code::kBadOption, {}, "the labels are given, so ICL has no use",
                     {"Give {} or aic.", Ref::flag("criterion", "bic")});
  }
}

Estimate hold_out(const ModelInfo& model, Source& x, const Setting& setting, const Exec& exec) {
  const Folds split = split_plain(x.shape().rows, {});
  const Metric* const metric[] = {&find_metric("log-likelihood")};
  const Results folds = cross_validate(x, {&split, 1}, {&model, setting.options},
                                       {.metrics = metric}, exec, [](Index) {});
  return estimate(folds, 0);
}

SettingFit fit_likelihood(const ModelInfo& model, Source& x, const Setting& setting, double weight,
                          ChooseBy by, const Exec& exec) {
  SettingFit fit{setting, model.fit(x, setting.options, exec)};
  const FitReport& report = fit.fitted.report;
  // The objective of the fit may have a prior in it.
  const double score =
      model.abilities.labels ? report.objective : fit.fitted.model->score(x, unseen(exec));
  const double entropy = report.half_steps.empty() ? NAN : report.half_steps.back().entropy;
  fit.criteria = find_criteria(fit.fitted, score, weight, entropy);
  if (by == ChooseBy::kHeldOut) fit.held_out = hold_out(model, x, setting, exec);
  return fit;
}

void fit_likelihoods(const ModelInfo& model, Source& x, std::span<const Setting> settings,
                     ModelChoice& choice, const Exec& exec, FunctionRef<void(Index)> next) {
  const double weight = total_weight(x);
  for (Index i = 0; i < ssize(settings); ++i) {
    const Setting& setting = settings[usize(i)];
    next(i);
    try {
      choice.fits.push_back(fit_likelihood(model, x, setting, weight, choice.criterion.by, exec));
    } catch (const InputError& error) {
      if (error.code() != Code::kTooFewRows || setting.value <= 1) throw;
      choice.impossible.push_back(setting.name());
      if (i + 1 == ssize(settings) && choice.fits.empty()) throw;
    }
  }
}

bool passed_over(const SettingFit& fit, const ModelChoice& choice, bool all_flat) {
  return fit.flat() && !all_flat && choice.criterion.by != ChooseBy::kHeldOut;
}

void choose_by_likelihood(const ModelInfo& model, ModelChoice& choice) {
  const std::vector<SettingFit>& fits = choice.fits;
  const bool all_flat = std::ranges::all_of(fits, &SettingFit::flat);
  const ChoiceCriterion& criterion = choice.criterion;
  const auto best = std::ranges::min_element(fits, [&](const SettingFit& a, const SettingFit& b) {
    const bool a_out = passed_over(a, choice, all_flat), b_out = passed_over(b, choice, all_flat);
    return a_out == b_out ? cost(a, criterion) < cost(b, criterion) : b_out;
  });
  choice.best = best - fits.begin();

  const double lowest = cost(*best, criterion);
  const SettingFit* second = nullptr;
  std::vector<std::string> out;
  for (const SettingFit& fit : fits) {
    if (passed_over(fit, choice, all_flat)) {
      if (cost(fit, criterion) < lowest) out.push_back(fit.setting.name());
    } else if (&fit != &*best &&
               (second == nullptr || cost(fit, criterion) < cost(*second, criterion))) {
      second = &fit;
    }
  }
  const bool held_out = criterion.by == ChooseBy::kHeldOut;
  std::string why = fmt::format("the {} {}", held_out ? "highest" : "lowest", criterion.shown_name);
  if (second != nullptr && held_out) {
    why += fmt::format(" of a row, {:.2g} above the next ({}); the error of each is about {:.2g}",
                       cost(*second, criterion) - lowest, second->setting.name(),
                       best->held_out.error);
  } else if (second != nullptr) {
    const double difference = cost(*second, criterion) - lowest;
    why += fmt::format(", {:.1f} below the next ({})", difference, second->setting.name());
    if (criterion.by == ChooseBy::kBic) why += fmt::format(": {}", evidence(difference));
  }
  choice.reasons.push_back({std::move(why)});
  const auto value = [](const SettingFit& fit) { return fit.setting.value; };
  if (model.abilities.labels) {
    choice.reasons.push_back({"of the density of rows", Reason::Advice::kMeasureLabels});
  } else if (fits.size() > 1 && value(*best) == value(*std::ranges::max_element(fits, {}, value))) {
    choice.reasons.push_back(
        {"it is the most that was tried: more may be better", Reason::Advice::kTryMore});
  }
  if (!out.empty()) {
    choice.reasons.push_back(
        {fmt::format("passed over {}, where a component is flat and only its "
                     "floor bounds the likelihood",
                     listed(out))});
  }
}

// ---- Clusters

void measure_parting(SettingFit& fit, Source& x, ChooseBy by, const Exec& exec) {
  const Index n = x.shape().rows;
  std::vector<std::int32_t> labels(usize(n));
  fit.fitted.model->predict(x, labels, exec);
  const SteppedRows seen = fit.fitted.model->steps().over(x);  // whose distances the model goes by
  const ClusteredRows rows{*seen, labels, fit.fitted.model->classes()};
  if (rows.clusters > 1 && rows.clusters < n) {
    fit.silhouette = n <= kMostPairs ? silhouette(rows, exec) : simplified_silhouette(rows, exec);
    fit.calinski_harabasz = calinski_harabasz(rows, exec);
    fit.davies_bouldin = davies_bouldin(rows, exec);
  }
  if (by == ChooseBy::kGap) fit.gap = find_gap(x, fit.fitted, kReferences, kGapSeed, exec);
}

void fit_clusters(const ModelInfo& model, Source& x, std::span<const Setting> settings,
                  ModelChoice& choice, const Exec& exec, FunctionRef<void(Index)> next) {
  for (Index i = 0; i < ssize(settings); ++i) {
    next(i);
    try {
      SettingFit fit{settings[usize(i)], model.fit(x, settings[usize(i)].options, exec)};
      measure_parting(fit, x, choice.criterion.by, unseen(exec));
      choice.fits.push_back(std::move(fit));
    } catch (const InputError& error) {
      if (error.code() != Code::kTooFewRows || choice.fits.empty()) throw;
      for (const Setting& setting : settings.subspan(usize(i))) {  // which have more
        choice.impossible.push_back(setting.name());
      }
      return;
    }
  }
}

Index best_parting(const ModelChoice& choice) {
  const std::vector<SettingFit>& fits = choice.fits;
  if (choice.criterion.by == ChooseBy::kGap) {
    std::vector<Gap> gaps;
    for (const SettingFit& fit : fits) gaps.push_back(fit.gap);
    return choose_by_gap(gaps);
  }
  Index best = -1;
  for (Index i = 0; i < ssize(fits); ++i) {
    const double value = cost(fits[usize(i)], choice.criterion);
    if (std::isnan(value)) continue;
    if (best < 0 || value < cost(fits[usize(best)], choice.criterion)) best = i;
  }
  if (best >= 0) return best;
  throw InputError(Code::kBadOption, {},
                   fmt::format("one cluster has no {}", choice.criterion.name),
                   {"Give 2 clusters or more, or {}.", Ref::flag("criterion", "gap")});
}

std::string why_by_gap(const ModelChoice& choice) {
  const SettingFit& best = choice.chosen();
  const SettingFit& top = *std::ranges::max_element(
      choice.fits, {}, [](const SettingFit& fit) { return fit.gap.value; });
  if (&best == &choice.fits.back() && choice.fits.size() > 1) {
    return "the last: the gap still grows there, so more clusters may be better";
  }
  std::string why = "the fewest whose gap is within the error of the next one's";
  if (top.gap.value - top.gap.error > best.gap.value + best.gap.error) {
    why += fmt::format("; but it is {:.3f} at {}: there may be clusters within clusters",
                       top.gap.value, top.setting.name());
  }
  return why;
}

void choose_clusters(ModelChoice& choice) {
  choice.best = best_parting(choice);
  const ChoiceCriterion& criterion = choice.criterion;
  if (criterion.by == ChooseBy::kGap) {
    choice.reasons.push_back({why_by_gap(choice)});
    return;
  }
  const SettingFit& best = choice.chosen();
  const SettingFit* second = nullptr;
  for (const SettingFit& fit : choice.fits) {
    const double value = cost(fit, criterion);
    if (&fit == &best || std::isnan(value)) continue;
    if (second == nullptr || value < cost(*second, criterion)) second = &fit;
  }
  std::string why = fmt::format("the {} {}", criterion.lower_is_better ? "lowest" : "highest",
                                criterion.shown_name);
  if (second != nullptr) {
    why += fmt::format(" ({:.4g}; next {}: {:.4g})", std::abs(cost(best, criterion)),
                       second->setting.name(), std::abs(cost(*second, criterion)));
  }
  choice.reasons.push_back({std::move(why)});
  if (choice.fits.size() > 1 && &best == &choice.fits.back()) {
    choice.reasons.push_back({"it is the most that was tried: more may be better"});
  }
}

// More components, or clusters, fit the rows at least as well, up to what is left when a fit stops:
// one that does not has started badly.
void tell_bad_starts(ModelChoice& choice, Index rows) {
  constexpr double kLeft = 2e-3;  // of a mean log-likelihood, or of a share of a sum of squares
  if (choice.fits[0].setting.swept == "pooling") return;
  const bool clusters = sweeps_clusters(choice.fits[0].fitted.info());
  std::vector<std::string> fallen;
  for (std::size_t i = 1; i < choice.fits.size(); ++i) {
    const SettingFit& fit = choice.fits[i];
    const auto reached = [&](const SettingFit& of) {
      return clusters ? of.fitted.report.objective : of.criteria.log_likelihood;
    };
    const auto better = [&](const SettingFit& fewer) {
      const double left = kLeft * (clusters ? std::abs(reached(fewer)) : static_cast<double>(rows));
      return fewer.setting.kind == fit.setting.kind && fewer.setting.value < fit.setting.value &&
             reached(fit) < reached(fewer) - left;
    };
    if (std::any_of(choice.fits.begin(), choice.fits.begin() + static_cast<Index>(i), better)) {
      fallen.push_back(fit.setting.name());
    }
  }
  if (fallen.empty()) return;
  choice.reasons.push_back(
      {fmt::format("{} {} worse than with fewer {}, which only a bad start explains",
                   listed(fallen), fallen.size() == 1 ? "fits" : "fit",
                   clusters ? "clusters" : "components"),
       Reason::Advice::kMoreStarts});
}

}  // namespace

std::span<const ChoiceCriterion> choice_criteria(const ModelInfo& model) {
  return sweeps_clusters(model) ? kPartings : kLikelihoods;
}

const ChoiceCriterion& find_choice_criterion(const ModelInfo& model, const std::string& name) {
  const std::span<const ChoiceCriterion> all = choice_criteria(model);
  if (name.empty()) return all[0];
  std::vector<std::string> names;
  for (const ChoiceCriterion& criterion : all) {
    if (criterion.name == name) return criterion;
    names.emplace_back(criterion.name);
  }
  const std::string near = did_you_mean(name, names);
  throw InputError(
      Code::kBadOption, {}, fmt::format("criterion = '{}' is not allowed", name),
      fmt::format("Give one of {}.{}{}", listed(names), near.empty() ? "" : " ", near));
}

double SettingFit::value(ChooseBy by) const {
  switch (by) {
    case ChooseBy::kBic:
      return criteria.bic;
    case ChooseBy::kAic:
      return criteria.aic;
    case ChooseBy::kIcl:
      return criteria.icl;
    case ChooseBy::kHeldOut:
      return held_out.mean;
    case ChooseBy::kSilhouette:
      return silhouette;
    case ChooseBy::kCalinskiHarabasz:
      return calinski_harabasz;
    case ChooseBy::kDaviesBouldin:
      return davies_bouldin;
    case ChooseBy::kGap:
      return gap.value;
  }
  return kNone;
}

bool SettingFit::flat() const {
  return std::ranges::any_of(fitted.report.notes,
                             [](const Note& note) { return note.code == "covariance-floor"; });
}

ModelChoice choose_model(const ModelInfo& model, Source& x, std::span<const Setting> settings,
                         const ChoiceCriterion& criterion, const Exec& exec,
                         FunctionRef<void(Index)> next) {
  ModelChoice choice{.criterion = criterion, .fits = {}, .reasons = {}, .impossible = {}};
  if (sweeps_clusters(model)) {
    fit_clusters(model, x, settings, choice, exec, next);
    choice.simplified = x.shape().rows > kMostPairs;
    choose_clusters(choice);
  } else {
    check_labels(model, criterion.by);
    fit_likelihoods(model, x, settings, choice, exec, next);
    choose_by_likelihood(model, choice);
  }
  tell_bad_starts(choice, x.shape().rows);
  return choice;
}

}  // namespace craton
