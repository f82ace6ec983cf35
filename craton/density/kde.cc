#include "craton/density/kde.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "craton/base/error.h"
#include "craton/base/hash.h"
#include "craton/engine/for_each.h"
#include "craton/kernels/special.h"
#include "craton/model/registered_model.h"
#include "craton/tables/columns.h"

// A fit keeps the distinct rows, O(n log n); a density costs O(rows x columns).

namespace craton {
namespace {

constexpr std::array<std::string_view, kSmoothingKernels> kKernelNames{
    "gaussian", "tophat",   "epanechnikov", "exponential", "linear",
    "cosine",   "biweight", "triweight",    "tricube",     "logistic"};

// The objective takes so many terms: all rows up to about 6000, fewer of more.
constexpr Index kObjectiveTerms = Index{1} << 25, kLeastRows = 64;

// Bounds nearer than what doubles hold are not to be had.
constexpr double kLeastTolerance = 1e-12;

// special.h: of the logarithms that the volume of a kernel is made of.
constexpr double kSpecialError = 1e-14;

void check_bandwidths(std::span<const double> bandwidths, const Schema& schema) {
  for (Index j = 0; j < ssize(bandwidths); ++j) {
    const double h = bandwidths[usize(j)];
    if (h >= kNarrowest && h <= kWidest) continue;
    throw InputError(Code::kNoSpread, {.column = schema.name(j)},
                     fmt::format("the bandwidth is {:g}, whose square overflows or vanishes", h),
                     "Multiply or divide the column by a power of ten.");
  }
}

}  // namespace

void describe(OptionVisitor& v, KernelDensity::Options& o) {
  v.choice_or_number(
      "bandwidth", o.bandwidth, o.given_bandwidth, kNarrowest, kWidest,
      {"scott", "silverman", "nrd0", "nrd", "sj-ste", "sj-dpi", "isj", "lscv", "likelihood"},
      "how wide kernels are, the same number in every column; or a rule: scott and "
      "silverman by the spread of each column, the others for one column");
  v.choice("kernel", o.kernel,
           {"gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine", "biweight",
            "triweight", "tricube", "logistic"},
           "the shape of the density about each row");
  v.choice("bandwidth_as", o.bandwidth_as, {"scale", "deviation"},
           "what a number given as bandwidth is: the scale of the kernel, where those that end do, "
           "or its standard deviation");
  v.number("rtol", o.rtol, 0, 0.5,
           "how far densities may be from the exact sum, relative; 0: as near as doubles allow");
}

KernelDensity::KernelDensity(SmoothingKernel kernel, std::vector<double> bandwidth, double rtol,
                             const Points& points, const Exec& exec)
    : bandwidth_(std::move(bandwidth)),
      rtol_(rtol),
      shape_{points.size(), points.columns},
      rows_(points.rows),
      weights_(points.weights),
      sums_(kernel, bandwidth_, points.view(), points.weights, std::max(rtol, kLeastTolerance),
            [&](Index count, FunctionRef<void(Index)> task) { for_each(count, exec, task); }) {
  double log_scale = -std::log(sums_.weight());
  for (const double h : bandwidth_) {
    log_scale -= std::log(h);
    log_scales_.push_back(log_scale - log_volume(kernel, ssize(log_scales_) + 1));
  }
}

Fit<KernelDensity> KernelDensity::estimate(const Points& points, const Options& options,
                                           const Schema& schema, std::uint64_t data_hash,
                                           const Exec& exec) {
  const bool given = options.bandwidth == BandwidthRule::kNumber;
  std::vector<double> bandwidth(usize(points.columns), options.given_bandwidth);
  FitReport report;
  if (!given) bandwidth = find_bandwidths(options.bandwidth, points, schema, report.notes);
  if (!given || options.bandwidth_as == BandwidthAs::kDeviation) {
    const double deviation = kernel_deviation(options.kernel, points.columns);
    for (double& h : bandwidth) h /= deviation;
  }
  check_bandwidths(bandwidth, schema);
  KernelDensity model(options.kernel, std::move(bandwidth), options.rtol, points, exec);

  const Index n = points.size(), some = std::clamp(kObjectiveTerms / n, std::min(kLeastRows, n), n);
  std::vector<double> log_density(usize(some));
  for_each(some, exec, [&](Index i) {
    log_density[usize(i)] = model.density(points.view().row(i * n / some)).log_sum;
  });
  double weight = 0;
  for (Index i = 0; i < some; ++i) {
    const double w = points.weights[usize(i * n / some)];
    weight += w;
    report.objective += w * log_density[usize(i)];
  }
  report.iterations = 1;
  report.converged = true;
  report.objective /= weight;
  report.trace = {report.objective};
  report.data_hash = hash_text(data_hash);
  return {std::move(model), std::move(report)};
}

Fit<KernelDensity> KernelDensity::fit(Source& x, const Options& options, const Exec& exec) {
  check_options([o = options](OptionVisitor& v) mutable { describe(v, o); });
  const ColumnStatistics columns = check_table(x, exec);
  return estimate(points_of(x, exec), options, x.schema(), hash_number(columns.data_hash()), exec);
}

namespace {

double range_of(const Points& points, Index column) {
  double low = INFINITY, high = -INFINITY;
  for (Index i = 0; i < points.size(); ++i) {
    low = std::min(low, points.view().row(i)[column]);
    high = std::max(high, points.view().row(i)[column]);
  }
  return high - low;
}

// What a fit and more rows are together has to pass, too.
void check_together(const Points& points, const Schema& schema) {
  if (!(points.weight() <= kHeaviest)) {
    throw InputError(Code::kBadWeight, {}, "the weights of all rows sum to more than any fit takes",
                     "Divide all weights by one power of ten: the result is the same.");
  }
  for (Index j = 0; j < points.columns; ++j) {
    const double range = range_of(points, j);
    if (range <= kWidest) continue;
    throw InputError(
        Code::kNotFinite, {.column = schema.name(j)},
        fmt::format("together the values spread over {:g}, so their squares overflow", range),
        "Divide the column by a power of ten.");
  }
}

}  // namespace

Fit<KernelDensity> KernelDensity::partial_fit(const Fit<KernelDensity>& so_far, Source& x,
                                              const Options& options, const Exec& exec) {
  check_options([o = options](OptionVisitor& v) mutable { describe(v, o); });
  const ColumnStatistics columns = check_table(x, exec);
  const Points all = merged(so_far.model.points(), points_of(x, exec));
  check_together(all, x.schema());
  return estimate(all, options, x.schema(),
                  hash_number(so_far.report.data_hash) + hash_number(columns.data_hash()), exec);
}

Fit<KernelDensity> KernelDensity::unlearn(const Fit<KernelDensity>& so_far, Source& x,
                                          const Options& options, const Exec& exec) {
  check_options([o = options](OptionVisitor& v) mutable { describe(v, o); });
  const ColumnStatistics columns = check_table(x, exec);
  return estimate(without(so_far.model.points(), points_of(x, exec)), options, x.schema(),
                  hash_number(so_far.report.data_hash) - hash_number(columns.data_hash()), exec);
}

Fit<KernelDensity> KernelDensity::merge(const Fit<KernelDensity>& a, const Fit<KernelDensity>& b,
                                        const Options& options) {
  const Points all = merged(a.model.points(), b.model.points());
  const Schema schema = numbered_schema(all.columns);
  check_together(all, schema);
  return estimate(all, options, schema,
                  hash_number(a.report.data_hash) + hash_number(b.report.data_hash), {});
}

KernelSum KernelDensity::density(const double* x, Index first) const {
  KernelSum found = sums_.at(x, std::max(rtol_, kLeastTolerance), first);
  if (found.log_sum == kNever) return found;
  const double log_scale = log_scales_[usize(first - 1)];
  found.log_sum += log_scale;
  found.error += kSpecialError * (1 + std::abs(log_scale)) + 0x1p-53 * std::abs(found.log_sum);
  return found;
}

// Points on the left of x add what their kernels have not beyond it, so that small tails of either
// side keep their digits.
double KernelDensity::cdf(double x, const Points& line) const {
  double below = 0, above = 0;
  for (std::size_t i = 0; i < line.rows.size(); ++i) {
    const double u = (x - line.rows[i]) / bandwidth_[0], w = line.weights[i];
    const double tail = w * kernel_tail(kernel(), std::abs(u));
    below += u < 0 ? tail : w - tail;
    above += u < 0 ? w - tail : tail;
  }
  return below < above ? below / sums_.weight() : 1 - above / sums_.weight();
}

namespace {

void need_one_column(Index columns) {
  if (columns == 1) return;
  throw InputError(Code::kNotAble, {},
                   fmt::format("a density of {} columns has no distribution function", columns),
                   "Fit it to one column.");
}

}  // namespace

double KernelDensity::cdf(double x) const {
  need_one_column(columns());
  return cdf(x, points());
}

double KernelDensity::quantile(double p) const {
  need_one_column(columns());
  if (!(p > 0 && p < 1)) {
    throw InputError(Code::kBadOption, {}, fmt::format("there is no quantile of p = {}", p),
                     "Give a probability between 0 and 1.");
  }
  const Points line = points();
  double low = line.rows.front(), high = line.rows.back();
  for (double step = bandwidth_[0]; cdf(low, line) >= p; step *= 2) low -= step;
  for (double step = bandwidth_[0]; cdf(high, line) < p; step *= 2) high += step;
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (!(low < middle && middle < high)) return high;
    (cdf(middle, line) < p ? low : high) = middle;
  }
}

