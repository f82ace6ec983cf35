#include "craton/model/any_model.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "craton/base/error.h"
#include "craton/engine/agree.h"
#include "craton/model/fit_steps.h"
#include "craton/model/registry.h"
#include "craton/text/count.h"

// A model behind its steps: rows go through them, and what the model says comes back. All ranks
// leave a call together (engine/agree.h).

namespace craton {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr Exec kHere{.threads = 1};

MemorySource table_of(std::span<const double> row) {
  const Index d = ssize(row);
  return MemorySource({.x = Dense<double>{row.data(), 1, d, d}},
                      {.columns = {}, .target = std::nullopt, .unnamed = d});
}

}  // namespace

AnyModel::AnyModel(Steps steps, std::unique_ptr<PlainModel> model)
    : steps_(std::move(steps)), model_(std::move(model)) {
  if (info().abilities.score_samples) log_volume_ = steps_.log_volume();
}

SteppedRows AnyModel::rows_of(Source& x) const {
  if (!steps_.empty()) check_columns(x, columns());
  return steps_.over(x);
}

// `back`: rows are to be had back, else what is said of them.
const Affine& AnyModel::need_affine(std::string_view what, bool back) const {
  if (const Affine* const affine = steps_.affine()) return *affine;
  const Step::Cause cause = steps_.not_affine();
  throw InputError(Code::kNotAble, {},
                   fmt::format("{} with {} cannot {}: {}", info().name, cause.option, what,
                               back ? cause.loss : cause.deed),
                   fmt::format("Fit without {}.", cause.option));
}

void AnyModel::visit_parameters(ParameterVisitor& v) const {
  steps_.visit_parameters(v);
  model_->visit_parameters(v);
}

void AnyModel::visit_old_parameters(ParameterVisitor& v) const {
  steps_.visit_parameters(v);
  model_->visit_old_parameters(v);
}

// Tables of what a model sees after its steps, as of the rows given: x = y scale + centre of
// values, and deviations times the scale. Where that cannot be done, the title says so.
std::vector<ResultTable> AnyModel::of_given_rows(std::vector<ResultTable> tables) const {
  const Affine* const affine = steps_.affine();
  if (affine != nullptr && affine->is_identity()) return tables;
  // Terms have names of their own; of columns that are not scaled they are what these say.
  const Preparation* const before = preparation_of(*this);
  const bool as_given =
      before == nullptr || (before->affine() != nullptr && before->affine()->is_identity());
  if ((design_of(*this) != nullptr || text_of(*this) != nullptr) && as_given) return tables;
  for (ResultTable& table : tables) {
    ResultTable given = table;
    bool can = false, overflows = false;
    for (ResultColumn& column : given.columns) {
      if (affine == nullptr || !column.measured) continue;
      can = true;
      for (double& v : std::get<ResultColumn::Numbers>(column.cells)) {
        v *= affine->scale_of(column.feature);
        if (!column.deviation) v += affine->centre_of(column.feature);
        overflows = overflows || std::isinf(v);
      }
    }
    if (can && !overflows) {
      table = std::move(given);
    } else {
      table.title += " (of prepared rows)";
    }
  }
  return tables;
}

std::vector<ResultTable> AnyModel::tables(const Schema& schema) const {
  std::vector<ResultTable> all;
  for (const auto& step : steps_.all()) {
    std::ranges::move(step->tables(schema), std::back_inserter(all));
  }
  const Schema seen = steps_.schema(schema);
  const Affine* const affine = steps_.affine();
  std::optional<std::vector<ResultTable>> own;
  if (affine != nullptr && !affine->is_identity()) own = model_->tables_before(seen, *affine);
  std::ranges::move(own ? *std::move(own) : of_given_rows(model_->tables(seen)),
                    std::back_inserter(all));
  return all;
}

std::vector<ResultTable> AnyModel::more_tables(const Schema& schema) const {
  return of_given_rows(model_->more_tables(steps_.schema(schema)));
}

void AnyModel::predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const {
  agree(exec, [&] { model_->predict(*rows_of(x), labels, exec); });
}

void AnyModel::predict_log_proba(Source& x, std::span<double> out, const Exec& exec) const {
  agree(exec, [&] { model_->predict_log_proba(*rows_of(x), out, exec); });
}

