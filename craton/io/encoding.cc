#include "craton/io/encoding.h"

#include <fmt/core.h>

#include <algorithm>

#include "craton/base/error.h"
#include "craton/base/utf8.h"

namespace craton {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

bool is_high(char c) { return static_cast<unsigned char>(c) >= 0x80; }

void add_latin1(std::string_view bytes, std::string& out) {
  for (const char c : bytes) {
    if (!is_high(c)) {
      out += c;
      continue;
    }
    const auto code = static_cast<unsigned char>(c);
    out += static_cast<char>(0xc0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3f));
  }
}

// How many bytes at the front might begin a character, if they do not make one: the "maximal
// subpart" of Unicode 15, section 3.9, which one U+FFFD replaces.
std::size_t broken_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t wanted = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  // Completed by what a character could have there, the front is one exactly if it begins one.
  std::size_t length = 1;
  for (; length < wanted && length < text.size(); ++length) {
    std::string whole(text.substr(0, length + 1));
    while (whole.size() < wanted) whole += '\x80';
    if (utf8_length(whole) != wanted) break;
  }
  return length;
}

// Whether a text that ends here may be the front of a longer character.
bool may_go_on(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t wanted = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() >= wanted) return false;
  return text.size() == 1 || broken_length(text) == text.size();
}

// UTF-8 with U+FFFD for what is none; up to a front of a character at the end, if more may follow.
// Returns how many bytes were taken.
std::size_t add_replaced(std::string_view bytes, bool more, std::string& out) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    const std::size_t plain = static_cast<std::size_t>(
        std::find_if(bytes.begin() + static_cast<Index>(at), bytes.end(), is_high) - bytes.begin());
    out += bytes.substr(at, plain - at);
    at = plain;
    if (at == bytes.size()) break;
    const std::string_view rest = bytes.substr(at, 4);
    const std::size_t length = utf8_length(rest);
    if (length > 0) {
      out += rest.substr(0, length);
      at += length;
      continue;
    }
    if (more && rest.size() < 4 && may_go_on(rest)) break;
    out += kReplacement;
    at += broken_length(rest);
  }
  return at;
}

[[noreturn]] void fail(std::string_view bytes, std::size_t at, const std::string& file,
                       const std::string& what, const Message& fix) {
  const Index line = 1 + std::count(bytes.begin(), bytes.begin() + static_cast<Index>(at), '\n');
  throw InputError(
      Code::kBadFile, {.file = file, .line = line},
      fmt::format("{} 0x{:02x} at offset {}", what, static_cast<unsigned char>(bytes[at]), at),
      fix);
}

Message other_encoding() {
  return {"Give {} if that is what it is, or {}.", Ref::flag("encoding", "latin-1"),
          Ref::flag("encoding-errors", "replace")};
}

class DecodedInput final : public Input {
 public:
  DecodedInput(std::unique_ptr<Input> input, TextEncoding encoding)
      : Input(input->name()), input_(std::move(input)), encoding_(encoding) {}

  std::size_t read(std::span<std::byte> out) override {
    while (at_ == ready_.size() && !ended_) fill();
    const std::size_t count = std::min(out.size(), ready_.size() - at_);
    std::copy_n(reinterpret_cast<const std::byte*>(ready_.data()) + at_, count, out.begin());
    at_ += count;
    return count;
  }
  Index size() const override { return input_->size(); }
  Index position() const override { return input_->position(); }

 private:
  void fill() {
    constexpr std::size_t kSome = 1 << 16;
    const std::size_t before = bytes_.size();
    bytes_.resize(before + kSome);
    const std::size_t count =
        input_->read(std::as_writable_bytes(std::span(bytes_.data() + before, kSome)));
    bytes_.resize(before + count);
    ended_ = count == 0;
    ready_.clear();
    at_ = 0;
    std::size_t taken = bytes_.size();
    if (encoding_.encoding == Encoding::kLatin1) {
      add_latin1(bytes_, ready_);
    } else {
      taken = add_replaced(bytes_, !ended_, ready_);
    }
    bytes_.erase(0, taken);
  }

  std::unique_ptr<Input> input_;
  TextEncoding encoding_;
  std::string bytes_, ready_;  // not decoded yet; decoded, and given out up to at_
  std::size_t at_ = 0;
  bool ended_ = false;
};

}  // namespace

std::string decoded(std::string bytes, TextEncoding encoding, const std::string& file) {
  if (const std::size_t zero = bytes.find('\0'); zero != bytes.npos) {
    fail(bytes, zero, file, "this is not text: it has a byte", "Leave files out that are no text.");
  }
  if (std::none_of(bytes.begin(), bytes.end(), is_high)) return bytes;
  std::string out;
  if (encoding.encoding == Encoding::kLatin1) {
    add_latin1(bytes, out);
    return out;
  }
  for (std::size_t at = 0; at < bytes.size() && encoding.errors == EncodingErrors::kStrict;) {
    const std::size_t length = utf8_length(std::string_view(bytes).substr(at));
    if (length == 0) fail(bytes, at, file, "this is not UTF-8: it has a byte", other_encoding());
    at += length;
  }
  if (encoding.errors == EncodingErrors::kStrict) return bytes;
  add_replaced(bytes, false, out);
  return out;
}

void check_utf8(std::string_view line, const std::string& file, Index number) {
  const std::size_t at = first_not_utf8(line);
  if (at == line.size()) return;
  throw InputError(Code::kBadFile, {.file = file, .line = number},
                   fmt::format("this is not UTF-8: it has a byte 0x{:02x} at offset {} of the line",
                               static_cast<unsigned char>(line[at]), at),
                   other_encoding());
}

std::unique_ptr<Input> decoded(std::unique_ptr<Input> input, TextEncoding encoding) {
  if (encoding == TextEncoding{}) return input;
  return std::make_unique<DecodedInput>(std::move(input), encoding);
}

}  // namespace craton
