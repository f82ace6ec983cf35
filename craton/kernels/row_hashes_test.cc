#include "craton/kernels/row_hashes.h"

#include <doctest/doctest.h>

#include <cmath>

#include "craton/base/random.h"

using namespace craton;

namespace {

template <class T>
void compare(Index rows, Index cols) {
  std::vector<T> x;
  Random random(2, Purpose::kTest);
  for (Index i = 0; i < rows * cols; ++i) {
    const T values[] = {static_cast<T>(random.normal()), T{0}, -T{0}, T{3}};
    x.push_back(values[random.below(4)]);
  }
  const Dense<T> view{x.data(), rows, cols - cols / 4, cols};
  std::vector<std::uint64_t> hashes(usize(rows));
  row_hashes(view, hashes.data());
  for (Index i = 0; i < rows; ++i) CHECK(hashes[usize(i)] == row_hash(view, i));
}

}  // namespace

TEST_CASE("rows have the same hash alone and together, of any width, with zeros and without") {
  for (const Index cols : {1, 2, 7, 8, 9, 16, 33, 100}) {
    compare<float>(9, cols);
    compare<double>(9, cols);
  }
}
