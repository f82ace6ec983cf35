#include "cli/parse.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/check.h"
#include "cli/formatter.h"
#include "cli/help.h"
#include "cli/output.h"
#include "cli/sweep.h"
#include "cli/values.h"
#include "craton/core/error.h"
#include "craton/core/options.h"
#include "craton/core/registry.h"
#include "craton/core/version.h"

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
    app_.footer("Example: " + example_of(verb, model));
    command_.verb = verb.verb;
    command_.model = model;
    switch (verb.verb) {
      case Verb::kFit:
        add_fit();
        break;
      case Verb::kLearn:
      case Verb::kUnlearn:
        add_learn();
        break;
      case Verb::kMerge:
        add_merge();
        break;
      case Verb::kSelect:
        add_select();
        break;
      case Verb::kModels:
        word("NAME", command_.model, "of a model; without it, all are listed", false);
        break;
      case Verb::kPredict:
        add_predict();
        break;
      case Verb::kScore:
        add_score();
        break;
      case Verb::kSample:
        add_sample();
        break;
      case Verb::kPlot:
        add_plot_verb();
        break;
      case Verb::kExplain:
        word("CODE", command_.code, "of an error; without it, all are listed", false);
        break;
      case Verb::kConvert:
        add_convert();
        break;
      default:
        word("MODEL_FILE", command_.model_file, "what 'craton fit ... -o' wrote");
        add_flag("--linear", command_.linear, "print the weights of a linear form, as CSV");
        add_flag("--boundary", command_.boundary, "print where labels are level, as CSV");
        break;
    }
    if (verb.verb != Verb::kPlot) {
      add_flag("--json", command_.json, "print one JSON document, for programs");
    }
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
    refuse_empty();
    for (const auto& [name, value] : required_) {
      if (value->empty()) {
        refuse(Code::kBadOption, fmt::format("{} is missing", name),
               "For example: " + app_.get_footer().substr(9));
      }
    }
    return finish();
  }

 private:
  void add_fit() {
    for (const Option& option : find_model(command_.model).options()) add(option);
    word("DATA", command_.data, "a data file: CSV, NPY, LIBSVM, ...; '-' is stdin");
    add_fit_options();
    if (find_model(command_.model).abilities.fit_from) {
      text("--warm-start", command_.warm_start, "FILE",
           "start from this model, with its columns, and its options where none are given");
    }
    text("-o,--output", command_.output, "FILE", "save the model here");
    text("--plot", command_.plot, "FILE", "draw data and model as SVG");
    add_plot_columns();
    text("--plot-stages", plot_stages_, "T,...",
         "draw the fit after so many updates instead, side by side: 0,1,2,5,20");
    text("--plot-traces", command_.plot_traces, "FILE",
         "draw the objective of every start, pass by pass, as SVG");
    add_flag("--strict", command_.strict, "fail (exit code 4) when the fit did not converge");
    add_flag("--quiet,-q", command_.quiet, "print warnings and errors only");
  }

  void add_learn() {
    add_model_and_data();
    text("--weights", command_.weights, "COLUMN", "holds the weight of each row");
    text("-o,--output", command_.output, "FILE", "save the model here");
    add_run_options();
    add_flag("--quiet,-q", command_.quiet, "print warnings and errors only");
  }

  void add_merge() {
    app_.add_option("MODEL_FILE", command_.model_files, "two or more, of one kind and columns")
        ->type_name("");
    text("-o,--output", command_.output, "FILE", "save the model here");
    add_flag("--quiet,-q", command_.quiet, "print warnings and errors only");
  }

  void add_select() {
    for (const Option& option : sweep_options(find_model(command_.model))) add(option);
    word("DATA", command_.data, "a data file: CSV, NPY, LIBSVM, ...; '-' is stdin");
    add_fit_options();
    text("--criterion", command_.criterion, "NAME", "what to minimise [bic|aic|icl] (default bic)");
    text("-o,--output", command_.output, "FILE", "save the best model here");
    text("--plot", command_.plot, "FILE", "draw the criterion as SVG");
    add_flag("--quiet,-q", command_.quiet, "print warnings and errors only");
  }

  void add_predict() {
    add_model_and_data();
    add_flag("--proba", command_.proba, "add the probability of each label: p_0, p_1, ...");
    text("--explain", explain_, "N", "name the N features that speak most for each label");
    text("-o,--output", command_.output, "FILE", "write here instead of to stdout");
    add_run_options();
    add_flag("--quiet,-q", command_.quiet, "no notes");
  }

  void add_score() {
    add_model_and_data();
    text("--target", command_.target, "COLUMN", "the labels, if not called as when fitted");
    text("--weights", command_.weights, "COLUMN", "holds the weight of each row");
    add_run_options();
    add_flag("--quiet,-q", command_.quiet, "no notes");
  }

  void add_plot_verb() {
    add_model_and_data();
    add_plot_columns();
    text("-o,--output", command_.output, "FILE", "write here instead of to stdout");
    add_run_options();
    add_flag("--quiet,-q", command_.quiet, "no notes");
  }

  void add_sample() {
    word("MODEL_FILE", command_.model_file, "what 'craton fit ... -o' wrote; '-' is stdin");
    text("-n,--rows", rows_, "N", "rows to draw");
    required_.emplace_back("-n N (how many rows)", &rows_);
    text("--seed", seed_, "N", "seed of the random numbers (default 0)");
    add_flag("--labels", command_.labels, "add the component each row came from: label");
    text("-o,--output", command_.output, "FILE", "write here instead of to stdout");
  }

  void add_model_and_data() {
    word("MODEL_FILE", command_.model_file, "what 'craton fit ... -o' wrote; '-' is stdin");
    word("DATA", command_.data, "a data file: CSV, NPY, LIBSVM, ...; '-' is stdin");
  }

  void add_convert() {
    word("IN", command_.data, "a data file; '-' is stdin, a.npz:x one array of an archive");
    word("OUT", command_.output, "the file to write; '-' is stdout");
    text("--to", command_.to, "FORMAT", "of OUT, likewise; npz is only read (default: by name)");
    text("--target", command_.target, "COLUMN", "of IN, to be the label in a LIBSVM file");
    add_read_options();
    add_progress();
    add_flag("--quiet,-q", command_.quiet, "no notes");
  }

  void add_fit_options() {
    const Abilities& able = find_model(command_.model).abilities;
    if (able.labels) text("--target", command_.target, "COLUMN", "the labels to learn from");
    if (able.some_labels) {
      text("--target", command_.target, "COLUMN", "labels, of some rows or all (default: none)");
    }
    text("--features", features_, "A,B,...", "use only these columns");
    text("--drop", drop_, "A,B,...", "leave these columns out");
    text("--weights", command_.weights, "COLUMN", "holds the weight of each row");
    add_run_options();
  }

  void add_run_options() {
    text("--missing", missing_, "NAME",
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
    option("--schema", schema_, "A=KIND,...",
           "what columns of a CSV file hold [number|category|text|ignore] (default: guessed)");
    option("--header", header_, "NAME", "of a CSV file [auto|yes|no] (default auto)");
    option("--delimiter", delimiter_, "CHAR",
           "of a CSV file: one character, or tab or space (default: guessed)");
    option("--tmpdir", command_.read.temporary_folder, "DIR",
           "for what does not fit in --memory (default: $TMPDIR, or /tmp)");
    option("--memory", memory_, "SIZE",
           "of parsed rows to keep, such as 500M or 2G; more goes to --tmpdir (default 64M)");
  }

  void add_progress() {
    text("--threads", threads_, "N", "threads (default: all cores)");
    text(
        "--progress", progress_, "NAME",
        "how to show progress on stderr [auto|plain|json|off] (default auto: a bar on a terminal)");
  }

  void add_plot_columns() {
    text("--plot-columns", plot_columns_, "X,Y",
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
  void add_flag(const char* flag, bool& value, const char* help) {
    app_.add_flag(flag, value, help);
  }

  std::string help() const {
    std::string text = app_.help();
    // CLI11 puts two lines between groups.
    for (std::size_t gap; (gap = text.find("\n\n\n")) != text.npos;) text.erase(gap, 1);
    return text;
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
    std::string near = did_you_mean(given, flags);
    if (command_.verb == Verb::kSelect && given.ends_with("-init")) {
      near = "A given start fits one --n-components only: use 'craton fit'.";
    }
    if (given == "--random-state") near = "did you mean '--seed'?";
    if (given == "--n-jobs") near = "did you mean '--threads'?";
    refuse(Code::kUnknownName, fmt::format("{} has no option '{}'", app_.get_name(), given),
           (near.empty() ? "" : near + " ") + see_help());
  }

  // CLI11 takes '' for a value.
  void refuse_empty() const {
    for (const CLI::Option* option : app_.get_options()) {
      if (option->get_positional() || option->get_expected_min() == 0) continue;
      const auto& values = option->results();
      if (std::find(values.begin(), values.end(), "") == values.end()) continue;
      const auto& letters = option->get_snames();
      refuse(Code::kBadOption,
             (letters.empty() ? option->get_name() : "-" + letters[0]) + " needs a value",
             see_help());
    }
  }

  Command finish() {
    command_.features = names_of("--features", features_);
    command_.drop = names_of("--drop", drop_);
    command_.plot_columns = names_of("--plot-columns", plot_columns_);
    command_.plot_stages = counts_of("--plot-stages", plot_stages_);
    if (!command_.plot_stages.empty() && command_.plot.empty()) {
      refuse(Code::kBadOption, "--plot-stages needs a file to draw to", "Give --plot FILE.svg.");
    }
    if (!command_.warm_start.empty() && !(command_.features.empty() && command_.drop.empty())) {
      refuse(Code::kBadOption, "--warm-start has the columns of its model already",
             "Leave --features and --drop out.");
    }
    command_.missing = choice_of<Missing>(
        "--missing", missing_,
        {{"auto", Missing::kAuto}, {"error", Missing::kError}, {"skip", Missing::kSkip}});
    command_.progress = choice_of<ProgressStyle>("--progress", progress_,
                                                 {{"auto", ProgressStyle::kAuto},
                                                  {"plain", ProgressStyle::kPlain},
                                                  {"json", ProgressStyle::kJson},
                                                  {"off", ProgressStyle::kOff}});
    command_.read.header =
        choice_of<Header>("--header", header_,
                          {{"auto", Header::kSniff}, {"yes", Header::kYes}, {"no", Header::kNo}});
    command_.read.kinds = kinds_of("--schema", schema_);
    command_.read.delimiter = delimiter_of("--delimiter", delimiter_);
    if (!memory_.empty()) command_.read.memory = bytes_of("--memory", memory_);
    if (command_.read.temporary_folder.empty()) {
      if (const char* folder = std::getenv("TMPDIR")) command_.read.temporary_folder = folder;
    }
    constexpr Index kMost = Index{1} << 40, kMostThreads = 1024;
    if (!rows_.empty()) command_.rows = whole_number("-n", rows_, 1, kMost);
    if (!explain_.empty()) command_.explain = whole_number("--explain", explain_, 1, kMost);
    if (!seed_.empty()) {
      command_.seed = whole_number("--seed", seed_, 0, std::numeric_limits<Index>::max());
    }
    if (!threads_.empty()) {
      command_.threads = static_cast<int>(whole_number("--threads", threads_, 0, kMostThreads));
    }
    choice_of<bool>("--criterion", command_.criterion,
                    {{"bic", true}, {"aic", true}, {"icl", true}});
    check_files(command_);
    return std::move(command_);
  }

  CLI::App app_;
  Command command_;
  std::string schema_, header_ = "auto", delimiter_, memory_;
  std::string features_, drop_, plot_columns_, plot_stages_, rows_, seed_, threads_, explain_;
  std::string missing_ = "auto", progress_ = "auto";
  std::vector<std::pair<std::string, const std::string*>> required_;
};

bool is_help(const std::string& word) { return word == "--help" || word == "-h"; }

}  // namespace

Command parse(std::span<const std::string> words) {
  if (words.empty()) {
    refuse(Code::kBadOption, "no verb given", "See 'craton --help'. First steps: craton models");
  }
  if (is_help(words[0]) || words[0] == "help") return {.text = std::string(kMainHelp)};
  if (words[0] == "--version") return {.text = fmt::format("craton {}\n", version())};

  const VerbHelp& verb = find_verb(words[0]);
  words = words.subspan(1);
  if (verb.verb != Verb::kFit && verb.verb != Verb::kSelect) {
    return VerbParser(verb, "").parse(words);
  }
  if (!words.empty() && is_help(words[0])) return {.text = help_without_model(verb)};
  if (words.empty() || words[0].starts_with("-")) {
    refuse(Code::kBadOption, fmt::format("craton {} needs a model first", verb.name),
           fmt::format("For example: {}", verb.example));
  }
  const ModelInfo& model = find_model(words[0]);
  if (verb.verb == Verb::kSelect) check_can_sweep(model, verb.example);
  return VerbParser(verb, std::string(model.name)).parse(words.subspan(1));
}

}  // namespace craton::cli
