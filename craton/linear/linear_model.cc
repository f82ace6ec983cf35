#include "craton/linear/linear_model.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "craton/base/error.h"
#include "craton/base/hash.h"
#include "craton/engine/for_each.h"
#include "craton/kernels/special.h"
#include "craton/linear/precise_squares.h"
#include "craton/tables/columns.h"

namespace craton {
namespace {

constexpr Index kMostTold = 1000;        // columns whose covariance is kept with the model
constexpr double kMostNumbers = 2e8;     // of the sums: a gigabyte and a half
constexpr double kFewNumbers = 1 << 16;  // of a table whose last digits cost nothing
constexpr double kLevel = 0.95;
constexpr std::array<std::string_view, 5> kErrorKinds{"model", "hc0", "hc1", "hc2", "hc3"};

double finite_or_none(double v) { return std::isfinite(v) ? v : std::nan(""); }

void check_sums_fit(const Source& x) {
  const double rows = static_cast<double>(x.shape().rows),
               cols = static_cast<double>(x.shape().cols);
  if (std::min(rows, cols) * cols <= kMostNumbers) return;
  throw InputError(
      Code::kUnsupported, {.file = x.name()},
      fmt::format("there are {} columns, and the products of every two of them fill the memory",
                  cols),
      "Use fewer columns.");
}

// "b = 2 a - c", or "b is constant".
std::string sentence(const ColumnDependence& d, const Schema& schema) {
  if (d.columns.empty()) return fmt::format("{} does not change", schema.name(d.column));
  std::string text = schema.name(d.column) + " =";
  for (std::size_t k = 0; k < d.columns.size(); ++k) {
    const double times = d.times[k], size = std::abs(times);
    if (k > 0 || times < 0) text += times < 0 ? " -" : " +";
    if (std::abs(size - 1) > 1e-9) text += fmt::format(" {:.6g}", size);
    text += " " + schema.name(d.columns[k]);
  }
  return text;
}

std::vector<Note> notes_on(const LeastSquares& fit, const TriangularSums& sums,
                           const LinearTask& task, const Schema& schema) {
  std::vector<Note> notes;
  if (!fit.dependences.empty()) {
    std::vector<std::string> found;
    for (const ColumnDependence& d : fit.dependences) found.push_back(sentence(d, schema));
    notes.push_back(
        {"collinear",
         fmt::format("columns that are a linear combination of others, but for a constant: "
                     "{}; many coefficients fit equally well, and the shortest are taken",
                     listed(found))});
  } else if (task.prior.flat() && fit.rank < sums.columns()) {
    notes.push_back({"more-columns-than-rows",
                     fmt::format("{} rows tell {} of {} coefficients; of all that fit equally well "
                                 "the shortest are taken",
                                 sums.rows(), fit.rank, sums.columns())});
  }
  return notes;
}

TriangularSums remembered_triangle(std::span<const Parameter> memory, Index columns) {
  for (const Parameter& p : memory) {
    if (p.name == "sums") return TriangularSums::from_array(p.value, columns);
  }
  fail_parameters("it remembers no sums over its rows");
}

// Of a model that is to learn on: a file may have come without them.
TriangularSums sums_so_far(std::span<const Parameter> memory, Index columns) {
  if (!memory.empty()) return remembered_triangle(memory, columns);
  throw InputError(Code::kNotAble, {}, "the model has no sums over its rows to go on from",
                   "Fit all rows at once.");
}

void check_summed_errors(const LinearTask& task) {
  if (task.errors == ErrorsOf::kModel) return;
  throw InputError(Code::kNotAble, {},
                   {"{} needs the residuals of all rows, and only sums of them are kept",
                    Ref::option("errors", kErrorKinds[static_cast<std::size_t>(task.errors)])},
                   {"Fit all rows at once, or with {}.", Ref::option("errors", "model")});
}

}  // namespace

void describe_errors(OptionVisitor& v, ErrorsOf& errors) {
  v.choice("errors", errors, {"model", "hc0", "hc1", "hc2", "hc3"},
           "of the coefficients: as if the noise of all rows were alike, or robust (a sandwich)");
}

LinearModel::Learned LinearModel::learned(const TriangularSums& sums, const LeastSquares& fit,
                                          std::span<const double> inverse, const LinearTask& task,
                                          const Schema& schema, std::uint64_t hash) {
  Learned result;
  LinearModel& m = result.model;
  const Index d = sums.columns();
  m.coef_ = {{d}, fit.coefficients};
  m.intercept_ = fit.intercept;
  m.has_intercept_ = task.intercept == Intercept::kFree;
  m.prior_ = !task.prior.flat();
  m.sums_ = fit_sums(sums, fit, task.intercept, task.weights);
  m.means_ = {{d}, std::vector<double>(usize(d))};
  m.told_.assign(usize(d), 0);
  const auto finite = [](double v) { return std::isfinite(v); };
  if (!std::isfinite(m.intercept_) || !std::ranges::all_of(fit.coefficients, finite) ||
      !std::isfinite(m.sums_.rss + m.sums_.tss)) {
    throw InputError(Code::kNotFinite, {}, "the coefficients, or squares of residuals, overflow",
                     "Divide the target, or multiply the columns, by a power of ten.");
  }
  if (d <= kMostTold && task.intercept != Intercept::kPenalised) {
    const CoefficientCovariance v(sums, task.intercept, task.prior);
    const Index first = v.size() - d;
    const auto block = [&](std::span<const double> all) {
      Array part{{d, d}, {}};
      for (Index i = 0; i < d; ++i) {
        for (Index j = 0; j < d; ++j) {
          const double value = all[usize((i + first) * v.size() + j + first)];
          part.values.push_back(std::isfinite(value) ? value : 0);
        }
      }
      return part;
    };
    for (Index j = 0; j < d; ++j) m.told_[usize(j)] = v.told(j + first) ? 1 : 0;
    m.inverse_ = block(inverse.empty() ? v.inverse() : inverse);
    if (m.prior_) m.sampling_ = block(v.sandwich());
    if (!std::ranges::all_of(m.inverse_.values, finite)) m.inverse_ = m.sampling_ = {};
    for (Index j = 0; j < d && m.has_intercept_; ++j) {
      m.means_.values[usize(j)] = v.frame().shift[usize(j)] + v.offset()[usize(j)];
    }
  }
  FitReport& report = result.report;
  report.converged = true;
  report.objective = -(fit.residual + fit.penalty) / sums.weight();
  report.trace = {report.objective};
  report.notes = notes_on(fit, sums, task, schema);
  report.data_hash = hash_text(hash);
  result.memory = {{"sums", "a triangular factor of the sums over rows", sums.to_array()}};
  return result;
}

LinearModel::Summed LinearModel::sum_rows(Source& x, Intercept intercept, const Exec& exec) {
  check_some(x);
  check_sums_fit(x);
  RegressionColumns columns = check_regression(x, exec);
  check_sizes(columns, intercept == Intercept::kFree, x);
  TriangularSums sums = sum_triangles(x, columns, exec);
  return {std::move(columns), std::move(sums)};
}

LinearModel::Learned LinearModel::learn(const Summed& summed, Source& x, const LinearTask& task,
                                        const Exec& exec) {
  const TriangularSums& sums = summed.sums;
  const double numbers = static_cast<double>(x.shape().rows) * static_cast<double>(x.shape().cols);
  LeastSquares fit = solve(sums, task.intercept, task.prior);
  std::vector<double> inverse;
  if (task.precise) {
    if (auto found = solve_precisely(x, summed.columns, task.intercept, task.prior, exec)) {
      fit = std::move(found->fit);
      inverse = std::move(found->inverse);
    }
  } else if (numbers <= kFewNumbers) {
    fit = refined(x, sums, task.intercept, task.prior, std::move(fit), exec);
  }
  Learned result = learned(sums, fit, inverse, task, x.schema(), summed.columns.hash());
  if (task.errors != ErrorsOf::kModel) result.model.set_robust(x, sums, fit, task, exec);
  return result;
}

void LinearModel::set_robust(Source& x, const TriangularSums& sums, const LeastSquares& fit,
                             const LinearTask& task, const Exec& exec) {
  if (inverse_.empty()) {
    throw InputError(
        Code::kUnsupported, {.file = x.name()},
        {"robust errors of {} coefficients{} are not to be had", columns(),
         task.intercept == Intercept::kPenalised ? ", with an intercept that the prior pulls,"
                                                 : ""},
        {"Leave {} out.", Ref::option("errors")});
  }
  errors_ = task.errors;
  const CoefficientCovariance v(sums, task.intercept, task.prior);
  const auto kind = static_cast<Robust>(static_cast<int>(task.errors) - 1);
  robust_ = {{v.size(), v.size()},
             robust_covariance(x, fit, v, fit_statistics(sums_), task.weights, kind, exec,
                               CoefficientCovariance::At::kMeans)};
  for (double& value : robust_.values) value = std::isfinite(value) ? value : 0;  // not told
}

LinearModel::Learned LinearModel::learn_on(std::span<const Parameter> memory,
                                           const FitReport& so_far, Index columns, Source& x,
                                           const LinearTask& task, const Exec& exec) {
  check_summed_errors(task);
  TriangularSums sums = sums_so_far(memory, columns);
  const Summed more = sum_rows(x, task.intercept, exec);
  sums.merge(more.sums);
  return learned(sums, solve(sums, task.intercept, task.prior), {}, task, x.schema(),
                 hash_number(so_far.data_hash) + more.columns.hash());
}

LinearModel::Learned LinearModel::learn_merged(std::span<const Parameter> a,
                                               std::span<const Parameter> b,
                                               const FitReport& report_a, const FitReport& report_b,
                                               Index columns, const LinearTask& task) {
  check_summed_errors(task);
  TriangularSums sums = sums_so_far(a, columns);
  sums.merge(sums_so_far(b, columns));
  return learned(sums, solve(sums, task.intercept, task.prior), {}, task, numbered_schema(columns),
                 hash_number(report_a.data_hash) + hash_number(report_b.data_hash));
}

FitStatistics LinearModel::summary() const { return fit_statistics(sums_); }

double LinearModel::leverage_at(const double* row) const {
  const Index d = columns();
  double variance = has_intercept_ ? 1 / sums_.weight : 0;
  for (Index i = 0; i < d; ++i) {
    double sum = 0;
    for (Index j = 0; j < d; ++j) {
      sum += inverse_.values[usize(i * d + j)] * (row[j] - means_.values[usize(j)]);
    }
    variance += sum * (row[i] - means_.values[usize(i)]);
  }
  return std::max(variance, 0.0);
}

double LinearModel::variance_at(const double* row, double sigma) const {
  if (robust_.empty()) return sigma * sigma * leverage_at(row);
  const Index d = columns(), first = has_intercept_ ? 1 : 0, size = d + first;
  const auto z = [&](Index i) {
    return i < first ? 1 : row[i - first] - means_.values[usize(i - first)];
  };
  double variance = 0;
  for (Index i = 0; i < size; ++i) {
    double sum = 0;
    for (Index j = 0; j < size; ++j) sum += robust_.values[usize(i * size + j)] * z(j);
    variance += sum * z(i);
  }
  return std::max(variance, 0.0);
}

std::optional<CoefficientTable> LinearModel::inference(double level) const {
  if (inverse_.empty()) return {};
  const FitStatistics s = summary();
  const Index d = columns(), first = has_intercept_ ? 1 : 0, size = d + first;
  const auto variance_of = [&](Index j) {
    if (told_[usize(j)] != 1 || !(s.degrees > 0)) return kInfinite;
    if (robust_.empty()) return s.sigma * s.sigma * inverse_.values[usize(j * d + j)];
    return robust_.values[usize((j + first) * size + j + first)];
  };
  std::vector<double> estimate(coef().begin(), coef().end()), covariance(usize(size * size));
  if (has_intercept_) {
    estimate.insert(estimate.begin(), intercept_);
    const std::vector<double> zero(usize(d));
    bool told = true;
    for (Index j = 0; j < d; ++j) {
      told = told && (told_[usize(j)] == 1 || means_.values[usize(j)] == 0);
    }
    covariance[0] = told && s.degrees > 0 ? variance_at(zero.data(), s.sigma) : kInfinite;
  }
  for (Index j = 0; j < d; ++j) {
    covariance[usize((j + first) * size + j + first)] = variance_of(j);
  }
  return coefficient_table(std::move(estimate), covariance, s.degrees, level);
}

std::optional<WaldTest> LinearModel::joint_test() const {
  const Index d = columns(), first = has_intercept_ ? 1 : 0, size = d + first;
  const bool all_told = std::ranges::all_of(told_, [](std::int32_t told) { return told == 1; });
  if (robust_.empty() || !all_told || !(summary().degrees > 0)) return {};
  std::vector<double> covariance, each(usize(d * d)), zero(usize(d));
  for (Index i = 0; i < d; ++i) {
    const double* const row = robust_.values.data() + (i + first) * size + first;
    covariance.insert(covariance.end(), row, row + d);
    each[usize(i * d + i)] = 1;
  }
  try {
    return wald_test(coef(), covariance, each, zero, summary().degrees);
  } catch (const InputError&) {  // the rows tell less than so many coefficients
    return {};
  }
}

// In the order of the columns, whether the row is dense or sparse: a zero adds nothing.
void LinearModel::predict_numbers(Source& x, std::span<double> out, const Exec& exec) const {
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

double LinearModel::predict_number_row(const double* row, double*) const {
  double sum = 0;
  for (Index j = 0; j < columns(); ++j) sum += coef_.values[usize(j)] * row[j];
  const double number = sum + intercept_;
  return std::isfinite(number) ? number : std::numeric_limits<double>::quiet_NaN();
}

LinearForm LinearModel::linear_form() const {
  return {.coef = {{1, columns()}, coef_.values}, .intercept = {{1}, {intercept_}}};
}

void LinearModel::intervals(Source& x, double level, ResultTable& rows, const Exec& exec) const {
  check_columns(x, columns());
  const FitStatistics s = summary();
  if (inverse_.empty() || !(s.degrees > 0)) {
    throw InputError(Code::kNotAble, {},
                     inverse_.empty()
                         ? "the covariance of the coefficients is not known"
                         : "as many coefficients as rows leave nothing to tell the noise by",
                     inverse_.empty() ? "Fit at most 1000 columns, and leave the intercept free."
                                      : "Fit more rows, or fewer columns.");
  }
  const std::size_t n = usize(x.shape().rows);
  std::vector<double> numbers(n), low(n), high(n), mean_low(n), mean_high(n);
  predict_numbers(x, numbers, exec);
  const double wide = t_quantile(level, s.degrees);
  for_rows(x, exec, [&](const Chunk& chunk) {
    std::vector<double> row(usize(columns()));
    for (Index i = 0; i < chunk.rows(); ++i) {
      std::visit([&](const auto& view) { copy_row(view, i, row.data()); }, chunk.x);
      const std::size_t at = usize(chunk.first_row + i);
      const double variance = variance_at(row.data(), s.sigma);
      const double of_mean = wide * std::sqrt(variance);
      const double of_one = wide * std::sqrt(s.sigma * s.sigma + variance);
      low[at] = numbers[at] - of_one;
      high[at] = numbers[at] + of_one;
      mean_low[at] = numbers[at] - of_mean;
      mean_high[at] = numbers[at] + of_mean;
    }
  });
  rows.add_numbers("prediction", std::move(numbers));
  const auto add = [&](const char* name, std::vector<double> values) {
    for (double& v : values) v = finite_or_none(v);  // none: too far away
    rows.add_numbers(name, std::move(values)).lacks = true;
  };
  add("low", std::move(low));
  add("high", std::move(high));
  add("mean_low", std::move(mean_low));
  add("mean_high", std::move(mean_high));
}

void LinearModel::diagnose(Source& x, ResultTable& rows, const Exec& exec) const {
  const std::size_t n = usize(x.shape().rows);
  const FitStatistics s = summary();
  const double unit = s.parameters * s.sigma * s.sigma;
  std::vector<double> leverage(n, std::nan("")), residual = leverage, distance = leverage;
  for_rows(x, exec, [&](const Chunk& chunk) {
    std::vector<double> row(usize(columns()));
    for (Index i = 0; i < chunk.rows(); ++i) {
      std::visit([&](const auto& view) { copy_row(view, i, row.data()); }, chunk.x);
      const std::size_t at = usize(chunk.first_row + i);
      double h = std::nan("");
      if (!inverse_.empty()) h = leverage[at] = finite_or_none(leverage_at(row.data()));
      if (chunk.targets.empty()) continue;
      const double e = chunk.targets[usize(i)] - predict_number_row(row.data(), nullptr);
      residual[at] = finite_or_none(e);
      distance[at] = finite_or_none(e * e * h / (unit * (1 - h) * (1 - h)));
    }
  });
  const auto add = [&](const char* name, std::vector<double> values) {
    if (std::ranges::all_of(values, [](double v) { return std::isnan(v); })) return;
    rows.add_numbers(name, std::move(values)).lacks = true;  // of rows too far away
  };
  add("residual", std::move(residual));
  add("leverage", std::move(leverage));
  add("cooks_distance", std::move(distance));
}

void LinearModel::visit_parameters(ParameterVisitor& v) const {
  v.doubles("coef", "the coefficient of each feature", coef_);
  v.number("intercept", "what is added to their sum", intercept_);
  v.doubles("fit_sums",
            "rows, their weight, sum of log weights, parameters, squares of residuals and of "
            "targets, 1 with an intercept, 1 with a prior",
            Array{{8},
                  {sums_.observations, sums_.weight, sums_.log_weight, sums_.parameters, sums_.rss,
                   sums_.tss, has_intercept_ ? 1.0 : 0.0, prior_ ? 1.0 : 0.0}});
  v.doubles("means", "the mean of each feature, or 0 without an intercept", means_);
  v.doubles("told", "1: the rows determine this coefficient",
            Array{{columns()}, {told_.begin(), told_.end()}});
  if (!inverse_.empty()) {
    v.doubles("inverse", "the inverse of the features' products about the means", inverse_);
  }
  if (!sampling_.empty()) {
    v.doubles("sampling", "what samples of rows would vary coefficients with a prior", sampling_);
  }
  if (!robust_.empty()) {
    v.number("errors", "of the robust covariance: 1 to 4 are HC0 to HC3",
             static_cast<double>(errors_));
    v.doubles("robust", "the robust covariance of the number at the means and the coefficients",
              robust_);
  }
}

LinearModel::LinearModel(const ParameterList& parameters) {
  coef_ = parameters.doubles("coef", {-1}).copy();
  intercept_ = parameters.number("intercept");
  const Index d = columns();
  const auto finite = [](double v) { return std::isfinite(v); };
  if (d == 0 || !std::isfinite(intercept_) || !std::ranges::all_of(coef_.values, finite)) {
    fail_parameters("the coefficients are not finite numbers");
  }
  const std::span<const double> s = parameters.doubles("fit_sums", {8}).values;
  sums_ = {s[0], s[1], s[2], s[3], s[4], s[5], s[6] == 1};
  has_intercept_ = s[6] == 1;
  prior_ = s[7] == 1;
  const auto flag = [](double v) { return v == 0 || v == 1; };
  if (!std::ranges::all_of(s, finite) || !(s[0] > 0) || !(s[1] > 0) || s[3] < 0 || s[4] < 0 ||
      s[5] < 0 || !flag(s[6]) || !flag(s[7])) {
    fail_parameters("the sums of the fit make no sense");
  }
  means_ = parameters.doubles("means", {d}).copy();
  const std::span<const double> told = parameters.doubles("told", {d}).values;
  if (parameters.has("inverse")) inverse_ = parameters.doubles("inverse", {d, d}).copy();
  if (parameters.has("sampling")) sampling_ = parameters.doubles("sampling", {d, d}).copy();
  if (parameters.has("robust")) {
    const Index size = d + (has_intercept_ ? 1 : 0);
    const double errors = parameters.number("errors");
    if (!(errors == 1 || errors == 2 || errors == 3 || errors == 4) || inverse_.empty()) {
      fail_parameters("errors are of no kind that is known");
    }
    errors_ = static_cast<ErrorsOf>(static_cast<int>(errors));
    robust_ = parameters.doubles("robust", {size, size}).copy();
  }
  bool sound = std::ranges::all_of(robust_.values, finite) &&
               std::ranges::all_of(means_.values, finite) && std::ranges::all_of(told, flag) &&
               std::ranges::all_of(inverse_.values, finite) &&
               std::ranges::all_of(sampling_.values, finite);
  for (Index j = 0; j < d && !inverse_.empty(); ++j) {
    sound = sound && inverse_.values[usize(j * d + j)] >= 0;
  }
  if (!sound) fail_parameters("what is known of the coefficients makes no sense");
  for (const double one : told) told_.push_back(one == 1);
}

void LinearModel::check_memory(std::span<const Parameter> memory) const {
  remembered_triangle(memory, columns());
}

std::vector<ResultTable> LinearModel::tables(const Schema& schema) const {
  ResultTable table{.name = "coefficients", .title = "coefficients"};
  if (!robust_.empty()) {
    std::string kind(kErrorKinds[static_cast<std::size_t>(errors_)]);
    std::ranges::transform(kind, kind.begin(), [](unsigned char c) { return std::toupper(c); });
    table.title += ", with robust errors (" + kind + ")";
  }
  ResultColumn::Words terms{"(intercept)"};
  ResultColumn::Numbers values{intercept_};
  for (Index j = 0; j < columns(); ++j) {
    terms.push_back(schema.name(j));
    values.push_back(coef_.values[usize(j)]);
  }
  table.add_words("term", std::move(terms));
  table.add_numbers("coefficient", std::move(values));
  const FitStatistics s = summary();
  if (const auto t = inference(kLevel); t && s.degrees > 0) {
    const auto column = [&](const char* name, std::vector<double> numbers) {
      if (!has_intercept_) numbers.insert(numbers.begin(), std::nan(""));
      for (double& v : numbers) v = finite_or_none(v);
      table.add_numbers(name, std::move(numbers)).lacks = true;
    };
    const auto told = [&](std::vector<double> numbers) {  // none where no error is
      for (std::size_t j = 0; j < numbers.size(); ++j) {
        if (!std::isfinite(t->error[j])) numbers[j] = std::nan("");
      }
      return numbers;
    };
    column("error", t->error);
    if (!prior_) {
      column("t", told(t->statistic));
      column("p", told(t->p_value));
    }
    column("from 95%", t->low);
    column("to", t->high);
  }
  ResultTable fit{.name = "fit", .title = "fit"};
  ResultColumn::Words names;
  ResultColumn::Numbers numbers;
  const auto add = [&](const char* name, double value) {
    names.push_back(name);
    numbers.push_back(finite_or_none(value));
  };
  add("observations", s.observations);
  add("parameters", s.parameters);
  add("degrees of freedom", s.degrees);
  add("residual standard error", s.sigma);
  add("R2", s.r2);
  add("adjusted R2", s.adjusted_r2);
  if (const auto joint = joint_test()) {
    add("F (Wald)", joint->f);
    add("p of F", joint->p_value);
  } else if (!prior_ && robust_.empty()) {
    add("F", s.f);
    add("p of F", s.f_p_value);
  }
  add("log-likelihood", s.log_likelihood);
  add("AIC", s.aic);
  add("BIC", s.bic);
  fit.add_words("statistic", std::move(names));
  fit.add_numbers("value", std::move(numbers)).lacks = true;
  return {table, fit};
}

// b . (x - c) / s + a = (b / s) . x + a - (b / s) . c; means are s m + c, and errors follow.
std::optional<std::vector<ResultTable>> LinearModel::tables_before(const Schema& schema,
                                                                   const Affine& scaled) const {
  LinearModel given = *this;
  const Index d = columns();
  bool finite = true;
  for (Index j = 0; j < d; ++j) {
    double& b = given.coef_.values[usize(j)];
    const double scale = scaled.scale_of(j), centre = scaled.centre_of(j);
    b /= scale;
    given.intercept_ -= b * centre;
    given.means_.values[usize(j)] = has_intercept_ ? scale * means_.values[usize(j)] + centre : 0;
    finite = finite && std::isfinite(b) && std::isfinite(given.intercept_);
    for (Array* const m : {&given.inverse_, &given.sampling_, &given.robust_}) {
      const Index size = m->empty() ? 0 : m->rows(), at = j + size - d;
      for (Index i = 0; i < size; ++i) {
        m->values[usize(i * size + at)] /= scale;
        m->values[usize(at * size + i)] /= scale;
      }
    }
  }
  if (!finite) return std::nullopt;
  return given.tables(schema);
}

}  // namespace craton
