#include "craton/linear/linear_regression.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "craton/base/error.h"
#include "craton/base/hash.h"
#include "craton/engine/for_each.h"
#include "craton/kernels/linalg.h"
#include "craton/linear/centred_sums.h"
#include "craton/model/registered_model.h"
#include "craton/tables/columns.h"

// One pass sums products of columns, O(rows x columns^2); coefficients come from these sums alone,
// so models learn on and merge. The equations are solved for columns of length 1, by Cholesky's
// factor with pivots, O(columns^3).

namespace craton {
namespace {

// All products of so many columns are a gigabyte or two.
constexpr Index kMostColumns = 10000;

CentredSums remembered_sums(const Fit<LinearRegression>& so_far) {
  return CentredSums::from(so_far.memory.get(), so_far.model.columns(),
                           hash_number(so_far.report.data_hash));
}

void check_linear_table(const Source& x) {
  const auto [rows, cols] = x.shape();
  const Place file{.file = x.name()};
  if (cols == 0) {
    throw InputError(Code::kBadShape, file, "there are no columns of numbers (0 features)",
                     "Give a table with at least one column of numbers.");
  }
  if (rows == 0) {
    throw InputError(Code::kNoRows, file, "there are no rows (0 samples)",
                     "Check that the file is the one you meant.");
  }
  if (cols > kMostColumns) {
    throw InputError(
        Code::kUnsupported, file,
        fmt::format("there are {} columns, and linear sums the products of every two of at most {}",
                    cols, kMostColumns),
        "Use fewer columns.");
  }
}

std::string column_name(const Schema& schema, Index column) {
  if (column < schema.size()) return schema.name(column);
  return schema.target ? schema.target->name : "target";
}

// Squares of what is summed neither overflow nor vanish.
void check_sizes(const CentredSums& sums, bool centred, const Schema& schema) {
  for (Index j = 0; j <= sums.columns(); ++j) {
    const double size = centred ? sums.range(j) : sums.largest(j);
    if (size == 0 || (size >= kNarrowest && size <= kWidest)) continue;
    throw InputError(
        size > kWidest ? Code::kNotFinite : Code::kNoSpread, {.column = column_name(schema, j)},
        fmt::format("the values spread over {:g}, so their squares {}", size,
                    size > kWidest ? "overflow" : "vanish"),
        fmt::format("{} the column by a power of ten.", size > kWidest ? "Divide" : "Multiply"));
  }
}

// G b = g for columns of length 1, G = C C' by Cholesky with pivots: at each step the column with
// the largest rest, until what is left is rounding. The columns x_D that are left are made up of
// the others, x_D = x_I T, and any u with x_I b_I = x_I (u_I + T u_D) does as well as (b_I, 0): of
// all these the shortest, in the units of the columns, is u_I = (1 + T T')^-1 b_I, u_D = T' u_I.
struct Solution {
  std::vector<double> b;         // in the units of the columns
  std::vector<Index> dependent;  // columns that others make up
  double explained = 0;          // g . b
};

void take_shortest(std::span<double> independent, std::span<const double> t,
                   std::span<double> dependent) {
  const Index r = ssize(independent), k = ssize(dependent);  // T is r x k
  std::vector<double> lower(usize(r * r));
  for (Index i = 0; i < r; ++i) {
    for (Index j = 0; j <= i; ++j) {
      double sum = i == j ? 1 : 0;
      for (Index c = 0; c < k; ++c) sum += t[usize(i * k + c)] * t[usize(j * k + c)];
      lower[usize(i * r + j)] = lower[usize(j * r + i)] = sum;
    }
  }
  if (!cholesky(lower, r)) return;  // T is beyond all measure: the others stay 0
  for (Index i = 0; i < r; ++i) {
    for (Index j = 0; j < i; ++j) {
      independent[usize(i)] -= lower[usize(i * r + j)] * independent[usize(j)];
    }
    independent[usize(i)] /= lower[usize(i * r + i)];
  }
  for (Index i = r - 1; i >= 0; --i) {
    for (Index j = i + 1; j < r; ++j) {
      independent[usize(i)] -= lower[usize(j * r + i)] * independent[usize(j)];
    }
    independent[usize(i)] /= lower[usize(i * r + i)];
  }
  for (Index c = 0; c < k; ++c) {
    for (Index i = 0; i < r; ++i) {
      dependent[usize(c)] += t[usize(i * k + c)] * independent[usize(i)];
    }
  }
}

Solution solve_pivoted(std::vector<double> gram, std::vector<double> right,
                       std::span<const double> length) {
  const auto d = ssize(right);
  const double least = 64 * static_cast<double>(d) * std::numeric_limits<double>::epsilon();
  const auto at = [&](Index i, Index j) -> double& { return gram[usize(i * d + j)]; };
  std::vector<Index> order(usize(d));
  std::iota(order.begin(), order.end(), 0);
  std::vector<double> rest(usize(d));
  for (Index j = 0; j < d; ++j) rest[usize(j)] = at(j, j);
  Index rank = 0;
  for (; rank < d; ++rank) {
    const auto largest = std::max_element(rest.begin() + rank, rest.end());  // the first of equals
    if (!(*largest > least)) break;
    const Index pivot = largest - rest.begin();
    std::swap(rest[usize(rank)], rest[usize(pivot)]);
    std::swap(order[usize(rank)], order[usize(pivot)]);
    std::swap(right[usize(rank)], right[usize(pivot)]);
    for (Index j = 0; j < d; ++j) std::swap(at(rank, j), at(pivot, j));
    for (Index i = 0; i < d; ++i) std::swap(at(i, rank), at(i, pivot));
    const double root = std::sqrt(rest[usize(rank)]);
    at(rank, rank) = root;
    for (Index i = rank + 1; i < d; ++i) {
      double sum = at(i, rank);
      for (Index k = 0; k < rank; ++k) sum -= at(i, k) * at(rank, k);
      at(i, rank) = sum / root;
      rest[usize(i)] -= at(i, rank) * at(i, rank);
    }
  }
  Solution found{std::vector<double>(usize(d)), {}};
  std::vector<double> t(right.begin(), right.begin() + rank);
  for (Index i = 0; i < rank; ++i) {
    for (Index k = 0; k < i; ++k) t[usize(i)] -= at(i, k) * t[usize(k)];
    t[usize(i)] /= at(i, i);
    found.explained += t[usize(i)] * t[usize(i)];
  }
  const auto solve_transposed = [&](std::span<double> values) {
    for (Index i = rank - 1; i >= 0; --i) {
      for (Index k = i + 1; k < rank; ++k) values[usize(i)] -= at(k, i) * values[usize(k)];
      values[usize(i)] /= at(i, i);
    }
  };
  const auto length_of = [&](Index i) { return length[usize(order[usize(i)])]; };
  solve_transposed(t);
  for (Index i = 0; i < rank; ++i) t[usize(i)] /= length_of(i);
  const Index others = d - rank;
  std::vector<double> made_up(usize(rank * others)), of_others(usize(others));
  for (Index j = 0; j < others; ++j) {
    std::vector<double> column(usize(rank));
    for (Index k = 0; k < rank; ++k) column[usize(k)] = at(rank + j, k);
    solve_transposed(column);
    for (Index i = 0; i < rank; ++i) {
      made_up[usize(i * others + j)] = column[usize(i)] * length_of(rank + j) / length_of(i);
    }
  }
  if (others > 0) take_shortest(t, made_up, of_others);
  for (Index i = 0; i < d; ++i) {
    found.b[usize(order[usize(i)])] = i < rank ? t[usize(i)] : of_others[usize(i - rank)];
  }
  found.dependent.assign(order.begin() + rank, order.end());
  std::sort(found.dependent.begin(), found.dependent.end());
  return found;
}

std::vector<Note> notes_of(std::span<const Index> dependent, const Schema& schema) {
  if (dependent.empty()) return {};
  std::vector<std::string> names;
  for (const Index j : dependent) names.push_back(schema.name(j));
  const char* const are =
      names.size() == 1 ? " is a linear combination" : "s are linear combinations";
  return {
      {"collinear", fmt::format("{} column{} of others, so many coefficients fit as well, and the "
                                "shortest are taken: {}",
                                names.size(), are, listed(names))}};
}

}  // namespace

void describe(OptionVisitor& v, LinearRegression::Options& o) {
  v.flag("fit_intercept", o.fit_intercept, "add a constant; else the line goes through 0");
}

LinearRegression::LinearRegression(Array coef, double intercept)
    : coef_(std::move(coef)), intercept_(intercept) {}

Fit<LinearRegression> LinearRegression::estimate(const CentredSums& sums, const Options& options,
                                                 const Schema& schema) {
  const bool centred = options.fit_intercept;
  const Index d = sums.columns();
  check_sizes(sums, centred, schema);
  // About 0, not about the means, where there is no intercept.
  const auto product = [&](Index a, Index b) {
    const double about_means = sums.product(a, b);
    return centred ? about_means : about_means + sums.weight() * sums.mean(a) * sums.mean(b);
  };
  std::vector<Index> used, dependent;
  std::vector<double> length;
  for (Index j = 0; j < d; ++j) {
    const bool changes = centred ? sums.range(j) > 0 : sums.largest(j) > 0;
    if (!changes || !(product(j, j) > 0)) continue;
    used.push_back(j);
    length.push_back(std::sqrt(product(j, j)));
  }
  const Index k = ssize(used);
  std::vector<double> gram(usize(k * k)), right;
  for (Index a = 0; a < k; ++a) {
    for (Index b = 0; b < k; ++b) {
      gram[usize(a * k + b)] =
          product(used[usize(a)], used[usize(b)]) / length[usize(a)] / length[usize(b)];
    }
    right.push_back(product(used[usize(a)], d) / length[usize(a)]);
  }
  const Solution found = solve_pivoted(std::move(gram), std::move(right), length);
  Array coef{{d}, std::vector<double>(usize(d))};
  double intercept = centred ? sums.mean(d) : 0;
  for (Index a = 0; a < k; ++a) {
    const Index j = used[usize(a)];
    double& b = coef.values[usize(j)];
    b = found.b[usize(a)];
    if (centred) intercept -= b * sums.mean(j);
  }
  for (const Index a : found.dependent) dependent.push_back(used[usize(a)]);
  const auto finite = [](double v) { return std::isfinite(v); };
  if (!std::isfinite(intercept) || !std::ranges::all_of(coef.values, finite)) {
    throw InputError(Code::kNotFinite, {}, "the coefficients overflow",
                     "Divide the target, or multiply the columns, by a power of ten.");
  }
  FitReport report;
  report.converged = true;
  report.objective = -std::max(product(d, d) - found.explained, 0.0) / sums.weight();
  report.trace = {report.objective};
  report.notes = notes_of(dependent, schema);
  report.data_hash = hash_text(sums.hash());
  return {LinearRegression(std::move(coef), intercept), std::move(report), sums.arrays()};
}

Fit<LinearRegression> LinearRegression::fit(Source& x, const Options& options, const Exec& exec) {
  check_options([o = options](OptionVisitor& v) mutable { describe(v, o); });
  check_linear_table(x);
  const CentredSums sums = fold(x, CentredSums(x), exec);
  check_total_weight(sums.weight(), x);
  return estimate(sums, options, x.schema());
}

Fit<LinearRegression> LinearRegression::partial_fit(const Fit<LinearRegression>& so_far, Source& x,
                                                    const Options& options, const Exec& exec) {
  check_linear_table(x);
  CentredSums sums = remembered_sums(so_far);
  const CentredSums more = fold(x, CentredSums(x), exec);
  check_total_weight(more.weight(), x);
  sums.merge(more);
  return estimate(sums, options, x.schema());
}

Fit<LinearRegression> LinearRegression::merge(const Fit<LinearRegression>& a,
                                              const Fit<LinearRegression>& b,
                                              const Options& options) {
  CentredSums sums = remembered_sums(a);
  sums.merge(remembered_sums(b));
  return estimate(sums, options, numbered_schema(a.model.columns()));
}

// In the order of the columns, whether the row is dense or sparse: a zero adds nothing.
void LinearRegression::predict_numbers(Source& x, std::span<double> out, const Exec& exec) const {
  check_columns(x, columns());
  for_rows(x, exec, [&](const Chunk& chunk) {
    check_finite(chunk, x);
    std::vector<double> row(usize(columns()));
    for (Index i = 0; i < chunk.rows(); ++i) {
      std::visit([&](const auto& rows) { copy_row(rows, i, row.data()); }, chunk.x);
      const double number = predict_number_row(row.data(), nullptr);
      if (std::isnan(number)) {
        throw InputError(Code::kNotFinite, x.place_of(chunk.first_row + i),
                         "the row is so far from 0 that its prediction overflows",
                         "Divide the columns by a power of ten.");
      }
      out[usize(chunk.first_row + i)] = number;
    }
  });
}

double LinearRegression::predict_number_row(const double* row, double*) const {
  double sum = 0;
  for (Index j = 0; j < columns(); ++j) sum += coef_.values[usize(j)] * row[j];
  const double number = sum + intercept_;
  return std::isfinite(number) ? number : std::numeric_limits<double>::quiet_NaN();
}

LinearForm LinearRegression::linear_form() const {
  return {.coef = {{1, columns()}, coef_.values}, .intercept = {{1}, {intercept_}}};
}

void LinearRegression::visit_parameters(ParameterVisitor& v) const {
  v.doubles("coef", "the coefficient of each feature", coef_);
  v.number("intercept", "what is added to their sum", intercept_);
}

LinearRegression LinearRegression::from_parameters(const ParameterList& parameters) {
  const ArrayView coef = parameters.doubles("coef", {-1});
  const double intercept = parameters.number("intercept");
  const auto finite = [](double v) { return std::isfinite(v); };
  if (coef.empty() || !std::isfinite(intercept) || !std::ranges::all_of(coef.values, finite)) {
    fail_parameters("the coefficients are not finite numbers");
  }
  return {coef.copy(), intercept};
}

void LinearRegression::check_memory(std::span<const Parameter> memory) const {
  CentredSums::from(memory, columns(), 0);
}

std::vector<ResultTable> LinearRegression::tables(const Schema& schema) const {
  ResultTable table{.name = "coefficients", .title = "coefficients"};
  ResultColumn::Words terms{"(intercept)"};
  ResultColumn::Numbers values{intercept_};
  for (Index j = 0; j < columns(); ++j) {
    terms.push_back(schema.name(j));
    values.push_back(coef_.values[usize(j)]);
  }
  table.add_words("term", std::move(terms));
  table.add_numbers("coefficient", std::move(values));
  return {table};
}

// b . (x - c) / s + a = (b / s) . x + a - (b / s) . c
std::optional<std::vector<ResultTable>> LinearRegression::tables_before(
    const Schema& schema, const Affine& scaled) const {
  LinearRegression given = *this;
  bool finite = true;
  for (Index j = 0; j < columns(); ++j) {
    double& b = given.coef_.values[usize(j)];
    b /= scaled.scale_of(j);
    given.intercept_ -= b * scaled.centre_of(j);
    finite = finite && std::isfinite(b) && std::isfinite(given.intercept_);
  }
  if (!finite) return std::nullopt;
  return given.tables(schema);
}

const Usage LinearRegression::kUsage{
    .example = "examples/data/people.csv --target weight_kg --drop sex -o people.craton",
    .python = R"(
>>> from craton import LinearRegression
>>> X = [[0, 1], [1, 0], [2, 2], [3, 1]]
>>> model = LinearRegression().fit(X, [4, 5, 9, 10])
>>> model.coef_.round(9).tolist(), round(model.intercept_, 9)
([2.0, 1.0], 3.0)
>>> model.predict([[4, 0]]).round(9).tolist()
[11.0]
)",
    .sklearn = "linear_model.LinearRegression"};

template ModelInfo registered<LinearRegression>();

}  // namespace craton
