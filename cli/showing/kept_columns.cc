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
    // A number in a form of its own is written as the file has it.
    const Index text = data.file->schema().find_text(name);
    text_of_.push_back(text < 0 ? -1 : ssize(selection.texts));
    if (text >= 0) selection.texts.push_back(text);
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
  View some(*chosen_);
  some.slice({first, first + rows});
  loaded_ = read_all(some);
  texts_ = read_texts(some);
  first_ = first;
}

std::string KeptColumns::fields(Index row) const {
  std::string text = data_.kept ? std::to_string((*data_.kept)[row]) + "," : "";
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const double value = loaded_.view().row(row - first_)[c];
    const auto& levels = columns_[c].levels;
    if (text_of_[c] >= 0) {
      const std::string_view written = text_of(c, row);
      if (!written.empty()) text += csv_field(written);
    } else if (!std::isnan(value)) {
      text +=
          levels.empty() ? csv_field(value) : csv_field(levels[static_cast<std::size_t>(value)]);
    }
    text += ",";
  }
  return text;
}

std::string_view KeptColumns::text_of(std::size_t column, Index row) const {
  return texts_[usize(text_of_[column])].view()[row - first_];
}

Json KeptColumns::value(std::size_t column, Index row) const {
  if (text_of_[column] >= 0) return text_of(column, row);
  const double value = loaded_.view().row(row - first_)[column];
  const auto& levels = columns_[column].levels;
  if (levels.empty() || std::isnan(value)) return value;
  return levels[static_cast<std::size_t>(value)];
}

}  // namespace craton::cli
