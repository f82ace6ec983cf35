#include "craton/kernels/differences.h"

#include <doctest/doctest.h>

#include <vector>

#include "craton/base/random.h"

using namespace craton;

namespace {

std::vector<double> normals(Index size, std::uint64_t seed) {
  Random random(seed, Purpose::kTest);
  std::vector<double> x(usize(size));
  for (double& v : x) v = random.normal();
  return x;
}

// As the header says: term j to sum j mod 8, and the eight added in pairs.
template <class T>
double reference(const T* row, const double* centre, Index columns) {
  double p[8] = {};
  for (Index j = 0; j < columns; ++j) {
    const double difference = static_cast<double>(row[j]) - centre[j];
    p[j % 8] += difference * difference;
  }
  return ((p[0] + p[1]) + (p[2] + p[3])) + ((p[4] + p[5]) + (p[6] + p[7]));
}

template <class T>
void check_same_bits(Index columns) {
  constexpr Index kRows = 9, kCentres = 3;
  const std::vector<double> values = normals(kRows * columns, 1);
  const std::vector<double> centres = normals(kCentres * columns, 2);
  const std::vector<T> x(values.begin(), values.end());
  const std::vector<std::int32_t> labels{2, 0, 1, 2, 2, 2, 1, 2, 2};
  const std::vector<double> weights{1, 2, 0.3, 5, 0.7, 1.1, 3, 0.2, 1};
  std::vector<const T*> rows;
  for (Index i = 0; i < kRows; ++i) rows.push_back(&x[usize(i * columns)]);
  const LabelledRows<const T*> labelled{rows, labels.data(), centres.data(), columns};

  std::vector<double> own(kRows), again(kRows), all(kCentres), sums(centres.size()), expected(sums);
  squared_distances(labelled, own.data());
  add_differences(labelled, weights, sums.data(), again.data());
  CHECK(own == again);
  for (Index i = 0; i < kRows; ++i) {
    const Index at = labels[usize(i)] * columns;
    CHECK(own[usize(i)] == reference(rows[usize(i)], &centres[usize(at)], columns));
    for (Index j = 0; j < columns; ++j) {
      const double difference = static_cast<double>(rows[usize(i)][j]) - centres[usize(at + j)];
      expected[usize(at + j)] += weights[usize(i)] * difference;
    }
    squared_distances(rows[usize(i)], centres.data(), kCentres, columns, all.data());
    CHECK(all[usize(labels[usize(i)])] == own[usize(i)]);
  }
  CHECK(sums == expected);
}

}  // namespace

TEST_CASE("distances and sums have the bits of the loop that is documented") {
  for (const Index columns : {1, 2, 7, 8, 9, 16, 31, 100, 128, 131}) {
    CAPTURE(columns);
    check_same_bits<float>(columns);
    check_same_bits<double>(columns);
  }
}
