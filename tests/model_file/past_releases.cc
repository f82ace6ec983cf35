#include <filesystem>
#include <set>

#include "craton/base/files.h"
#include "craton/model/model_file.h"
#include "tests/laws/laws.h"
#include "tests/model_file/contents.h"
#include "tests/model_file/use_model.h"
#include "tests/refused.h"

// Every file in tests/models, which holds some of each release: it loads, is the model it was, and
// answers as it did. CRATON_MODELS is that folder.

using namespace craton;

namespace {

const Json& member(const Json& object, std::string_view name) {
  const Json* json = object.find(name);
  REQUIRE(json != nullptr);
  return *json;
}

const std::string& text(const Json& object, std::string_view name) {
  return std::get<std::string>(member(object, name).value);
}

std::vector<double> numbers(const Json& json) {
  if (const auto* whole = std::get_if<Index>(&json.value)) return {static_cast<double>(*whole)};
  if (const auto* number = std::get_if<double>(&json.value)) return {*number};
  std::vector<double> all;
  for (const Json& item : std::get<Json::List>(json.value)) {
    const std::vector<double> some = numbers(item);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

// The labels are exact; other CPUs and compilers may change the last digits of the rest.
void check_answers(const AnyModel& model, const std::vector<double>& rows, const Json& answers) {
  const Index d = model.columns(), n = std::ssize(rows) / d;
  MemorySource x({.x = Dense<double>{rows.data(), n, d, d}});
  for (const auto& [ability, json] : std::get<Json::Object>(answers.value)) {
    CAPTURE(ability);
    const std::vector<double> expected = numbers(json);
    std::vector<double> out(expected.size());
    if (ability == "predict") {
      std::vector<std::int32_t> labels(expected.size());
      model.predict(x, labels, {});
      out.assign(labels.begin(), labels.end());
    } else if (ability == "predict_log_proba") {
      model.predict_log_proba(x, out, {});
    } else if (ability == "predict_numbers") {
      model.predict_numbers(x, out, {});
    } else if (ability == "score_samples") {
      model.score_samples(x, out, {});
    } else {
      REQUIRE(ability == "transform");
      model.transform(x, out, {});
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
      CHECK(std::abs(out[i] - expected[i]) <= 1e-12 * std::max(1.0, std::abs(expected[i])));
    }
  }
}

// Returns the models of the files.
std::set<std::string> check_release(const std::filesystem::path& folder) {
  const Bytes bytes = read_file((folder / "manifest.json").string());
  const Json manifest =
      parse_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, "manifest.json");
  std::set<std::string> kinds;
  for (const Json& entry : std::get<Json::List>(manifest.value)) {
    const std::string path = (folder / text(entry, "file")).string();
    CAPTURE(path);
    const Fitted fitted = load_model(path);
    CHECK(fitted.info().name == text(entry, "model"));
    kinds.insert(text(entry, "model"));
    const std::string& recorded = text(entry, "digest");
    CHECK((digest(fitted) == recorded || old_digest(fitted) == recorded));
    CHECK(Json(fitted.schema.names()) == member(entry, "columns"));
    check_answers(*fitted.model, numbers(member(entry, "rows")), member(entry, "answers"));
    CHECK(model_file::use_model(fitted) == "");
  }
  const auto files = std::distance(std::filesystem::directory_iterator(folder), {});
  CHECK(files == 1 + std::ssize(std::get<Json::List>(manifest.value)));
  return kinds;
}

}  // namespace

TEST_CASE("a file without the members that are optional loads") {
  for (const ModelInfo& model : models()) {
    const Fitted fitted = laws::fit(model, laws::groups(model, 60, 2, 1));
    model_file::Contents archive = model_file::contents_of(pack_model(fitted));
    const auto drop = [](Json& json, std::string_view name) {
      std::erase_if(std::get<Json::Object>(json.value),
                    [&](const auto& m) { return m.first == name; });
    };
    drop(archive.metadata, "requires");
    drop(archive.metadata, "origin");
    for (auto& [name, json] : std::get<Json::Object>(archive.metadata.value)) {
      if (name == "report") drop(json, "data_hash");
    }
    const Fitted back = unpack_model(model_file::pack(archive), "m.craton");
    CHECK(digest(back) == digest(fitted));
    CHECK(back.origin.library_version == "");
    CHECK(back.report.data_hash == "");
    CHECK(model_file::use_model(back) == "");
  }
}

// 0.1.0 kept the densities of generative in two arrays. The digest of such a file is that of these;
// once loaded, the model is one of today.
TEST_CASE("a generative model of two arrays is verified by its digest, and saved by names") {
  for (const char* name : {"generative-gmm", "generative-mixture", "generative-scaled"}) {
    CAPTURE(name);
    const std::string path = std::string(CRATON_MODELS) + "/0.1.0/" + name + ".craton";
    const Bytes bytes = read_file(path);
    model_file::Contents old = model_file::contents_of(bytes);
    const Fitted fitted = unpack_model(bytes, path);
    CHECK(old_digest(fitted) == text(old.metadata, "digest"));
    CHECK(digest(fitted) != old_digest(fitted));

    const Bytes saved = pack_model(fitted);
    CHECK(saved[8] == std::byte{2});
    const Fitted back = unpack_model(saved, "saved");
    CHECK(digest(back) == digest(fitted));
    CHECK(back.model->parameters() == fitted.model->parameters());
    CHECK(parameter_of(*back.model, "density")->text.has_value());
    CHECK(parameter_of(*back.model, "layout") == std::nullopt);

    for (Parameter& p : old.arrays) {
      if (p.name == "densities") p.value.values.back() = std::nextafter(p.value.values.back(), 9.0);
    }
    check_refused([&] { unpack_model(model_file::pack(old), path); }, Code::kDamagedModel, -1,
                  "digest");
  }
}

TEST_CASE("the model files of every release load and answer as they did") {
  std::set<std::string> kinds;
  for (const auto& entry : std::filesystem::directory_iterator(CRATON_MODELS)) {
    if (entry.is_directory()) kinds.merge(check_release(entry.path()));
  }
  for (const ModelInfo& model : models()) {
    CAPTURE(model.name);
    CHECK(kinds.contains(std::string(model.name)));  // else run tests/models/make.py
  }
}
