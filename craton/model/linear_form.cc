#include "craton/model/linear_form.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "craton/base/error.h"

namespace craton {
namespace {

struct Monomial {
  double times = 1;
  std::vector<Design::Factor> factors = {};
};

// y^p with y = (x - c) / s: the sum over k of C(p, k) x^k (-c)^(p-k) / s^p.
std::vector<Monomial> multiplied_out(const std::vector<Monomial>& sum, const Design::Factor& factor,
                                     double c, double s) {
  std::vector<Monomial> result;
  double choose = 1, shift = 1;  // C(p, k), (-c)^(p-k)
  for (Index k = factor.power; k >= 0; --k) {
    for (const Monomial& m : sum) {
      Monomial next = m;
      next.times *= choose * shift / std::pow(s, static_cast<double>(factor.power));
      if (k > 0) next.factors.push_back({.column = factor.column, .power = k});
      if (shift != 0) result.push_back(std::move(next));
    }
    choose *= static_cast<double>(k) / static_cast<double>(factor.power - k + 1);
    shift *= -c;
  }
  return result;
}

LinearFactor shown(const Design::Factor& factor) {
  if (factor.level >= 0) return {factor.column, fmt::format("[{{}} = {}]", factor.level)};
  return {factor.column, factor.power == 1 ? "{}" : fmt::format("{{}}^{}", factor.power)};
}

}  // namespace

LinearForm in_given_columns(const LinearForm& form, const Design& design, const Affine& scaled) {
  const Index labels = form.coef.rows(), columns = form.coef.cols();
  CRATON_ASSERT(form.terms.empty() && columns == design.outputs());
  LinearForm result{.coef = {}, .intercept = form.intercept};
  std::map<std::vector<Design::Factor>, std::size_t> places;
  std::vector<std::vector<double>> by_term;  // of each label
  for (Index j = 0; j < columns; ++j) {
    std::vector<Monomial> sum{Monomial{}};
    for (const Design::Factor& factor : design.factors(j)) {
      const double c = scaled.centre_of(factor.column), s = scaled.scale_of(factor.column);
      if (factor.level < 0 && (c != 0 || s != 1)) {
        sum = multiplied_out(sum, factor, c, s);
      } else {
        for (Monomial& m : sum) m.factors.push_back(factor);
      }
    }
    for (const Monomial& m : sum) {
      const auto add_to = [&](std::vector<double>& sums) {
        for (Index c = 0; c < labels; ++c) {
          sums[usize(c)] += form.coef.values[usize(c * columns + j)] * m.times;
        }
      };
      if (m.factors.empty()) {
        add_to(result.intercept.values);
        continue;
      }
      std::vector<Design::Factor> key = m.factors;
      std::sort(key.begin(), key.end());
      const auto [place, is_new] = places.emplace(std::move(key), by_term.size());
      if (is_new) {
        by_term.emplace_back(usize(labels));
        LinearTerm& term = result.terms.emplace_back();
        for (const Design::Factor& factor : m.factors) term.factors.push_back(shown(factor));
      }
      add_to(by_term[place->second]);
    }
  }
  result.coef.shape = {labels, ssize(by_term)};
  for (std::size_t c = 0; c < usize(labels); ++c) {
    for (const std::vector<double>& of : by_term) result.coef.values.push_back(of[c]);
  }
  return result;
}

std::vector<std::string> term_names(const LinearForm& form, const Schema& schema) {
  if (form.terms.empty()) return schema.names();
  std::vector<std::string> names;
  for (const LinearTerm& term : form.terms) {
    std::string name;
    for (const LinearFactor& factor : term.factors) {
      std::string text = factor.of;
      const Column column = schema.column(factor.column);
      const std::size_t code = text.find("= ");
      if (code != text.npos && !column.levels.empty()) {
        const std::size_t level = std::stoul(text.substr(code + 2));
        if (level < column.levels.size()) text = "[{} = " + column.levels[level] + "]";
      }
      name += (name.empty() ? "" : ":") + text.replace(text.find("{}"), 2, column.name);
    }
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace craton
