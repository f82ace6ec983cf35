#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "craton/base/error.h"
#include "craton/model/archive.h"
#include "craton/model/model_file.h"
#include "tests/laws/laws.h"
#include "tests/model_file/contents.h"

using namespace craton;
using namespace craton::laws;
using namespace craton::model_file;

TEST_CASE("a model is exactly itself after bytes and back") {
  for_every_model([](const ModelInfo& model) {
    const Data data = groups(model, 700, 3, 20);
    const Fitted fitted = fit(model, data);
    const Bytes bytes = pack_model(fitted);
    const Fitted back = unpack_model(bytes, "memory");
    CHECK(pack_model(back) == bytes);
    CHECK(digest(back) == digest(fitted));
    CHECK(difference(fitted, back) == 0);
    CHECK(back.schema == fitted.schema);
    CHECK(back.options == fitted.options);
    CHECK(back.report.trace == fitted.report.trace);
    CHECK(back.report.half_steps == fitted.report.half_steps);
    CHECK(back.report.iterations == fitted.report.iterations);
    CHECK(back.report.data_hash == fitted.report.data_hash);
    CHECK(back.report.data_hash.size() == 16);
    CHECK(back.origin == fitted.origin);
    MemorySource x = data.source();
    CHECK(predicted(fitted, x) == predicted(back, x));
  });
}

TEST_CASE("a model is exactly itself after a file and back") {
  for_every_model([](const ModelInfo& model) {
    const auto folder = std::filesystem::temp_directory_path() / "craton_laws";
    std::filesystem::create_directories(folder);
    const std::string path = (folder / (std::string(model.name) + ".craton")).string();
    const Fitted fitted = fit(model, groups(model, 300, 2, 21));
    save_model(fitted, path);
    CHECK(digest(load_model(path)) == digest(fitted));
    std::filesystem::remove_all(folder);
  });
}

TEST_CASE("no single changed byte and no truncation of a model loads as something else") {
  for_every_model([](const ModelInfo& model) {
    const Fitted fitted = fit(model, groups(model, 60, 1, 22));
    const Bytes bytes = pack_model(fitted);
    const auto code_of = [](const Bytes& damaged) -> int {
      try {
        unpack_model(damaged, "m.craton");
      } catch (const InputError& error) {
        return static_cast<int>(error.kind());
      }
      return 0;
    };
    REQUIRE(code_of(bytes) == 0);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      Bytes flipped = bytes;
      flipped[i] ^= std::byte{0x10};
      CHECK(code_of(flipped) == static_cast<int>(ErrorKind::kModelFile));
      CHECK(code_of(Bytes(bytes.begin(), bytes.begin() + static_cast<Index>(i))) ==
            static_cast<int>(ErrorKind::kModelFile));
    }
  });
}

// The hashes are made right again, so the parameters themselves must be judged.
TEST_CASE("parameters without sense are refused, whatever the hashes say") {
  for_every_model([](const ModelInfo& model) {
    const Contents sound = contents_of(pack_model(fit(model, groups(model, 60, 2, 23))));
    for (std::size_t a = 0; a < sound.arrays.size(); ++a) {
      CAPTURE(sound.arrays[a].name);
      const auto refused = [&](const Contents& contents) {
        try {
          unpack_model(pack(contents), "m.craton");
        } catch (const InputError& error) {
          return error.code() == Code::kDamagedModel;
        }
        return false;
      };
      Contents missing = sound;
      missing.arrays.erase(missing.arrays.begin() + static_cast<Index>(a));
      // A model that remembers nothing is one, too: it learns no more.
      const bool forgets = std::ranges::none_of(
          missing.arrays, [](const Parameter& p) { return p.name.starts_with("memory."); });
      const bool remembered = sound.arrays[a].name.starts_with("memory.");
      CHECK((refused(missing) || (remembered && forgets)));
      Contents empty = sound;
      empty.arrays[a].value = Array{{0}, {}};
      if (empty.arrays[a].text) empty.arrays[a].text = "";
      CHECK(refused(empty));
      if (sound.arrays[a].text) continue;
      for (const double bad : std::vector<double>{NAN, INFINITY, -INFINITY}) {
        Contents wrong = sound;
        wrong.arrays[a].value.values.back() = bad;
        CHECK(refused(wrong));
      }
      Contents flat = sound;
      flat.arrays[a].value.shape = {1, 1, 1, std::ssize(flat.arrays[a].value.values)};
      CHECK(refused(flat));
    }
  });
}
