#include "cli/parsing/validation.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/parsing/values.h"
#include "cli/showing/output.h"
#include "craton/base/error.h"
#include "craton/select/guessing.h"

namespace craton::cli {

FoldPlan fold_plan_of(const Command& command) {
  const Validation& v = command.validation;
  return {.folds = v.folds, .repeats = v.repeats, .seed = seed_of(command), .split = v.split};
}

std::optional<Shuffles> shuffles_of(const Command& command) {
  const Validation& v = command.validation;
  if (!v.importance) return std::nullopt;
  return Shuffles{v.shuffles, seed_of(command)};
}

std::int32_t positive_of(const Command& command, const Data& data) {
  if (command.positive.empty()) return HeldOut::kUsual;
  return find_positive(data.schema(), command.positive);
}

std::uint64_t seed_of(const Command& command) {
  Index seed = command.seed;
  for (const auto& [name, text] : command.options) {
    if (name != "random_state") continue;
    const std::vector<Option> options = all_options(find_model(command.model));
    const OptionValue value = parse_option(*std::ranges::find(options, name, &Option::name), text);
    if (const Index* given = std::get_if<Index>(&value)) seed = *given;  // else fit() refuses it
  }
  return static_cast<std::uint64_t>(seed);
}

std::string validation_fields(const Command& command, const Data& data) {
  std::string text = field("folds", describe(data, roles_of(command), fold_plan_of(command)));
  if (!command.positive.empty()) text += field("positive", command.positive);
  const Exec exec{.threads = command.threads};
  if (const std::optional<MeanGuess> m = find_mean_guess(data.source(), exec)) {
    return text + field("guessing", fmt::format("r2 0, mae {}, mse {} (always the mean, {})",
                                                shown(m->absolute_error), shown(m->squared_error),
                                                shown(m->mean)));
  }
  const std::optional<Guessing> g = find_guessing(data.source(), exec);
  if (!g) return text;
  return text + field("guessing",
                      fmt::format("accuracy {:.4f} (always {}), log-loss {:.4f} (always the shares "
                                  "of labels)",
                                  g->accuracy, label_name(data.schema(), g->label), g->log_loss));
}

Json guessing_to_json(const Data& data, const Exec& exec) {
  if (const std::optional<MeanGuess> m = find_mean_guess(data.source(), exec)) {
    return Json::object(
        {{"mean", m->mean}, {"r2", 0.0}, {"mae", m->absolute_error}, {"mse", m->squared_error}});
  }
  const std::optional<Guessing> g = find_guessing(data.source(), exec);
  if (!g) return {};
  return Json::object({{"label", label_name(data.schema(), g->label)},
                       {"accuracy", g->accuracy},
                       {"log_loss", g->log_loss}});
}

Json splits_to_json(const Command& command, const Data& data) {
  const FoldPlan plan = fold_plan_of(command);
  Json json = Json::object({{"split", name_of_split(data, roles_of(command), plan)},
                            {"folds", plan.folds},
                            {"repeats", plan.repeats},
                            {"seed", static_cast<Index>(plan.seed)},
                            {"rows", data.size()}});
  if (!command.positive.empty()) json.set("positive", command.positive);
  return json;
}

void warn_unconverged(std::span<const Results> all) {
  Index open = 0, fits = 0;
  for (const Results& results : all) {
    for (const FoldResult& fold : results) {
      ++fits;
      open += fold.converged ? 0 : 1;
    }
  }
  if (open == 0) return;
  complain("warning", fmt::format("{} of {} did not converge\n  Give a larger --max-iter or --tol.",
                                  open, plural(fits, "fit")));
}

}  // namespace craton::cli
