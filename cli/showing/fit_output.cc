#include "cli/showing/fit_output.h"

#include "cli/showing/output.h"
#include "cli/showing/summary.h"
#include "cli/showing/to_json.h"
#include "cli/showing/wording.h"
#include "craton/base/notes.h"
#include "craton/model/model_file.h"
#include "craton/model/model_metadata.h"
#include "craton/report/fit_facts.h"
#include "craton/select/sweep.h"

namespace craton::cli {
namespace {

Json result(const Command& command, const Fitted& fitted, const Data* data) {
  Json json = to_json(fitted);
  if (data != nullptr) {
    json.set("data", data->name());
    json.set("read", data->guess);
    json.set("rows", data->size());
  }
  json.set("output", command.output.empty() ? Json() : Json(command.output));
  return json;
}

// One start of k-means says little: others may end better.
std::string starts_field(const Command& command, const Fitted& fitted) {
  const ModelInfo& info = fitted.info();
  const bool going_on = !command.warm_start.empty() || !command.model_file.empty();
  if (!sweeps_clusters(info) || !has_option(info, "n_init") || going_on) return "";
  const OptionValue starts = option_of(fitted, "n_init");
  for (const char* given : {"init", "centers"}) {
    if (has_option(info, given) && std::holds_alternative<Array>(option_of(fitted, given)))
      return "";
  }
  if (starts != OptionValue(Index{1}) || fitted.model->classes() == 1) return "";
  return field("starts", "1, and another may end better: --n-init 10 keeps the best of ten");
}

std::string story(const Command& command, const Fitted& fitted, const Data* data) {
  std::string text;
  if (data != nullptr) text += field("data", describe(*data)) + field("read", data->guess);
  text += summary(fitted) + "\n";
  for (const Note& note : fitted.report.notes) {
    if (is_remark(note)) text += field("note", note.text.in(ShellWording(command)));
  }
  if (data != nullptr) text += starts_field(command, fitted);
  text += field(
      "saved", command.output.empty() ? "nothing: give -o FILE to keep the model" : command.output);
  if (!command.plot.empty()) text += field("plot", command.plot);
  if (!command.plot_traces.empty()) text += field("traces", command.plot_traces);
  return text;
}

}  // namespace

void complain_of(const Fitted& fitted, const Command& command) {
  for (const Note& note : fitted.report.notes) {
    if (!is_remark(note) && note.code != kReadAs)
      complain("warning", note.text.in(ShellWording(command)));
  }
}

void keep(const Command& command, Fitted& fitted, std::span<const ColumnForm> forms) {
  add_form_notes(fitted.report.notes, fitted.schema, forms);
  if (!command.output.empty()) save(command.output, pack_model(fitted));
}

void tell(const Command& command, const Fitted& fitted, const Data* data) {
  const bool stdout_taken =
      command.output == "-" || command.plot == "-" || command.plot_traces == "-";
  if (stdout_taken) return;
  if (command.json) {
    print_json(result(command, fitted, data));
  } else if (!command.quiet) {
    print(story(command, fitted, data));
  }
}

}  // namespace craton::cli
