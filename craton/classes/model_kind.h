#pragma once
#include <concepts>
#include <span>
#include <utility>
#include <vector>

#include "craton/base/options.h"
#include "craton/base/report.h"
#include "craton/base/source.h"
#include "craton/engine/exec.h"

// A model that comes in several kinds (CountBayes, ProductBayes, Discriminant) is one class, and
// its kind a member. The registry, and people, want a type for each kind, with a name and options
// of its own: ModelKind makes such a type. It adds no data, and only passes calls on.

namespace craton {

// A borrowed fit of a kind of General, seen as one of General: nothing is copied.
template <class General>
struct FitOf {
  template <std::derived_from<General> M>
  FitOf(const Fit<M>& fit) : model(fit.model), report(fit.report), memory(fit.memory) {}

  const General& model;
  const FitReport& report;
  const Lazy<std::vector<Parameter>>& memory;
};

template <class General>
concept MovesColumns = requires(FitOf<General> fit, const typename General::Options& options) {
  General::with_columns(fit, std::span<const Index>(), Index{}, options);
};

// The base of M, which is General of the kind kKind. What a kind is not able to do, M deletes.
template <class M, class General, auto kKind>
class ModelKind : public General {
 public:
  struct Options : General::Options {
    friend void describe(OptionVisitor& v, Options& o) {
      describe(v, kKind, static_cast<typename General::Options&>(o));
    }
  };

  explicit ModelKind(General model) : General(std::move(model)) {}

  static Fit<M> fit(Source& x, const Options& options, const Exec& exec) {
    return as_kind(General::fit(kKind, x, options, exec));
  }
  static Fit<M> partial_fit(const Fit<M>& so_far, Source& x, const Options& options,
                            const Exec& exec) {
    return as_kind(General::partial_fit(so_far, x, options, exec));
  }
  static Fit<M> unlearn(const Fit<M>& so_far, Source& x, const Options& options, const Exec& exec) {
    return as_kind(General::unlearn(so_far, x, options, exec));
  }
  static Fit<M> merge(const Fit<M>& a, const Fit<M>& b, const Options& options) {
    return as_kind(General::merge(a, b, options));
  }
  static Fit<M> with_columns(const Fit<M>& fit, std::span<const Index> places, Index columns,
                             const Options& options) requires MovesColumns<General> {
    return as_kind(General::with_columns(fit, places, columns, options));
  }
  static M from_parameters(const ParameterList& parameters) {
    return M{ModelKind(General::from_parameters(kKind, parameters))};
  }

 private:
  static Fit<M> as_kind(Fit<General> fit) {
    return {M{ModelKind(std::move(fit.model))}, std::move(fit.report), std::move(fit.memory),
            std::move(fit.labels)};
  }
};

}  // namespace craton
