#pragma once
#include "craton/model/registry.h"
#include "craton/report/pages/page.h"
#include "craton/report/pages/told_rows.h"
#include "craton/report/table_facts.h"
#include "craton/select/comparison.h"

// What a report says, section by section: each says one thing of a model, of its rows, or of what
// the model says of these, and takes only what it needs. report.h puts them together.

namespace craton {

// What a table holds, column by column, and what is odd in it. `guess`: how it was read.
void say_table(const TableFacts& facts, const std::string& guess, Page::Section& section);

// Models beside each other, the best first, and those that cannot take the table, with the reason.
void say_comparison(const Comparison& comparison, Page::Section& section);

// How much each column says to the model: of importance_table().
void say_importance(const ResultTable& importance, const std::string& model,
                    Page::Section& section);

// The strangest rows of a table, and why (outliers.h); where it cannot be modelled so, the reason.
void say_strange(Source& x, const Exec& exec, Page::Section& section);

// What the groups are that the model puts the rows into (profile.h).
void say_groups(const Fitted& fitted, Source& x, const Exec& exec, Page::Section& section);

// What was learned: how, from what, its tables; and notes of the fit.
void say_model(const Fitted& fitted, Page::Section& section);

// All pictures that there are of the model, and of the rows where it shows them.
void say_pictures(const Fitted& fitted, Source& x, const Exec& exec, Page::Section& section);

// What is taken for what, the surest mistakes, and how well the model knows how sure it may be.
// `columns`: those of the rows that say most, first.
void say_mistakes(const ToldRows& rows, Source& x, std::span<const Index> columns,
                  Page::Section& section);
void say_calibration(const ToldRows& rows, Page::Section& section);

// Where things lie, as commands are to name them; "": not in a file.
struct ReportFiles {
  std::string model = {}, data = {};
  std::string fit = {};  // the command that fits the model
};

// What to type to fit such a model to the table in `data`.
std::string fit_command(const Fitted& fitted, const Roles& roles, const std::string& data);

// What to type for answers on new rows, at the shell and in Python; the model's digest.
void say_use(const Fitted& fitted, const ReportFiles& files, Page::Section& section);

}  // namespace craton
