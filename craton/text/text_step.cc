#include "craton/text/text_step.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "craton/base/error.h"
#include "craton/base/lazy.h"
#include "craton/base/source_over.h"
#include "craton/base/utf8.h"
#include "craton/engine/fold.h"
#include "craton/engine/for_each.h"
#include "craton/text/count.h"
#include "craton/text/weights.h"

// Texts in memory are counted as they are learned from; others are read twice, once to learn their
// terms and once to count them (spooled_rows.h).

namespace craton {
namespace {

constexpr Index kMostColumns = Index{1} << 30, kMostPositions = 1 << 16;
constexpr std::int64_t kMostTermBytes = std::numeric_limits<std::int32_t>::max();

const char* const kMerge =
    "Fit one model on the texts of both, or let one learn on from the other's.";

// Texts of chunks, folded.
class TextsOfChunks {
 public:
  explicit TextsOfChunks(const Tokeniser& tokeniser) : counts_(tokeniser) {}
  void accumulate(const Chunk& chunk) { counts_.add(chunk.texts[0]); }
  void merge(const TextsOfChunks& next) { counts_.merge(next.counts_); }
  void write(Writer& writer) const { counts_.write(writer); }
  void read(Reader& reader) { counts_.read(reader); }
  Index words() const { return counts_.words(); }
  Merge merge_kind() const { return counts_.merge_kind(); }
  const TermCounts& counts() const { return counts_; }

 private:
  TermCounts counts_;
};

// The options that are not as they are by themselves: a line each, "ngram_max=2".
std::string written(const TextOptions& options) {
  TextOptions own = options, plain;
  const auto given = list_options([&](OptionVisitor& v) { describe(v, own); });
  const auto usual = list_options([&](OptionVisitor& v) { describe(v, plain); });
  std::string text;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i].value == usual[i].value) continue;
    const auto* const words = std::get_if<std::string>(&given[i].value);
    std::string value = words != nullptr ? *words : to_text(given[i].value);
    std::ranges::replace(value, '\n', ' ');
    text += given[i].name + "=" + value + "\n";
  }
  return text;
}

TextOptions read_options(std::string_view text) {
  TextOptions options;
  const auto known = list_options([&](OptionVisitor& v) { describe(v, options); });
  std::vector<NamedOption> values;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t equals = line.find('=');
    const auto option = std::ranges::find(known, line.substr(0, equals), &Option::name);
    if (equals == line.npos || option == known.end()) {
      fail_parameters("'text.how' has a line that makes no sense");
    }
    values.emplace_back(option->name, parse_option(*option, std::string(line.substr(equals + 1))));
  }
  set_options([&](OptionVisitor& v) { describe(v, options); }, values);
  check_options([&](OptionVisitor& v) { describe(v, options); });
  return options;
}

// As a file has them, or as copies of parameters do: doubles.
std::vector<std::int32_t> whole_numbers(const ParameterList& parameters, std::string_view name,
                                        Index count) {
  const std::vector<Index> shape{count};
  const ParameterView* const found = parameters.find(name);
  if (found == nullptr || !std::holds_alternative<std::span<const double>>(found->elements)) {
    const auto values = parameters.int32s(name, shape);
    return {values.begin(), values.end()};
  }
  std::vector<std::int32_t> result;
  for (const double v : parameters.doubles(name, shape).values) {
    if (!(v >= 0 && v <= static_cast<double>(kMostTermBytes) && v == std::floor(v))) {
      fail_parameters(fmt::format("'{}' has a number that makes no sense", name));
    }
    result.push_back(static_cast<std::int32_t>(v));
  }
  return result;
}

double length_of(const LearnedTerms& terms) {
  return static_cast<double>(std::accumulate(terms.cf.begin(), terms.cf.end(), Index{0}));
}

void check_texts(const Source& x) {
  const Schema& schema = x.schema();
  if (schema.texts.size() == 1) return;
  std::vector<std::string> names;
  for (const Column& column : schema.texts) names.push_back("'" + column.name + "'");
  throw InputError(
      Code::kWrongColumns, {.file = x.name()},
      names.empty() ? "there is no column of text"
                    : fmt::format("there are {} columns of text: {}", names.size(), listed(names)),
      {"Say which one is meant: {}.", Ref::flag("text", "NAME")});
}

