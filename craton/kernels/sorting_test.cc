#include "craton/kernels/sorting.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "craton/base/random.h"

namespace craton::sorting_test {

TEST_CASE("numbers ascend, however many there are, and however many are equal") {
  Random random(5, Purpose::kTest);
  for (const Index n : {0, 1, 2, 63, 64, 65, 1000, 70'000}) {
    for (const Index different : {Index{1}, Index{7}, Index{1} << 50}) {
      std::vector<double> values;
      std::vector<std::uint64_t> whole;
      for (Index i = 0; i < n; ++i) {
        const double v = static_cast<double>(random.below(different));
        values.push_back(different > 7 ? std::ldexp(v, static_cast<int>(random.below(1900)) - 1020)
                                       : -v);
        whole.push_back(static_cast<std::uint64_t>(random.below(different)));
      }
      std::vector<double> expected = values;
      std::ranges::sort(expected);
      sort_ascending(values);
      CHECK(values == expected);
      std::vector<std::uint64_t> whole_expected = whole;
      std::ranges::sort(whole_expected);
      sort_ascending(whole);
      CHECK(whole == whole_expected);
    }
  }
}

}  // namespace craton::sorting_test
