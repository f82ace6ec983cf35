#include "craton/density/density.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "craton/base/digits.h"
#include "craton/base/error.h"
#include "craton/density/density_passes.h"
#include "craton/engine/for_each.h"
#include "craton/model/registered_model.h"
#include "craton/tables/columns.h"

namespace craton {
namespace {

// Beyond this many levels a column of codes is a mistake.
constexpr double kMostLevels = 1 << 16;

[[noreturn]] void fail_constant(const Source& x, Index column, double value, bool kernels) {
  const Message leave = "Leave the column out, or name a family of counts if it is one.";
  throw InputError(
      Code::kNoSpread, {.file = x.name(), .column = x.schema().name(column)},
      fmt::format("the value is {} in every row (or there is 1 sample only), so a density does "
                  "not exist",
                  value),
      kernels ? Message{"Leave the column out, or give {}.", Ref::option("bandwidth", 1)} : leave);
}

// Rules for bandwidths take weights as copies of rows.
void check_some_weight(double weight, const Estimation& how) {
  if (weight > 1 || how.knows(0)) return;
  throw InputError(
      Code::kTooFewRows, {},
      fmt::format("rows of weight {:g} do not tell how wide kernels should be", weight),
      {"Give more rows, or {}.", Ref::option("bandwidth", 1)});
}

void check_estimate(const Source& x, Index column, const Candidate& c) {
  if (!c.family->info().keeps_values || c.family->valid(c.parameters)) return;
  throw InputError(Code::kNotFinite, {.file = x.name(), .column = x.schema().name(column)},
                   "the values lie too far apart, or too near, for any bandwidth",
                   "Multiply or divide the column by a power of ten.");
}

// What each column may be, before it is fitted.
std::vector<Candidate> candidates_of(Source& x, const Exec& exec, Index column,
                                     const Extent& extent, const Density::Options& options) {
  const bool constant = extent.low == extent.high;
  std::vector<Candidate> result;
  if (options.family == Density::Choice::kAuto) {
    if (constant) fail_constant(x, column, extent.low, false);
    for (const Family* family : comparable_families(extent)) {
      result.push_back({.family = family, .free_parameters = family->free_parameters()});
    }
    return result;
  }
  const Family& family = *families()[static_cast<std::size_t>(options.family) - 1];
  const Support support = family.info().support;
  double most = INFINITY;
  if (family.info().told > 0) most = static_cast<double>(options.trials);
  if (support == Support::kCategory) most = kMostLevels - 1;
  if (!holds(support, extent) || extent.high > most) {
    fail_outside(x, exec, column, family, most, extent);
  }
  const bool counted =
      support == Support::kCounts || support == Support::kBinary || support == Support::kCategory;
  const bool kernels = family.info().keeps_values;
  const bool given = kernels && options.bandwidth.rule == BandwidthRule::kNumber;
  if (constant && !counted && !given) fail_constant(x, column, extent.low, kernels);
  Candidate candidate{.family = &family};
  if (support == Support::kCategory) {
    candidate.parameters.resize(static_cast<std::size_t>(extent.high) + 1);
  }
  candidate.free_parameters = family.free_parameters(levels_of(candidate));
  return {candidate};
}

}  // namespace

void describe(OptionVisitor& v, Density::Options& o) {
  v.choice("family", o.family,
           {"auto", "gaussian", "laplace", "student-t", "uniform", "von-mises", "exponential",
            "gamma", "lognormal", "weibull", "beta", "bernoulli", "binomial", "poisson",
            "geometric", "negative-binomial", "categorical", "kde"},
           "the family of every column; auto: the best of those that hold its values");
  v.choice("criterion", o.criterion, {"bic", "aic"}, "what the best family has the least of");
  v.integer("trials", o.trials, 0, Index{1} << 53, "number of trials of the binomial family");
  describe(v, o.bandwidth);
}

Fit<Density> Density::fit(Source& x, const Options& options, const Exec& exec) {
  Options checked = options;
  check_options([&](OptionVisitor& v) { describe(v, checked); });
  if (options.family == Choice::kBinomial && options.trials == 0) {
    throw InputError(
        Code::kBadOption, {},
        {"{} is not allowed with {}", Ref::option("trials", 0), Ref::option("family", "binomial")},
        "Give the number of trials: the data do not have it.");
  }
  const ColumnStatistics table = check_table(x, exec);
  const Index d = x.shape().cols;
  const std::vector<Extent> extents = find_extents(x, exec);
  Columns columns;
  for (Index j = 0; j < d; ++j) {
    columns.push_back(candidates_of(x, exec, j, extents[usize(j)], options));
  }
  const std::vector<Statistics> seen = find_statistics(columns, x, exec);
  Estimation how;
  if (options.family == Choice::kBinomial) how.known = {static_cast<double>(options.trials)};
  FitReport report;
  how.notes = &report.notes;
  how.bandwidth = options.bandwidth.rule;
  if (options.family == Choice::kKde) {
    if (how.bandwidth == BandwidthRule::kNumber) how.known = {options.bandwidth.number};
    check_some_weight(table.weight(), how);
  }
  auto statistics = seen.begin();
  for (std::size_t j = 0; j < columns.size(); ++j) {
    for (Candidate& c : columns[j]) {
      c.weight = weight(*statistics);
      const std::size_t notes = report.notes.size();
      c.parameters = c.family->estimate(*statistics++, how);
      const Ref name = Ref::column(x.schema().name(static_cast<Index>(j)));
      name_notes(std::span(report.notes).subspan(notes), name);
      check_estimate(x, static_cast<Index>(j), c);
    }
  }
  const std::vector<double> likelihoods = find_likelihoods(columns, x, exec);
  auto sum = likelihoods.begin();
  for (auto& candidates : columns) {
    for (Candidate& c : candidates) c.log_likelihood = *sum++;
  }

  for (auto& candidates : columns) {
    // A family that rounding has driven to density 0 for some row is out, if another is left.
    const auto impossible = [](const Candidate& c) { return !std::isfinite(c.log_likelihood); };
    if (!std::ranges::all_of(candidates, impossible)) std::erase_if(candidates, impossible);
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](const Candidate& a, const Candidate& b) {
                       return a.value(options.criterion) < b.value(options.criterion);
                     });
  }
  Density model(std::move(columns));
  report.iterations = 1;
  report.converged = true;
  for (const Candidate& c : model.chosen_) report.objective += c.log_likelihood / c.weight;
  report.trace = {report.objective};
  report.data_hash = table.data_hash();
  return {std::move(model), std::move(report)};
}

