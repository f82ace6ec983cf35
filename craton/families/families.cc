#include <array>

#include "craton/families/bernoulli.h"
#include "craton/families/categorical.h"
#include "craton/families/erased.h"
#include "craton/families/gamma.h"
#include "craton/families/gaussian.h"
#include "craton/families/poisson.h"

// The one table of families of one number. Nothing registers itself: what is listed here exists.

namespace craton {
namespace {

template <class F>
const Family* erased() {
  static const Erased<F> family;
  return &family;
}

}  // namespace

// Within a support, the simpler ones come first.
std::span<const Family* const> families() {
  static const CategoricalFamily categorical;
  static const std::array kFamilies{
      erased<Bernoulli>(), static_cast<const Family*>(&categorical),
      erased<Poisson>(),   erased<Gaussian>(),
      erased<Gamma>(),
  };
  return kFamilies;
}

}  // namespace craton
