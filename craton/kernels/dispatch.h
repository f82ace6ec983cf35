#pragma once
#include <string>

namespace craton {

// The vector instructions that kernels use on this CPU, "AVX2" for example. On one of them results
// have the same bits everywhere; between two of them they agree to about 1e-12.
std::string cpu_target();

}  // namespace craton
