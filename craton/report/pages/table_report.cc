#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "craton/base/error.h"
#include "craton/base/random.h"
#include "craton/draw/intervals.h"
#include "craton/report/next_commands.h"
#include "craton/report/outliers.h"
#include "craton/report/pages/report.h"
#include "craton/report/profile.h"
#include "craton/report/words.h"
#include "craton/select/importance.h"
#include "craton/select/leaks.h"
#include "craton/select/model_choice.h"
#include "craton/tables/preparation.h"

// A report of a table: what is in it; what tells its target best, or which groups it falls into;
// and that model, as a report of a model says it, with its rows held out.

namespace craton {
namespace {

using Kind = Page::Words::Kind;

const ColumnFacts* facts_of(const TableFacts& facts, const std::string& name) {
  for (const DescribedColumn& of : facts.columns) {
    if (of.column.name == name && of.used()) return &of.facts;
  }
  return nullptr;
}

const Column* column_of(const TableFacts& facts, const std::string& name) {
  for (const DescribedColumn& of : facts.columns) {
    if (of.column.name == name) return &of.column;
  }
  return nullptr;
}

// Whether a column is learned as classes: words, or few whole numbers.
bool is_of_classes(const TableFacts& facts, const std::string& target) {
  constexpr Index kFew = 10;
  const Column* const column = column_of(facts, target);
  const ColumnFacts* const of = facts_of(facts, target);
  if (column == nullptr || of == nullptr || column->kind == ColumnKind::kCategory) return true;
  return of->whole && of->distinct >= 0 && of->distinct <= kFew;
}

// Every model that learns from such a target. A bandwidth by rows left out takes time that grows
// with the square of the rows: of many it is a rule's.
std::vector<Contestant> all_contestants(const TableFacts& facts, const Roles& roles) {
  constexpr Index kManyValues = 2000;
  const bool classes = is_of_classes(facts, roles.target);
  std::vector<Contestant> all;
  for (const ModelInfo& model : models()) {
    if (!(classes ? model.abilities.labels : model.abilities.numbers)) continue;
    Contestant one{.name = std::string(model.name), .trial = {.model = &model}};
    if (facts.shape.rows * facts.shape.cols > kManyValues && has_option(model, "bandwidth") &&
        model.abilities.numbers) {
      one.trial.options = {{"bandwidth", std::string("silverman")}};
    }
    all.push_back(std::move(one));
  }
  return all;
}

bool has_missing(const TableFacts& facts, const std::string& target) {
  return std::ranges::any_of(facts.columns, [&](const DescribedColumn& of) {
    return of.used() && of.facts.missing > 0 && of.column.name != target;
  });
}

OpenedTable again(const OpenedTable& table) {
  return {table.source->reopen(), table.notes, table.guess, table.in_file};
}

// Whether a model wants all values: it says so, or when it is tried on some rows.
bool wants_all_values(const Trial& trial, const OpenedTable& table, const Roles& roles,
                      const Exec& exec) {
  constexpr Index kTried = 300;
  if (!trial.model->abilities.missing) return true;
  try {
    ModelTable data =
        table_to_fit(*trial.model, again(table), roles, false, exec, [](std::span<const Note>) {});
    data.view->slice({0, std::min(kTried, data.size())});
    trial.model->fit(data.source(), trial.options, exec);
    return false;
  } catch (const InputError& error) {
    return error.code() == Code::kNotFinite;
  }
}

RowSet drawn_rows(Index rows, Index drawn) {
  std::vector<Index> order(usize(rows));
  Random(0, Purpose::kSplit).permutation(order);
  std::vector<bool> is_drawn(usize(rows));
  for (Index i = 0; i < drawn; ++i) is_drawn[usize(order[usize(i)])] = true;
  return RowSet::where(rows, [&](Index row) { return is_drawn[usize(row)]; });
}

// Rows that have the target, if there is one; of many, so many that are drawn.
OpenedTable some_rows(const OpenedTable& table, const std::string& target, Index most,
                      const Exec& exec) {
  const std::unique_ptr<Source> all = table.source->reopen();
  const Index n = all->shape().rows, column = target.empty() ? -1 : all->schema().find(target);
  auto view = std::make_unique<View>(table.source->reopen());
  Index known = n;
  if (column >= 0) {
    View only(*all);
    only.select({.columns = {{.from = column}}});
    RowSet complete = RowSet::complete(only, exec);
    known = complete.size();
    if (known < n) view->rows(std::move(complete));
  }
  if (known > most) view->rows(drawn_rows(known, most));
  return {std::move(view), table.notes, table.guess, table.in_file};
}

std::string share_words(const TableFacts& facts) {
  constexpr std::size_t kMost = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, facts.classes.size()); ++i) {
    const Share& share = facts.classes[i];
    text += fmt::format("{}'{}' ({})", i == 0 ? "" : ", ", share.level, percent(share.share));
  }
  if (facts.classes.size() > kMost) {
    text += fmt::format(" and {} more", facts.classes.size() - kMost);
  }
  return text;
}

