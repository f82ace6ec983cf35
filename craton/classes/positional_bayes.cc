#include "craton/classes/positional_bayes.h"

#include <algorithm>
#include <cmath>

#include "craton/core/columns.h"
#include "craton/core/error.h"

namespace craton {
namespace {

// One row a class.
Array flat(const Array& table) {
  return {{table.shape[0], table.shape[1] * table.shape[2]}, table.values};
}

}  // namespace

PositionalNB::PositionalNB(Array class_log_prior, Array word_log_prob, Index positions,
                           Vocabulary vocabulary)
    : class_log_prior_(std::move(class_log_prior)),
      word_log_prob_(std::move(word_log_prob)),
      positions_(positions),
      vocabulary_(std::move(vocabulary)),
      scores_(CountScores::of_counts(class_log_prior_.values, flat(word_log_prob_))) {}

template <class F>
auto PositionalNB::with_rule(Source& x, const F& f) const {
  check_columns(x, columns());
  const auto joint = [&](const Chunk& chunk, std::span<double> out) {
    check_not_infinite(chunk, x);
    const CountedWords counted(chunk, vocabulary_, layout());
    scores_.find(counted.chunk(), out);
  };
  return f(BayesRule(class_log_prior_.values, joint));
}

void PositionalNB::predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const {
  with_rule(x, [&](const BayesRule& rule) { rule.predict(x, labels, exec); });
}

void PositionalNB::predict_log_proba(Source& x, std::span<double> out, const Exec& exec) const {
  with_rule(x, [&](const BayesRule& rule) { rule.predict_log_proba(x, out, exec); });
}

double PositionalNB::score(Source& x, const Exec& exec) const {
  return with_rule(x, [&](const BayesRule& rule) { return rule.score(x, exec); }).accuracy;
}

std::vector<Measure> PositionalNB::measures(Source& x, const Exec& exec) const {
  return with_rule(x, [&](const BayesRule& rule) { return rule.score(x, exec); }).measures();
}

Index PositionalNB::free_parameters(const Options& options) const {
  const bool prior = options.prior.fit_prior && options.prior.class_prior.empty();
  return classes() * word_log_prob_.shape[1] * (words() - 1) + (prior ? classes() - 1 : 0);
}

std::vector<Parameter> PositionalNB::parameters() const {
  std::vector<Parameter> result{
      {"class_log_prior", "log probability of each class", class_log_prior_},
      {"word_log_prob", "log probability of each word, in each class and at each position",
       word_log_prob_},
      {"positions", "number of positions", {{1}, {static_cast<double>(positions_)}}}};
  if (!vocabulary_.words().empty()) {
    result.push_back(
        {"word_of_level", "the word of each level of each position", vocabulary_.words()});
  }
  return result;
}

PositionalNB PositionalNB::from_parameters(std::span<const Parameter> parameters) {
  const Array& prior = get_parameter(parameters, "class_log_prior", std::array<Index, 1>{-1});
  const Array& table =
      get_parameter(parameters, "word_log_prob", std::array<Index, 3>{prior.rows(), -1, -1});
  const double positions =
      get_parameter(parameters, "positions", std::array<Index, 1>{1}).values[0];
  check_log_prior(prior.values);
  if (table.empty()) fail_parameters("there are no words");
  for (const double v : table.values) {
    if (!(v <= 0)) fail_parameters("a log probability of a word is not one");
  }
  const double tables = static_cast<double>(table.shape[1]);
  constexpr double kMost = 2147483648.0;
  const bool fine = positions >= 1 && positions < kMost && positions == std::floor(positions) &&
                    (tables == 1 || tables == positions);
  if (!fine) fail_parameters("the number of positions is none");
  const auto is = [](const Parameter& p) { return p.name == "word_of_level"; };
  if (std::none_of(parameters.begin(), parameters.end(), is)) {
    return PositionalNB(prior, table, static_cast<Index>(positions), {});
  }
  const Array& words = get_parameter(parameters, "word_of_level",
                                     std::array<Index, 2>{static_cast<Index>(positions), -1});
  for (const double v : words.values) {
    const bool word = v >= -1 && v < static_cast<double>(table.shape[2]) && v == std::floor(v);
    if (!word) fail_parameters("the word of a level is none");
  }
  return PositionalNB(prior, table, static_cast<Index>(positions), Vocabulary(words));
}

}  // namespace craton
