#include "craton/text/tokens.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "craton/base/error.h"
#include "craton/kernels/ascii_words.h"
#include "craton/text/characters.h"
#include "craton/text/stemmer.h"
#include "craton/text/stop_words.h"
#include "craton/text/word_breaks.h"

namespace craton {
namespace {

using Analyzer = TokenOptions::Analyzer;

constexpr std::size_t kBatch = 512;             // words that are handed on together
constexpr std::size_t kMostBytes = 0xFFFFFF00;  // of a document: counts are 32 bits
constexpr TermId kMostStems = 1 << 20;          // that are remembered
constexpr std::size_t kEnd = static_cast<std::size_t>(-1);

// Stems of the words seen lately: most words come again.
class Stems {
 public:
  explicit Stems(std::string_view stemmer) : stemmer_(stemmer) {}

  void replace(std::span<Word> words) {
    if (seen_.size() > kMostStems) seen_ = {}, stems_ = {}, stem_of_.clear();
    numbers_.clear();
    for (const Word& word : words) {
      const TermId id = seen_.find_or_add(word);
      if (id == stem_of_.size()) stem_of_.push_back(stem(word));
      numbers_.push_back(stem_of_[id]);
    }
    // Only now: until the last one is added, their bytes may move.
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = stems_.word(numbers_[i]);
  }

 private:
  TermId stem(const Word& word) {
    const std::string_view stem = stemmer_.stem(word.text());
    return stems_.find_or_add(stem.empty() ? word : word_of(stem, room_));
  }
  Stemmer stemmer_;
  WordIndex seen_, stems_;
  std::vector<TermId> stem_of_, numbers_;
  std::string room_;
};

}  // namespace

// Texts in here have kWordPadding bytes and more behind them. Buffers only grow.
struct TokenWork::Room {
  std::vector<char> text;
  std::size_t size = 0;  // of the text
  bool ascii = true;
  std::vector<std::uint64_t> bits;  // of the text: 1 where a byte is part of a word
  std::string changed, spare;
  CodePoints codes;
  std::vector<std::uint32_t> starts;  // of characters in `spare`
  std::vector<Word> words = std::vector<Word>(kBatch);
  std::size_t count = 0;  // of words
  std::optional<Stems> stems;
  std::string stemmer;  // whose stems

  std::string_view view() const { return {text.data(), size}; }
};

TokenWork::TokenWork() : room_(std::make_unique<Room>()) {}
TokenWork::~TokenWork() = default;
TokenWork::TokenWork(TokenWork&&) noexcept = default;
TokenWork& TokenWork::operator=(TokenWork&&) noexcept = default;

namespace {

// What Tokeniser::words works on.
template <class Room>
struct Cutter {
  const TokenOptions& options;
  const WordIndex& stop;
  Room& room;
  Tokeniser::Take take;

  void flush() {
    std::size_t kept = room.count;
    if (stop.size() > 0) {
      kept = 0;
      for (std::size_t i = 0; i < room.count; ++i) {
        if (stop.find(room.words[i]) == kNoTerm) room.words[kept++] = room.words[i];
      }
    }
    const std::span<Word> words(room.words.data(), kept);
    room.count = 0;
    if (words.empty()) return;
    if (room.stems) room.stems->replace(words);
    take(words);
  }
  void emit(const char* data, std::size_t size) {
    room.words[room.count++] = padded_word(data, size);
    if (room.count == kBatch) flush();
  }

