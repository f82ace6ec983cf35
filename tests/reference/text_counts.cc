#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <span>
#include <string>

#include "craton/base/error.h"
#include "craton/base/files.h"
#include "craton/base/options.h"
#include "craton/text/characters.h"
#include "craton/text/count.h"
#include "craton/text/weights.h"
#include "craton/text/word_breaks.h"

// text_counts WHAT DOCUMENTS OUT [name=value ...]: what text_sklearn.py and text_unicode.py
// compare.
//   WHAT: learn    vocabulary and rows in one pass           learn_then_count   the same in two
//         hash     rows of hashed terms                      shards   learned in parts, merged as
//         ranks do segments, nfc, nfkc, lower, fold, ascii, unicode   texts: pieces, or the text
//         changed
// Options are those of TokenOptions, CutOptions, HashOptions and WeightOptions, and threads,
// repeat. DOCUMENTS: each text behind its length, 8 bytes. OUT: arrays behind their lengths in
// bytes.

using namespace craton;

namespace {

struct Input {
  std::string bytes;
  std::vector<Index> offsets = {0};
  Texts view() const { return {bytes.data(), offsets.data(), std::ssize(offsets) - 1}; }
};

Input read_documents(const std::string& path) {
  const Bytes file = read_file(path);
  Reader reader(file);
  Input input;
  while (!reader.done()) {
    std::string text;
    reader.get(text);
    input.bytes += text;
    input.offsets.push_back(std::ssize(input.bytes));
  }
  return input;
}

struct Options {
  TokenOptions tokens;
  CutOptions cuts;
  HashOptions hash;
  WeightOptions weights;
  Index threads = 1, repeat = 1;
  void visit(OptionVisitor& v) {
    describe(v, tokens);
    describe(v, cuts);
    describe(v, hash);
    describe(v, weights);
    v.integer("threads", threads, 0, 1000, "");
    v.integer("repeat", repeat, 1, 1000, "");
  }
};

Options options_of(int argc, char** argv) {
  Options options;
  const auto visit = [&](OptionVisitor& v) { options.visit(v); };
  const std::vector<Option> known = list_options(visit);
  std::vector<NamedOption> values;
  for (int i = 4; i < argc; ++i) {
    const std::string word = argv[i];
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const auto option =
        std::find_if(known.begin(), known.end(), [&](const Option& o) { return o.name == name; });
    if (option == known.end()) throw std::runtime_error("no option " + name);
    values.emplace_back(name, parse_option(*option, word.substr(equals + 1)));
  }
  set_options(visit, values);
  options.cuts.rank = options.weights.tf == WeightOptions::Tf::kPresence
                          ? CutOptions::Rank::kDocuments
                          : CutOptions::Rank::kCount;
  return options;
}

LearnedTerms learned_in_shards(const Texts& texts, const Tokeniser& tokeniser,
                               const CutOptions& cuts) {
  constexpr Index kShards = 5;
  TermCounts all(tokeniser);
  for (Index s = kShards; s-- > 0;) {
    TermCounts part(tokeniser), sent(tokeniser);
    part.add(texts.slice({texts.rows * s / kShards, texts.rows * (s + 1) / kShards}));
    Writer writer;
    part.write(writer);
    Reader reader(writer.bytes());
    sent.read(reader);
    all.merge(sent);
  }
  return all.learned(cuts);
}

CountedTexts counted(const std::string& what, const Texts& texts, const Options& options) {
  const Tokeniser tokeniser(options.tokens);
  const Exec exec{.threads = static_cast<int>(options.threads)};
  CountedTexts result;
  if (what == "hash") {
    result.rows = count_all(texts, exec, [&](const Texts& some, CountWork& work, SparseArray& out) {
      count_hashed(some, tokeniser, options.hash, work, out);
    });
    return result;
  }
  if (what == "learn") {
    result = learn_and_count(texts, tokeniser, options.cuts, exec);
  } else {
    if (what == "shards") {
      result.terms = learned_in_shards(texts, tokeniser, options.cuts);
    } else {
      TermCounts counts(tokeniser);
      counts.add(texts);
      result.terms = counts.learned(options.cuts);
    }
    const TermFinder finder(result.terms.vocabulary, tokeniser);
    result.rows = count_all(texts, exec, [&](const Texts& some, CountWork& work, SparseArray& out) {
      count_terms(some, tokeniser, finder, work, out);
    });
  }
  return result;
}

void weigh(CountedTexts& counted, const Options& options) {
  if (!options.weights.any() || counted.terms.documents == 0) return;
  double length = 0;
  for (const Index cf : counted.terms.cf) length += static_cast<double>(cf);
  const TermWeights weights(options.weights, counted.terms.df, counted.terms.documents, length);
  TermRows& rows = counted.rows;
  for (Index i = 0; i < rows.rows(); ++i) {
    const Index first = rows.offsets[usize(i)], last = rows.offsets[usize(i) + 1];
    weights.weigh(rows.columns.data() + first, rows.values.data() + first, last - first);
  }
}

std::string changed(const std::string& what, std::string_view text) {
  std::string out;
  CodePoints codes;
  if (what == "nfc") append_normal_form(text, NormalForm::kNFC, out, codes);
  if (what == "nfkc") append_normal_form(text, NormalForm::kNFKC, out, codes);
  if (what == "lower") append_lower(text, out);
  if (what == "fold") append_folded(text, out, codes);
  if (what == "ascii") append_without_accents(text, Accents::kAscii, out, codes);
  if (what == "unicode") append_without_accents(text, Accents::kUnicode, out, codes);
  if (what == "segments") {  // between zeros
    for_each_segment(text, [&](const WordSegment& s) { (out += s.text) += '\0'; });
  }
  return out;
}

template <class T>
void put(std::ofstream& out, const T& values) {
  const auto bytes = static_cast<std::int64_t>(values.size() * sizeof(values[0]));
  out.write(reinterpret_cast<const char*>(&bytes), sizeof(bytes));
  out.write(reinterpret_cast<const char*>(values.data()), bytes);
}

void run(int argc, char** argv) {
  const std::string what = argv[1];
  const Input input = read_documents(argv[2]);
  const Options options = options_of(argc, argv);
  std::ofstream out(argv[3], std::ios::binary);
  if (!changed(what, "a").empty()) {
    for (Index i = 0; i < input.view().rows; ++i) put(out, changed(what, input.view()[i]));
    return;
  }
  CountedTexts result;
  for (Index i = 0; i < options.repeat; ++i) {
    result = {};
    const auto start = std::chrono::steady_clock::now();
    result = counted(what, input.view(), options);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    if (options.repeat > 1) {
      fmt::print("{:.4f} s, {:.1f} MB/s, {} columns, {} entries\n", seconds.count(),
                 static_cast<double>(input.bytes.size()) / 1e6 / seconds.count(),
                 result.terms.vocabulary.size(), result.rows.entries());
    }
  }
  for (const Note& note : Tokeniser(options.tokens).notes()) {
    fmt::print("{}\n", note.text.plain());
  }
  weigh(result, options);
  put(out, result.rows.offsets);
  put(out, std::span(result.rows.columns.data(), result.rows.columns.size()));
  put(out, std::span(result.rows.values.data(), result.rows.values.size()));
  put(out, result.terms.vocabulary.offsets);
  put(out, result.terms.vocabulary.bytes);
  put(out, result.terms.df);
  put(out, result.terms.cf);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return EXIT_FAILURE;
  try {
    run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return EXIT_FAILURE;
  }
}