// Words by position are looked up one by one: not n-grams, nor what has no number or a weight.
void check_positions(const TextOptions& options, TextPlace place) {
  if (place != TextPlace::kPositions) {
    if (options.positions == 0) return;
    throw InputError(Code::kBadOption, {},
                     {"{} is of models of words by position", Ref::option("positions")},
                     {"Leave it out, or fit {}.", Ref::either("positional-nb", "PositionalNB")});
  }
  const TokenOptions& tokens = options.tokens;
  const bool words = tokens.analyzer == TokenOptions::Analyzer::kWord && tokens.ngram_max == 1;
  if (words && options.hashed == 0 && !options.weights.any()) return;
  throw InputError(
      Code::kBadOption, {}, "words by position are neither n-grams, nor hashed, nor weighed",
      {"Leave {}, {}, {}, {}, {} and {} out.", Ref::option("analyzer"), Ref::option("ngram_max"),
       Ref::option("hashed"), Ref::option("tf"), Ref::option("idf"), Ref::option("text_norm")});
}

}  // namespace

void describe(OptionVisitor& v, TextOptions& o) {
  describe(v, o.tokens);
  describe(v, o.cuts);
  v.integer("hashed", o.hashed, 0, kMostColumns,
            "hash terms to so many columns, and learn no vocabulary; 0: learn one");
  v.flag("alternate_sign", o.alternate_sign, "half of the hashed terms count as -1");
  v.integer("positions", o.positions, 0, kMostPositions,
            "of positional-nb: so many words of a text, from the first on; 0: 20");
  describe(v, o.weights);
}

TextOptions text_of(std::span<const NamedOption> options) {
  TextOptions own;
  std::vector<NamedOption> given;
  for (const NamedOption& option : options) {
    if (is_text_option(option.first)) given.push_back(option);
  }
  set_options([&](OptionVisitor& v) { describe(v, own); }, given);
  return own;
}

std::vector<Option> text_options() {
  TextOptions plain;
  return list_options([&](OptionVisitor& v) { describe(v, plain); });
}

bool is_text_option(std::string_view name) {
  static const std::vector<Option> all = text_options();
  return std::ranges::find(all, name, &Option::name) != all.end();
}

struct TextStep::Parts {
  explicit Parts(const TextOptions& options) : tokeniser(options.tokens) {}

  Tokeniser tokeniser;
  Vocabulary vocabulary = {};
  std::vector<std::int32_t> offsets = {}, df = {};  // of its terms; documents that have them
  Index documents = 0;
  double length = 0;  // terms counted in all of them
  TermWeights weights = {};
  Lazy<TermFinder> finder = {};
};

TextStep::TextStep(const TextOptions& options, TextPlace place)
    : options_(options), place_(place), how_(written(options)) {
  auto parts = std::make_shared<Parts>(options);
  parts->weights = TermWeights(options.weights, std::vector<double>{}, 0);  // of hashed terms
  parts_ = std::move(parts);
}

Index TextStep::columns() const {
  if (place_ == TextPlace::kPositions) {
    return options_.positions > 0 ? options_.positions : TextOptions::kUsualPositions;
  }
  return options_.hashed > 0 ? options_.hashed : parts_->vocabulary.size();
}

std::string TextStep::term(Index column) const {
  if (place_ == TextPlace::kPositions) return fmt::format("word {}", column + 1);
  return options_.hashed > 0 ? std::to_string(column + 1) : std::string(parts_->vocabulary[column]);
}

const TermWeights& TextStep::weights() const { return parts_->weights; }
double TextStep::document_share(Index column) const {
  return static_cast<double>(parts_->df[usize(column)]) / static_cast<double>(parts_->documents);
}

void TextStep::set_terms(LearnedTerms terms, double length) {
  auto parts = std::make_shared<Parts>(options_);
  parts->vocabulary = std::move(terms.vocabulary);
  parts->documents = terms.documents;
  parts->length = length;
  if (ssize(parts->vocabulary.bytes) > kMostTermBytes) {
    throw InputError(
        Code::kUnsupported, {},
        fmt::format("the {} terms have more than 2 GB of text", parts->vocabulary.size()),
        {"Leave rare ones out: {}.", Ref::option("min_df", "2")});
  }
  const auto narrow = [](Index v) {
    return static_cast<std::int32_t>(std::min(v, Index{kMostTermBytes}));
  };
  for (const Index offset : parts->vocabulary.offsets) parts->offsets.push_back(narrow(offset));
  for (const Index df : terms.df) parts->df.push_back(narrow(df));
  parts->weights =
      TermWeights(options_.weights, terms.df, std::max<Index>(1, terms.documents), length);
  // A fit has counted its texts already, and a file may be loaded to be looked at.
  parts->finder = Lazy<TermFinder>::made_by(
      [p = parts.get()] { return TermFinder(p->vocabulary, p->tokeniser); });
  parts_ = std::move(parts);
}

