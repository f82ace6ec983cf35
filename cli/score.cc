#include <fmt/core.h>

#include <cmath>

#include "cli/criteria.h"
#include "cli/data.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/verbs.h"

namespace craton::cli {

int score(const Command& command) {
  const Fitted fitted = read_model(command);
  ConsoleProgress progress(command);
  const Exec exec{.threads = command.threads, .progress = &progress};
  const Data data = read_for_model(command, fitted, exec);
  progress.start_passes(data.size());
  const double value = fitted.model->score(data.source(), exec), weight = total_weight(data);
  const bool labels = fitted.info().abilities.entropy;
  const double entropy = labels ? fitted.model->entropy(data.source(), exec) : NAN;
  progress.finish();

  Json json = Json::object({{"score", value},
                            {"score_name", fitted.info().objective},
                            {"rows", data.size()},
                            {"total_weight", weight}});
  SummaryTable lines{"", {std::string(fitted.info().objective), shown(value)}, {}};
  if (fitted.info().abilities.free_parameters) {
    const Criteria c = find_criteria(fitted, value, weight, entropy);
    lines.rows = {{"log-likelihood", shown(c.log_likelihood)},
                  {"free parameters", std::to_string(c.free_parameters)},
                  {"BIC", shown(c.bic)},
                  {"AIC", shown(c.aic)}};
    if (labels) lines.rows.push_back({"ICL", shown(c.icl)});
    json.set("log_likelihood", c.log_likelihood);
    json.set("free_parameters", c.free_parameters);
    json.set("bic", c.bic);
    json.set("aic", c.aic);
    if (labels) json.set("icl", c.icl);
  }
  if (command.json) {
    print_json(json);
  } else {
    print(field("data", describe(data)) + field("model", fitted.info().help) + "\n" +
          format(lines));
  }
  return kOk;
}

}  // namespace craton::cli
