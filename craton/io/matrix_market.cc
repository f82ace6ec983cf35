#include "craton/io/matrix_market.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "craton/base/error.h"
#include "craton/io/lines.h"
#include "craton/io/number.h"

// Entries are collected as they come and sorted: O(e log e). Memory follows the entries that are
// there, never the counts that the size line claims.

namespace craton {
namespace {

// Rows without entries cost 8 bytes each: so many are let pass, then there must be entries.
constexpr Index kMostEmptyRows = Index{1} << 22, kMostRowsPerEntry = 64;

enum class Field { kReal, kInteger, kPattern };
enum class Symmetry { kGeneral, kSymmetric, kSkew };

struct Banner {
  bool coordinate = true;
  Field field = Field::kReal;
  Symmetry symmetry = Symmetry::kGeneral;
};

struct Entry {
  Index row, column, line;
  double value;
};

class MatrixMarketParser {
 public:
  explicit MatrixMarketParser(Input& input) : lines_(input) {}

  Table parse() {
    banner_ = read_banner();
    std::string_view line = data_line("its size line");
    shape_.rows = size(line, "rows");
    shape_.cols = size(line, "columns");
    const Index entries = banner_.coordinate ? size(line, "entries") : 0;
    end_of(line);
    check_shape();
    Table table;
    table.name = lines_.file();
    table.schema = numbered_schema(shape_.cols);
    if (banner_.coordinate) {
      read_entries(entries);
      fill_sparse(table);
    } else {
      fill_dense(table);
    }
    return table;
  }

 private:
  [[noreturn]] void fail(Code code, const std::string& what,
                         const std::string& fix =
                             "Write the matrix again, with scipy.io.mmwrite "
                             "for example.") const {
    throw InputError(code, {.file = lines_.file(), .line = lines_.line()}, what, fix);
  }

  Banner read_banner() {
    std::string_view line;
    if (!lines_.next(line) || next_word(line) != "%%MatrixMarket") {
      throw InputError(Code::kBadFile, {.file = lines_.file(), .line = 1},
                       "this is not a Matrix Market file: it does not start with %%MatrixMarket",
                       "The first line is: %%MatrixMarket matrix coordinate real general");
    }
    const auto word = [&] {
      std::string text(next_word(line));
      for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      return text;
    };
    const std::string object = word(), format = word(), field = word(), symmetry = word();
    const auto refuse = [&](const std::string& what) {
      fail(Code::kUnsupported, fmt::format("{} is not taken", craton::quoted(what)),
           "Known are: matrix; coordinate, array; real, integer, pattern; general, symmetric, "
           "skew-symmetric.");
    };
    Banner banner;
    if (object != "matrix") refuse(object);
    if (format != "coordinate" && format != "array") refuse(format);
    banner.coordinate = format == "coordinate";
    if (field == "integer") {
      banner.field = Field::kInteger;
    } else if (field == "pattern" && banner.coordinate) {
      banner.field = Field::kPattern;
    } else if (field != "real" && field != "double") {
      refuse(field);
    }
    if (symmetry == "symmetric") {
      banner.symmetry = Symmetry::kSymmetric;
    } else if (symmetry == "skew-symmetric" && banner.field != Field::kPattern) {
      banner.symmetry = Symmetry::kSkew;
    } else if (symmetry != "general") {
      refuse(symmetry);
    }
    end_of(line);
    return banner;
  }

  // The next line that is neither blank nor a comment.
  std::string_view data_line(const std::string& what) {
    for (std::string_view line; lines_.next(line);) {
      std::string_view rest = line;
      const std::string_view word = next_word(rest);
      if (!word.empty() && !word.starts_with('%')) return line;
    }
    fail(Code::kBadFile, fmt::format("the file is cut short: {} is missing", what));
  }

  void end_of(std::string_view line) {
    if (const std::string_view word = next_word(line); !word.empty()) {
      fail(Code::kBadFile, fmt::format("{} is more than this line should have", quoted(word)));
    }
  }

  void end_of_file() {
    for (std::string_view line; lines_.next(line);) {
      if (!next_word(line).empty()) fail(Code::kBadFile, "the file has more than its sizes say");
    }
  }

  Index size(std::string_view& line, const char* what) {
    const std::string_view word = next_word(line);
    Index value = -1;
    if (!parse_whole(word, value) || value < 0) {
      fail(Code::kBadFile, fmt::format("the number of {} is {}", what, quoted(word)));
    }
    return value;
  }

  void check_shape() const {
    Index values = 0;
    if (banner_.symmetry != Symmetry::kGeneral && shape_.rows != shape_.cols) {
      fail(Code::kBadShape,
           fmt::format("a symmetric matrix of {} rows and {} columns", shape_.rows, shape_.cols));
    }
    if (shape_.cols < 1 || shape_.cols > kMaxColumns ||
        __builtin_mul_overflow(shape_.rows, shape_.cols, &values)) {
      fail(Code::kBadShape,
           fmt::format("a matrix of {} rows and {} columns is not taken", shape_.rows, shape_.cols),
           fmt::format("Give 1 to {} columns.", kMaxColumns));
    }
  }

  Index position(std::string_view& line, Index most, const char* what) {
    const std::string_view word = next_word(line);
    Index value = 0;
    if (!parse_whole(word, value)) {
      fail(Code::kBadFile, fmt::format("the {} {} is not a whole number", what, quoted(word)));
    }
    if (value < 1 || value > most) {
      fail(Code::kBadFile, fmt::format("the {} {} is not in 1..{}", what, word, most),
           "Rows and columns count from 1, as far as the size line says.");
    }
    return value - 1;
  }

