#include <fmt/core.h>

#include <algorithm>
#include <ctime>

#include "tests/embedding/allocations.h"
#include "tests/laws/laws.h"

// The time of a single row in a program that has a model in it: CPU nanoseconds a call, the least
// of some rounds, and allocations a call. A line of JSON for each model, width and call.
//   bench_predict [ROUNDS]

using namespace craton;

namespace {

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double kept = 0;  // so that no call is left out

template <class Call>
void measure(const Fitted& fitted, const laws::Data& data, const char* name, int rounds,
             const Call& call) {
  constexpr Index kCalls = 20'000;
  RowWork work(*fitted.model);
  double least = 1e9;
  const std::int64_t before = allocations();
  for (int round = 0; round < rounds; ++round) {
    const double start = cpu_seconds();
    for (Index i = 0; i < kCalls; ++i) {
      const Index row = i % data.rows;
      kept += call(std::span(&data.x[usize(row * data.cols)], usize(data.cols)), work);
    }
    least = std::min(least, (cpu_seconds() - start) / static_cast<double>(kCalls));
  }
  const double taken =
      static_cast<double>(allocations() - before) / static_cast<double>(rounds * kCalls);
  fmt::print(R"({{"model": "{}", "columns": {}, "classes": {}, "call": "{}", "ns": {:.1f}, )"
             R"("allocations": {}}})"
             "\n",
             fitted.info().name, data.cols, fitted.model->classes(), name, least * 1e9, taken);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 9;
  for (const ModelInfo& model : models()) {
    if (!model.abilities.rows) continue;
    for (const Index cols : {4, 16, 64}) {
      const laws::Data data = laws::groups(model, 1000, cols, 1);
      const Fitted fitted = laws::fit(model, data);
      const AnyModel& m = *fitted.model;
      std::vector<double> log_p(usize(m.classes()));
      if (model.abilities.predict) {
        measure(fitted, data, "predict", rounds, [&](auto row, RowWork& work) {
          return static_cast<double>(m.predict_row(row, work));
        });
      }
      if (model.abilities.predict_log_proba) {
        measure(fitted, data, "predict_log_proba", rounds, [&](auto row, RowWork& work) {
          m.predict_log_proba_row(row, work, log_p);
          return log_p[0];
        });
      }
      if (!model.abilities.score_samples) continue;
      measure(fitted, data, "score_samples", rounds,
              [&](auto row, RowWork& work) { return m.score_row(row, work); });
    }
  }
  return std::isnan(kept) ? 1 : 0;
}
