#include "craton/report/fit_facts.h"

#include <fmt/core.h>

#include "craton/base/error.h"
#include "craton/report/words.h"

namespace craton {

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

std::string changed_options(const Fitted& fitted) {
  std::string changed;
  for (const Option& option : all_options(fitted.info())) {
    const OptionValue value = option_of(fitted, option.name);
    if (value == option.value) continue;
    changed += fmt::format("{}{} = {}", changed.empty() ? "" : ", ", option.name, to_text(value));
  }
  return changed.empty() ? "all defaults" : changed;
}

std::string course_of(const Fitted& fitted) {
  const Abilities& able = fitted.info().abilities;
  const FitReport& report = fitted.report;
  const bool solved = able.labels || able.some_labels || able.numbers;
  if (solved && report.converged && report.iterations == 0) return "in closed form";
  if (report.converged && report.iterations == 0) return "converged at the start";
  const std::string iterations = plural(report.iterations, "iteration");
  return report.converged ? fmt::format("converged after {}", iterations)
                          : fmt::format("stopped after {}, not converged", iterations);
}

}  // namespace craton
