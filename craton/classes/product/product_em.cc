#include "craton/classes/product/product_em.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "craton/base/inner_rows.h"

// An E-step is one pass of the program over blocks of rows (product_program.h), O(rows x columns x
// classes), which leaves sums of all statistics; the M-step looks at these alone.

namespace craton {

ProductRows::ProductRows(const ClassProduct& model, const Latent& latent, double log_prior)
    : model_(&model), latent_(latent), log_prior_(log_prior), sums_(model.program()) {
  if (model.bag()) terms_ = FeatureSums::none(model.bag()->terms(), model.classes());
}

ClassStatistics ProductRows::statistics(const Exec& exec) const {
  ClassStatistics seen = sums_.statistics();
  if (terms_) seen.set_terms(terms_->nonzero(exec));
  return seen;
}

void ProductRows::borrow(const ClassProduct& same) {
  model_ = &same;
  sums_.borrow(same.program());
}

void ProductRows::accumulate(const Chunk& given) {
  Chunk chunk = given;
  if (!latent_.labels) chunk.labels = {};
  constexpr Index kRows = static_cast<Index>(kProgramRows);
  const std::size_t k = usize(model_->classes());
  ProductBlock block(model_->program());
  EStep e_step(latent_.assignment, latent_.unlabelled_weight, kProgramRows);
  // Of terms, log p first, and then the weights of the rows; row after row.
  std::vector<double> of_terms(terms_ ? usize(chunk.rows()) * k : 0);
  if (terms_) model_->bag()->find(chunk, of_terms);
  for (Index first = 0; first < chunk.rows(); first += kRows) {
    const Index count = std::min(kRows, chunk.rows() - first);
    block.load(chunk.x, first, count);
    double* const q = block.find_joint();
    const auto each_of_terms = [&](const auto& f) {
      for (std::size_t b = 0; terms_ && b < usize(count); ++b) {
        for (std::size_t z = 0; z < k; ++z) {
          f(q[z * kProgramRows + b], of_terms[(usize(first) + b) * k + z]);
        }
      }
    };
    each_of_terms([](double& joint, double log_p) { joint += log_p; });
    bound_.add(e_step(chunk, first, count, k, q, block.base()));
    for (std::size_t z = 0; z < k; ++z) {
      std::fill(q + z * kProgramRows + usize(count), q + z * kProgramRows + block.rows(), 0.0);
    }
    if (block.varies()) base_ += e_step.total(block.base());
    sums_.add(block, q);
    each_of_terms([](double weight, double& of_row) { of_row = weight; });
  }
  if (terms_) terms_->share(inner_chunk(chunk), of_terms);
}

double ProductRows::expected(const ClassProduct& next, double log_prior) const {
  double sum = sums_.expected(next.class_log_prior(), next.scores());
  if (terms_) sum += next.bag()->expected(*terms_);
  return (sum + base_ + log_prior) / bound_.weight;
}

void ProductRows::merge(const ProductRows& next) {
  base_ += next.base_;
  bound_.add(next.bound_);
  sums_.merge(next.sums_);
  if (terms_) terms_->merge(*next.terms_);
}

void ProductRows::write(Writer& writer) const {
  writer.put(base_);
  writer.put(bound_);
  sums_.write(writer);
  if (terms_) terms_->write(writer);
}

void ProductRows::read(Reader& reader) {
  reader.get(base_);
  reader.get(bound_);
  sums_.read(reader);
  if (terms_) terms_->read(reader);
}

ProductFit product_em(Source& x, ClassProduct start, const ProductEstimator& estimator,
                      const Latent& latent, EmOptions options, const Exec& exec) {
  options.why_it_falls =
      options.monotone
          ? "the estimate of some column is searched for, and may end short of its best"
          : "the model to go on from had no estimates of these rows";
  options.monotone = options.monotone && estimator.climbs();
  std::vector<HalfStep> half_steps;
  std::vector<Note> notes;
  // The bound after an E-step is known twice: by the rows, and by their sums. The two differ by
  // rounding alone, so that what they differ by is what rounding takes from these data; kSlack, as
  // one table may be luckier than the next. An update that loses more is of parameters that doubles
  // do not hold finely enough (a mean beside which the spread is a few last places): it is not
  // made.
  constexpr double kSlack = 16;
  bool stuck = false;
  const auto loses = [&](const ClassProduct& model, const ProductRows& rows, const HalfStep& next) {
    if (!options.monotone) return false;
    const double own = rows.expected(model, estimator.log_prior(model)) + rows.entropy();
    options.noise = std::max(options.noise, kSlack * std::abs(own - rows.objective()));
    const double size = std::max(std::abs(rows.objective()), options.scale);
    return next.bound() < rows.objective() - options.rounding * size - options.noise;
  };
  std::vector<bool> empty(usize(start.classes()));
  const auto after_e_step = [](const ProductRows& rows) {
    return HalfStep{rows.objective() - rows.entropy(), rows.entropy()};
  };
  const auto note_empty = [&](std::span<const double> weight) {
    for (std::size_t z = 0; z < weight.size(); ++z) {
      if (weight[z] > 0 || empty[z]) continue;
      empty[z] = true;
      notes.push_back(
          {"empty-component",
           fmt::format("component {} lost all its rows in iteration {}, and stays empty", z,
                       half_steps.size() / 2 + 1)});
    }
  };
  auto result = em(
      x, std::move(start),
      [&](const ClassProduct& model) {
        return ProductRows(model, latent, estimator.log_prior(model));
      },
      [&](ClassProduct& model, const ProductRows& rows) {
        note_empty(rows.sums().weight());
        ClassProduct next = estimator.estimate(rows.statistics(exec));
        half_steps.push_back(after_e_step(rows));
        const HalfStep after{rows.expected(next, estimator.log_prior(next)), rows.entropy()};
        stuck = loses(model, rows, after);
        half_steps.push_back(stuck ? half_steps.back() : after);
        if (stuck) return 0.0;
        const bool same = next == model;
        model = std::move(next);
        return same ? 0.0 : 1.0;
      },
      options, exec);
  if (stuck) {
    notes.push_back({"digits-gone",
                     "EM ended where a further update would have lost to rounding: the values of "
                     "some column are so far from 0 that little of their digits tells them apart. "
                     "Subtract a number from the column"});
  }
  half_steps.push_back(after_e_step(result.statistics));
  result.report.half_steps = std::move(half_steps);
  result.report.notes.insert(result.report.notes.end(), notes.begin(), notes.end());
  result.statistics.borrow(result.model);
  ClassStatistics statistics = result.statistics.statistics(exec);
  return {std::move(result.model), std::move(result.report), std::move(statistics)};
}

// The M-step, and the statistics of whole columns that its priors are made of.

std::vector<double> ClassWeights::log_estimate(std::vector<double> weights) const {
  for (double& w : weights) w += concentration - 1;
  return log_class_prior(prior, weights);
}

double ClassWeights::log_density(std::span<const double> log_weights) const {
  if (concentration == 1) return 0;
  double sum = 0;  // beside equal weights, where it is greatest
  for (const double v : log_weights) sum += v + std::log(static_cast<double>(log_weights.size()));
  return (concentration - 1) * sum;
}

ProductEstimator::ProductEstimator(std::vector<Feature> features, std::vector<Statistics> columns,
                                   const Smoothing& smoothing, ClassWeights weights,
                                   const ClassStatistics* labelled)
    : features_(std::move(features)), alpha_(smoothing.alpha), weights_(std::move(weights)) {
  for (std::size_t f = 0; f < features_.size(); ++f) {
    const double within = labelled ? spread_within(features_[f], *labelled, f) : 1;
    estimators_.emplace_back(features_[f], std::move(columns[f]), smoothing, within);
  }
}

ClassProduct ProductEstimator::estimate(const ClassStatistics& seen) const {
  std::vector<Parameters> parameters;
  for (std::size_t f = 0; f < features_.size(); ++f) {
    for (std::size_t z = 0; z < usize(seen.classes()); ++z) {
      parameters.push_back(estimators_[f].estimate(seen.of(f, z)));
    }
  }
  std::optional<Bag> bag;
  if (seen.terms() != nullptr) bag = Bag(seen.terms(), alpha_);
  return ClassProduct({{seen.classes()}, weights_.log_estimate(seen.weight())}, features_,
                      std::move(parameters), std::move(bag));
}

double ProductEstimator::log_prior(const ClassProduct& model) const {
  double sum = weights_.log_density(model.class_log_prior());
  if (model.bag()) sum += model.bag()->log_prior(alpha_);
  for (std::size_t f = 0; f < features_.size(); ++f) {
    for (Index z = 0; z < model.classes(); ++z) {
      sum += estimators_[f].log_prior(model.of(static_cast<Index>(f), z));
    }
  }
  return sum;
}

bool ProductEstimator::climbs() const {
  return std::ranges::none_of(features_, [](const Feature& f) {
    return std::holds_alternative<Values>(f.family->empty(f.levels));
  });
}

namespace {

// All rows as one class.
class ColumnRows {
 public:
  ColumnRows(const Source& x, const std::vector<Feature>& features, const Latent& latent)
      : latent_(latent), sums_(x, features, 1) {}