  // The text, with its letters and accents as the options want them, and `bits`.
  void prepare(std::string_view document) {
    const bool lower = options.lowercase || options.fold;
    scan(document, lower ? Letters::kLower : Letters::kKeep);
    if (room.ascii) return;  // whose normal form it is, and which has no accents
    if (change(document)) scan(room.changed, Letters::kKeep);
    if (!room.ascii && options.analyzer == Analyzer::kWord) mark_other_letters();
  }
  void scan(std::string_view text, Letters letters) {
    const std::size_t blocks = ascii_blocks(text.size());
    if (room.bits.size() < blocks) room.bits.resize(blocks);
    if (room.text.size() < blocks * kAsciiBlock + kWordPadding) {
      room.text.resize(blocks * kAsciiBlock + kWordPadding);
    }
    room.size = text.size();
    room.ascii = scan_ascii(text.data(), text.size(), letters, room.text.data(), room.bits.data());
  }
  // Into room.changed; false: there is nothing to do beyond small ASCII letters.
  bool change(std::string_view document) {
    const bool normal = options.normal_form != NormalForm::kNone;
    const bool letters = options.lowercase || options.fold;
    if (!normal && !letters && options.strip_accents == Accents::kKeep) return false;
    room.changed.assign(normal ? document : room.view());
    const auto step = [&](bool wanted, auto&& append) {
      if (!wanted) return;
      room.spare.clear();
      append();
      room.changed.swap(room.spare);
    };
    const auto normalise = [&] {
      append_normal_form(room.changed, options.normal_form, room.spare, room.codes);
    };
    step(normal, normalise);
    step(options.fold, [&] { append_folded(room.changed, room.spare, room.codes); });
    step(letters && !options.fold, [&] { append_lower(room.changed, room.spare); });
    step(normal && letters, normalise);  // small letters may compose anew
    step(options.strip_accents != Accents::kKeep, [&] {
      append_without_accents(room.changed, options.strip_accents, room.spare, room.codes);
    });
    return true;
  }
  void mark_other_letters() {
    const std::string_view text = room.view();
    for (std::size_t at = next_not_ascii(text, 0); at < text.size();) {
      const Character c = character_at(text.data() + at, text.data() + text.size());
      if (is_alnum(c.code)) {
        for (std::size_t i = at; i < at + c.bytes; ++i)
          room.bits[i / 64] |= std::uint64_t{1} << i % 64;
      }
      at = next_not_ascii(text, at + c.bytes);
    }
  }

  // f(first, last) for each longest run of ones in `bits`.
  template <class F>
  void for_each_run(const F& f) {
    const std::size_t blocks = ascii_blocks(room.size);
    std::uint64_t before = 0;  // the last bit of the block before
    std::size_t first = kEnd;  // of a run that has not ended
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::uint64_t bits = room.bits[b];
      std::uint64_t changes = bits ^ (bits << 1 | before);
      before = bits >> 63;
      const auto next = [&] {
        const std::size_t at = b * 64 + static_cast<std::size_t>(std::countr_zero(changes));
        changes &= changes - 1;
        return at;
      };
      if (first != kEnd && changes != 0) {
        f(first, next());
        first = kEnd;
      }
      while (changes != 0) {
        first = next();
        if (changes == 0) break;
        f(first, next());
        first = kEnd;
      }
    }
    if (first != kEnd) f(first, room.size);
  }
  std::size_t characters(const char* text, std::size_t size) const {
    const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
    return static_cast<std::size_t>(std::count_if(text, text + size, begins));
  }

  void plain_words() {
    const auto least = usize(options.least_length);
    const char* text = room.text.data();
    if (room.ascii) {
      for_each_run([&](std::size_t first, std::size_t last) {
        if (last - first >= least) emit(text + first, last - first);
      });
    } else {
      for_each_run([&](std::size_t first, std::size_t last) {
        const std::size_t size = last - first;
        if (size >= least && (size >= 4 * least || characters(text + first, size) >= least)) {
          emit(text + first, size);
        }
      });
    }
  }

  void unicode_words() {
    if (room.ascii) return ascii_unicode_words();
    for_each_segment(room.view(), [&](const WordSegment& s) {
      if (s.alnum && (s.characters >= options.least_length || s.ideograph)) {
        emit(s.text.data(), s.text.size());
      }
    });
  }
  // The rules of word_breaks.cc for ASCII: runs, joined where one sign lies between two letters or
  // two digits.
  void ascii_unicode_words() {
    const char* text = room.text.data();
    std::size_t first = kEnd, last = kEnd;
    const auto end = [&] {
      const auto is_line = [](char c) { return c == '_'; };
      if (first == kEnd || last - first < usize(options.least_length)) return;
      if (!std::all_of(text + first, text + last, is_line)) emit(text + first, last - first);
    };
    for_each_run([&](std::size_t begin, std::size_t stop_at) {
      if (last == kEnd || begin != last + 1 ||
          !sign_joins(text[last - 1], text[last], text[begin])) {
        end();
        first = begin;
      }
      last = stop_at;
    });
    end();
  }
  static bool sign_joins(char before, char sign, char after) {
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    const auto letter = [&](char c) { return c != '_' && !digit(c); };
    const bool both = sign == '.' || sign == '\'';
    return (letter(before) && letter(after) && (both || sign == ':')) ||
           (digit(before) && digit(after) && (both || sign == ',' || sign == ';'));
  }

