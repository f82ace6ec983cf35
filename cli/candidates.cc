#include "cli/candidates.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cli/choice.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/to_json.h"

namespace craton::cli {
namespace {

bool held_out(const Command& command) { return command.criterion == "held-out"; }

std::string criterion_name(const Command& command) {
  if (held_out(command)) return "held-out log-likelihood";
  return command.criterion == "bic" ? "BIC" : command.criterion == "aic" ? "AIC" : "ICL";
}

Json one_to_json(const Candidate& c, const Command& command) {
  const bool whole = c.setting.swept == "n_components";
  Json json =
      Json::object({{std::string(c.setting.swept),
                     whole ? Json(static_cast<Index>(c.setting.value)) : Json(c.setting.value)},
                    {kind_option(c.fitted.info()), c.setting.kind},
                    {"log_likelihood", c.criteria.log_likelihood},
                    {"free_parameters", c.criteria.free_parameters},
                    {"bic", c.criteria.bic},
                    {"aic", c.criteria.aic},
                    {"icl", c.criteria.icl},
                    {"flat", c.flat()},
                    {"converged", c.fitted.report.converged},
                    {"iterations", c.fitted.report.iterations}});
  if (!held_out(command)) return json;
  json.set("held_out", c.held_out.mean);
  json.set("held_out_error", c.held_out.error);
  return json;
}

// What a difference of BIC stands for, by Kass and Raftery, "Bayes factors" (1995).
std::string evidence(double difference) {
  return difference < 2    ? "barely more than a tie"
         : difference < 6  ? "positive evidence"
         : difference < 10 ? "strong evidence"
                           : "very strong evidence";
}

}  // namespace

bool Candidate::flat() const {
  return std::ranges::any_of(fitted.report.notes,
                             [](const Note& note) { return note.code == "covariance-floor"; });
}

const Candidate& best_of(std::span<const Candidate> candidates, const Command& command) {
  return *std::ranges::min_element(candidates, [&](const Candidate& a, const Candidate& b) {
    if (a.flat() != b.flat() && !held_out(command)) return b.flat();
    return criterion_of(a, command) < criterion_of(b, command);
  });
}

std::string why_best(std::span<const Candidate> candidates, const Candidate& best,
                     const Command& command) {
  const double lowest = criterion_of(best, command);
  const Candidate* next = nullptr;
  std::vector<std::string> passed_over;
  for (const Candidate& c : candidates) {
    if (c.flat() && !best.flat() && !held_out(command)) {
      if (criterion_of(c, command) < lowest) passed_over.push_back(c.setting.name());
    } else if (&c != &best &&
               (next == nullptr || criterion_of(c, command) < criterion_of(*next, command))) {
      next = &c;
    }
  }
  const std::string name = criterion_name(command);
  std::string why = (held_out(command) ? "the highest " : "the lowest ") + name;
  if (next != nullptr && held_out(command)) {
    why += fmt::format(" of a row, {:.2g} above the next ({}); the error of each is about {:.2g}",
                       criterion_of(*next, command) - lowest, next->setting.name(),
                       best.held_out.error);
  } else if (next != nullptr) {
    const double difference = criterion_of(*next, command) - lowest;
    why += fmt::format(", {:.1f} below the next ({})", difference, next->setting.name());
    if (command.criterion == "bic") why += ": " + evidence(difference);
  }
  const auto value = [](const Candidate& c) { return c.setting.value; };
  if (best.fitted.info().abilities.labels) {
    why += "; of the density of rows: 'craton cv' measures their labels";
  } else if (candidates.size() > 1 &&
             best.setting.value == value(*std::ranges::max_element(candidates, {}, value))) {
    why += fmt::format("; it is the most that was tried: more may be better, {} {}..{}",
                       flag_of(best.setting.swept), best.setting.value, 2 * best.setting.value);
  }
  if (!passed_over.empty()) {
    why += fmt::format(
        "; passed over {}, where a component is flat and only its floor bounds the "
        "likelihood",
        listed(passed_over));
  }
  return why;
}

double criterion_of(const Candidate& candidate, const Command& command) {
  const Criteria& c = candidate.criteria;
  if (held_out(command)) return -candidate.held_out.mean;
  return command.criterion == "bic" ? c.bic : command.criterion == "aic" ? c.aic : c.icl;
}

SummaryTable table_of(std::span<const Candidate> candidates, const Candidate& best,
                      const Command& command) {
  const bool icl = !std::isnan(best.criteria.icl);
  SummaryTable table{"",
                     {std::string(best.setting.swept), kind_option(best.fitted.info()),
                      "log-likelihood", "parameters"},
                     {}};
  const auto add = [](std::vector<std::string>& to, std::initializer_list<std::string> more) {
    to.insert(to.end(), more);
  };
  if (held_out(command)) {
    add(table.header, {"held out, a row", ""});
  } else {
    add(table.header, {"BIC", "AIC"});
    if (icl) add(table.header, {"ICL"});
    add(table.header, {""});
  }
  for (const Candidate& c : candidates) {
    std::vector<std::string>& row = table.rows.emplace_back();
    row = {fmt::format("{}", c.setting.value), c.setting.kind,
           fmt::format("{:.2f}", c.criteria.log_likelihood),
           std::to_string(c.criteria.free_parameters)};
    if (held_out(command)) {
      add(row, {fmt::format("{:.4f} ± {:.4f}", c.held_out.mean, c.held_out.error)});
    } else {
      add(row, {fmt::format("{:.2f}", c.criteria.bic), fmt::format("{:.2f}", c.criteria.aic)});
      if (icl) add(row, {fmt::format("{:.2f}", c.criteria.icl)});
    }
    add(row, {&c == &best ? "<- best" : c.flat() ? "flat" : ""});
  }
  return table;
}

Curve curve_of(std::span<const Candidate> candidates, const Candidate& best, const Command& command,
               const Data& data) {
  Curve curve{.title = fmt::format("{}: {} of {}", base_name(data.name()), criterion_name(command),
                                   command.model),
              .subtitle = fmt::format("{}; {} is better", plural(data.size(), "row"),
                                      held_out(command) ? "higher" : "lower"),
              .x_name = std::string(best.setting.swept),
              .y_name = criterion_name(command),
              .series = {}};
  for (const Candidate& c : candidates) {
    const std::string of = held_out(command) ? "held out" : criterion_name(command);
    const std::string name = fmt::format("{} {}", of, c.setting.kind);
    if (curve.series.empty() || curve.series.back().name != name) {
      curve.series.push_back({.name = name, .x = {}, .y = {}});
    }
    Series& series = curve.series.back();
    series.x.push_back(c.setting.value);
    series.y.push_back(held_out(command) ? c.held_out.mean : criterion_of(c, command));
    if (&c != &best) continue;
    series.best = ssize(series.x) - 1;
    const bool lowest = std::ranges::none_of(candidates, [&](const Candidate& other) {
      return criterion_of(other, command) < criterion_of(best, command);
    });
    series.best_label = !lowest ? "chosen" : held_out(command) ? "highest" : "lowest";
  }
  return curve;
}

Json candidates_to_json(std::span<const Candidate> candidates, const Candidate& best,
                        const Command& command) {
  Json::List list;
  for (const Candidate& c : candidates) list.push_back(one_to_json(c, command));
  return Json::object({{"criterion", command.criterion},
                       {"candidates", Json(Json::Value(std::move(list)))},
                       {"best", to_json(best.fitted)},
                       {"why", why_best(candidates, best, command)},
                       {"output", command.output.empty() ? Json() : Json(command.output)}});
}

Choice choose_by_likelihood(const Command& command, const Data& data, ConsoleProgress& progress) {
  std::vector<Candidate> candidates = fit_candidates(command, data, progress);
  progress.finish();  // from here on results are written, whole
  const Candidate& best = best_of(candidates, command);
  warn_unconverged(candidates);
  Choice choice{.best = {},
                .name = best.setting.name(),
                .why = why_best(candidates, best, command),
                .table = table_of(candidates, best, command),
                .curve = curve_of(candidates, best, command, data),
                .json = candidates_to_json(candidates, best, command)};
  if (std::ranges::any_of(candidates, &Candidate::flat)) {
    choice.note = field(
        "flat", "a component has no width in some direction but its floor: too many, or ties");
  }
  choice.best = std::move(candidates[usize(&best - candidates.data())].fitted);
  return choice;
}

}  // namespace craton::cli
