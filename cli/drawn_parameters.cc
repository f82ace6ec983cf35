#include "cli/drawn_parameters.h"

#include "craton/model/prepared_model.h"

namespace craton::cli {
namespace {

bool is_place(std::string_view name) {
  return name == "means" || name == "theta" || name == "cluster_centers";
}
bool is_spread(std::string_view name) {
  return name == "covariances" || name == "covariance" || name == "var";
}

void restore_places(Array& places, const Preparation& preparation, Index columns) {
  for (Index at = 0; at < ssize(places.values); at += columns) {
    preparation.restore(&places.values[usize(at)], columns);
  }
}

// Full (k x d x d), diagonal (k x d) or spherical (k), which becomes diagonal.
void restore_spreads(Array& spreads, const Preparation& preparation, Index columns) {
  const Index d = columns;
  if (spreads.shape.size() == 1) {
    Array diagonal{{spreads.rows(), d}, {}};
    for (const double v : spreads.values)
      diagonal.values.insert(diagonal.values.end(), usize(d), v);
    spreads = std::move(diagonal);
  }
  const bool full = spreads.shape.size() == 3;
  for (Index at = 0; at < ssize(spreads.values); ++at) {
    const Index j = at % d, i = full ? at / d % d : j;
    spreads.values[usize(at)] *= preparation.scale(i) * preparation.scale(j);
  }
}

}  // namespace

std::vector<Parameter> drawn_parameters(const AnyModel& model) {
  const Preparation* const preparation = preparation_of(model);
  std::vector<Parameter> parameters = model.parameters();
  if (preparation == nullptr) return parameters;
  if (preparation->unit_rows()) return {};
  for (Parameter& p : parameters) {
    if (is_place(p.name)) restore_places(p.value, *preparation, model.columns());
    if (is_spread(p.name)) restore_spreads(p.value, *preparation, model.columns());
  }
  return parameters;
}

bool draws_boundaries(const AnyModel& model) {
  const Preparation* const preparation = preparation_of(model);
  return model.info().abilities.boundaries && (preparation == nullptr || !preparation->unit_rows());
}

}  // namespace craton::cli
