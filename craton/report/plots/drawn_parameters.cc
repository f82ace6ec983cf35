#include "craton/report/plots/drawn_parameters.h"

#include "craton/model/any_model.h"

namespace craton {
namespace {

bool is_place(std::string_view name) {
  return name == "means" || name == "theta" || name == "cluster_centers";
}
bool is_spread(std::string_view name) {
  return name == "covariances" || name == "covariance" || name == "var";
}

void restore_places(Array& places, const Affine& affine, Index columns) {
  for (Index at = 0; at < ssize(places.values); at += columns) {
    affine.restore(&places.values[usize(at)], columns);
  }
}

// Full (k x d x d), diagonal (k x d) or spherical (k), which becomes diagonal.
void restore_spreads(Array& spreads, const Affine& affine, Index columns) {
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
    spreads.values[usize(at)] *= affine.scale_of(i) * affine.scale_of(j);
  }
}

}  // namespace

std::vector<Parameter> drawn_parameters(const AnyModel& model) {
  const Affine* const affine = model.steps().affine();
  if (affine == nullptr) return {};
  std::vector<Parameter> parameters = model.parameters();
  if (affine->is_identity()) return parameters;
  for (Parameter& p : parameters) {
    if (is_place(p.name)) restore_places(p.value, *affine, model.columns());
    if (is_spread(p.name)) restore_spreads(p.value, *affine, model.columns());
  }
  return parameters;
}

}  // namespace craton
