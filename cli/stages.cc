#include <fmt/core.h>

#include <algorithm>

#include "cli/output.h"
#include "cli/plot.h"
#include "cli/sweep.h"
#include "craton/base/error.h"
#include "craton/draw/panels.h"

// A fit stopped after t updates is the fit as it was after t updates: same bits. So stages need no
// hooks in the models.

namespace craton::cli {
namespace {

std::vector<NamedOption> with(std::span<const NamedOption> options, const char* name, Index value) {
  std::vector<NamedOption> result(options.begin(), options.end());
  std::erase_if(result, [&](const NamedOption& option) { return option.first == name; });
  result.emplace_back(name, value);
  return result;
}

}  // namespace

std::string plot_stages(const Command& command, const ModelInfo& info,
                        std::span<const NamedOption> options, const Data& data,
                        const PlotColumns& columns, const Exec& exec) {
  if (!has_option(info, "max_iter")) {
    throw InputError(Code::kNotAble, {},
                     fmt::format("{} is not fitted in steps, so it has no stages", info.name),
                     "Leave --plot-stages out.");
  }
  std::vector<NamedOption> one_start(options.begin(), options.end());
  if (has_option(info, "n_init")) one_start = with(one_start, "n_init", 1);
  std::vector<std::string> pictures;
  for (const Index updates : command.plot_stages) {
    const Fitted fitted = info.fit(data.source(), with(one_start, "max_iter", updates), exec);
    const Index done = fitted.report.iterations;
    pictures.push_back(plot_fit(
        fitted, data, columns, fitted.report.objective, exec,
        {.title = done == 0 ? "the start" : fmt::format("after {}", plural(done, "update")),
         .soft = true}));
    if (done < updates) break;  // it has converged: what follows is the same
  }
  const Fitted last = info.fit(data.source(), one_start, exec);
  pictures.push_back(draw_traces(
      last, fmt::format("to the end: {}", plural(last.report.iterations, "update")), ""));
  constexpr int kAcross = 3;
  return draw_panels(fmt::format("{}: {}, step by step", base_name(data.name()), info.name),
                     pictures, kAcross);
}

}  // namespace craton::cli
