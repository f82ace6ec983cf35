#include <cmath>
#include <utility>

#include "craton/core/model_metadata.h"
#include "craton/core/prepared_model.h"
#include "craton/core/version.h"

namespace craton {
namespace {

// JSON has no numbers that are not finite: they travel as their names.
Json number_to_json(double number) {
  if (std::isfinite(number)) return number;
  return std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
}

Json numbers_to_json(const std::vector<double>& numbers) {
  Json::List list;
  for (const double number : numbers) list.push_back(number_to_json(number));
  return Json(std::move(list));
}

struct OptionToJson {
  Json operator()(std::monostate) const { return nullptr; }
  Json operator()(bool flag) const { return flag; }
  Json operator()(Index number) const { return number; }
  Json operator()(double number) const {
    if (std::isfinite(number)) return number;
    return Json::object({{"number", number_to_json(number)}});  // a bare name would be a choice
  }
  Json operator()(const std::string& text) const { return text; }
  Json operator()(const Array& array) const {
    Json::List shape(array.shape.begin(), array.shape.end());
    return Json::object(
        {{"shape", Json(std::move(shape))}, {"values", numbers_to_json(array.values)}});
  }
};

Json options_to_json(const std::vector<NamedOption>& options) {
  Json json = Json::object({});
  for (const auto& [name, value] : options) json.set(name, std::visit(OptionToJson{}, value));
  return json;
}

Json column_to_json(const Column& column) {
  Json json = Json::object(
      {{"name", column.name}, {"kind", kKindNames[static_cast<std::size_t>(column.kind)]}});
  if (!column.levels.empty()) json.set("levels", column.levels);
  return json;
}

Json columns_to_json(const Schema& schema) {
  Json::List columns;
  for (Index j = 0; j < schema.size(); ++j) columns.push_back(column_to_json(schema.column(j)));
  return Json(std::move(columns));
}

Json report_to_json(const FitReport& report) {
  Json::List notes;
  for (const Note& note : report.notes) {
    notes.push_back(Json::object({{"code", note.code}, {"text", note.text}}));
  }
  Json json = Json::object({{"iterations", report.iterations},
                            {"converged", report.converged},
                            {"objective", number_to_json(report.objective)},
                            {"trace", numbers_to_json(report.trace)},
                            {"notes", Json(std::move(notes))},
                            {"data_hash", report.data_hash}});
  if (!report.start_traces.empty()) {
    Json::List traces;
    for (const auto& trace : report.start_traces) traces.push_back(numbers_to_json(trace));
    json.set("start_traces", Json(std::move(traces)));
  }
  if (report.half_steps.empty()) return json;
  std::vector<double> expected, entropy;
  for (const HalfStep& step : report.half_steps) {
    expected.push_back(step.expected);
    entropy.push_back(step.entropy);
  }
  json.set("half_steps", Json::object({{"expected", numbers_to_json(expected)},
                                       {"entropy", numbers_to_json(entropy)}}));
  return json;
}

Json origin_to_json(const Origin& origin) {
  return Json::object({{"library_version", origin.library_version}, {"target", origin.target}});
}

// What a reader must know to use the file right, with the version that brought it.
Json requirements_of(const Fitted& fitted) {
  Json json = Json::object({});
  if (preparation_of(*fitted.model) != nullptr) json.set(std::string(kPreparedRows), "0.1.0");
  return json;
}

}  // namespace

Json write_metadata(const Fitted& fitted) {
  Json json = Json::object({{"format", kModelFormat},
                            {"library_version", version()},
                            {"requires", requirements_of(fitted)},
                            {"grid_version", fitted.origin.grid_version},
                            {"model", fitted.info().name},
                            {"options", options_to_json(fitted.options)},
                            {"columns", columns_to_json(fitted.schema)},
                            {"origin", origin_to_json(fitted.origin)},
                            {"report", report_to_json(fitted.report)},
                            {"digest", digest(fitted)}});
  if (fitted.schema.target) json.set("target", column_to_json(*fitted.schema.target));
  return json;
}

}  // namespace craton
