#include "cli/choice.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "cli/output.h"
#include "cli/progress.h"
#include "cli/summary.h"
#include "cli/sweep.h"
#include "cli/to_json.h"
#include "craton/base/error.h"
#include "craton/select/gap.h"
#include "craton/select/silhouette.h"

namespace craton::cli {
namespace {

constexpr Index kReferences = 20;     // tables that a gap is measured by
constexpr Index kMostPairs = 20'000;  // rows, for distances of all pairs
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

struct Clustering {
  Setting setting;
  Fitted fitted;
  double silhouette = kNone, calinski_harabasz = kNone, davies_bouldin = kNone;  // of one: none
  Gap gap = {kNone, kNone};                                                      // if asked for
};

// Higher is better; NaN: not defined.
double value_of(const Clustering& c, const Command& command) {
  if (command.criterion == "gap") return c.gap.value;
  if (command.criterion == "davies-bouldin") return -c.davies_bouldin;
  return command.criterion == "silhouette" ? c.silhouette : c.calinski_harabasz;
}

std::string shown_name(const Command& command) {
  if (command.criterion == "gap") return "gap";
  if (command.criterion == "davies-bouldin") return "Davies-Bouldin";
  return command.criterion == "silhouette" ? "silhouette" : "Calinski-Harabasz";
}

void measure(Clustering& c, const Command& command, Source& x, const Exec& exec) {
  std::vector<std::int32_t> labels(usize(x.shape().rows));
  c.fitted.model->predict(x, labels, exec);
  const SteppedRows seen = c.fitted.model->steps().over(x);  // whose distances the model goes by
  const ClusteredRows rows{*seen, labels, c.fitted.model->classes()};
  if (rows.clusters > 1 && rows.clusters < x.shape().rows) {
    const bool all_pairs = x.shape().rows <= kMostPairs;
    c.silhouette = all_pairs ? silhouette(rows, exec) : simplified_silhouette(rows, exec);
    c.calinski_harabasz = calinski_harabasz(rows, exec);
    c.davies_bouldin = davies_bouldin(rows, exec);
  }
  if (command.criterion == "gap") {
    c.gap = find_gap(x, c.fitted, kReferences, static_cast<std::uint64_t>(command.seed), exec);
  }
}

std::vector<Clustering> fit_all(const Command& command, const Data& data,
                                ConsoleProgress& progress) {
  const ModelInfo& info = find_model(command.model);
  const std::vector<Setting> settings = sweep(command);
  const Exec exec{.threads = command.threads, .progress = &progress};
  std::vector<Clustering> result;
  for (Index i = 0; i < ssize(settings); ++i) {
    const Setting& setting = settings[usize(i)];
    progress.task(i, ssize(settings), fmt::format("{} {}", setting.swept, setting.value));
    Command one = command;
    one.options = setting.options;
    try {
      Clustering c{setting, info.fit(data.source(), read_options(info, one), exec)};
      measure(c, command, data.source(), {.threads = command.threads});
      result.push_back(std::move(c));
    } catch (const InputError& error) {
      if (error.code() != Code::kTooFewRows || result.empty()) throw;
      complain("note", fmt::format("{}: there are too few rows for {} clusters or more",
                                   data.name(), setting.value));
      break;
    }
  }
  return result;
}

const Clustering& best_of(const std::vector<Clustering>& all, const Command& command) {
  if (command.criterion == "gap") {
    std::vector<Gap> gaps;
    for (const Clustering& c : all) gaps.push_back(c.gap);
    return all[usize(choose_by_gap(gaps))];
  }
  const Clustering* best = nullptr;
  for (const Clustering& c : all) {
    const double value = value_of(c, command);
    if (!std::isnan(value) && (best == nullptr || value > value_of(*best, command))) best = &c;
  }
  if (best != nullptr) return *best;
  throw InputError(Code::kBadOption, {}, fmt::format("one cluster has no {}", command.criterion),
                   "Give 2 clusters or more, or --criterion gap.");
}

std::string why_best(const std::vector<Clustering>& all, const Clustering& best,
                     const Command& command) {
  if (command.criterion == "gap") {
    const Clustering& top =
        *std::ranges::max_element(all, {}, [](const Clustering& c) { return c.gap.value; });
    if (&best == &all.back() && all.size() > 1) {
      return "the last: the gap still grows there, so more clusters may be better";
    }
    std::string why = "the fewest whose gap is within the error of the next one's";
    if (top.gap.value - top.gap.error > best.gap.value + best.gap.error) {
      why += fmt::format("; but it is {:.3f} at {}: there may be clusters within clusters",
                         top.gap.value, top.setting.name());
    }
    return why;
  }
  const Clustering* next = nullptr;
  for (const Clustering& c : all) {
    const bool better = next == nullptr || value_of(c, command) > value_of(*next, command);
    if (&c != &best && !std::isnan(value_of(c, command)) && better) next = &c;
  }
  const bool lower = command.criterion == "davies-bouldin";
  std::string why = fmt::format("the {} {}", lower ? "lowest" : "highest", shown_name(command));
  if (next != nullptr) {
    why += fmt::format(" ({:.4g}; next {}: {:.4g})", std::abs(value_of(best, command)),
                       next->setting.name(), std::abs(value_of(*next, command)));
  }
  if (all.size() > 1 && &best == &all.back()) {
    why += "; it is the most that was tried: more may be better";
  }
  return why;
}

std::string number(double value, int digits = 4) {
  return std::isnan(value) ? "-" : fmt::format("{:.{}g}", value, digits);
}

SummaryTable table_of(const std::vector<Clustering>& all, const Clustering& best,
                      const Command& command) {
  const bool gap = command.criterion == "gap";
  SummaryTable table{
      "", {"n_clusters", "objective", "silhouette", "Calinski-Harabasz", "Davies-Bouldin"}, {}};
  if (gap) table.header.emplace_back("gap");
  table.header.emplace_back("");
  for (const Clustering& c : all) {
    std::vector<std::string>& row = table.rows.emplace_back();
    row = {fmt::format("{}", c.setting.value), number(c.fitted.report.objective, 6),
           number(c.silhouette), number(c.calinski_harabasz), number(c.davies_bouldin)};
    if (gap) row.push_back(fmt::format("{:.4f} ± {:.4f}", c.gap.value, c.gap.error));
    row.emplace_back(&c == &best ? "<- best" : "");
  }
  return table;
}

Curve curve_of(const std::vector<Clustering>& all, const Clustering& best, const Command& command,
               const Data& data) {
  Curve curve{.title = fmt::format("{}: {} of {}", base_name(data.name()), shown_name(command),
                                   command.model),
              .subtitle = plural(data.size(), "row"),
              .x_name = "n_clusters",
              .y_name = shown_name(command),
              .series = {{.name = shown_name(command), .x = {}, .y = {}}}};
  Series& series = curve.series.back();
  for (const Clustering& c : all) {
    series.x.push_back(c.setting.value);
    series.y.push_back(command.criterion == "davies-bouldin" ? c.davies_bouldin
                                                             : value_of(c, command));
    if (&c == &best) series.best = ssize(series.x) - 1;
  }
  series.best_label = "chosen";
  return curve;
}

Json clusterings_to_json(const std::vector<Clustering>& all, const Clustering& best,
                         const Command& command) {
  Json::List list;
  for (const Clustering& c : all) {
    list.push_back(Json::object({{"n_clusters", static_cast<Index>(c.setting.value)},
                                 {"objective", c.fitted.report.objective},
                                 {"silhouette", c.silhouette},
                                 {"calinski_harabasz", c.calinski_harabasz},
                                 {"davies_bouldin", c.davies_bouldin},
                                 {"gap", c.gap.value},
                                 {"gap_error", c.gap.error},
                                 {"converged", c.fitted.report.converged},
                                 {"iterations", c.fitted.report.iterations}}));
  }
  return Json::object({{"criterion", command.criterion},
                       {"candidates", Json(Json::Value(std::move(list)))},
                       {"best", to_json(best.fitted)},
                       {"why", why_best(all, best, command)},
                       {"output", command.output.empty() ? Json() : Json(command.output)}});
}

}  // namespace

Choice choose_clusters(const Command& command, const Data& data, ConsoleProgress& progress) {
  std::vector<Clustering> all = fit_all(command, data, progress);
  progress.finish();  // from here on results are written, whole
  const Clustering& best = best_of(all, command);
  Choice choice{.best = {},
                .name = best.setting.name(),
                .why = why_best(all, best, command),
                .table = table_of(all, best, command),
                .curve = curve_of(all, best, command, data),
                .json = clusterings_to_json(all, best, command)};
  if (data.size() > kMostPairs) {
    choice.note = field("silhouette", "simplified: distances to centres, as there are many rows");
  }
  choice.best = std::move(all[usize(&best - all.data())].fitted);
  return choice;
}

}  // namespace craton::cli
