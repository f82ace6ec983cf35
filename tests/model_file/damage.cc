#include "craton/base/error.h"
#include "craton/model/model_file.h"
#include "tests/laws/laws.h"
#include "tests/model_file/use_model.h"

// Files that were damaged, but for their hashes nothing noticed: each is refused as a model file.
// (Files that somebody made, with their hashes right: mutants.cc.)

using namespace craton;
using namespace craton::model_file;

namespace {

Fitted small_model(const std::string& name, std::vector<NamedOption> options) {
  const laws::Data data = laws::groups(60, 2, 31);
  MemorySource x({.x = Dense<double>{data.x.data(), 60, 2, 2}},
                 {{{"длина, см", ColumnKind::kNumber, {}}, {"b\"\\", ColumnKind::kNumber, {}}}});
  if (name != "density") options.emplace_back("max_iter", Index{4});
  return find_model(name).fit(x, options, {});
}

// With what it remembers of its rows.
Fitted labelled_model(const std::string& name, const std::vector<NamedOption>& options) {
  const laws::Data data = laws::groups(60, 2, 31);
  MemorySource x = data.source();
  return find_model(name).fit(x, options, {});
}

std::vector<Fitted> small_models() {
  std::vector<Fitted> models;
  models.push_back(small_model("kmeans", {{"n_clusters", Index{3}}}));
  models.push_back(small_model("density", {}));
  models.push_back(labelled_model("nb", {{"family", "1=gamma,2=equal-width"}}));
  models.push_back(labelled_model("nb", {{"family", "lognormal"}}));
  models.push_back(labelled_model("multinomial-nb", {}));
  models.push_back(labelled_model("gaussian-nb", {}));
  models.push_back(labelled_model("generative", {{"density", "gmm"}}));  // of version 2
  models.push_back(small_model("gmm", {{"n_components", Index{2}}}));
  models.push_back(small_model(
      "kmeans",
      {{"n_clusters", Index{2}}, {"fill", "mean"}, {"scale", "standard"}, {"unit_rows", "l2"}}));
  models.push_back(small_model(
      "gmm", {{"n_components", Index{2}}, {"covariance_type", "diag"}, {"n_init", Index{2}}}));
  return models;
}

// "" when the bytes are refused as they should be, "loaded" when the model works, else the fault.
std::string outcome(const Bytes& bytes) {
  try {
    const Fitted fitted = unpack_model(bytes, "mutant");
    const std::string fault = use_model(fitted);
    return fault.empty() ? "loaded" : fault;
  } catch (const InputError& error) {
    return error.kind() == ErrorKind::kModelFile ? "" : error.what();
  } catch (const std::exception& error) {
    return error.what();
  }
}

void check_damage(std::span<const std::byte> flips) {
  for (const Fitted& fitted : small_models()) {
    const Bytes bytes = pack_model(fitted);
    REQUIRE(outcome(bytes) == "loaded");
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      CAPTURE(i);
      Bytes damaged = bytes;
      for (const std::byte flip : flips) {
        damaged[i] = bytes[i] ^ flip;
        CHECK(outcome(damaged) == "");
      }
      CHECK(outcome(Bytes(bytes.begin(), bytes.begin() + static_cast<Index>(i))) == "");
    }
  }
}

}  // namespace

TEST_CASE("every changed byte and every truncation of small models is refused") {
  check_damage(std::vector{std::byte{0x10}});
}

TEST_CASE("every changed bit of small models is refused" * doctest::skip()) {
  std::vector<std::byte> flips{std::byte{0xff}};
  for (int bit = 0; bit < 8; ++bit) flips.push_back(std::byte{1} << bit);
  check_damage(flips);
}
