#include "cli/showing/to_json.h"

#include <cmath>
#include <cstdlib>
#include <limits>

#include "craton/base/error.h"
#include "craton/report/result_text.h"

namespace craton::cli {
namespace {

Json nested(const Array& array, std::size_t level, const double*& next) {
  if (level == array.shape.size()) return Json(*next++);
  Json::List list;
  for (Index i = 0; i < array.shape[level]; ++i) list.push_back(nested(array, level + 1, next));
  return Json(Json::Value(std::move(list)));
}

std::string_view type_name(OptionType type) {
  switch (type) {
    case OptionType::kFlag:
      return "flag";
    case OptionType::kInteger:
      return "integer";
    case OptionType::kNumber:
      return "number";
    case OptionType::kChoice:
      return "choice";
    case OptionType::kArray:
      return "array";
    case OptionType::kChoiceOrArray:
      return "choice_or_array";
    case OptionType::kText:
      return "text";
    case OptionType::kChoiceOrNumber:
      return "choice_or_number";
    case OptionType::kIntegerOrArray:
      return "integer_or_array";
  }
  CRATON_ASSERT(false);
  return {};
}

// A bound: null when there is none.
Json bound(const Option& option, double value) {
  if (option.type == OptionType::kNumber || option.type == OptionType::kChoiceOrNumber)
    return value;  // infinities become null
  if (option.type != OptionType::kInteger && option.type != OptionType::kIntegerOrArray) return {};
  constexpr double kTooLarge = 9223372036854775808.0;  // 2^63
  return value >= kTooLarge ? Json(std::numeric_limits<Index>::max())
                            : Json(static_cast<Index>(value));
}

Json to_json(const Option& option) {
  return Json::object({{"name", option.name},
                       {"help", option.help},
                       {"type", type_name(option.type)},
                       {"default", cli::to_json(option.value)},
                       {"low", bound(option, option.low)},
                       {"high", bound(option, option.high)},
                       {"choices", option.choices},
                       {"in_digest", option.in_digest}});
}

Json to_json(const Abilities& able) {
  Json json = Json::object({});
  for (const Ability& ability : abilities()) {
    json.set(std::string(ability.name), able.*ability.field);
  }
  return json;
}

template <class Items, class F>
Json list_of(const Items& items, const F& f) {
  Json::List list;
  for (const auto& item : items) list.push_back(f(item));
  return Json(Json::Value(std::move(list)));
}

}  // namespace

Json to_json(const Array& array) {
  const double* next = array.values.data();
  return nested(array, 0, next);
}

Json to_json(const Schema& schema, std::span<const std::int32_t> labels) {
  Json::List list;
  for (const std::int32_t label : labels) {
    if (!schema.target) {
      list.emplace_back(label);
    } else if (schema.target->kind == ColumnKind::kCategory) {
      list.emplace_back(label_name(schema, label));
    } else {
      list.emplace_back(std::strtod(label_name(schema, label).c_str(), nullptr));
    }
  }
  return Json(Json::Value(std::move(list)));
}

Json to_json(const OptionValue& value) {
  struct {
    Json operator()(std::monostate) const { return {}; }
    Json operator()(const Array& array) const { return to_json(array); }
    Json operator()(bool v) const { return v; }
    Json operator()(Index v) const { return v; }
    Json operator()(double v) const { return v; }
    Json operator()(const std::string& v) const { return v; }
  } convert;
  return std::visit(convert, value);
}

Json to_json(const FitReport& report) {
  const auto note = [](const Note& n) {
    return Json::object({{"code", n.code}, {"text", n.text.plain()}});
  };
  Json json = Json::object({{"iterations", report.iterations},
                            {"converged", report.converged},
                            {"objective", report.objective},
                            {"trace", report.trace},
                            {"notes", list_of(report.notes, note)}});
  if (report.start_traces.empty()) return json;
  json.set("start_traces",
           list_of(report.start_traces, [](const auto& trace) { return Json(trace); }));
  return json;
}

Json to_json(const Fitted& fitted) {
  Json options = Json::object({}), parameters = Json::object({});
  for (const auto& [name, value] : fitted.options) options.set(name, to_json(value));
  for (const Parameter& p : fitted.model->parameters()) {
    parameters.set(p.name, p.text ? Json(*p.text) : to_json(p.value));
  }
  return Json::object({{"model", fitted.info().name},
                       {"columns", fitted.schema.names()},
                       {"target", fitted.schema.target ? Json(fitted.schema.target->name) : Json()},
                       {"options", std::move(options)},
                       {"objective_name", fitted.info().objective},
                       {"report", to_json(fitted.report)},
                       {"library_version", fitted.origin.library_version},
                       {"cpu", fitted.origin.cpu},
                       {"data_hash", fitted.report.data_hash},
                       {"free_parameters", fitted.model->counts_parameters()
                                               ? Json(fitted.model->free_parameters(fitted.options))
                                               : Json()},
                       {"parameters", std::move(parameters)},
                       {"tables", craton::to_json(all_tables(fitted))},
                       {"digest", digest(fitted)}});
}

Json to_json(const ModelInfo& info) {
  return Json::object(
      {{"name", info.name},
       {"python_name", info.python_name},
       {"help", info.help},
       {"objective", info.objective},
       {"abilities", to_json(info.abilities)},
       {"options", list_of(info.options(), [](const Option& o) { return to_json(o); })}});
}

}  // namespace craton::cli
