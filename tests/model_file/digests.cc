#include <fmt/core.h>

#include "craton/base/error.h"
#include "craton/base/hash.h"
#include "craton/model/model_file.h"
#include "tests/laws/laws.h"
#include "tests/model_file/kinds.h"

// The digest of every kind of model, and the hash of its file: run before and after a change of the
// code's shape, the two lists are to be the same.
//
//   build/release/tests/digests > before.txt

namespace craton {
namespace {

void print(const Fitted& fitted, const std::string& name) {
  fmt::print("{} {} {}\n", digest(fitted), hash_hex(pack_model(fitted)), name);
}

void print_laws() {
  for (const ModelInfo& model : models()) {
    const std::string name(model.name);
    laws::Data data = laws::groups(model, 6000, 5, 3);
    print(laws::fit(model, data), name + ", 6000 rows");
    MemorySource narrow = data.float_source();
    print(laws::fit(model, narrow), name + ", of float");
    for (Index i = 0; i < data.rows; ++i) data.weights.push_back(static_cast<double>(i % 4) / 2);
    print(laws::fit(model, data), name + ", weighted");
    for (const char* scale : {"standard", "robust", "minmax"}) {
      std::vector<NamedOption> options = laws::small_options(model);
      options.emplace_back("scale", std::string(scale));
      MemorySource x = data.source();
      try {
        print(model.fit(x, options, {}), name + ", weighted, scale=" + scale);
      } catch (const InputError& error) {
        fmt::print("{} {}, scale={}\n", info(error.code()).id, name, scale);
      }
    }
  }
}

}  // namespace
}  // namespace craton

int main() {
  craton::print_laws();
  for (const craton::model_file::Kind& kind : craton::model_file::every_kind()) {
    craton::print(kind.fitted, kind.name);
  }
}
