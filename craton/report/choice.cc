#include "craton/report/choice.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "craton/report/words.h"

namespace craton {
namespace {

using Cells = std::vector<std::string>;

std::string figure(double value, int digits = 4) {
  return std::isnan(value) ? "-" : fmt::format("{:.{}g}", value, digits);
}

std::string with_error(double value, double error) {
  return fmt::format("{:.4f} ± {:.4f}", value, error);
}

void append(Cells& to, const Cells& more) { to.insert(to.end(), more.begin(), more.end()); }

SummaryTable cluster_table(const ModelChoice& choice) {
  const bool gap = choice.criterion.by == ChooseBy::kGap;
  SummaryTable table{
      "", {"n_clusters", "objective", "silhouette", "Calinski-Harabasz", "Davies-Bouldin"}, {}};
  if (gap) table.header.emplace_back("gap");
  for (const SettingFit& fit : choice.fits) {
    Cells& row = table.rows.emplace_back();
    row = {fmt::format("{}", fit.setting.value), figure(fit.fitted.report.objective, 6),
           figure(fit.silhouette), figure(fit.calinski_harabasz), figure(fit.davies_bouldin)};
    if (gap) row.push_back(with_error(fit.gap.value, fit.gap.error));
  }
  return table;
}

SummaryTable likelihood_table(const ModelChoice& choice) {
  const SettingFit& best = choice.chosen();
  const bool held_out = choice.criterion.by == ChooseBy::kHeldOut;
  const bool icl = !std::isnan(best.criteria.icl);
  SummaryTable table{"",
                     {std::string(best.setting.swept), kind_option(best.fitted.info()),
                      "log-likelihood", "parameters"},
                     {}};
  append(table.header, held_out ? Cells{"held out, a row"} : Cells{"BIC", "AIC"});
  if (icl && !held_out) table.header.emplace_back("ICL");
  for (const SettingFit& fit : choice.fits) {
    const Criteria& c = fit.criteria;
    Cells& row = table.rows.emplace_back();
    row = {fmt::format("{}", fit.setting.value), fit.setting.kind,
           fmt::format("{:.2f}", c.log_likelihood), std::to_string(c.free_parameters)};
    if (held_out) {
      row.push_back(with_error(fit.held_out.mean, fit.held_out.error));
    } else {
      append(row, {fmt::format("{:.2f}", c.bic), fmt::format("{:.2f}", c.aic)});
      if (icl) row.push_back(fmt::format("{:.2f}", c.icl));
    }
  }
  return table;
}

}  // namespace

SummaryTable choice_table(const ModelChoice& choice) {
  const bool clusters = sweeps_clusters(choice.chosen().fitted.info());
  SummaryTable table = clusters ? cluster_table(choice) : likelihood_table(choice);
  table.header.emplace_back("");
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const SettingFit& fit = choice.fits[i];
    table.rows[i].emplace_back(&fit == &choice.chosen() ? "<- best" : fit.flat() ? "flat" : "");
  }
  return table;
}

std::vector<ChoiceColumn> choice_columns(const ModelChoice& choice) {
  std::vector<ChoiceColumn> columns;
  const auto column = [&](std::string_view name, const auto& of) {
    ChoiceColumn& next = columns.emplace_back(ChoiceColumn{std::string(name), {}});
    for (const SettingFit& fit : choice.fits) next.values.emplace_back(of(fit));
  };
  using Fit = const SettingFit&;
  const Setting& best = choice.chosen().setting;
  const ModelInfo& model = choice.chosen().fitted.info();
  const bool whole = best.swept != "pooling";
  column(best.swept, [&](Fit f) {
    return whole ? OptionValue(static_cast<Index>(f.setting.value)) : OptionValue(f.setting.value);
  });
  if (const std::string kind = kind_option(model); !kind.empty()) {
    column(kind, [](Fit f) { return f.setting.kind; });
  }
  if (sweeps_clusters(model)) {
    column("objective", [](Fit f) { return f.fitted.report.objective; });
    column("silhouette", [](Fit f) { return f.silhouette; });
    column("calinski_harabasz", [](Fit f) { return f.calinski_harabasz; });
    column("davies_bouldin", [](Fit f) { return f.davies_bouldin; });
    column("gap", [](Fit f) { return f.gap.value; });
    column("gap_error", [](Fit f) { return f.gap.error; });
  } else {
    column("log_likelihood", [](Fit f) { return f.criteria.log_likelihood; });
    column("free_parameters", [](Fit f) { return f.criteria.free_parameters; });
    column("bic", [](Fit f) { return f.criteria.bic; });
    column("aic", [](Fit f) { return f.criteria.aic; });
    column("icl", [](Fit f) { return f.criteria.icl; });
    column("flat", [](Fit f) { return f.flat(); });
  }
  column("converged", [](Fit f) { return f.fitted.report.converged; });
  column("iterations", [](Fit f) { return f.fitted.report.iterations; });
  if (choice.criterion.by == ChooseBy::kHeldOut) {
    column("held_out", [](Fit f) { return f.held_out.mean; });
    column("held_out_error", [](Fit f) { return f.held_out.error; });
  }
  return columns;
}

Curve choice_curve(const ModelChoice& choice, const Source& x) {
  const ChoiceCriterion& criterion = choice.criterion;
  const SettingFit& best = choice.chosen();
  const ModelInfo& model = best.fitted.info();
  const bool clusters = sweeps_clusters(model);
  const auto is_better = [&](const SettingFit& a, const SettingFit& b) {
    const double less = a.value(criterion.by) - b.value(criterion.by);
    return criterion.lower_is_better ? less < 0 : less > 0;
  };
  const std::string name(criterion.shown_name);
  Curve curve{.title = fmt::format("{}{} of {}", title_start(x.name()), name, model.name),
              .subtitle = plural(x.shape().rows, "row"),
              .x_name = std::string(best.setting.swept),
              .y_name = name};
  if (!clusters) {
    curve.subtitle += criterion.lower_is_better ? "; lower is better" : "; higher is better";
  }
  for (const SettingFit& fit : choice.fits) {
    const bool held_out = criterion.by == ChooseBy::kHeldOut;
    const std::string of =
        clusters ? name : fmt::format("{} {}", held_out ? "held out" : name, fit.setting.kind);
    if (curve.series.empty() || curve.series.back().name != of) {
      curve.series.push_back({.name = of, .x = {}, .y = {}});
    }
    Series& series = curve.series.back();
    series.x.push_back(fit.setting.value);
    series.y.push_back(fit.value(criterion.by));
    if (&fit != &best) continue;
    series.best = ssize(series.x) - 1;
    const bool extreme = std::ranges::none_of(
        choice.fits, [&](const SettingFit& other) { return is_better(other, best); });
    series.best_label = clusters || !extreme ? "chosen" : held_out ? "highest" : "lowest";
  }
  return curve;
}

}  // namespace craton
