#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "craton/select/agreement.h"
#include "craton/select/class_metrics.h"
#include "craton/select/probability_metrics.h"
#include "craton/select/ranking.h"
#include "craton/select/regression_metrics.h"
#include "craton/select/sum.h"

// Small cases that can be done by hand. python/tests/test_metrics.py holds every metric against
// scikit-learn.

namespace craton {
namespace {

using Labels = std::vector<std::int32_t>;
using Numbers = std::vector<double>;
using doctest::Approx;

TEST_CASE("a sum keeps what additions round away, and infinities") {
  Sum sum;
  for (const double x : {1.0, 1e100, 1.0, -1e100}) sum += x;
  CHECK(sum.value() == 2);
  sum += -INFINITY;
  sum += 1;
  CHECK(sum.value() == -INFINITY);
}

TEST_CASE("labels: two of three right, and the third class is never predicted") {
  const Labels truth{0, 0, 1, 1, 2, 2}, predicted{0, 0, 1, 0, 1, 1};
  const ClassTotals totals = class_totals({truth, predicted}, 3);
  CHECK(accuracy(totals) == 0.5);
  CHECK(balanced_accuracy(totals) == 0.5);
  // Of one label alone, whatever the weights: 0.1 + 0.2 + ... leaves no variance.
  const std::vector<std::int32_t> mixed{0, 1, 1, 0, 1, 0, 1}, same(7, 1);
  const std::vector<double> weights{0.1, 0.7, 0.3, 1e-9, 0.2, 1e9, 0.6};
  CHECK(matthews(class_totals({mixed, same, weights}, 2)) == 0);
  CHECK(matthews(class_totals({same, mixed, weights}, 2)) == 0);
  CHECK(matthews(totals) == Approx((6 * 3 - 12) / std::sqrt((36 - 18.0) * (36 - 12.0))));
  const ClassScores scores = class_scores(totals, 1, 0);
  CHECK(scores.precision == Numbers{2 / 3.0, 1 / 3.0, 0});
  CHECK(scores.recall == Numbers{1, 0.5, 0});
  CHECK(scores.f == Numbers{0.8, 0.4, 0});
  CHECK(confusion_matrix({truth, predicted}, 3).values == Numbers{2, 0, 0, 1, 1, 0, 0, 2, 0});
}

TEST_CASE("weights of labels equal repeats") {
  const Labels truth{0, 1, 1, 2}, predicted{0, 1, 0, 1};
  const Numbers weights{3, 1, 0, 2};
  const Labels truths{0, 0, 0, 1, 2, 2}, predictions{0, 0, 0, 1, 1, 1};
  const ClassTotals a = class_totals({truth, predicted, weights}, 3);
  const ClassTotals b = class_totals({truths, predictions}, 3);
  CHECK(a.both == b.both);
  CHECK(a.truth == b.truth);
  CHECK(a.predicted == b.predicted);
}

TEST_CASE("probabilities: sure and wrong costs as much as epsilon allows") {
  const Numbers p{0.25, 0.75, 1, 0};
  const Labels truth{1, 1};
  const ProbableRows rows{truth, {p.data(), 2, 2, 2}};
  constexpr double kEpsilon = 0x1p-52;
  CHECK(log_loss(rows, kEpsilon) == Approx(-(std::log(0.75) + std::log(kEpsilon)) / 2));
  CHECK(brier(rows) == (0.125 + 2) / 2);
}

TEST_CASE("calibration: bins take their upper edge, and empty ones are left out") {
  const Labels positive{0, 1, 1, 1};
  const Numbers p{0.0, 0.5, 0.5, 0.9};
  const CalibrationCurve curve = calibration_curve(positive, p, uniform_edges(4));
  CHECK(curve.predicted == Numbers{0, 0.5, 0.9});
  CHECK(curve.positive == Numbers{0, 1, 1});
  CHECK(quantile_edges(p, 2) == Numbers{0, 0.5, 0.9});
}

TEST_CASE("a tie counts half in the area under the curve") {
  const Ranking ranking = rank({{2, 1, true}, {1, 1, true}, {1, 1, false}, {0, 1, false}});
  CHECK(ranking.thresholds == Numbers{2, 1, 0});
  CHECK(ranking.positives == Numbers{1, 2, 2});
  CHECK(ranking.others == Numbers{0, 1, 2});
  CHECK(roc_auc(ranking) == 3.5 / 4);
  CHECK(average_precision(ranking) == Approx(0.5 + 0.5 * 2 / 3));
}

TEST_CASE("without rows of both kinds there is no area") {
  CHECK(std::isnan(roc_auc(rank({{1, 1, true}, {2, 0, false}}))));
  CHECK(std::isnan(roc_auc(rank({}))));
  CHECK(average_precision(rank({{1, 1, false}})) == 0);
}

TEST_CASE("numbers: errors, their median by weight, and the variance explained") {
  const Numbers y{1, 2, 3, 4}, f{1, 2, 4, 2}, w{1, 1, 1, 3};
  CHECK(mean_squared_error({y, f}) == 1.25);
  CHECK(mean_absolute_error({y, f}) == 0.75);
  CHECK(mean_pinball_loss({y, f}, 0.75) == (0.25 + 1.5) / 4);
  CHECK(median_absolute_error({y, f}) == 0.5);
  CHECK(median_absolute_error({y, f, w}) == 1.5);
  CHECK(explained({y, f}).r2() == 0);
  CHECK(explained({f, f}).r2() == 1);
}

TEST_CASE("agreement does not ask what labels are called") {
  const Labels a{0, 0, 1, 1, 2, 2}, same{5, 5, 0, 0, 3, 3}, other{0, 0, 0, 1, 1, 1};
  const Contingency equal = contingency(a, same), part = contingency(a, other);
  CHECK(adjusted_rand_index(count_pairs(equal)) == 1);
  CHECK(fowlkes_mallows(equal) == 1);
  CHECK(v_measure(equal, 1).v == Approx(1));
  CHECK(adjusted_mutual_information(equal, EntropyMean::kMax) == Approx(1));
  CHECK(rand_index(count_pairs(part)) == Approx(10 / 15.0));
  CHECK(adjusted_rand_index(count_pairs(part)) == Approx(0.242424242424));
  CHECK(v_measure(part, 1).homogeneity == Approx(2 / 3.0 * std::log(2) / std::log(3)));
}

TEST_CASE("what chance gives is the mean over all permutations") {
  Labels a{0, 0, 1, 1, 2}, b{0, 0, 0, 1, 1};
  const double expected = expected_mutual_information(contingency(a, b));
  double sum = 0, count = 0;
  std::sort(b.begin(), b.end());
  do {
    sum += mutual_information(contingency(a, b));
    ++count;
  } while (std::next_permutation(b.begin(), b.end()));
  CHECK(expected == Approx(sum / count).epsilon(1e-14));
}

}  // namespace
}  // namespace craton
