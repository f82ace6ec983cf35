#pragma once
#include "craton/base/function_ref.h"
#include "craton/model/registry.h"
#include "craton/tables/prepared_source.h"

// A model that prepares its rows first: to everybody else a model like the others, so nobody can
// forget to. Its parameters are those of the model, for prepared rows; what it says about rows is
// said of rows as they were given: samples come back in their units, log densities are those of
// the rows (with unit_rows: of the rows at length 1).

namespace craton {

// What prepares the rows of a model; null: nothing does.
const Preparation* preparation_of(const AnyModel& model);
// The model that sees prepared rows; the model itself when there is no preparation.
const AnyModel& plain_model(const AnyModel& model);
// The rows as that sees them; nothing when they are what they are.
std::optional<PreparedSource> prepared_rows(const AnyModel& model, Source& x);
// And its report, as the model without preparation would have it.
FitReport plain_report(const Fitted& fitted);

// Fits with `fit`, on rows that are prepared as the options say.
Fitted prepare_and_fit(Source& x, const PreparationOptions& options, const Exec& exec,
                       FunctionRef<Fitted(Source&)> fit);
// The same for rows that come later, or none (null). InputError (kBadOption) when the options are
// not those that `so_far` was fitted with.
Fitted prepare_and_go_on(const Fitted& so_far, Source* x, const PreparationOptions& options,
                         FunctionRef<Fitted(Source*)> go_on);
// To merge, models must prepare rows alike: InputError (kBadOption) otherwise.
void check_same_preparation(const Fitted& a, const Fitted& b);

// Rows that were drawn, and forms of a model, as numbers: InputError (kNotFinite) where they
// overflow. A point beyond all numbers is none; the coefficient of what is impossible may be -inf.
Sample checked(Sample sample);
LinearForm checked(LinearForm form);
std::vector<Boundary> checked(std::vector<Boundary> boundaries);

// A model from all its parameters, by `make` from its own.
std::unique_ptr<AnyModel> make_prepared(
    std::span<const Parameter> parameters,
    FunctionRef<std::unique_ptr<AnyModel>(std::span<const Parameter>)> make);

}  // namespace craton
