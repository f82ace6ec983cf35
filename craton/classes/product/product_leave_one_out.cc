#include "craton/classes/product/product_leave_one_out.h"

#include <algorithm>
#include <cmath>

#include "craton/base/inner_rows.h"
#include "craton/density/density_passes.h"
#include "craton/tables/columns.h"

namespace craton {

ProductLeaveOneOut::ProductLeaveOneOut(const ClassStatistics& seen, const FeatureScores& scores,
                                       const std::optional<Bag>& bag, const Smoothing& smoothing,
                                       const ClassPrior& prior)
    : seen_(seen),
      scores_(scores),
      prior_(prior),
      alpha_(smoothing.alpha),
      log_prior_(log_class_prior(prior, seen.weight())) {
  for (std::size_t f = 0; f < scores.features().size(); ++f) {
    estimators_.emplace_back(scores.features()[f], seen.of_all_classes(f), smoothing,
                             spread_within(scores.features()[f], seen, f));
  }
  if (!bag) return;
  // By themselves terms have classes that are alike: p(class) is said once, with the columns.
  const ClassPrior alike{.fit_prior = false, .class_prior = {}};
  terms_ = std::make_unique<Terms>(
      Terms{seen.term_sums(),
            {PerFeature(smoothing.alpha, bag->terms()), {}},
            alike,
            CountScores::of_counts(log_class_prior(alike, seen.weight()), bag->log_p()),
            nullptr});
  terms_->left_out =
      leave_one_out_of_counts({terms_->sums, terms_->alphas, terms_->alike, terms_->scores});
}

double ProductLeaveOneOut::change(std::size_t f, std::size_t c, double value, double weight) const {
  const Feature& feature = scores_.features()[f];
  if (feature.categories()) {
    const Counts& counts = std::get<Counts>(seen_.of(f, c));
    const auto level = static_cast<std::size_t>(value);
    const double before = counts.counts[level] + alpha_;
    const double all = counts.weight + alpha_ * static_cast<double>(feature.levels);
    return std::log(std::max(before - weight, 0.0) / (all - weight)) - std::log(before / all);
  }
  if (const auto& line = scores_.line(f, c)) {
    const bool more = std::get<Values>(seen_.of(f, c)).weight > weight;
    const double after =
        more ? line->log_density_without(value, weight)
             : KernelLine(estimators_[f].estimate(feature.family->empty())).log_density(value);
    return after - line->log_density(value);
  }
  Statistics rest = seen_.of(f, c);
  if (std::holds_alternative<Values>(rest) || std::holds_alternative<Range>(rest)) return 0;
  Statistics one = feature.family->empty();
  feature.family->accumulate(std::span(&value, 1), std::span(&weight, 1), one);
  subtract(rest, one);
  double after = 0, before = 0;
  const std::span<const double> x(&value, 1);
  feature.family->log_density(x, estimators_[f].estimate(rest), std::span(&after, 1));
  feature.family->log_density(x, scores_.of(f, c), std::span(&before, 1));
  return after - before;
}

void ProductLeaveOneOut::find(const Chunk& chunk, std::span<double> out) const {
  const std::size_t k = log_prior_.size(), n = usize(chunk.rows());
  for (std::size_t at = 0; at < out.size(); ++at) out[at] = log_prior_[at % k];
  std::vector<double> column;
  for (std::size_t f = 0; f < scores_.features().size(); ++f) {
    scores_.add(f, chunk.x, out);
    copy_column(chunk.x, scores_.features()[f].column, column);
    encode(scores_.features()[f], column);
    for (std::size_t i = 0; i < n && !chunk.labels.empty(); ++i) {
      const std::int32_t label = chunk.labels[i];
      const double weight = std::min(1.0, chunk.weight(static_cast<Index>(i)));
      if (label < 0 || weight == 0 || std::isnan(column[i])) continue;
      out[i * k + usize(label)] += change(f, usize(label), column[i], weight);
    }
  }
  for (std::size_t i = 0; i < n && !chunk.labels.empty(); ++i) {
    if (chunk.labels[i] < 0) continue;
    std::vector<double> weights = seen_.weight();
    double& own = weights[usize(chunk.labels[i])];
    own = std::max(0.0, own - std::min(1.0, chunk.weight(static_cast<Index>(i))));
    if (own == 0 && std::ranges::all_of(weights, [](double w) { return w == 0; })) continue;
    const std::vector<double> rest = log_class_prior(prior_, weights);
    for (std::size_t c = 0; c < k; ++c) out[i * k + c] += rest[c] - log_prior_[c];
  }
  if (terms_ != nullptr) {
    std::vector<double> of_terms(out.size());
    terms_->left_out->find(inner_chunk(chunk), of_terms);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += of_terms[i];
  }
  for (double& v : out) v = std::isnan(v) ? -INFINITY : v;  // of a class without rows
}

void count_values(const Chunk& chunk, std::span<double> out) {
  visit_dense(chunk.x, [&](const auto& x) {
    for (Index i = 0; i < x.rows; ++i) {
      const auto seen =
          std::count_if(x.row(i), x.row(i) + x.cols, [](auto value) { return !std::isnan(value); });
      out[usize(i)] = static_cast<double>(seen) + 1;
    }
  });
  for (const Inner& inner : chunk.inner) {
    for (Index i = 0; i < inner.rows; ++i) {
      for (Index e = inner.offsets[i]; e < inner.offsets[i + 1]; ++e) {
        out[usize(i)] += inner.values[e];
      }
    }
  }
}

}  // namespace craton
