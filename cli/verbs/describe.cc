#include <fmt/core.h>

#include "cli/parsing/data.h"
#include "cli/parsing/flags.h"
#include "cli/showing/describe_table.h"
#include "cli/showing/output.h"
#include "cli/showing/summary.h"
#include "cli/showing/to_json.h"
#include "cli/verbs.h"
#include "craton/base/error.h"
#include "craton/io/csv_write.h"
#include "craton/io/input.h"
#include "craton/io/npz.h"
#include "craton/model/archive.h"
#include "craton/model/model_file.h"
#include "craton/report/plots/density_plot.h"

namespace craton::cli {
namespace {

// "23", or "21; 2 are given": what AIC and BIC count.
std::string free_parameters(const Fitted& fitted) {
  if (!fitted.info().abilities.free_parameters) return "";
  if (!fitted.model->counts_parameters()) {
    return field("free", "not counted: kernels keep every value, so there is no AIC and no BIC");
  }
  const Index free = fitted.model->free_parameters(fitted.options);
  const Index given = fitted.model->free_parameters({}) - free;
  return field("free", given == 0 ? plural(free, "parameter")
                                  : fmt::format("{}; {} given, not estimated",
                                                plural(free, "parameter"), given));
}

// A line for each label: its name, b, and w; of numbers one line, without a name.
std::string linear_csv(const Fitted& fitted) {
  const LinearForm form = fitted.model->linear_form();
  const bool labels = !fitted.schema.number_target();
  std::string text = labels ? "label,intercept" : "intercept";
  for (const std::string& name : term_names(form, fitted.schema)) text += "," + name_field(name);
  for (Index c = 0; c < form.coef.rows(); ++c) {
    text += "\n" + (labels ? name_field(label_name(fitted.schema, c)) + "," : "") +
            csv_field(form.intercept.values[usize(c)]);
    for (Index j = 0; j < form.coef.cols(); ++j) {
      text += "," + csv_field(form.coef.view().row(c)[j]);
    }
  }
  return text + "\n";
}

Json linear_json(const Fitted& fitted) {
  const LinearForm form = fitted.model->linear_form();
  if (fitted.schema.number_target()) {
    return Json::object({{"target", fitted.schema.target->name},
                         {"columns", term_names(form, fitted.schema)},
                         {"intercept", form.intercept.values[0]},
                         {"coef", form.coef.values}});
  }
  std::vector<std::string> labels;
  for (Index c = 0; c < form.coef.rows(); ++c) labels.push_back(label_name(fitted.schema, c));
  return Json::object({{"labels", labels},
                       {"columns", term_names(form, fitted.schema)},
                       {"intercept", to_json(form.intercept)},
                       {"coef", to_json(form.coef)}});
}

// The terms of x' Q x + l . x + c of one or two columns, by name.
std::vector<std::pair<std::string, double>> terms_of(const Boundary& b, const Schema& schema) {
  const std::vector<double>&q = b.quadratic.values, &l = b.linear.values;
  const std::string x = schema.name(0);
  if (l.size() == 1) return {{x + "^2", q[0]}, {x, l[0]}, {"constant", b.constant}};
  const std::string y = schema.name(1);
  return {{x + "^2", q[0]}, {x + " * " + y, q[1] + q[2]}, {y + "^2", q[3]}, {x, l[0]},
          {y, l[1]},        {"constant", b.constant}};
}

// A line for each two labels: where log p(row, label) = log p(row, other).
std::string boundary_csv(const Fitted& fitted) {
  std::string head, text;
  for (const Boundary& b : fitted.model->boundaries()) {
    head = "label,other";
    text += name_field(label_name(fitted.schema, b.label)) + "," +
            name_field(label_name(fitted.schema, b.other));
    for (const auto& [name, value] : terms_of(b, fitted.schema)) {
      head += "," + name_field(name);
      text += "," + csv_field(value);
    }
    if (b.linear.values.size() == 2) {
      head += ",shape";
      text += "," + csv_field(b.shape) + "\n";
      continue;
    }
    head += ",first,second";
    for (std::size_t i = 0; i < 2; ++i) {
      text += "," + (i < b.points.size() ? csv_field(b.points[i]) : "");
    }
    text += "\n";
  }
  return head + "\n" + text;
}

Json boundary_json(const Fitted& fitted) {
  Json::List list;
  for (const Boundary& b : fitted.model->boundaries()) {
    Json terms = Json::object({});
    for (const auto& [name, value] : terms_of(b, fitted.schema)) terms.set(name, value);
    list.push_back(Json::object({{"label", label_name(fitted.schema, b.label)},
                                 {"other", label_name(fitted.schema, b.other)},
                                 {"terms", terms},
                                 {"points", b.points},
                                 {"shape", b.shape}}));
  }
  return Json(Json::Value(std::move(list)));
}

// One table: text to read, or a file for programs.
void print_table(const Command& command, const Fitted& fitted) {
  const std::vector<ResultTable> all = all_tables(fitted);
  const ResultTable& table = find_table(all, command.table);
  if (command.output.empty() && !command.json) return print(format(table, "-o FILE has them all"));
  save(command.output.empty() ? "-" : command.output,
       command.json ? write_json(to_json(table), 2) + "\n" : to_csv(table));
}

int describe_model(const Command& command, const Fitted& fitted) {
  if (!command.table.empty()) {
    print_table(command, fitted);
    return kOk;
  }
  if ((command.linear || command.boundary) && !command.json) {
    print(command.linear ? linear_csv(fitted) : boundary_csv(fitted));
    return kOk;
  }
  if (command.json) {
    print_json(command.linear     ? linear_json(fitted)
               : command.boundary ? boundary_json(fitted)
                                  : to_json(fitted));
    return kOk;
  }
  const std::vector<std::string> names = fitted.schema.names();
  std::string text;
  for (const Column& column : fitted.schema.texts) text += field("text", column.name);
  if (!names.empty() || text.empty()) text += field("columns", join(names));
  if (const std::optional<Column>& target = fitted.schema.target) {
    text += field("target",
                  fmt::format("{} ({})", target->name,
                              fitted.schema.number_target() ? "a number" : listed(target->levels)));
  }
  text += summary(fitted) + "\n";
  const std::string chart = density_chart(fitted);
  if (!chart.empty()) text += chart + "\n";
  text += free_parameters(fitted);
  for (const Note& note : fitted.report.notes) text += field("note", note.text.plain());
  text += field("digest", digest(fitted));
  const auto& [library_version, cpu, grid_version] = fitted.origin;
  if (!library_version.empty()) {
    text += field("made by", fmt::format("craton {} on {}", library_version, cpu));
  }
  print(text);
  return kOk;
}

int run_describe(const Command& command) {
  if (!command.output.empty() && command.table.empty()) {
    throw InputError(Code::kBadOption, {}, "-o writes one table of a model",
                     "Name it with --table; 'craton describe MODEL_FILE' shows them.");
  }
  check_writable(command.output);
  const std::string& path = command.model_file;
  std::unique_ptr<Input> input = open_input(split_npz_path(path).first);
  Bytes front(kArchiveHead);
  front.resize(read_full(*input, front));
  const bool model = begins_as_archive(front) || path.ends_with(".craton") || command.linear ||
                     command.boundary || !command.table.empty();
  if (model) archive_length(front, input->name());  // refuses what is none before reading on
  input = rewound(std::move(front), std::move(input));
  if (!model) return describe_table(command, std::move(input));
  constexpr Index kAll = Index{1} << 60;
  const Bytes bytes = read_rest(*input, kAll);
  return describe_model(command, unpack_model(bytes, input->name()));
}

void add_describe_flags(Flags& flags) {
  Command& command = flags.command();
  flags.word("FILE", command.model_file, "what 'craton fit ... -o' wrote, or data; '-' is stdin");
  flags.text("--target", command.target, "COLUMN", "of data: add the shares of its classes");
  flags.read_options();
  flags.progress();
  flags.text("--table", command.table, "NAME",
             "of a model: print this table alone, such as centres, means or parameters");
  flags.text("-o,--output", command.output, "FILE",
             "write that table here, as CSV with all digits");
  flags.yes("--linear", command.linear, "print the weights of a linear form, as CSV");
  flags.yes("--boundary", command.boundary, "print where labels are level, as CSV");
}

}  // namespace

extern constinit const Verb kDescribe{
    .name = "describe",
    .help = "Show what a model learned, or what is in a table.",
    .example =
        "craton fit gmm examples/data/islands.csv --n-components 4 -o islands.craton\n"
        "craton describe islands.craton\n"
        "craton describe examples/data/birds.csv --target kind",
    .add = add_describe_flags,
    .run = run_describe,
};

}  // namespace craton::cli
