#include <array>

#include "craton/families/bernoulli.h"
#include "craton/families/beta.h"
#include "craton/families/binomial.h"
#include "craton/families/categorical.h"
#include "craton/families/erased.h"
#include "craton/families/exponential.h"
#include "craton/families/gamma.h"
#include "craton/families/gaussian.h"
#include "craton/families/geometric.h"
#include "craton/families/kde.h"
#include "craton/families/laplace.h"
#include "craton/families/lognormal.h"
#include "craton/families/negative_binomial.h"
#include "craton/families/poisson.h"
#include "craton/families/student_t.h"
#include "craton/families/uniform.h"
#include "craton/families/von_mises.h"
#include "craton/families/weibull.h"

// The one table of families of one number. Nothing registers itself: what is listed here exists.
// Model files have places in this table: new ones go to its end.

namespace craton {
namespace {

template <class F>
const Family* erased() {
  static const Erased<F> family;
  return &family;
}
const Family* categorical() {
  static const CategoricalFamily family;
  return &family;
}
const Family* kernels() {
  static const KdeFamily family;
  return &family;
}

}  // namespace

std::span<const Family* const> families() {
  static const std::array kFamilies{
      erased<Gaussian>(), erased<Laplace>(),   erased<StudentT>(),
      erased<Uniform>(),  erased<VonMises>(),  erased<Exponential>(),
      erased<Gamma>(),    erased<LogNormal>(), erased<Weibull>(),
      erased<Beta>(),     erased<Bernoulli>(), erased<Binomial>(),
      erased<Poisson>(),  erased<Geometric>(), erased<NegativeBinomial>(),
      categorical(),      kernels(),
  };
  return kFamilies;
}

}  // namespace craton
