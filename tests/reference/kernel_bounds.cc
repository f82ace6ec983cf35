#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>

#include "craton/density/kde.h"
#include "craton/kernels/smoothing/kernel_sums.h"
#include "craton/kernels/smoothing/smoothing_kernel.h"
#include "tests/kernel_problems.h"

// kernel_bounds [PROBLEMS [FIRST]]: random problems of up to 5000 points in one to six columns, a
// few in nine or ten, against sums in extended precision: of sums of kernels, and of models that
// are fitted to them with bandwidths, with matrices and with kernels of their own width about each
// row. Prints how many sums there were and the largest ratio of a true error to its proved bound,
// by kernel and by what makes the sum; fails if one is above 1.

using namespace craton;

namespace {

struct Row {
  Index sums = 0, zeros = 0, tails = 0, broken = 0, wide = 0;
  double largest = 0;

  void add(const KernelSum& found, long double expected, double rtol) {
    ++sums;
    wide += found.error <= rtol ? 0 : 1;
    if (expected == -INFINITY || found.log_sum == -INFINITY) {
      ++zeros;
      broken += found.log_sum == static_cast<double>(expected) || !(found.error < INFINITY) ? 0 : 1;
      return;
    }
    const double off = std::abs(static_cast<double>(std::expm1(found.log_sum - expected)));
    tails += expected < -500 ? 1 : 0;
    broken += off <= found.error ? 0 : 1;
    if (found.error > 0) largest = std::max(largest, off / found.error);
  }
};

std::map<std::string, Row> rows;

void add(const std::string& what, SmoothingKernel kernel, const KernelSum& found,
         long double expected, double rtol) {
  rows[what].add(found, expected, rtol);
  rows[fmt::format("kernel {}", static_cast<int>(kernel))].add(found, expected, rtol);
  rows["all"].add(found, expected, rtol);
}

std::string branch(const KernelProblem& p) {
  if (p.columns == 1) return p.kernel == SmoothingKernel::kLogistic ? "line, direct" : "line";
  if (p.kernel == SmoothingKernel::kGaussian && p.columns <= 3 && p.size() >= 1000) return "cells";
  return p.columns <= 8 ? "tree" : "boxes";
}

void check_sums(const KernelProblem& p) {
  const KernelSums sums(p.kernel, p.bandwidths, p.view(), p.weights);
  for (Index q = 0; q < std::ssize(p.queries) / p.columns; ++q) {
    const double* const x = &p.queries[usize(q * p.columns)];
    const long double expected = exact_log_sum(p, x);
    for (const double rtol : {1e-11, 1e-8, 1e-4, 1e-2, 0.5}) {
      add(branch(p), p.kernel, sums.at(x, rtol), expected, rtol);
    }
  }
}

// log p(x) of the points, weights and widths of a model, as these are.
long double exact_log_density(const KernelDensity& model, const Points& points, const double* x) {
  const KernelShape& shape = model.shape();
  const Index d = model.columns();
  std::vector<long double> logs;
  long double top = -INFINITY, weight = 0, scale = log_volume(shape.kernel, d);
  for (Index i = 0; i < points.size(); ++i) {
    const double* const y = points.view().row(i);
    Quad z[16], square = 0;
    for (Index j = 0; j < d; ++j) {
      z[j] = Quad(x[j]) - Quad(y[j]);
      for (Index k = 0; k < j && !shape.factor.empty(); ++k) {
        z[j] -= Quad(shape.factor[usize(j * d + k)]) * z[k];
      }
      z[j] /=
          Quad(shape.factor.empty() ? shape.bandwidth[usize(j)] : shape.factor[usize(j * d + j)]);
      square += z[j] * z[j];
    }
    const Quad own = shape.scale_of(i);
    square /= own * own;
    const long double u = std::sqrt(static_cast<long double>(square));
    long double log_term = -static_cast<long double>(square) / 2;
    if (shape.kernel == SmoothingKernel::kExponential) {
      log_term = -u;
    } else if (shape.kernel == SmoothingKernel::kLogistic) {
      log_term = std::log(4.0L) - u - 2 * std::log1p(std::exp(-u));
    } else if (shape.kernel != SmoothingKernel::kGaussian) {
      log_term = std::log(profile_from_end(shape.kernel, static_cast<long double>(1 - square), u));
    }
    const long double w = points.weights[usize(i)];
    weight += w;
    logs.push_back(std::log(w) + log_term -
                   static_cast<long double>(d) * std::log(static_cast<long double>(own)));
    top = std::max(top, logs.back());
  }
  if (top == -INFINITY) return top;
  long double sum = 0;
  for (const long double v : logs) sum += std::exp(v - top);
  for (Index j = 0; j < d; ++j) {
    scale += std::log(static_cast<long double>(
        shape.factor.empty() ? shape.bandwidth[usize(j)] : shape.factor[usize(j * d + j)]));
  }
  return top + std::log(sum) - std::log(weight) - scale;
}

enum class Widths { kColumns, kMatrix, kRows };

void check_model(const KernelProblem& p, std::uint64_t number, Widths widths) {
  const Index d = p.columns;
  // Whether a point lies inside a tophat is decided in double, of columns as the sums do.
  if (p.kernel == SmoothingKernel::kTophat && widths != Widths::kColumns) return;
  Random random(number, Purpose::kTest, 3);
  KernelDensity::Options options;
  options.kernel = p.kernel;
  options.rtol = std::vector{1e-11, 1e-8, 1e-4, 1e-2}[static_cast<std::size_t>(random.below(4))];
  options.adaptive = widths == Widths::kRows;
  if (widths == Widths::kMatrix && d > 1) {
    const double h = p.bandwidths[0];
    std::vector<double> lower(usize(d * d)), matrix(usize(d * d));
    for (Index j = 0; j < d; ++j) {
      for (Index k = 0; k < j; ++k) lower[usize(j * d + k)] = h * random.normal();
      lower[usize(j * d + j)] = h * (0.3 + random.uniform());
    }
    for (Index i = 0; i < d * d; ++i) {
      for (Index k = 0; k < d; ++k) {
        matrix[usize(i)] += lower[usize(i / d * d + k)] * lower[usize(i % d * d + k)];
      }
    }
    options.given_matrix = {{d, d}, matrix};
  } else {
    options.given_matrix = {{d}, {}};
    for (const double h : p.bandwidths) options.given_matrix.values.push_back(h * h);
  }
  MemorySource source({.x = p.view(), .weights = p.weights}, numbered_schema(d));
  const KernelDensity model = KernelDensity::fit(source, options, {.threads = 1}).model;
  const Points points = model.points();
  KernelProblem as_fitted = p;  // for tophats
  as_fitted.bandwidths.assign(model.bandwidth().begin(), model.bandwidth().end());
  const std::string what = widths == Widths::kColumns  ? "model"
                           : widths == Widths::kMatrix ? "model, matrix"
                                                       : "model, adaptive";
  for (Index q = 0; q < std::ssize(p.queries) / d; ++q) {
    const double* const x = &p.queries[usize(q * d)];
    long double expected = 0;
    if (p.kernel == SmoothingKernel::kTophat) {
      expected = exact_log_sum(as_fitted, x) - log_volume(p.kernel, d);
      long double weight = 0;
      for (const double w : p.weights) weight += w;
      expected -= std::log(weight);
      for (const double h : as_fitted.bandwidths) expected -= std::log(static_cast<long double>(h));
    } else {
      expected = exact_log_density(model, points, x);
    }
    const KernelSum found = model.density(x);
    // What lies within rounding of the end of a kernel is decided in double there.
    if (widths != Widths::kColumns && std::isinf(found.log_sum) != std::isinf(expected)) continue;
    add(what, p.kernel, found, expected, std::max(options.rtol, 1e-12));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t problems = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000;
  const std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 20000;
  for (std::uint64_t number = first; number < first + problems; ++number) {
    const KernelProblem p = kernel_problem(number, 6, 5000, 2);
    check_sums(p);
    check_model(p, number, Widths::kColumns);
    check_model(p, number, number % 2 == 0 ? Widths::kMatrix : Widths::kRows);
    if (number % 10 == 0) check_sums(kernel_problem(number, 10, 2000, 2));
  }
  for (const auto& [name, r] : rows) {
    fmt::print(
        "{:>15} {:>7} sums, {:>6} of them 0, {:>5} below e^-500; largest ratio {:.4f}, {} bounds "
        "broken, {} above the tolerance\n",
        name, r.sums, r.zeros, r.tails, r.largest, r.broken, r.wide);
  }
  return rows["all"].broken == 0 ? 0 : 1;
}