namespace {

CutOptions cuts_of(const TextOptions& options) {
  CutOptions cuts = options.cuts;
  if (options.weights.tf == WeightOptions::Tf::kPresence) cuts.rank = CutOptions::Rank::kDocuments;
  return cuts;
}

void check(TextOptions options, TextPlace place) {
  check_options([&](OptionVisitor& v) { describe(v, options); });
  check_positions(options, place);
  if (options.hashed == 0) return;
  if (options.weights.idf != WeightOptions::Idf::kNone ||
      options.weights.tf == WeightOptions::Tf::kBm25) {
    throw InputError(Code::kBadOption, {},
                     {"{} knows no frequencies of documents, which {} and {} need",
                      Ref::option("hashed"), Ref::option("idf"), Ref::option("tf", "bm25")},
                     {"Leave {} out.", Ref::option("hashed")});
  }
}

}  // namespace

TextStep TextStep::learn(Source& x, const TextOptions& options, const Exec& exec, TermRows* counted,
                         TextPlace place) {
  check_texts(x);
  if (counted != nullptr && x.in_memory() && place != TextPlace::kPositions) {
    Block block;  // all rows at once: those of a table in memory are read where they lie
    Chunk chunk;
    x.fetch({0, x.shape().rows}, block);
    x.decode(block, chunk);
    const Texts& texts = chunk.texts[0];
    const auto text = [&](Index row, std::string&) { return texts[row]; };
    return learn(EachText{texts.rows, texts.offsets, text}, options, exec, *counted, place);
  }
  check(options, place);
  TextStep step(options, place);
  if (options.hashed > 0) return step;
  const TextsOfChunks all = fold(x, TextsOfChunks(step.parts_->tokeniser), exec);
  LearnedTerms terms = all.counts().learned(cuts_of(options));
  const double length = length_of(terms);
  step.set_terms(std::move(terms), length);
  return step;
}

TextStep TextStep::learn(const EachText& texts, const TextOptions& options, const Exec& exec,
                         TermRows& counted, TextPlace place) {
  check(options, place);
  TextStep step(options, place);
  if (options.hashed > 0) return step;
  CountedTexts both = learn_and_count(texts, step.parts_->tokeniser, cuts_of(options), exec);
  const double length = length_of(both.terms);
  step.set_terms(std::move(both.terms), length);
  counted = std::move(both.rows);
  if (step.options_.weights.any()) {
    constexpr Index kTask = 256;
    for_each((counted.rows() + kTask - 1) / kTask, exec, [&](Index task) {
      for (Index i = task * kTask; i < std::min((task + 1) * kTask, counted.rows()); ++i) {
        const Index first = counted.offsets[usize(i)], last = counted.offsets[usize(i) + 1];
        step.parts_->weights.weigh(counted.columns.data() + first, counted.values.data() + first,
                                   last - first);
      }
    });
  }
  return step;
}

void TextStep::count(const Texts& texts, CountWork& work, SparseArray& out) const {
  const Index first = out.offsets.empty() ? 0 : ssize(out.offsets) - 1;
  if (options_.hashed > 0) {
    count_hashed(texts, parts_->tokeniser, {options_.hashed, options_.alternate_sign}, work, out);
  } else {
    count_terms(texts, parts_->tokeniser, parts_->finder.get(), work, out);
  }
  parts_->weights.weigh(out, {first, first + texts.rows});
}

std::vector<Note> TextStep::notes() const { return parts_->tokeniser.notes(); }

