#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Normal forms of texts (Unicode Standard Annex 15), full case folding, and accents taken off:
// appended to `out`. The characters are utf8proc's. A run of combining marks is ordered in
// O(n log n), however long it is.

namespace craton {

enum class NormalForm { kNone, kNFC, kNFKC };
enum class Accents { kKeep, kAscii, kUnicode };

using CodePoints = std::vector<std::int32_t>;  // room to work in, used again

void append_normal_form(std::string_view text, NormalForm form, std::string& out, CodePoints& work);

// The compatible decomposition without marks that combine (kUnicode), or without all that is not
// ASCII then (kAscii): scikit-learn's strip_accents.
void append_without_accents(std::string_view text, Accents accents, std::string& out,
                            CodePoints& work);

// Full case folding: what is the same but for capitals becomes the same (German sz: "ss").
void append_folded(std::string_view text, std::string& out, CodePoints& work);

}  // namespace craton
