#include "craton/kernels/ascii_words.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

using namespace craton;

namespace {

bool part_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

TEST_CASE("ascii_words: bits, small letters and other bytes are those of a plain loop") {
  std::mt19937 random(3);
  for (std::size_t size = 0; size < 300; ++size) {
    std::string text(size, ' ');
    for (char& c : text) c = static_cast<char>(random() % (size % 3 == 0 ? 256 : 128));
    for (const Letters letters : {Letters::kKeep, Letters::kLower}) {
      std::string out(ascii_blocks(size) * kAsciiBlock, 'x');
      std::vector<std::uint64_t> words(ascii_blocks(size), 7);
      bool ascii = true;
      const bool found = scan_ascii(text.data(), size, letters, out.data(), words.data());
      for (std::size_t i = 0; i < out.size(); ++i) {
        char c = i < size ? text[i] : '\0';
        ascii = ascii && static_cast<unsigned char>(c) < 128;
        CHECK((words[i / 64] >> i % 64 & 1) == (part_of_word(c) ? 1 : 0));
        if (letters == Letters::kLower && c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
        CHECK(out[i] == c);
      }
      CHECK(found == ascii);
    }
  }
}
