#include <algorithm>
#include <numeric>

#include "craton/model/model_file.h"
#include "tests/laws/laws.h"

// What every model must pass, of those that keep a kernel about each value of a column.

using namespace craton;
using namespace craton::laws;

namespace {

template <class Law>
void for_kernels(const Law& law) {
  for (const char* name : {"nb", "density"}) {
    for (const char* bandwidth : {"scott", "0.4"}) {
      const std::string called = std::string(name) + ", bandwidth = " + bandwidth;
      CAPTURE(called);
      const ModelInfo& model = find_model(name);
      const std::string words = std::string("family=kde; bandwidth=") + bandwidth;
      const auto options = parse_options(model.options(), words);
      law([&](const Data& data, int threads = 0) {
        MemorySource x = data.source();
        return model.fit(x, options, {.threads = threads});
      });
    }
  }
}

std::vector<double> densities(const Fitted& fitted, const Data& data, int threads = 1) {
  MemorySource x = data.source();
  std::vector<double> out(usize(data.rows));
  fitted.model->score_samples(x, out, {.threads = threads});
  return out;
}

}  // namespace

TEST_CASE("kernels are exactly themselves after bytes and back") {
  for_kernels([](const auto& fit) {
    const Data data = groups(500, 2, 61);
    const Fitted fitted = fit(data);
    const Fitted back = unpack_model(pack_model(fitted), "memory");
    CHECK(digest(back) == digest(fitted));
    CHECK(densities(back, data) == densities(fitted, data));
  });
}

TEST_CASE("kernels are the same bits by any number of threads") {
  for_kernels([](const auto& fit) {
    const Data data = groups(3000, 2, 62);
    const Fitted one = fit(data, 1);
    for (const int threads : {2, 7}) {
      const Fitted other = fit(data, threads);
      CHECK(digest(other) == digest(one));
      CHECK(densities(other, data, threads) == densities(one, data));
    }
  });
}

TEST_CASE("kernels are the same bits in any order of rows, and of repeated or weighted ones") {
  for_kernels([](const auto& fit) {
    Data data = groups(300, 2, 63);
    std::vector<Index> turned(300), repeated;
    std::iota(turned.rbegin(), turned.rend(), Index{0});
    CHECK(densities(fit(data.rows_at(turned)), data) == densities(fit(data), data));
    for (Index i = 0; i < 300; ++i) {
      data.weights.push_back(static_cast<double>(1 + i % 3));
      repeated.insert(repeated.end(), usize(1 + i % 3), i);
    }
    CHECK(densities(fit(data.rows_at(repeated)), data) == densities(fit(data), data));
  });
}

TEST_CASE("kernels of floats are those of the same numbers as doubles") {
  for_kernels([](const auto& fit) {
    const Data data = groups(400, 2, 64);
    const Fitted fitted = fit(data);
    MemorySource x = data.float_source();
    std::vector<double> out(400);
    fitted.model->score_samples(x, out, {});
    CHECK(out == densities(fitted, data));
  });
}