  // Characters of the text one by one, into `spare`, whose first is at starts[0], ...
  void add_character(const char* from, std::size_t bytes) {
    room.starts.push_back(static_cast<std::uint32_t>(room.spare.size()));
    room.spare.append(from, bytes);
  }
  // f(character, its bytes) for each, and f of one blank for longer white space.
  template <class Each, class Space>
  void for_each_character(const Each& each, const Space& space) {
    const char* end = room.text.data() + room.size;
    std::size_t spaces = 0;
    const char* first_space = nullptr;
    std::uint32_t space_bytes = 0;
    for (const char* at = room.text.data(); at < end;) {
      const Character c = character_at(at, end);
      if (is_space(c.code)) {
        if (spaces++ == 0) first_space = at, space_bytes = c.bytes;
      } else {
        if (spaces > 0) space(spaces, first_space, space_bytes);
        spaces = 0;
        each(at, c.bytes);
      }
      at += c.bytes;
    }
    if (spaces > 0) space(spaces, first_space, space_bytes);
  }
  void end_characters() {
    room.starts.push_back(static_cast<std::uint32_t>(room.spare.size()));
    room.spare.append(kWordPadding, '\0');
  }
  void emit_characters(std::size_t first, std::size_t count) {
    emit(room.spare.data() + room.starts[first], room.starts[first + count] - room.starts[first]);
  }

  void character_ngrams() {
    room.spare.clear();
    room.starts.clear();
    for_each_character([&](const char* at, std::uint32_t bytes) { add_character(at, bytes); },
                       [&](std::size_t spaces, const char* first, std::uint32_t bytes) {
                         spaces == 1 ? add_character(first, bytes) : add_character(" ", 1);
                       });
    const std::size_t length = room.starts.size();
    end_characters();
    for (std::size_t n = usize(options.ngram_min); n <= usize(options.ngram_max); ++n) {
      for (std::size_t i = 0; i + n <= length; ++i) emit_characters(i, n);
    }
  }

  void word_character_ngrams() {
    room.spare.clear();
    room.starts.clear();
    add_character(" ", 1);
    for_each_character([&](const char* at, std::uint32_t bytes) { add_character(at, bytes); },
                       [&](std::size_t, const char*, std::uint32_t) {
                         if (room.starts.size() > 1) add_character(" ", 1);
                       });
    if (room.spare.back() != ' ') add_character(" ", 1);
    const std::size_t length = room.starts.size();
    end_characters();
    const auto blank = [&](std::size_t i) { return room.spare[room.starts[i]] == ' '; };
    for (std::size_t first = 0; first + 1 < length;) {
      std::size_t last = first + 1;  // the blank behind the word
      while (!blank(last)) ++last;
      ngrams_of_word(first, last + 1 - first);
      first = last;
    }
  }
  // As scikit-learn does: n-grams that are longer than the word are the word, once.
  void ngrams_of_word(std::size_t first, std::size_t size) {
    for (std::size_t n = usize(options.ngram_min); n <= usize(options.ngram_max); ++n) {
      if (n >= size) return emit_characters(first, size);
      for (std::size_t i = 0; i + n <= size; ++i) emit_characters(first + i, n);
    }
  }
};

}  // namespace

