#include "craton/report/pages/sections.h"

#include <fmt/core.h>

#include <cmath>

#include "craton/base/error.h"
#include "craton/draw/curve.h"
#include "craton/report/fit_facts.h"
#include "craton/report/pictures.h"
#include "craton/report/result_text.h"
#include "craton/report/words.h"
#include "craton/select/regression_metrics.h"

namespace craton {
namespace {

using Kind = Page::Words::Kind;

std::string names_of(const std::vector<Column>& columns) {
  std::vector<std::string> names;
  for (const Column& column : columns) names.push_back(column.name);
  return listed(names, 30);
}

std::string target_of(const Schema& schema) {
  const Column& target = *schema.target;
  return fmt::format("{} ({})", target.name,
                     schema.number_target() ? "a number" : listed(target.levels, 12));
}

// Where label a was told as b, as a table of counts.
ResultTable matrix_table(const Confusion& confusion) {
  ResultTable table{.name = "confusion",
                    .title = "True labels (rows), and what they were taken for (columns)"};
  table.add_words("", confusion.labels);
  const Dense<double> matrix = confusion.matrix.view();
  for (Index b = 0; b < matrix.cols; ++b) {
    std::vector<double> column;
    for (Index a = 0; a < matrix.rows; ++a) column.push_back(matrix.row(a)[b]);
    table.add_numbers(confusion.labels[usize(b)], std::move(column),
                      {0, Digits::Form::kDecimalsIfAny});
  }
  return table;
}

ResultTable scores_table(const Confusion& confusion) {
  ResultTable table{.name = "classes", .title = "Each label by itself"};
  table.add_words("label", confusion.labels);
  table.add_numbers(confusion.weighted ? "weight" : "rows", confusion.rows,
                    {6, Digits::Form::kSignificant});
  table.add_numbers("precision", confusion.scores.precision, {.count = 3});
  table.add_numbers("recall", confusion.scores.recall, {.count = 3});
  table.add_numbers("f1", confusion.scores.f, {.count = 3});
  for (std::size_t j = 2; j < table.columns.size(); ++j) table.columns[j].lacks = true;
  return table;
}

void say_confusion(const ToldRows& rows, Page::Section& section) {
  constexpr std::size_t kMostInMatrix = 12;
  const Confusion confusion = find_confusion(rows);
  const Index wrong = count_mistakes(rows);
  double all = 0;
  for (const double weight : confusion.rows) all += weight;
  std::string text = confusion.weighted
                         ? fmt::format("{} of {} were taken for something else.",
                                       plural(wrong, "row"), rows.rows())
                         : fmt::format("{} of {} were taken for something else ({}).", wrong,
                                       plural(static_cast<Index>(all), "row"),
                                       percent(static_cast<double>(wrong) / std::max(all, 1.0)));
  double most = 0;  // of one label for one other
  std::size_t from = 0, to = 0;
  for (std::size_t a = 0; a < confusion.labels.size() && !confusion.matrix.empty(); ++a) {
    for (std::size_t b = 0; b < confusion.labels.size(); ++b) {
      const double here = confusion.matrix.view().row(static_cast<Index>(a))[b];
      if (a == b || !(here > most)) continue;
      most = here;
      from = a;
      to = b;
    }
  }
  if (most > 0 && confusion.labels.size() > 2) {
    text += fmt::format(" Most often {} was taken for {}: {} times.", confusion.labels[from],
                        confusion.labels[to], shown(most));
  }
  section.add(Page::Words{text});
  if (confusion.labels.size() <= kMostInMatrix && !confusion.matrix.empty()) {
    section.add(Page::Table{matrix_table(confusion)});
  }
  section.add(Page::Table{.table = scores_table(confusion), .most = 100});
}

void say_residuals(const ToldRows& rows, Page::Section& section) {
  std::vector<double> truth, numbers, weights;
  for (std::size_t i = 0; i < rows.numbers.size(); ++i) {
    if (!std::isfinite(rows.numbers[i]) || !std::isfinite(rows.true_numbers[i])) continue;
    truth.push_back(rows.true_numbers[i]);
    numbers.push_back(rows.numbers[i]);
    if (!rows.weights.empty()) weights.push_back(rows.weights[i]);
  }
  if (truth.empty()) return;
  const NumberPairs pairs{truth, numbers, weights};
  section.add(
      Page::Words{fmt::format("{} is missed by {} in the mean, by at most {} in half of the rows; "
                              "R\u00b2 {} over all of them together.",
                              rows.schema.target->name, shown(mean_absolute_error(pairs)),
                              shown(median_absolute_error(pairs)), shown(explained(pairs).r2()))});
}

}  // namespace

void say_model(const Fitted& fitted, Page::Section& section) {
  const Schema& schema = fitted.schema;
  Page::Facts facts;
  facts.facts = {{"model", fmt::format("{}: {}", fitted.info().name, fitted.info().help)},
                 {"options", changed_options(fitted)},
                 {"fit", course_of(fitted)},
                 {"objective",
                  fmt::format("{} ({})", shown(fitted.report.objective), fitted.info().objective)}};
  if (schema.size() > 0) {
    const std::string names =
        schema.columns.empty() ? fmt::format("1 to {}", schema.size()) : names_of(schema.columns);
    facts.facts.push_back({"learned from", names});
  }
  if (!schema.texts.empty()) facts.facts.push_back({"words of", names_of(schema.texts)});
  if (schema.target) facts.facts.push_back({"tells", target_of(schema)});
  section.add(std::move(facts));
  for (const Note& note : fitted.report.notes) {
    section.add(Page::Words{note.text.plain(), Kind::kNote});
  }
  if (!fitted.report.converged) {
    section.add(Page::Words{"The fit stopped before it had converged: what follows may still move.",
                            Kind::kWarning});
  }
  const std::vector<ResultTable> tables = fitted.model->tables(schema);
  for (const ResultTable& table : all_tables(fitted)) {
    const bool first = std::ranges::any_of(
        tables, [&](const ResultTable& shown_first) { return shown_first.name == table.name; });
    section.add(Page::Table{.table = table, .folded = !first});
  }
}

void say_pictures(const Fitted& fitted, Source& x, const Exec& exec, Page::Section& section) {
  std::vector<std::string> none;
  const Abilities& able = fitted.info().abilities;
  const bool truth = !(able.labels || able.numbers) || x.schema().target;  // which rows show
  for (const Picture& picture : pictures()) {
    if (!picture.able(fitted) || (picture.needs_rows && !truth)) continue;
    try {
      const PlotColumns columns;  // those that tell most
      section.add(Page::Picture{draw_picture(picture.name, fitted, &x, columns, exec),
                                std::string(picture.help)});
    } catch (const InputError& error) {
      none.push_back(fmt::format("{}: {}", picture.name, error.complaint().plain()));
    }
  }
  for (const std::string& why : none) {
    section.add(Page::Words{"There is no picture of its " + why + ".", Kind::kNote});
  }
}

void say_mistakes(const ToldRows& rows, Source& x, std::span<const Index> columns,
                  Page::Section& section) {
  constexpr Index kMost = 30, kMostColumns = 8;
  if (rows.labelled()) {
    say_confusion(rows, section);
  } else {
    say_residuals(rows, section);
  }
  const std::vector<Index> which = mistaken_rows(rows, kMost);
  if (which.empty()) return;
  section.add(
      Page::Table{.table = mistakes_table(rows, x, which, columns, kMostColumns), .most = kMost});
}

void say_calibration(const ToldRows& rows, Page::Section& section) {
  constexpr double kFar = 0.05;
  if (!rows.labelled() || rows.proba.empty()) return;
  const ResultTable table = calibration_table(rows);
  if (table.rows() == 0) return;
  const auto &p = *table.columns[0].numbers(), &right = *table.columns[1].numbers();
  const double error = calibration_error(table);
  double sum_p = 0, sum_right = 0, all = 0;
  for (Index i = 0; i < table.rows(); ++i) {
    const double n = table.columns[4].numbers()->at(usize(i));
    sum_p += n * p[usize(i)];
    sum_right += n * right[usize(i)];
    all += n;
  }
  section.add(Page::Words{fmt::format(
      "It was {} sure in the mean, and right for {} of the rows. Row by row the two differ by {} "
      "(the expected calibration error): {}.",
      percent(sum_p / all), percent(sum_right / all), percent(error),
      error <= kFar       ? "its probabilities can be taken as they are"
      : sum_p > sum_right ? "it is too sure of itself"
                          : "it could be surer")});
  Curve picture{.title = "How sure it was, and how often it was right",
                .subtitle = plural(static_cast<Index>(all), "row"),
                .x_name = "mean p of the label told",
                .y_name = "share that is right"};
  picture.series.push_back({.name = "as told", .x = p, .y = right});
  picture.series.push_back({.name = "as it should be", .x = {0, 1}, .y = {0, 1}, .faint = true});
  section.add(Page::Picture{draw_curve(picture), "On the line, p can be trusted."});
  section.add(Page::Table{table});
}

}  // namespace craton
