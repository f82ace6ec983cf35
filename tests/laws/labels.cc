#include <algorithm>

#include "craton/core/error.h"
#include "craton/core/model_file.h"
#include "tests/laws/laws.h"
#include "tests/refused.h"

using namespace craton;
using namespace craton::laws;

// Models whose statistics do not depend on what was learned: exactly for integers, else to
// rounding.
TEST_CASE(
    "labelled rows in any batches, merged or learned on, give one fit, and can be unlearned") {
  for_every_model([](const ModelInfo& model) {
    if (!model.abilities.labels || !model.abilities.unlearn) return;
    for (const bool integers : {true, false}) {
      CAPTURE(integers);
      Data data = groups(model, 6'000, 3, 46);
      if (integers)
        std::for_each(data.x.begin(), data.x.end(), [](double& v) { v = std::round(v); });
      const auto same = [&](const Fitted& a, const Fitted& b, double tolerance) {
        if (integers) CHECK(digest(a) == digest(b));
        CHECK(difference(a, b) <= tolerance);
      };
      const auto learn = [&](const Fitted& from, Index first, Index last, bool forget) {
        const Data part = data.slice(first, last);
        MemorySource x = part.source();
        return (forget ? model.unlearn : model.partial_fit)(from, x, from.options, {});
      };
      const Fitted whole = fit(model, data);
      const Fitted half = fit(model, data.slice(0, 2'500));
      same(
          model.merge(half, unpack_model(pack_model(fit(model, data.slice(2'500, 6'000))), "copy")),
          whole, 1e-12);
      Fitted batches = fit(model, data.slice(0, 100));
      for (Index first = 100; first < 6'000; first += 1'180) {
        batches = learn(batches, first, first + 1'180, false);
      }
      same(batches, whole, 1e-12);
      same(learn(whole, 2'500, 6'000, true), half, 1e-9);
      check_refused([&] { learn(half, 0, 6'000, true); }, Code::kBadTarget, -1,
                    "has not seen all of these rows");
    }
  });
}
