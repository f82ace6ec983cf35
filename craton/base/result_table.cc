#include "craton/base/result_table.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include "craton/base/error.h"

namespace craton {

Index ResultColumn::size() const {
  return std::visit([](const auto& list) { return ssize(list); }, cells);
}

bool ResultColumn::counts() const {
  return numbers() != nullptr && digits.form == Digits::Form::kDecimals && digits.count == 0;
}

const ResultColumn* ResultTable::find(std::string_view column) const {
  const auto at = std::ranges::find(columns, column, &ResultColumn::name);
  return at == columns.end() ? nullptr : &*at;
}

ResultColumn& ResultTable::add_words(std::string column, ResultColumn::Words words) {
  CRATON_ASSERT(columns.empty() || ssize(words) == rows());
  columns.push_back({std::move(column), std::move(words)});
  return columns.back();
}

ResultColumn& ResultTable::add_numbers(std::string column, ResultColumn::Numbers numbers,
                                       Digits digits) {
  CRATON_ASSERT(columns.empty() || ssize(numbers) == rows());
  columns.push_back({std::move(column), std::move(numbers), digits});
  return columns.back();
}

void ResultTable::add_count(std::string column, Index count) {
  ResultColumn::Numbers numbers(usize(count));
  std::iota(numbers.begin(), numbers.end(), 0.0);
  add_numbers(std::move(column), std::move(numbers), {0, Digits::Form::kDecimals});
}

void ResultTable::add_labels(std::string column, const Schema& schema, Index count) {
  ResultColumn::Words names;
  for (Index label = 0; label < count; ++label) names.push_back(label_name(schema, label));
  add_words(std::move(column), std::move(names));
}

void ResultTable::add_probabilities(std::string column, std::span<const double> logarithms) {
  ResultColumn::Numbers numbers(logarithms.begin(), logarithms.end());
  for (double& v : numbers) v = std::exp(v);
  add_numbers(std::move(column), std::move(numbers), {.count = 4});
}

void ResultTable::add_values(std::string column, Index feature, ResultColumn::Numbers values) {
  ResultColumn& added =
      add_numbers(std::move(column), std::move(values), {6, Digits::Form::kApart});
  added.feature = feature;
  added.measured = true;
}

void ResultTable::add_means(std::string column, Index feature, ResultColumn::Numbers means,
                            ResultColumn::Numbers deviations) {
  add_numbers(column, std::move(means), {.count = 4});
  add_numbers(column + "_std", std::move(deviations), {.count = 3}).deviation = true;
  for (auto added = columns.end() - 2; added != columns.end(); ++added) {
    added->feature = feature;
    added->measured = true;
  }
}

std::vector<std::string> column_names(const ResultTable& table) {
  std::vector<std::string> names;
  std::unordered_set<std::string> taken;
  std::string before;
  for (const ResultColumn& column : table.columns) {
    std::string wanted = column.name.empty() ? "name" : column.name;
    if (column.deviation && !names.empty() && column.name.starts_with(before)) {
      wanted = names.back() + column.name.substr(before.size());  // they stay a pair
    }
    before = column.name;
    std::string name = wanted;
    for (int next = 2; !taken.insert(name).second; ++next) {
      name = wanted + "_" + std::to_string(next);
    }
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace craton
