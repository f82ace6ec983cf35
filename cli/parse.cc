#include "cli/parse.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/check.h"
#include "cli/formatter.h"
#include "cli/help.h"
#include "cli/output.h"
#include "cli/sweep.h"
#include "cli/typed.h"
#include "craton/base/error.h"
#include "craton/base/options.h"
#include "craton/base/version.h"
#include "craton/model/registry.h"
#include "craton/tables/preparation.h"

// The only file that knows CLI11. Every value is taken as text, so that options are checked, and
// explained, where they are described.

namespace craton::cli {
namespace {

[[noreturn]] void refuse(Code code, const std::string& what, const std::string& fix) {
  throw InputError(code, {}, what, fix);
}

// The words of one verb, read into a command.
class VerbParser {
 public:
  VerbParser(const VerbHelp& verb, const std::string& model)
      : app_(std::string(verb.help),
             fmt::format("craton {}{}{}", verb.name, model.empty() ? "" : " ", model)) {
    app_.formatter(std::make_shared<Formatter>());
    app_.allow_extras();
    app_.footer("Example:\n" + indented(example_of(verb, model)));
    command_.verb = verb.verb;
    command_.model = model;
    using Add = void (VerbParser::*)();
    static constexpr std::pair<Verb, Add> kAdd[] = {
        {Verb::kFit, &VerbParser::add_fit},           {Verb::kLearn, &VerbParser::add_learn},
        {Verb::kUnlearn, &VerbParser::add_learn},     {Verb::kMerge, &VerbParser::add_merge},
        {Verb::kSelect, &VerbParser::add_select},     {Verb::kCv, &VerbParser::add_cv},
        {Verb::kCompare, &VerbParser::add_compare},   {Verb::kModels, &VerbParser::add_models},
        {Verb::kPredict, &VerbParser::add_predict},   {Verb::kScore, &VerbParser::add_score},
        {Verb::kSample, &VerbParser::add_sample},     {Verb::kPlot, &VerbParser::add_plot_verb},
        {Verb::kExplain, &VerbParser::add_explain},   {Verb::kConvert, &VerbParser::add_convert},
        {Verb::kDescribe, &VerbParser::add_describe}, {Verb::kCompletion, &VerbParser::add_shell},
    };
    for (const auto& [of, add] : kAdd) {
      if (of == verb.verb) (this->*add)();
    }
    const char* const json = "print one JSON document, for programs";
    if (prints_json(verb.verb)) app_.add_flag("--json", command_.json, json);
    app_.set_help_flag("--help,-h", "show this help");  // last, so that it is listed last
  }

  Command parse(std::span<const std::string> words) {
    try {
      app_.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 pops the back
    } catch (const CLI::CallForHelp&) {
      return {.text = help()};
    } catch (const CLI::ArgumentMismatch& error) {
      const std::string what = error.what();
      refuse(Code::kBadOption, what.substr(0, what.find(':')) + " needs a value", see_help());
    } catch (const CLI::ParseError& error) {
      refuse(Code::kBadOption, error.what(), see_help());
    }
    refuse_extras();
    if (const std::string option = option_without_value(app_); !option.empty()) {
      refuse(Code::kBadOption, option + " needs a value", see_help());
    }
    for (const auto& [name, value] : required_) {
      if (value->empty()) {
        refuse(Code::kBadOption, fmt::format("{} is missing", name),
               "For example: " + last_line(app_.get_footer()));
      }
    }
    return finish();
  }

  Usage usage() const { return usage_of(app_); }

 private:
  void add_fit() {
    for (const Option& option : find_model(command_.model).options()) add(option);
    add_data();
    add_fit_options();
    if (find_model(command_.model).abilities.fit_from) {
      text("--warm-start", command_.warm_start, "FILE",
           "start from this model, with its columns, and its options where none are given");
    }
    text("-o,--output", command_.output, "FILE", "save the model here");
    text("--plot", command_.plot, "FILE", "draw data and model as SVG");
    add_plot_columns();
    text("--plot-stages", typed_.plot_stages, "T,...",
         "draw the fit after so many updates instead, side by side: 0,1,2,5,20");
    text("--plot-traces", command_.plot_traces, "FILE",
         "draw the objective of every start, pass by pass, as SVG");
    app_.add_flag("--strict", command_.strict, "fail (exit code 4) when the fit did not converge");
    app_.add_flag("--quiet,-q", command_.quiet, "print warnings and errors only");
  }

