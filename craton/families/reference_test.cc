#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "craton/families/family.h"

// Densities, distribution functions and moments against tests/reference/families.txt, which
// families.py there makes with mpmath.

using namespace craton;

namespace {

struct Line {
  std::string text, family, quantity;
  std::vector<double> numbers;  // parameters, perhaps x, and the value
};

std::vector<Line> read_lines() {
  std::ifstream file(CRATON_REFERENCE "/families.txt");
  std::vector<Line> lines;
  for (std::string text; std::getline(file, text);) {
    if (text.empty() || text[0] == '#') continue;
    Line line{text, {}, {}, {}};
    std::istringstream words(text);
    words >> line.family >> line.quantity;
    for (std::string word; words >> word;)
      line.numbers.push_back(std::strtod(word.c_str(), nullptr));
    lines.push_back(std::move(line));
  }
  return lines;
}

double evaluate(const Family& family, const Line& line, std::span<const double> parameters) {
  if (line.quantity == "mean") return family.mean(parameters);
  if (line.quantity == "variance") return family.variance(parameters);
  if (line.quantity == "entropy") return family.entropy(parameters);
  const std::vector<double> x{line.numbers[parameters.size()]};
  std::vector<double> out(1);
  if (line.quantity == "cdf") {
    family.cdf(x, parameters, out);
  } else {
    family.log_density(x, parameters, out);
  }
  return out[0];
}

// Relative; of a logarithm, that of the density itself where it is less.
double error_of(const Line& line, double value) {
  const double expected = line.numbers.back();
  if (std::isnan(expected) || std::isinf(expected)) {
    return (std::isnan(expected) && std::isnan(value)) || expected == value ? 0 : INFINITY;
  }
  const bool logarithm = line.quantity == "log_density" || line.quantity == "entropy";
  const double unit = logarithm ? std::max(1.0, std::abs(expected)) : std::abs(expected);
  // What lies below the normal numbers has lost digits already.
  return std::abs(value - expected) / std::max(unit, 1e-300);
}

}  // namespace

TEST_CASE("densities, distribution functions and moments agree with mpmath to 1e-10") {
  const std::vector<Line> lines = read_lines();
  CHECK(lines.size() > 1000);
  for (const Line& line : lines) {
    const Family& family = get_family(line.family);
    const std::span<const double> parameters(line.numbers.data(), family.info().parameters.size());
    const double value = evaluate(family, line, parameters), error = error_of(line, value);
    CHECK_MESSAGE(error <= 1e-10, line.text, ": ", value, ", error ", error);
  }
}