void TextStep::find_positions(std::string_view text, CountWork& work, double* out) const {
  const Index count = columns();
  std::fill_n(out, count, std::numeric_limits<double>::quiet_NaN());
  Index position = 0;
  TermFinder::begin(work.finder);
  parts_->tokeniser.words(text, work.tokens, [&](std::span<const Word> words) {
    for (std::size_t w = 0; w < words.size() && position < count; ++w, ++position) {
      work.columns.clear();
      parts_->finder.get().find(words.subspan(w, 1), work.finder, work.columns);
      if (!work.columns.empty()) out[position] = static_cast<double>(work.columns[0]);
    }
  });
}

void TextStep::get_ready() const { parts_->finder.get(); }

void TextStep::do_row(const double* row, Index inputs, double* out) const {  // without its text
  if (beside()) {
    std::copy_n(row, inputs, out);
  } else {
    std::fill_n(out, columns(), 0.0);
  }
}

Step::Cause TextStep::not_affine() const {
  return {"text", "its columns are counts of terms", "texts cannot be told from counts"};
}

std::optional<Schema> TextStep::schema(const Schema& given) const {
  Schema made;
  const bool positions = place_ == TextPlace::kPositions;
  if (beside() || positions) {
    made = given;
    made.texts.clear();
    const Index terms = positions ? parts_->vocabulary.size() : columns();
    InnerTable& table = made.inner.emplace_back(
        InnerTable{.name = given.texts.empty() ? "" : given.texts[0].name, .codes = terms});
    for (Index j = 0; options_.hashed == 0 && j < terms; ++j) {
      table.levels.emplace_back(parts_->vocabulary[j]);
    }
    if (!positions) return made;
    made.columns.clear();
    for (Index j = 0; j < columns(); ++j) made.columns.push_back({term(j)});
    return made;
  }
  made.target = given.target;
  if (options_.hashed > 0) {
    made.unnamed = options_.hashed;
    return made;
  }
  made.columns.reserve(usize(columns()));
  for (Index j = 0; j < columns(); ++j) made.columns.push_back({term(j)});
  return made;
}

void TextStep::add_up(std::span<const double> of_outputs, std::span<double> of_inputs) const {
  if (beside()) Step::add_up(of_outputs, of_inputs);
}

void TextStep::visit_parameters(ParameterVisitor& v) const {
  const Index terms = parts_->vocabulary.size();
  v.text("text.how", "what is counted, and how it is weighed: options that are not as usual", how_);
  if (options_.hashed > 0) return;
  const std::vector<Index> of_offsets{terms + 1}, of_terms{terms};
  v.text("text.vocabulary", "the terms, one after another", parts_->vocabulary.bytes);
  v.int32s("text.offsets", "where each of them begins, in bytes, and where the last ends",
           of_offsets, parts_->offsets);
  v.int32s("text.df", "how many documents of the fit have each of them", of_terms, parts_->df);
  v.number("text.documents", "how many documents there were",
           static_cast<double>(parts_->documents));
  v.number("text.length", "how many terms they had in all", parts_->length);
}

std::vector<Parameter> TextStep::parameters() const { return parameters_of(*this); }

std::optional<TextStep> TextStep::from_parameters(const ParameterList& parameters, Index columns,
                                                  TextPlace place) {
  if (!parameters.has("text.how")) return std::nullopt;
  TextStep step(read_options(parameters.text("text.how")), place);
  try {
    check_positions(step.options_, place);
  } catch (const InputError&) {
    fail_parameters("'text.how' is of another model");
  }
  if (place == TextPlace::kPositions) {
    if (step.columns() != columns) fail_parameters("'text.how' has another number of positions");
    columns = ssize(whole_numbers(parameters, "text.offsets", -1)) - 1;
  }
  if (step.options_.hashed > 0) {
    if (step.options_.hashed != columns)
      fail_parameters("'text.how' has another number of columns");
    return step;
  }
  const std::string_view bytes = parameters.text("text.vocabulary");
  const std::vector<std::int32_t> offsets = whole_numbers(parameters, "text.offsets", columns + 1);
  const std::vector<std::int32_t> df = whole_numbers(parameters, "text.df", columns);
  const double documents = parameters.number("text.documents");
  const double length = parameters.number("text.length");
  constexpr double kMost = 0x1p53;
  const bool counts = documents >= 1 && documents < kMost && documents == std::floor(documents) &&
                      length >= 0 && length < kMost && length == std::floor(length);
  if (!counts) fail_parameters("the numbers of documents and terms make no sense");
  if (columns == 0 || offsets.front() != 0 || offsets.back() != ssize(bytes)) {
    fail_parameters("'text.offsets' does not fit 'text.vocabulary'");
  }
  // All of them, before any is used: between a first and a last that fit, one could lie beyond.
  if (std::ranges::adjacent_find(offsets, std::greater_equal<>{}) != offsets.end()) {
    fail_parameters("'text.offsets' does not ascend");
  }
  LearnedTerms terms;
  terms.documents = static_cast<Index>(documents);
  terms.vocabulary.bytes = bytes;
  terms.vocabulary.offsets.assign(offsets.begin(), offsets.end());
  for (std::size_t j = 0; j < df.size(); ++j) {
    if (df[j] < 0 || df[j] > terms.documents) fail_parameters("'text.df' makes no sense");
    std::string_view term = terms.vocabulary[static_cast<Index>(j)];
    if (j > 0 && term <= terms.vocabulary[static_cast<Index>(j) - 1]) {
      fail_parameters("'text.vocabulary' is not in order");
    }
    while (!term.empty()) {
      const std::size_t size = utf8_length(term);
      if (size == 0) fail_parameters("'text.vocabulary' is not UTF-8 text");
      term.remove_prefix(size);
    }
    terms.df.push_back(df[j]);
  }
  step.set_terms(std::move(terms), length);
  return step;
}

