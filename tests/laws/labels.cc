#include <algorithm>

#include "craton/base/error.h"
#include "craton/model/explain.h"
#include "craton/model/model_file.h"
#include "tests/laws/laws.h"
#include "tests/refused.h"

using namespace craton;
using namespace craton::laws;

// Models whose statistics do not depend on what was learned: exactly for integers, else to
// rounding.
TEST_CASE(
    "labelled rows in any batches, merged or learned on, give one fit, and can be unlearned") {
  for_every_model([](const ModelInfo& model) {
    if (!model.abilities.labels || !model.abilities.unlearn) return;
    for (const bool integers : {true, false}) {
      CAPTURE(integers);
      Data data = groups(model, 6'000, 3, 46);
      if (integers)
        std::for_each(data.x.begin(), data.x.end(), [](double& v) { v = std::round(v); });
      const auto same = [&](const Fitted& a, const Fitted& b, double tolerance) {
        if (integers) CHECK(digest(a) == digest(b));
        CHECK(difference(a, b) <= tolerance);
      };
      const auto learn = [&](const Fitted& from, Index first, Index last, bool forget) {
        const Data part = data.slice(first, last);
        MemorySource x = part.source();
        return (forget ? model.unlearn : model.partial_fit)(from, x, from.options, {});
      };
      const Fitted whole = fit(model, data);
      const Fitted half = fit(model, data.slice(0, 2'500));
      same(
          model.merge(half, unpack_model(pack_model(fit(model, data.slice(2'500, 6'000))), "copy")),
          whole, 1e-12);
      Fitted batches = fit(model, data.slice(0, 100));
      for (Index first = 100; first < 6'000; first += 1'180) {
        batches = learn(batches, first, first + 1'180, false);
      }
      same(batches, whole, 1e-12);
      same(learn(whole, 2'500, 6'000, true), half, 1e-9);
      check_refused([&] { learn(half, 0, 6'000, true); }, Code::kBadTarget, -1,
                    "has not seen all of these rows");
    }
  });
}

namespace {

// That what the features say of each row sums to the log-odds of its labels.
void check_explained(const AnyModel& model, const Data& data) {
  const std::size_t k = usize(model.classes());
  MemorySource x = data.source();
  std::vector<double> log_p(300 * k);
  model.predict_log_proba(x, log_p, {});
  std::vector<std::int32_t> labels(300);
  model.predict(x, labels, {});
  for (const std::int32_t other : {-1, 0, 2}) {
    std::vector<double> gap(300, NAN);
    explain(model, x, other, {.threads = 2}, [&](Index row, const Explanation& why) {
      const double* const p = &log_p[usize(row) * k];
      double sum = why.prior, size = std::abs(why.prior);
      for (const double odds : why.log_odds) {
        sum += odds;
        size += std::abs(odds);
      }
      const bool right = why.label == labels[usize(row)] && (other < 0 || why.other == other) &&
                         why.log_p == p[why.label] && why.x.front() == data.x[usize(row) * 3];
      const double expected = p[why.label] - p[why.other];  // infinite where p(row | other) is 0
      const double off = sum == expected ? 0 : std::abs(sum - expected) / (1 + size);
      gap[usize(row)] = right ? off : NAN;
    });
    CHECK(*std::max_element(gap.begin(), gap.end()) <= 1e-12);
    CHECK(std::none_of(gap.begin(), gap.end(), [](double v) { return std::isnan(v); }));
  }
}

}  // namespace

TEST_CASE("what the features say sums to the log-odds of the labels") {
  for_every_model([](const ModelInfo& model) {
    if (!model.abilities.contributions) return;
    Data data = groups(model, 300, 3, 47);
    for (std::size_t i = 0; i < data.x.size(); i += 5)
      data.x[i] = 0;  // what is not there speaks too
    check_explained(*fit(model, data).model, data);
  });
}

TEST_CASE("the same over every density of the library") {
  for_every_model([](const ModelInfo& density) {
    if (!density.abilities.score_samples || density.abilities.labels) return;
    const Data data = groups(300, 3, 47);
    MemorySource x = data.source();
    const std::vector<NamedOption> options{{"density", std::string(density.name)}};
    check_explained(*find_model("generative").fit(x, options, {}).model, data);
  });
}

namespace {

std::string fmt_code(double x) { return "[{} = " + std::to_string(static_cast<Index>(x)) + "]"; }

}  // namespace

TEST_CASE("softmax of a linear form is the posterior") {
  for_every_model([](const ModelInfo& model) {
    if (!model.abilities.linear_form || model.abilities.numbers) return;
    Data data = groups(model, 300, 3, 48);
    // Zeros and ones mean the same to models that ask what is there.
    for (double& v : data.x) v = static_cast<double>(static_cast<Index>(v) % 2);
    std::vector<NamedOption> options = small_options(model);
    for (const Option& option : model.options()) {
      if (option.name == "variance") options.emplace_back(option.name, "shared");
    }
    MemorySource rows = data.source();
    const Fitted fitted = model.fit(rows, options, {});
    const LinearForm form = fitted.model->linear_form();
    const std::size_t k = usize(fitted.model->classes()), terms = usize(form.coef.cols());
    if (form.terms.empty()) REQUIRE(terms == 3);
    // Of terms there are those of Gaussians, and of codes, here.
    const auto value_of = [&](std::size_t i, std::size_t t) {
      if (form.terms.empty()) return data.x[i * 3 + t];
      REQUIRE(form.terms[t].factors.size() == 1);
      const auto& [column, of] = form.terms[t].factors[0];
      const double x = data.x[i * 3 + usize(column)];
      if (of == "{}") return x;
      if (of == "{}^2") return x * x;
      return of == fmt_code(x) ? 1.0 : 0.0;
    };
    MemorySource x = data.source();
    std::vector<double> log_p(300 * k);
    fitted.model->predict_log_proba(x, log_p, {});
    double gap = 0;
    for (std::size_t i = 0; i < 300; ++i) {
      std::vector<double> score = form.intercept.values;
      double sum = 0;
      for (std::size_t c = 0; c < k; ++c) {
        for (std::size_t t = 0; t < terms; ++t) {
          score[c] += form.coef.values[c * terms + t] * value_of(i, t);
        }
        sum += std::exp(score[c]);
      }
      for (std::size_t c = 0; c < k; ++c) {
        gap = std::max(gap, std::abs(std::exp(score[c]) / sum - std::exp(log_p[i * k + c])));
      }
    }
    CHECK(gap <= 1e-12);
  });
}
