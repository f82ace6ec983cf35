#pragma once
#include "craton/model/registry.h"
#include "craton/tables/design.h"
#include "craton/tables/preparation.h"
#include "craton/text/text_step.h"

// How fits go through steps: learned before the model is, done again when it learns on, read back
// from a file. The report of a fit is in the units of the rows; a model sees its own, after the
// steps.

namespace craton {

// What a fit asks of its rows.
struct StepOptions {
  PreparationOptions preparation = {};
  std::optional<TextOptions> text = {};      // none: it sees no texts
  TextPlace place = TextPlace::kColumns;     // of these
  std::optional<DesignOptions> design = {};  // none: the model sees columns as they are
  bool intercept = true, sparse = false;     // of the model: Design::Setting
};

// What becomes of the texts of a model that takes some.
TextPlace text_place(const Abilities& able);

// Those that the options ask for, learned from the rows in one go after another: texts are counted,
// rows are filled in and scaled, then made into terms. And rows to fit on: those of a table in
// memory are made once, and kept. Borrows the table, and the steps where they are.
struct LearnedSteps {
  Steps steps;
  std::unique_ptr<Source> counted = {};  // texts, in memory or on disk, where the table is
  std::vector<Note> notes = {};          // for the report

  SteppedRows rows_to_fit(Source& x, const Exec& exec) const;
  SteppedRows rows_so_far(Source& x) const;
};
LearnedSteps learn_steps(Source& x, const StepOptions& options, const Exec& exec);
SteppedRows rows_to_fit(const Steps& steps, Source& x, const Exec& exec);
// What a model that sees texts was given: nothing else, unless they lie beside the columns.
Schema given_schema(Schema schema, const StepOptions& options);

// Those of a model that goes on. InputError (kBadOption) when the options are not those that
// `so_far` was fitted with.
Steps steps_to_go_on(const Fitted& so_far, const StepOptions& options);
// To merge, models must prepare rows alike: InputError (kBadOption) otherwise. Of texts, the words
// of both unite, and columns move: those of a and of b are at these places of `columns`. None: the
// columns are what they were.
struct UnitedSteps {
  Steps steps;
  std::vector<Index> places_of_a = {}, places_of_b = {};
  Index columns = 0;
  std::vector<Note> notes = {};
};
UnitedSteps unite_steps(const Fitted& a, const Fitted& b);
// Those of a model that learns on from more rows: of texts, new words join the others. Where they
// cannot, as the others were chosen or weighed, or the model does not let columns be added, they
// are passed over, and a note says how many there are.
UnitedSteps grow_steps(const Fitted& so_far, Source& x, bool may_grow, const Exec& exec);

// The report of the model with its steps, from that of the plain model; and back.
FitReport with_steps(FitReport report, const AnyModel& model);
FitReport plain_report(const Fitted& fitted);

// A model from all its parameters, by `make` from its own. `terms`: it may have some.
std::unique_ptr<AnyModel> make_with_steps(
    const ParameterList& parameters, bool terms,
    FunctionRef<std::unique_ptr<PlainModel>(const ParameterList&)> make);

// What prepares the rows of a model; null: nothing does.
const Preparation* preparation_of(const AnyModel& model);
// What makes them into terms; null: nothing does.
const Design* design_of(const AnyModel& model);
// What counts the words of their texts; null: nothing does.
const TextStep* text_of(const AnyModel& model);

}  // namespace craton
