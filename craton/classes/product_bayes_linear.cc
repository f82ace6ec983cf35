#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "craton/classes/product_bayes.h"
#include "craton/core/error.h"

// With p_j(x | theta) = exp(eta . T_j(x) - A(eta) + h_j(x)), the classes' h_j the same,
//
//   log p(c | x) = log p(c) + sum_j eta_cj . T_j(x_j) - A(eta_cj)   up to a term without c:
//
// linear in the statistics T of the row, whatever the families.

namespace craton {
namespace {

// T of a family, "{}" for the value; of categories one that is 1 for each.
std::vector<std::string> statistics_of(const Feature& feature) {
  const std::string_view family = feature.family->name();
  if (feature.categories()) {
    std::vector<std::string> result;
    for (Index level = 0; level < feature.levels; ++level) {
      result.push_back(fmt::format("[{{}} {} {}]", feature.buckets ? "in bucket" : "=", level));
    }
    return result;
  }
  if (family == "gaussian") return {"{}", "{}^2"};
  if (family == "lognormal") return {"log {}", "(log {})^2"};
  if (family == "gamma") return {"log {}", "{}"};
  if (family == "beta") return {"log {}", "log(1 - {})"};
  if (family == "von-mises") return {"cos {}", "sin {}"};
  return {"{}"};
}

[[noreturn]] void fail(const std::string& why, const std::string& fix) {
  throw InputError(Code::kNotAble, {}, why + ", so there is no linear form", fix);
}

// Counts out of so many, or until so many: the same in all classes?
bool one_base(const Feature& feature, std::span<const Parameters* const> classes) {
  if (feature.categories() || feature.family->info().support != Support::kCounts) return true;
  return std::all_of(classes.begin(), classes.end(), [&](const Parameters* p) {
    return feature.family->sufficient(1, *p)->log_base ==
               feature.family->sufficient(1, *classes[0])->log_base &&
           feature.family->sufficient(2, *p)->log_base ==
               feature.family->sufficient(2, *classes[0])->log_base;
  });
}

}  // namespace

template <ProductModel kModel>
LinearForm ProductBayes<kModel>::linear_form() const {
  if (calibration_) fail("its probabilities are calibrated", "Fit with calibrate = none.");
  const std::size_t k = usize(classes());
  std::vector<std::vector<double>> by_term;  // of each class
  LinearForm form{{}, {{classes()}, product_.class_log_prior()}, {}};
  for (Index j = 0; j < columns(); ++j) {
    const Feature& feature = features()[usize(j)];
    std::vector<const Parameters*> parameters;
    std::vector<Natural> natural;
    for (Index c = 0; c < classes(); ++c) {
      parameters.push_back(&of(j, c));
      const std::optional<Natural> found = feature.family->natural(*parameters.back());
      if (!found) {
        fail(fmt::format("the {} of column {} is no exponential family", feature.name(), j + 1),
             "Name another family for it, such as --family gaussian.");
      }
      natural.push_back(*found);
      form.intercept.values[usize(c)] -= found->log_partition;
    }
    if (!one_base(feature, parameters)) {
      fail(fmt::format("the classes count column {} differently", j + 1),
           "Name another family for it, such as poisson.");
    }
    const std::vector<std::string> names = statistics_of(feature);
    for (std::size_t t = 0; t < names.size(); ++t) {
      std::vector<double> weights;
      for (const Natural& n : natural) weights.push_back(n.natural[t]);
      for (const double w : weights) {
        if (std::isfinite(w)) continue;
        fail(fmt::format("something in column {} is impossible", j + 1), "Give alpha above 0.");
      }
      const bool alike = std::equal(weights.begin() + 1, weights.end(), weights.begin());
      if (alike) continue;  // it says nothing
      by_term.push_back(std::move(weights));
      form.terms.push_back({j, names[t]});
    }
  }
  const Index terms = ssize(by_term);
  form.coef = {{classes(), terms}, std::vector<double>(k * usize(terms))};
  for (std::size_t at = 0; at < form.coef.values.size(); ++at) {
    form.coef.values[at] = by_term[at % usize(terms)][at / usize(terms)];
  }
  return form;
}

template LinearForm NaiveBayes::linear_form() const;
template LinearForm CategoricalNB::linear_form() const;

}  // namespace craton
