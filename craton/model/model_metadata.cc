#include "craton/model/model_metadata.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "craton/base/error.h"
#include "craton/base/version.h"
#include "craton/model/archive.h"
#include "craton/model/fit_steps.h"

namespace craton {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::array<std::pair<std::string_view, double>, 3> kNotFinite{
    {{"inf", kInfinity}, {"-inf", -kInfinity}, {"nan", kNan}}};

// What `requires` may ask of this version: features that files cannot be read right without.
// (Those that a reader may ignore are not listed.)
constexpr std::array<std::string_view, 4> kFeatures{kPreparedRows, kTermsOfRows, kTextsOfRows,
                                                    kFormsOfCells};

// Reads metadata back. Hashes have vouched for the bytes by now, so a fault means that another
// program wrote them; it is refused by the name of the member.
class MetadataReader {
 public:
  MetadataReader(const Json& metadata, const std::string& file) : file_(file) {
    if (member<std::string>(metadata, "format") != kModelFormat) {
      fail_damaged(file, "its metadata does not describe a model");
    }
    const auto& by = member<std::string>(metadata, "library_version");
    if (!is_version(by)) fail("library_version", "is not a version in");
    library_version = by;
    check_requirements(metadata);
  }

  // What a reader must know to read the file right, each with the version that brought it.
  void check_requirements(const Json& metadata) const {
    if (metadata.find("requires") == nullptr) return;
    for (const auto& [feature, json] : member<Json::Object>(metadata, "requires")) {
      const auto& since = as<std::string>(json, feature);
      if (!is_version(since)) fail(feature, "does not require a version in");
      const auto known = std::find(kFeatures.begin(), kFeatures.end(), feature);
      if (known != kFeatures.end()) continue;
      fail_newer(file_,
                 fmt::format("needs {}, which this craton {} does not have", write_json(feature),
                             version()),
                 since);
    }
  }

  const ModelInfo& model(const Json& metadata) const {
    const auto& name = member<std::string>(metadata, "model");
    for (const ModelInfo& info : models()) {
      if (info.name == name) return info;
    }
    fail_newer(file_,
               fmt::format("holds a model called {}, which this craton {} does not have",
                           write_json(name), version()),
               is_newer(library_version) ? library_version : "");
  }

  Origin origin(const Json& metadata) const {
    Origin origin{.grid_version = member<Index>(metadata, "grid_version")};
    const Json* json = metadata.find("origin");
    if (json == nullptr) return origin;
    origin.library_version = member<std::string>(*json, "library_version");
    origin.cpu = member<std::string>(*json, "target");
    return origin;
  }

  template <class T>
  const T& member(const Json& object, std::string_view name) const {
    const Json* json = object.find(name);
    if (json == nullptr) fail(name, "is missing from");
    return as<T>(*json, name);
  }

  std::vector<NamedOption> options(const Json& metadata, const ModelInfo& info) const {
    const std::vector<Option> known = all_options(info);
    std::vector<NamedOption> result;
    for (const auto& [name, json] : member<Json::Object>(metadata, "options")) {
      const auto option = std::find_if(known.begin(), known.end(),
                                       [&n = name](const Option& o) { return o.name == n; });
      if (option == known.end()) fail(name, fmt::format("is not an option of {} in", info.name));
      OptionValue value = option_value(json, name);
      if (!allows(*option, value)) fail(name, "has a value that is not allowed in");
      result.emplace_back(name, std::move(value));
    }
    return result;
  }

  Schema schema(const Json& metadata) const {
    Schema schema;
    for (const Json& json : member<Json::List>(metadata, "columns")) {
      schema.columns.push_back(column(json));
    }
    if (metadata.find("texts") != nullptr) {
      for (const Json& json : member<Json::List>(metadata, "texts")) {
        schema.texts.push_back(column(json));
      }
    }
    if (const Json* json = metadata.find("target")) schema.target = column(*json);
    return schema;
  }

