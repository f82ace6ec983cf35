#include "craton/classes/generative.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "craton/core/columns.h"
#include "craton/core/digits.h"
#include "craton/core/error.h"
#include "craton/core/prepared_model.h"
#include "craton/core/random.h"

namespace craton {
namespace {

// Rows that lie in memory; nobody asks for the names of their columns.
MemorySource source_of(const Matrix& x) {
  return MemorySource({.x = x},
                      {.columns = {}, .target = std::nullopt, .unnamed = shape_of(x).cols});
}

constexpr Exec kHere{.threads = 1};

}  // namespace

template <class F>
auto GenerativeClassifier::with_rule(Source& x, const F& f) const {
  check_columns(x, columns());
  const bool missing = densities_[0]->info().abilities.missing;
  const auto joint = [&](const Chunk& chunk, std::span<double> out) {
    if (missing) {
      check_not_infinite(chunk, x);
    } else {
      check_finite(chunk, x);
    }
    MemorySource rows = source_of(chunk.x);
    const std::size_t k = densities_.size();
    std::vector<double> log_density(usize(chunk.rows()));
    for (std::size_t c = 0; c < k; ++c) {
      densities_[c]->score_samples(rows, log_density, kHere);
      for (std::size_t i = 0; i < log_density.size(); ++i) {
        out[i * k + c] = class_log_prior_.values[c] + log_density[i];
      }
    }
    check_joint(chunk, x, out);
  };
  return f(BayesRule(class_log_prior_.values, joint));
}

void GenerativeClassifier::predict(Source& x, std::span<std::int32_t> labels,
                                   const Exec& exec) const {
  with_rule(x, [&](const BayesRule& rule) { rule.predict(x, labels, exec); });
}

void GenerativeClassifier::predict_log_proba(Source& x, std::span<double> out,
                                             const Exec& exec) const {
  with_rule(x, [&](const BayesRule& rule) { rule.predict_log_proba(x, out, exec); });
}

void GenerativeClassifier::score_samples(Source& x, std::span<double> out, const Exec& exec) const {
  with_rule(x, [&](const BayesRule& rule) { rule.score_samples(x, out, exec); });
}

BayesRule::Score GenerativeClassifier::measure(Source& x, const Exec& exec) const {
  return with_rule(x, [&](const BayesRule& rule) { return rule.score(x, exec); });
}

double GenerativeClassifier::score(Source& x, const Exec& exec) const {
  return measure(x, exec).accuracy;
}

std::vector<Measure> GenerativeClassifier::measures(Source& x, const Exec& exec) const {
  return measure(x, exec).measures();
}

namespace {

// log p of the first j columns of a row, for j = 0, ..., d. What is missing says nothing.
std::vector<double> log_marginals(const AnyModel& density, std::span<const double> values) {
  const Index d = ssize(values);
  std::vector<double> log_p(usize(d + 1));
  if (density.info().abilities.missing) {  // row j has the first j values
    std::vector<double> first(usize((d + 1) * d), std::numeric_limits<double>::quiet_NaN());
    for (Index j = 1; j <= d; ++j) std::copy_n(values.begin(), j, first.begin() + j * d);
    MemorySource rows = source_of(Dense<double>{first.data(), d + 1, d, d});
    density.score_samples(rows, log_p, kHere);
    return log_p;
  }
  // The sum over the components, or over the one that a density without any is, of what each says
  // of the first j.
  const std::size_t k = usize(std::max<Index>(density.classes(), 1)), places = log_p.size();
  std::vector<double> parts(k * places);
  Chunk chunk;
  chunk.x = Dense<double>{values.data(), 1, d, d};
  for (std::size_t c = 0; c < k; ++c) {
    const std::span<double> part(&parts[c * places], places);
    density.contributions(chunk, 0, static_cast<Index>(c), part);
    std::partial_sum(part.begin(), part.end(), part.begin());
  }
  std::vector<double> joint(k);
  for (std::size_t j = 0; j < places; ++j) {
    for (std::size_t c = 0; c < k; ++c) joint[c] = parts[c * places + j];
    log_p[j] = log_sum(joint);
  }
  return log_p;
}

}  // namespace

void GenerativeClassifier::contributions(const Chunk& chunk, Index row, Index label,
                                         std::span<double> out) const {
  std::vector<double> values(usize(columns()));
  std::visit([&](const auto& x) { copy_row(x, row, values.data()); }, chunk.x);
  const AnyModel& density = *densities_[usize(label)];
  // A density that prepares its rows fills in what is missing: what the first columns say is asked
  // of the one that sees prepared rows.
  const Preparation* const preparation = preparation_of(density);
  if (preparation != nullptr) preparation->prepare(values.data(), columns(), values.data());
  const std::vector<double> log_p = log_marginals(plain_model(density), values);
  out[0] = class_log_prior_.values[usize(label)];
  for (std::size_t j = 1; j < log_p.size(); ++j) {
    out[j] = log_p[j] == log_p[j - 1] ? 0 : log_p[j] - log_p[j - 1];  // -inf may stay
    if (preparation != nullptr) out[j] -= std::log(preparation->scale(static_cast<Index>(j) - 1));
  }
}

Sample GenerativeClassifier::sample(Index rows, std::uint64_t seed) const {
  const std::size_t d = usize(columns());
  std::vector<double> prior;
  for (const double v : class_log_prior_.values) prior.push_back(std::exp(v));
  std::vector<std::vector<Index>> of_class(prior.size());
  Sample result{{{rows, columns()}, std::vector<double>(usize(rows) * d)}, {}};
  for (Index i = 0; i < rows; ++i) {
    Random random(seed, Purpose::kSample, 0, static_cast<std::uint64_t>(i));
    result.labels.push_back(static_cast<std::int32_t>(random.categorical(prior)));
    of_class[usize(result.labels.back())].push_back(i);
  }
  for (std::size_t c = 0; c < of_class.size(); ++c) {
    if (of_class[c].empty()) continue;
    const Sample drawn = densities_[c]->sample(ssize(of_class[c]), mix(seed, c + 1));
    for (std::size_t i = 0; i < of_class[c].size(); ++i) {
      std::copy_n(drawn.x.values.begin() + static_cast<Index>(i * d), d,
                  result.x.values.begin() + of_class[c][i] * static_cast<Index>(d));
    }
  }
  return result;
}

// Each class with its probability, then what its density says of itself.
std::vector<SummaryTable> GenerativeClassifier::summary(const Schema& schema) const {
  std::vector<SummaryTable> tables{{"classes", {"class", "probability", "density"}, {}}};
  for (Index c = 0; c < classes(); ++c) {
    const std::string name = label_name(schema, c);
    tables[0].rows.push_back({name, shown_beside(std::exp(class_log_prior_.values[usize(c)]), 0, 4),
                              std::string(density(c).info().name)});
    for (SummaryTable& table : density(c).summary(schema)) {
      table.title = name + ": " + table.title;
      tables.push_back(std::move(table));
    }
  }
  return tables;
}

}  // namespace craton