Density::Density(Columns compared) : compared_(std::move(compared)) {
  for (const auto& candidates : compared_) chosen_.push_back(candidates.front());
  for (const Candidate& c : chosen_) lines_.push_back(kernel_line(*c.family, c.parameters));
}

double Density::score_row(const double* row, double*) const {
  double sum = 0;
  for (std::size_t j = 0; j < chosen_.size(); ++j) {
    const Candidate& c = chosen_[j];
    // The logarithms of all categories would be taken for one: not here.
    const bool fine = std::isfinite(row[j]) && c.family->info().support != Support::kCategory;
    if (!fine) return NAN;
    double part = 0;
    log_density(*c.family, lines_[j].get(), c.parameters, {row + j, 1}, {&part, 1});
    sum += part;
  }
  return sum;
}

void Density::score_samples(Source& x, std::span<double> log_density, const Exec& exec) const {
  check_columns(x, columns());
  for_rows(x, exec, [&](const Chunk& chunk) {
    check_finite(chunk, x);
    const std::span<double> out = log_density.subspan(usize(chunk.first_row), usize(chunk.rows()));
    std::vector<double> column, part(out.size());
    std::fill(out.begin(), out.end(), 0.0);
    for (Index j = 0; j < columns(); ++j) {
      const Candidate& c = chosen_[usize(j)];
      copy_column(chunk.x, j, column);
      craton::log_density(*c.family, lines_[usize(j)].get(), c.parameters, column, part);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] += part[i];
    }
  });
}

void Density::contributions(const Chunk& chunk, Index row, Index, std::span<double> out) const {
  std::vector<double> values(usize(columns()));
  std::visit([&](const auto& x) { copy_row(x, row, values.data()); }, chunk.x);
  out[0] = 0;
  for (std::size_t j = 0; j < chosen_.size(); ++j) {
    log_density(*chosen_[j].family, lines_[j].get(), chosen_[j].parameters, {&values[j], 1},
                out.subspan(j + 1, 1));
  }
}

