#include "craton/text/normal_forms.h"

#include <utf8proc.h>

#include <algorithm>

#include "craton/base/error.h"
#include "craton/text/characters.h"

namespace craton {
namespace {

constexpr int kMostOfOne = 32;  // U+FDFA decomposes into 18, more than any other

utf8proc_option_t options_of(int flags) { return static_cast<utf8proc_option_t>(flags); }

std::uint32_t code_of(std::int32_t code) { return static_cast<std::uint32_t>(code); }

// Each character as utf8proc maps it with these flags.
void decompose(std::string_view text, int flags, CodePoints& codes) {
  codes.clear();
  const char* end = text.data() + text.size();
  for (const char* at = text.data(); at < end;) {
    const Character c = character_at(at, end);
    at += c.bytes;
    if (c.code < 0x80 && (flags & UTF8PROC_CASEFOLD) == 0) {
      codes.push_back(static_cast<std::int32_t>(c.code));
      continue;
    }
    int boundary_class = 0;
    const std::size_t before = codes.size();
    codes.resize(before + kMostOfOne);
    const utf8proc_ssize_t count =
        utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c.code), codes.data() + before,
                                kMostOfOne, options_of(flags), &boundary_class);
    CRATON_ASSERT(count >= 0 && count <= kMostOfOne);
    codes.resize(before + static_cast<std::size_t>(count));
  }
}

int combining_class(std::int32_t code) { return utf8proc_get_property(code)->combining_class; }

// Unicode's canonical ordering: runs of marks by their classes, equals as they were.
void order_marks(CodePoints& codes) {
  const auto combines = [](std::int32_t code) {
    return code >= 0x300 && combining_class(code) != 0;
  };
  for (auto first = codes.begin(); first != codes.end();) {
    first = std::find_if(first, codes.end(), combines);
    const auto last = std::find_if_not(first, codes.end(), combines);
    const auto before = [](std::int32_t a, std::int32_t b) {
      return combining_class(a) < combining_class(b);
    };
    constexpr std::ptrdiff_t kFew = 16;  // for which no memory is taken
    if (last - first > kFew) {
      std::stable_sort(first, last, before);
    } else {
      for (auto mark = first; mark < last; ++mark) {
        std::rotate(std::upper_bound(first, mark, *mark, before), mark, mark + 1);
      }
    }
    first = last;
  }
}

void append(const CodePoints& codes, std::string& out) {
  for (const std::int32_t code : codes) append_character(code_of(code), out);
}

}  // namespace

void append_normal_form(std::string_view text, NormalForm form, std::string& out,
                        CodePoints& work) {
  if (form == NormalForm::kNone) {
    out += text;
    return;
  }
  const int compatible = form == NormalForm::kNFKC ? UTF8PROC_COMPAT : 0;
  decompose(text, UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | compatible, work);
  order_marks(work);
  const utf8proc_ssize_t count =
      utf8proc_normalize_utf32(work.data(), static_cast<utf8proc_ssize_t>(work.size()),
                               options_of(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  CRATON_ASSERT(count >= 0);
  work.resize(static_cast<std::size_t>(count));
  append(work, out);
}

void append_without_accents(std::string_view text, Accents accents, std::string& out,
                            CodePoints& work) {
  decompose(text, UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT, work);
  if (accents == Accents::kUnicode) order_marks(work);
  std::erase_if(work, [&](std::int32_t code) {
    return accents == Accents::kAscii ? code >= 0x80 : code >= 0x300 && combining_class(code) != 0;
  });
  append(work, out);
}

void append_folded(std::string_view text, std::string& out, CodePoints& work) {
  decompose(text, UTF8PROC_STABLE | UTF8PROC_CASEFOLD, work);
  append(work, out);
}

}  // namespace craton