void AnyModel::predict_numbers(Source& x, std::span<double> out, const Exec& exec) const {
  agree(exec, [&] { model_->predict_numbers(*rows_of(x), out, exec); });
}

// Log densities of prepared rows become those of the rows.
void AnyModel::add_volume(ResultTable& rows) const {
  for (ResultColumn& column : rows.columns) {
    if (!column.log_density) continue;
    for (double& v : std::get<ResultColumn::Numbers>(column.cells)) v += log_volume_;
  }
}

ResultTable AnyModel::intervals(Source& x, double level, const Exec& exec) const {
  if (!(level > 0 && level < 1)) {
    throw InputError(Code::kBadOption, {},
                     {"the level of intervals, {}, is not between 0 and 1", level},
                     "Give a probability, such as 0.95.");
  }
  ResultTable rows{"rows", "rows"};
  agree(exec, [&] { model_->intervals(*rows_of(x), level, rows, exec); });
  add_volume(rows);
  return rows;
}

void AnyModel::score_samples(Source& x, std::span<double> out, const Exec& exec) const {
  agree(exec, [&] { model_->score_samples(*rows_of(x), out, exec); });
  if (steps_.empty()) return;
  for (double& v : out) v += log_volume_;
}

double AnyModel::score(Source& x, const Exec& exec) const {
  const double score = agree(exec, [&] { return model_->score(*rows_of(x), exec); });
  return info().score == ScoreKind::kLogDensity ? score + log_volume_ : score;
}

std::vector<Measure> AnyModel::measures(Source& x, const Exec& exec) const {
  std::vector<Measure> all = agree(exec, [&] { return model_->measures(*rows_of(x), exec); });
  for (Measure& m : all) {
    if (m.kind == ScoreKind::kLogDensity) m.value += log_volume_;
  }
  return all;
}

void AnyModel::transform(Source& x, std::span<double> out, const Exec& exec) const {
  agree(exec, [&] { model_->transform(*rows_of(x), out, exec); });
}

Sample AnyModel::sample(Index rows, std::uint64_t seed) const {
  const Affine& affine = need_affine("sample rows", true);
  Sample drawn = model_->sample(rows, seed);
  if (affine.is_identity()) return drawn;
  for (Index i = 0; i < rows; ++i) {
    affine.restore(&drawn.x.values[usize(i * columns())], columns());
  }
  return checked(std::move(drawn));
}

std::vector<double> AnyModel::cdf(std::span<const double> x, const Exec& exec) const {
  const Affine& affine = need_affine("give its distribution", false);
  std::vector<double> prepared(x.begin(), x.end());
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i])) {
      throw InputError(Code::kNotFinite, {.row = static_cast<Index>(i)},
                       "the value is missing, so nothing is known to lie below it",
                       "Leave it out.");
    }
    prepared[i] = (x[i] - affine.centre_of(0)) / affine.scale_of(0);
  }
  return model_->cdf(prepared, exec);
}

std::vector<double> AnyModel::quantile(std::span<const double> p, const Exec& exec) const {
  const Affine& affine = need_affine("give its distribution", true);
  for (const double v : p) {
    if (v > 0 && v < 1) continue;
    throw InputError(Code::kBadOption, {}, fmt::format("there is no quantile of p = {}", v),
                     "Give probabilities between 0 and 1.");
  }
  std::vector<double> found = model_->quantile(p, exec);
  if (!affine.is_identity()) {
    for (double& v : found) affine.restore(&v, 1);
  }
  return found;
}

Bytes AnyModel::statistics(Source& x, const Exec& exec) const {
  return agree(exec, [&] { return model_->statistics(*rows_of(x), exec); });
}

Bytes AnyModel::merge_statistics(const Bytes& a, const Bytes& b) const {
  return model_->merge_statistics(a, b);
}

double AnyModel::entropy(Source& x, const Exec& exec) const {
  return agree(exec, [&] { return model_->entropy(*rows_of(x), exec); });
}

Index AnyModel::free_parameters(std::span<const NamedOption> options) const {
  if (info().abilities.free_parameters && !counts_parameters()) {
    throw InputError(Code::kNotAble, {},
                     "a kernel density estimate keeps every value, and nothing counts these as "
                     "parameters: it has no AIC and no BIC",
                     {"Compare fits by {}.", Ref::either("'craton cv'", "cross-validation")});
  }
  return model_->free_parameters(options);
}

