#include <fmt/core.h>

#include <cmath>

#include "cli/candidates.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/summary.h"
#include "craton/base/error.h"

namespace craton::cli {

std::vector<Candidate> fit_candidates(const Command& command, const Data& data,
                                      ConsoleProgress& progress) {
  const ModelInfo& info = find_model(command.model);
  if (info.abilities.labels && command.criterion == "held-out") {
    throw InputError(
        Code::kBadOption, {}, "labels of held-out rows say more than their density",
        fmt::format("Give 'craton cv {} ... --grid pooling=0,1', which measures them.", info.name));
  }
  if (info.abilities.labels && command.criterion == "icl") {
    throw InputError(Code::kBadOption, {}, "the labels are given, so ICL has no use",
                     "Give --criterion bic or aic.");
  }
  const std::vector<Setting> settings = sweep(command);
  const double weight = total_weight(data);
  std::vector<Candidate> result;
  std::vector<std::string> impossible;
  const Exec exec{.threads = command.threads, .progress = &progress};
  const Metric* const metric[] = {&find_metric("log-likelihood")};
  Folds split;
  if (command.criterion == "held-out") split = split_plain(data.size(), {});
  for (Index i = 0; i < ssize(settings); ++i) {
    const Setting& setting = settings[usize(i)];
    progress.task(i, ssize(settings), fmt::format("{} {}", setting.swept, setting.value));
    Command one = command;
    one.options = setting.options;
    try {
      Fitted fitted = info.fit(data.source(), read_options(info, one), exec);
      // The objective of the fit may have a prior in it.
      const double score = info.abilities.labels
                               ? fitted.report.objective
                               : fitted.model->score(data.source(), {.threads = command.threads});
      const std::vector<HalfStep>& steps = fitted.report.half_steps;
      const double entropy = steps.empty() ? NAN : steps.back().entropy;
      const Criteria criteria = find_criteria(fitted, score, weight, entropy);
      result.push_back({setting, std::move(fitted), criteria});
      if (command.criterion != "held-out") continue;
      const Results folds =
          cross_validate(data.source(), {&split, 1}, {&info, read_options(info, one)},
                         {.metrics = metric}, exec, [](Index) {});
      result.back().held_out = estimate(folds, 0);
    } catch (const InputError& error) {
      if (error.code() != Code::kTooFewRows || setting.value <= 1) throw;
      impossible.push_back(setting.name());
      if (i + 1 == ssize(settings) && result.empty()) throw;
    }
  }
  if (!impossible.empty() && !command.quiet) {
    complain("note",
             fmt::format("{}: there are too few rows, or too few that differ, for {} of {} "
                         "fits ({})",
                         data.name(), impossible.size(), settings.size(), listed(impossible)));
  }
  return result;
}

void warn_unconverged(std::span<const Candidate> candidates) {
  std::vector<std::string> open;
  const Candidate* last = nullptr;
  for (const Candidate& c : candidates) {
    if (!c.fitted.report.converged) open.push_back(c.setting.name()), last = &c;
  }
  if (last == nullptr) return;
  complain("warning", fmt::format("{} of {} fits did not converge ({})\n  {}", open.size(),
                                  candidates.size(), join(open), advice(last->fitted)));
}

}  // namespace craton::cli
