#include "cli/data.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/to_json.h"
#include "cli/verbs.h"
#include "craton/io/csv_write.h"

namespace craton::cli {
namespace {

std::string to_csv(const Sample& sample, std::vector<std::string> names, bool labels) {
  if (!labels) return write_csv(names, sample.x.view());
  Array x{{sample.x.rows(), sample.x.cols() + 1}, {}};
  x.values.reserve(usize(x.rows() * x.cols()));
  for (Index i = 0; i < x.rows(); ++i) {
    const double* row = sample.x.view().row(i);
    x.values.insert(x.values.end(), row, row + sample.x.cols());
    x.values.push_back(sample.labels[usize(i)]);
  }
  names.emplace_back("label");
  return write_csv(names, x.view());
}

Json to_json(const Sample& sample, const std::vector<std::string>& names) {
  Json::List labels(sample.labels.begin(), sample.labels.end());
  return Json::object({{"columns", names},
                       {"rows", cli::to_json(sample.x)},
                       {"labels", Json(Json::Value(std::move(labels)))}});
}

}  // namespace

int sample(const Command& command) {
  check_writable(command.output);
  const Fitted fitted = read_model(command);
  ConsoleProgress progress(command);  // Ctrl-C while a file is written
  const Sample drawn = fitted.model->sample(command.rows, static_cast<std::uint64_t>(command.seed));
  const std::vector<std::string> names = fitted.schema.names();
  progress.finish();
  save(command.output.empty() ? "-" : command.output, command.json
                                                          ? write_json(to_json(drawn, names)) + "\n"
                                                          : to_csv(drawn, names, command.labels));
  return kOk;
}

}  // namespace craton::cli