void AnyModel::contributions(const Chunk& chunk, Index row, Index label,
                             std::span<double> out) const {
  if (steps_.empty() || (text_of(*this) != nullptr && steps_.all().size() == 1)) {
    return model_->contributions(chunk, row, label, out);
  }
  const Index d = model_->columns();
  std::vector<double> given(usize(shape_of(chunk.x).cols)), work(usize(steps_.row_room(d)));
  std::visit([&](const auto& x) { copy_row(x, row, given.data()); }, chunk.x);
  std::vector<Inner> inside;
  for (const Inner& inner : chunk.inner) inside.push_back(inner.slice({row, row + 1}));
  if (text_of(*this) != nullptr) {
    Steps rest;
    for (const auto& step : steps_.all().subspan(1)) rest.add(step->copy());
    Chunk prepared = chunk;
    prepared.first_row += row;
    prepared.x = Dense<double>{rest.do_row(given.data(), d, work.data()), 1, d, d};
    prepared.inner = inside;
    return model_->contributions(prepared, 0, label, out);
  }
  Chunk one = chunk;
  one.first_row += row;
  one.x = Dense<double>{steps_.do_row(given.data(), d, work.data()), 1, d, d};
  std::vector<double> of_terms(usize(d + 1));
  model_->contributions(one, 0, label, of_terms);
  out[0] = of_terms[0];
  steps_.add_up(std::span(of_terms).subspan(1), out.subspan(1));
}

void AnyModel::tell_row(const Chunk& chunk, Index row, double* out) {
  std::visit([&](const auto& x) { copy_row(x, row, out); }, chunk.x);
  out += shape_of(chunk.x).cols;
  for (const Inner& inner : chunk.inner) copy_row(inner, row, out);
}

SteppedRows AnyModel::told_rows(Source& x) const {
  SteppedRows rows(x);
  if (const TextStep* const text = text_of(*this)) rows.add(text->over(x));
  return rows;
}

Schema AnyModel::told_schema(const Schema& schema) const {
  const TextStep* const text = text_of(*this);
  if (text == nullptr) return schema;
  Schema told = *text->schema(schema);
  for (const InnerTable& inner : told.inner) {
    if (text->place() != TextPlace::kBeside) continue;  // then columns have its codes
    for (Index code = 0; code < inner.codes; ++code) told.columns.push_back({inner.level(code)});
  }
  if (text->place() == TextPlace::kBeside) told.inner.clear();
  return told;
}

Index AnyModel::told_columns() const {
  const TextStep* const text = text_of(*this);
  return columns() + (text == nullptr ? 0 : text->columns());
}

// w . (x - c) / s + b = (w / s) . x + b - (w / s) . c
LinearForm AnyModel::linear_form() const {
  if (const Design* const design = design_of(*this)) {
    const Preparation* const before = preparation_of(*this);
    if (before != nullptr && before->affine() == nullptr) need_affine("give a linear form", false);
    const Affine scaled = before == nullptr ? Affine{} : *before->affine();
    return checked(in_given_columns(model_->linear_form(), *design, scaled));
  }
  const Affine& affine = need_affine("give a linear form", false);
  LinearForm form = model_->linear_form();
  if (affine.is_identity()) return form;
  if (!form.terms.empty()) {
    throw InputError(Code::kNotAble, {},
                     fmt::format("{} is linear in terms of scaled columns", info().name),
                     "Fit without scale.");
  }
  for (Index c = 0; c < form.coef.rows(); ++c) {
    for (Index j = 0; j < form.coef.cols(); ++j) {
      double& w = form.coef.values[usize(c * form.coef.cols() + j)];
      w /= affine.scale_of(j);
      form.intercept.values[usize(c)] -= w * affine.centre_of(j);
    }
  }
  return checked(std::move(form));
}