  Column column(const Json& json) const {
    Column column{.name = member<std::string>(json, "name")};
    const auto kind =
        std::find(kKindNames.begin(), kKindNames.end(), member<std::string>(json, "kind"));
    if (kind == kKindNames.end()) fail("kind", "has an unknown value in");
    column.kind = static_cast<ColumnKind>(kind - kKindNames.begin());
    if (json.find("levels") == nullptr) return column;
    for (const Json& level : member<Json::List>(json, "levels")) {
      column.levels.push_back(as<std::string>(level, "levels"));
    }
    return column;
  }

  FitReport report(const Json& metadata) const {
    const Json* json = metadata.find("report");
    if (json == nullptr) fail("report", "is missing from");
    FitReport report;
    report.iterations = member<Index>(*json, "iterations");
    if (report.iterations < 0) fail("iterations", "is negative in");
    if (report.iterations > FitReport::kMostIterations) fail("iterations", "is too large in");
    report.converged = member<bool>(*json, "converged");
    if (json->find("objective") == nullptr) fail("objective", "is missing from");
    report.objective = number(*json->find("objective"), "objective");
    report.trace = numbers(*json, "trace");
    for (const Json& note : member<Json::List>(*json, "notes")) {
      report.notes.push_back(
          {member<std::string>(note, "code"), member<std::string>(note, "text")});
    }
    if (json->find("data_hash") != nullptr) {
      report.data_hash = member<std::string>(*json, "data_hash");
    }
    if (json->find("start_traces") != nullptr) {
      for (const Json& trace : member<Json::List>(*json, "start_traces")) {
        report.start_traces.push_back(numbers_of(as<Json::List>(trace, "start_traces"), "trace"));
      }
    }
    if (const Json* steps = json->find("half_steps")) {
      const std::vector<double> expected = numbers(*steps, "expected");
      const std::vector<double> entropy = numbers(*steps, "entropy");
      if (expected.size() != entropy.size()) fail("half_steps", "has lists of two lengths in");
      for (std::size_t i = 0; i < expected.size(); ++i) {
        report.half_steps.push_back({expected[i], entropy[i]});
      }
    }
    return report;
  }

  std::string library_version = std::string(version());  // until the file has told

 private:
  [[noreturn]] void fail(std::string_view name, std::string_view why) const {
    fail_model(file_, library_version, fmt::format("{} {} the metadata", write_json(name), why));
  }

  template <class T>
  const T& as(const Json& json, std::string_view name) const {
    const T* value = std::get_if<T>(&json.value);
    if (value == nullptr) fail(name, "has the wrong type in");
    return *value;
  }

  double number(const Json& json, std::string_view name) const {
    if (const auto* value = std::get_if<double>(&json.value)) return *value;
    const auto& text = as<std::string>(json, name);
    for (const auto& [word, value] : kNotFinite) {
      if (text == word) return value;
    }
    fail(name, "is not a number in");
  }

  std::vector<double> numbers(const Json& object, std::string_view name) const {
    return numbers_of(member<Json::List>(object, name), name);
  }
  std::vector<double> numbers_of(const Json::List& list, std::string_view name) const {
    std::vector<double> result;
    for (const Json& json : list) result.push_back(number(json, name));
    return result;
  }

  OptionValue option_value(const Json& json, std::string_view name) const {
    if (std::holds_alternative<std::nullptr_t>(json.value)) return std::monostate{};
    if (const auto* flag = std::get_if<bool>(&json.value)) return *flag;
    if (const auto* integer = std::get_if<Index>(&json.value)) return *integer;
    if (const auto* real = std::get_if<double>(&json.value)) return *real;
    if (const auto* text = std::get_if<std::string>(&json.value)) return *text;
    if (const Json* word = json.find("number")) return number(*word, name);
    Array array;
    for (const Json& size : member<Json::List>(json, "shape")) {
      array.shape.push_back(as<Index>(size, name));
    }
    array.values = numbers(json, "values");
    if (!fits(array)) fail(name, "has a shape that does not fit its values in");
    return array;
  }