void say_target(const TableFacts& facts, const Roles& roles, Page::Section& section) {
  const ColumnFacts* const of = facts_of(facts, roles.target);
  if (of == nullptr) return;
  if (is_of_classes(facts, roles.target)) {
    if (facts.classes.empty()) return;
    section.add(Page::Words{
        fmt::format("What is to be told is {}: {}.", roles.target, share_words(facts))});
    return;
  }
  section.add(Page::Words{fmt::format(
      "What is to be told is {}, a number from {} to {}: {} in the mean, with a standard deviation "
      "of {}.",
      roles.target, shown(of->least), shown(of->greatest), shown(of->mean), shown(of->deviation))});
}

std::string with_error(const Estimate& estimate) {
  return std::isnan(estimate.error) ? shown(estimate.mean)
                                    : fmt::format("{:.3g} ± {:.2g}", estimate.mean, estimate.error);
}

void say_best(const Comparison& comparison, Page::Section& section) {
  const Verdict& verdict = comparison.verdict;
  const Metric& metric = *comparison.metrics[0];
  const Compared& best = comparison.models[usize(verdict.best)];
  std::string text =
      fmt::format("Of {} models {} does best: {} {} on rows that it has not seen ({}).",
                  comparison.models.size(), best.name, metric.name,
                  with_error(estimate(best.results, 0)), metric.help);
  if (!comparison.guessing.empty()) {
    text += fmt::format(" Guessing reaches {}.", with_error(estimate(comparison.guessing, 0)));
  }
  section.add(Page::Words{text});
  if (std::ranges::find(verdict.misjudged, verdict.best) != verdict.misjudged.end()) {
    section.add(
        Page::Words{"It is surer than it should be, or less sure: its probabilities are not "
                    "to be taken as they are.",
                    Kind::kWarning});
  }
  if (verdict.is_worse(verdict.best)) {
    section.add(Page::Words{"No model is better than guessing: these columns do not tell it.",
                            Kind::kWarning});
  }
}

// Columns that tell what is asked for by themselves, or only which row it is.
void say_leaks(Source& x, const Exec& exec, Page::Section& section) {
  for (const Leak& leak : find_leaks(x, exec)) {
    section.add(Page::Words{note_of(leak, x.schema()).text.plain(), Kind::kWarning});
  }
}

// The columns of the rows, the most important first.
std::vector<Index> by_importance(const ResultTable& importance, const Schema& schema) {
  std::vector<Index> columns;
  for (const std::string& name : *importance.columns[0].words()) {
    if (const Index column = schema.find(name); column >= 0) columns.push_back(column);
  }
  return columns;
}

}  // namespace

void say_importance(const ResultTable& importance, const std::string& model,
                    Page::Section& section) {
  constexpr Index kMostDrawn = 20;
  const auto& names = *importance.columns[0].words();
  const auto &means = *importance.columns[1].numbers(), &errors = *importance.columns[2].numbers();
  std::string first;
  Intervals picture{.title = "What each column says to " + model,
                    .subtitle =
                        "how much worse it does on rows held out when the column is "
                        "shuffled, with two errors",
                    .x_name = importance.columns[1].name};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool sure = means[i] > 2 * errors[i];
    if (i < 3 && sure) first += (first.empty() ? "" : ", ") + names[i];
    if (static_cast<Index>(i) >= kMostDrawn) continue;
    picture.intervals.push_back({.name = names[i],
                                 .estimate = means[i],
                                 .low = means[i] - 2 * errors[i],
                                 .high = means[i] + 2 * errors[i]});
  }
  section.add(Page::Words{
      first.empty()
          ? "No column by itself is missed when it is shuffled: each says what others say, "
            "or nothing."
          : fmt::format("{} says most by: {}.", model, first)});
  section.add(Page::Picture{draw_intervals(picture)});
  section.add(Page::Table{.table = importance});
}

