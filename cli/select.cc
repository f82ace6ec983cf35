#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cli/candidates.h"
#include "cli/data.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/summary.h"
#include "cli/verbs.h"
#include "craton/core/error.h"
#include "craton/core/model_file.h"
#include "craton/draw/terminal.h"

namespace craton::cli {
namespace {

constexpr int kChartWidth = 78;

// Those that the rows allow; a note says which they do not. If they allow none, that is an error.
std::vector<Candidate> fit_all(const Command& command, const Data& data,
                               ConsoleProgress& progress) {
  const ModelInfo& info = find_model(command.model);
  const std::vector<Setting> settings = sweep(command);
  const double weight = total_weight(data);
  std::vector<Candidate> result;
  std::vector<std::string> impossible;
  for (Index i = 0; i < ssize(settings); ++i) {
    const Setting& setting = settings[usize(i)];
    progress.task(i, ssize(settings), fmt::format("n_components {}", setting.n_components));
    Command one = command;
    one.options = setting.options;
    try {
      Fitted fitted = info.fit(data.source(), read_options(info, one),
                               {.threads = command.threads, .progress = &progress});
      // The objective of the fit may have a prior in it.
      const double score = fitted.model->score(data.source(), {.threads = command.threads});
      const std::vector<HalfStep>& steps = fitted.report.half_steps;
      const double entropy = steps.empty() ? NAN : steps.back().entropy;
      const Criteria criteria = find_criteria(*fitted.model, score, weight, entropy);
      result.push_back({setting, std::move(fitted), criteria});
    } catch (const InputError& error) {
      if (error.code() != Code::kTooFewRows || setting.n_components == 1) throw;
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

void warn(std::span<const Candidate> candidates) {
  std::vector<std::string> open;
  const Candidate* last = nullptr;
  for (const Candidate& c : candidates) {
    if (!c.fitted.report.converged) open.push_back(c.setting.name()), last = &c;
  }
  if (last == nullptr) return;
  complain("warning", fmt::format("{} of {} fits did not converge ({})\n  {}", open.size(),
                                  candidates.size(), join(open), advice(last->fitted)));
}

}  // namespace

int select(const Command& command) {
  check_writable(command.output);
  check_writable(command.plot);
  ConsoleProgress progress(command);
  const Data data = read_to_fit(command, {.threads = command.threads, .progress = &progress});
  progress.start_passes(data.size());
  const std::vector<Candidate> candidates = fit_all(command, data, progress);
  progress.finish();  // from here on results are written, whole
  const Candidate& best =
      *std::min_element(candidates.begin(), candidates.end(), [&](const auto& a, const auto& b) {
        return criterion_of(a, command) < criterion_of(b, command);
      });
  warn(candidates);
  const Curve curve = curve_of(candidates, best, command, data);
  if (!command.output.empty()) save(command.output, pack_model(best.fitted));
  if (!command.plot.empty()) save(command.plot, draw_curve(curve));

  const bool stdout_taken = command.output == "-" || command.plot == "-";
  if (command.quiet || stdout_taken) return kOk;
  if (command.json) {
    print_json(to_json(candidates, best, command));
    return kOk;
  }
  print(field("data", describe(data)) + "\n" + format(table_of(candidates, best)) + "\n" +
        draw_terminal_curve(curve, kChartWidth) + "\n" +
        field("saved", command.output.empty() ? "nothing: give -o FILE to keep the best model"
                                              : command.output) +
        (command.plot.empty() ? "" : field("plot", command.plot)));
  return kOk;
}

}  // namespace craton::cli