double KernelDensity::score_row(const double* row, double*) const {
  for (Index j = 0; j < columns(); ++j) {
    if (!std::isfinite(row[j])) return NAN;
  }
  const KernelSum found = density(row);
  return found.error < INFINITY ? found.log_sum : NAN;
}

void KernelDensity::for_densities(Source& x, const Exec& exec,
                                  FunctionRef<void(Index, const KernelSum&)> use) const {
  check_columns(x, columns());
  for_rows(x, exec, [&](const Chunk& chunk) {
    check_finite(chunk, x);
    std::vector<double> row(usize(columns()));
    for (Index i = 0; i < chunk.rows(); ++i) {
      std::visit([&](const auto& rows) { copy_row(rows, i, row.data()); }, chunk.x);
      const KernelSum found = density(row.data());
      if (!(found.error < INFINITY)) fail_too_far(x, chunk.first_row + i);
      use(chunk.first_row + i, found);
    }
  });
}

void KernelDensity::score_samples(Source& x, std::span<double> log_density,
                                  const Exec& exec) const {
  for_densities(
      x, exec, [&](Index row, const KernelSum& found) { log_density[usize(row)] = found.log_sum; });
}

void KernelDensity::contributions(const Chunk& chunk, Index row, Index,
                                  std::span<double> out) const {
  std::vector<double> values(usize(columns()));
  std::visit([&](const auto& x) { copy_row(x, row, values.data()); }, chunk.x);
  out[0] = 0;
  double before = 0;
  for (Index j = 1; j <= columns(); ++j) {
    const double log_density = density(values.data(), j).log_sum;
    out[usize(j)] = log_density == before ? 0 : log_density - before;  // -inf stays
    before = log_density;
  }
}

