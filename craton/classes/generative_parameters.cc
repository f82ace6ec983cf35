#include <algorithm>
#include <array>
#include <cmath>

#include "craton/classes/generative.h"
#include "craton/core/error.h"

// The parameters of every class's density, in two arrays: all their values, one after the other;
// and what they are, as numbers: of each class how many there are, and of each its name (length,
// characters) and shape (length, sizes).

namespace craton {
namespace {

void append_text(std::string_view text, std::vector<double>& out) {
  out.push_back(static_cast<double>(text.size()));
  for (const char c : text) out.push_back(static_cast<unsigned char>(c));
}

class Layout {
 public:
  Layout(std::span<const double> codes, std::span<const double> values)
      : codes_(codes), values_(values) {}

  Index number(Index most) {
    if (codes_.empty()) fail_parameters("the layout of the densities ends early");
    const double v = codes_[0];
    codes_ = codes_.subspan(1);
    if (!(v >= 0 && v <= static_cast<double>(most) && v == std::floor(v))) {
      fail_parameters("the layout of the densities has a number that is none");
    }
    return static_cast<Index>(v);
  }
  std::string text() {
    std::string result;
    for (Index i = number(100); i > 0; --i) result += static_cast<char>(number(127));
    return result;
  }
  Parameter parameter() {
    Parameter result;
    result.name = text();
    Index cells = 1;
    for (Index i = number(4); i > 0; --i) {
      const Index size = number(std::ssize(values_));
      result.value.shape.push_back(size);
      if (size == 0 || cells > std::ssize(values_) / size) {
        fail_parameters("the densities have fewer values than their layout says");
      }
      cells *= size;
    }
    result.value.values.assign(values_.begin(), values_.begin() + cells);
    values_ = values_.subspan(usize(cells));
    return result;
  }
  bool done() const { return codes_.empty() && values_.empty(); }

 private:
  std::span<const double> codes_, values_;
};

}  // namespace

std::vector<Parameter> GenerativeClassifier::parameters() const {
  Array layout{{0}, {}}, values{{0}, {}};
  append_text(densities_[0]->info().name, layout.values);
  for (const auto& density : densities_) {
    const std::vector<Parameter> parameters = density->parameters();
    layout.values.push_back(static_cast<double>(parameters.size()));
    for (const Parameter& p : parameters) {
      append_text(p.name, layout.values);
      layout.values.push_back(static_cast<double>(p.value.shape.size()));
      layout.values.insert(layout.values.end(), p.value.shape.begin(), p.value.shape.end());
      values.values.insert(values.values.end(), p.value.values.begin(), p.value.values.end());
    }
  }
  layout.shape = {ssize(layout.values)};
  values.shape = {ssize(values.values)};
  return {{"class_log_prior", "log probability of each class", class_log_prior_},
          {"densities", "the parameters of the density of each class, one after the other", values},
          {"layout", "what they are: names and shapes", layout}};
}

GenerativeClassifier GenerativeClassifier::from_parameters(std::span<const Parameter> parameters) {
  const Array& prior = get_parameter(parameters, "class_log_prior", std::array<Index, 1>{-1});
  const Array& values = get_parameter(parameters, "densities", std::array<Index, 1>{-1});
  const Array& codes = get_parameter(parameters, "layout", std::array<Index, 1>{-1});
  check_log_prior(prior.values);
  Layout layout(codes.values, values.values);
  const std::string name = layout.text();
  const auto model = std::find_if(models().begin(), models().end(),
                                  [&](const ModelInfo& info) { return info.name == name; });
  if (model == models().end() || !model->abilities.score_samples || model->abilities.labels) {
    fail_parameters("the densities are of no model that has one");
  }
  Densities densities;
  for (Index c = 0; c < prior.rows(); ++c) {
    std::vector<Parameter> of_class;
    for (Index i = layout.number(100); i > 0; --i) of_class.push_back(layout.parameter());
    densities.push_back(model->from_parameters(of_class));
    if (densities.back()->columns() != densities[0]->columns()) {
      fail_parameters("the densities of two classes have different columns");
    }
  }
  if (densities.empty() || !layout.done())
    fail_parameters("the densities are not those of the classes");
  return GenerativeClassifier(prior, std::move(densities));
}

}  // namespace craton
