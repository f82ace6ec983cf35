#include "craton/report/plots/traces.h"

#include <fmt/core.h>

#include <algorithm>

#include "craton/draw/curve.h"
#include "craton/report/words.h"

namespace craton {
namespace {

constexpr std::string_view kMinus = "minus the ";

Series series_of(const std::vector<double>& trace, bool minus, bool faint) {
  Series series{.name = "objective", .x = {}, .y = trace, .faint = faint};
  for (std::size_t i = 0; i < trace.size(); ++i) series.x.push_back(static_cast<double>(i));
  for (double& y : series.y) y = minus ? -y : y;
  return series;
}

}  // namespace

std::string draw_traces(const Fitted& fitted, const std::string& title,
                        const std::string& subtitle) {
  const FitReport& report = fitted.report;
  std::string_view name = fitted.info().objective;
  const bool minus = name.starts_with(kMinus);
  if (minus) name.remove_prefix(kMinus.size());
  Curve curve{.title = title,
              .subtitle = subtitle,
              .x_name = ssize(report.trace) > report.iterations + 1 ? "half-step" : "pass",
              .y_name = std::string(name)};
  for (const std::vector<double>& trace : report.start_traces) {
    curve.series.push_back(series_of(trace, minus, true));
  }
  curve.series.push_back(series_of(report.trace, minus, false));
  return draw_curve(curve);
}

std::string plot_traces(const Fitted& fitted, const std::string& rows) {
  const FitReport& report = fitted.report;
  const Index starts = std::max<Index>(1, ssize(report.start_traces));
  const auto best = std::find(report.start_traces.begin(), report.start_traces.end(), report.trace);
  std::string subtitle = fmt::format("{}, {}", plural(starts, "start"), shown(report.objective));
  if (starts > 1) subtitle += fmt::format(" by start {}", best - report.start_traces.begin() + 1);
  return draw_traces(fitted, fmt::format("{}{}", title_start(rows), fitted.info().name), subtitle);
}

}  // namespace craton
