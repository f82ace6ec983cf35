#include "craton/density/kde.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "craton/base/error.h"
#include "craton/base/hash.h"
#include "craton/base/some_columns.h"
#include "craton/density/bandwidth_matrix.h"
#include "craton/density/line_distribution.h"
#include "craton/engine/for_each.h"
#include "craton/kernels/special.h"
#include "craton/model/registered_model.h"
#include "craton/tables/columns.h"

// A fit keeps the distinct rows, O(n log n); a density costs O(rows x columns).

namespace craton {
namespace {

// The objective takes so many terms: all rows up to about 6000, fewer of more.
constexpr Index kObjectiveTerms = Index{1} << 25, kLeastRows = 64;

constexpr double kMostLog = 700;  // whose exponential is a number

// Bounds nearer than what doubles hold are not to be had.
constexpr double kLeastTolerance = 1e-12;

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
  v.choice_or_array("bandwidth_matrix", o.bandwidth_matrix, o.given_matrix, {"none", "covariance"},
                    "a matrix in place of squared bandwidths, or its diagonal, a number for each "
                    "column; covariance: that of the columns, times the square of a factor, which "
                    "bandwidth gives");
  v.choice(
      "effective_n", o.effective_n, {"weight", "kish"},
      "how many rows there are, to rules for bandwidths and to standard errors: the sum of the "
      "weights, as copies; or its square over the sum of their squares");
  v.flag("adaptive", o.adaptive,
         "kernels about rows that lie apart are wider: by the root of one over their density with "
         "one width for all (Abramson's law)");
  v.text("support", o.support,
         "between what columns lie: 'age=0.., angle=0..360 periodic'; what kernels have beyond an "
         "end is reflected, or comes in at the other end of a period; of one column, 'age=0.. "
         "linear' fits lines near its ends");
}

KernelDensity::KernelDensity(KernelShape shape, double rtol, Points points, double weight_squares,
                             const Exec& exec)
    : rtol_(rtol),
      weight_squares_(weight_squares),
      size_{points.size(), points.columns},
      kernels_(std::move(shape), std::move(points), std::max(rtol, kLeastTolerance), exec) {}

double KernelDensity::effective_n() const {
  const double w = kernels_.weight();
  return weight_squares_ > 0 ? w * (w / weight_squares_) : w;
}

namespace {

// In any order of the rows, as least ones are added first.
double squares_of_weights(Source& x, const KernelDensity::Options& options) {
  if (options.effective_n == KernelDensity::EffectiveN::kWeight) return 0;
  std::vector<double> squares;
  for_rows(x, {.threads = 1}, [&](const Chunk& chunk) {
    for (Index i = 0; i < chunk.rows(); ++i) squares.push_back(chunk.weight(i) * chunk.weight(i));
  });
  std::ranges::sort(squares);
  return std::accumulate(squares.begin(), squares.end(), 0.0);
}

// Of a fit that goes on.
double known_squares(double squares, const KernelDensity::Options& options) {
  if (options.effective_n == KernelDensity::EffectiveN::kWeight) return 0;
  if (squares > 0) return squares;
  throw InputError(Code::kBadOption, {},
                   {"the model was fitted without {}, so squares of its weights are not known",
                    Ref::option("effective_n", "kish")},
                   "Fit it anew, or leave that out.");
}

void check_value(const ColumnSupport& column, double value, const Place& place) {
  if (column.holds(value)) return;
  const bool low = value < column.low;
  throw InputError(Code::kOutsideSupport, place,
                   {"the value {} is {} {}, where {} ends", value, low ? "below" : "above",
                    low ? column.low : column.high, Ref::option("support")},
                   "Leave such rows out, or give a wider support.");
}

// Rows by number, those that count.
void check_within(const std::vector<ColumnSupport>& support, Source& x) {
  if (support.empty()) return;
  std::vector<double> row(support.size());
  for_rows(x, {.threads = 1}, [&](const Chunk& chunk) {
    for (Index i = 0; i < chunk.rows(); ++i) {
      if (chunk.weight(i) == 0) continue;
      std::visit([&](const auto& rows) { copy_row(rows, i, row.data()); }, chunk.x);
      for (Index j = 0; j < ssize(support); ++j) {
        check_value(support[usize(j)], row[usize(j)], x.place_of(chunk.first_row + i, j));
      }
    }
  });
}

void check_within(const std::vector<ColumnSupport>& support, const Points& points,
                  const Schema& schema) {
  for (Index j = 0; j < ssize(support); ++j) {
    for (Index i = 0; i < points.size(); ++i) {
      check_value(support[usize(j)], points.view().row(i)[j], {.column = schema.name(j)});
    }
  }
}

// What a kernel that is a function does not go with; support.h says so of its own.
void check_function(const KernelShape& shape, const KernelDensity::Options& options) {
  if (!shape.of_function) return;
  if (options.adaptive) {
    throw InputError(Code::kBadOption, {},
                     {"{} does not go with a kernel that is a function", Ref::option("adaptive")},
                     "Give one of the kernels by name.");
  }
  const bool rule = options.given_matrix.empty() && options.bandwidth != BandwidthRule::kNumber;
  if ((rule || options.bandwidth_as == KernelDensity::BandwidthAs::kDeviation ||
       options.bandwidth_matrix == KernelDensity::BandwidthMatrix::kCovariance) &&
      shape.given_deviation == 0) {
    throw InputError(Code::kBadOption, {},
                     {"the function given as {} has no standard deviation, which rules for {} give",
                      Ref::option("kernel"), Ref::option("bandwidth")},
                     {"Give {} as a number.", Ref::option("bandwidth")});
  }
}

constexpr double kPilotTolerance = 1e-10;

// s_i = sqrt(g / p(y_i))
std::vector<double> scales_of_rows(const RowKernels& pilot, const Points& points,
                                   const Exec& exec) {
  std::vector<double> logs(usize(points.size()));
  for_each(points.size(), exec, [&](Index i) {
    std::vector<double> work(usize(pilot.work()));
    logs[usize(i)] =
        pilot.density(points.view().row(i), kPilotTolerance, points.columns, work.data()).log_sum;
  });
  double mean = 0;
  for (std::size_t i = 0; i < logs.size(); ++i) mean += points.weights[i] * logs[i];
  mean /= points.weight();
  for (double& v : logs) v = std::exp((mean - v) / 2);
  return logs;
}

// As if the weights summed to n.
Points counted_as(Points points, double weight_squares) {
  std::vector<double> weights = points.weights.all();
  const double factor = points.weight() / weight_squares;
  for (double& w : weights) w *= factor;
  points.weights = std::move(weights);
  return points;
}

// Those that the objective is of.
Points some_of(const Points& points) {
  const Index n = points.size(), some = std::clamp(kObjectiveTerms / n, std::min(kLeastRows, n), n);
  Points found{points.columns, {}, {}};
  for (Index i = 0; i < some; ++i) {
    const double* const row = points.view().row(i * n / some);
    found.rows.insert(found.rows.end(), row, row + points.columns);
    found.weights.push_back(points.weights[usize(i * n / some)]);
  }
  return found;
}

}  // namespace

Fit<KernelDensity> KernelDensity::estimate(Points points, double weight_squares,
                                           const Options& options, const Schema& schema,
                                           std::uint64_t data_hash, const Exec& exec,
                                           const KernelShape& of) {
  need_function(of);
  std::optional<Points> fewer;  // whose weights sum to n
  if (weight_squares > 0) fewer = counted_as(points, weight_squares);
  const Points& counted = fewer ? *fewer : points;
  KernelShape shape{.kernel = options.kernel,
                    .of_function = of.of_function,
                    .given = of.given,
                    .given_deviation = of.given_deviation,
                    .given_known = of.given_known};
  shape.bandwidth.resize(usize(points.columns));
  Choice choice{.rule = options.bandwidth};
  FitReport report;
  shape.support = read_support(options.support, schema);
  check_within(shape.support, points, schema);
  const double deviation = shape.deviation();
  const bool as_deviation = options.bandwidth_as == BandwidthAs::kDeviation;
  check_function(shape, options);
  if (!options.given_matrix.empty() || options.bandwidth_matrix == BandwidthMatrix::kCovariance) {
    std::vector<double> matrix =
        options.given_matrix.empty()
            ? covariance_matrix(options.bandwidth, options.given_bandwidth, counted, schema)
            : given_matrix(options.given_matrix, points.columns);
    if (options.given_matrix.empty() || as_deviation) {
      for (double& v : matrix) v /= deviation * deviation;
    }
    set_matrix(matrix, schema, shape);
  } else {
    const bool given = options.bandwidth == BandwidthRule::kNumber;
    shape.bandwidth.assign(usize(points.columns), options.given_bandwidth);
    if (!given)
      shape.bandwidth =
          find_bandwidths(options.bandwidth, counted, schema, report.notes, exec, &choice.optima);
    if (!given || as_deviation) {
      for (double& h : shape.bandwidth) h /= deviation;
    }
  }
  check_bandwidths(shape.bandwidth, schema);
  check_support(shape, schema);
  if (options.adaptive) {
    shape.row_scales =
        scales_of_rows(RowKernels(shape, points, kPilotTolerance, exec), points, exec);
    for (const double s : shape.row_scales) {
      std::vector<double> widths = shape.bandwidth;
      for (double& h : widths) h *= s;
      check_bandwidths(widths, schema);
    }
    check_support(shape, schema);
  }
  const Points some = some_of(points);
  KernelDensity model(std::move(shape), options.rtol, std::move(points), weight_squares, exec);
  if (!choice.optima.empty()) model.choice_ = std::move(choice);
  if (!model.kernels_.sound()) {
    throw InputError(Code::kNotFinite, {},
                     {"in units of {} the rows overflow", Ref::option("bandwidth_matrix")},
                     "Give one of the size of the data.");
  }

  FitReport found = model.report(some, exec);
  found.notes = std::move(report.notes);
  found.data_hash = hash_text(data_hash);
  return {std::move(model), std::move(found)};
}

FitReport KernelDensity::report(const Points& some, const Exec& exec) const {
  std::vector<double> log_density(usize(some.size()));
  for_each(some.size(), may_call(exec),
           [&](Index i) { log_density[usize(i)] = density(some.view().row(i)).log_sum; });
  FitReport report;
  double weight = 0;
  for (Index i = 0; i < some.size(); ++i) {
    const double w = some.weights[usize(i)];
    weight += w;
    report.objective += w * log_density[usize(i)];
  }
  report.iterations = 1;
  report.converged = true;
  report.objective /= weight;
  report.trace = {report.objective};
  return report;
}

// The options are those that give these kernels whatever rows are learned later.
Fit<KernelDensity> KernelDensity::part(const Fit<KernelDensity>& fit, ShapedRows rows,
                                       const Schema& schema, Options& options) {
  const Index d = rows.points.columns;
  check_bandwidths(rows.shape.bandwidth, schema);
  options.bandwidth_as = BandwidthAs::kScale;
  options.bandwidth_matrix = BandwidthMatrix::kNone;
  options.given_matrix = Array{{d}, {}};
  for (const double h : rows.shape.bandwidth) options.given_matrix.values.push_back(h * h);
  if (!rows.shape.factor.empty()) {
    options.given_matrix = Array{{d, d}, product_of(rows.shape.factor, d)};
  }
  options.support = written_support(rows.shape.support, schema);
  double squares = 0;
  for (const double w : rows.points.weights) squares += w * w;
  KernelDensity model(std::move(rows.shape), fit.model.rtol_, rows.points,
                      fit.model.weight_squares_ > 0 ? squares : 0, {.threads = 1});
  FitReport report = model.report(some_of(rows.points), {.threads = 1});
  return {std::move(model), std::move(report)};
}

Fit<KernelDensity> KernelDensity::marginal(const Fit<KernelDensity>& fit,
                                           std::span<const Index> kept, const Schema& schema,
                                           Options& options) {
  return part(fit, marginal_rows(fit.model.shape(), fit.model.points(), kept),
              schema_of(schema, kept), options);
}

Fit<KernelDensity> KernelDensity::condition(const Fit<KernelDensity>& fit,
                                            std::span<const Index> given,
                                            std::span<const double> values, const Schema& schema,
                                            Options& options) {
  const std::vector<Index> kept = others_than(given, schema.size());
  return part(fit, conditional_rows(fit.model.shape(), fit.model.points(), given, values, schema),
              schema_of(schema, kept), options);
}

namespace {

constexpr double kSameFunction = 1e-9;

KernelShape shape_of(std::shared_ptr<const GivenKernel> kernel) {
  auto table = std::make_shared<const KernelTable>(std::move(kernel));
  const double deviation = std::isfinite(table->deviation()) ? table->deviation() : 0;
  return {.of_function = true,
          .given = table,
          .given_deviation = deviation,
          .given_known = table->known()};
}

}  // namespace

Fit<KernelDensity> KernelDensity::fit_shape(Source& x, const Options& options, const Exec& exec,
                                            const KernelShape& of) {
  check_options([o = options](OptionVisitor& v) mutable { describe(v, o); });
  std::uint64_t data_hash = 0;
  Points points = points_of(x, exec, &data_hash);
  check_within(read_support(options.support, x.schema()), x);
  return estimate(std::move(points), squares_of_weights(x, options), options, x.schema(), data_hash,
                  exec, of);
}

Fit<KernelDensity> KernelDensity::fit(Source& x, const Options& options, const Exec& exec) {
  return fit_shape(x, options, exec, {});
}

Fit<KernelDensity> KernelDensity::fit(Source& x, const Options& options, const Exec& exec,
                                      std::shared_ptr<const GivenKernel> kernel) {
  return fit_shape(x, options, exec, shape_of(std::move(kernel)));
}

Fit<KernelDensity> KernelDensity::with_kernel(const Fit<KernelDensity>& fit,
                                              std::shared_ptr<const GivenKernel> kernel) {
  KernelShape shape = fit.model.shape();
  if (!shape.of_function) {
    throw InputError(
        Code::kBadOption, {},
        {"{} is a function, and the kernel of this model is none", Ref::option("kernel")},
        "Leave it out.");
  }
  const KernelShape given = shape_of(std::move(kernel));
  for (std::size_t i = 0; i < KernelTable::kKnown; ++i) {
    const double before = shape.given_known[i], now = given.given_known[i];
    if (std::abs(now - before) <= kSameFunction * (1 + std::abs(before))) continue;
    throw InputError(Code::kBadOption, {},
                     {"the function given as {} is {} at u = {}, where that of the fit was {}",
                      Ref::option("kernel"), now, KernelTable::known_at(i), before},
                     "Give the function that the model was fitted with.");
  }
  shape.given = given.given;
  KernelDensity model(std::move(shape), fit.model.rtol_, fit.model.points(),
                      fit.model.weight_squares_, {.threads = 1});
  model.choice_ = fit.model.choice_;
  return {std::move(model), fit.report};
}

namespace {

// What a fit and more rows are together has to pass, too.
void check_together(const Points& points, const Schema& schema) {
  if (!(points.weight() <= kHeaviest)) {
    throw InputError(Code::kBadWeight, {}, "the weights of all rows sum to more than any fit takes",
                     "Divide all weights by one power of ten: the result is the same.");
  }
  for (Index j = 0; j < points.columns; ++j) {
    const double range = points.range(j);
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
  std::uint64_t data_hash = 0;
  check_within(read_support(options.support, x.schema()), x);
  Points all = merged(so_far.model.points(), points_of(x, exec, &data_hash));
  check_together(all, x.schema());
  const double squares = known_squares(so_far.model.weight_squares_, options);
  return estimate(std::move(all), squares + squares_of_weights(x, options), options, x.schema(),
                  hash_number(so_far.report.data_hash) + data_hash, exec, so_far.model.shape());
}

Fit<KernelDensity> KernelDensity::unlearn(const Fit<KernelDensity>& so_far, Source& x,
                                          const Options& options, const Exec& exec) {
  check_options([o = options](OptionVisitor& v) mutable { describe(v, o); });
  std::uint64_t data_hash = 0;
  Points rest = without(so_far.model.points(), points_of(x, exec, &data_hash));
  const double squares = known_squares(so_far.model.weight_squares_, options);
  const double left = std::max(squares - squares_of_weights(x, options), 0.0);
  return estimate(std::move(rest), squares > 0 ? std::max(left, 1e-12 * squares) : 0, options,
                  x.schema(), hash_number(so_far.report.data_hash) - data_hash, exec,
                  so_far.model.shape());
}

Fit<KernelDensity> KernelDensity::merge(const Fit<KernelDensity>& a, const Fit<KernelDensity>& b,
                                        const Options& options) {
  Points all = merged(a.model.points(), b.model.points());
  const Schema schema = numbered_schema(all.columns);
  check_together(all, schema);
  if (a.model.shape().given_known != b.model.shape().given_known) {
    throw InputError(Code::kBadOption, {}, "the models have kernels that are other functions",
                     "Fit both with the same.");
  }
  return estimate(std::move(all),
                  known_squares(a.model.weight_squares_, options) +
                      known_squares(b.model.weight_squares_, options),
                  options, schema,
                  hash_number(a.report.data_hash) + hash_number(b.report.data_hash), {.threads = 1},
                  a.model.shape());
}

KernelSum KernelDensity::density(const double* x, Index first, double* work) const {
  return kernels_.density(x, std::max(rtol_, kLeastTolerance), first, work);
}

KernelSum KernelDensity::density(const double* x) const {
  std::vector<double> work(usize(row_work()));
  return density(x, columns(), work.data());
}

namespace {

void need_one_column(Index columns) {
  if (columns == 1) return;
  throw InputError(Code::kNotAble, {},
                   fmt::format("a density of {} columns has no distribution function", columns),
                   "Fit it to one column.");
}

}  // namespace

LineDistribution KernelDensity::line(const Points& all) const {
  return {kernel(),
          bandwidth()[0],
          all,
          shape().support.empty() ? ColumnSupport{} : shape().support[0],
          shape().row_scales,
          kernels_.linear(),
          shape().given.get()};
}

std::vector<double> KernelDensity::cdf(std::span<const double> x, const Exec& exec) const {
  need_one_column(columns());
  need_function(shape());
  const LineDistribution line = this->line(points());
  std::vector<double> out(x.size());
  for_each(ssize(x), exec, [&](Index i) { out[usize(i)] = line.cdf(x[usize(i)]); });
  return out;
}

std::vector<double> KernelDensity::quantile(std::span<const double> p, const Exec& exec) const {
  need_one_column(columns());
  need_function(shape());
  const LineDistribution line = this->line(points());
  std::vector<double> out(p.size());
  for_each(ssize(p), exec, [&](Index i) { out[usize(i)] = line.quantile(p[usize(i)]); });
  return out;
}

double KernelDensity::score_row(const double* row, double* work) const {
  for (Index j = 0; j < columns(); ++j) {
    if (!std::isfinite(row[j])) return NAN;
  }
  const KernelSum found = density(row, columns(), work);
  return found.error < INFINITY ? found.log_sum : NAN;
}

void KernelDensity::for_densities(
    Source& x, const Exec& exec,
    FunctionRef<void(Index, const double*, const KernelSum&)> use) const {
  check_columns(x, columns());
  need_function(shape());
  for_rows(x, may_call(exec), [&](const Chunk& chunk) {
    check_finite(chunk, x);
    std::vector<double> row(usize(columns())), work(usize(row_work()));
    for (Index i = 0; i < chunk.rows(); ++i) {
      std::visit([&](const auto& rows) { copy_row(rows, i, row.data()); }, chunk.x);
      const KernelSum found = density(row.data(), columns(), work.data());
      if (!(found.error < INFINITY)) fail_too_far(x, chunk.first_row + i);
      use(chunk.first_row + i, row.data(), found);
    }
  });
}

void KernelDensity::score_samples(Source& x, std::span<double> log_density,
                                  const Exec& exec) const {
  for_densities(x, exec, [&](Index i, const double*, const KernelSum& found) {
    log_density[usize(i)] = found.log_sum;
  });
}

void KernelDensity::contributions(const Chunk& chunk, Index row, Index,
                                  std::span<double> out) const {
  std::vector<double> values(usize(columns())), work(usize(row_work()));
  std::visit([&](const auto& x) { copy_row(x, row, values.data()); }, chunk.x);
  out[0] = 0;
  double before = 0;
  for (Index j = 1; j <= columns(); ++j) {
    const double log_density = density(values.data(), j, work.data()).log_sum;
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
  need_function(shape());
  const Points all = points();
  const Index d = columns();
  std::vector<double> up_to;  // the weight of the rows up to each
  double weight = 0;
  for (const double w : all.weights) up_to.push_back(weight += w);
  Sample sample{{{rows, d}, std::vector<double>(usize(rows * d))},
                std::vector<std::int32_t>(usize(rows))};
  std::optional<LineDistribution> linear;  // which has no kernels to draw from
  if (kernels_.linear() != nullptr) linear.emplace(line(all));
  for (Index i = 0; i < rows; ++i) {
    Random random(seed, Purpose::kSample, 0, static_cast<std::uint64_t>(i));
    if (linear) {
      sample.x.values[usize(i)] = linear->quantile(random.uniform());
      continue;
    }
    const auto chosen = std::upper_bound(up_to.begin(), up_to.end() - 1, random.uniform() * weight);
    double* const out = &sample.x.values[usize(i * d)];
    const Index row = chosen - up_to.begin();
    kernels_.draw(all.view().row(row), shape().scale_of(row), random, out);
  }
  return sample;
}

void KernelDensity::diagnose(Source& x, ResultTable& rows, const Exec& exec) const {
  const std::size_t n = usize(x.shape().rows);
  const Points all = points();
  const RowSpread spread(kernels_, all, effective_n());
  std::optional<LineDistribution> line;
  if (columns() == 1) line.emplace(this->line(all));
  ResultColumn::Numbers errors(n), standard_errors(n), left_out(n), below(line ? n : 0);
  for_densities(x, exec, [&](Index i, const double* row, const KernelSum& found) {
    errors[usize(i)] = found.error;
    const double log_error = spread.log_relative_error(row, found.log_sum);
    standard_errors[usize(i)] = std::exp(log_error > kMostLog ? kMostLog : log_error);
    left_out[usize(i)] = spread.left_out(row, found.log_sum);
    if (line) below[usize(i)] = line->cdf(row[0]);
  });
  rows.add_numbers("density_error", std::move(errors));
  rows.add_numbers("standard_error", std::move(standard_errors)).lacks = true;
  ResultColumn& other_rows = rows.add_numbers("leave_one_out", std::move(left_out));
  other_rows.lacks = other_rows.log_density = true;
  if (line) rows.add_numbers("cdf", std::move(below));
}

void KernelDensity::intervals(Source& x, double level, ResultTable& rows, const Exec& exec) const {
  const std::size_t n = usize(x.shape().rows);
  const Points all = points();
  const RowSpread spread(kernels_, all, effective_n());
  const double z = normal_quantile((1 + level) / 2);
  ResultColumn::Numbers log_densities(n), low(n), high(n);
  for_densities(x, exec, [&](Index i, const double* row, const KernelSum& found) {
    const double log_density = found.log_sum;
    log_densities[usize(i)] = log_density;
    if (log_density == kNever) {  // as if one row lay here, with all of its kernel, if it may
      low[usize(i)] = kNever;
      high[usize(i)] = kNever;
      if (!shape().holds(row)) return;
      high[usize(i)] = kernels_.log_peak() + 2 * std::log(z) - std::log(effective_n());
      return;
    }
    // The roots m / p of (1 - m / p)^2 = e^2 m / p, e = z se / p: their product is 1. Of large
    // numbers asinh is the logarithm of twice.
    const double log_e = std::log(z) + spread.log_relative_error(row, log_density);
    const double log_root = log_e > kMostLog ? 2 * log_e : 2 * std::asinh(std::exp(log_e) / 2);
    low[usize(i)] = log_density - log_root;
    high[usize(i)] = log_density + log_root;
  });
  rows.add_numbers("log_density", std::move(log_densities)).log_density = true;
  rows.add_numbers("low", std::move(low)).log_density = true;
  rows.add_numbers("high", std::move(high)).log_density = true;
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
