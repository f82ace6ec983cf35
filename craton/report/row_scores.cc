#include "craton/report/row_scores.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "craton/base/digits.h"
#include "craton/base/error.h"
#include "craton/base/random.h"
#include "craton/model/fit_steps.h"
#include "craton/select/cross_validation.h"
#include "craton/tables/view.h"

namespace craton {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kLeastGain = 2;      // row_scores.h says why
constexpr double kStrange = 0.05;     // a tail probability that asks for reasons
constexpr double kLeastShare = 0.05;  // of the loudest gain
constexpr Index kMostDraws = Index{1} << 23, kFewestDraws = 500;  // values of draws; rows
constexpr Index kMostTried = Index{1} << 26;                      // values of all rows to try
constexpr Index kBatch = Index{1} << 20;                          // and of those at once
constexpr Index kValues = 33, kFewestValues = 5, kFiner = 9;      // of a column to try
constexpr Index kFewestExplained = 20;

// A table of rows that are made up, with the columns of the model.
class MadeRows {
 public:
  MadeRows(const Schema& schema, Index columns, bool numbers) : columns_(columns) {
    schema_.columns = schema.columns;
    schema_.unnamed = columns;
    if (numbers) schema_.target = schema.target;
  }
  void add(std::span<const double> row, double target) {
    values_.insert(values_.end(), row.begin(), row.end());
    if (schema_.target) targets_.push_back(target);
  }
  const double* row(Index i) const { return &values_[usize(i * columns_)]; }
  std::span<double> last() { return std::span(values_).last(usize(columns_)); }
  Index size() const { return ssize(values_) / columns_; }
  void clear() {
    values_.clear();
    targets_.clear();
  }
  MemorySource source() const {
    return MemorySource(
        {.x = Dense<double>{values_.data(), size(), columns_, columns_}, .targets = targets_},
        schema_);
  }

 private:
  Index columns_;
  Schema schema_;
  std::vector<double> values_, targets_;
};

// How usual rows are to a model.
class Usualness {
 public:
  Usualness(const Fitted& fitted, Source& x) : fitted_(&fitted) {
    const Abilities& able = fitted.info().abilities;
    if (able.score_samples) {
      name_ = "log_density";
    } else if (able.predict_numbers && fitted.schema.target && has_targets(x)) {
      name_ = "residual";
    } else if (!able.predict_numbers && able.diagnose && gives_distance(x)) {
      name_ = "distance";
    } else if (able.predict_log_proba) {
      name_ = "label";
    } else {
      const bool numbers = able.predict_numbers;
      throw InputError(
          Code::kNotAble, {},
          fmt::format("{} says of a row {}, and so none is strange", fitted.info().name,
                      numbers ? "what number to expect" : "which label it has"),
          numbers
              ? Message("Give the column with the numbers that there are: {}.",
                        Ref::flag("target", "COLUMN"))
              : Message("Models with a density are: {}.", models_that(&Abilities::score_samples)));
    }
  }

  const std::string& name() const { return name_; }

  std::vector<double> of(Source& x, const Exec& exec) const {
    const std::size_t n = usize(x.shape().rows);
    const AnyModel& model = *fitted_->model;
    std::vector<double> usual(n);
    if (name_ == "log_density") {
      model.score_samples(x, usual, exec);
    } else if (name_ == "distance") {
      const ResultTable rows = model.diagnose(x, exec);
      usual = *rows.find("distance")->numbers();
      for (double& v : usual) v = -v;
    } else if (name_ == "residual") {
      model.predict_numbers(x, usual, exec);
      const std::vector<double> truth = numbers_of(x, exec);
      for (std::size_t i = 0; i < n; ++i) usual[i] = -std::abs(truth[i] - usual[i]);
    } else {
      const std::size_t k = usize(model.classes());
      std::vector<double> log_p(n * k);
      model.predict_log_proba(x, log_p, exec);
      std::vector<std::int32_t> labels =
          x.schema().target ? labels_of(x, exec) : labels_now(x, exec);
      if (labels.empty()) labels = labels_now(x, exec);
      for (std::size_t i = 0; i < n; ++i) {
        usual[i] = labels[i] < 0 ? 0 : log_p[i * k + usize(labels[i])];
      }
    }
    return usual;
  }

