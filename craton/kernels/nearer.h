#pragma once
#include <span>
#include <vector>

#include "craton/kernels/nearest_tile.h"

namespace craton {

// Which of a few centres may be nearer to a row than some distance that is known: by tiles in
// float, with the margin of all roundings, so that most distances need not be computed in double.
class NearerCentres {
 public:
  static constexpr Index kMost = 64;
  // requires at most kMost
  explicit NearerCentres(const Array& few);

  // bits[i] has one for each centre whose squared_distance() from rows[i] may be below squared[i].
  template <class T>
  void find(std::span<const T* const> rows, const double* squared, std::uint64_t* bits) const;

 private:
  TileCentres<float> centres_;
};

}  // namespace craton