std::vector<ResultTable> TextStep::tables(const Schema&) const { return {}; }

bool TextStep::grows() const {
  return !options_.cuts.cuts() && options_.weights.idf == WeightOptions::Idf::kNone &&
         options_.weights.tf != WeightOptions::Tf::kBm25;
}

TextStep TextStep::all_terms(Source& x, const Exec& exec) const {
  check_texts(x);
  TextStep step(options_, place_);
  const TextsOfChunks all = fold(x, TextsOfChunks(step.parts_->tokeniser), exec);
  LearnedTerms terms;
  terms.documents = all.counts().documents();
  if (!all.counts().empty_of_terms()) terms = all.counts().learned({}, exec);
  const double length = length_of(terms);
  step.set_terms(std::move(terms), length);
  return step;
}

Index TextStep::unknown_in(const TextStep& other) const {
  const Vocabulary &mine = parts_->vocabulary, &theirs = other.parts_->vocabulary;
  Index unknown = 0;
  for (Index i = 0, j = 0; j < theirs.size(); ++j) {  // both ascend
    while (i < mine.size() && mine[i] < theirs[j]) ++i;
    unknown += i == mine.size() || mine[i] != theirs[j] ? 1 : 0;
  }
  return unknown;
}

TextStep TextStep::merged(const TextStep& a, const TextStep& b, std::vector<Index>& places_of_a,
                          std::vector<Index>& places_of_b) {
  const auto fail = [](const Message& why) { throw InputError(Code::kBadOption, {}, why, kMerge); };
  if (!(a.options_ == b.options_)) fail("the two models count different things in their texts");
  if (!a.grows()) {
    fail({"the terms of the two models were {} by the texts of each alone",
          a.options_.cuts.cuts() ? "chosen" : "weighed"});
  }
  TextStep both(a.options_, a.place_);
  places_of_a.clear();
  places_of_b.clear();
  if (a.options_.hashed > 0) {
    for (Index j = 0; j < a.columns(); ++j) {
      places_of_a.push_back(j);
      places_of_b.push_back(j);
    }
    return both;
  }
  LearnedTerms terms;
  terms.documents = a.parts_->documents + b.parts_->documents;
  for (Index i = 0, j = 0; i < a.columns() || j < b.columns();) {
    const bool of_a =
        i < a.columns() && (j == b.columns() || a.parts_->vocabulary[i] <= b.parts_->vocabulary[j]);
    const bool of_b =
        j < b.columns() && (i == a.columns() || b.parts_->vocabulary[j] <= a.parts_->vocabulary[i]);
    terms.vocabulary.add(of_a ? a.parts_->vocabulary[i] : b.parts_->vocabulary[j]);
    Index df = 0;
    if (of_a) df += a.parts_->df[usize(i++)], places_of_a.push_back(terms.vocabulary.size() - 1);
    if (of_b) df += b.parts_->df[usize(j++)], places_of_b.push_back(terms.vocabulary.size() - 1);
    terms.df.push_back(df);
  }
  both.set_terms(std::move(terms), a.parts_->length + b.parts_->length);
  return both;
}

