#include "craton/io/form_notes.h"

#include <algorithm>
#include <string_view>

#include "craton/model/model_metadata.h"

namespace craton {
namespace {

constexpr std::string_view kBefore = "the column '", kBetween = "' was read as ";

std::string words_of(const ColumnForm& column) {
  std::string text(kBefore);
  (text += column.name) += kBetween;
  text += column.form.word();
  if (column.name != column.in_file) text += column.name.substr(column.in_file.size());
  return text;
}

}  // namespace

void add_form_notes(std::vector<Note>& notes, const Schema& schema,
                    std::span<const ColumnForm> forms) {
  const std::vector<ColumnForm> known = forms_in(notes);
  for (const ColumnForm& form : forms) {
    const bool there =
        schema.find(form.name) >= 0 || (schema.target && schema.target->name == form.name);
    const auto same = [&](const ColumnForm& of) { return of.name == form.name; };
    if (!there || std::ranges::any_of(known, same)) continue;
    notes.push_back({std::string(kReadAs), words_of(form)});
  }
}

std::vector<ColumnForm> forms_in(std::span<const Note> notes) {
  std::vector<ColumnForm> forms;
  for (const auto& [code, message] : notes) {
    if (code != kReadAs) continue;
    const std::string text = message.plain();
    const std::size_t between = text.rfind(kBetween);
    if (!text.starts_with(kBefore) || between == text.npos || between < kBefore.size()) continue;
    ColumnForm column;
    column.name = column.in_file = text.substr(kBefore.size(), between - kBefore.size());
    std::string word = text.substr(between + kBetween.size());
    const std::size_t dot = word.rfind('.');  // date-dmy.month
    if (dot != word.npos && date_part_of(word.substr(dot + 1)) &&
        column.name.ends_with(word.substr(dot))) {
      column.in_file.resize(column.name.size() - (word.size() - dot));
      word.resize(dot);
    }
    const std::optional<CellForm> form = form_of(word);
    if (!form) continue;
    column.form = *form;
    forms.push_back(std::move(column));
  }
  return forms;
}

}  // namespace craton