void say_table(const TableFacts& facts, const std::string& guess, Page::Section& section) {
  section.add(Page::Facts{{{"file", facts.name.empty() ? "a table" : facts.name},
                           {"read as", guess},
                           {"rows", std::to_string(facts.shape.rows)},
                           {"columns", std::to_string(facts.columns.size())}}});
  for (const Note& note : facts.notes) section.add(Page::Words{note.text.plain(), Kind::kNote});
  const bool number = !facts.target.empty() && !is_of_classes(facts, facts.target);
  for (ResultTable& table : tables_of(facts)) {
    if (number && table.name == "classes") continue;  // it would be a list of numbers
    section.add(Page::Table{.table = std::move(table), .most = 100});
  }
}

void say_comparison(const Comparison& comparison, Page::Section& section) {
  const std::vector<const Metric*>& metrics = comparison.metrics;
  const Verdict& verdict = comparison.verdict;
  ResultTable table{
      .name = "models",
      .title = fmt::format("{} models on rows held out in {} folds; {}", comparison.models.size(),
                           comparison.models[0].results.size(),
                           metrics[0]->higher_is_better
                               ? std::string(metrics[0]->name) + ": higher is better"
                               : std::string(metrics[0]->name) + ": lower is better")};
  std::vector<std::size_t> order(comparison.models.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const double sign = metrics[0]->higher_is_better ? -1 : 1;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    return std::pair(static_cast<Index>(i) != verdict.best,
                     sign * estimate(comparison.models[i].results, 0).mean);
  });
  std::vector<std::string> names, remarks;
  std::vector<double> columns;
  for (const std::size_t i : order) {
    names.push_back(comparison.models[i].name);
    columns.push_back(static_cast<double>(comparison.models[i].columns));
    const auto is_in = [&](const std::vector<Index>& list) {
      return std::ranges::find(list, static_cast<Index>(i)) != list.end();
    };
    remarks.push_back(static_cast<Index>(i) == verdict.best ? "best"
                      : is_in(verdict.worse)                ? "no better than guessing"
                      : is_in(verdict.close)                ? "may be as good as the best"
                      : is_in(verdict.misjudged)            ? "not as sure as it should be"
                                                            : "");
  }
  const bool guessed = !comparison.guessing.empty();
  if (guessed) {
    names.emplace_back("(guessing)");
    columns.push_back(0);
    remarks.emplace_back("");
  }
  table.add_words("model", std::move(names));
  for (Index m = 0; m < ssize(metrics); ++m) {
    std::vector<double> means, errors;
    const auto add = [&](const Results& results) {
      const Estimate one = estimate(results, m);
      means.push_back(one.mean);
      errors.push_back(one.error);
    };
    for (const std::size_t i : order) add(comparison.models[i].results);
    if (guessed) add(comparison.guessing);
    const std::string name(metrics[usize(m)]->name);
    table.add_numbers(name, std::move(means), {.count = 4}).lacks = true;
    ResultColumn& error = table.add_numbers(name + "_error", std::move(errors), {.count = 2});
    error.deviation = error.lacks = true;
  }
  table.add_numbers("columns", std::move(columns), {0, Digits::Form::kDecimals});
  table.add_words("", std::move(remarks));
  section.add(Page::Table{.table = std::move(table)});
  if (comparison.failed.empty()) return;
  ResultTable failed{.name = "failed", .title = "Models that cannot take this table"};
  std::vector<std::string> who, why, fix;
  for (const NotCompared& model : comparison.failed) {
    who.push_back(model.name);
    why.push_back(model.why.complaint().plain());
    fix.push_back(model.why.advice().plain());
  }
  failed.add_words("model", std::move(who));
  failed.add_words("why", std::move(why));
  failed.add_words("what helps", std::move(fix));
  section.add(Page::Table{.table = std::move(failed), .folded = true});
}

void say_strange(Source& all, const Exec& exec, Page::Section& section) {
  constexpr Index kMost = 20, kMostLooked = 5000;
  View x(all);
  if (all.shape().rows > kMostLooked) {
    x.rows(drawn_rows(all.shape().rows, kMostLooked));
    const Message note{"Of {} rows, drawn at random; {} looks at all.", kMostLooked,
                       Ref::verb("outliers")};
    section.add(Page::Words{note.plain(), Kind::kNote});
  }
  try {
    const Outliers found = find_outliers(x, exec, {.scores = {.explained = kMost}});
    section.add(Page::Words{fmt::format(
        "{}. {}. These are the rows that are least like the rest, and the columns that make them "
        "so: "
        "where they are wrong, they are worth mending; where they are right, worth knowing.",
        found.model_text(), found.count_text())});
    for (const Note& note : found.notes) {
      section.add(Page::Words{note.text.plain(), Kind::kNote});
    }
    section.add(Page::Table{.table = found.strangest(x, kMost), .most = kMost});
  } catch (const InputError& error) {
    if (error.kind() == ErrorKind::kIo) throw;
    section.add(Page::Words{error.complaint().plain() + ".", Kind::kNote});
  }
}