  void accumulate(const Chunk& chunk) {
    std::vector<double> weights(usize(chunk.rows()));
    for (Index i = 0; i < chunk.rows(); ++i) {
      const bool seen = latent_.labels && !chunk.labels.empty() && chunk.labels[usize(i)] >= 0;
      weights[usize(i)] = chunk.weight(i) * (seen ? 1 : latent_.unlabelled_weight);
    }
    sums_.share(chunk, weights);
  }
  void merge(const ColumnRows& next) { sums_.merge(next.sums_); }
  void write(Writer& writer) const { sums_.write(writer); }
  void read(Reader& reader) { sums_.read(reader); }
  Index words() const { return sums_.words(); }
  Merge merge_kind() const { return Merge::kTree; }
  const ClassStatistics& sums() const { return sums_; }

 private:
  Latent latent_;
  ClassStatistics sums_;
};

}  // namespace

std::vector<Statistics> column_statistics(Source& x, const std::vector<Feature>& features,
                                          const Latent& latent, const Exec& exec) {
  const ColumnRows rows = fold(x, ColumnRows(x, features, latent), exec);
  std::vector<Statistics> columns;
  for (std::size_t f = 0; f < features.size(); ++f) columns.push_back(rows.sums().of(f, 0));
  return columns;
}

}  // namespace craton
