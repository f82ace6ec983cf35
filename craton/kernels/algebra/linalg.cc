#include "craton/kernels/algebra/linalg.h"

#include <algorithm>
#include <cmath>

#include "craton/base/error.h"
#include "craton/kernels/algebra/symmetric.h"
#include "craton/kernels/algebra/triangular.h"

namespace craton {
namespace {

// What Eigen asserts holds for every matrix of finite numbers whose size is right.
[[noreturn]] void fail_matrix() {
  throw InputError(Code::kNotFinite, {}, "a covariance is not finite, or has no eigenvalues",
                   "Numbers are too large, too small or too far from 0: rescale the columns.");
}

}  // namespace
}  // namespace craton

#define eigen_assert(condition) ((condition) ? void() : ::craton::fail_matrix())

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>

namespace craton {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

bool cholesky(std::span<double> a, Index d) {
  CRATON_ASSERT(std::ssize(a) == d * d);
  Eigen::Map<RowMajor> matrix(a.data(), d, d);
  if (d >= kLargeMatrix) {
    if (!factor_lower(a.data(), d, d)) return false;
    matrix.triangularView<Eigen::StrictlyUpper>().setZero();
    return matrix.allFinite();
  }
  const Eigen::LLT<Eigen::MatrixXd> factor(matrix);
  if (factor.info() != Eigen::Success) return false;
  matrix = factor.matrixL();
  return (matrix.diagonal().array() > 0).all() && matrix.allFinite();
}

void solve_lower(std::span<const double> lower, Index d, std::span<double> b, Index columns) {
  CRATON_ASSERT(std::ssize(lower) == d * d && std::ssize(b) == d * columns);
  if (d > 0) solve_left(lower.data(), d, d, b.data(), columns, columns);
}

void solve_lower_transposed(std::span<const double> lower, Index d, std::span<double> b,
                            Index columns) {
  CRATON_ASSERT(std::ssize(lower) == d * d && std::ssize(b) == d * columns);
  if (d > 0) solve_left_transposed(lower.data(), d, d, b.data(), columns, columns);
}

void invert_lower(std::span<double> lower, Index d) {
  CRATON_ASSERT(std::ssize(lower) == d * d);
  Eigen::Map<RowMajor> matrix(lower.data(), d, d);
  if (d >= kLargeMatrix) {
    matrix.triangularView<Eigen::StrictlyUpper>().setZero();
    return invert_triangle(lower.data(), d, d);
  }
  const RowMajor inverse =
      matrix.triangularView<Eigen::Lower>().solve(RowMajor::Identity(d, d)).eval();
  matrix = inverse.triangularView<Eigen::Lower>();
}

// A J = Q R, with J that turns the order of the columns round: A'A = (J R J)'(J R J).
std::vector<double> lower_factor(std::span<const double> a, Index rows, Index d) {
  CRATON_ASSERT(std::ssize(a) == rows * d && rows <= d);
  const Eigen::MatrixXd turned = Eigen::Map<const RowMajor>(a.data(), rows, d).rowwise().reverse();
  const Eigen::MatrixXd r = Eigen::HouseholderQR<Eigen::MatrixXd>(turned).matrixQR();
  std::vector<double> lower(usize(d * d));
  for (Index i = 0; i < rows; ++i) {
    for (Index j = i; j < d; ++j) lower[usize((d - 1 - i) * d + d - 1 - j)] = r(i, j);
  }
  return lower;
}

SymmetricEigen eigen_symmetric(std::span<const double> a, Index d) {
  CRATON_ASSERT(std::ssize(a) == d * d);
  const Eigen::Map<const RowMajor> matrix(a.data(), d, d);
  if (!matrix.allFinite()) fail_matrix();
  SymmetricEigen result{std::vector<double>(usize(d)), std::vector<double>(usize(d * d))};
  if (d >= kLargeMatrix) {
    if (!symmetric_eigen(a.data(), d, result.values.data(), result.vectors.data())) fail_matrix();
    return result;
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix);
  if (solver.info() != Eigen::Success) fail_matrix();
  Eigen::Map<Eigen::VectorXd>(result.values.data(), d) = solver.eigenvalues();
  Eigen::Map<RowMajor>(result.vectors.data(), d, d) = solver.eigenvectors();
  return result;
}

std::string linear_algebra() {
  const auto part = [](int number) { return "." + std::to_string(number); };
  return "Eigen " + std::to_string(EIGEN_WORLD_VERSION) + part(EIGEN_MAJOR_VERSION) +
         part(EIGEN_MINOR_VERSION);
}

}  // namespace craton