void say_groups(const Fitted& fitted, Source& x, const Exec& exec, Page::Section& section) {
  for (ResultTable& table : find_profile(fitted, x, exec).tables()) {
    section.add(Page::Table{.table = std::move(table)});
  }
}

namespace {

constexpr Index kMostRows = 20'000, kMostCells = 1'000'000;

void report_target(const OpenedTable& some, const TableFacts& facts, const ReportQuestion& question,
                   const Exec& exec, ReportProgress next, TableReport& report) {
  const Roles& roles = question.roles;
  if (is_of_classes(facts, roles.target) && facts.classes.size() == 1) {
    throw InputError(
        Code::kBadTarget, {.file = facts.name, .column = roles.target},
        fmt::format("the target is always '{}': there is nothing to tell", facts.classes[0].level),
        "Name another column.");
  }
  std::vector<Contestant> contestants =
      question.models.empty() ? all_contestants(facts, roles) : question.models;
  if (has_missing(facts, roles.target) && roles.missing != Missing::kSkip) {
    for (Contestant& one : contestants) {
      if (fills(one.trial.options) || !wants_all_values(one.trial, some, roles, exec)) continue;
      one.trial.options.emplace_back("fill", std::string("median"));
    }
  }
  const auto tell = [&](std::span<const Note> notes) {
    for (const Note& note : notes) report.notes.push_back(note);
  };
  const Comparison comparison = compare_models(
      some, roles, std::move(contestants), question.compare, exec, tell,
      [&](Index done, Index all, const std::string& model) { next(done, all, model); });
  const Compared& best = comparison.models[usize(comparison.verdict.best)];
  ModelTable data =
      table_to_fit(*best.trial.model, {some.source->reopen(), some.notes, some.guess, some.in_file},
                   roles, fills(best.trial.options), exec, [](std::span<const Note>) {});
  report.model = best.trial.model->fit(data.source(), best.trial.options, exec);
  Fitted& fitted = *report.model;
  Predictions held_out;
  const std::vector<Folds> splits = split_rows(data, roles, question.compare.folds, exec);
  const std::span<const Folds> once(splits.data(), 1);
  const Results results =
      cross_validate(data.source(), once, best.trial,
                     {.metrics = comparison.metrics, .keep = &held_out, .shuffles = Shuffles{}},
                     exec, [](Index) {});
  const ResultTable importance = importance_table(results, data.schema(), *comparison.metrics[0]);
  const ToldRows told = tell_rows(data.source(), std::move(held_out), exec);
  const std::vector<Index> columns = by_importance(importance, data.schema());
  Page& page = report.page;
  Page::Section& in_short = page.sections.front();
  say_target(facts, roles, in_short);
  say_best(comparison, in_short);
  say_leaks(data.source(), exec, in_short);
  say_comparison(comparison, page.add("Models compared"));
  say_importance(importance, best.name, page.add("What tells it"));
  Page::Section& model = page.add("The model: " + best.name);
  if (!best.left_out.empty()) {
    model.add(Page::Words{fmt::format("{} takes {} only, and leaves out {}.", best.name,
                                      best.texts ? "the text" : "numbers", listed(best.left_out)),
                          Kind::kNote});
  }
  say_model(fitted, model);
  Page::Section& drawn = page.add("Pictures");
  drawn.add(Page::Words{"Of the model, and of the rows that it has learned from.", Kind::kNote});
  say_pictures(fitted, data.source(), exec, drawn);
  say_mistakes(told, data.source(), columns, page.add("Mistakes on rows held out"));
  say_calibration(told, page.add("How sure it may be"));
  say_strange(*some.source, exec, page.add("Rows to check"));
}

// A Gaussian mixture where there is room for covariances, else one of columns by themselves.
const ModelInfo& model_of_groups(const Source& x) {
  constexpr Index kMostColumns = 20, kRowsPerColumn = 10;
  const Schema& schema = x.schema();
  bool numbers = true;
  for (Index j = 0; j < schema.size(); ++j) {
    numbers = numbers && schema.column(j).kind == ColumnKind::kNumber;
  }
  const Index d = schema.size();
  return find_model(
      numbers && d <= kMostColumns && x.shape().rows >= kRowsPerColumn * d ? "gmm" : "mixture");
}

void report_groups(const OpenedTable& some, const ReportQuestion& question, const Exec& exec,
                   ReportProgress next, TableReport& report) {
  const ModelInfo& model = model_of_groups(*some.source);
  const std::vector<NamedOption> options{model.abilities.missing
                                             ? NamedOption{"n_init", Index{kSweepStarts}}
                                             : NamedOption{"fill", std::string("median")}};
  const auto tell = [&](std::span<const Note> notes) {
    for (const Note& note : notes) report.notes.push_back(note);
  };
  ModelTable data =
      table_to_fit(model, {some.source->reopen(), some.notes, some.guess, some.in_file},
                   question.roles, fills(options), exec, tell);
  const std::vector<Setting> settings = settings_of(model, {.options = options});
  ModelChoice choice =
      choose_model(model, data.source(), settings, find_choice_criterion(model, ""), exec,
                   [&](Index i) { next(i, ssize(settings), settings[usize(i)].name()); });
  report.model = std::move(choice.fits[usize(choice.best)].fitted);
  Fitted& fitted = *report.model;
  Page& page = report.page;
  Page::Section& in_short = page.sections.front();
  in_short.add(Page::Words{fmt::format("The rows fall into {}, by {}: {}.",
                                       plural(fitted.model->classes(), "group"), model.name,
                                       choice.reasons.empty() ? "" : choice.reasons[0].text)});
  say_groups(fitted, data.source(), exec, page.add("The groups"));
  say_pictures(fitted, data.source(), exec, page.add("Pictures"));
  say_strange(*some.source, exec, page.add("Rows to check"));
  say_model(fitted, page.add("The model: " + std::string(model.name)));
}

}  // namespace