void describe(OptionVisitor& v, TokenOptions& o) {
  constexpr Index kMostN = 100, kLongest = 1000;
  v.choice("analyzer", o.analyzer, {"word", "char", "char_wb"},
           "what terms are made of: words, characters, or characters within words");
  v.choice(
      "words", o.words, {"plain", "unicode"},
      "what a word is: plain, a run of letters, digits and _, as scikit-learn has it; unicode, "
      "a word by Unicode's rules, with its marks and apostrophes");
  v.integer("least_length", o.least_length, 1, kLongest,
            "shorter words are left out; in characters");
  v.flag("lowercase", o.lowercase, "change capitals to small letters first");
  v.flag("fold", o.fold, "fold cases fully instead, so that words differ in more than capitals");
  v.choice("normal_form", o.normal_form, {"none", "nfc", "nfkc"},
           "bring texts to a normal form of Unicode first: nfkc takes variants for the same");
  v.choice("strip_accents", o.strip_accents, {"none", "ascii", "unicode"},
           "take accents off; ascii drops what is not ASCII then");
  v.text("stop_words", o.stop_words,
         "words to leave out: a list's name, english, french, ...; or the words, between blanks");
  v.text("stemmer", o.stemmer, "reduce words to stems: english, french, ... (Snowball)");
  v.integer("ngram_min", o.ngram_min, 1, kMostN, "terms have at least so many words or characters");
  v.integer("ngram_max", o.ngram_max, 1, kMostN, "and at most so many");
}

Tokeniser::Tokeniser(const TokenOptions& options) : options_(options) {
  check_options([&](OptionVisitor& v) { describe(v, options_); });
  if (options.ngram_min > options.ngram_max) {
    throw InputError(Code::kBadOption, {},
                     {"{} is above {}", Ref::option("ngram_min", options.ngram_min),
                      Ref::option("ngram_max", options.ngram_max)},
                     {"Give {} of at least {}.", Ref::option("ngram_max"), options.ngram_min});
  }
  if (!options.stemmer.empty()) Stemmer{options.stemmer};
  std::string room;
  for (const std::string& word : stop_words(options.stop_words)) {
    if (counts_words()) stop_.find_or_add(word_of(word, room));
  }
}

void Tokeniser::words(std::string_view document, TokenWork& work, Take take) const {
  if (document.size() > kMostBytes) {
    throw InputError(Code::kUnsupported, {},
                     {"a text has {} bytes; 4 GB is the most", document.size()},
                     "Cut it into several.");
  }
  TokenWork::Room& room = *work.room_;
  const std::string& stemmer = counts_words() ? options_.stemmer : std::string();
  if (room.stemmer != stemmer) {
    room.stems.reset();
    room.stemmer = stemmer;
  }
  if (!stemmer.empty() && !room.stems) room.stems.emplace(stemmer);
  room.count = 0;
  Cutter<TokenWork::Room> cutter{options_, stop_, room, take};
  cutter.prepare(document);
  switch (options_.analyzer) {
    case Analyzer::kWord:
      options_.words == TokenOptions::Words::kPlain ? cutter.plain_words() : cutter.unicode_words();
      break;
    case Analyzer::kChar:
      cutter.character_ngrams();
      break;
    case Analyzer::kCharWb:
      cutter.word_character_ngrams();
      break;
  }
  cutter.flush();
}

std::vector<std::string> Tokeniser::terms(std::string_view document) const {
  TokenWork work;
  std::vector<std::string> words, terms;
  this->words(document, work, [&](std::span<const Word> some) {
    for (const Word& word : some) words.emplace_back(word.text());
  });
  for (std::size_t n = usize(first_n()); n <= usize(last_n()); ++n) {
    for (std::size_t i = 0; i + n <= words.size(); ++i) {
      std::string term = words[i];
      for (std::size_t j = 1; j < n; ++j) term += " " + words[i + j];
      terms.push_back(std::move(term));
    }
  }
  return terms;
}

std::vector<Note> Tokeniser::notes() const {
  if (stop_.size() == 0) return {};
  TokenOptions plain = options_;
  plain.stop_words.clear();
  plain.stemmer.clear();
  plain.ngram_min = plain.ngram_max = 1;
  const Tokeniser tokeniser(plain);
  std::string room;
  std::vector<std::string> others;
  for (TermId id = 0; id < stop_.size(); ++id) {
    for (const std::string& word : tokeniser.terms(stop_.text(id))) {
      if (stop_.find(word_of(word, room)) == kNoTerm) others.push_back(word);
    }
  }
  if (others.empty()) return {};
  std::sort(others.begin(), others.end());
  others.erase(std::unique(others.begin(), others.end()), others.end());
  return {{"stop-words-cut",
           {"the stop words become words that are none: {}; texts keep these", listed(others)}}};
}

}  // namespace craton
