#include "craton/report/plots/stages.h"

#include <fmt/core.h>

#include <algorithm>

#include "craton/base/error.h"
#include "craton/draw/panels.h"
#include "craton/report/plots/column_choice.h"
#include "craton/report/plots/traces.h"
#include "craton/report/words.h"
#include "craton/select/sweep.h"

// A fit stopped after t updates is the fit as it was after t updates: same bits. So stages need no
// hooks in the models.

namespace craton {
namespace {

std::vector<NamedOption> with(std::span<const NamedOption> options, const char* name, Index value) {
  std::vector<NamedOption> result(options.begin(), options.end());
  std::erase_if(result, [&](const NamedOption& option) { return option.first == name; });
  result.emplace_back(name, value);
  return result;
}

}  // namespace

std::string plot_stages(const ModelInfo& info, std::span<const NamedOption> options, Source& x,
                        std::span<const Index> updates, const PlotColumns& columns,
                        const Exec& exec) {
  const bool steps = has_option(info, "max_iter");
  if (!steps || !x.schema().texts.empty()) {
    throw InputError(Code::kNotAble, {},
                     steps
                         ? "the stages of a fit to texts are not drawn"
                         : fmt::format("{} is not fitted in steps, so it has no stages", info.name),
                     Ref::either("Leave --plot-stages out.", "plot() draws the fit as it ended."));
  }
  std::vector<NamedOption> one_start(options.begin(), options.end());
  if (has_option(info, "n_init")) one_start = with(one_start, "n_init", 1);
  const Fitted last = info.fit(x, one_start, exec);
  const PlotColumns drawn = columns.across < 0 ? telling_columns(last, x, exec) : columns;
  std::vector<std::string> pictures;
  for (const Index most : updates) {
    const Fitted fitted = info.fit(x, with(one_start, "max_iter", most), exec);
    const Index done = fitted.report.iterations;
    pictures.push_back(plot_fit(
        fitted, x, drawn, fitted.report.objective, exec,
        {.title = done == 0 ? "the start" : fmt::format("after {}", plural(done, "update")),
         .soft = true}));
    if (done < most) break;  // it has converged: what follows is the same
  }
  pictures.push_back(draw_traces(
      last, fmt::format("to the end: {}", plural(last.report.iterations, "update")), ""));
  constexpr int kAcross = 3;
  return draw_panels(fmt::format("{}{}, step by step", title_start(x.name()), info.name), pictures,
                     kAcross);
}

}  // namespace craton