// With y = (x - c) / s the same, for y' Q y + l . y + k: Q_ij / (s_i s_j), and so on.
std::vector<Boundary> AnyModel::boundaries() const {
  const Affine& affine = need_affine("give boundaries", false);
  std::vector<Boundary> all = model_->boundaries();
  if (affine.is_identity()) return all;
  const Index d = columns();
  for (Boundary& b : all) {
    for (Index i = 0; i < d; ++i) b.linear.values[usize(i)] /= affine.scale_of(i);
    for (Index i = 0; i < d && !b.quadratic.empty(); ++i) {
      for (Index j = 0; j < d; ++j) {
        b.quadratic.values[usize(i * d + j)] /= affine.scale_of(i) * affine.scale_of(j);
      }
    }
    for (Index i = 0; i < d; ++i) b.constant -= b.linear.values[usize(i)] * affine.centre_of(i);
    for (Index i = 0; i < d && !b.quadratic.empty(); ++i) {
      for (Index j = 0; j < d; ++j) {
        const double q = b.quadratic.values[usize(i * d + j)];
        b.constant += q * affine.centre_of(i) * affine.centre_of(j);
        b.linear.values[usize(i)] -= q * affine.centre_of(j);
        b.linear.values[usize(j)] -= q * affine.centre_of(i);
      }
    }
    for (double& point : b.points) affine.restore(&point, 1);
  }
  return checked(std::move(all));
}

ResultTable AnyModel::diagnose(Source& x, const Exec& exec) const {
  const Abilities& able = info().abilities;
  if (!able.diagnose) {
    throw InputError(Code::kNotAble, {}, fmt::format("{} cannot diagnose rows", info().name),
                     {"{} lists what each model can do.", Ref::verb("models")});
  }
  const std::size_t n = usize(x.shape().rows), k = usize(classes());
  ResultTable rows{"rows", "rows"};
  std::vector<std::int32_t> labels(able.predict ? n : 0);
  if (able.predict) {
    predict(x, labels, exec);
    rows.add_numbers("label", {labels.begin(), labels.end()}, {0, Digits::Form::kDecimals});
  }
  if (able.predict && able.predict_log_proba) {
    std::vector<double> log_p(n * k), of_label(n);
    predict_log_proba(x, log_p, exec);
    for (std::size_t i = 0; i < n; ++i) of_label[i] = log_p[i * k + usize(labels[i])];
    rows.add_probabilities("probability", of_label);
  }
  if (able.predict_numbers) {
    std::vector<double> numbers(n);
    predict_numbers(x, numbers, exec);
    rows.add_numbers("prediction", std::move(numbers));
  }
  if (able.score_samples) {
    std::vector<double> log_density(n);
    score_samples(x, log_density, exec);
    rows.add_numbers("log_density", std::move(log_density));
  }
  agree(exec, [&] { model_->diagnose(*rows_of(x), rows, exec); });
  add_volume(rows);
  return rows;
}

void name_labels(ResultTable& rows, const Schema& schema) {
  if (!schema.target) return;
  for (ResultColumn& column : rows.columns) {
    if (column.name != "label" || column.numbers() == nullptr) continue;
    ResultColumn::Words names;
    for (const double label : *column.numbers()) {
      names.push_back(label_name(schema, static_cast<Index>(label)));
    }
    column.cells = std::move(names);
  }
}

// A row after the steps, and what the model works on; no row: it has another width.
struct AnyModel::OneRow {
  const double* row = nullptr;
  double* work = nullptr;
};

AnyModel::OneRow AnyModel::one_row(std::span<const double> row, RowWork& work) const {
  CRATON_ASSERT(work.size() >= row_work());
  const Index d = model_->columns();
  if (ssize(row) != steps_.inputs(d) || text_of(*this) != nullptr) return {};
  return {steps_.do_row(row.data(), d, work.data()), work.data() + steps_.row_room(d)};
}

Index AnyModel::row_work() const {
  if (const TextStep* const text = text_of(*this)) {
    text->get_ready();
    return model_->entries_work();
  }
  return model_->row_work() + steps_.row_room(model_->columns());
}

// The short way where the model has one, else the long way: a table of one row.
std::int32_t AnyModel::predict_row(std::span<const double> row, RowWork& work) const {
  const OneRow one = one_row(row, work);
  std::int32_t label = one.row == nullptr ? -1 : model_->try_predict(one.row, one.work);
  if (label >= 0) return label;
  MemorySource x = table_of(row);
  predict(x, {&label, 1}, kHere);
  return label;
}

void AnyModel::predict_log_proba_row(std::span<const double> row, RowWork& work,
                                     std::span<double> out) const {
  CRATON_ASSERT(ssize(out) == classes());
  const OneRow one = one_row(row, work);
  if (one.row != nullptr && model_->try_log_proba(one.row, one.work, out.data())) return;
  MemorySource x = table_of(row);
  predict_log_proba(x, out, kHere);
}

