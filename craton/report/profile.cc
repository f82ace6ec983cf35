#include "craton/report/profile.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "craton/base/bytes.h"
#include "craton/base/error.h"
#include "craton/engine/fold.h"
#include "craton/model/fit_steps.h"
#include "craton/tables/order_statistics.h"
#include "craton/tables/row_set.h"
#include "craton/tables/view.h"

namespace craton {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
constexpr Index kLoudest = 2;        // columns that a group is named by
constexpr Index kLevelsTold = 3;     // of a category
constexpr Index kMostGroups = 1000;  // beyond, labels are no groups to be looked at
constexpr Digits kWhole{0, Digits::Form::kDecimals};

// Weight, mean and sum of squares about it, of some values; merged by Chan, Golub and LeVeque's
// formula (1979).
struct Moments {
  double weight = 0, mean = 0, squares = 0;

  void add(double value, double w) {
    if (w == 0) return;
    weight += w;
    const double off = value - mean;
    mean += off * w / weight;
    squares += w * off * (value - mean);
  }
  void merge(const Moments& other) {
    if (other.weight == 0) return;
    const double both = weight + other.weight, off = other.mean - mean;
    squares += other.squares + off * off * weight * other.weight / both;
    mean += off * other.weight / both;
    weight = both;
  }
  double variance() const { return weight > 1 ? squares / (weight - 1) : kNothing; }
};

// Of every group: its rows, moments of every column of numbers, and weights of every level.
class GroupSums {
 public:
  GroupSums(std::span<const std::int32_t> labels, Index groups, const Schema& schema, Index columns)
      : labels_(labels), groups_(groups), columns_(columns), firsts_{0} {
    for (Index j = 0; j < columns; ++j) {
      const Column column = schema.size() == columns ? schema.column(j) : Column{};
      const bool category = column.kind == ColumnKind::kCategory;
      firsts_.push_back(firsts_.back() + (category ? ssize(column.levels) : 0));
    }
    rows_.resize(usize(groups));
    moments_.resize(usize(groups * columns));
    levels_.resize(usize(groups * firsts_.back()));
  }

  void accumulate(const Chunk& chunk) {
    std::vector<double> row(usize(columns_));
    for (Index i = 0; i < chunk.rows(); ++i) {
      std::visit([&](const auto& x) { copy_row(x, i, row.data()); }, chunk.x);
      const Index group = labels_[usize(chunk.first_row + i)];
      const double weight = chunk.weight(i);
      rows_[usize(group)] += weight;
      for (Index j = 0; j < columns_; ++j) {
        const double value = row[usize(j)];
        if (std::isnan(value)) continue;
        of(group, j).add(value, weight);
        const Index levels = levels_of(j), code = static_cast<Index>(value);
        if (code >= 0 && code < levels) {
          levels_[usize(group * firsts_.back() + firsts_[usize(j)] + code)] += weight;
        }
      }
    }
  }
  void merge(const GroupSums& next) {
    for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i] += next.rows_[i];
    for (std::size_t i = 0; i < moments_.size(); ++i) moments_[i].merge(next.moments_[i]);
    for (std::size_t i = 0; i < levels_.size(); ++i) levels_[i] += next.levels_[i];
  }
  void write(Writer& writer) const {
    writer.put(rows_);
    writer.put(moments_);
    writer.put(levels_);
  }
  void read(Reader& reader) {
    reader.get(rows_);
    reader.get(moments_);
    reader.get(levels_);
  }
  Index words() const { return ssize(rows_) + 3 * ssize(moments_) + ssize(levels_); }
  Merge merge_kind() const { return Merge::kTree; }

  Index groups() const { return groups_; }
  Index columns() const { return columns_; }
  Index levels_of(Index column) const {
    return firsts_[usize(column) + 1] - firsts_[usize(column)];
  }
  double rows(Index group) const { return rows_[usize(group)]; }
  const Moments& of(Index group, Index column) const {
    return moments_[usize(group * columns_ + column)];
  }
  // The indicator of a level as a number.
  Moments of_level(Index group, Index column, Index level) const {
    const double n = of(group, column).weight;
    const double w = levels_[usize(group * firsts_.back() + firsts_[usize(column)] + level)];
    return {n, n > 0 ? w / n : 0, n > 0 ? w * (n - w) / n : 0};
  }

 private:
  Moments& of(Index group, Index column) { return moments_[usize(group * columns_ + column)]; }

  std::span<const std::int32_t> labels_;
  Index groups_, columns_;
  std::vector<Index> firsts_;  // of each column, where its levels begin; and their number
  std::vector<double> rows_;
  std::vector<Moments> moments_;
  std::vector<double> levels_;
};

// What sets a group apart in a column, or in a level of it.
struct Apart {
  Index column = 0, level = -1;
  double here = 0, rest = 0, difference = 0, error = 0;
};

