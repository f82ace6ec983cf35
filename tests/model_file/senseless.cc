#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "craton/model/model_file.h"
#include "tests/laws/laws.h"
#include "tests/model_file/contents.h"
#include "tests/model_file/raw_file.h"
#include "tests/refused.h"

// Files of the right form whose contents make no sense: each is refused, and says why.

using namespace craton;
using namespace craton::model_file;

namespace {

Contents sound(const std::string& name, std::vector<NamedOption> options) {
  const laws::Data data = laws::groups(60, 2, 31);
  MemorySource x({.x = Dense<double>{data.x.data(), 60, 2, 2}}, numbered_schema(2));
  return contents_of(pack_model(find_model(name).fit(x, options, {})));
}

Array& array_of(Contents& archive, std::string_view name) {
  for (Parameter& p : archive.arrays) {
    if (p.name == name) return p.value;
  }
  FAIL("no such array");
  return archive.arrays[0].value;
}

void check_damaged(const Bytes& bytes, std::string_view part) {
  check_refused([&] { unpack_model(bytes, "m.craton"); }, Code::kDamagedModel, -1, part);
}

}  // namespace

TEST_CASE("parameters that make no sense are refused with right hashes") {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN(),
                   kInf = std::numeric_limits<double>::infinity();
  struct Change {
    int model;
    std::string_view array;
    std::size_t at;
    double value;
    std::string_view part;
  };
  const std::vector<Contents> models{
      sound("gmm", {{"n_components", Index{2}}}),
      sound("gmm", {{"n_components", Index{2}}, {"covariance_type", "diag"}}),
      sound("kmeans", {{"n_clusters", Index{3}}}), sound("density", {{"family", "gaussian"}}),
      sound("kmeans", {{"n_clusters", Index{3}}, {"metric", "cosine"}})};
  for (const Change& change : {
           Change{0, "weights", 0, kNan, "not finite"},
           Change{0, "weights", 0, 0.9999, "sum to 1"},
           Change{0, "weights", 1, -0.1, "between 0 and 1"},
           Change{0, "weights", 1, 2, "between 0 and 1"},
           Change{0, "means", 3, kInf, "not finite"},
           Change{0, "covariances", 0, kNan, "not finite"},
           Change{0, "covariances", 1, 1e9, "not symmetric"},
           Change{0, "covariances", 0, -1, "component 0"},
           Change{0, "covariances", 7, 0, "component 1"},
           Change{1, "covariances", 3, 0, "component 1"},
           Change{1, "covariances", 0, -1, "component 0"},
           Change{2, "cluster_centers", 5, kNan, "not finite"},
           Change{2, "cluster_centers", 0, -kInf, "not finite"},
           Change{2, "cluster_weights", 0, -1, "weights"},
           Change{2, "cluster_weights", 2, kInf, "weights"},
           Change{3, "candidates", 0, 1, "column"},
           Change{3, "candidates", 5, 3, "column"},
           Change{3, "candidates", 1, 99, "family"},
           Change{3, "candidates", 1, 0.5, "family"},
           Change{3, "candidates", 2, 3, "not valid"},
           Change{3, "candidates", 2, 1e300, "number of parameters"},
           Change{3, "candidates", 2, kNan, "number of parameters"},
           Change{3, "candidates", 7, 1, "not valid"},
           Change{3, "candidates", 3, kNan, "log-likelihood"},
           Change{3, "candidates", 4, 0, "weight"},
           Change{3, "values", 1, -1, "not valid"},
           Change{3, "values", 0, kInf, "not valid"},
           Change{0, "memory.totals", 1, kNan, "not finite"},
           Change{0, "memory.totals", 0, 61, "not those of its rows"},
           Change{0, "memory.component_weights", 0, -1, "negative"},
           Change{1, "memory.component_sums", 3, kInf, "not finite"},
           Change{0, "memory.component_scatters", 5, kNan, "not finite"},
           Change{0, "memory.columns", 0, 0, "columns"},
           Change{0, "memory.columns", 1, 0.5, "columns"},
           Change{0, "memory.columns", 2, 4294967296.0, "columns"},
           Change{0, "memory.columns", 6, -1, "columns"},
           Change{1, "memory.columns", 8, kInf, "columns"},
           Change{4, "unit_length", 0, 0, "unit_length"},
           Change{4, "cluster_centers", 1, 1.5, "length 1"},
       }) {
    CAPTURE(change.array);
    CAPTURE(change.at);
    Contents archive = models[usize(change.model)];
    array_of(archive, change.array).values[change.at] = change.value;
    check_damaged(pack(archive), change.part);
  }
}

