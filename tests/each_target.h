#pragma once
#include <doctest/doctest.h>
#include <hwy/targets.h>

#include <string>
#include <vector>

#include "craton/base/random.h"

// What tests of kernels share.

namespace craton::kernel_test {

template <class T = double>
std::vector<T> some_numbers(Index count, std::uint64_t row) {
  Random random(5, Purpose::kTest, 0, row);
  std::vector<T> result(usize(count));
  for (T& v : result) v = static_cast<T>(random.normal());
  return result;
}

// Runs f once for every set of vector instructions that this CPU has, the best last.
template <class F>
void for_each_target(const F& f) {
  const std::int64_t all = hwy::SupportedTargets();
  for (std::int64_t rest = all; rest != 0;) {
    std::int64_t target = 1;
    for (std::int64_t bit = rest; bit > 1; bit >>= 1) target <<= 1;  // the plainest of the rest
    rest &= ~target;
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
    CAPTURE(std::string(hwy::TargetName(target)));
    f();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(all);
}

}  // namespace craton::kernel_test