  void add_learn() {
    add_model_and_data();
    add_weights();
    text("-o,--output", command_.output, "FILE", "save the model here");
    add_run_options();
    app_.add_flag("--quiet,-q", command_.quiet, "print warnings and errors only");
  }

  void add_merge() {
    app_.add_option("MODEL_FILE", command_.model_files, "two or more, of one kind and columns")
        ->type_name("");
    text("-o,--output", command_.output, "FILE", "save the model here");
    app_.add_flag("--quiet,-q", command_.quiet, "print warnings and errors only");
  }

  void add_select() {
    const ModelInfo& model = find_model(command_.model);
    for (const Option& option : sweep_options(model)) add(option);
    add_data();
    add_fit_options();
    text(
        "--criterion", command_.criterion, "NAME",
        sweeps_clusters(model)
            ? "what to choose by [silhouette|calinski-harabasz|davies-bouldin|gap] "
              "(default silhouette)"
            : "what to choose by: the lowest of a criterion, or the likelihood of rows held out in "
              "5 folds [bic|aic|icl|held-out] (default bic)");
    text("-o,--output", command_.output, "FILE", "save the best model here");
    text("--plot", command_.plot, "FILE", "draw the criterion as SVG");
    app_.add_flag("--quiet,-q", command_.quiet, "print warnings and errors only");
  }

  void add_cv() {
    for (const Option& option : find_model(command_.model).options()) {
      if (option.name != "metric") add(option);  // --grid takes it, --metric says what to measure
    }
    add_data();
    add_fit_options();
    add_validation();
    app_.add_option("--grid", command_.validation.grid,
                    "try these: alpha=0.1,1,10 or n_components=1..8; may be given again")
        ->type_name("OPTION=VALUES")
        ->allow_extra_args(false);
    text("-o,--output", command_.output, "FILE",
         "write what each row was given in the fold that held it out, as CSV");
    text("--random", typed_.draws, "N",
         "draw N points of the grid, whose ranges may be alpha=0.01..10 or alpha=0.01..10:log");
  }

  void add_compare() {
    app_.add_option("MODEL... DATA", command_.models,
                    "models, or models with options, nb:var_smoothing=1; then the data file")
        ->type_name("");
    PreparationOptions shared;
    for (const Option& option : list_options([&](OptionVisitor& v) { describe(v, shared); })) {
      add(option);
    }
    add_fit_options();
    add_validation();
  }

  void add_validation() {
    text("--metric", typed_.metrics, "A,B,...",
         "what to measure; the first decides (default: what fits the model; docs/choosing.md)");
    text("--positive", command_.positive, "LABEL",
         "whose precision, recall, f1, ... to give (default: the second of two, or the mean)");
    text("--folds", typed_.folds, "N", "parts of the rows, each held out once (default 5)");
    text("--repeats", typed_.repeats, "N", "times, each with other folds (default 1)");
    text("--split", command_.validation.split, "NAME",
         "how rows are parted [plain|stratified|groups|time] (default: stratified by --target)");
    text("--groups", command_.validation.groups, "COLUMN",
         "rows of one group stay together; --split stratified: with classes spread evenly");
    text("--time", command_.validation.time, "COLUMN",
         "learn from the past only, by this column (--split time: by the order of rows)");
    if (app_.get_option_no_throw("--seed") == nullptr) {  // not the model's
      text("--seed", typed_.seed, "N", "seed of the folds (default 0)");
    }
    app_.add_flag("--quiet,-q", command_.quiet, "no notes");
  }

  void add_predict() {
    add_model_and_data();
    app_.add_flag("--proba", command_.proba, "add the probability of each label: p_0, p_1, ...");
    text("--keep", typed_.keep, "A,B,...", "print these columns of the data before the label");
    text("--explain", typed_.explain, "N", "name the N features that speak most for each label");
    app_.add_flag("--diagnose", command_.diagnose,
                  "add how well each row fits: its label's probability, log density, distance");
    text("-o,--output", command_.output, "FILE", "write here instead of to stdout");
    add_run_options();
    app_.add_flag("--quiet,-q", command_.quiet, "no notes");
  }

  void add_score() {
    add_model_and_data();
    text("--target", command_.target, "COLUMN", "the labels, if not called as when fitted");
    text("--positive", command_.positive, "LABEL", "add how well it is told from the others");
    add_weights();
    add_run_options();
    app_.add_flag("--quiet,-q", command_.quiet, "no notes");
  }

