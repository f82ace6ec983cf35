#pragma once
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "craton/base/random.h"
#include "craton/base/source.h"

// For tests: tables with known answers, and tables by chance.

namespace craton {

struct RegressionTable {
  Index cols = 0;
  std::vector<double> x, y, weights;  // no weights: all are 1

  Index rows() const { return std::ssize(y); }
  MemorySource source() const {
    return MemorySource(
        {.x = Dense<double>{x.data(), rows(), cols, cols}, .targets = y, .weights = weights});
  }
  RegressionTable part(Index first, Index last) const {
    RegressionTable t{cols,
                      {x.begin() + first * cols, x.begin() + last * cols},
                      {y.begin() + first, y.begin() + last},
                      {}};
    if (!weights.empty()) t.weights.assign(weights.begin() + first, weights.begin() + last);
    return t;
  }
  RegressionTable without(Index row) const {
    RegressionTable t = *this;
    t.x.erase(t.x.begin() + row * cols, t.x.begin() + (row + 1) * cols);
    t.y.erase(t.y.begin() + row);
    if (!weights.empty()) t.weights.erase(t.weights.begin() + row);
    return t;
  }
};

// x and noise of N(0, 1), y = 1 + sum_j (j % 3 - 1) x_j + noise.
inline RegressionTable random_regression(Index rows, Index cols, std::uint64_t seed) {
  RegressionTable t{cols, {}, {}, {}};
  for (Index i = 0; i < rows; ++i) {
    Random random(seed, Purpose::kTest, 0, static_cast<std::uint64_t>(i));
    double y = 1 + random.normal();
    for (Index j = 0; j < cols; ++j) {
      t.x.push_back(random.normal());
      y += static_cast<double>(j % 3 - 1) * t.x.back();
    }
    t.y.push_back(y);
  }
  return t;
}

// tests/reference/least_squares.txt.
struct ReferenceProblem {
  std::string name;
  bool intercept = true;
  RegressionTable table;
  std::map<std::string, std::vector<double>> answers;
};

inline std::vector<ReferenceProblem> reference_problems() {
  std::vector<ReferenceProblem> all;
  std::ifstream file(CRATON_REFERENCE "/least_squares.txt");
  for (std::string text; std::getline(file, text);) {
    if (text[0] == '#') continue;
    std::istringstream words(text);
    std::string key, word;
    words >> key;
    if (key == "problem") {
      ReferenceProblem& p = all.emplace_back();
      Index rows = 0;
      words >> p.name >> word >> rows >> p.table.cols;
      p.intercept = word == "intercept";
      continue;
    }
    std::vector<double> numbers;
    while (words >> word) numbers.push_back(std::strtod(word.c_str(), nullptr));
    ReferenceProblem& p = all.back();
    if (key == "row") {
      p.table.weights.push_back(numbers[0]);
      p.table.y.push_back(numbers[1]);
      p.table.x.insert(p.table.x.end(), numbers.begin() + 2, numbers.end());
    } else {
      p.answers[key] = numbers;
    }
  }
  return all;
}

}  // namespace craton
