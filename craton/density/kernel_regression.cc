#include "craton/density/kernel_regression.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "craton/base/error.h"
#include "craton/base/hash.h"
#include "craton/base/random.h"
#include "craton/density/local_fit.h"
#include "craton/density/regression_bandwidth.h"
#include "craton/engine/for_each.h"
#include "craton/model/registered_model.h"
#include "craton/tables/columns.h"

// A fit keeps the distinct rows, O(n log n), and looks for a bandwidth (regression_bandwidth.h). A
// number costs what two sums of kernels do (kernel_sums.h); that of a line O(rows x columns).

namespace craton {
namespace {

constexpr std::array<std::string_view, kSmoothingKernels> kRegressionKernels{
    "gaussian", "tophat",   "epanechnikov", "exponential", "linear",
    "cosine",   "biweight", "triweight",    "tricube",     "logistic"};

constexpr double kLeastRegressionTolerance = 1e-12;  // as of density/kde.cc
constexpr double kRoundingUnit = 0x1p-53;

BandwidthRule density_rule(KernelRegression::Rule rule) {
  using Rule = KernelRegression::Rule;
  switch (rule) {
    case Rule::kSilverman:
      return BandwidthRule::kSilverman;
    case Rule::kNrd0:
      return BandwidthRule::kNrd0;
    case Rule::kNrd:
      return BandwidthRule::kNrd;
    case Rule::kSolved:
      return BandwidthRule::kSolved;
    case Rule::kPlugIn:
      return BandwidthRule::kPlugIn;
    case Rule::kImproved:
      return BandwidthRule::kImproved;
    default:
      return BandwidthRule::kScott;
  }
}

double spread_of_column(const Points& points, Index column) {
  double low = INFINITY, high = -INFINITY;
  for (Index i = 0; i < points.size(); ++i) {
    low = std::min(low, points.view().row(i)[column]);
    high = std::max(high, points.view().row(i)[column]);
  }
  return high - low;
}

double least_number(const Points& points) {
  double low = INFINITY;
  for (Index i = 0; i < points.size(); ++i) {
    low = std::min(low, points.view().row(i)[points.columns - 1]);
  }
  return low;
}

// Each distinct row without its number, weighed by w, or by w (t - low) / range; those that weigh
// nothing are left out.
Points features_of(const Points& points, double low = 0, double range = 0) {
  const Index d = points.columns - 1;
  Points features{d, {}, {}};
  const double* before = nullptr;
  for (Index i = 0; i < points.size(); ++i) {
    const double* const row = points.view().row(i);
    double w = points.weights[usize(i)];
    if (range > 0) w *= (row[d] - low) / range;
    if (!(w > 0)) continue;
    if (before != nullptr && std::equal(before, before + d, row)) {
      features.weights.add_to_last(w);
      continue;
    }
    features.rows.insert(features.rows.end(), row, row + d);
    features.weights.push_back(w);
    before = row;
  }
  return features;
}

KernelSums sums_of(SmoothingKernel kernel, std::span<const double> bandwidth, const Points& of) {
  return KernelSums(kernel, bandwidth, of.view(), of.weights.given());
}

std::uint64_t hash_of(const Points& points) {
  std::uint64_t hash = 0;
  for (Index i = 0; i < points.size(); ++i) {
    std::uint64_t row = row_hash(points.view(), i);
    hash += mix(row, std::bit_cast<std::uint64_t>(points.weights[usize(i)]));
  }
  return hash;
}

void check_scales(std::span<const double> bandwidths, const Schema& schema) {
  for (Index j = 0; j < ssize(bandwidths); ++j) {
    const double h = bandwidths[usize(j)];
    if (h >= kNarrowest && h <= kWidest) continue;
    throw InputError(Code::kNoSpread, {.column = schema.name(j)},
                     fmt::format("the bandwidth is {:g}, whose square overflows or vanishes", h),
                     "Multiply or divide the column by a power of ten.");
  }
}

// What rows, and those of two fits together, have to pass.
void check_spreads(const Points& points, const Schema& schema) {
  if (!(points.weight() <= kHeaviest)) {
    throw InputError(Code::kBadWeight, {}, "the weights of all rows sum to more than any fit takes",
                     "Divide all weights by one power of ten: the result is the same.");
  }
  for (Index j = 0; j < points.columns; ++j) {
    const double range = spread_of_column(points, j);
    if (range <= kWidest) continue;
    const std::string target = schema.target ? schema.target->name : "target";
    throw InputError(Code::kNotFinite, {.column = j + 1 < points.columns ? schema.name(j) : target},
                     fmt::format("the values spread over {:g}, so their squares overflow", range),
                     "Divide the column by a power of ten.");
  }
}

}  // namespace

void describe(OptionVisitor& v, KernelRegression::Options& o) {
  v.choice_or_number("bandwidth", o.bandwidth, o.given_bandwidth, kNarrowest, kWidest,
                     {"lscv", "scott", "silverman", "nrd0", "nrd", "sj-ste", "sj-dpi", "isj"},
                     "how wide kernels are, the same number in every column; or a rule: lscv is "
                     "what predicts rows left out best, the others are those of densities");
  v.choice("kernel", o.kernel,
           {"gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine", "biweight",
            "triweight", "tricube", "logistic"},
           "how the weight of rows falls with their distance");
  v.choice("bandwidth_as", o.bandwidth_as, {"scale", "deviation"},
           "what a number given as bandwidth is: the scale of the kernel, where those that end do, "
           "or its standard deviation");
  v.integer("degree", o.degree, 0, 1, "what is fitted around each row: 0 a constant, 1 a line");
  v.number("rtol", o.rtol, 0, 0.5,
           "how far the sums of a constant may be from what they are, relative; 0: as near as "
           "doubles allow");
}

KernelRegression::KernelRegression(SmoothingKernel kernel, std::vector<double> bandwidth,
                                   Index degree, double rtol, Points points)
    : bandwidth_(std::move(bandwidth)),
      degree_(degree),
      rtol_(rtol),
      points_(std::move(points)),
      shape_{points_.size(), points_.columns},
      rows_(points_.rows),
      weights_(points_.weights.all()),
      low_(least_number(points_)),
      range_(spread_of_column(points_, points_.columns - 1)),
      sums_(sums_of(kernel, bandwidth_, features_of(points_))) {
  if (range_ > 0) {
    above_.push_back(sums_of(kernel, bandwidth_, features_of(points_, low_, range_)));
  }
}

Fit<KernelRegression> KernelRegression::estimate(Points points, const Options& options,
                                                 const Schema& schema, const Exec& exec) {
  check_spreads(points, schema);
  const Index d = points.columns - 1;
  const bool given = options.bandwidth == Rule::kNumber;
  std::vector<double> bandwidth(usize(d), options.given_bandwidth);
  FitReport report;
  if (!given) {
    bandwidth =
        find_bandwidths(density_rule(options.bandwidth), features_of(points), schema, report.notes);
  }
  if (!given || options.bandwidth_as == BandwidthAs::kDeviation) {
    const double deviation = kernel_deviation(options.kernel, d);
    for (double& h : bandwidth) h /= deviation;
  }
  if (options.bandwidth == Rule::kLeftOut) {
    bandwidth = left_out_bandwidths(points, options.kernel, options.degree, bandwidth, schema,
                                    report.notes, exec);
  }
  check_scales(bandwidth, schema);
  report.iterations = 1;
  report.converged = true;
  report.objective = -error_left_out(points, options.kernel, bandwidth, options.degree,
                                     rows_to_leave_out(points), exec);
  report.trace = {report.objective};
  report.data_hash = hash_text(hash_of(points));
  return {KernelRegression(options.kernel, std::move(bandwidth), options.degree, options.rtol,
                           std::move(points)),
          std::move(report)};
}

Fit<KernelRegression> KernelRegression::fit(Source& x, const Options& options, const Exec& exec) {
  check_options([o = options](OptionVisitor& v) mutable { describe(v, o); });
  check_table(x, exec);
  return estimate(points_with_targets(x, exec), options, x.schema(), exec);
}

Fit<KernelRegression> KernelRegression::partial_fit(const Fit<KernelRegression>& so_far, Source& x,
                                                    const Options& options, const Exec& exec) {
  check_options([o = options](OptionVisitor& v) mutable { describe(v, o); });
  check_table(x, exec);
  return estimate(merged(so_far.model.points(), points_with_targets(x, exec)), options, x.schema(),
                  exec);
}

Fit<KernelRegression> KernelRegression::unlearn(const Fit<KernelRegression>& so_far, Source& x,
                                                const Options& options, const Exec& exec) {
  check_options([o = options](OptionVisitor& v) mutable { describe(v, o); });
  check_table(x, exec);
  return estimate(without(so_far.model.points(), points_with_targets(x, exec)), options, x.schema(),
                  exec);
}

Fit<KernelRegression> KernelRegression::merge(const Fit<KernelRegression>& a,
                                              const Fit<KernelRegression>& b,
                                              const Options& options) {
  return estimate(merged(a.model.points(), b.model.points()), options,
                  numbered_schema(a.model.columns()), {.threads = 1});
}

KernelRegression::Number KernelRegression::number(const double* x) const {
  const auto by_rows = [&](bool outside) -> Number {
    LocalFit fit(points_, kernel(), bandwidth_, degree_);
    if (!fit.look_from(x)) return {INFINITY, INFINITY, false};
    const double value = fit.value();
    if (degree_ > 0) return {value, NAN, fit.outside()};
    return {value,
            8 * static_cast<double>(points_.size()) * kRoundingUnit * range_ +
                4 * kRoundingUnit * std::abs(value),
            outside};
  };
  if (degree_ > 0) return by_rows(false);
  const double rtol = std::max(rtol_, kLeastRegressionTolerance);
  const KernelSum all = sums_.at(x, rtol);
  if (!(all.error < INFINITY)) return {INFINITY, INFINITY, false};
  if (all.log_sum == -INFINITY) return by_rows(true);
  const double rounding = 2 * kRoundingUnit * std::abs(low_);
  if (above_.empty()) return {low_, rounding, false};
  const KernelSum above = above_[0].at(x, rtol);
  if (!(above.error < INFINITY)) return {INFINITY, INFINITY, false};
  const double share =
      above.log_sum == -INFINITY ? 0.0 : std::min(std::exp(above.log_sum - all.log_sum), 1.0);
  const double value = low_ + range_ * share;
  // Weights of equal rows are sums, of at most as many roundings as there are rows.
  const double of_weights = kRoundingUnit * static_cast<double>(2 * points_.size() + 16);
  const double logs = 2 * kRoundingUnit * (std::abs(above.log_sum) + std::abs(all.log_sum));
  const double relative = (above.error + all.error) / (1 - all.error) + of_weights;
  const double error = range_ * share * (relative + (share > 0 ? logs : 0)) + range_ * 1e-290 +
                       rounding + 2 * kRoundingUnit * std::abs(value);
  return {value, error, false};
}

double KernelRegression::predict_number_row(const double* row, double*) const {
  if (degree_ > 0) return NAN;  // it takes room for all rows
  for (Index j = 0; j < columns(); ++j) {
    if (!std::isfinite(row[j])) return NAN;
  }
  const double value = number(row).value;
  return std::isfinite(value) ? value : NAN;
}

void KernelRegression::for_numbers(Source& x, const Exec& exec,
                                   FunctionRef<void(Index, const Number&)> use) const {
  check_columns(x, columns());
  for_rows(x, exec, [&](const Chunk& chunk) {
    check_finite(chunk, x);
    std::vector<double> row(usize(columns()));
    for (Index i = 0; i < chunk.rows(); ++i) {
      std::visit([&](const auto& rows) { copy_row(rows, i, row.data()); }, chunk.x);
      const Number found = number(row.data());
      if (!std::isfinite(found.value)) fail_too_far(x, chunk.first_row + i);
      use(chunk.first_row + i, found);
    }
  });
}

void KernelRegression::predict_numbers(Source& x, std::span<double> out, const Exec& exec) const {
  for_numbers(x, exec, [&](Index row, const Number& found) { out[usize(row)] = found.value; });
}

void KernelRegression::diagnose(Source& x, ResultTable& rows, const Exec& exec) const {
  const std::size_t n = usize(x.shape().rows);
  ResultColumn::Numbers bounds(n), errors(n), support(n), outside(n), residuals(n, NAN);
  bool numbered = false;
  for_rows(x, {.threads = 1}, [&](const Chunk& chunk) {
    numbered = numbered || !chunk.targets.empty();
    std::copy(chunk.targets.begin(), chunk.targets.end(), residuals.begin() + chunk.first_row);
  });
  for_numbers(x, exec, [&](Index row, const Number& found) {
    bounds[usize(row)] = found.error;
    outside[usize(row)] = found.outside ? 1 : 0;
    residuals[usize(row)] -= found.value;
  });
  for_rows(x, exec, [&](const Chunk& chunk) {
    LocalFit fit(points_, kernel(), bandwidth_, degree_);
    std::vector<double> row(usize(columns()));
    for (Index i = 0; i < chunk.rows(); ++i) {
      std::visit([&](const auto& all) { copy_row(all, i, row.data()); }, chunk.x);
      if (!fit.look_from(row.data())) fail_too_far(x, chunk.first_row + i);
      const LocalFit::Spread spread = fit.spread();
      errors[usize(chunk.first_row + i)] = spread.error;
      support[usize(chunk.first_row + i)] = spread.rows;
    }
  });
  if (numbered) rows.add_numbers("residual", std::move(residuals)).lacks = true;
  rows.add_numbers("standard_error", std::move(errors)).lacks = true;
  rows.add_numbers("rows_around", std::move(support));
  rows.add_numbers("outside", std::move(outside), {0, Digits::Form::kDecimals});
  if (degree_ == 0) rows.add_numbers("number_error", std::move(bounds));
}

void KernelRegression::visit_parameters(ParameterVisitor& v) const {
  v.text("kernel", "how the weight of rows falls with their distance",
         kRegressionKernels[static_cast<std::size_t>(kernel())]);
  v.doubles("bandwidth", "the scale of the kernel in each column", std::array{columns()},
            bandwidth_);
  v.number("degree", "what is fitted around each row: 0 a constant, 1 a line",
           static_cast<double>(degree_));
  v.number("rtol", "how far sums may be from what they are, relative", rtol_);
  rows_.visit(v, "rows", "the distinct rows with their numbers, ascending", shape_);
  weights_.visit(v, "row_weights", "the weight of each, equal rows together", {shape_.data(), 1});
}

KernelRegression KernelRegression::from_parameters(const ParameterList& parameters) {
  const auto name = std::ranges::find(kRegressionKernels, parameters.text("kernel"));
  if (name == kRegressionKernels.end()) fail_parameters("there is no such kernel");
  const ArrayView bandwidth = parameters.doubles("bandwidth", {-1});
  const double degree = parameters.number("degree"), rtol = parameters.number("rtol");
  const Index d = bandwidth.rows();
  Array rows = wide_parameter(parameters, "rows", std::array{Index{-1}, d + 1});
  Array weights = wide_parameter(parameters, "row_weights", std::array{rows.rows()});
  if (rows.empty() || d == 0) fail_parameters("there are no rows");
  if (!(degree == 0 || degree == 1)) fail_parameters("the degree is neither 0 nor 1");
  if (!(rtol >= 0 && rtol <= 0.5)) fail_parameters("the tolerance is not from 0 to 0.5");
  for (const double h : bandwidth.values) {
    if (!(h >= kNarrowest && h <= kWidest)) fail_parameters("a bandwidth makes no sense");
  }
  Points points{d + 1, std::move(rows.values), std::move(weights.values)};
  const auto sound = [](double v) { return std::isfinite(v); };
  const auto positive = [](double v) { return v > 0 && std::isfinite(v); };
  if (!std::ranges::all_of(points.rows, sound)) fail_parameters("a row is not finite");
  if (!std::ranges::all_of(points.weights, positive) || !(points.weight() <= 2 * kHeaviest)) {
    fail_parameters("the weights are not finite and positive");
  }
  for (Index i = 1; i < points.size(); ++i) {
    const double *const a = points.view().row(i - 1), *const b = points.view().row(i);
    if (!std::lexicographical_compare(a, a + d + 1, b, b + d + 1)) {
      fail_parameters("rows do not ascend");
    }
  }
  for (Index j = 0; j <= d; ++j) {
    if (!(spread_of_column(points, j) <= kWidest)) fail_parameters("the rows lie too far apart");
  }
  return KernelRegression(static_cast<SmoothingKernel>(name - kRegressionKernels.begin()),
                          {bandwidth.values.begin(), bandwidth.values.end()},
                          static_cast<Index>(degree), rtol, std::move(points));
}

std::vector<ResultTable> KernelRegression::tables(const Schema& schema) const {
  return *tables_before(schema, {});
}

std::optional<std::vector<ResultTable>> KernelRegression::tables_before(
    const Schema& schema, const Affine& scaled) const {
  ResultTable of_all{.name = "kernels", .title = "kernels"};
  of_all.add_words("kernel", {std::string(kRegressionKernels[static_cast<std::size_t>(kernel())])});
  of_all.add_words("fitted", {degree_ == 0 ? "a constant" : "a line"});
  of_all.add_numbers("rows", {static_cast<double>(shape_[0])});
  of_all.add_numbers("weight", {sums_.weight()});
  ResultTable widths{.name = "bandwidths", .title = "bandwidths"};
  ResultColumn::Words names;
  ResultColumn::Numbers scales, deviations;
  const double deviation = kernel_deviation(kernel(), columns());
  for (Index j = 0; j < columns(); ++j) {
    names.push_back(schema.name(j));
    scales.push_back(bandwidth_[usize(j)] * std::abs(scaled.scale_of(j)));
    deviations.push_back(scales.back() * deviation);
  }
  if (!std::ranges::all_of(deviations, [](double h) { return std::isfinite(h); })) {
    return std::nullopt;
  }
  widths.add_words("column", std::move(names));
  widths.add_numbers("bandwidth", std::move(scales));
  widths.add_numbers("deviation", std::move(deviations));
  return std::vector{of_all, widths};
}

const Usage KernelRegression::kUsage{
    .example = "examples/data/faithful.csv --target waiting -o geyser.craton",
    .python = R"(
>>> from craton import KernelRegression
>>> X, y = [[0], [1], [2], [3]], [1, 3, 2, 6]
>>> model = KernelRegression(bandwidth=0.5).fit(X, y)
>>> model.predict([[1], [2.5]]).round(6).tolist()
[2.681355, 3.990916]
>>> KernelRegression(bandwidth=1.5, kernel="tophat").fit(X, y).predict([[1]]).tolist()
[2.0]
)",
    .small = "bandwidth=silverman"};

template ModelInfo registered<KernelRegression>();

}  // namespace craton
