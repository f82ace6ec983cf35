#include "cli/parsing/plot_columns.h"

#include <fmt/core.h>

#include "cli/showing/output.h"
#include "craton/base/error.h"

namespace craton::cli {

PlotColumns choose_plot_columns(const Command& command, const Data& data) {
  if (command.plot_columns.empty()) return {};
  if (command.plot_columns.size() != 2) {
    throw InputError(Code::kBadOption, {},
                     fmt::format("--plot-columns names {}, but a picture has two",
                                 plural(ssize(command.plot_columns), "column")),
                     "Give two, with a comma between: --plot-columns x,y");
  }
  PlotColumns result;
  for (Index* column : {&result.across, &result.up}) {
    const std::string& name = command.plot_columns[column == &result.up ? 1 : 0];
    *column = data.schema().find(name);
    if (*column >= 0) continue;
    const std::vector<std::string> names = data.schema().names();
    const std::string near = did_you_mean(name, names);
    throw InputError(
        Code::kUnknownName, {.file = data.name()},
        fmt::format("--plot-columns names '{}', which is not among the columns fitted", name),
        near.empty() ? fmt::format("They are: {}.", join(names)) : near);
  }
  return result;
}

}  // namespace craton::cli
