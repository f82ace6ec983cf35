#include <fmt/core.h>

#include "cli/data.h"
#include "cli/output.h"
#include "cli/summary.h"
#include "cli/to_json.h"
#include "cli/verbs.h"
#include "craton/io/csv_write.h"

namespace craton::cli {
namespace {

// "23", or "21; 2 are given": what AIC and BIC count.
std::string free_parameters(const Fitted& fitted) {
  if (!fitted.info().abilities.free_parameters) return "";
  const Index free = fitted.model->free_parameters(fitted.options);
  const Index given = fitted.model->free_parameters({}) - free;
  return field("free", given == 0 ? plural(free, "parameter")
                                  : fmt::format("{}; {} given, not estimated",
                                                plural(free, "parameter"), given));
}

// A line for each label: its name, b, and w.
std::string linear_csv(const Fitted& fitted) {
  const LinearForm form = fitted.model->linear_form();
  std::string text = "label,intercept";
  for (const std::string& name : fitted.schema.names()) text += "," + csv_field(name);
  for (Index c = 0; c < form.coef.rows(); ++c) {
    text += "\n" + csv_field(label_name(fitted.schema, c)) + "," +
            csv_field(form.intercept.values[usize(c)]);
    for (Index j = 0; j < form.coef.cols(); ++j) {
      text += "," + csv_field(form.coef.view().row(c)[j]);
    }
  }
  return text + "\n";
}

Json linear_json(const Fitted& fitted) {
  const LinearForm form = fitted.model->linear_form();
  std::vector<std::string> labels;
  for (Index c = 0; c < form.coef.rows(); ++c) labels.push_back(label_name(fitted.schema, c));
  return Json::object({{"labels", labels},
                       {"columns", fitted.schema.names()},
                       {"intercept", to_json(form.intercept)},
                       {"coef", to_json(form.coef)}});
}

}  // namespace

int describe(const Command& command) {
  const Fitted fitted = read_model(command);
  if (command.linear && !command.json) {
    print(linear_csv(fitted));
    return kOk;
  }
  if (command.json) {
    print_json(command.linear ? linear_json(fitted) : to_json(fitted));
    return kOk;
  }
  const std::vector<std::string> names = fitted.schema.names();
  std::string text = field("columns", join(names)) + summary(fitted) + "\n";
  text += free_parameters(fitted);
  for (const Note& note : fitted.report.notes) text += field("note", note.text);
  text += field("digest", digest(fitted));
  const auto& [library_version, target, grid_version] = fitted.origin;
  if (!library_version.empty()) {
    text += field("made by", fmt::format("craton {} on {}", library_version, target));
  }
  print(text);
  return kOk;
}

}  // namespace craton::cli