namespace {

// The rows of a table of texts. Borrows the table and the step.
class TextRows final : public SourceOver {
 public:
  TextRows(Source& x, const TextStep* step)
      : SourceOver(x),
        step_(step),
        schema_(Lazy<Schema>::made_by([this] { return *step_->schema(source().schema()); })) {
    check_texts(x);
  }

  Shape shape() const override {
    const auto [rows, cols] = source().shape();
    return {rows, beside() ? cols : step_->columns()};
  }
  const Schema& schema() const override { return schema_.get(); }
  void decode(Block& block, Chunk& chunk) const override {
    source().decode(block, chunk);
    thread_local CountWork work;
    if (step_->place() == TextPlace::kPositions) {
      const Index rows = chunk.rows(), cols = step_->columns();
      auto* const out =
          reinterpret_cast<double*>(block.room(chunk.x, usize(rows * cols) * sizeof(double)));
      for (Index i = 0; i < rows; ++i) {
        step_->find_positions(chunk.texts[0][i], work, out + i * cols);
      }
      chunk.x = Dense<double>{out, rows, cols, cols};
      chunk.texts = {};
      return;
    }
    thread_local SparseArray own;
    if (beside()) block.inner_room.resize(1);
    SparseArray& counted = beside() ? block.inner_room[0] : own;
    counted.clear();
    step_->count(chunk.texts[0], work, counted);
    chunk.texts = {};
    if (beside()) {
      block.inner.assign(1, counted.view(step_->columns()));
      chunk.inner = block.inner;
      return;
    }
    const std::size_t entries = counted.values.size(), ends = counted.offsets.size();
    std::byte* const room = block.room(
        chunk.x, entries * (sizeof(double) + sizeof(std::int32_t)) + ends * sizeof(Index));
    auto* const values = reinterpret_cast<double*>(room);
    auto* const offsets = reinterpret_cast<Index*>(values + entries);
    auto* const columns = reinterpret_cast<std::int32_t*>(offsets + ends);
    std::ranges::copy(counted.values, values);
    std::ranges::copy(counted.offsets, offsets);
    std::ranges::copy(counted.columns, columns);
    chunk.x = Sparse<double>{offsets, columns, values, chunk.rows(), step_->columns()};
  }
  void gather(std::span<const Index> rows, std::span<double> out) override {
    if (beside()) return source().gather(rows, out);
    Block block;
    Chunk chunk;
    double* to = out.data();
    for (const Index row : rows) {
      fetch({row, row + 1}, block);
      decode(block, chunk);
      std::visit([&](const auto& x) { copy_row(x, 0, to); }, chunk.x);
      to += step_->columns();
    }
  }
  std::unique_ptr<Source> reopen() const override { return reopen_as<TextRows>(step_); }
  bool may_miss(Index column) const override {
    if (column >= 0 && step_->place() == TextPlace::kPositions) return true;
    return (column < 0 || beside()) && source().may_miss(column);
  }

 private:
  bool beside() const { return step_->place() == TextPlace::kBeside; }

  const TextStep* step_;
  Lazy<Schema> schema_;
};

// Counted rows in memory, with what else the rows of a table have.
struct Counted {
  TermRows rows;
  std::vector<std::int32_t> labels = {};
  std::vector<double> targets = {}, weights = {};
};

template <class T>
std::span<const T> part(const std::vector<T>& all, RowRange range) {
  return all.empty() ? std::span<const T>()
                     : std::span(all).subspan(usize(range.first), usize(range.size()));
}

class CountedRows final : public SourceOver {
 public:
  CountedRows(Source& x, std::shared_ptr<const Counted> counted, Index columns)
      : SourceOver(x), counted_(std::move(counted)), columns_(columns) {
    schema_.unnamed = columns;
    schema_.target = x.schema().target;
  }
  Shape shape() const override { return {view().rows, columns_}; }
  const Schema& schema() const override { return schema_; }
  void fetch(RowRange range, Block& block) override { block.range = range; }
  void decode(Block& block, Chunk& chunk) const override {
    const RowRange range = block.range;
    chunk = {range.first,
             view().slice(range),
             part(counted_->labels, range),
             part(counted_->targets, range),
             part(counted_->weights, range),
             {}};
  }
  void gather(std::span<const Index> rows, std::span<double> out) override {
    double* to = out.data();
    for (const Index row : rows) {
      copy_row(view(), row, to);
      to += columns_;
    }
  }
  std::unique_ptr<Source> reopen() const override {
    return reopen_as<CountedRows>(counted_, columns_);
  }
  bool in_memory() const override { return true; }
  bool may_miss(Index column) const override { return column < 0 && source().may_miss(column); }