double Density::score(Source& x, const Exec& exec) const {
  check_columns(x, columns());
  const double weight = check_table(x, exec).weight();
  Columns chosen;
  for (const Candidate& c : chosen_) chosen.push_back({c});
  double sum = 0;
  for (const double column : find_likelihoods(chosen, x, exec)) sum += column / weight;
  return sum;
}

Sample Density::sample(Index rows, std::uint64_t seed) const {
  const std::size_t d = chosen_.size();
  Sample sample{{{rows, columns()}, std::vector<double>(usize(rows) * d)},
                std::vector<std::int32_t>(usize(rows))};
  for (Index i = 0; i < rows; ++i) {
    Random random(seed, Purpose::kSample, 0, static_cast<std::uint64_t>(i));
    for (std::size_t j = 0; j < d; ++j) {
      double* value = &sample.x.values[usize(i) * d + j];
      if (lines_[j] != nullptr) {
        *value = lines_[j]->sample(random);
      } else {
        chosen_[j].family->sample(chosen_[j].parameters, random, std::span(value, 1));
      }
    }
  }
  return sample;
}

Index Density::free_parameters(const Options&) const {
  Index sum = 0;
  for (const Candidate& c : chosen_) sum += c.free_parameters;
  return sum;
}

bool Density::counts_parameters() const {
  return std::ranges::none_of(chosen_,
                              [](const Candidate& c) { return c.family->info().keeps_values; });
}

// What a density learned, as arrays for model files and as tables for people.

namespace {

double place_of(const Family* family) {
  const auto all = families();
  return static_cast<double>(std::find(all.begin(), all.end(), family) - all.begin());
}

// A whole number in [low, high], or the file is damaged.
Index whole(double value, double low, double high, const char* what) {
  if (value == std::floor(value) && value >= low && value <= high) return static_cast<Index>(value);
  fail_parameters(fmt::format("{} is not a whole number from {} to {}", what, low, high));
}

std::string with_error(double value, double error) {
  if (!std::isfinite(error)) return shown_beside(value, 0, 6);
  return fmt::format("{} ({})", shown_beside(value, error, 4), shown_beside(error, 0, 2));
}

}  // namespace

// Every candidate of every column, the best first: its column, family, number of parameters,
// log-likelihood and weight; and the parameters of all, one after the other.
void Density::visit_parameters(ParameterVisitor& v) const {
  Array candidates, values;
  for (std::size_t j = 0; j < compared_.size(); ++j) {
    for (const Candidate& c : compared_[j]) {
      const auto count = static_cast<double>(c.parameters.size());
      candidates.values.insert(candidates.values.end(), {static_cast<double>(j), place_of(c.family),
                                                         count, c.log_likelihood, c.weight});
      values.values.insert(values.values.end(), c.parameters.begin(), c.parameters.end());
    }
  }
  candidates.shape = {std::ssize(candidates.values) / 5, 5};
  values.shape = {std::ssize(values.values)};
  v.doubles("candidates",
            "what was compared, the best of each column first: its column, the place of its "
            "family, the number of its parameters, log-likelihood, weight of the rows",
            std::move(candidates));
  v.doubles("values", "the parameters of the candidates, one after the other", std::move(values));
}

Density Density::from_parameters(const ParameterList& parameters) {
  const ArrayView rows = parameters.doubles("candidates", {-1, 5});
  const ArrayView values = parameters.doubles("values", {-1});
  if (rows.empty()) fail_parameters("there are no columns");
  std::vector<std::vector<Candidate>> compared;
  std::size_t at = 0;
  for (Index i = 0; i < rows.rows(); ++i) {
    const double* row = rows.view().row(i);
    const auto last = static_cast<double>(compared.size());
    const Index column = whole(row[0], std::max(last - 1, 0.0), last, "the column of a candidate");
    if (column == std::ssize(compared)) compared.emplace_back();
    const auto all = families();
    const Family& family =
        *all[usize(whole(row[1], 0, static_cast<double>(all.size() - 1), "a family"))];
    const auto left = static_cast<double>(values.values.size() - at);
    const std::size_t count = usize(whole(row[2], 0, left, "a number of parameters"));
    const Parameters theta(values.values.begin() + static_cast<std::ptrdiff_t>(at),
                           values.values.begin() + static_cast<std::ptrdiff_t>(at + count));
    at += count;
    if (!family.valid(theta) || !within_reach(family, theta)) {
      fail_parameters(fmt::format("the parameters of a {} family are not valid", family.name()));
    }
    if (!std::isfinite(row[3]) || !(row[4] > 0 && std::isfinite(row[4]))) {
      fail_parameters("a log-likelihood or a weight makes no sense");
    }
    compared.back().push_back(
        {&family, theta, row[3], row[4], family.free_parameters(std::ssize(theta))});
  }
  if (at != values.values.size()) fail_parameters("there are more values than parameters");
  return Density(std::move(compared));
}

