#include <cstdio>
#include <cstdlib>
#include <string>

#include "craton/cluster/kmeans.h"
#include "craton/model/model_file.h"

// For kill_saves.py. save_loop FILE saves large models there, one after the other, until it is
// killed; save_loop --check FILE loads what is there and prints its number.

using namespace craton;

namespace {

constexpr Index kCentres = 100'000, kColumns = 65;  // 53 MB

// Every value of model number i is i.
Fitted model_number(Index i) {
  const auto value = static_cast<double>(i);
  const std::vector<Parameter> parameters{
      {"cluster_centers",
       "",
       {{kCentres, kColumns}, std::vector<double>(usize(kCentres * kColumns), value)}},
      {"cluster_weights", "", {{kCentres}, std::vector<double>(usize(kCentres), value)}}};
  return {find_model("kmeans").from_parameters(parameters), {}, {}, numbered_schema(kColumns), {}};
}

int check(const std::string& path) {
  const Fitted fitted = load_model(path);
  const std::vector<Parameter> parameters = fitted.model->parameters();
  const double number = parameters[0].value.values[0];
  for (const Parameter& parameter : parameters) {
    for (const double value : parameter.value.values) {
      if (value != number) return EXIT_FAILURE;
    }
  }
  std::printf("%.0f\n", number);
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--check") return check(argv[2]);
  if (argc != 2) return EXIT_FAILURE;
  for (Index i = 0;; ++i) {
    save_model(model_number(i), argv[1]);
    std::printf("%lld\n", static_cast<long long>(i));
    std::fflush(stdout);
  }
}
