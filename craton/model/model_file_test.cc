#include "craton/model/model_file.h"

#include <doctest/doctest.h>

#include <string_view>

#include "craton/base/error.h"

// Metadata that does not describe a model. That fitted models are kept exactly is a law
// (tests/laws), for every model there is.

namespace craton {
namespace {

// Well-formed, for the first model there is, with no options and no parameters.
Json plain_metadata() {
  return Json::object({{"format", "craton model"},
                       {"library_version", "0.1.0"},
                       {"grid_version", 1},
                       {"model", models().front().name},
                       {"options", Json::object({})},
                       {"columns", Json(Json::List())},
                       {"report", Json::object({{"iterations", 3},
                                                {"converged", true},
                                                {"objective", -1.5},
                                                {"trace", std::vector<double>{-2, -1.5}},
                                                {"notes", Json(Json::List())},
                                                {"data_hash", "00"}})},
                       {"origin", Json::object({{"library_version", "0.1.0"}, {"target", "x"}})},
                       {"digest", "0"}});
}

Json& at(Json& object, std::string_view name) {
  for (auto& [key, value] : std::get<Json::Object>(object.value)) {
    if (key == name) return value;
  }
  FAIL("no such member");
  return object;
}

void check_fault(const Json& metadata, Code code, std::string_view reason) {
  try {
    unpack_model(pack_archive(metadata, {}), "m.craton");
    FAIL("no error");
  } catch (const InputError& error) {
    CHECK(error.code() == code);
    CHECK(error.place().file == "m.craton");
    const std::string message = error.what();
    CHECK_MESSAGE(message.find(reason) != message.npos, message);
  }
}

// With one member, perhaps inside another, changed.
void check_damaged(std::initializer_list<std::string_view> path, const Json& value,
                   std::string_view reason) {
  Json metadata = plain_metadata();
  Json* member = &metadata;
  for (const std::string_view name : path) member = &at(*member, name);
  *member = value;
  check_fault(metadata, Code::kDamagedModel, reason);
}

Json list_of(Json item) { return Json(Json::List{std::move(item)}); }

const Option* first_option(OptionType type) {
  static const std::vector<Option> options = models().front().options();
  for (const Option& option : options) {
    if (option.type == type) return &option;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("the options of a model are listed once for all who ask") {
  for (const ModelInfo& model : models()) CHECK(&model.options() == &model.options());
}

TEST_CASE("metadata without one of its members is refused and the member named") {
  for (const char* name :
       {"format", "library_version", "grid_version", "model", "options", "columns", "report"}) {
    const Json whole = plain_metadata();
    Json metadata = Json::object({});
    for (const auto& [key, value] : std::get<Json::Object>(whole.value)) {
      if (key != name) metadata.set(key, value);
    }
    check_fault(metadata, Code::kDamagedModel, name);
  }
}

TEST_CASE("metadata of another kind is refused") {
  check_fault(nullptr, Code::kDamagedModel, "format");
  check_damaged({"format"}, "other", "does not describe a model");
}

TEST_CASE("a model that this version does not have asks for a newer one") {
  Json metadata = plain_metadata();
  at(metadata, "model") = "time machine";
  check_fault(metadata, Code::kNewerModel, "\"time machine\"");
}

TEST_CASE("a file that requires an unknown feature asks for the version that brought it") {
  Json metadata = plain_metadata();
  metadata.set("requires", Json::object({{"tensors", "0.7.0"}}));
  check_fault(metadata, Code::kNewerModel, "needs \"tensors\"");
  check_fault(metadata, Code::kNewerModel, "Install craton 0.7.0 or a newer one.");
  at(metadata, "requires") = Json::object({{"tensors", "soon"}});
  check_fault(metadata, Code::kDamagedModel, "\"tensors\"");
  at(metadata, "requires") = list_of("tensors");
  check_fault(metadata, Code::kDamagedModel, "\"requires\"");
}

TEST_CASE("what a newer version wrote and this one cannot read is not called damaged") {
  Json metadata = plain_metadata();
  at(metadata, "library_version") = "12.0.1";
  check_fault(metadata, Code::kNewerModel, "Install craton 12.0.1 or a newer one.");  // parameters
  at(metadata, "options") = Json::object({{"no_such", 1}});
  check_fault(metadata, Code::kNewerModel, "\"no_such\" is not an option");
  at(metadata, "model") = "time machine";
  check_fault(metadata, Code::kNewerModel, "Install craton 12.0.1 or a newer one.");
}

TEST_CASE("a version that is none is refused") {
  for (const char* text : {"", "1", "1.2", "1.2.3.4", "1.2.x", "-1.2.3", "1.-2.3", "1.2.3 ",
                           "a.b.c", "1..3", "99999999999.0.0"}) {
    check_damaged({"library_version"}, text, "\"library_version\"");
  }
}

TEST_CASE("members of the wrong type are refused and named") {
  check_damaged({"model"}, 1, "\"model\"");
  check_damaged({"grid_version"}, 1.0, "\"grid_version\"");
  check_damaged({"options"}, list_of(1), "\"options\"");
  check_damaged({"columns"}, Json::object({}), "\"columns\"");
  check_damaged({"report"}, 1, "\"iterations\"");
  check_damaged({"report", "data_hash"}, 1, "\"data_hash\"");
  check_damaged({"origin"}, 1, "\"library_version\"");
  check_damaged({"origin", "target"}, 1, "\"target\"");
  check_damaged({"report", "iterations"}, 1.5, "\"iterations\"");
  check_damaged({"report", "iterations"}, -1, "\"iterations\"");
  check_damaged({"report", "converged"}, 1, "\"converged\"");
  check_damaged({"report", "objective"}, nullptr, "\"objective\"");
  check_damaged({"report", "objective"}, "minus one", "\"objective\"");
  check_damaged({"report", "trace"}, list_of(true), "\"trace\"");
  check_damaged({"report", "notes"}, list_of("text"), "\"code\"");
}

TEST_CASE("columns that are not well-typed are refused") {
  check_damaged({"columns"}, list_of("x"), "\"name\"");
  check_damaged({"columns"}, list_of(Json::object({{"name", 1}})), "\"name\"");
  check_damaged({"columns"}, list_of(Json::object({{"name", "x"}, {"kind", "colour"}})),
                "\"kind\"");
  check_damaged(
      {"columns"},
      list_of(Json::object({{"name", "x"}, {"kind", "category"}, {"levels", list_of(1)}})),
      "\"levels\"");
}

TEST_CASE("options that the model does not have are refused") {
  check_damaged({"options"}, Json::object({{"no_such", 1}}), "\"no_such\" is not an option");
}

TEST_CASE("options of the wrong type or outside their range are refused") {
  const auto refused = [](const Option* option, const Json& value) {
    if (option == nullptr) return;
    check_damaged({"options"}, Json::object({{option->name, value}}), option->name);
  };
  for (const Json& value : {Json("x"), Json(true), Json(nullptr), Json(0.5)}) {
    refused(first_option(OptionType::kInteger), value);
  }
  for (const Json& value : {Json("x"), Json(1), Json::object({{"number", "nan"}})}) {
    refused(first_option(OptionType::kNumber), value);
  }
  if (const Option* integer = first_option(OptionType::kInteger)) {
    if (integer->low > -1e9) refused(integer, static_cast<Index>(integer->low) - 1);
  }
  refused(first_option(OptionType::kFlag), 1);
  refused(first_option(OptionType::kChoice), "no such choice");
  refused(first_option(OptionType::kChoiceOrArray), "no such choice");
}

TEST_CASE("arrays in options whose shape does not fit their values are refused") {
  const Option* option = first_option(OptionType::kArray);
  if (option == nullptr) option = first_option(OptionType::kChoiceOrArray);
  if (option == nullptr) return;
  const auto array = [](Json::List shape, const std::vector<double>& values) {
    return Json::object({{"shape", Json(std::move(shape))}, {"values", values}});
  };
  const Index huge = Index{1} << 32;
  for (const Json& value : {array({3}, {1, 2}), array({-1, -2}, {1, 2}), array({0, 2}, {1, 2}),
                            array({}, {1}), array({huge, huge}, {}), array({2, 2}, {1, 2}),
                            array({1.5}, {1}), array({-1}, {}), Json::object({{"shape", 1}})}) {
    check_damaged({"options"}, Json::object({{option->name, value}}), "in the metadata");
  }
}

}  // namespace craton
