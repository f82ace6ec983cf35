#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cli/output.h"
#include "cli/validation.h"

namespace craton::cli {
namespace {

struct Guessing {
  std::string label;  // the commonest
  double accuracy = 0, log_loss = 0;
};

std::optional<Guessing> guess(const Data& data, const Exec& exec) {
  const std::vector<std::int32_t> labels = labels_of(data.source(), exec);
  if (labels.empty() || !data.schema().target) return std::nullopt;
  std::vector<double> count(data.schema().target->levels.size());
  double known = 0;
  for (const std::int32_t label : labels) {
    if (label < 0) continue;
    ++count[usize(label)];
    ++known;
  }
  if (known == 0) return std::nullopt;
  const auto most = std::max_element(count.begin(), count.end());
  Guessing result{label_name(data.schema(), most - count.begin()), *most / known};
  for (const double n : count) {
    if (n > 0) result.log_loss -= n / known * std::log(n / known);
  }
  return result;
}

}  // namespace

std::string describe_guessing(const Data& data, const Exec& exec) {
  const std::optional<Guessing> g = guess(data, exec);
  if (!g) return {};
  return fmt::format("accuracy {:.4f} (always {}), log-loss {:.4f} (always the shares of labels)",
                     g->accuracy, g->label, g->log_loss);
}

std::string validation_fields(const Command& command, const Data& data) {
  const std::string guessing = describe_guessing(data, {.threads = command.threads});
  return field("folds", describe_splits(command, data)) +
         (command.positive.empty() ? "" : field("positive", command.positive)) +
         (guessing.empty() ? "" : field("guessing", guessing));
}

Json guessing_to_json(const Data& data, const Exec& exec) {
  const std::optional<Guessing> g = guess(data, exec);
  if (!g) return {};
  return Json::object({{"label", g->label}, {"accuracy", g->accuracy}, {"log_loss", g->log_loss}});
}

}  // namespace craton::cli
