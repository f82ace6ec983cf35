#include "craton/text/word_breaks.h"

#include "craton/text/characters.h"

namespace craton {
namespace {

using enum unicode::WordBreak;
using unicode::WordBreak;

struct Read {
  WordBreak kind = kOther;
  std::uint32_t code = 0, bytes = 0;
};

Read read_at(std::string_view text, std::size_t at) {
  const Character c = character_at(text.data() + at, text.data() + text.size());
  return {static_cast<WordBreak>(unicode::record(c.code).word_break), c.code, c.bytes};
}

bool ends_line(WordBreak w) { return w == kCR || w == kLF || w == kNewline; }
bool extends(WordBreak w) { return w == kExtend || w == kFormat || w == kZWJ; }  // WB4
bool is_letter(WordBreak w) { return w == kALetter || w == kHebrewLetter; }
bool mid_letter(WordBreak w) { return w == kMidLetter || w == kMidNumLet || w == kSingleQuote; }
bool mid_number(WordBreak w) { return w == kMidNum || w == kMidNumLet || w == kSingleQuote; }

// What the rules know of the text before a place. Characters that extend another are passed over.
struct Before {
  WordBreak last = kOther, last_but_one = kOther;
  WordBreak neighbour = kOther;  // the last character itself
  bool odd_indicators = false;   // an odd number of regional indicators ends here

  void pass(WordBreak next) {
    const bool extending = extends(next) && !ends_line(neighbour);
    if (!extending) {
      odd_indicators =
          next == kRegionalIndicator && !(last == kRegionalIndicator && odd_indicators);
      last_but_one = last;
      last = next;
    }
    neighbour = next;
  }
};

// The first character from `at` on that extends no other.
WordBreak next_kind(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const Read r = read_at(text, at);
    if (!extends(r.kind)) return r.kind;
    at += r.bytes;
  }
  return kOther;
}

// Do the rules forbid a boundary between `before` and `next`, the character before `after`?
// requires that there is a character before
bool joined(const Before& before, const Read& next, std::string_view text, std::size_t after) {
  const WordBreak b = before.last, n = next.kind;
  if (before.neighbour == kCR && n == kLF) return true;           // WB3
  if (ends_line(before.neighbour) || ends_line(n)) return false;  // WB3a, b
  if (before.neighbour == kZWJ && has_property(next.code, unicode::kPictographic)) return true;
  if (before.neighbour == kWSegSpace && n == kWSegSpace) return true;                   // WB3d
  if (extends(n)) return true;                                                          // WB4
  if (is_letter(b) && is_letter(n)) return true;                                        // WB5
  if (is_letter(b) && mid_letter(n) && is_letter(next_kind(text, after))) return true;  // WB6
  if (is_letter(before.last_but_one) && mid_letter(b) && is_letter(n)) return true;     // WB7
  if (b == kHebrewLetter && n == kSingleQuote) return true;                             // WB7a
  if (b == kHebrewLetter && n == kDoubleQuote && next_kind(text, after) == kHebrewLetter) {
    return true;  // WB7b
  }
  if (before.last_but_one == kHebrewLetter && b == kDoubleQuote && n == kHebrewLetter) return true;
  if ((is_letter(b) || b == kNumeric) && n == kNumeric) return true;                      // WB8, 9
  if (b == kNumeric && is_letter(n)) return true;                                         // WB10
  if (before.last_but_one == kNumeric && mid_number(b) && n == kNumeric) return true;     // WB11
  if (b == kNumeric && mid_number(n) && next_kind(text, after) == kNumeric) return true;  // WB12
  if (b == kKatakana && n == kKatakana) return true;                                      // WB13
  const bool wordly = is_letter(b) || b == kNumeric || b == kKatakana || b == kExtendNumLet;
  if (wordly && n == kExtendNumLet) return true;  // WB13a
  if (b == kExtendNumLet && (is_letter(n) || n == kNumeric || n == kKatakana)) return true;
  return b == kRegionalIndicator && n == kRegionalIndicator && before.odd_indicators;  // WB15, 16
}

}  // namespace

void for_each_segment(std::string_view text, FunctionRef<void(const WordSegment&)> take) {
  Before before;
  WordSegment segment;
  std::size_t first = 0, at = 0;
  const auto end_segment = [&] {
    segment.text = text.substr(first, at - first);
    if (at > first) take(segment);
    segment = {};
    first = at;
  };
  while (at < text.size()) {
    const Read next = read_at(text, at);
    if (at > first && !joined(before, next, text, at + next.bytes)) end_segment();
    const bool alnum = is_alnum(next.code);
    if (at == first) segment.ideograph = alnum && next.kind == kOther;
    segment.alnum = segment.alnum || alnum;
    ++segment.characters;
    before.pass(next.kind);
    at += next.bytes;
  }
  end_segment();
}

}  // namespace craton
