#include "craton/report/plots/class_plot.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "craton/draw/curve.h"
#include "craton/draw/palette.h"
#include "craton/draw/scatter.h"
#include "craton/draw/text.h"
#include "craton/report/confusion.h"
#include "craton/report/plots/drawn_rows.h"
#include "craton/report/words.h"
#include "craton/select/metric.h"
#include "craton/select/probability_metrics.h"
#include "craton/select/ranking.h"

namespace craton {
namespace {

constexpr std::size_t kMostCurves = 8;  // classes that colours tell apart

std::string class_title(const Fitted& fitted, const Source& x, const PlotStyle& style,
                        const std::string& found) {
  if (!style.title.empty()) return style.title;
  return fmt::format("{}{} by {}: {}", title_start(x.name()), fitted.schema.target->name,
                     fitted.info().name, found);
}

// What was said of the rows, against the truth: of two classes the second, of more each.
struct Against {
  DrawnRows rows;
  MemorySource source;
  HeldOut out;
  std::vector<Index> classes;  // that have rows, and others without them

  Against(const Fitted& fitted, Source& x, const Exec& exec)
      : rows(read_drawn_rows(x, exec)), source(rows.source()), out(*fitted.model, source, exec) {
    std::vector<Index> counts(usize(out.classes()));
    for (const std::int32_t label : out.truth()) {
      if (label >= 0) ++counts[usize(label)];
    }
    const Index k = fitted.model->classes();
    for (Index c = k == 2 ? 1 : 0; c < k; ++c) {
      if (counts[usize(c)] > 0 && counts[usize(c)] < ssize(out.truth())) classes.push_back(c);
    }
  }
  double weight(std::size_t i) const { return out.weights().empty() ? 1 : out.weights()[i]; }
  double probability(std::size_t i, Index c) const {
    return out.probabilities().row(static_cast<Index>(i))[c];
  }
  Ranking ranking(Index c) const {
    std::vector<ScoredRow> scored;
    for (std::size_t i = 0; i < out.truth().size(); ++i) {
      scored.push_back({probability(i, c), weight(i), out.truth()[i] == c});
    }
    return rank(std::move(scored));
  }
};

// A curve for each class, each with a figure of how well it is told: those told worst come first.
struct ClassCurve {
  Series series;
  double figure;
};

std::string draw_class_curves(const Fitted& fitted, const Against& against, Curve curve,
                              const std::function<ClassCurve(Index)>& curve_of) {
  std::vector<ClassCurve> curves;
  for (const Index c : against.classes) {
    curves.push_back(curve_of(c));
    curves.back().series.name =
        fmt::format("{} {:.3g}", label_name(fitted.schema, c), curves.back().figure);
  }
  std::ranges::stable_sort(curves, {}, &ClassCurve::figure);
  if (curves.size() > kMostCurves) {
    curve.subtitle += fmt::format("; named: the {} of {} that are told worst", kMostCurves,
                                  plural(ssize(curves), "label"));
  }
  for (std::size_t i = 0; i < curves.size(); ++i) {
    curves[i].series.faint = i >= kMostCurves;
    curve.series.push_back(std::move(curves[i].series));
  }
  curve.marks = false;
  return draw_curve(curve);
}

Series diagonal() { return {.name = "by chance", .x = {0, 1}, .y = {0, 1}, .faint = true}; }

double mean_of(const Against& against, const std::function<double(const Ranking&)>& figure) {
  double sum = 0;
  for (const Index c : against.classes) sum += figure(against.ranking(c));
  return sum / static_cast<double>(std::max<std::size_t>(1, against.classes.size()));
}

std::string of_labels(const Fitted& fitted, const Against& against) {
  if (against.classes.empty()) return "the rows have one label only";
  if (fitted.model->classes() > 2) return "each label against the rest";
  return fmt::format("'{}' against '{}'", label_name(fitted.schema, 1),
                     label_name(fitted.schema, 0));
}

}  // namespace

bool tells_labels(const Fitted& fitted) {
  return fitted.info().abilities.labels && fitted.schema.target.has_value();
}

bool tells_probabilities(const Fitted& fitted) {
  return tells_labels(fitted) && fitted.info().abilities.predict_log_proba;
}

std::string plot_roc(const Fitted& fitted, Source& x, const Exec& exec, const PlotStyle& style) {
  const Against against(fitted, x, exec);
  const double area = mean_of(against, roc_auc);
  Curve curve{.title = class_title(fitted, x, style, fmt::format("area under ROC {:.3g}", area)),
              .subtitle = fmt::format("{}, {}; the figures are areas, 0.5 by chance",
                                      against.rows.told(), of_labels(fitted, against)),
              .x_name = "share of the others taken for it",
              .y_name = "share of its rows found",
              .series = {diagonal()}};
  return draw_class_curves(fitted, against, std::move(curve), [&](Index c) {
    const Ranking all = against.ranking(c), r = corners(all);
    Series series{.name = "", .x = {0}, .y = {0}};
    for (std::size_t i = 0; i < r.thresholds.size(); ++i) {
      series.x.push_back(r.others[i] / r.others.back());
      series.y.push_back(r.positives[i] / r.positives.back());
    }
    return ClassCurve{std::move(series), roc_auc(all)};
  });
}

std::string plot_precision_recall(const Fitted& fitted, Source& x, const Exec& exec,
                                  const PlotStyle& style) {
  const Against against(fitted, x, exec);
  const double mean = mean_of(against, average_precision);
  Curve curve{.title = class_title(fitted, x, style, fmt::format("mean precision {:.3g}", mean)),
              .subtitle = fmt::format("{}, {}; the figures are mean precisions",
                                      against.rows.told(), of_labels(fitted, against)),
              .x_name = "recall: share of its rows found",
              .y_name = "precision: share of the found that are right",
              .series = {},
              .from_zero = true};
  return draw_class_curves(fitted, against, std::move(curve), [&](Index c) {
    const Ranking r = against.ranking(c);
    Series series{.name = "", .x = {}, .y = {}};
    for (std::size_t i = 0; i < r.thresholds.size(); ++i) {
      series.x.push_back(r.positives[i] / r.positives.back());
      series.y.push_back(r.positives[i] / (r.positives[i] + r.others[i]));
    }
    return ClassCurve{std::move(series), average_precision(r)};
  });
}

std::string plot_lift(const Fitted& fitted, Source& x, const Exec& exec, const PlotStyle& style) {
  const Against against(fitted, x, exec);
  constexpr double kFirst = 0.1;  // of the rows
  // How many times as many as by chance are among the first tenth.
  const auto lift = [&](const Ranking& r) {
    const double all = r.positives.back() + r.others.back();
    double before = 0, found = 0;
    for (std::size_t i = 0; i < r.thresholds.size(); ++i) {
      const double rows = (r.positives[i] + r.others[i]) / all;
      const double share = r.positives[i] / r.positives.back();
      if (rows >= kFirst) {
        const double step = rows - before;
        return (found + (share - found) * (kFirst - before) / step) / kFirst;
      }
      before = rows, found = share;
    }
    return found / kFirst;
  };
  Curve curve{.title = class_title(fitted, x, style,
                                   fmt::format("the first tenth has {:.3g} times its share",
                                               mean_of(against, lift))),
              .subtitle = fmt::format("{}, {}; the figures are lifts of the first tenth",
                                      against.rows.told(), of_labels(fitted, against)),
              .x_name = "share of the rows, the most probable first",
              .y_name = "share of its rows found",
              .series = {diagonal()}};
  return draw_class_curves(fitted, against, std::move(curve), [&](Index c) {
    const Ranking r = against.ranking(c);
    const double all = r.positives.back() + r.others.back();
    Series series{.name = "", .x = {0}, .y = {0}};
    for (std::size_t i = 0; i < r.thresholds.size(); ++i) {
      series.x.push_back((r.positives[i] + r.others[i]) / all);
      series.y.push_back(r.positives[i] / r.positives.back());
    }
    return ClassCurve{std::move(series), lift(r)};
  });
}

std::string plot_calibration(const Fitted& fitted, Source& x, const Exec& exec,
                             const PlotStyle& style) {
  constexpr Index kBins = 10;
  const Against against(fitted, x, exec);
  // The mean distance from what was predicted to what came true, over the bins.
  double distance = 0, curves = 0;
  std::vector<Series> series;
  for (const Index c : against.classes) {
    std::vector<double> predicted;
    std::vector<std::int32_t> positive;
    for (std::size_t i = 0; i < against.out.truth().size(); ++i) {
      predicted.push_back(against.probability(i, c));
      positive.push_back(against.out.truth()[i] == c ? 1 : 0);
    }
    CalibrationCurve found =
        calibration_curve(positive, predicted, quantile_edges(predicted, kBins));
    double own = 0;
    for (std::size_t b = 0; b < found.predicted.size(); ++b) {
      own += std::abs(found.predicted[b] - found.positive[b]);
    }
    distance += own / static_cast<double>(std::max<std::size_t>(1, found.predicted.size()));
    ++curves;
    series.push_back({.name = label_name(fitted.schema, c),
                      .x = std::move(found.predicted),
                      .y = std::move(found.positive),
                      .faint = series.size() >= kMostCurves});
  }
  Curve curve{
      .title = class_title(
          fitted, x, style,
          fmt::format("probabilities off by {:.2g} on average", distance / std::max(1.0, curves))),
      .subtitle = fmt::format("{}, {}, in tenths of the rows; on the grey line what is said "
                              "comes true as often",
                              against.rows.told(), of_labels(fitted, against)),
      .x_name = "probability that was predicted",
      .y_name = "share that came true",
      .series = {diagonal()}};
  std::ranges::move(series, std::back_inserter(curve.series));
  return draw_curve(curve);
}

std::string plot_confusion(const Fitted& fitted, Source& x, const Exec& exec,
                           const PlotStyle& style) {
  constexpr std::size_t kMostDrawnLabels = 24, kMostWritten = 14;
  const Confusion confusion = find_confusion(fitted, x, exec).value();
  const std::size_t k = confusion.labels.size();
  const auto cell = [&](std::size_t a, std::size_t b) {
    return confusion.matrix.empty() ? 0 : confusion.matrix.values[a * k + b];
  };
  double all = 0, right = 0;
  std::vector<double> wrong(k, 0.0);  // in the row and in the column of each label
  for (std::size_t a = 0; a < k; ++a) {
    for (std::size_t b = 0; b < k; ++b) {
      all += cell(a, b);
      if (a == b) right += cell(a, b);
      if (a != b) wrong[a] += cell(a, b), wrong[b] += cell(a, b);
    }
  }
  std::vector<std::size_t> shown(k);
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  std::string which;
  if (k > kMostDrawnLabels) {
    std::ranges::stable_sort(shown, std::greater{}, [&](std::size_t a) { return wrong[a]; });
    shown.resize(kMostDrawnLabels);
    std::ranges::sort(shown);
    which = fmt::format("; the {} of {} labels that are mistaken most", kMostDrawnLabels, k);
  }
  Scatter picture{
      .title = class_title(fitted, x, style,
                           fmt::format("{:.3g} % right", all > 0 ? 100 * right / all : 0)),
      .subtitle = fmt::format("{}; the darker, the larger the share of the true label{}",
                              plural(x.shape().rows, "row"), which),
      .x_name = "taken for",
      .y_name = "true label"};
  const std::size_t n = shown.size();
  for (std::size_t a = 0; a < n; ++a) {
    picture.x_names.push_back(confusion.labels[shown[a]]);
    picture.y_names.insert(picture.y_names.begin(), confusion.labels[shown[a]]);
    for (std::size_t b = 0; b < n; ++b) {
      const double count = cell(shown[a], shown[b]), rows = confusion.rows[shown[a]];
      const double share = rows > 0 ? count / rows : 0;
      const auto left = static_cast<double>(b) - 0.5, low = static_cast<double>(n - 1 - a) - 0.5;
      picture.patches.push_back(
          {left, left + 1, low, low + 1, shade(share),
           fmt::format("{} taken for {}: {} ({:.3g} %)", confusion.labels[shown[a]],
                       confusion.labels[shown[b]], rounded(count), 100 * share),
           n <= kMostWritten ? rounded(count) : ""});
    }
  }
  return draw_scatter(picture);
}

}  // namespace craton
