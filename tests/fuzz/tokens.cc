#include <algorithm>
#include <span>

#include "craton/text/count.h"
#include "tests/fuzz/fuzz.h"

using namespace craton;

namespace {

// Its first bytes choose the options; the rest are documents, between zeros.
TokenOptions options_of(std::uint8_t first, std::uint8_t second) {
  TokenOptions options;
  options.analyzer = static_cast<TokenOptions::Analyzer>(first % 3);
  options.words = static_cast<TokenOptions::Words>(first / 3 % 2);
  options.normal_form = static_cast<NormalForm>(first / 6 % 3);
  options.strip_accents = static_cast<Accents>(first / 18 % 3);
  options.lowercase = first / 54 % 2 == 0;
  options.fold = first / 108 % 2 != 0;
  options.ngram_min = 1 + second % 2;
  options.ngram_max = options.ngram_min + second / 2 % 3;
  options.least_length = 1 + second / 6 % 3;
  if (second / 18 % 2 != 0) options.stop_words = "the a of ";
  if (second / 36 % 2 != 0) options.stemmer = "english";
  return options;
}

}  // namespace

// Whatever the bytes are, one pass and two give the same rows.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const Tokeniser tokeniser(options_of(data[0], data[1]));
  std::string_view rest = fuzz::text_of(data + 2, size - 2);
  Vocabulary texts;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\0'), rest.size() - 1);
    texts.add(rest.substr(0, end + 1));
    rest.remove_prefix(end + 1);
  }
  const Texts view{texts.bytes.data(), texts.offsets.data(), texts.size()};
  fuzz::refused_or_read(ErrorKind::kData, [&] {
    const CountedTexts counted = learn_and_count(view, tokeniser, {}, {.threads = 1});
    CountWork work;
    SparseArray rows, hashed;
    const TermFinder finder(counted.terms.vocabulary, tokeniser);
    count_terms(view, tokeniser, finder, work, rows);
    if (rows.offsets != counted.rows.offsets ||
        !std::ranges::equal(rows.columns,
                            std::span(counted.rows.columns.data(), rows.columns.size())) ||
        !std::ranges::equal(rows.values,
                            std::span(counted.rows.values.data(), rows.values.size()))) {
      fuzz::fail("two passes count otherwise");
    }
    count_hashed(view, tokeniser, {.n_features = 13}, work, hashed);
    if (hashed.offsets.size() != rows.offsets.size()) fuzz::fail("rows are missing");
    double sum = 0, expected = 0;
    for (const double value : rows.values) sum += value;
    for (Index i = 0; i < view.rows; ++i) {
      expected += static_cast<double>(tokeniser.terms(view[i]).size());
    }
    if (sum != expected) fuzz::fail("terms are missing");
  });
  return 0;
}