  void add_plot_verb() {
    add_model_and_data();
    add_plot_columns();
    text("-o,--output", command_.output, "FILE", "write here instead of to stdout");
    add_run_options();
    app_.add_flag("--quiet,-q", command_.quiet, "no notes");
  }

  void add_sample() {
    word("MODEL_FILE", command_.model_file, "what 'craton fit ... -o' wrote; '-' is stdin");
    text("-n,--rows", typed_.rows, "N", "rows to draw");
    required_.emplace_back("-n N (how many rows)", &typed_.rows);
    text("--seed", typed_.seed, "N", "seed of the random numbers (default 0)");
    app_.add_flag("--labels", command_.labels, "add the component each row came from: label");
    text("-o,--output", command_.output, "FILE", "write here instead of to stdout");
  }

  void add_models() {
    word("NAME", command_.model, "of a model; without it, all are listed", false);
  }
  void add_shell() { word("SHELL", command_.shell, "bash, zsh or fish"); }
  void add_explain() {
    word("CODE", command_.code, "of an error; without it, all are listed", false);
  }
  void add_describe() {
    word("FILE", command_.model_file, "what 'craton fit ... -o' wrote, or data; '-' is stdin");
    text("--target", command_.target, "COLUMN", "of data: add the shares of its classes");
    add_read_options();
    add_progress();
    text("--table", command_.table, "NAME",
         "of a model: print this table alone, such as centres, means or parameters");
    text("-o,--output", command_.output, "FILE", "write that table here, as CSV with all digits");
    app_.add_flag("--linear", command_.linear, "print the weights of a linear form, as CSV");
    app_.add_flag("--boundary", command_.boundary, "print where labels are level, as CSV");
  }
  void add_weights() {
    text("--weights", command_.weights, "COLUMN", "holds the weight of each row");
  }
  void add_data() {
    word("DATA", command_.data, "a data file: CSV, NPY, LIBSVM, ...; '-' is stdin");
  }
  void add_model_and_data() {
    word("MODEL_FILE", command_.model_file, "what 'craton fit ... -o' wrote; '-' is stdin");
    add_data();
  }

  void add_convert() {
    word("IN", command_.data, "a data file; '-' is stdin, a.npz:x one array of an archive");
    word("OUT", command_.output, "the file to write; '-' is stdout");
    text("--to", command_.to, "FORMAT", "of OUT, likewise; npz is only read (default: by name)");
    text("--target", command_.target, "COLUMN", "of IN, to be the label in a LIBSVM file");
    add_read_options();
    add_progress();
    app_.add_flag("--quiet,-q", command_.quiet, "no notes");
  }

  void add_fit_options() {
    const bool fits = command_.verb == Verb::kFit || command_.verb == Verb::kSelect;
    const Abilities able = fits ? find_model(command_.model).abilities : Abilities{};
    if (!fits) text("--target", command_.target, "COLUMN", "the true labels");
    if (able.labels) text("--target", command_.target, "COLUMN", "the labels to learn from");
    if (able.some_labels) {
      text("--target", command_.target, "COLUMN", "labels, of some rows or all (default: none)");
    }
    text("--features", typed_.features, "A,B,...", "use only these columns");
    text("--drop", typed_.drop, "A,B,...", "leave these columns out");
    add_weights();
    add_run_options();
  }

  void add_run_options() {
    text("--missing", typed_.missing, "NAME",
         "rows with missing values [auto|error|skip] (default auto: kept if the model takes them)");
    add_read_options();
    add_progress();
  }

  void add_read_options() {
    const auto option = [this](const char* flag, std::string& value, const char* type,
                               const char* help) {
      app_.add_option(flag, value, help)->type_name(type)->group("Options of the data file");
    };
    option("--from", command_.read.format, "FORMAT",
           "csv, tsv, npy, npz, libsvm, idx, mtx or jsonl (default: by content and name)");
    option("--schema", typed_.schema, "A=KIND,...",
           "what columns of a CSV file hold [number|category|text|ignore] (default: guessed)");
    option("--header", typed_.header, "NAME", "of a CSV file [auto|yes|no] (default auto)");
    option("--names", typed_.names, "A,B,...", "of the columns of a CSV file without a header");
    option("--delimiter", typed_.delimiter, "CHAR",
           "of a CSV file: one character, or tab or space (default: guessed)");
    option("--tmpdir", command_.read.temporary_folder, "DIR",
           "for what does not fit in --memory (default: $TMPDIR, or /tmp)");
    option("--memory", typed_.memory, "SIZE",
           "of parsed rows to keep, such as 500M or 2G; more goes to --tmpdir (default 64M)");
  }

