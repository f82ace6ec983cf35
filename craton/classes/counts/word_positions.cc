#include "craton/classes/counts/word_positions.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "craton/base/error.h"
#include "craton/tables/columns.h"

namespace craton {
namespace {

constexpr double kMostCodes = 2147483648.0;  // 2^31

// The largest word of a table, after a look at every value.
class LargestWord {
 public:
  LargestWord(const Source& x, const WordsByPosition& vocabulary)
      : x_(&x), vocabulary_(&vocabulary) {}
  Index largest() const { return largest_; }

  void accumulate(const Chunk& chunk) {
    visit_dense(chunk.x, [&](const auto& x) {
      for (Index i = 0; i < x.rows; ++i) {
        for (Index t = 0; t < x.cols; ++t) {
          const double code = static_cast<double>(x.row(i)[t]);
          if (std::isnan(code)) continue;
          if (!is_code(code)) refuse(code, chunk.first_row + i, t);
          largest_ = std::max(largest_, vocabulary_->word(t, code));
        }
      }
    });
  }
  void merge(const LargestWord& next) { largest_ = std::max(largest_, next.largest_); }
  void write(Writer& writer) const { writer.put(largest_); }
  void read(Reader& reader) { reader.get(largest_); }
  Index words() const { return 1; }
  Merge merge_kind() const { return Merge::kExact; }

 private:
  static bool is_code(double v) { return v >= 0 && v < kMostCodes && v == std::floor(v); }
  [[noreturn]] void refuse(double value, Index row, Index column) const {
    if (std::isinf(value)) {
      throw InputError(Code::kNotFinite, x_->place_of(row, column), "the value is infinite (inf)",
                       "Words are the codes 0, 1, ..., or missing.");
    }
    throw InputError(Code::kOutsideSupport, x_->place_of(row, column),
                     fmt::format("the value {} is no code of a word", value),
                     "Words are the codes 0, 1, ..., or missing.");
  }
  const Source* x_;
  const WordsByPosition* vocabulary_;
  Index largest_ = -1;
};

class WordSums {
 public:
  WordSums(FeatureSums empty, const WordsByPosition& vocabulary, const WordPositions& layout)
      : sums_(std::move(empty)), vocabulary_(&vocabulary), layout_(layout) {}
  const FeatureSums& sums() const { return sums_; }
  void accumulate(const Chunk& chunk) {
    const CountedWords counted(chunk, *vocabulary_, layout_);
    sums_.accumulate(counted.chunk());
  }
  void merge(const WordSums& next) { sums_.merge(next.sums_); }
  void write(Writer& writer) const { sums_.write(writer); }
  void read(Reader& reader) { sums_.read(reader); }
  Index words() const { return sums_.words(); }
  Merge merge_kind() const { return sums_.merge_kind(); }

 private:
  FeatureSums sums_;
  const WordsByPosition* vocabulary_;
  WordPositions layout_;
};

}  // namespace

std::vector<std::string> word_names(const Schema& schema) {
  if (!schema.inner.empty()) return schema.inner[0].levels;
  std::vector<std::string> names;
  std::set<std::string_view> seen;
  for (const Column& column : schema.columns) {
    for (const std::string& level : column.levels) {
      if (seen.insert(level).second) names.push_back(level);
    }
  }
  return names;
}

WordsByPosition WordsByPosition::of(const Source& x) {
  const Schema& schema = x.schema();
  const auto category = [](const Column& c) { return c.kind == ColumnKind::kCategory; };
  const Index categories = std::count_if(schema.columns.begin(), schema.columns.end(), category);
  if (categories == 0) return {};
  if (categories < schema.size()) {
    throw InputError(
        Code::kUnsupported, {.file = x.name()},
        fmt::format("{} of {} columns have words, the others numbers", categories, schema.size()),
        "Give words at every position, or codes at every position.");
  }
  std::map<std::string, double, std::less<>> words;
  for (std::string& name : word_names(schema)) {
    words.emplace(std::move(name), static_cast<double>(words.size()));
  }
  std::size_t most = 1;
  for (const Column& column : schema.columns) most = std::max(most, column.levels.size());
  Array table{{schema.size(), static_cast<Index>(most)}, {}};
  for (const Column& column : schema.columns) {
    for (const std::string& level : column.levels)
      table.values.push_back(words.find(level)->second);
    table.values.resize(table.values.size() + most - column.levels.size(), -1);
  }
  return WordsByPosition(std::move(table));
}

Index WordsByPosition::word(Index position, double code) const {
  if (!(code >= 0 && code < kMostCodes)) return -1;
  const auto at = static_cast<Index>(code);
  if (words_.empty()) return at;
  return at < words_.cols() ? static_cast<Index>(words_.view().row(position)[at]) : -1;
}

CountedWords::CountedWords(const Chunk& chunk, const WordsByPosition& vocabulary,
                           const WordPositions& layout)
    : offsets_{0}, counted_(chunk) {
  visit_dense(chunk.x, [&](const auto& x) {
    for (Index i = 0; i < x.rows; ++i) {
      const Index first = ssize(columns_);
      for (Index t = 0; t < x.cols; ++t) {
        const Index word = vocabulary.word(t, static_cast<double>(x.row(i)[t]));
        if (word < 0 || word >= layout.words) continue;
        columns_.push_back(static_cast<std::int32_t>(layout.tied ? word : t * layout.words + word));
      }
      // Ascending, and each once with its count.
      std::sort(columns_.begin() + first, columns_.end());
      Index last = first;
      for (Index e = first; e < ssize(columns_); ++e) {
        const bool again = last > first && columns_[usize(last - 1)] == columns_[usize(e)];
        if (again) {
          ++values_.back();
        } else {
          columns_[usize(last++)] = columns_[usize(e)];
          values_.push_back(1);
        }
      }
      columns_.resize(usize(last));
      offsets_.push_back(last);
    }
    counted_.x =
        Sparse<double>{offsets_.data(), columns_.data(), values_.data(), x.rows, layout.columns()};
  });
}

Index count_words(Source& x, const WordsByPosition& vocabulary, const Exec& exec) {
  return fold(x, LargestWord(x, vocabulary), exec).largest() + 1;
}

FeatureSums sum_words(Source& x, Index classes, const WordsByPosition& vocabulary,
                      const WordPositions& layout, const Exec& exec) {
  return sum_soundly(
      [&](Summing summing, double largest) {
        const FeatureSums empty(x, layout.columns(), classes, {}, summing, largest);
        return fold(x, WordSums(empty, vocabulary, layout), exec).sums();
      },
      [&] {  // a word may be at every position of a row
        TermFacts terms = survey_terms(x, {.binary = true}, exec);
        terms.largest *= static_cast<double>(layout.positions);
        return terms;
      });
}

}  // namespace craton
