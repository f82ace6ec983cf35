#include "craton/classes/semi_supervised.h"

#include <doctest/doctest.h>

#include <cmath>

#include "craton/base/distributions.h"
#include "craton/classes/counts/count_bayes.h"
#include "tests/refused.h"

namespace craton::semi_supervised_test {
namespace {

constexpr Index kColumns = 6;

struct Rows {
  std::vector<double> x;
  std::vector<std::int32_t> labels, truth;

  MemorySource source(const std::vector<std::int32_t>& of) const {
    Schema schema = numbered_schema(kColumns);
    schema.target = Column{"kind", ColumnKind::kCategory, {"a", "b"}};
    return MemorySource({.x = Dense<double>{x.data(), ssize(of), kColumns, kColumns}, .labels = of},
                        schema);
  }
  MemorySource source() const { return source(labels); }
};

// Rows of two classes, of which few have a label.
Rows words(Index rows, Index labelled) {
  const double p[2][kColumns] = {{.3, .2, .2, .1, .1, .1}, {.1, .1, .1, .2, .2, .3}};
  Rows result;
  for (Index i = 0; i < rows; ++i) {
    Random random(6, Purpose::kTest, 0, static_cast<std::uint64_t>(i));
    const Index label = i % 2;
    std::vector<double> row(kColumns);
    draw_multinomial(random, 1 + draw_poisson(random, 9), p[label], row);
    result.x.insert(result.x.end(), row.begin(), row.end());
    result.truth.push_back(static_cast<std::int32_t>(label));
    result.labels.push_back(i < labelled ? result.truth.back() : -1);
  }
  return result;
}

template <class M>
typename M::Options with_em() {
  typename M::Options options;
  options.semi.unlabelled = Unlabelled::kEm;
  options.semi.tol = 1e-8;
  options.semi.max_iter = 1000;
  return options;
}

template <class M>
Fit<M> fit(const Rows& rows, const typename M::Options& options, int threads = 1) {
  MemorySource x = rows.source();
  return M::fit(x, options, {.threads = threads});
}

template <class M>
double accuracy(const M& model, const Rows& rows) {
  MemorySource x = rows.source(rows.truth);
  return model.score(x, {});
}

template <class M>
void check_em() {
  const Rows rows = words(3'000, 6);
  const Fit<M> alone = fit<M>(rows, {}), together = fit<M>(rows, with_em<M>());
  CHECK(alone.report.notes.size() == 1);
  CHECK(together.report.notes.empty());
  CHECK(together.report.converged);
  CHECK(together.report.iterations > 3);
  const std::vector<double>& trace = together.report.trace;
  for (std::size_t i = 1; i < trace.size(); ++i) {
    CHECK(trace[i] >= trace[i - 1] - 1e-10 * std::abs(trace[i]));
  }
  if (std::is_same_v<M, MultinomialNB>) {  // the model that made the rows
    CHECK(accuracy(together.model, rows) > accuracy(alone.model, rows) + 0.02);
  }
  CHECK(parameters_of(together.model) == parameters_of(fit<M>(rows, with_em<M>(), 3).model));

  typename M::Options none = with_em<M>();
  none.semi.unlabelled_weight = 0;
  const Fit<M> weightless = fit<M>(rows, none);
  for (std::size_t i = 0; i < 12; ++i) {
    CHECK(weightless.model.feature_log_prob().values[i] ==
          doctest::Approx(alone.model.feature_log_prob().values[i]).epsilon(1e-13));
  }
  CHECK(weightless.report.data_hash != alone.report.data_hash);
}

TEST_CASE("rows without a label join by EM, which climbs and helps") {
  check_em<MultinomialNB>();
  check_em<BernoulliNB>();
}

TEST_CASE("with a label on every row EM is the closed form") {
  const Rows rows = words(500, 500);
  CHECK(parameters_of(fit<MultinomialNB>(rows, with_em<MultinomialNB>()).model) ==
        parameters_of(fit<MultinomialNB>(rows, {}).model));
}

TEST_CASE("the counts that a model remembers are those that it was made of") {
  const Fit<MultinomialNB> result = fit<MultinomialNB>(words(500, 20), with_em<MultinomialNB>());
  const Array &counts = result.memory.get()[0].value, &weight = result.memory.get()[1].value;
  CHECK(weight.values[0] + weight.values[1] == doctest::Approx(500).epsilon(1e-12));
  double total = kColumns;
  for (std::size_t j = 0; j < kColumns; ++j) total += counts.values[j];
  CHECK(result.model.feature_log_prob().values[0] ==
        doctest::Approx(std::log((counts.values[0] + 1) / total)).epsilon(1e-12));
}

TEST_CASE("few iterations are not converged, and what EM cannot do is refused") {
  const Rows rows = words(400, 4);
  MultinomialNB::Options options = with_em<MultinomialNB>();
  options.semi.max_iter = 2;
  const Fit<MultinomialNB> so_far = fit<MultinomialNB>(rows, options);
  CHECK_FALSE(so_far.report.converged);
  CHECK(so_far.report.iterations == 2);
  MemorySource x = rows.source();
  check_refused([&] { MultinomialNB::partial_fit(so_far, x, options, {}); }, Code::kNotAble, -1,
                "unlabelled = em needs all rows at once");
  check_refused([&] { MultinomialNB::unlearn(so_far, x, options, {}); }, Code::kNotAble, -1,
                "unlabelled = skip");
  options.smoothing.alpha = 0;
  check_refused([&] { fit<MultinomialNB>(rows, options); }, Code::kBadOption, -1,
                "Give alpha above 0");
  options.smoothing.alpha = 1;
  options.prior.class_prior = {{2}, {0, 1}};
  check_refused([&] { fit<MultinomialNB>(rows, options); }, Code::kBadOption, -1,
                "class_prior has the value 0");
}

}  // namespace
}  // namespace craton::semi_supervised_test
