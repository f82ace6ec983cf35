#include "craton/io/libsvm.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "craton/base/error.h"
#include "craton/io/lines.h"
#include "craton/io/number.h"

// One pass, linear in the bytes; memory for the entries that are there.

namespace craton {
namespace {

class LibsvmParser {
 public:
  explicit LibsvmParser(Input& input) : lines_(input) {}

  Table parse(Index columns) {
    Table table;
    table.name = lines_.file();
    table.sparse.offsets = {0};
    for (std::string_view line; lines_.next(line);) {
      line = line.substr(0, line.find('#'));
      std::string_view word = next_word(line);
      if (word.empty()) continue;
      table.targets.push_back(label(word));
      Index last = 0;
      while (!(word = next_word(line)).empty()) last = entry(word, last, table.sparse);
      columns = std::max(columns, last);
      table.sparse.offsets.push_back(ssize(table.sparse.values));
    }
    if (table.targets.empty()) {
      throw InputError(Code::kNoRows, {.file = table.name}, "the file has no rows",
                       "A row looks like this: 1 3:0.5 7:2");
    }
    if (columns == 0) fail(Code::kBadShape, "no row of the file has a value");
    table.schema = numbered_schema(columns);
    table.x.shape = {0, columns};
    return table;
  }

 private:
  [[noreturn]] void fail(
      Code code, const std::string& what,
      const std::string& fix = "A row looks like this: 1 3:0.5 7:2, indices from 1 and ascending.",
      const std::string& column = {}) const {
    throw InputError(code, {.file = lines_.file(), .line = lines_.line(), .column = column}, what,
                     fix);
  }

  double number(std::string_view text, const char* what, const std::string& column) const {
    double value = 0;
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
    if (parse_number(text, value)) return value;
    fail(Code::kNotANumber, fmt::format("the {} {} is not a number", what, quoted(text)),
         "Write numbers only; text labels become 0, 1, 2, ...", column);
  }

  double label(std::string_view word) const {
    if (word.find(':') != word.npos) {
      fail(Code::kBadFile, fmt::format("the row starts with {}, not with its label", quoted(word)));
    }
    if (word.find(',') != word.npos) {
      fail(Code::kUnsupported, fmt::format("the row has several labels: {}", quoted(word)),
           "Give one label a row.");
    }
    const double value = number(word, "label", "");
    if (std::isfinite(value)) return value;
    fail(Code::kNotFinite, fmt::format("the label is {}", quoted(word)),
         "Give every row a finite label, or leave the row out.");
  }

  Index entry(std::string_view word, Index last, SparseArray& sparse) const {
    const std::size_t colon = word.find(':');
    if (colon == word.npos) {
      fail(Code::kBadFile, fmt::format("{} is not index:value", quoted(word)));
    }
    const std::string_view text = word.substr(0, colon);
    if (text == "qid") {
      fail(Code::kUnsupported,
           fmt::format("{} marks a query, for ranking, which no model here uses", quoted(word)),
           "Leave it out: sed 's/ qid:[0-9]*//' in > out");
    }
    Index index = 0;
    if (!parse_whole(text, index)) {
      fail(Code::kBadFile, fmt::format("the index {} is not a whole number", quoted(text)));
    }
    if (index < 1) {
      fail(Code::kBadFile, fmt::format("the index {} is below 1", text),
           "Indices count from 1: add 1 to each when they count from 0.");
    }
    if (index > kMaxColumns) {
      fail(Code::kBadFile,
           fmt::format("the index {} is beyond {}, the most that is taken", text, kMaxColumns));
    }
    if (index <= last) {
      fail(Code::kBadFile, index == last ? fmt::format("the index {} is given twice", index)
                                         : fmt::format("the index {} follows {}", index, last));
    }
    const std::string column(text);
    sparse.columns.push_back(static_cast<std::int32_t>(index - 1));
    sparse.values.push_back(number(word.substr(colon + 1), "value", column));
    return index;
  }

  LineReader lines_;
};

}  // namespace

Table parse_libsvm(Input& input, Index columns) { return LibsvmParser(input).parse(columns); }

void write_libsvm(Source& source, Sink sink) {
  SinkBuffer out(sink);
  read_sparse_rows(source, [&](const SparseRow& row) {
    if (std::isnan(row.target)) {
      throw InputError(Code::kNotFinite, {.file = source.name(), .row = row.number},
                       "the target is missing, and a LIBSVM row needs one", "Leave the row out.");
    }
    append_number(out.text, row.target);
    for (std::size_t e = 0; e < row.values.size(); ++e) {
      out.text += ' ';
      append_number(out.text, row.columns[e] + 1);
      out.text += ':';
      append_number(out.text, row.values[e]);
    }
    out.text += '\n';
    out.flush_if_long();
  });
  out.flush();
}

}  // namespace craton
