#include <fmt/core.h>

#include "cli/criteria.h"
#include "cli/data.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/verbs.h"

namespace craton::cli {

int score(const Command& command) {
  const Fitted fitted = read_model(command);
  const Table table = read_for_model(command, fitted.schema).table;
  ConsoleProgress progress(command, table.x.rows());
  MemorySource source = table.source();
  const double value =
      fitted.model->score(source, {.threads = command.threads, .progress = &progress});
  progress.finish();

  Json json = Json::object({{"score", value},
                            {"score_name", fitted.info().objective},
                            {"rows", table.x.rows()},
                            {"total_weight", total_weight(table)}});
  SummaryTable lines{"", {std::string(fitted.info().objective), shown(value)}, {}};
  if (fitted.info().abilities.free_parameters) {
    const Criteria c = find_criteria(*fitted.model, value, total_weight(table));
    lines.rows = {{"log-likelihood", shown(c.log_likelihood)},
                  {"free parameters", std::to_string(c.free_parameters)},
                  {"BIC", shown(c.bic)},
                  {"AIC", shown(c.aic)}};
    json.set("log_likelihood", c.log_likelihood);
    json.set("free_parameters", c.free_parameters);
    json.set("bic", c.bic);
    json.set("aic", c.aic);
  }
  if (command.json) {
    print_json(json);
  } else {
    print(field("data", describe(table)) + field("model", fitted.info().help) + "\n" +
          format(lines));
  }
  return kOk;
}

}  // namespace craton::cli