namespace {

// The families of columns that had several to choose from.
ResultTable compared_table(const std::vector<std::vector<Candidate>>& compared,
                           const Schema& schema) {
  ResultColumn::Words names, families;
  ResultColumn::Numbers log_likelihoods, parameters, bics, aics;
  for (std::size_t j = 0; j < compared.size(); ++j) {
    if (compared[j].size() < 2) continue;
    for (const Candidate& c : compared[j]) {
      names.push_back(schema.name(static_cast<Index>(j)));
      families.emplace_back(c.family->name());
      log_likelihoods.push_back(c.log_likelihood);
      parameters.push_back(static_cast<double>(c.free_parameters));
      bics.push_back(c.bic());
      aics.push_back(c.aic());
    }
  }
  ResultTable table{"compared", "compared"};
  table.add_words("column", std::move(names));
  table.add_words("family", std::move(families));
  table.add_numbers("log-likelihood", std::move(log_likelihoods));
  table.add_numbers("parameters", std::move(parameters), {0, Digits::Form::kDecimals});
  table.add_numbers("BIC", std::move(bics));
  table.add_numbers("AIC", std::move(aics));
  return table;
}

}  // namespace

std::vector<ResultTable> Density::tables(const Schema& schema) const {
  ResultColumn::Words names, families, parameters;
  for (Index j = 0; j < columns(); ++j) {
    const Candidate& c = column(j);
    const std::vector<NamedNumber> summary = c.family->summary(c.parameters);
    const Parameters errors = c.family->standard_errors(c.parameters, c.weight);
    std::string text;
    for (std::size_t i = 0; i < summary.size(); ++i) {
      text +=
          (i == 0 ? "" : ", ") + summary[i].name + " " + with_error(summary[i].value, errors[i]);
    }
    names.push_back(schema.name(j));
    families.emplace_back(c.family->name());
    parameters.push_back(std::move(text));
  }
  ResultTable fits{"families", "families (standard errors)"};
  fits.add_words("column", std::move(names));
  fits.add_words("family", std::move(families));
  fits.add_words("parameters", std::move(parameters));
  ResultTable compared = compared_table(compared_, schema);
  if (compared.rows() == 0) return {fits};
  return {fits, compared};
}

// Every parameter, a row each.
std::vector<ResultTable> Density::more_tables(const Schema& schema) const {
  ResultColumn::Words names, families, parameters;
  ResultColumn::Numbers values, errors;
  for (Index j = 0; j < columns(); ++j) {
    const Candidate& c = column(j);
    const std::vector<NamedNumber> summary = c.family->summary(c.parameters);
    const Parameters of_error = c.family->standard_errors(c.parameters, c.weight);
    for (std::size_t i = 0; i < summary.size(); ++i) {
      names.push_back(schema.name(j));
      families.emplace_back(c.family->name());
      parameters.push_back(summary[i].name);
      values.push_back(summary[i].value);
      errors.push_back(std::isfinite(of_error[i]) ? of_error[i] : NAN);
    }
  }
  ResultTable table{"parameters", "parameters (standard errors)"};
  table.add_words("column", std::move(names));
  table.add_words("family", std::move(families));
  table.add_words("parameter", std::move(parameters));
  table.add_numbers("value", std::move(values), {.count = 4});
  table.add_numbers("standard error", std::move(errors), {.count = 2}).deviation = true;
  return {table};
}

const Usage Density::kUsage{
    .example = "examples/data/islands.csv --family gaussian -o islands.craton",
    .python = R"(
>>> from craton import Density
>>> X = [[0.3], [1.2], [0.7], [2.9], [0.1], [1.6]]
>>> model = Density(family="exponential").fit(X)
>>> model.families_
['exponential']
>>> {name: round(value, 4) for name, value in model.estimates_[0].items()}
{'rate': 0.8824}
)",
    .positional = 1};

template ModelInfo registered<Density>();

}  // namespace craton