double KernelDensity::score(Source& x, const Exec& exec) const {
  check_columns(x, columns());
  const double weight = check_table(x, exec).weight();
  std::vector<double> log_density(usize(x.shape().rows));
  score_samples(x, log_density, exec);
  double sum = 0;
  for_rows(x, {.threads = 1}, [&](const Chunk& chunk) {
    for (Index i = 0; i < chunk.rows(); ++i) {
      const double w = chunk.weight(i);
      if (w > 0) sum += w * log_density[usize(chunk.first_row + i)];
    }
  });
  return sum / weight;
}

Sample KernelDensity::sample(Index rows, std::uint64_t seed) const {
  const Points all = points();
  const Index d = columns();
  std::vector<double> up_to;  // the weight of the rows up to each
  double weight = 0;
  for (const double w : all.weights) up_to.push_back(weight += w);
  Sample sample{{{rows, d}, std::vector<double>(usize(rows * d))},
                std::vector<std::int32_t>(usize(rows))};
  for (Index i = 0; i < rows; ++i) {
    Random random(seed, Purpose::kSample, 0, static_cast<std::uint64_t>(i));
    const auto chosen = std::upper_bound(up_to.begin(), up_to.end() - 1, random.uniform() * weight);
    double* const out = &sample.x.values[usize(i * d)];
    draw_kernel(kernel(), d, random, out);
    const double* const about = all.view().row(chosen - up_to.begin());
    for (Index j = 0; j < d; ++j) out[j] = about[j] + bandwidth_[usize(j)] * out[j];
  }
  return sample;
}

