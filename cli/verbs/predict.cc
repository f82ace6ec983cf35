#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "cli/parsing/data.h"
#include "cli/parsing/flags.h"
#include "cli/showing/explain_rows.h"
#include "cli/showing/kept_columns.h"
#include "cli/showing/output.h"
#include "cli/showing/predictions.h"
#include "cli/showing/progress.h"
#include "cli/showing/to_json.h"
#include "cli/verbs.h"
#include "craton/base/error.h"
#include "craton/base/files.h"
#include "craton/base/notes.h"
#include "craton/io/csv_write.h"
#include "craton/model/fit_steps.h"

namespace craton::cli {
namespace {

constexpr Index kBatch = Index{1} << 18;  // rows whose results are in memory at once
constexpr Index kCells = Index{1} << 23;  // and values of rows that are asked about twice

struct Labels {
  std::vector<std::int32_t> labels;
  Array proba = {};  // empty: not asked for
};

// Labels are not read off the probabilities: where two of these are the same number, the model may
// know better. So rows are decoded once, kept, and asked about twice, as many as there is room for.
void label_twice(const Fitted& fitted, Source& rows, Labels& result, const Exec& exec) {
  const auto [size, cols] = rows.shape();
  const Index classes = fitted.model->classes(), step = std::max<Index>(4096, kCells / (cols + 1));
  const std::span<std::int32_t> labels = result.labels;
  const std::span<double> proba = result.proba.values;
  for (Index first = 0; first < size || first == 0; first += step) {
    View some(rows);
    some.slice({first, std::min(first + step, size)}).keep(exec);
    const Index count = some.shape().rows;
    fitted.model->predict(some, labels.subspan(usize(first), usize(count)), exec);
    const auto part = proba.subspan(usize(first * classes), usize(count * classes));
    fitted.model->predict_log_proba(some, part, exec);
    for (double& p : part) p = std::exp(p);
  }
}

Labels label_rows(const Fitted& fitted, Source& rows, bool proba, const Exec& exec) {
  const Index size = rows.shape().rows, classes = fitted.model->classes();
  Labels result{std::vector<std::int32_t>(usize(size))};
  if (proba) {
    result.proba = {{size, classes}, std::vector<double>(usize(size * classes))};
    label_twice(fitted, rows, result, exec);
  } else {
    fitted.model->predict(rows, result.labels, exec);
  }
  return result;
}

std::vector<double> predict_numbers(const Fitted& fitted, Source& rows, const Exec& exec) {
  std::vector<double> numbers(usize(rows.shape().rows));
  fitted.model->predict_numbers(rows, numbers, exec);
  return numbers;
}

// The kinds of answer that are a table: of --diagnose and --interval.
bool answers_with_table(const Command& command) { return command.diagnose || command.interval > 0; }

ResultTable table_of_rows(const Command& command, const Fitted& fitted, Source& rows,
                          const Exec& exec) {
  ResultTable table = command.diagnose ? fitted.model->diagnose(rows, exec)
                                       : fitted.model->intervals(rows, command.interval, exec);
  name_labels(table, fitted.schema);
  return table;
}

std::string header(const Command& command, const KeptColumns& keep, const Fitted& fitted) {
  const std::string text = keep.header();
  if (command.explain > 0) return text + "label,probability,runner_up,because\n";
  if (fitted.info().abilities.predict_numbers) return text + kNumberHeader + "\n";
  return text + prediction_header(fitted.schema, command.proba ? fitted.model->classes() : 0) +
         "\n";
}

std::string to_csv(const KeptColumns& keep, const Schema& schema, Index first,
                   const Labels& batch) {
  std::string text;
  for (Index i = 0; i < ssize(batch.labels); ++i) {
    text += keep.fields(first + i);
    std::span<const double> proba;
    if (!batch.proba.empty()) {
      proba = {batch.proba.view().row(i), usize(batch.proba.cols())};
    }
    text += prediction_fields(schema, batch.labels[usize(i)], proba) + "\n";
  }
  return text;
}

std::string to_csv(const KeptColumns& keep, Index first, std::span<const double> batch) {
  std::string text;
  for (Index i = 0; i < ssize(batch); ++i) {
    text += keep.fields(first + i) + csv_field(batch[usize(i)]) + "\n";
  }
  return text;
}

std::string to_csv(const KeptColumns& keep, Index first, const ResultTable& batch) {
  std::string text = first == 0 ? keep.header() + csv_header(batch) + "\n" : "";
  for (Index i = 0; i < batch.rows(); ++i) {
    text += keep.fields(first + i) + csv_row(batch, i) + "\n";
  }
  return text;
}

void write_csv(const Command& command, const Fitted& fitted, const Data& data,
               ConsoleProgress& progress, const Exec& exec) {
  const bool to_stdout = command.output.empty() || command.output == "-";
  std::optional<FileWriter> file;
  if (!to_stdout) file.emplace(command.output);
  KeptColumns keep(command, data);
  std::string text = answers_with_table(command) ? "" : header(command, keep, fitted);
  for (Index first = 0; first < data.size() || first == 0; first += kBatch) {
    View rows(data.source());
    rows.slice({first, std::min(first + kBatch, data.size())});
    keep.load(first, rows.shape().rows);
    text += command.explain > 0 ? explained_csv(command.explain, keep, fitted, rows, first, exec)
            : answers_with_table(command)
                ? to_csv(keep, first, table_of_rows(command, fitted, rows, exec))
            : fitted.info().abilities.predict_numbers
                ? to_csv(keep, first, predict_numbers(fitted, rows, exec))
                : to_csv(keep, fitted.schema, first, label_rows(fitted, rows, command.proba, exec));
    progress.hide();
    if (file) {
      file->append(text);
    } else {
      print(text);
    }
    text.clear();
  }
  progress.finish();
  if (file) file->commit();
}

// Which rows they are, where that is to be told.
void add_rows(const Data& data, const KeptColumns& keep, Json& json) {
  Json kept = Json::object({});
  if (data.kept) {
    Json::List rows;
    for (Index i = 0; i < data.size(); ++i) rows.emplace_back((*data.kept)[i]);
    json.set("rows", Json(Json::Value(std::move(rows))));
  }
  for (std::size_t c = 0; c < keep.columns().size(); ++c) {
    Json::List values;
    for (Index i = 0; i < data.size(); ++i) values.push_back(keep.value(c, i));
    kept.set(keep.columns()[c].name, Json(Json::Value(std::move(values))));
  }
  if (!keep.columns().empty()) json.set("kept", kept);
}

Json labels_to_json(const Data& data, const KeptColumns& keep, const Schema& schema,
                    const Labels& all) {
  Json json = Json::object({{"labels", to_json(schema, all.labels)}});
  add_rows(data, keep, json);
  if (!all.proba.empty()) json.set("probabilities", to_json(all.proba));
  return json;
}

Json numbers_to_json(const Data& data, const KeptColumns& keep, std::vector<double> all) {
  Json json = Json::object({{"predictions", std::move(all)}});
  add_rows(data, keep, json);
  return json;
}

Json table_to_json(const Command& command, const Data& data, const KeptColumns& keep,
                   const Fitted& fitted, const Exec& exec) {
  Json json = Json::object({{command.diagnose ? "diagnosis" : "intervals",
                             to_json(table_of_rows(command, fitted, data.source(), exec))}});
  add_rows(data, keep, json);
  return json;
}

void check_one_answer(const Command& command) {
  std::vector<std::string_view> given;
  if (command.interval > 0) given.push_back("--interval");
  if (command.diagnose) given.push_back("--diagnose");
  if (command.explain > 0) given.push_back("--explain");
  if (command.proba) given.push_back("--proba");
  if (given.size() < 2) return;
  throw InputError(Code::kBadOption, {},
                   fmt::format("{} and {} are two kinds of answer", given[0], given[1]),
                   "Give one of them.");
}

// Texts that a model knows no word of are labelled all the same: by the prior, or by what is
// nearest to nothing.
void tell_unknown(const Fitted& fitted, const Data& data, const Exec& exec) {
  const Index unknown = rows_without_terms(*fitted.model->told_rows(data.source()), exec);
  const std::vector<Note> note{texts_without_terms(unknown, data.size())};
  if (unknown > 0) complain(note, "note", data.name());
}

int run_predict(const Command& command) {
  check_writable(command.output);
  const Fitted fitted = read_model(command);
  check_one_answer(command);
  const bool numbers = fitted.info().abilities.predict_numbers;
  if (numbers && (command.proba || command.explain > 0)) {
    throw InputError(Code::kNotAble, {},
                     fmt::format("{} predicts numbers, and {} is about labels", fitted.info().name,
                                 command.proba ? "--proba" : "--explain"),
                     "Leave it out.");
  }
  const Abilities& able = fitted.info().abilities;
  if (!able.predict && !numbers && able.score_samples && !answers_with_table(command)) {
    throw InputError(Code::kNotAble, {},
                     fmt::format("{} gives densities, not labels", fitted.info().name),
                     "Give --diagnose for the density of each row.");
  }
  ConsoleProgress progress(command);
  const Exec exec{.threads = command.threads, .progress = &progress};
  const bool residuals = command.diagnose && numbers;
  const Data data =
      read_for_model(command, fitted, residuals ? Want::kTargetIfThere : Want::kRows, exec);
  progress.start_passes(data.size());
  if (!command.quiet && text_of(*fitted.model) != nullptr) tell_unknown(fitted, data, exec);
  if (!command.json) {
    write_csv(command, fitted, data, progress, exec);
    return kOk;
  }
  KeptColumns keep(command, data);
  keep.load(0, data.size());
  const Json json = command.explain > 0 ? explained_json(command.explain, data, keep, fitted, exec)
                    : answers_with_table(command) ? table_to_json(command, data, keep, fitted, exec)
                    : numbers
                        ? numbers_to_json(data, keep, predict_numbers(fitted, data.source(), exec))
                        : labels_to_json(data, keep, fitted.schema,
                                         label_rows(fitted, data.source(), command.proba, exec));
  progress.finish();
  save(command.output.empty() ? "-" : command.output, write_json(json) + "\n");
  return kOk;
}

double read_level(const std::string& text) {
  double level = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), level);
  if (error == std::errc() && end == text.data() + text.size() && level > 0 && level < 1) {
    return level;
  }
  throw InputError(Code::kBadOption, {},
                   fmt::format("--interval '{}' is no number between 0 and 1", text),
                   "Give a probability, such as 0.95.");
}

void add_predict_flags(Flags& flags) {
  Command& command = flags.command();
  constexpr Index kMost = Index{1} << 40;
  flags.model_and_data();
  flags.yes("--proba", command.proba, "add the probability of each label: p_0, p_1, ...");
  flags.names("--keep", command.keep, "print these columns of the data before the label");
  flags.whole("--explain", command.explain, 1, kMost,
              "name the N features that speak most for each label");
  flags.yes("--diagnose", command.diagnose,
            "add how well each row fits: its label's probability, log density, distance");
  flags.read("--interval", "LEVEL",
             "add between what each number, or the probability of the label, lies, such as 0.95",
             [&command](const std::string& text) { command.interval = read_level(text); });
  flags.write();
  flags.run_options();
  flags.quiet("no notes");
}

}  // namespace

extern constinit const Verb kPredict{
    .name = "predict",
    .help = "Print the label, or the number, that a model predicts for each row, as CSV.",
    .example =
        "craton fit gmm examples/data/islands.csv --n-components 4 -o islands.craton\n"
        "craton predict islands.craton examples/data/islands.csv --proba -o labels.csv",
    .add = add_predict_flags,
    .run = run_predict,
};

}  // namespace craton::cli
