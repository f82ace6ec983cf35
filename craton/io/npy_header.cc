#include "craton/io/npy_header.h"

#include <fmt/core.h>

#include <charconv>

#include "craton/base/error.h"

namespace craton {
namespace {

class NpyParser {
 public:
  NpyParser(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  NpyHeader header() {
    NpyHeader header;
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr" && !descr) {
        descr = true;
        header.descr = dtype();
      } else if (key == "fortran_order" && !order) {
        order = true;
        header.fortran_order = boolean();
      } else if (key == "shape" && !shape) {
        shape = true;
        header.shape = tuple();
      } else {
        fail(fmt::format("its header has a key '{}' that is unknown or repeated", key));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (!text_.empty()) fail("its header has text after the dictionary");
    if (!descr || !order || !shape) fail("its header lacks one of descr, fortran_order and shape");
    return header;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(Code::kBadFile, {.file = file_}, "not a whole .npy file: " + what,
                     "Write the array again with numpy.save.");
  }

  void skip_blanks() {
    const std::size_t blanks = text_.find_first_not_of(" \t\r\n");
    text_.remove_prefix(blanks == std::string_view::npos ? text_.size() : blanks);
  }

  bool accept(char c) {
    skip_blanks();
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail(fmt::format("its header lacks a '{}'", c));
  }

  std::string string() {
    skip_blanks();
    if (!text_.starts_with('\'') && !text_.starts_with('"')) fail("its header lacks a string");
    const std::size_t end = text_.find(text_[0], 1);
    if (end == std::string_view::npos) fail("its header has a string without end");
    std::string value(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return value;
  }

  std::string dtype() {
    skip_blanks();
    if (text_.starts_with('[')) {
      throw InputError(Code::kBadFile, {.file = file_},
                       "this .npy file holds records of several fields, not a table of numbers",
                       "Save the numeric fields as one array: numpy.lib.recfunctions."
                       "structured_to_unstructured.");
    }
    return string();
  }

  bool boolean() {
    skip_blanks();
    for (const std::string_view word : {"True", "False"}) {
      if (!text_.starts_with(word)) continue;
      text_.remove_prefix(word.size());
      return word == "True";
    }
    fail("fortran_order in its header is neither True nor False");
  }

  std::vector<Index> tuple() {
    std::vector<Index> sizes;
    expect('(');
    while (!accept(')')) {
      sizes.push_back(size());
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return sizes;
  }

  Index size() {
    skip_blanks();
    Index value = -1;
    const auto [stop, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) fail("a size in its header is beyond 64 bits");
    if (error != std::errc() || value < 0) fail("a size in its header is not a count");
    text_.remove_prefix(static_cast<std::size_t>(stop - text_.data()));
    return value;
  }

  std::string_view text_;
  const std::string& file_;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view text, const std::string& file) {
  return NpyParser(text, file).header();
}

}  // namespace craton