double AnyModel::score_row(std::span<const double> row, RowWork& work) const {
  const OneRow one = one_row(row, work);
  double log_density = one.row == nullptr ? kNaN : model_->try_score(one.row, one.work);
  if (!std::isnan(log_density)) return steps_.empty() ? log_density : log_density + log_volume_;
  MemorySource x = table_of(row);
  score_samples(x, {&log_density, 1}, kHere);
  return log_density;
}

double AnyModel::predict_number_row(std::span<const double> row, RowWork& work) const {
  const OneRow one = one_row(row, work);
  double number = one.row == nullptr ? kNaN : model_->try_number(one.row, one.work);
  if (!std::isnan(number)) return number;
  MemorySource x = table_of(row);
  predict_numbers(x, {&number, 1}, kHere);
  return number;
}

const TextStep& AnyModel::need_text() const {
  if (const TextStep* const text = text_of(*this)) return *text;
  throw InputError(Code::kNotAble, {},
                   fmt::format("this {} was not fitted on texts, and reads none", info().name),
                   "Give it rows of numbers, or fit it on a column of text.");
}

// None: there are steps behind that of texts, which take tables.
std::optional<Sparse<double>> AnyModel::row_of(std::string_view text, RowWork& work) const {
  CRATON_ASSERT(work.size() >= row_work());
  const TextStep& step = need_text();
  if (steps_.all().size() > 1 || step.place() == TextPlace::kPositions) return std::nullopt;
  TextWork& own = work.of_texts();
  own.row.offsets.clear();
  own.row.columns.clear();
  own.row.values.clear();
  const Index offsets[] = {0, ssize(text)};
  step.count({text.data(), offsets, 1}, own.count, own.row);
  return Sparse<double>{own.row.offsets.data(), own.row.columns.data(), own.row.values.data(), 1,
                        step.columns()};
}

namespace {

// A table of one text.
class OneText {
 public:
  explicit OneText(std::string_view text) : offsets_{0, ssize(text)} {
    Schema schema;
    schema.texts.push_back({"text", ColumnKind::kText});
    source_.emplace(
        Memory{.x = Dense<double>{nullptr, 1, 0, 0}, .texts = {Texts{text.data(), offsets_, 1}}},
        std::move(schema));
  }
  Source& source() { return *source_; }

 private:
  Index offsets_[2];
  std::optional<MemorySource> source_;
};

}  // namespace

std::int32_t AnyModel::predict_text(std::string_view text, RowWork& work) const {
  const std::optional<Sparse<double>> row = row_of(text, work);
  std::int32_t label = row ? model_->try_predict(*row, work.data()) : -1;
  if (label >= 0) return label;
  OneText table(text);
  predict(table.source(), {&label, 1}, kHere);
  return label;
}

void AnyModel::predict_log_proba_text(std::string_view text, RowWork& work,
                                      std::span<double> out) const {
  CRATON_ASSERT(ssize(out) == classes());
  const std::optional<Sparse<double>> row = row_of(text, work);
  if (row && model_->try_log_proba(*row, work.data(), out.data())) return;
  OneText table(text);
  predict_log_proba(table.source(), out, kHere);
}

namespace {

constexpr double kLowest = std::numeric_limits<double>::lowest();

void check_numbers(std::span<const double> values, double least = kLowest) {
  const auto fine = [&](double v) { return v >= least && v <= std::numeric_limits<double>::max(); };
  if (std::all_of(values.begin(), values.end(), fine)) return;
  throw InputError(Code::kNotFinite, {}, "numbers that the model gives rise to overflow",
                   "They are too large or too far from 0: fit on rescaled columns.");
}

}  // namespace

Sample checked(Sample sample) {
  check_numbers(sample.x.values);
  return sample;
}

LinearForm checked(LinearForm form) {
  check_numbers(form.coef.values);
  check_numbers(form.intercept.values, -std::numeric_limits<double>::infinity());
  return form;
}

std::vector<Boundary> checked(std::vector<Boundary> boundaries) {
  for (Boundary& b : boundaries) {
    check_numbers(b.quadratic.values);
    check_numbers(b.linear.values);
    check_numbers({&b.constant, 1});
    std::erase_if(b.points, [](double point) { return !std::isfinite(point); });
  }
  return boundaries;
}

}  // namespace craton
