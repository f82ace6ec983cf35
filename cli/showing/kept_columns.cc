#include "cli/showing/kept_columns.h"

#include <cmath>

#include "craton/io/csv_write.h"
#include "craton/tables/bind_columns.h"

namespace craton::cli {

KeptColumns::KeptColumns(const Command& command, const Data& data) : data_(data) {
  if (command.keep.empty()) return;
  Selection selection;
  for (const std::string& name : command.keep) {
    const Index from = find_column(*data.file, name, Code::kUnknownName, "--keep names");
    selection.columns.push_back({.from = from});
    columns_.push_back(data.file->schema().column(from));
  }
  chosen_ = std::make_unique<View>(*data.file);
  chosen_->select(std::move(selection));
  if (data.kept) chosen_->rows(*data.kept);
}

std::string KeptColumns::header() const {
  std::string text = data_.kept ? "row," : "";
  for (const Column& column : columns_) text += csv_field(column.name) + ",";
  return text;
}

void KeptColumns::load(Index first, Index rows) {
  if (!chosen_) return;
  loaded_ = read_all(View(*chosen_).slice({first, first + rows}));
  first_ = first;
}

std::string KeptColumns::fields(Index row) const {
  std::string text = data_.kept ? std::to_string((*data_.kept)[row]) + "," : "";
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const double value = loaded_.view().row(row - first_)[c];
    const auto& levels = columns_[c].levels;
    if (!std::isnan(value)) {
      text +=
          levels.empty() ? csv_field(value) : csv_field(levels[static_cast<std::size_t>(value)]);
    }
    text += ",";
  }
  return text;
}

Json KeptColumns::value(std::size_t column, Index row) const {
  const double value = loaded_.view().row(row - first_)[column];
  const auto& levels = columns_[column].levels;
  if (levels.empty() || std::isnan(value)) return value;
  return levels[static_cast<std::size_t>(value)];
}

}  // namespace craton::cli
