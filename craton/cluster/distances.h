#pragma once
#include <algorithm>
#include <vector>

#include "craton/core/table.h"

namespace craton {

// Squared distances of one row to every centre: differences squared, never expanded, so nothing
// cancels. The loop over centres is the inner one, so that it
// runs in vector registers with one fixed order of additions per centre.
class Distances {
 public:
  explicit Distances(const Array& centers)
      : k_(usize(centers.rows())), d_(usize(centers.cols())), columns_(k_ * d_), squared(k_) {
    for (std::size_t c = 0; c < k_; ++c) {
      for (std::size_t j = 0; j < d_; ++j) columns_[j * k_ + c] = centers.values[c * d_ + j];
    }
  }

  template <class T>
  void compute(const T* row) {
    std::fill(squared.begin(), squared.end(), 0.0);
    double* out = squared.data();
    for (std::size_t j = 0; j < d_; ++j) {
      const double value = static_cast<double>(row[j]);
      const double* column = &columns_[j * k_];
      for (std::size_t c = 0; c < k_; ++c) {
        const double difference = value - column[c];
        out[c] += difference * difference;
      }
    }
  }
  std::size_t nearest() const {  // the lower index on ties
    return static_cast<std::size_t>(std::min_element(squared.begin(), squared.end()) -
                                    squared.begin());
  }

 private:
  std::size_t k_, d_;
  std::vector<double> columns_;  // d x k

 public:
  std::vector<double> squared;
};

}  // namespace craton