  double value(std::string_view& line) {
    if (banner_.field == Field::kPattern) return 1;
    constexpr double kMostWhole = 9007199254740992;  // 2^53: beyond it a double skips integers
    const std::string_view word = next_word(line);
    std::string_view text = word;
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
    double number = 0;
    if (!parse_number(text, number)) {
      fail(Code::kNotANumber, fmt::format("the value {} is not a number", quoted(word)));
    }
    if (banner_.field == Field::kInteger && !(std::abs(number) <= kMostWhole)) {
      fail(Code::kNotANumber, fmt::format("the integer {} is beyond 2^53", quoted(word)),
           "Write real instead of integer if it may be rounded.");
    }
    if (banner_.field == Field::kInteger && number != std::trunc(number)) {
      fail(Code::kNotANumber, fmt::format("the value {} is not an integer", quoted(word)));
    }
    return number;
  }

  void read_entries(Index count) {
    for (Index i = 0; i < count; ++i) {
      std::string_view line = data_line(fmt::format("entry {} of {}", i + 1, count));
      Entry entry{};
      entry.row = position(line, shape_.rows, "row");
      entry.column = position(line, shape_.cols, "column");
      entry.line = lines_.line();
      entry.value = value(line);
      end_of(line);
      entries_.push_back(entry);
      if (banner_.symmetry == Symmetry::kGeneral) continue;
      const bool skew = banner_.symmetry == Symmetry::kSkew;
      if (entry.row < entry.column || (skew && entry.row == entry.column)) {
        fail(Code::kBadFile,
             "an entry above the diagonal of a symmetric matrix, or on that of a "
             "skew-symmetric one");
      }
      if (entry.row == entry.column) continue;
      entries_.push_back({entry.column, entry.row, entry.line, skew ? -entry.value : entry.value});
    }
    end_of_file();
  }

  void fill_sparse(Table& table) {
    const Index count = ssize(entries_);
    if (shape_.rows > kMostEmptyRows && shape_.rows / kMostRowsPerEntry > count) {
      fail(Code::kBadShape,
           fmt::format("the matrix has {} rows but only {} entries", shape_.rows, count));
    }
    std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
      return std::tie(a.row, a.column, a.line) < std::tie(b.row, b.column, b.line);
    });
    SparseArray& sparse = table.sparse;
    sparse.offsets.assign(usize(shape_.rows) + 1, 0);
    sparse.columns.reserve(entries_.size());
    sparse.values.reserve(entries_.size());
    for (std::size_t e = 0; e < entries_.size(); ++e) {
      const Entry& entry = entries_[e];
      if (e > 0 && entry.row == entries_[e - 1].row && entry.column == entries_[e - 1].column) {
        throw InputError(Code::kBadFile, {.file = lines_.file(), .line = entry.line},
                         fmt::format("row {}, column {} was given on line {} already",
                                     entry.row + 1, entry.column + 1, entries_[e - 1].line),
                         "Add the two values, or keep one.");
      }
      sparse.columns.push_back(static_cast<std::int32_t>(entry.column));
      sparse.values.push_back(entry.value);
      ++sparse.offsets[usize(entry.row) + 1];
    }
    for (Index i = 0; i < shape_.rows; ++i) {
      sparse.offsets[usize(i) + 1] += sparse.offsets[usize(i)];
    }
    table.x.shape = {0, shape_.cols};
  }

  void fill_dense(Table& table) {
    const Index first_below = banner_.symmetry == Symmetry::kSkew ? 1 : 0;
    const bool general = banner_.symmetry == Symmetry::kGeneral;
    std::vector<double> given;  // column after column
    for (Index j = 0; j < shape_.cols; ++j) {
      for (Index i = general ? 0 : j + first_below; i < shape_.rows; ++i) {
        std::string_view line =
            data_line(fmt::format("the value of row {}, column {}", i + 1, j + 1));
        given.push_back(value(line));
        end_of(line);
      }
    }
    end_of_file();
    table.x.shape = {shape_.rows, shape_.cols};
    table.x.values.resize(usize(shape_.rows * shape_.cols));
    const auto at = [&](Index i, Index j) -> double& {
      return table.x.values[usize(i * shape_.cols + j)];
    };
    const double* from = given.data();
    for (Index j = 0; j < shape_.cols; ++j) {
      for (Index i = general ? 0 : j + first_below; i < shape_.rows; ++i) {
        at(i, j) = *from++;
        if (!general && i != j) at(j, i) = first_below == 1 ? -at(i, j) : at(i, j);
      }
    }
  }

  LineReader lines_;
  Banner banner_;
  Shape shape_;
  std::vector<Entry> entries_;
};

}  // namespace

Table parse_matrix_market(Input& input) { return MatrixMarketParser(input).parse(); }

void write_matrix_market(Source& source, Sink sink) {
  Index entries = 0;
  bool any_target = false;
  read_sparse_rows(source, [&](const SparseRow& row) {
    entries += ssize(row.values) + (row.target != 0 ? 1 : 0);
    any_target = any_target || row.has_target;
  });
  const Shape shape = source.shape();
  SinkBuffer out(sink);
  out.text = fmt::format("%%MatrixMarket matrix coordinate real general\n{} {} {}\n", shape.rows,
                         shape.cols + (any_target ? 1 : 0), entries);
  const auto append = [&](Index row, Index column, double value) {
    out.text += fmt::format("{} {} ", row + 1, column + 1);
    append_number(out.text, value);
    out.text += '\n';
  };
  read_sparse_rows(source, [&](const SparseRow& row) {
    for (std::size_t e = 0; e < row.values.size(); ++e) {
      append(row.number, row.columns[e], row.values[e]);
    }
    if (row.target != 0) append(row.number, shape.cols, row.target);
    out.flush_if_long();
  });
  out.flush();
}

}  // namespace craton
