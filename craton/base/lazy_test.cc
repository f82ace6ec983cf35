#include "craton/base/lazy.h"

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>

#include "craton/engine/workers.h"

namespace craton {

TEST_CASE("a lazy value is made once, whoever asks first, and shared by copies") {
  std::atomic<int> made = 0;
  const auto value = Lazy<int>::made_by([&] { return 41 + ++made; });
  CHECK(made == 0);
  const Lazy<int> copy = value;
  std::atomic<int> right = 0;
  run_workers(4, [&](int) { right += copy.get() == 42 && value.get() == 42 ? 1 : 0; });
  CHECK(right == 4);
  CHECK(made == 1);
  CHECK(Lazy<int>(7).get() == 7);
  CHECK(Lazy<int>().get() == 0);
}

TEST_CASE("a maker that throws is asked again") {
  int asked = 0;
  const auto value = Lazy<int>::made_by([&] {
    if (++asked == 1) throw std::runtime_error("not yet");
    return asked;
  });
  CHECK_THROWS_AS(value.get(), std::runtime_error);
  CHECK(value.get() == 2);
}

}  // namespace craton