void KernelDensity::diagnose(Source& x, ResultTable& rows, const Exec& exec) const {
  ResultColumn::Numbers errors(usize(x.shape().rows));
  for_densities(x, exec,
                [&](Index row, const KernelSum& found) { errors[usize(row)] = found.error; });
  rows.add_numbers("density_error", std::move(errors));
}

void KernelDensity::visit_parameters(ParameterVisitor& v) const {
  v.text("kernel", "the shape of the density about each row",
         kKernelNames[static_cast<std::size_t>(kernel())]);
  v.doubles("bandwidth", "the scale of the kernel in each column", std::array{columns()},
            bandwidth_);
  v.number("rtol", "how far densities may be from the exact sum, relative", rtol_);
  rows_.visit(v, "rows", "the distinct rows, ascending", shape_);
  weights_.visit(v, "row_weights", "the weight of each, equal rows together", {shape_.data(), 1});
}

KernelDensity KernelDensity::from_parameters(const ParameterList& parameters) {
  const auto name = std::ranges::find(kKernelNames, parameters.text("kernel"));
  if (name == kKernelNames.end()) fail_parameters("there is no such kernel");
  const ArrayView bandwidth = parameters.doubles("bandwidth", {-1});
  const double rtol = parameters.number("rtol");
  const Index d = bandwidth.rows();
  const Array rows = wide_parameter(parameters, "rows", std::array{Index{-1}, d});
  const Array weights = wide_parameter(parameters, "row_weights", std::array{rows.rows()});
  if (rows.empty() || d == 0) fail_parameters("there are no rows");
  if (!(rtol >= 0 && rtol <= 0.5)) fail_parameters("the tolerance is not from 0 to 0.5");
  for (const double h : bandwidth.values) {
    if (!(h >= kNarrowest && h <= kWidest)) fail_parameters("a bandwidth makes no sense");
  }
  const Points points{d, rows.values, weights.values};
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
    if (!(range_of(points, j) <= kWidest)) fail_parameters("the rows lie too far apart");
  }
  return KernelDensity(static_cast<SmoothingKernel>(name - kKernelNames.begin()),
                       {bandwidth.values.begin(), bandwidth.values.end()}, rtol, points,
                       {.threads = 1});
}

std::vector<ResultTable> KernelDensity::tables(const Schema& schema) const {
  return *tables_before(schema, {});
}

std::optional<std::vector<ResultTable>> KernelDensity::tables_before(const Schema& schema,
                                                                     const Affine& scaled) const {
  ResultTable of_all{.name = "kernels", .title = "kernels"};
  of_all.add_words("kernel", {std::string(kKernelNames[static_cast<std::size_t>(kernel())])});
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

const Usage KernelDensity::kUsage{.example = "examples/data/islands.csv -o islands.craton",
                                  .python = R"(
>>> from craton import KernelDensity
>>> X = [[0], [1], [1], [4]]
>>> model = KernelDensity(bandwidth=0.5, kernel="epanechnikov").fit(X)
>>> model.score_samples([[1.25], [9]]).round(6).tolist()
[-0.575364, -inf]
)",
                                  .sklearn = "neighbors.KernelDensity"};

template ModelInfo registered<KernelDensity>();

}  // namespace craton
