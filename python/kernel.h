#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "craton/kernels/smoothing/given_kernel.h"
#include "python/values.h"

// A function of Python as the kernel of a density: f(u) of an array of numbers gives as many.

namespace craton {

class PythonKernel final : public GivenKernel {
 public:
  explicit PythonKernel(nanobind::object function) : function_(std::move(function)) {}
  ~PythonKernel() override {
    const nanobind::gil_scoped_acquire lock;
    function_.reset();
  }

  void values(std::span<const double> u, std::span<double> out) const override {
    const nanobind::gil_scoped_acquire lock;
    const nanobind::object given =
        to_numpy(std::vector<double>(u.begin(), u.end()), {static_cast<Index>(u.size())});
    const nanobind::object answer =
        nanobind::module_::import_("numpy").attr("ascontiguousarray")(function_(given), "float64");
    const auto numbers = nanobind::cast<Numbers>(answer);
    if (numbers.ndim() != 1 || numbers.size() != u.size()) {
      throw nanobind::value_error("kernel(u) has to give an array of numbers, as many as u has");
    }
    std::copy(numbers.data(), numbers.data() + numbers.size(), out.begin());
  }

 private:
  nanobind::object function_;
};

inline std::shared_ptr<const GivenKernel> kernel_of(const nanobind::object& function) {
  if (function.is_none()) return nullptr;
  return std::make_shared<PythonKernel>(function);
}

}  // namespace craton