 private:
  Sparse<double> view() const { return counted_->rows.view(columns_); }
  std::shared_ptr<const Counted> counted_;
  Index columns_;
  Schema schema_;
};

// A table whose texts were counted: their terms are an inner table of it.
class CountedBeside final : public SourceOver {
 public:
  CountedBeside(Source& x, std::shared_ptr<const TermRows> counted, Index columns)
      : SourceOver(x), counted_(std::move(counted)), schema_(x.schema()) {
    schema_.inner.push_back({.name = schema_.texts[0].name, .codes = columns});
    schema_.texts.clear();
  }
  const Schema& schema() const override { return schema_; }
  void decode(Block& block, Chunk& chunk) const override {
    source().decode(block, chunk);
    const RowRange range{chunk.first_row, chunk.first_row + chunk.rows()};
    chunk.texts = {};
    block.inner.assign(1, counted_->view(schema_.inner[0].codes).slice(range));
    chunk.inner = block.inner;
  }
  std::unique_ptr<Source> reopen() const override {
    return reopen_as<CountedBeside>(counted_, schema_.inner[0].codes);
  }
  bool in_memory() const override { return source().in_memory(); }
  bool may_miss(Index column) const override { return source().may_miss(column); }

 private:
  std::shared_ptr<const TermRows> counted_;
  Schema schema_;
};

}  // namespace

std::unique_ptr<Source> TextStep::over(Source& x) const {
  return std::make_unique<TextRows>(x, this);
}

namespace {

struct EmptyRows {
  Index count = 0;
  void accumulate(const Chunk& chunk) {
    const auto nothing = [](double v) { return std::isnan(v); };
    if (const auto* const words = std::get_if<Dense<double>>(&chunk.x);
        chunk.inner.empty() && words) {
      for (Index i = 0; i < words->rows; ++i) {
        count += std::all_of(words->row(i), words->row(i) + words->cols, nothing) ? 1 : 0;
      }
      return;
    }
    const auto& x = chunk.inner.empty() ? std::get<Sparse<double>>(chunk.x) : chunk.inner[0];
    for (Index i = 0; i < x.rows; ++i) count += x.offsets[i] == x.offsets[i + 1] ? 1 : 0;
  }
  void merge(const EmptyRows& next) { count += next.count; }
  void write(Writer& writer) const { writer.put(count); }
  void read(Reader& reader) { reader.get(count); }
  Index words() const { return 1; }
  Merge merge_kind() const { return Merge::kExact; }
};

}  // namespace

Index rows_without_terms(Source& rows, const Exec& exec) {
  return fold(rows, EmptyRows(), exec).count;
}

std::unique_ptr<Source> counted_rows(TermRows rows, Index columns, Source& x, const Exec& exec,
                                     TextPlace place) {
  if (place == TextPlace::kBeside) {
    return std::make_unique<CountedBeside>(x, std::make_shared<TermRows>(std::move(rows)), columns);
  }
  auto counted = std::make_shared<Counted>(Counted{std::move(rows)});
  const Index n = x.shape().rows;
  Block block;
  Chunk first;
  x.fetch({0, std::min<Index>(1, n)}, block);
  x.decode(block, first);
  counted->labels.resize(first.labels.empty() ? 0 : usize(n));
  counted->targets.resize(first.targets.empty() ? 0 : usize(n));
  counted->weights.resize(first.weights.empty() ? 0 : usize(n));
  for_rows(x, exec, [&](const Chunk& chunk) {
    std::ranges::copy(chunk.labels, counted->labels.begin() + chunk.first_row);
    std::ranges::copy(chunk.targets, counted->targets.begin() + chunk.first_row);
    std::ranges::copy(chunk.weights, counted->weights.begin() + chunk.first_row);
  });
  return std::make_unique<CountedRows>(x, std::move(counted), columns);
}

}  // namespace craton
