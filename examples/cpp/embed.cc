#include <craton/base/error.h>
#include <craton/model/model_file.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

// A model inside a program: embed MODEL VALUE... labels a row, on four threads at once.
//
//   craton fit gmm birds.csv --n-components 3 -o birds.craton && embed birds.craton 180 39.1
//
// The model is loaded once and shared. What a thread works on is its own, and is made once too:
// after that no row takes memory or waits for a lock. A row of a few columns takes less than a
// microsecond.

int main(int argc, char** argv) try {
  if (argc < 3) {
    std::fputs("usage: embed MODEL VALUE...\n", stderr);
    return 1;
  }
  const craton::Fitted fitted = craton::load_model(argv[1]);
  const craton::AnyModel& model = *fitted.model;
  std::vector<double> row;
  for (int i = 2; i < argc; ++i) {
    char* end = argv[i];
    row.push_back(std::strtod(argv[i], &end));
    if (end != argv[i] && *end == '\0') continue;
    std::fprintf(stderr, "embed: '%s' is not a number\n", argv[i]);
    return 1;
  }

  constexpr int kRequests = 10'000;
  std::vector<std::int32_t> labels(4);
  {
    std::vector<std::jthread> threads;
    for (std::int32_t& label : labels) {
      threads.emplace_back([&] {
        craton::RowWork work(model);
        for (int request = 0; request < kRequests; ++request) {
          label = model.predict_row(row, work);
        }
      });
    }
  }
  for (const std::int32_t label : labels) {
    if (label != labels[0]) return 1;
  }

  craton::RowWork work(model);
  std::printf("label %s\n", label_name(fitted.schema, labels[0]).c_str());
  if (fitted.info().abilities.predict_log_proba) {
    std::vector<double> log_p(static_cast<std::size_t>(model.classes()));
    model.predict_log_proba_row(row, work, log_p);
    for (craton::Index c = 0; c < model.classes(); ++c) {
      std::printf("p(%s) %.4f\n", label_name(fitted.schema, c).c_str(),
                  std::exp(log_p[static_cast<std::size_t>(c)]));
    }
  }
  if (fitted.info().abilities.score_samples) {
    std::printf("log p(row) %.4f\n", model.score_row(row, work));
  }
} catch (const craton::InputError& error) {  // no such file, a value that is no number, ...
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
