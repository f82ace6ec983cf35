#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "craton/io/input.h"

// Bytes of a text file as UTF-8.

namespace craton {

enum class Encoding { kUtf8, kLatin1 };
enum class EncodingErrors { kStrict, kReplace };  // U+FFFD for each part that is none

struct TextEncoding {
  Encoding encoding = Encoding::kUtf8;
  EncodingErrors errors = EncodingErrors::kStrict;
  bool operator==(const TextEncoding&) const = default;
};

// A whole text. InputError (kBadFile) with the line and the offset: a zero byte, which no text has;
// bytes that are no UTF-8, if they may not be replaced.
std::string decoded(std::string bytes, TextEncoding encoding, const std::string& file);

// The same of a stream, but for what is strict: then readers of formats see the bytes as they are,
// and say where they are wrong.
std::unique_ptr<Input> decoded(std::unique_ptr<Input> input, TextEncoding encoding);

// A line of a file is UTF-8: InputError (kBadFile) otherwise, with the offset.
void check_utf8(std::string_view line, const std::string& file, Index number);

}  // namespace craton
