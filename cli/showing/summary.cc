#include "cli/showing/summary.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/showing/output.h"
#include "craton/base/error.h"

namespace craton::cli {
namespace {

// "n_components = 4, seed 7": what differs from the defaults.
std::string changed_options(const Fitted& fitted) {
  std::vector<std::string> changed;
  for (const Option& option : all_options(fitted.info())) {
    const OptionValue value = option_of(fitted, option.name);
    if (value != option.value) changed.push_back(option.name + " = " + to_text(value));
  }
  return changed.empty() ? "all defaults" : join(changed);
}

// How the fit went.
std::string course(const ModelInfo& info, const FitReport& report) {
  const Abilities& able = info.abilities;
  const bool solved = able.labels || able.some_labels || able.numbers;
  if (solved && report.converged && report.iterations == 0) return "in closed form";
  if (report.converged && report.iterations == 0) return "converged at the start";
  const std::string iterations = plural(report.iterations, "iteration");
  return report.converged ? fmt::format("converged after {}", iterations)
                          : fmt::format("stopped after {}, not converged", iterations);
}

}  // namespace

OptionValue option_of(const Fitted& fitted, std::string_view name) {
  for (const auto& [given, value] : fitted.options) {
    if (given == name) return value;
  }
  for (const Option& option : all_options(fitted.info())) {
    if (option.name == name) return option.value;
  }
  CRATON_ASSERT(false);
  return {};
}

std::string summary(const Fitted& fitted) {
  const ModelInfo& info = fitted.info();
  const FitReport& report = fitted.report;
  std::string text;
  text += field("model", fmt::format("{}: {}", info.name, info.help));
  text += field("options", changed_options(fitted));
  text += field("fit", course(info, report));
  text += field("objective", fmt::format("{} ({})", shown(report.objective), info.objective));
  for (const ResultTable& table : fitted.model->tables(fitted.schema)) {
    text += "\n" + laid_out(table);
  }
  return text;
}

std::string advice(const Fitted& fitted) {
  const OptionValue value = option_of(fitted, "max_iter");
  const Index* most = std::get_if<Index>(&value);
  CRATON_ASSERT(most != nullptr);
  const bool tol = std::ranges::any_of(
      fitted.options, [](const NamedOption& option) { return option.first == "tol"; });
  return fmt::format("Give --max-iter {} for more iterations, or a {}.",
                     std::max<Index>(10 * *most, 100),
                     tol ? "larger --tol" : "smaller --max-no-improvement");
}

}  // namespace craton::cli
