#include "craton/select/importance.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "craton/base/random.h"
#include "craton/engine/for_each.h"
#include "craton/select/shuffled_column.h"
#include "craton/select/sum.h"

namespace craton {
namespace {

// Cells of tables of which several are shuffled at once.
constexpr Index kSmallTable = Index{1} << 20;

// Its own key, so that no order is that of rows which are parted by the same seed.
constexpr std::uint64_t kShuffles = 0x73687566666c6573;

std::vector<Index> order_of_shuffle(Index rows, Index column, Index number, std::uint64_t seed) {
  std::vector<Index> order(usize(rows));
  Random random(mix(seed, kShuffles), Purpose::kSplit, static_cast<std::uint32_t>(number),
                static_cast<std::uint64_t>(column));
  random.permutation(order);
  return order;
}

double measure_shuffled(const AnyModel& model, Source& rows, const Metric& metric,
                        std::int32_t positive, const ColumnValues& values,
                        const std::vector<Index>& order, const Exec& exec) {
  ShuffledColumn source(rows, &values, order);
  return metric.measure(HeldOut(model, source, exec, positive));
}

}  // namespace

double Importance::mean(Index column) const {
  Sum sum;
  for (Index r = 0; r < drops.cols(); ++r) sum += drops.view().row(column)[r];
  return sum.value() / static_cast<double>(drops.cols());
}

double Importance::deviation(Index column) const {
  const double middle = mean(column);
  Sum sum;
  for (Index r = 0; r < drops.cols(); ++r) {
    const double difference = drops.view().row(column)[r] - middle;
    sum += difference * difference;
  }
  return std::sqrt(sum.value() / static_cast<double>(drops.cols() - 1));
}

Importance find_importance(const AnyModel& model, Source& rows, const Metric& metric,
                           std::int32_t positive, const Shuffles& shuffles, const Exec& exec) {
  const auto [n, cols] = rows.shape();
  const Index columns = cols + ssize(rows.schema().texts);
  Importance result{
      metric.measure(HeldOut(model, rows, exec, positive)),
      {{columns, shuffles.count}, std::vector<double>(usize(columns * shuffles.count))}};
  const double sign = metric.higher_is_better ? 1 : -1;
  const auto shuffle = [&](Source& source, Index column, const Exec& with) {
    const ColumnValues values(source, column);
    for (Index r = 0; r < shuffles.count; ++r) {
      const std::vector<Index> order = order_of_shuffle(n, column, r, shuffles.seed);
      const double worse = measure_shuffled(model, source, metric, positive, values, order, with);
      result.drops.values[usize(column * shuffles.count + r)] = sign * (result.metric - worse);
    }
  };
  if (n * cols <= kSmallTable) {
    for_each(columns, exec, [&](Index column) {
      const std::unique_ptr<Source> own = rows.reopen();  // a source is read by one at a time
      shuffle(*own, column, {.threads = 1});
    });
  } else {
    for (Index column = 0; column < columns; ++column) shuffle(rows, column, exec);
  }
  return result;
}

std::vector<std::string> columns_of_importance(const Schema& schema) {
  std::vector<std::string> names = schema.names();
  for (const Column& text : schema.texts) names.push_back(text.name);
  return names;
}

ResultTable importance_table(const Metric& metric, const std::vector<std::string>& columns,
                             std::span<const double> means, std::span<const double> errors,
                             std::string_view error_name) {
  std::vector<Index> order(columns.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order,
                           [&](Index a, Index b) { return means[usize(a)] > means[usize(b)]; });
  std::vector<std::string> names;
  std::vector<double> mean, error;
  for (const Index j : order) {
    names.push_back(columns[usize(j)]);
    mean.push_back(means[usize(j)]);
    error.push_back(errors[usize(j)]);
  }
  ResultTable table{
      "importance",
      fmt::format("importance: by how much {} is worse when a column is shuffled", metric.name)};
  table.add_words("column", std::move(names));
  table.add_numbers("importance", std::move(mean));
  ResultColumn& last = table.add_numbers(std::string(error_name), std::move(error));
  last.deviation = true;
  last.lacks = true;
  return table;
}

}  // namespace craton
