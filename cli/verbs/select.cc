#include <fmt/core.h>

#include "cli/parsing/data.h"
#include "cli/parsing/flags.h"
#include "cli/parsing/model_options.h"
#include "cli/parsing/values.h"
#include "cli/showing/output.h"
#include "cli/showing/progress.h"
#include "cli/showing/summary.h"
#include "cli/showing/to_json.h"
#include "cli/verbs.h"
#include "craton/draw/terminal.h"
#include "craton/model/model_file.h"
#include "craton/report/choice.h"

namespace craton::cli {
namespace {

constexpr int kChartWidth = 78;

// Of the options typed, those that are lists of values to try, and the others.
Sweep sweep_of(const Command& command, const ModelInfo& model) {
  Sweep sweep;
  Command others = command;
  others.options.clear();
  for (const auto& [name, text] : command.options) {
    if (name == swept_option(model)) {
      sweep.values = parse_swept(model, text);
    } else if (name == kind_option(model)) {
      sweep.kinds = parse_kinds(text);
    } else {
      others.options.emplace_back(name, text);
    }
  }
  sweep.options = read_options(model, others);
  return sweep;
}

std::string why(const ModelChoice& choice) {
  const Setting& best = choice.chosen().setting;
  std::string text;
  for (const Reason& reason : choice.reasons) {
    text += (text.empty() ? "" : "; ") + reason.text;
    if (reason.advice == Reason::Advice::kTryMore) {
      text += fmt::format(", {} {}..{}", flag_of(best.swept), best.value, 2 * best.value);
    } else if (reason.advice == Reason::Advice::kMoreStarts) {
      text += ": --n-init 20 tries more";
    } else if (reason.advice == Reason::Advice::kMeasureLabels) {
      text += ": 'craton cv' measures their labels";
    }
  }
  return text;
}

void complain_of(const Command& command, const Data& data, const ModelChoice& choice,
                 std::size_t settings) {
  const bool clusters = sweeps_clusters(choice.chosen().fitted.info());
  const std::vector<std::string>& impossible = choice.impossible;
  if (!impossible.empty() && clusters) {
    complain("note", fmt::format("{}: there are too few rows for {} clusters or more", data.name(),
                                 impossible.front()));
  } else if (!impossible.empty() && !command.quiet) {
    complain("note", fmt::format("{}: there are too few rows, or too few that differ, for {} of {} "
                                 "fits ({})",
                                 data.name(), impossible.size(), settings, listed(impossible)));
  }
  std::vector<std::string> open;
  const Fitted* last = nullptr;
  for (const SettingFit& fit : choice.fits) {
    if (clusters || fit.fitted.report.converged) continue;
    open.push_back(fit.setting.name());
    last = &fit.fitted;
  }
  if (last == nullptr) return;
  complain("warning", fmt::format("{} of {} fits did not converge ({})\n  {}", open.size(),
                                  choice.fits.size(), join(open), advice(*last)));
}

Json choice_to_json(const Command& command, const ModelChoice& choice) {
  const std::vector<ChoiceColumn> columns = choice_columns(choice);
  Json::List list;
  for (std::size_t i = 0; i < choice.fits.size(); ++i) {
    Json fit = Json::object({});
    for (const ChoiceColumn& column : columns) fit.set(column.name, to_json(column.values[i]));
    list.push_back(std::move(fit));
  }
  return Json::object({{"criterion", choice.criterion.name},
                       {"candidates", Json(Json::Value(std::move(list)))},
                       {"best", to_json(choice.chosen().fitted)},
                       {"why", why(choice)},
                       {"output", command.output.empty() ? Json() : Json(command.output)}});
}

// A line about the data, if there is more to say.
std::string remark(const ModelChoice& choice) {
  if (choice.simplified) {
    return field("silhouette", "simplified: distances to centres, as there are many rows");
  }
  for (const SettingFit& fit : choice.fits) {
    if (!fit.flat()) continue;
    return field("flat",
                 "a component has no width in some direction but its floor: too many, or ties");
  }
  return "";
}

int run_select(const Command& command) {
  check_writable(command.output);
  check_writable(command.plot);
  const ModelInfo& model = find_model(command.model);
  ConsoleProgress progress(command);
  const Exec exec{.threads = command.threads, .progress = &progress};
  const Data data = read_to_fit(command, exec);
  const std::vector<Setting> settings = settings_of(model, sweep_of(command, model));
  progress.start_passes(data.size());
  const auto next = [&](Index i) {
    const Setting& setting = settings[usize(i)];
    progress.task(i, ssize(settings), fmt::format("{} {}", setting.swept, setting.value));
  };
  ModelChoice choice = choose_model(model, data.source(), settings,
                                    find_choice_criterion(model, command.criterion), exec, next);
  progress.finish();  // from here on results are written, whole
  complain_of(command, data, choice, settings.size());
  const Curve curve = choice_curve(choice, data.source());
  if (!command.output.empty()) {
    Fitted& chosen = choice.fits[usize(choice.best)].fitted;
    add_form_notes(chosen.report.notes, chosen.schema, data.forms);
    save(command.output, pack_model(chosen));
  }
  if (!command.plot.empty()) save(command.plot, draw_curve(curve));

  const bool stdout_taken = command.output == "-" || command.plot == "-";
  if (stdout_taken) return kOk;
  if (command.json) print_json(choice_to_json(command, choice));
  if (command.json || command.quiet) return kOk;
  print(field("data", describe(data)) + remark(choice) + "\n" + laid_out(choice_table(choice)) +
        "\n" + draw_terminal_curve(curve, kChartWidth) + "\n" +
        field("best", choice.chosen().setting.name() + ": " + why(choice)) +
        field("saved", command.output.empty() ? "nothing: give -o FILE to keep the best model"
                                              : command.output) +
        (command.plot.empty() ? "" : field("plot", command.plot)));
  return kOk;
}

// The options of a model as this verb takes them: lists, and no arrays, since a given start fits
// one number of components only.
std::vector<Option> sweep_options(const ModelInfo& model) {
  std::vector<Option> options = model.options();
  std::erase_if(options, [](const Option& o) { return o.type == OptionType::kArray; });
  for (Option& option : options) {
    if (option.name == "n_init") option.value = kSweepStarts;
    if (option.name == "covariance_type") option.help += "; or several: full,diag";
    if (option.name == "family") option.help += "; or several: gaussian,gamma, or A=...;A=...";
    if (option.name != swept_option(model)) continue;
    option.help +=
        option.name == "pooling" ? "; or several: 0,0.5,1" : ": a range, 1..8, or a list, 2,3,5";
    option.value = usual_values(model);
  }
  return options;
}

// "[bic|aic|icl|held-out] (default bic)"
std::string criterion_names(const ModelInfo& model) {
  std::string names;
  for (const ChoiceCriterion& criterion : choice_criteria(model)) {
    names += (names.empty() ? "" : "|") + std::string(criterion.name);
  }
  return fmt::format("[{}] (default {})", names, choice_criteria(model)[0].name);
}

void check_criterion(Command& command) {
  std::vector<std::string> names;
  for (const ChoiceCriterion& criterion : choice_criteria(find_model(command.model))) {
    if (criterion.name == command.criterion) return;
    names.emplace_back(criterion.name);
  }
  if (!command.criterion.empty()) refuse_choice("--criterion", command.criterion, names);
}

constexpr std::string_view kExample =
    "craton select gmm examples/data/islands.csv --n-components 1..8 -o best.craton";

void add_select_flags(Flags& flags) {
  Command& command = flags.command();
  const ModelInfo& model = flags.model();
  check_can_sweep(model, fmt::format("For example: {}", kExample));
  for (const Option& option : sweep_options(model)) flags.option(option);
  flags.hint("-init", "A given start fits one --n-components only: use 'craton fit'.");
  flags.data();
  flags.fit_options();
  const std::string by = sweeps_clusters(model)
                             ? "what to choose by "
                             : "what to choose by: the lowest of a criterion, or the likelihood of "
                               "rows held out in 5 folds ";
  flags.text("--criterion", command.criterion, "NAME", by + criterion_names(model));
  flags.save("save the best model here");
  flags.picture("--plot", command.plot, "draw the criterion as SVG");
  flags.quiet("print warnings and errors only");
  flags.after([&command] {
    command.draws = !command.plot.empty();
    check_criterion(command);
  });
}

}  // namespace

extern constinit const Verb kSelect{
    .name = "select",
    .help =
        "Fit a range of models and choose: by BIC, AIC or ICL, or clusters by silhouette or gap.",
    .example = kExample,
    .add = add_select_flags,
    .run = run_select,
    .takes = can_sweep,
};

}  // namespace craton::cli