Apart difference_of(const Moments& here, const Moments& rest) {
  Apart apart{.here = here.mean, .rest = rest.mean, .difference = kNothing, .error = kNothing};
  const double n = here.weight, m = rest.weight;
  if (n == 0) apart.here = kNothing;
  if (m == 0) apart.rest = kNothing;
  if (n == 0 || m == 0 || n + m <= 2) return apart;
  const double pooled = std::sqrt((here.squares + rest.squares) / (n + m - 2));
  const double off = here.mean - rest.mean;
  if (off == 0) {
    apart.difference = 0;
  } else {
    apart.difference = off / pooled;  // infinite where each has one value
  }
  const double d = std::isfinite(apart.difference) ? apart.difference : 0;
  apart.error = std::sqrt((n + m) / (n * m) + d * d / (2 * (n + m)));
  return apart;
}

// Of two levels one is as frequent as the other is not: it is told which there is more of.
bool louder(const Apart& a, const Apart& b) {
  constexpr double kEqual = 1e-9;
  if (std::isnan(b.difference)) return true;
  const double mine = std::abs(a.difference), other = std::abs(b.difference);
  if (mine > other * (1 + kEqual)) return true;
  return mine >= other * (1 - kEqual) && a.difference > 0 && b.difference < 0;
}

// Of one group, the loudest first; of equals the first.
std::vector<Apart> differences_of(const GroupSums& sums, Index group) {
  std::vector<Apart> all;
  for (Index j = 0; j < sums.columns(); ++j) {
    const Index levels = sums.levels_of(j);
    Apart loudest{.difference = kNothing};
    for (Index level = levels == 0 ? -1 : 0; level < levels; ++level) {
      Moments rest;
      for (Index g = 0; g < sums.groups(); ++g) {
        if (g != group) rest.merge(level < 0 ? sums.of(g, j) : sums.of_level(g, j, level));
      }
      const Moments here = level < 0 ? sums.of(group, j) : sums.of_level(group, j, level);
      Apart apart = difference_of(here, rest);
      apart.column = j;
      apart.level = level;
      if (louder(apart, loudest)) loudest = apart;
    }
    if (!std::isnan(loudest.difference)) all.push_back(loudest);
  }
  std::ranges::stable_sort(all, [](const Apart& a, const Apart& b) {
    return std::abs(a.difference) > std::abs(b.difference);
  });
  return all;
}

std::string level_name(const Schema& schema, const Apart& apart) {
  const Column column = schema.column(apart.column);
  return column.name + " " + column.levels[usize(apart.level)];
}

// "high bill_len, sex male"; a level that is rare here is not: "not island Biscoe".
std::string name_of_group(std::span<const Apart> apart, const Schema& schema) {
  std::string name;
  Index told = 0;
  for (const Apart& a : apart) {
    if (told == kLoudest || !(std::abs(a.difference) > 2 * a.error)) break;
    const bool more = a.difference > 0;
    name +=
        (told++ == 0 ? "" : ", ") + (a.level < 0 ? (more ? "high " : "low ") + schema.name(a.column)
                                                 : (more ? "" : "not ") + level_name(schema, a));
  }
  return name.empty() ? "like the rest" : name;
}

// How typical each row is of its group: the greater, the more.
std::vector<double> typicality(const Fitted& fitted, Source& x,
                               std::span<const std::int32_t> labels, const Exec& exec) {
  const Abilities& able = fitted.info().abilities;
  const AnyModel& model = *fitted.model;
  const std::size_t n = labels.size();
  std::vector<double> result(n);
  if (able.score_samples) model.score_samples(x, result, exec);
  if (able.predict_log_proba) {
    const std::size_t k = usize(model.classes());
    std::vector<double> log_p(n * k);
    model.predict_log_proba(x, log_p, exec);
    for (std::size_t i = 0; i < n; ++i) result[i] += log_p[i * k + usize(labels[i])];
  } else if (able.diagnose) {
    const ResultTable rows = model.diagnose(x, exec);
    const ResultColumn* const distance = rows.find("distance");
    if (distance == nullptr) return {};
    for (std::size_t i = 0; i < n; ++i) result[i] = -(*distance->numbers())[i];
  }
  return result;
}

std::vector<std::vector<Index>> typical_rows(std::span<const double> typical,
                                             std::span<const std::int32_t> labels, Index groups,
                                             Index most) {
  std::vector<std::vector<Index>> rows(usize(groups));
  for (Index i = 0; i < ssize(typical); ++i) {
    rows[usize(labels[usize(i)])].push_back(i);
  }
  for (std::vector<Index>& of : rows) {
    const std::size_t count = usize(std::min(most, ssize(of)));
    std::ranges::partial_sort(of, of.begin() + static_cast<Index>(count), [&](Index a, Index b) {
      const double ta = typical[usize(a)], tb = typical[usize(b)];
      return ta != tb ? ta > tb : a < b;
    });
    of.resize(count);
  }
  return rows;
}

