#include "craton/density/kde.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "craton/base/error.h"
#include "craton/density/bandwidth_matrix.h"
#include "craton/tables/columns.h"

// What a file of a kernel density has, which nobody is to be trusted with, and what is shown of it.

namespace craton {
namespace {

constexpr std::array<std::string_view, kSmoothingKernels> kKernelNames{
    "gaussian", "tophat",   "epanechnikov", "exponential", "linear",
    "cosine",   "biweight", "triweight",    "tricube",     "logistic"};

constexpr std::string_view kFunction = "function";  // none of those

std::string_view name_of(const KernelShape& shape) {
  return shape.of_function ? kFunction : kKernelNames[static_cast<std::size_t>(shape.kernel)];
}

constexpr std::string_view kLikelihood = "likelihood", kSquares = "lscv";

std::string_view criterion_of(BandwidthRule rule) {
  return rule == BandwidthRule::kLikelihoodLeftOut ? kLikelihood : kSquares;
}

// Of a criterion as people know it, where it is to be small.
double told(BandwidthRule rule, double criterion) {
  return rule == BandwidthRule::kLikelihoodLeftOut ? -criterion : criterion;
}

}  // namespace

void KernelDensity::visit_parameters(ParameterVisitor& v) const {
  v.text("kernel", "the shape of the density about each row", name_of(shape()));
  if (shape().of_function) {
    v.number("kernel_deviation", "the standard deviation of the kernel, 0: it has none",
             shape().given_deviation);
    v.doubles("kernel_values", "what the kernel is at 0, 1/8, 2/8, ..., by which it is known again",
              std::array{ssize(shape().given_known)}, shape().given_known);
  }
  v.doubles("bandwidth", "the scale of the kernel in each column", std::array{columns()},
            bandwidth());
  const Index d = columns();
  if (!shape().factor.empty()) {
    v.doubles("bandwidth_factor", "L, lower triangular, of the bandwidth matrix L L'",
              std::array{d, d}, shape().factor);
  }
  if (weight_squares_ > 0) {
    v.number("weight_squares", "the sum of the squared weights of all rows", weight_squares_);
  }
  if (!shape().row_scales.empty()) {
    v.doubles("row_scales", "how much wider the kernel about each row is", {size_.data(), 1},
              shape().row_scales);
  }
  if (!shape().support.empty()) {
    Array ends{{d, 3}, {}};  // an end that is open is 0
    for (const ColumnSupport& c : shape().support) {
      const bool low = std::isfinite(c.low), high = std::isfinite(c.high);
      const double kind = c.periodic() ? 4 : (low ? 1 : 0) + (high ? 2 : 0) + (c.linear() ? 4 : 0);
      ends.values.insert(ends.values.end(), {low ? c.low : 0, high ? c.high : 0, kind});
    }
    v.doubles("support",
              "two ends of each column, and which of them there are: 0 none, 1 the lower, 2 the "
              "upper, 3 both, 4 a period; 5, 6, 7 those of 1, 2, 3 with lines near them",
              std::move(ends));
  }
  if (!choice_.optima.empty()) {
    Array optima{{ssize(choice_.optima), 2}, {}};
    for (const LocalBandwidth& at : choice_.optima) {
      optima.values.insert(optima.values.end(), {at.bandwidth, told(choice_.rule, at.criterion)});
    }
    v.text("bandwidth_criterion", "what the bandwidth is chosen by", criterion_of(choice_.rule));
    v.doubles("bandwidth_optima",
              "standard deviations of kernels that are the best near by, and the criterion there: "
              "the squared error up to a constant, or the mean log density",
              std::move(optima));
  }
  v.number("rtol", "how far densities may be from the exact sum, relative", rtol_);
  const FileRows& file = file_rows_.get([&] {
    const Points all = points();
    return FileRows{NarrowNumbers(all.rows), NarrowNumbers(all.weights.all())};
  });
  file.rows.visit(v, "rows", "the distinct rows, ascending", size_);
  file.weights.visit(v, "row_weights", "the weight of each, equal rows together",
                     {size_.data(), 1});
}

namespace {

void read_function(const ParameterList& parameters, KernelShape& shape) {
  constexpr Index kKnown = Index{KernelTable::kKnown};
  const ArrayView known = parameters.doubles("kernel_values", {kKnown});
  shape.of_function = true;
  shape.given_deviation = parameters.number("kernel_deviation");
  shape.given_known.assign(known.values.begin(), known.values.end());
  const auto sound = [](double v) { return v >= 0 && v <= kWidest; };
  if (!std::ranges::all_of(shape.given_known, sound) || !sound(shape.given_deviation)) {
    fail_parameters("the function that the kernel was makes no sense");
  }
  if (parameters.has("row_scales") || parameters.has("support")) {
    fail_parameters("a kernel that is a function has one width and no support");
  }
}

void read_shape(const ParameterList& parameters, Index rows, KernelShape& shape) {
  const Index d = ssize(shape.bandwidth);
  if (parameters.has("bandwidth_factor")) {
    const ArrayView factor = parameters.doubles("bandwidth_factor", {d, d});
    for (Index i = 0; i < d; ++i) {
      for (Index j = 0; j < d; ++j) {
        const double v = factor.view().row(i)[j];
        const bool sound = j > i   ? v == 0
                           : j < i ? std::abs(v) <= kWidest
                                   : v >= kNarrowest && v <= kWidest;
        if (!sound) fail_parameters("the factor of the bandwidths makes no sense");
      }
    }
    shape.factor.assign(factor.values.begin(), factor.values.end());
    if (diagonal_of(shape.factor, d) != shape.bandwidth) {
      fail_parameters("bandwidths are not those of their matrix");
    }
  }
  if (parameters.has("row_scales")) {
    const ArrayView scales = parameters.doubles("row_scales", {rows});
    shape.row_scales.assign(scales.values.begin(), scales.values.end());
    const double narrow = *std::ranges::min_element(shape.bandwidth);
    const double wide = *std::ranges::max_element(shape.bandwidth);
    for (const double s : shape.row_scales) {
      if (!(s > 0 && s * narrow >= kNarrowest && s * wide <= kWidest)) {
        fail_parameters("the scale of a row makes no sense");
      }
    }
  }
  if (!parameters.has("support")) return;
  const ArrayView ends = parameters.doubles("support", {d, 3});
  for (Index j = 0; j < d; ++j) {
    const double* const column = ends.view().row(j);
    const double kind = column[2];
    ColumnSupport& ends_of = shape.support.emplace_back();
    if (!(kind >= 0 && kind <= 7 && kind == std::floor(kind))) {
      fail_parameters("there is no such kind of support");
    }
    const bool periodic = kind == 4;
    const int which = periodic ? 3 : static_cast<int>(kind) % 4;
    if (which % 2 == 1) ends_of.low = column[0];
    if (which >= 2) ends_of.high = column[1];
    ends_of.ends = periodic   ? ColumnSupport::Ends::kPeriodic
                   : kind > 4 ? ColumnSupport::Ends::kLinear
                              : ColumnSupport::Ends::kReflected;
    const bool sound = which < 3 || ends_of.high - ends_of.low <= kWidest;
    if (!(ends_of.low < ends_of.high) || !sound) fail_parameters("a support makes no sense");
  }
  try {
    check_support(shape, numbered_schema(d));
  } catch (const InputError&) {
    fail_parameters("a support is too narrow");
  }
}

}  // namespace

KernelDensity KernelDensity::from_parameters(const ParameterList& parameters) {
  const bool of_function = parameters.text("kernel") == kFunction;
  const auto name = of_function ? kKernelNames.begin()
                                : std::ranges::find(kKernelNames, parameters.text("kernel"));
  if (name == kKernelNames.end()) fail_parameters("there is no such kernel");
  const ArrayView bandwidth = parameters.doubles("bandwidth", {-1});
  const double rtol = parameters.number("rtol");
  const Index d = bandwidth.rows();
  Array rows = wide_parameter(parameters, "rows", std::array{Index{-1}, d});
  Array weights = wide_parameter(parameters, "row_weights", std::array{rows.rows()});
  if (rows.empty() || d == 0) fail_parameters("there are no rows");
  if (!(rtol >= 0 && rtol <= 0.5)) fail_parameters("the tolerance is not from 0 to 0.5");
  for (const double h : bandwidth.values) {
    if (!(h >= kNarrowest && h <= kWidest)) fail_parameters("a bandwidth makes no sense");
  }
  Points points{d, std::move(rows.values), std::move(weights.values)};
  const auto sound = [](double v) { return std::isfinite(v); };
  const auto positive = [](double v) { return v > 0 && std::isfinite(v); };
  if (!std::ranges::all_of(points.rows, sound)) fail_parameters("a row is not finite");
  if (!std::ranges::all_of(points.weights, positive) || !(points.weight() <= 2 * kHeaviest)) {
    fail_parameters("the weights are not finite and positive");
  }
  for (Index i = 1; i < points.size(); ++i) {
    const double *const a = points.view().row(i - 1), *const b = points.view().row(i);
    if (!std::lexicographical_compare(a, a + d, b, b + d)) fail_parameters("rows do not ascend");
  }
  for (Index j = 0; j < d; ++j) {
    if (!(points.range(j) <= kWidest)) fail_parameters("the rows lie too far apart");
  }
  KernelShape shape{.kernel = static_cast<SmoothingKernel>(name - kKernelNames.begin()),
                    .bandwidth = {bandwidth.values.begin(), bandwidth.values.end()}};
  if (of_function) read_function(parameters, shape);
  read_shape(parameters, points.size(), shape);
  for (Index j = 0; j < ssize(shape.support); ++j) {
    for (Index i = 0; i < points.size(); ++i) {
      if (!shape.support[usize(j)].holds(points.view().row(i)[j])) {
        fail_parameters("a row is outside the support");
      }
    }
  }
  const bool kish = parameters.has("weight_squares");
  const double squares = kish ? parameters.number("weight_squares") : 0;
  const double greatest = points.weight() * points.weight();
  if (kish && !(squares > 0 && squares >= 1e-30 * greatest && squares <= 1.001 * greatest)) {
    fail_parameters("the squared weights make no sense");
  }
  KernelDensity model(std::move(shape), rtol, std::move(points), squares, {.threads = 1});
  if (parameters.has("bandwidth_optima")) {
    const std::string_view criterion = parameters.text("bandwidth_criterion");
    const ArrayView optima = parameters.doubles("bandwidth_optima", {-1, 2});
    const bool known = criterion == kLikelihood || criterion == kSquares;
    if (!known || d != 1) fail_parameters("there is no such criterion of bandwidths");
    model.choice_.rule = criterion == kLikelihood ? BandwidthRule::kLikelihoodLeftOut
                                                  : BandwidthRule::kSquaresLeftOut;
    for (Index i = 0; i < optima.rows(); ++i) {
      const double *const at = optima.view().row(i), h = at[0];
      if (!(h > 0 && h <= kWidest) || !sound(at[1])) fail_parameters("an optimum makes no sense");
      model.choice_.optima.push_back({h, told(model.choice_.rule, at[1])});
    }
  }
  if (!model.kernels_.sound()) fail_parameters("rows overflow");
  return model;
}

namespace {

// Of the rows before they were scaled.
ResultTable matrix_table(std::span<const double> factor, const Schema& schema,
                         const Affine& scaled) {
  const Index d = schema.size();
  const std::vector<double> matrix = product_of(factor, d);
  ResultTable table{.name = "bandwidth_matrix", .title = "bandwidth matrix"};
  table.add_words("column", schema.names());
  for (Index j = 0; j < d; ++j) {
    ResultColumn::Numbers column;
    for (Index i = 0; i < d; ++i) {
      column.push_back(matrix[usize(i * d + j)] * scaled.scale_of(i) * scaled.scale_of(j));
    }
    table.add_numbers(schema.name(j), std::move(column));
  }
  return table;
}

ResultTable support_table(std::span<const ColumnSupport> support, const Schema& schema,
                          const Affine& scaled) {
  ResultTable table{.name = "support", .title = "support"};
  ResultColumn::Words names, ends;
  ResultColumn::Numbers from, to;
  for (Index j = 0; j < schema.size(); ++j) {
    const ColumnSupport& column = support[usize(j)];
    const auto given = [&](double end) {
      return std::isinf(end) ? NAN : end * scaled.scale_of(j) + scaled.centre_of(j);
    };
    names.push_back(schema.name(j));
    from.push_back(given(column.low));
    to.push_back(given(column.high));
    ends.push_back(column.periodic() ? "periodic"
                   : column.whole()  ? ""
                   : column.linear() ? "linear"
                                     : "reflected");
  }
  table.add_words("column", std::move(names));
  table.add_numbers("from", std::move(from)).lacks = true;
  table.add_numbers("to", std::move(to)).lacks = true;
  table.add_words("ends", std::move(ends));
  return table;
}

// The squared error is told up to what it is for every bandwidth, in units of the density.
ResultTable optima_table(BandwidthRule rule, std::span<const LocalBandwidth> optima,
                         const Affine& scaled) {
  const double unit = std::abs(scaled.scale_of(0));
  const bool likelihood = rule == BandwidthRule::kLikelihoodLeftOut;
  ResultTable table{.name = "optima", .title = "optima of the bandwidth, rows left out"};
  ResultColumn::Numbers deviations, criteria;
  for (const LocalBandwidth& at : optima) {
    deviations.push_back(at.bandwidth * unit);
    const double criterion = told(rule, at.criterion);
    criteria.push_back(likelihood ? criterion - std::log(unit) : criterion / unit);
  }
  table.add_numbers("deviation", std::move(deviations));
  table.add_numbers(likelihood ? "mean_log_density" : "squared_error", std::move(criteria));
  return table;
}

}  // namespace

std::vector<ResultTable> KernelDensity::tables(const Schema& schema) const {
  return *tables_before(schema, {});
}

std::optional<std::vector<ResultTable>> KernelDensity::tables_before(const Schema& schema,
                                                                     const Affine& scaled) const {
  ResultTable of_all{.name = "kernels", .title = "kernels"};
  of_all.add_words("kernel", {std::string(name_of(shape()))});
  of_all.add_numbers("rows", {static_cast<double>(size_[0])});
  of_all.add_numbers("weight", {kernels_.weight()});
  if (!shape().row_scales.empty()) {
    const auto [least, most] = std::ranges::minmax(shape().row_scales);
    of_all.add_numbers("narrowest", {least});
    of_all.add_numbers("widest", {most});
  }
  ResultTable widths{.name = "bandwidths", .title = "bandwidths"};
  ResultColumn::Words names;
  ResultColumn::Numbers scales, deviations;
  const double deviation = shape().deviation();
  for (Index j = 0; j < columns(); ++j) {
    names.push_back(schema.name(j));
    scales.push_back(bandwidth()[usize(j)] * std::abs(scaled.scale_of(j)));
    deviations.push_back(scales.back() * deviation);
  }
  if (!std::ranges::all_of(deviations, [](double h) { return std::isfinite(h); })) {
    return std::nullopt;
  }
  widths.add_words("column", std::move(names));
  widths.add_numbers("bandwidth", std::move(scales));
  widths.add_numbers("deviation", std::move(deviations));
  std::vector<ResultTable> all{of_all, widths};
  if (!shape().factor.empty()) all.push_back(matrix_table(shape().factor, schema, scaled));
  if (!shape().support.empty()) all.push_back(support_table(shape().support, schema, scaled));
  if (!choice_.optima.empty()) all.push_back(optima_table(choice_.rule, choice_.optima, scaled));
  return all;
}

}  // namespace craton
