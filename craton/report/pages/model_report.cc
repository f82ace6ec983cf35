#include "craton/report/pages/report.h"

#include <fmt/core.h>

#include <cmath>
#include <numeric>

#include "craton/base/error.h"
#include "craton/report/words.h"
#include "craton/select/guessing.h"

namespace craton {
namespace {

using Kind = Page::Words::Kind;

std::vector<Index> all_columns(const Source& x) {
  std::vector<Index> columns(usize(x.shape().cols));
  std::iota(columns.begin(), columns.end(), 0);
  return columns;
}

// How many rows a model has right, beside what always saying the commonest label has.
void say_accuracy(const ToldRows& rows, Source& x, const Exec& exec, Page::Section& section) {
  const Confusion confusion = find_confusion(rows);
  const ClassTotals totals =
      class_totals({rows.truth, rows.told, rows.weights}, ssize(confusion.labels));
  const double right = accuracy(totals);
  const std::optional<Guessing> guess = find_guessing(x, exec);
  if (!guess || std::isnan(right)) return;
  const std::string guessed = label_name(x.schema(), guess->label);
  section.add(Page::Words{
      fmt::format("It is right for {} of the rows. Always saying '{}' would be right for {}.",
                  percent(right), guessed, percent(guess->accuracy))});
  if (right <= guess->accuracy) {
    section.add(Page::Words{"So it is no better than guessing.", Kind::kWarning});
  }
}

void say_numbers(const Fitted& fitted, Source& x, const Exec& exec, Page::Section& section) {
  const double r2 = fitted.model->score(x, exec);
  const std::optional<MeanGuess> guess = find_mean_guess(x, exec);
  if (!guess || std::isnan(r2)) return;
  section.add(Page::Words{fmt::format(
      "It explains {} of the variance of {}, whose mean is {} (R\u00b2; always saying the mean "
      "explains none).",
      percent(r2), x.schema().target->name, shown(guess->mean))});
  if (r2 <= 0) section.add(Page::Words{"So it is no better than guessing.", Kind::kWarning});
}

// Which labels a model without truth gives, and how many rows each.
void say_shares(const Fitted& fitted, Source& x, const Exec& exec, Page::Section& section) {
  const Index n = x.shape().rows;
  std::vector<std::int32_t> labels(usize(n));
  fitted.model->predict(x, labels, exec);
  std::vector<double> rows(usize(fitted.model->classes()));
  for (const std::int32_t label : labels) {
    if (label >= 0) ++rows[usize(label)];
  }
  ResultTable table{.name = "shares", .title = "The rows by label"};
  table.add_labels("label", fitted.schema, ssize(rows));
  std::vector<double> shares;
  for (const double count : rows) shares.push_back(100 * count / static_cast<double>(n));
  table.add_numbers("rows", rows, {0, Digits::Form::kDecimals});
  table.add_numbers("share", std::move(shares), {1, Digits::Form::kDecimals}).unit = "%";
  section.add(Page::Table{.table = std::move(table)});
}

void say_measures(const Fitted& fitted, Source& x, const Exec& exec, Page::Section& section) {
  const Abilities& able = fitted.info().abilities;
  if ((able.labels || able.numbers) && !x.schema().target) return;  // there is nothing to be right
  if (!able.measures) {
    if (fitted.info().score != ScoreKind::kLogDensity) return;
    section.add(Page::Words{fmt::format("The mean of log p(row) is {} for these rows.",
                                        shown(fitted.model->score(x, exec)))});
    return;
  }
  std::vector<std::string> names;
  std::vector<double> values;
  for (const Measure& measure : fitted.model->measures(x, exec)) {
    names.push_back(measure.name);
    values.push_back(measure.value);
  }
  ResultTable table{.name = "measures", .title = "How well it fits these rows"};
  table.add_words("measure", std::move(names));
  table.add_numbers("value", std::move(values)).lacks = true;
  section.add(Page::Table{.table = std::move(table)});
}

// `told`: null where nothing is known to be true of the rows.
void say_in_short(const Fitted& fitted, Source& x, const ToldRows* told, const Exec& exec,
                  Page::Section& section) {
  if (told != nullptr && told->labelled()) say_accuracy(*told, x, exec, section);
  if (told != nullptr && !told->labelled()) say_numbers(fitted, x, exec, section);
  if (told != nullptr) {
    const Message other{
        "If the model has learned from these very rows, it will tell other rows "
        "less well: {} says how well.",
        Ref::verb("cv")};
    section.add(Page::Words{other.plain(), Kind::kNote});
  }
  if (told == nullptr && fitted.info().abilities.predict) say_shares(fitted, x, exec, section);
  say_measures(fitted, x, exec, section);
}

}  // namespace

Page report_model(const Fitted& fitted, Source& x, const ReportFiles& files, const Exec& exec) {
  const std::string rows = plural(x.shape().rows, "row"), name = base_name(x.name());
  Page page{.title = (fitted.schema.target ? fitted.schema.target->name + " by " : "") +
                     std::string(fitted.info().name),
            .subtitle = name.empty() ? rows : fmt::format("{}: {}", name, rows)};
  const std::optional<ToldRows> told = tell_rows(fitted, x, exec);
  say_in_short(fitted, x, told ? &*told : nullptr, exec, page.add("In short"));
  say_model(fitted, page.add("The model"));
  say_pictures(fitted, x, exec, page.add("Pictures"));
  if (told) say_mistakes(*told, x, all_columns(x), page.add("Mistakes"));
  if (told) say_calibration(*told, page.add("How sure it may be"));
  say_use(fitted, files, page.add("How to use it"));
  return page;
}

}  // namespace craton