 private:
  static bool has_targets(Source& x) {
    Block block;
    Chunk chunk;
    x.fetch({0, std::min<Index>(1, x.shape().rows)}, block);
    x.decode(block, chunk);
    return !chunk.targets.empty();
  }
  bool gives_distance(Source& x) const {
    View first(x);
    first.slice({0, std::min<Index>(1, x.shape().rows)});
    const ResultTable rows = fitted_->model->diagnose(first, {.threads = 1});
    return rows.find("distance") != nullptr;
  }
  std::vector<std::int32_t> labels_now(Source& x, const Exec& exec) const {
    std::vector<std::int32_t> labels(usize(x.shape().rows));
    fitted_->model->predict(x, labels, exec);
    return labels;
  }

  const Fitted* fitted_;
  std::string name_;
};

// Rows that are usual: the model's own, or where it draws none those of the table.
Array usual_rows(const Fitted& fitted, Source& x, const RowScoreOptions& options, bool drawn) {
  constexpr std::uint64_t kOwn = 0x6F77'6E20'726F'7773;  // not the seed that others draw with
  const Index d = std::max<Index>(fitted.model->columns(), 1);
  const Index most =
      std::clamp(kMostDraws / d, std::min(kFewestDraws, options.draws), options.draws);
  if (drawn) return fitted.model->sample(most, mix(options.seed, kOwn)).x;
  const Index n = x.shape().rows, count = std::min(n, most);
  std::vector<Index> rows(usize(count));
  for (Index i = 0; i < count; ++i) rows[usize(i)] = i * n / count;
  Array some{{count, d}, std::vector<double>(usize(count * d))};
  x.gather(rows, some.values);
  return some;
}

// What a column has in usual rows.
struct ColumnValues {
  std::vector<double> to_try;  // ascending
  bool whole = true;           // only whole numbers: nothing lies between them
  double median = kNaN, low = kNaN, high = kNaN, deviation = kNaN;
};

double quantile(std::span<const double> sorted, double level) {
  const double at = level * static_cast<double>(sorted.size() - 1);
  const std::size_t i = static_cast<std::size_t>(at);
  const double rest = at - static_cast<double>(i);
  return i + 1 < sorted.size() ? sorted[i] + rest * (sorted[i + 1] - sorted[i]) : sorted[i];
}

ColumnValues values_of(const Array& rows, Index column, Index most) {
  constexpr double kQuartiles = 1.349;  // the interquartile range of a standard normal
  std::vector<double> sorted;
  for (Index i = 0; i < rows.rows(); ++i) {
    const double v = rows.values[usize(i * rows.cols() + column)];
    if (!std::isnan(v)) sorted.push_back(v);
  }
  ColumnValues result;
  if (sorted.empty()) return result;
  std::ranges::sort(sorted);
  result.whole = std::ranges::all_of(sorted, [](double v) { return v == std::floor(v); });
  result.median = quantile(sorted, 0.5);
  result.low = quantile(sorted, 0.025);
  result.high = quantile(sorted, 0.975);
  result.deviation = (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / kQuartiles;
  std::vector<double>& values = result.to_try;
  std::ranges::unique_copy(sorted, std::back_inserter(values));
  if (ssize(values) <= most) return result;
  values.clear();
  for (Index i = 0; i < most; ++i) {
    const std::size_t at = usize((2 * i + 1) * ssize(sorted) / (2 * most));
    if (values.empty() || values.back() != sorted[at]) values.push_back(sorted[at]);
  }
  return result;
}

// Finds reasons of rows: one more round of values, finer about the best one, follows the first.
class Reasons {
 public:
  Reasons(const Fitted& fitted, const Usualness& measure, const Array& usual, Index explained,
          const Exec& exec)
      : fitted_(fitted), measure_(measure), exec_(exec), columns_(usual.cols()) {
    const Index room = kMostTried / std::max<Index>(1, explained * columns_ * columns_);
    const Index most = std::clamp(room - kFiner, kFewestValues, kValues);
    for (Index j = 0; j < columns_; ++j) values_.push_back(values_of(usual, j, most));
  }

  // How many rows there is room for.
  static Index room(Index columns) {
    const Index a_row = columns * columns * (kValues + kFiner);
    return std::max(kMostTried / std::max<Index>(a_row, 1), kFewestExplained);
  }

  // Of rows with these values, targets and measures.
  std::vector<std::vector<ColumnReason>> of(const Array& rows, std::span<const double> targets,
                                            std::span<const double> usual) {
    best_.assign(rows.values.size(), {});
    for (std::size_t i = 0; i < best_.size(); ++i) best_[i].value = rows.values[i];
    run(rows, targets, usual, false);
    run(rows, targets, usual, true);
    std::vector<std::vector<ColumnReason>> all(usize(rows.rows()));
    for (Index i = 0; i < rows.rows(); ++i) {
      for (Index j = 0; j < columns_; ++j) {
        const Best& best = best_[usize(i * columns_ + j)];
        const ColumnValues& v = values_[usize(j)];
        all[usize(i)].push_back(
            {j, rows.values[usize(i * columns_ + j)], best.value, best.gain, false, v.low, v.high});
      }
    }
    return all;
  }

  // Where no column alone makes a row strange: how far out each lies by itself.
  void look_at_each(std::vector<ColumnReason>& reasons) const {
    for (ColumnReason& reason : reasons) {
      const ColumnValues& v = values_[usize(reason.column)];
      const double z = (reason.value - v.median) / v.deviation;
      reason.alone = true;
      reason.suits = v.median;
      reason.gain = std::isfinite(z) ? z * z / 2 : 0;
    }
  }

 private:
  struct Best {
    double value = 0, gain = 0;
  };

  std::vector<double> to_try(Index column, const Best& best, bool finer) const {
    const ColumnValues& v = values_[usize(column)];
    if (!finer) return v.to_try;
    if (v.whole || v.to_try.size() < 2 || best.gain == 0) return {};
    const auto at = std::ranges::lower_bound(v.to_try, best.value);
    const double left = at == v.to_try.begin() ? *at : *(at - 1);
    const double right = at + 1 >= v.to_try.end() ? v.to_try.back() : *(at + 1);
    std::vector<double> result;
    for (Index i = 1; i <= kFiner; ++i) {
      const double part = static_cast<double>(i) / (kFiner + 1);
      result.push_back(left + part * (right - left));
    }
    return result;
  }

  void run(const Array& rows, std::span<const double> targets, std::span<const double> usual,
           bool finer) {
    const bool numbers = !targets.empty();
    MadeRows made(fitted_.schema, columns_, numbers);
    std::vector<Index> cells;  // what each made row tries
    const auto look = [&] {
      if (cells.empty()) return;
      MemorySource source = made.source();
      const std::vector<double> found = measure_.of(source, exec_);
      for (std::size_t t = 0; t < cells.size(); ++t) {
        Best& best = best_[usize(cells[t])];
        const double before = usual[usize(cells[t] / columns_)];
        const double gain = found[t] == before ? 0 : found[t] - before;
        if (!(gain > best.gain)) continue;
        best = {made.row(static_cast<Index>(t))[cells[t] % columns_], gain};
      }
      made.clear();
      cells.clear();
    };
    for (Index i = 0; i < rows.rows(); ++i) {
      const std::span<const double> row(&rows.values[usize(i * columns_)], usize(columns_));
      for (Index j = 0; j < columns_; ++j) {
        const Index cell = i * columns_ + j;
        if (std::isnan(row[usize(j)])) continue;  // nothing there is strange
        for (const double value : to_try(j, best_[usize(cell)], finer)) {
          made.add(row, numbers ? targets[usize(i)] : 0);
          made.last()[usize(j)] = value;
          cells.push_back(cell);
        }
        if (made.size() * columns_ >= kBatch) look();
      }
    }
    look();
  }

  const Fitted& fitted_;
  const Usualness& measure_;
  const Exec& exec_;
  Index columns_;
  std::vector<ColumnValues> values_;
  std::vector<Best> best_;
};

void keep_loudest(std::vector<ColumnReason>& reasons, Index most, double least) {
  std::ranges::stable_sort(
      reasons, [](const ColumnReason& a, const ColumnReason& b) { return a.gain > b.gain; });
  const double loudest = reasons.empty() ? 0 : reasons[0].gain;
  std::erase_if(reasons, [&](const ColumnReason& r) {
    return r.gain < least || r.gain == 0 ||
           (std::isfinite(loudest) && r.gain < kLeastShare * loudest);
  });
  if (ssize(reasons) > most) reasons.resize(usize(most));
}

void find_reasons(const Fitted& fitted, Source& x, const Usualness& measure, const Array& usual,
                  const RowScoreOptions& options, RowScores& scores, const Exec& exec) {
  const Index columns = fitted.model->columns();
  if (text_of(*fitted.model) != nullptr || columns == 0) return;
  Index explained = std::min({options.explained, x.shape().rows, Reasons::room(columns)});
  // Of a row that is usual nothing is to be explained.
  const auto strange = [&](Index i) {
    return scores.tails.empty() || scores.tails[usize(scores.by_rank[usize(i)])] <= kStrange;
  };
  while (explained > kFewestExplained && !strange(explained - 1)) --explained;
  if (explained == 0) return;
  const std::span<const Index> rows(scores.by_rank.data(), usize(explained));
  Array values{{explained, columns}, std::vector<double>(usize(explained * columns))};
  x.gather(rows, values.values);
  std::vector<double> own(rows.size()), targets;
  for (std::size_t i = 0; i < rows.size(); ++i) own[i] = scores.usual[usize(rows[i])];
  if (measure.name() == "residual") {
    const std::vector<double> all = numbers_of(x, exec);
    for (const Index row : rows) targets.push_back(all[usize(row)]);
  }
  const bool density = measure.name() == "log_density";
  Reasons finder(fitted, measure, usual, explained, exec);
  scores.reasons = finder.of(values, targets, own);
  for (std::size_t i = 0; i < scores.reasons.size(); ++i) {
    std::vector<ColumnReason>& reasons = scores.reasons[i];
    std::vector<ColumnReason> each = reasons;
    keep_loudest(reasons, options.most_reasons, density ? kLeastGain : 0);
    if (!reasons.empty() || !density || !strange(static_cast<Index>(i))) continue;
    finder.look_at_each(each);
    keep_loudest(each, options.most_reasons, kLeastGain);
    reasons = std::move(each);
  }
}

}  // namespace

RowScores find_row_scores(const Fitted& fitted, Source& x, const Exec& exec,
                          const RowScoreOptions& options) {
  const Index n = x.shape().rows;
  if (n == 0) {
    throw InputError(Code::kNoRows, {.file = x.name()}, "there is no row to score",
                     "Give a table with rows; rows with missing values may have been left out.");
  }
  check_columns(x, fitted.model->columns());
  const AnyModel& model = *fitted.model;
  const Abilities& able = fitted.info().abilities;
  const Usualness measure(fitted, x);
  RowScores scores{.measure = measure.name(), .usual = measure.of(x, exec)};
  scores.by_rank.resize(usize(n));
  std::iota(scores.by_rank.begin(), scores.by_rank.end(), 0);
  std::ranges::stable_sort(scores.by_rank, [&](Index a, Index b) {
    return scores.usual[usize(a)] < scores.usual[usize(b)];
  });
  if (able.predict) {
    scores.labels.resize(usize(n));
    model.predict(x, scores.labels, exec);
  }
  if (able.predict && able.predict_log_proba) {
    const std::size_t k = usize(model.classes());
    std::vector<double> log_p(usize(n) * k);
    model.predict_log_proba(x, log_p, exec);
    for (std::size_t i = 0; i < usize(n); ++i) {
      scores.probabilities.push_back(std::exp(log_p[i * k + usize(scores.labels[i])]));
    }
  }
  if (able.predict_numbers) {
    scores.predictions.resize(usize(n));
    model.predict_numbers(x, scores.predictions, exec);
  }
  const bool affine = model.steps().empty() || model.steps().affine() != nullptr;
  const bool texts = text_of(model) != nullptr;
  const bool draws = able.sample && measure.name() == "log_density" && affine && !texts;
  if (texts) return scores;
  const Array usual = usual_rows(fitted, x, options, draws);
  if (draws) {
    MadeRows drawn(fitted.schema, model.columns(), false);
    for (Index i = 0; i < usual.rows(); ++i) {
      drawn.add({&usual.values[usize(i * usual.cols())], usize(usual.cols())}, 0);
    }
    MemorySource source = drawn.source();
    std::vector<double> own = measure.of(source, exec);
    std::ranges::sort(own);
    for (const double v : scores.usual) {
      const auto at = std::ranges::upper_bound(own, v);
      scores.tails.push_back(static_cast<double>(1 + (at - own.begin())) /
                             static_cast<double>(1 + ssize(own)));
    }
  }
  find_reasons(fitted, x, measure, usual, options, scores, exec);
  return scores;
}

namespace {

std::string value_text(const Column& column, double value, double spread) {
  if (column.kind == ColumnKind::kCategory) {
    const Index code = static_cast<Index>(value);
    return code >= 0 && code < ssize(column.levels) ? column.levels[usize(code)]
                                                    : fmt::format("{}", value);
  }
  return spread == 0 ? fmt::format("{:.6g}", value + 0.0) : shown_beside(value, spread, 3);
}

// A name that is a number would look like a value.
std::string name_of(const Column& column) {
  const char first = column.name.empty() ? '0' : column.name[0];
  return (first >= '0' && first <= '9') || first == '-' ? "column " + column.name : column.name;
}

}  // namespace

std::string reason_text(std::span<const ColumnReason> reasons, const Schema& schema) {
  std::string text;
  for (const ColumnReason& r : reasons) {
    const bool first = text.empty();
    const Column column = schema.column(r.column);
    const double spread = r.high > r.low ? r.high - r.low : 0;
    text +=
        fmt::format("{}{} {}", first ? "" : ", ", name_of(column), value_text(column, r.value, 0));
    if (r.alone) {
      text += fmt::format(" ({}{} to {})", first ? "usual: " : "",
                          value_text(column, r.low, spread), value_text(column, r.high, spread));
    } else {
      text += fmt::format(" ({}{})", value_text(column, r.suits, spread),
                          first ? " suits the rest" : "");
    }
  }
  return text;
}

namespace {

// Both tables: of these rows, in this order.
ResultTable table_of(const RowScores& scores, const Fitted& fitted, const Source& x,
                     std::span<const Index> rows, bool with_line) {
  using Numbers = ResultColumn::Numbers;
  constexpr Digits kCount{0, Digits::Form::kDecimals};
  const auto pick = [&](const auto& all) {
    Numbers numbers;
    for (const Index row : rows) numbers.push_back(static_cast<double>(all[usize(row)]));
    return numbers;
  };
  ResultTable table{"rows", "rows"};
  Numbers numbers, lines;
  for (const Index row : rows) {
    numbers.push_back(static_cast<double>(x.row_in_file(row)));
    lines.push_back(static_cast<double>(x.line_of(row)));
  }
  table.add_numbers("row", std::move(numbers), kCount);
  if (with_line && std::ranges::all_of(lines, [](double line) { return line >= 0; })) {
    table.add_numbers("line", std::move(lines), kCount);
  }
  const bool density = scores.measure == "log_density";
  Numbers usual = pick(scores.usual);
  if (!density && scores.measure != "label") {
    for (double& v : usual) v = -v;
  }
  table.add_numbers(scores.measure == "label" ? "log_probability" : scores.measure,
                    std::move(usual), {.count = 4});
  std::vector<Index> rank(scores.usual.size());
  for (std::size_t i = 0; i < rank.size(); ++i) {
    rank[usize(scores.by_rank[i])] = static_cast<Index>(i) + 1;
  }
  table.add_numbers("rank", pick(rank), kCount);
  if (!scores.tails.empty()) {
    table.add_numbers("tail_probability", pick(scores.tails), {.count = 3});
  }
  if (!scores.labels.empty() && fitted.model->classes() > 1) {
    table.add_numbers("label", pick(scores.labels), kCount);
    if (!scores.probabilities.empty()) {
      table.add_numbers("probability", pick(scores.probabilities), {.count = 4});
    }
  }
  if (!scores.predictions.empty()) table.add_numbers("prediction", pick(scores.predictions));
  if (scores.reasons.empty()) return table;
  Numbers gains;
  ResultColumn::Words words;
  for (const Index row : rows) {
    const Index at = rank[usize(row)] - 1;
    const std::span<const ColumnReason> why =
        at < ssize(scores.reasons) ? scores.reasons[usize(at)] : std::span<const ColumnReason>();
    gains.push_back(why.empty() ? kNaN : why[0].gain);
    words.push_back(reason_text(why, fitted.schema));
  }
  table.add_numbers("gain", std::move(gains), {.count = 3}).lacks = true;
  table.add_words("because", std::move(words));
  return table;
}

}  // namespace

ResultTable row_score_table(const RowScores& scores, const Fitted& fitted, const Source& x) {
  std::vector<Index> rows(scores.usual.size());
  std::iota(rows.begin(), rows.end(), 0);
  ResultTable table = table_of(scores, fitted, x, rows, false);
  name_labels(table, fitted.schema);
  return table;
}

ResultTable strangest_rows(const RowScores& scores, const Fitted& fitted, const Source& x,
                           Index most) {
  const std::size_t count = usize(std::clamp<Index>(most, 0, ssize(scores.by_rank)));
  ResultTable table = table_of(scores, fitted, x, std::span(scores.by_rank).first(count), true);
  std::erase_if(table.columns, [](const ResultColumn& c) { return c.name == "rank"; });
  name_labels(table, fitted.schema);
  table.name = "strangest";
  table.title = "the strangest rows";
  return table;
}

}  // namespace craton