  // The shape stands for as many values as there are; a shape without dimensions for none.
  static bool fits(const Array& array) {
    const std::vector<Index>& shape = array.shape;
    if (std::any_of(shape.begin(), shape.end(), [](Index size) { return size < 0; })) return false;
    const bool none = shape.empty() || std::find(shape.begin(), shape.end(), 0) != shape.end();
    if (none) return array.empty();
    Index left = ssize(array.values);  // divided rather than multiplied: it cannot overflow
    for (const Index size : shape) {
      if (left % size != 0) return false;
      left /= size;
    }
    return left == 1;
  }

  static bool allows(const Option& option, const OptionValue& value) {
    const auto within = [&](double x) {
      return std::isfinite(x) && x >= option.low && x <= option.high;
    };
    const auto* text = std::get_if<std::string>(&value);
    const bool choice = text != nullptr && std::find(option.choices.begin(), option.choices.end(),
                                                     *text) != option.choices.end();
    const bool array = std::holds_alternative<Array>(value);
    switch (option.type) {
      case OptionType::kFlag:
        return std::holds_alternative<bool>(value);
      case OptionType::kInteger: {
        const auto* integer = std::get_if<Index>(&value);
        return integer != nullptr && within(static_cast<double>(*integer));
      }
      case OptionType::kNumber: {
        const auto* number = std::get_if<double>(&value);
        return number != nullptr && within(*number);
      }
      case OptionType::kChoice:
        return choice;
      case OptionType::kArray:
        return array || std::holds_alternative<std::monostate>(value);
      case OptionType::kChoiceOrArray:
        return choice || array;
      case OptionType::kIntegerOrArray: {
        const auto* integer = std::get_if<Index>(&value);
        return array || (integer != nullptr && within(static_cast<double>(*integer)));
      }
      case OptionType::kText:
        return text != nullptr;
      case OptionType::kChoiceOrNumber: {
        const auto* number = std::get_if<double>(&value);
        return choice || (number != nullptr && within(*number));
      }
    }
    return false;
  }

  const std::string& file_;
};

}  // namespace

void fail_model(const std::string& file, const std::string& library_version,
                const std::string& reason) {
  if (!is_newer(library_version)) fail_damaged(file, reason);
  fail_newer(file,
             fmt::format("was written by craton {}, and this craton {} cannot read it: {}",
                         library_version, version(), reason),
             library_version);
}

ModelMetadata read_metadata(const Json& json, const std::string& file) {
  const MetadataReader reader(json, file);
  ModelMetadata metadata;
  metadata.library_version = reader.library_version;
  metadata.info = &reader.model(json);
  metadata.options = reader.options(json, *metadata.info);
  metadata.schema = reader.schema(json);
  metadata.origin = reader.origin(json);
  metadata.report = reader.report(json);
  metadata.digest = reader.member<std::string>(json, "digest");
  return metadata;
}

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
    notes.push_back(Json::object({{"code", note.code}, {"text", note.text.plain()}}));
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
  return Json::object({{"library_version", origin.library_version}, {"target", origin.cpu}});
}

// What a reader must know to use the file right, with the version that brought it.
Json requirements_of(const Fitted& fitted) {
  Json json = Json::object({});
  if (preparation_of(*fitted.model) != nullptr) json.set(std::string(kPreparedRows), "0.1.0");
  if (design_of(*fitted.model) != nullptr) json.set(std::string(kTermsOfRows), "0.1.0");
  if (text_of(*fitted.model) != nullptr) json.set(std::string(kTextsOfRows), "0.1.0");
  const auto tells_form = [](const Note& note) { return note.code == kReadAs; };
  if (std::ranges::any_of(fitted.report.notes, tells_form)) {
    json.set(std::string(kFormsOfCells), "0.1.0");
  }
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
  if (!fitted.schema.texts.empty()) {
    Json::List texts;
    for (const Column& column : fitted.schema.texts) texts.push_back(column_to_json(column));
    json.set("texts", Json(std::move(texts)));
  }
  if (fitted.schema.target) json.set("target", column_to_json(*fitted.schema.target));
  return json;
}

}  // namespace craton
