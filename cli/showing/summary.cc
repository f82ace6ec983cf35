#include "cli/showing/summary.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/showing/output.h"
#include "craton/base/error.h"
#include "craton/report/fit_facts.h"

namespace craton::cli {
std::string summary(const Fitted& fitted) {
  const ModelInfo& info = fitted.info();
  const FitReport& report = fitted.report;
  std::string text;
  text += field("model", fmt::format("{}: {}", info.name, info.help));
  text += field("options", changed_options(fitted));
  text += field("fit", course_of(fitted));
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
