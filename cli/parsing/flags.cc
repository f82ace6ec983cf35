#include "cli/parsing/flags.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <limits>

#include "cli/parsing/help.h"
#include "cli/parsing/values.h"
#include "cli/showing/output.h"
#include "craton/text/text_step.h"

namespace craton::cli {
namespace {

constexpr Index kMostThreads = 1024, kMostFolds = 1000000;

void check_picture(const std::string& path) {
  for (const char* other : {".png", ".jpg", ".jpeg", ".pdf", ".gif"}) {
    if (!path.ends_with(other)) continue;
    refuse(fmt::format("pictures are SVG, and '{}' would be none", path),
           "Give a name that ends in .svg; rsvg-convert and browsers make others of it.");
  }
}

}  // namespace

// ---- One each

void Flags::word(const char* name, std::string& value, const char* help, bool required) {
  app_.add_option(name, value, help)->type_name("");
  if (required) need(name, value);
}

void Flags::words(const char* name, std::vector<std::string>& values, const char* help) {
  app_.add_option(name, values, help)->type_name("");
}

void Flags::text(const char* flag, std::string& value, const char* type, const std::string& help) {
  app_.add_option(flag, value, help)->type_name(type);
}

void Flags::repeated(const char* flag, std::vector<std::string>& values, const char* type,
                     const char* help) {
  app_.add_option(flag, values, help)->type_name(type)->allow_extra_args(false);
}

void Flags::yes(const char* flag, bool& value, const char* help) {
  app_.add_flag(flag, value, help);
}

void Flags::option(const Option& option) {
  const auto take = [this, name = option.name](const std::string& value) {
    command_.options.emplace_back(name, value);
  };
  app_.add_option_function<std::string>(flag_of(option.name), take, help_of(option))
      ->type_name(type_of(option))
      ->group(is_text_option(option.name) ? "Options of texts"
                                          : fmt::format("Options of {}", command_.model));
}

const std::string& Flags::read(const char* flag, const char* type, const char* help, Read read) {
  Typed& typed = typed_.emplace_back(Typed{{}, std::move(read)});
  text(flag, typed.text, type, help);
  return typed.text;
}

const std::string& Flags::whole(const char* flag, Index& value, Index low, Index high,
                                const char* help) {
  const std::string all = flag, name = all.substr(0, all.find(','));  // -n of "-n,--rows"
  return read(flag, "N", help, [name, &value, low, high](const std::string& typed) {
    value = whole_number(name, typed, low, high);
  });
}

const std::string& Flags::names(const char* flag, std::vector<std::string>& value,
                                const char* help) {
  return read(flag, "A,B,...", help,
              [flag, &value](const std::string& typed) { value = names_of(flag, typed); });
}

void Flags::finish() {
  for (const Typed& typed : typed_) {
    if (!typed.text.empty()) typed.read(typed.text);
  }
  for (const std::function<void()>& check : after_) check();
}

// ---- Groups

void Flags::data() {
  word("DATA", command_.data,
       "a data file: CSV, NPY, LIBSVM, ..., or a folder of texts; '-' is stdin");
}

void Flags::model_and_data() {
  word("MODEL_FILE", command_.model_file, "what 'craton fit ... -o' wrote; '-' is stdin");
  data();
}

void Flags::weights() {
  text("--weights", command_.weights, "COLUMN", "holds the weight of each row");
}

void Flags::fit_options() {
  const Abilities able = command_.measures ? Abilities{} : model().abilities;
  if (command_.measures) text("--target", command_.target, "COLUMN", "the true labels, or numbers");
  if (able.labels) text("--target", command_.target, "COLUMN", "the labels to learn from");
  if (able.numbers) text("--target", command_.target, "COLUMN", "the numbers to learn from");
  if (able.some_labels) {
    text("--target", command_.target, "COLUMN", "labels, of some rows or all (default: none)");
  }
  if (able.texts || command_.measures) {
    text("--text", command_.text_column, "COLUMN",
         able.texts_beside
             ? "holds texts, whose words are counted, beside the other columns (default: the one "
               "column of text)"
             : "holds texts, whose words are counted (default: the one column of text, if there "
               "are no numbers)");
  }
  names("--features", command_.features, "use only these columns");
  names("--drop", command_.drop, "leave these columns out");
  weights();
  run_options();
}

void Flags::run_options() {
  read("--missing", "NAME",
       "rows with missing values [auto|error|skip] (default auto: kept if the model takes them)",
       [this](const std::string& typed) {
         command_.missing = choice_of<Missing>(
             "--missing", typed,
             {{"auto", Missing::kAuto}, {"error", Missing::kError}, {"skip", Missing::kSkip}});
       });
  read_options();
  progress();
}

void Flags::read_options() {
  ReadOptions& how = command_.read;
  const std::size_t others = app_.get_options().size();
  text(
      "--from", how.format, "FORMAT",
      "csv, tsv, npy, npz, libsvm, idx, mtx, jsonl, or lines, each a document (default: by content "
      "and name)");
  read("--schema", "A=KIND,...",
       "what columns of a CSV file hold [number|category|text|ignore], or how they are written, "
       "such "
       "as date-dmy and decimal-comma (default: guessed)",
       [&how](const std::string& typed) { read_schema("--schema", typed, how); });
  read("--date-parts", "PART,...",
       "more columns of each date of a CSV file [year|month|day|weekday|hour], such as when.month",
       [&how](const std::string& typed) { how.date_parts = date_parts_of("--date-parts", typed); });
  read("--header", "NAME", "of a CSV file [auto|yes|no] (default auto)",
       [&how](const std::string& typed) {
         how.header = choice_of<Header>(
             "--header", typed,
             {{"auto", Header::kSniff}, {"yes", Header::kYes}, {"no", Header::kNo}});
       });
  names("--names", how.names, "of the columns of a CSV file without a header");
  read("--delimiter", "CHAR", "of a CSV file: one character, or tab or space (default: guessed)",
       [&how](const std::string& typed) { how.delimiter = delimiter_of("--delimiter", typed); });
  read("--quotes", "NAME",
       "around fields of a CSV file [auto|yes|none] (default auto: unless they do not pair)",
       [&how](const std::string& typed) {
         how.quotes = choice_of<Quotes>(
             "--quotes", typed,
             {{"auto", Quotes::kSniff}, {"yes", Quotes::kYes}, {"none", Quotes::kNone}});
       });
  read("--encoding", "NAME", "of a text file [utf-8|latin-1] (default utf-8)",
       [&how](const std::string& typed) {
         how.encoding.encoding = choice_of<Encoding>(
             "--encoding", typed, {{"utf-8", Encoding::kUtf8}, {"latin-1", Encoding::kLatin1}});
       });
  read("--encoding-errors", "NAME",
       "bytes that are no UTF-8 [strict|replace] (default strict: they are refused)",
       [&how](const std::string& typed) {
         how.encoding.errors = choice_of<EncodingErrors>(
             "--encoding-errors", typed,
             {{"strict", EncodingErrors::kStrict}, {"replace", EncodingErrors::kReplace}});
       });
  text("--tmpdir", how.temporary_folder, "DIR",
       "for what does not fit in --memory (default: $TMPDIR, or /tmp)");
  read("--memory", "SIZE", "of rows to keep, such as 2G; more goes to --tmpdir (default 256M)",
       [&how](const std::string& typed) { how.memory = bytes_of("--memory", typed); });
  const std::vector<CLI::Option*> all = app_.get_options();
  for (std::size_t i = others; i < all.size(); ++i) all[i]->group("Options of the data file");
  after([&how] {
    if (how.temporary_folder.empty()) {
      if (const char* folder = std::getenv("TMPDIR")) how.temporary_folder = folder;
    }
    if (how.names.empty()) return;
    if (how.header == Header::kYes) {
      refuse("--names is for files without a header", "Leave --header yes out.");
    }
    how.header = Header::kNo;
  });
}

void Flags::progress() {
  read("--threads", "N", "threads (default: all cores)", [this](const std::string& typed) {
    command_.threads = static_cast<int>(whole_number("--threads", typed, 0, kMostThreads));
  });
  read("--progress", "NAME",
       "how to show progress on stderr [auto|plain|json|off] (default auto: a bar on a terminal)",
       [this](const std::string& typed) {
         command_.progress = choice_of<ProgressStyle>("--progress", typed,
                                                      {{"auto", ProgressStyle::kAuto},
                                                       {"plain", ProgressStyle::kPlain},
                                                       {"json", ProgressStyle::kJson},
                                                       {"off", ProgressStyle::kOff}});
       });
}

void Flags::validation() {
  Validation& v = command_.validation;
  metrics("what to measure; the first decides (default: what fits the model)");
  text("--positive", command_.positive, "LABEL",
       "whose precision, recall, f1, ... to give (default: the second of two, or the mean)");
  whole("--folds", v.folds, 2, kMostFolds, "parts of the rows, each held out once (default 5)");
  whole("--repeats", v.repeats, 1, kMostFolds, "times, each with other folds (default 1)");
  text("--split", v.split, "NAME",
       "how rows are parted [plain|stratified|groups|time] (default: stratified by labels)");
  text("--groups", v.groups, "COLUMN",
       "rows of one group stay together; --split stratified: with classes spread evenly");
  text("--time", v.time, "COLUMN",
       "learn from the past only, by this column (--split time: by the order of rows)");
  if (app_.get_option_no_throw("--seed") == nullptr) seed("seed of the folds (default 0)");
  quiet("no notes");
  after([&v] {
    if (v.split.empty()) return;
    choice_of<bool>("--split", v.split,
                    {{"plain", true}, {"stratified", true}, {"groups", true}, {"time", true}});
  });
}

void Flags::metrics(const char* help) {
  const std::string text = fmt::format("{}; 'help' lists them", help);
  list(names("--metric", command_.validation.metrics, text.c_str()), &list_of_metrics);
}

void Flags::importance() {
  Validation& v = command_.validation;
  yes("--importance", v.importance,
      "how much worse the first metric is when a column is shuffled among the rows");
  whole("--shuffles", v.shuffles, 1, kMostFolds, "of each column (default 5)");
}

void Flags::seed(const char* help) {
  whole("--seed", command_.seed, 0, std::numeric_limits<Index>::max(), help);
}

void Flags::plot_columns(const char* flag) {
  read(flag, "X,Y", "the two columns to draw (default: those that tell most about the labels)",
       [this](const std::string& typed) {
         command_.plot_columns = names_of("--plot-columns", typed);
       });
}

void Flags::picture(const char* flag, std::string& value, const char* help) {
  text(flag, value, "FILE", help);
  after([&value] { check_picture(value); });
}

void Flags::save(const char* help) {
  command_.saves_model = true;
  text("-o,--output", command_.output, "FILE", help);
}

void Flags::write() {
  text("-o,--output", command_.output, "FILE", "write here instead of to stdout");
}

void Flags::quiet(const char* help) { yes("--quiet,-q", command_.quiet, help); }

}  // namespace craton::cli
