#include "cli/parsing/validation.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cli/parsing/values.h"
#include "cli/showing/output.h"
#include "craton/base/error.h"
#include "craton/select/guessing.h"
#include "craton/tables/bind_columns.h"

namespace craton::cli {
namespace {

// The values of a column that is no feature, of the rows that are used.
std::vector<double> column_of(const Data& data, const std::string& name, const std::string& flag) {
  const Index from = find_column(*data.file, name, Code::kUnknownName, flag + " names");
  View column(*data.file);
  column.select({.columns = {{.from = from}}});
  if (data.kept) column.rows(*data.kept);
  std::vector<double> values = read_all(column).values;
  const auto missing =
      std::find_if(values.begin(), values.end(), [](double v) { return std::isnan(v); });
  if (missing == values.end()) return values;
  Place place = data.source().place_of(missing - values.begin());
  place.column = name;
  throw InputError(Code::kNotFinite, place, "the value is missing (NaN)",
                   fmt::format("{} needs a value in every row: fill it in.", flag));
}

enum class Split { kPlain, kStratified, kGroups, kStratifiedGroups, kTime };

Split split_of(const Command& command, const Data& data) {
  const Validation& v = command.validation;
  const bool groups = !v.groups.empty(), time = !v.time.empty();
  if (groups && time) refuse("--groups and --time part rows in two ways", "Give one of them.");
  if (v.split == "groups" && !groups)
    refuse("--split groups needs groups", "Give --groups COLUMN.");
  if (groups && (v.split == "plain" || v.split == "time")) {
    refuse(fmt::format("--groups and --split {} part rows in two ways", v.split),
           "Leave one of them out.");
  }
  if (time && !v.split.empty() && v.split != "time") {
    refuse(fmt::format("--time and --split {} part rows in two ways", v.split),
           "Leave one of them out.");
  }
  if (v.split == "stratified" && data.schema().number_target()) {
    refuse("--split stratified needs labels, and the target is a number of each row",
           "Give --split plain.");
  }
  if (v.split == "stratified" && !data.schema().target) {
    refuse("--split stratified needs labels", "Give --target COLUMN, or --split plain.");
  }
  if (groups) return v.split == "stratified" ? Split::kStratifiedGroups : Split::kGroups;
  if (time || v.split == "time") return Split::kTime;
  const bool labelled = data.schema().labelled() && v.split != "plain";
  return labelled ? Split::kStratified : Split::kPlain;
}

}  // namespace

std::vector<Folds> splits_of(const Command& command, const Data& data, const Exec& exec) {
  const Validation& v = command.validation;
  const Split kind = split_of(command, data);
  if (kind == Split::kTime && v.repeats > 1) {
    refuse("--repeats would give the same folds again, as rows are in the order of time",
           "Leave it out.");
  }
  const std::vector<std::int32_t> labels = labels_of(data.source(), exec);
  std::vector<double> column;
  if (!v.groups.empty()) column = column_of(data, v.groups, "--groups");
  if (!v.time.empty()) column = column_of(data, v.time, "--time");
  std::vector<Folds> splits;
  for (Index r = 0; r < v.repeats; ++r) {
    const SplitOptions options{v.folds, seed_of(command), static_cast<std::uint32_t>(r)};
    switch (kind) {
      case Split::kPlain:
        splits.push_back(split_plain(data.size(), options));
        break;
      case Split::kStratified:
        splits.push_back(split_stratified(labels, data.schema().target->levels, options));
        break;
      case Split::kGroups:
        splits.push_back(split_grouped(column, options));
        break;
      case Split::kStratifiedGroups:
        splits.push_back(split_stratified_groups(labels, column, options));
        break;
      case Split::kTime:
        splits = split_ordered(data.size(), column, {.folds = v.folds});
        break;
    }
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] < 0) splits.back().part[i] = -1;
    }
  }
  return splits;
}

std::string describe_splits(const Command& command, const Data& data) {
  const Validation& v = command.validation;
  std::string how;
  switch (split_of(command, data)) {
    case Split::kPlain:
      how = "plain";
      break;
    case Split::kStratified:
      how = "stratified by " + data.schema().target->name;
      break;
    case Split::kGroups:
      how = "groups of " + v.groups;
      break;
    case Split::kStratifiedGroups:
      how = fmt::format("groups of {}, stratified by {}", v.groups, data.schema().target->name);
      break;
    case Split::kTime:
      return fmt::format("{}, each after what it learns from{}", v.folds,
                         v.time.empty() ? "" : ", by " + v.time);
  }
  return fmt::format("{}, {}, seed {}{}", v.folds, how, seed_of(command),
                     v.repeats > 1 ? fmt::format(", {} times", v.repeats) : "");
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
  std::string text = field("folds", describe_splits(command, data));
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
  constexpr const char* kNames[] = {"plain", "stratified", "groups", "stratified-groups", "time"};
  const Validation& v = command.validation;
  Json json = Json::object({{"split", kNames[static_cast<int>(split_of(command, data))]},
                            {"folds", v.folds},
                            {"repeats", v.repeats},
                            {"seed", static_cast<Index>(seed_of(command))},
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