TEST_CASE("parameters whose shapes do not fit each other are refused") {
  for (const char* name : {"weights", "means", "covariances"}) {
    Contents archive = sound("gmm", {{"n_components", Index{4}}});
    Array& array = array_of(archive, name);
    array.shape[0] = 2;  // one covariance would be that of all components
    array.values.resize(array.values.size() / 2);
    check_damaged(pack(archive), "shape");
    archive.arrays.erase(archive.arrays.begin());
    check_damaged(pack(archive), "weights");
  }
}

TEST_CASE(
    "a memory that is not whole, or of another shape, is refused; without any a model loads") {
  const Contents whole = sound("gmm", {{"n_components", Index{2}}});
  Contents none = whole;
  std::erase_if(none.arrays, [](const auto& array) { return array.name.starts_with("memory."); });
  CHECK(unpack_model(pack(none), "m.craton").memory.get().empty());
  CHECK(whole.arrays.size() - none.arrays.size() == 5);
  for (std::size_t i = none.arrays.size(); i < whole.arrays.size(); ++i) {
    Contents part = whole;
    part.arrays.erase(part.arrays.begin() + static_cast<Index>(i));
    check_damaged(pack(part), "missing");
    Contents wide = whole;
    wide.arrays[i].value.shape.back() += 1;
    wide.arrays[i].value.values.resize(wide.arrays[i].value.values.size() + 2, 1.0);
    if (wide.arrays[i].value.shape.size() == 1) wide.arrays[i].value.values.pop_back();
    check_damaged(pack(wide), "shape");
  }
  // Sections that the model does not know are ignored, here as elsewhere.
  Contents clusters = sound("kmeans", {{"n_clusters", Index{3}}});
  clusters.arrays.push_back({"memory.unknown", "", {{1}, {1}}});
  CHECK(unpack_model(pack(clusters), "m.craton").memory.get().empty());
}

TEST_CASE("a file of the other byte order is not read as one of this") {
  Bytes bytes = pack(sound("kmeans", {{"n_clusters", Index{3}}}));
  std::reverse(&bytes[8], &bytes[12]);
  std::reverse(&bytes[12], &bytes[16]);
  std::reverse(&bytes[16], &bytes[24]);
  rehash(bytes);
  check_refused([&] { unpack_model(bytes, "m.craton"); }, Code::kNewerModel, -1, "version");
}

TEST_CASE("a hundred thousand sections are refused by name and not by patience") {
  RawFile file = raw_file(sound("kmeans", {{"n_clusters", Index{3}}}));
  for (int i = 0; i < 100'000; ++i) {
    file.push_back(raw_section("x" + std::to_string(i), {{1}, {1}}));
  }
  check_damaged(pack_raw(file), "");
  file.back().name = "x0";
  check_damaged(pack_raw(file), "x0");
}

TEST_CASE("metadata of ten thousand levels is refused and no crash") {
  const std::string deep = std::string(10'000, '[') + std::string(10'000, ']');
  check_damaged(pack_raw({raw_metadata(deep)}), "deep");
  check_damaged(pack_raw({raw_metadata("{\"model\": " + deep + "}")}), "deep");
}
