#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "craton/classes/class_moments.h"
#include "craton/classes/gaussian_bayes.h"
#include "craton/core/columns.h"
#include "craton/core/error.h"
#include "craton/kernels/special.h"

// From the moments of each class to a model, at once or bit by bit: one pass over the rows.

namespace craton {
namespace {

void check(GaussianNB::Options options, Index columns) {
  check_options([&](OptionVisitor& v) { describe(v, options); });
  const std::vector<double>& given = options.given_variance.values;
  const bool wanted = options.variance == GaussianNB::Variance::kGiven;
  if (wanted == given.empty()) {
    throw InputError(Code::kBadOption, {},
                     wanted ? "variance is 'given', but given_variance is not"
                            : "given_variance is given, but variance is not 'given'",
                     "Give both, or neither.");
  }
  if (wanted && ssize(given) != columns) {
    throw InputError(
        Code::kBadShape, {},
        fmt::format("given_variance has {} values for {} features", given.size(), columns),
        "Give one for each feature, in their order.");
  }
  for (const double v : given) {
    if (std::isnormal(v) && v > 0) continue;
    throw InputError(Code::kBadOption, {}, fmt::format("given_variance has the value {}", v),
                     "A variance is above 0.");
  }
}

ClassMoments remembered(const Fit<GaussianNB>& so_far) {
  std::uint64_t hash = 0;
  const std::string& digits = so_far.report.data_hash;
  std::from_chars(digits.data(), digits.data() + digits.size(), hash, 16);
  return ClassMoments::from(so_far.memory.get(), so_far.model.classes(), so_far.model.columns(),
                            hash);
}

[[noreturn]] void fail_too_wide(const Schema& schema, Index column) {
  throw InputError(Code::kNotFinite, {.column = schema.name(column)},
                   "the values spread so widely that their squares overflow",
                   "Divide the column by a power of ten.");
}

// The moments of every column over all rows, checked.
std::vector<Moments> columns_of(const ClassMoments& moments, const Schema& schema) {
  std::vector<Moments> columns;
  for (Index j = 0; j < moments.columns(); ++j) {
    columns.push_back(moments.of_column(j));
    const Moments& all = columns.back();
    if (all.weight == 0) {
      throw InputError(Code::kNotFinite, {.column = schema.name(j)},
                       "no row that counts has a value: all are missing (NaN)",
                       "Leave the column out.");
    }
    if (all.variance() <= kWidest * kWidest) continue;
    fail_too_wide(schema, j);
  }
  return columns;
}

double largest_variance(std::span<const Moments> columns) {
  double largest = 0;
  for (const Moments& all : columns) largest = std::max(largest, all.variance());
  return largest;
}

// Variances of 0 are not those of a density: what became of them.
void note_constants(const ClassMoments& moments, double epsilon, const Schema& schema,
                    std::vector<Note>& notes) {
  Index columns = 0;
  std::string first;
  for (Index c = 0; c < moments.classes(); ++c) {
    Index constant = 0;
    std::string here;
    for (Index j = 0; j < moments.columns(); ++j) {
      const Moments m = moments.of(c, j);
      if (m.weight == 0 || m.variance() > 0) continue;
      if (constant++ == 0) {
        here = fmt::format("column '{}' in class '{}'", schema.name(j), label_name(schema, c));
      }
    }
    if (constant == moments.columns()) {
      notes.push_back({"one-row-class",
                       fmt::format("the rows of class '{}' are all alike, or it has one only: its "
                                   "variances of 0 became {:.3g} (var_smoothing)",
                                   label_name(schema, c), epsilon)});
    } else if (constant > 0) {
      if (columns == 0) first = here;
      columns += constant;
    }
  }
  if (columns == 0) return;
  notes.push_back(
      {"constant-column",
       fmt::format("{} variance{} of 0 became {:.3g} (var_smoothing): {}{}", columns,
                   columns == 1 ? "" : "s", epsilon, columns == 1 ? "" : "first ", first)});
}

[[noreturn]] void fail_no_spread(const Schema& schema, Index label, Index column) {
  throw InputError(
      Code::kNoSpread, {.column = schema.name(column)},
      fmt::format(
          "all values{} are the same (or there is 1 sample only), so the variance is 0",
          label < 0 ? " of each class" : fmt::format(" of class '{}'", label_name(schema, label))),
      "Give var_smoothing above 0 and a column that varies, variance = shared, or the variances.");
}

}  // namespace

void describe(OptionVisitor& v, GaussianNB::Options& o) {
  v.number("var_smoothing", o.var_smoothing, 0, std::numeric_limits<double>::infinity(),
           "added to every variance: this share of the largest variance of a feature");
  v.choice("variance", o.variance, {"own", "shared", "given"},
           "a variance for each class, one for all of them, or given_variance");
  v.array("given_variance", o.given_variance, "the variance of each feature, if known");
  describe(v, o.prior);
}

Fit<GaussianNB> GaussianNB::estimate(const ClassMoments& moments, const Options& options,
                                     const Schema& schema, std::vector<Note> notes) {
  const Index k = moments.classes(), d = moments.columns();
  const std::vector<Moments> columns = columns_of(moments, schema);
  const bool given = options.variance == Variance::kGiven;
  const double epsilon = given ? 0 : options.var_smoothing * largest_variance(columns);
  Array log_prior{{k}, log_class_prior(options.prior, moments.class_weight())};
  Array theta{{k, d}, std::vector<double>(usize(k * d))}, variances = theta;
  double deviance = 0, weight = 0;
  for (Index j = 0; j < d; ++j) {
    double shared = 0;
    for (Index c = 0; c < k; ++c) {
      const Moments m = moments.of(c, j);
      if (m.weight > 0) shared += m.weight / columns[usize(j)].weight * m.variance();
    }
    for (Index c = 0; c < k; ++c) {
      const Moments own = moments.of(c, j);
      const bool seen = own.weight > 0;  // else the class is as the rows are as a whole
      const Moments& m = seen ? own : columns[usize(j)];
      const std::size_t at = usize(c * d + j);
      theta.values[at] = m.mean();
      variances.values[at] = given ? options.given_variance.values[usize(j)]
                             : options.variance == Variance::kShared ? shared + epsilon
                                                                     : m.variance() + epsilon;
      const double v = variances.values[at];
      if (!std::isfinite(v) || !std::isfinite(theta.values[at])) fail_too_wide(schema, j);
      if (!std::isnormal(v)) {
        fail_no_spread(schema, options.variance == Variance::kShared ? -1 : c, j);
      }
      if (seen) deviance += own.weight * (kLogTwoPi + std::log(v) + own.variance() / v);
    }
  }
  if (options.variance == Variance::kOwn) note_constants(moments, epsilon, schema, notes);
  // The mean of log p(x, c) over the rows, from what was summed.
  double objective = -deviance / 2;
  for (std::size_t c = 0; c < usize(k); ++c) {
    const double w = moments.class_weight()[c];
    weight += w;
    if (w > 0) objective += w * log_prior.values[c];
  }
  FitReport report;
  report.converged = true;
  report.objective = objective / weight;
  report.trace = {report.objective};
  report.notes = std::move(notes);
  report.data_hash = fmt::format("{:016x}", moments.hash());
  return {GaussianNB(std::move(log_prior), std::move(theta), std::move(variances), epsilon),
          std::move(report), moments.arrays()};
}

Fit<GaussianNB> GaussianNB::fit(Source& x, const Options& options, const Exec& exec) {
  check(options, x.shape().cols);
  const ClassMoments moments = fold(x, ClassMoments(x, count_classes(x)), exec);
  std::vector<Note> notes;
  check_classes(x, moments.class_weight(), moments.unlabelled(), notes);
  return estimate(moments, options, x.schema(), std::move(notes));
}

Fit<GaussianNB> GaussianNB::partial_fit(const Fit<GaussianNB>& so_far, Source& x,
                                        const Options& options, const Exec& exec) {
  check(options, x.shape().cols);
  ClassMoments moments = remembered(so_far);
  const ClassMoments more = fold(x, ClassMoments(x, so_far.model.classes()), exec);
  check_more_weight(x, more.class_weight());
  moments.merge(more);
  return estimate(moments, options, x.schema(), {});
}

Fit<GaussianNB> GaussianNB::unlearn(const Fit<GaussianNB>& so_far, Source& x,
                                    const Options& options, const Exec& exec) {
  check(options, x.shape().cols);
  ClassMoments moments = remembered(so_far);
  moments.subtract(fold(x, ClassMoments(x, so_far.model.classes()), exec), x);
  return estimate(moments, options, x.schema(), {});
}

Fit<GaussianNB> GaussianNB::merge(const Fit<GaussianNB>& a, const Fit<GaussianNB>& b,
                                  const Options& options) {
  check(options, a.model.columns());
  ClassMoments moments = remembered(a);
  moments.merge(remembered(b));
  return estimate(moments, options, numbered_schema(a.model.columns()), {});
}

void GaussianNB::check_memory(std::span<const Parameter> memory) const {
  ClassMoments::from(memory, classes(), columns(), 0);
}

}  // namespace craton