// ---- Tables

std::string group_word(const Fitted& fitted) {
  return fitted.schema.target                    ? "class"
         : fitted.info().abilities.score_samples ? "component"
                                                 : "cluster";
}

ResultTable groups_table(const Fitted& fitted, const GroupSums& sums,
                         std::span<const std::vector<Apart>> apart, const Schema& schema) {
  ResultTable table{"groups", "groups"};
  ResultColumn::Numbers rows, shares;
  ResultColumn::Words names;
  double all = 0;
  for (Index g = 0; g < sums.groups(); ++g) all += sums.rows(g);
  for (Index g = 0; g < sums.groups(); ++g) {
    rows.push_back(sums.rows(g));
    shares.push_back(100 * sums.rows(g) / all);
    names.push_back(sums.rows(g) == 0 ? "no rows" : name_of_group(apart[usize(g)], schema));
  }
  table.add_labels(group_word(fitted), fitted.schema, sums.groups());
  table.add_numbers("rows", std::move(rows));
  table.add_numbers("share", std::move(shares), {1, Digits::Form::kDecimals}).unit = "%";
  table.add_words("name", std::move(names));
  return table;
}

// "Biscoe 44%, Dream 36%": of equals the first.
std::string shares_text(const GroupSums& sums, Index group, Index column, const Column& of) {
  std::vector<std::pair<double, Index>> shares;
  for (Index level = 0; level < sums.levels_of(column); ++level) {
    const double share = sums.of_level(group, column, level).mean;
    if (share > 0) shares.emplace_back(-share, level);
  }
  std::ranges::sort(shares);
  std::string text;
  for (std::size_t i = 0; i < std::min(usize(kLevelsTold), shares.size()); ++i) {
    text += fmt::format("{}{} {:.0f}%", i == 0 ? "" : ", ", of.levels[usize(shares[i].second)],
                        -100 * shares[i].first);
  }
  return shares.size() > usize(kLevelsTold) ? text + ", ..." : text;
}

ResultTable means_table(const Fitted& fitted, const GroupSums& sums, const Schema& schema) {
  ResultTable table{"means", "means (standard deviations), and shares of words"};
  table.add_labels(group_word(fitted), fitted.schema, sums.groups());
  for (Index j = 0; j < sums.columns(); ++j) {
    const Column column = schema.column(j);
    if (sums.levels_of(j) > 0) {
      ResultColumn::Words words;
      for (Index g = 0; g < sums.groups(); ++g) words.push_back(shares_text(sums, g, j, column));
      table.add_words(column.name, std::move(words)).feature = j;
      continue;
    }
    ResultColumn::Numbers means, deviations;
    for (Index g = 0; g < sums.groups(); ++g) {
      const Moments& m = sums.of(g, j);
      means.push_back(m.weight > 0 ? m.mean : kNothing);
      deviations.push_back(std::sqrt(m.variance()));
    }
    table.add_means(column.name, j, std::move(means), std::move(deviations));
  }
  return table;
}

ResultTable medians_table(const Fitted& fitted, const GroupSums& sums, Source& x,
                          std::span<const std::int32_t> labels, const Schema& schema,
                          const Exec& exec) {
  constexpr double kMiddle[] = {0.5};
  ResultTable table{"medians", "medians"};
  std::vector<std::vector<double>> medians;
  for (Index g = 0; g < sums.groups(); ++g) {
    const RowSet rows =
        RowSet::where(ssize(labels), [&](Index row) { return labels[usize(row)] == g; });
    View view(x);
    view.rows(rows);
    medians.push_back(rows.size() == 0 ? std::vector<double>(usize(sums.columns()), kNothing)
                                       : quantiles(view, kMiddle, exec)[0]);
  }
  table.add_labels(group_word(fitted), fitted.schema, sums.groups());
  for (Index j = 0; j < sums.columns(); ++j) {
    if (sums.levels_of(j) > 0) continue;
    ResultColumn::Numbers of;
    for (Index g = 0; g < sums.groups(); ++g) of.push_back(medians[usize(g)][usize(j)]);
    table.add_values(schema.name(j), j, std::move(of));
  }
  return table;
}