TableReport report_table(const OpenedTable& table, const ReportQuestion& question, const Exec& exec,
                         ReportProgress next) {
  const std::string& target = question.roles.target;
  const Shape shape = table.source->shape();
  const std::string name = base_name(table.source->name());
  constexpr Index kFewest = 10;
  if (shape.rows < kFewest) {
    throw InputError(
        Code::kTooFewRows, {.file = table.source->name()},
        fmt::format("a report is of {} rows or more, and there are {}", kFewest, shape.rows),
        {"{} shows them.", Ref::verb("describe")});
  }
  TableReport report;
  const std::string where = name.empty() ? "a table" : name;
  report.page.title = target.empty() ? where : fmt::format("{} in {}", target, where);
  Page::Section& in_short = report.page.add("In short");
  const TableFacts facts =
      find_table_facts(*table.source, {target, table.in_file, table.notes}, exec);
  report.page.subtitle =
      fmt::format("{}, {}", plural(shape.rows, "row"), plural(ssize(facts.columns), "column"));
  ReportQuestion asked = question;
  const std::vector<std::string> useless =
      question.roles.features.empty() ? useless_columns(facts).all() : std::vector<std::string>{};
  if (!useless.empty() && ssize(useless) < shape.cols) {
    asked.roles.drop.insert(asked.roles.drop.end(), useless.begin(), useless.end());
    in_short.add(Page::Words{
        fmt::format("Left out, as they number the rows, never differ or have no values: {}.",
                    listed(useless)),
        Kind::kNote});
  }
  const Index most =
      std::max<Index>(100, std::min(kMostRows, kMostCells / std::max<Index>(shape.cols, 1)));
  const OpenedTable some = some_rows(table, target, most, exec);
  const Index kept = some.source->shape().rows;
  if (kept < shape.rows) {
    in_short.add(Page::Words{
        fmt::format("The columns are described by all rows. What is learned is learned from {} of "
                    "them{}.",
                    kept,
                    kept == most ? ", drawn at random" : ": the others do not have " + target),
        Kind::kNote});
  }
  say_table(facts, table.guess, report.page.add("The table"));
  if (target.empty()) {
    report_groups(some, asked, exec, next, report);
  } else {
    report_target(some, facts, asked, exec, next, report);
  }
  // A command cannot leave out the rows that have no number to learn from, and those alone.
  const bool all_told = target.empty() || is_of_classes(facts, target) ||
                        facts_of(facts, target) == nullptr || facts_of(facts, target)->missing == 0;
  ReportFiles files = question.files;
  if (!files.data.empty() && all_told) {
    files.fit = fit_command(*report.model, asked.roles, files.data);
  }
  say_use(*report.model, files, report.page.add("How to use it"));
  return report;
}

}  // namespace craton