  void add_progress() {
    text("--threads", typed_.threads, "N", "threads (default: all cores)");
    text(
        "--progress", typed_.progress, "NAME",
        "how to show progress on stderr [auto|plain|json|off] (default auto: a bar on a terminal)");
  }

  void add_plot_columns() {
    text("--plot-columns", typed_.plot_columns, "X,Y",
         "the two columns to draw (default: the first two)");
  }

  void add(const Option& option) {
    const auto take = [this, name = option.name](const std::string& value) {
      command_.options.emplace_back(name, value);
    };
    app_.add_option_function<std::string>(flag_of(option.name), take, help_of(option))
        ->type_name(type_of(option))
        ->group(fmt::format("Options of {}", command_.model));
  }
  void text(const std::string& flag, std::string& value, const char* type, const char* help) {
    app_.add_option(flag, value, help)->type_name(type);
  }
  void word(const char* name, std::string& value, const char* help, bool required = true) {
    app_.add_option(name, value, help)->type_name("");
    if (required) required_.emplace_back(name, &value);
  }

  std::string help() const {
    std::string text = app_.help();
    // CLI11 puts two lines between groups.
    for (std::size_t gap; (gap = text.find("\n\n\n")) != text.npos;) text.erase(gap, 1);
    return text.ends_with('\n') ? text : text + "\n";
  }
  std::string see_help() const { return fmt::format("See '{} --help'.", app_.get_name()); }

  void refuse_extras() const {
    std::vector<std::string> extras = app_.remaining();
    std::erase(extras, "--");  // what follows it is no option
    if (extras.empty()) return;
    const auto option = std::find_if(extras.begin(), extras.end(), [](const std::string& word) {
      return word.size() > 1 && word[0] == '-';
    });
    if (option == extras.end()) {
      refuse(Code::kBadOption, fmt::format("do not know what to do with '{}'", extras[0]),
             see_help());
    }
    const std::string given = option->substr(0, option->find('='));
    std::vector<std::string> flags;
    for (const CLI::Option* known : app_.get_options()) {
      for (const std::string& name : known->get_lnames()) flags.push_back("--" + name);
    }
    const std::string near = near_flag(command_.verb, given, flags);
    refuse(Code::kUnknownName, fmt::format("{} has no option '{}'", app_.get_name(), given),
           (near.empty() ? "" : near + " ") + see_help());
  }

  Command finish() {
    read_typed(typed_, command_);
    check_files(command_);
    return std::move(command_);
  }

  CLI::App app_;
  Command command_;
  Typed typed_;
  std::vector<std::pair<std::string, const std::string*>> required_;
};

bool is_help(const std::string& word) { return word == "--help" || word == "-h"; }

}  // namespace

Command parse(std::span<const std::string> words) {
  if (words.empty()) {
    refuse(Code::kBadOption, "no verb given", "See 'craton --help'. First steps: craton models");
  }
  if (is_help(words[0]) || words[0] == "help") {
    if (words.size() == 1) return {.text = std::string(kMainHelp)};
    std::vector<std::string> turned(words.begin() + 1, words.end());  // craton help fit gmm
    turned.emplace_back("--help");
    return parse(turned);
  }
  if (words[0] == "--version") return {.text = fmt::format("craton {}\n", version())};

  const VerbHelp& verb = find_verb(words[0]);
  words = words.subspan(1);
  if (!needs_model(verb.verb)) return VerbParser(verb, "").parse(words);
  if (!words.empty() && is_help(words[0])) return {.text = help_without_model(verb)};
  if (words.empty() || words[0].starts_with("-")) {
    refuse(Code::kBadOption, fmt::format("craton {} needs a model first", verb.name),
           fmt::format("For example: {}", verb.example));
  }
  const ModelInfo& model = find_model(words[0]);
  if (verb.verb == Verb::kSelect) check_can_sweep(model, verb.example);
  return VerbParser(verb, std::string(model.name)).parse(words.subspan(1));
}

Usage usage_of(const VerbHelp& verb, const std::string& model) {
  return VerbParser(verb, model).usage();
}

}  // namespace craton::cli