ResultTable differences_table(const Fitted& fitted, std::span<const std::vector<Apart>> apart,
                              const Schema& schema, Index most) {
  ResultTable table{"differences", "what sets each apart from the rest, in standard deviations"};
  ResultColumn::Words groups, columns;
  ResultColumn::Numbers here, rest, difference, error;
  for (Index g = 0; g < ssize(apart); ++g) {
    const Index count = ssize(apart[usize(g)]);
    for (Index i = 0; i < (most == 0 ? count : std::min(most, count)); ++i) {
      const Apart& a = apart[usize(g)][usize(i)];
      groups.push_back(label_name(fitted.schema, g));
      columns.push_back(a.level < 0 ? schema.name(a.column) : level_name(schema, a));
      here.push_back(a.here);
      rest.push_back(a.rest);
      difference.push_back(a.difference);
      error.push_back(a.error);
    }
  }
  table.add_words(group_word(fitted), std::move(groups));
  table.add_words("column", std::move(columns));
  table.add_numbers("here", std::move(here), {.count = 4});
  table.add_numbers("rest", std::move(rest), {.count = 4});
  table.add_numbers("difference", std::move(difference), {2, Digits::Form::kDecimals});
  table.add_numbers("error", std::move(error), {2, Digits::Form::kDecimals});
  return table;
}

ResultTable typical_table(const Fitted& fitted, Source& x, const Schema& schema,
                          std::span<const std::vector<Index>> rows) {
  ResultTable table{"typical", "the most typical rows"};
  ResultColumn::Words groups;
  ResultColumn::Numbers numbers, lines;
  std::vector<Index> all;
  for (Index g = 0; g < ssize(rows); ++g) {
    for (const Index row : rows[usize(g)]) {
      groups.push_back(label_name(fitted.schema, g));
      numbers.push_back(static_cast<double>(x.row_in_file(row)));
      lines.push_back(static_cast<double>(x.line_of(row)));
      all.push_back(row);
    }
  }
  const bool has_lines = std::ranges::all_of(lines, [](double line) { return line >= 0; });
  table.add_words(group_word(fitted), std::move(groups));
  table.add_numbers("row", std::move(numbers), kWhole);
  if (has_lines) table.add_numbers("line", std::move(lines), kWhole);
  const Index d = x.shape().cols;
  std::vector<double> values(all.size() * usize(d));
  x.gather(all, values);
  for (Index j = 0; j < d; ++j) {
    const Column column = schema.column(j);
    ResultColumn::Numbers of;
    ResultColumn::Words words;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double v = values[i * usize(d) + usize(j)];
      of.push_back(v);
      if (column.kind != ColumnKind::kCategory) continue;
      words.push_back(std::isnan(v) ? "" : column.levels[usize(static_cast<Index>(v))]);
    }
    if (column.kind == ColumnKind::kCategory) {
      table.add_words(column.name, std::move(words)).feature = j;
    } else {
      table.add_numbers(column.name, std::move(of)).feature = j;
    }
  }
  return table;
}

}  // namespace

std::vector<ResultTable> Profile::tables() const {
  std::vector<ResultTable> all;
  for (const ResultTable* table : {&groups, &differences, &means, &medians, &typical}) {
    if (table->columns.size() > 1 && table->rows() > 0) all.push_back(*table);
  }
  return all;
}

Profile find_profile(const Fitted& fitted, Source& x, const Exec& exec,
                     const ProfileOptions& options) {
  const ModelInfo& info = fitted.info();
  if (!info.abilities.predict) {
    throw InputError(
        Code::kNotAble, {},
        fmt::format("{} puts rows into no groups, so there are none to tell of", info.name),
        {"Models that do are: {}.", models_that(&Abilities::predict)});
  }
  const auto [n, d] = x.shape();
  if (n == 0) {
    throw InputError(Code::kNoRows, {.file = x.name()}, "there is no row to tell of",
                     "Give a table with rows; rows with missing values may have been left out.");
  }
  const Index groups = fitted.model->classes();
  if (groups > kMostGroups) {
    throw InputError(Code::kNotAble, {}, fmt::format("the model has {} labels", groups),
                     fmt::format("At most {} groups are told of.", kMostGroups));
  }
  std::vector<std::int32_t> labels(usize(n));
  fitted.model->predict(x, labels, exec);
  const Schema& schema = x.schema();
  const GroupSums sums = fold(x, GroupSums(labels, groups, schema, d), exec);
  std::vector<std::vector<Apart>> apart;
  for (Index g = 0; g < groups; ++g) apart.push_back(differences_of(sums, g));

  Profile profile;
  profile.groups = groups_table(fitted, sums, apart, schema);
  profile.differences = differences_table(fitted, apart, schema, options.differences);
  profile.means = means_table(fitted, sums, schema);
  if (d > 0 && !has_sparse_rows(x)) {
    profile.medians = medians_table(fitted, sums, x, labels, schema, exec);
  }
  const std::vector<double> typical = typicality(fitted, x, labels, exec);
  if (d > 0 && !has_sparse_rows(x) && !typical.empty()) {
    profile.typical =
        typical_table(fitted, x, schema, typical_rows(typical, labels, groups, options.typical));
  }
  return profile;
}

}  // namespace craton
