#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "craton/core/digits.h"
#include "craton/core/error.h"
#include "craton/density/density.h"

// What a density learned, as arrays for model files and as tables for people.

namespace craton {
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
std::vector<Parameter> Density::parameters() const {
  Parameter candidates{
      "candidates",
      "what was compared, the best of each column first: its column, the place of "
      "its family, the number of its parameters, log-likelihood, weight of the rows",
      {}};
  Parameter values{"values", "the parameters of the candidates, one after the other", {}};
  for (std::size_t j = 0; j < compared_.size(); ++j) {
    for (const Candidate& c : compared_[j]) {
      const auto count = static_cast<double>(c.parameters.size());
      candidates.value.values.insert(
          candidates.value.values.end(),
          {static_cast<double>(j), place_of(c.family), count, c.log_likelihood, c.weight});
      values.value.values.insert(values.value.values.end(), c.parameters.begin(),
                                 c.parameters.end());
    }
  }
  candidates.value.shape = {std::ssize(candidates.value.values) / 5, 5};
  values.value.shape = {std::ssize(values.value.values)};
  return {candidates, values};
}

Density Density::from_parameters(std::span<const Parameter> parameters) {
  const Array& rows = get_parameter(parameters, "candidates", std::array<Index, 2>{-1, 5});
  const Array& values = get_parameter(parameters, "values", std::array<Index, 1>{-1});
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

std::vector<SummaryTable> Density::summary(const Schema& schema) const {
  SummaryTable fits{"families (standard errors)", {"column", "family", "parameters"}, {}};
  for (Index j = 0; j < columns(); ++j) {
    const Candidate& c = column(j);
    const std::vector<std::string> names = c.family->parameter_names(std::ssize(c.parameters));
    const Parameters errors = c.family->standard_errors(c.parameters, c.weight);
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
      text += (i == 0 ? "" : ", ") + names[i] + " " + with_error(c.parameters[i], errors[i]);
    }
    fits.rows.push_back({schema.name(j), std::string(c.family->name()), text});
  }
  SummaryTable compared{
      "compared", {"column", "family", "log-likelihood", "parameters", "BIC", "AIC"}, {}};
  for (std::size_t j = 0; j < compared_.size(); ++j) {
    if (compared_[j].size() < 2) continue;
    for (const Candidate& c : compared_[j]) {
      compared.rows.push_back({schema.name(static_cast<Index>(j)), std::string(c.family->name()),
                               fmt::format("{:.6g}", c.log_likelihood),
                               std::to_string(c.free_parameters), fmt::format("{:.6g}", c.bic()),
                               fmt::format("{:.6g}", c.aic())});
    }
  }
  if (compared.rows.empty()) return {fits};
  return {fits, compared};
}

}  // namespace craton
