#include "craton/classes/mixture.h"

#include <cmath>
#include <limits>

#include "craton/classes/bayes_rule.h"
#include "craton/core/columns.h"
#include "craton/kernels/special.h"

namespace craton {
namespace {

// Calls f with Bayes' rule for new rows.
template <class F>
void with_rule(const ClassProduct& product, Source& x, const F& f) {
  check_columns(x, product.columns());
  const auto joint = [&](const Chunk& chunk, std::span<double> out) {
    check_not_infinite(chunk, x);
    product.joint(chunk, out);
    check_joint(chunk, x, out);
  };
  f(BayesRule(product.class_log_prior(), joint));
}

}  // namespace

void describe(OptionVisitor& v, Mixture::Options& o) {
  constexpr Index kMost = Index{1} << 24;
  v.integer("n_components", o.n_components, 1, kMost,
            "number of components; where rows have labels there is one for each label");
  v.text("family", o.choice.family,
         "what columns of numbers are: auto, a family, or buckets (equal-width, "
         "equal-frequency); or COLUMN=ONE,...");
  v.integer("n_buckets", o.choice.n_buckets, 1, kMostLevels,
            "number of buckets of equal width or frequency");
  v.number("alpha", o.choice.smoothing.alpha, 0, kInfinite,
           "rows of every category added to each component; 0: the shares of the rows");
  v.number("prior_rows", o.choice.smoothing.prior_rows, 0, kInfinite,
           "rows like the whole column added to each component, for families of numbers");
  v.number("var_smoothing", o.choice.smoothing.var_smoothing, 0, kInfinite,
           "least variance of a component, in units of its column's");
  v.number("weight_concentration", o.weight_concentration, 1, kInfinite,
           "of the Dirichlet prior of the weights; 1: the shares of the rows");
  v.choice("assignment", o.latent.assignment, {"soft", "hard"},
           "rows belong to all components by their posterior, or to the best one alone; then the "
           "objective is the likelihood of rows and components together");
  v.number("unlabelled_weight", o.latent.unlabelled_weight, 0, kInfinite,
           "weight of a row without a label, where others have one");
  v.choice("init_params", o.init_params, {"kmeans", "k-means++", "random_from_data", "random"},
           "where to start: the best of a few short runs from k-means; k-means++ rows; random "
           "rows; or random shares of every row");
  v.integer("n_init", o.n_init, 1, kMost, "number of starts; the best result is kept");
  v.integer("max_iter", o.max_iter, 0, kMost, "updates of the model, at most");
  v.number("tol", o.tol, 0, kInfinite, "stop when a pass gains at most this mean log-likelihood");
  v.integer("random_state", o.random_state, 0, std::numeric_limits<Index>::max(),
            "seed of the starts");
}

void Mixture::predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const {
  with_rule(product_, x, [&](const BayesRule& rule) { rule.predict(x, labels, exec); });
}

void Mixture::predict_log_proba(Source& x, std::span<double> out, const Exec& exec) const {
  with_rule(product_, x, [&](const BayesRule& rule) { rule.predict_log_proba(x, out, exec); });
}

void Mixture::score_samples(Source& x, std::span<double> log_density, const Exec& exec) const {
  with_rule(product_, x, [&](const BayesRule& rule) { rule.score_samples(x, log_density, exec); });
}

ProductRows Mixture::rows_of(Source& x, const Exec& exec) const {
  check_columns(x, columns());
  return fold(x, ProductRows(product_, {.labels = false}, 0), exec);
}

double Mixture::score(Source& x, const Exec& exec) const { return rows_of(x, exec).objective(); }

double Mixture::entropy(Source& x, const Exec& exec) const { return rows_of(x, exec).entropy(); }

Index Mixture::free_parameters(const Options&) const {
  return classes() - 1 + product_.free_parameters();
}

std::vector<SummaryTable> Mixture::summary(const Schema& schema) const {
  return product_.summary(schema, schema.target ? "class" : "component");
}

}  // namespace craton
