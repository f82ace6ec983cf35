#include "craton/base/json.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <set>

#include "craton/base/error.h"
#include "craton/base/utf8.h"

// Reading is nlohmann's parser, which keeps its own stack, feeding a Builder; so neither side
// recurses, and the depth is checked as brackets open. Cost: linear in the text, plus a logarithm
// for the names of an object.

namespace craton {
namespace {

// Hands out the characters and leaves the count of those read where the Builder can see it.
class Cursor {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Cursor(const char* at, std::size_t* read) : at_(at), read_(read) {}
  reference operator*() const { return *at_; }
  Cursor& operator++() {
    ++at_;
    ++*read_;
    return *this;
  }
  bool operator==(const Cursor& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  std::size_t* read_;
};

// Takes the parser's events, with the names the parser gives them, and makes a Json of them.
class Builder {
 public:
  Builder(std::string_view text, const std::string& file, Index line)
      : text_(text), file_(file), first_line_(line) {}

  bool null() { return add(Json()); }
  bool boolean(bool flag) { return add(flag); }
  bool number_integer(std::int64_t number) { return add(number); }
  bool number_unsigned(std::uint64_t number) {
    if (number > static_cast<std::uint64_t>(std::numeric_limits<Index>::max())) {
      return add(static_cast<double>(number));
    }
    return add(static_cast<Index>(number));
  }
  bool number_float(double number, const std::string&) { return add(number); }
  bool string(std::string& text) { return add(std::move(text)); }
  bool binary(nlohmann::json::binary_t&) { return false; }  // not in text
  bool start_object(std::size_t) { return open(Json(Json::Object())); }
  bool start_array(std::size_t) { return open(Json(Json::List())); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    Frame& frame = open_.back();
    if (!frame.names.insert(name).second) {
      fail(fmt::format("the name {} is given twice in one object", write_json(name)),
           "Keep one of them.");
    }
    frame.name = std::move(name);
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& error) {
    constexpr int kOutOfRange = 406;
    if (error.id == kOutOfRange) fail("a number is too large for a double", "Write a smaller one.");
    // "[json.exception...] parse error at line 1, column 2: syntax error while parsing value - ...
    // ; last read: '...'". The bytes last read may be anything, so they are not repeated.
    std::string reason = error.what();
    reason.resize(std::min(reason.size(), reason.find("; last read")));
    const std::size_t start = reason.find("syntax error");
    if (start != std::string::npos) reason.erase(0, start);
    fail(reason, "Correct it, or write the file again with the program that made it.");
  }

  [[noreturn]] void fail(const std::string& what, const std::string& fix) const {
    const std::string_view before = text_.substr(0, read);
    const auto line = first_line_ + std::count(before.begin(), before.end(), '\n');
    const std::size_t newline = before.rfind('\n');
    const std::size_t column = newline == before.npos ? read : read - newline - 1;
    throw InputError(Code::kBadFile, {.file = file_, .line = line},
                     fmt::format("not valid JSON at byte {} of the line: {}", column, what), fix);
  }
  Json result() { return std::move(root_); }

  std::size_t read = 0;  // characters so far: where an error is

 private:
  struct Frame {
    Json value;
    std::string name = {};             // of the member that comes next
    std::set<std::string> names = {};  // of all members, so that twice is noticed
  };

  bool open(Json container) {
    if (open_.size() == static_cast<std::size_t>(kJsonDepth)) {
      fail(fmt::format("lists and objects nest more than {} deep", kJsonDepth),
           "Use a flatter structure.");
    }
    open_.push_back({std::move(container)});
    return true;
  }
  bool close() {
    Json done = std::move(open_.back().value);
    open_.pop_back();
    return add(std::move(done));
  }
  bool add(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return true;
    }
    Frame& frame = open_.back();
    if (auto* list = std::get_if<Json::List>(&frame.value.value)) {
      list->push_back(std::move(value));
    } else {
      std::get<Json::Object>(frame.value.value).emplace_back(frame.name, std::move(value));
    }
    return true;
  }

  std::string_view text_;
  const std::string& file_;
  Index first_line_;
  std::vector<Frame> open_;
  Json root_;
};

class Printer {
 public:
  explicit Printer(int indent) : indent_(indent) {}

  void print(const Json& json) {
    std::visit([&](const auto& value) { print(value); }, json.value);
  }
  std::string text() { return std::move(text_); }

 private:
  void print(std::nullptr_t) { text_ += "null"; }
  void print(bool flag) { text_ += flag ? "true" : "false"; }
  void print(Index number) { text_ += std::to_string(number); }
  void print(double number) {
    if (!std::isfinite(number)) return print(nullptr);
    std::array<char, 32> buffer{};  // the longest is -2.2250738585072014e-308
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
    const std::string_view digits(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
    text_ += digits;
    if (digits.find_first_of(".e") == digits.npos) text_ += ".0";
  }
  void print(const std::string& text) {
    text_ += '"';
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t length = utf8_length(rest);
      if (length == 1) {
        print_ascii(rest[0]);
      } else if (length > 0 && is_control(rest.substr(0, length))) {
        text_ += printable(rest.substr(0, length));  // \u009b: as JSON has it too
      } else {
        text_ += length == 0 ? std::string_view("\uFFFD") : rest.substr(0, length);
      }
      rest.remove_prefix(std::max<std::size_t>(length, 1));
    }
    text_ += '"';
  }
  void print_ascii(char c) {
    constexpr std::string_view kSpecial = "\"\\\b\f\n\r\t", kLetters = "\"\\bfnrt";
    const std::size_t at = kSpecial.find(c);
    if (at != kSpecial.npos) {
      text_ += '\\';
      text_ += kLetters[at];
    } else if (is_control({&c, 1})) {
      text_ += fmt::format("\\u{:04x}", static_cast<int>(c));
    } else {
      text_ += c;
    }
  }
  void print(const Json::List& list) {
    const bool plain = std::none_of(list.begin(), list.end(), [](const Json& item) {
      return std::holds_alternative<Json::List>(item.value) ||
             std::holds_alternative<Json::Object>(item.value);
    });
    print_items('[', list, ']', plain, [&](const Json& item) { print(item); });
  }
  void print(const Json::Object& object) {
    print_items('{', object, '}', false, [&](const auto& member) {
      print(member.first);
      text_ += indent_ < 0 ? ":" : ": ";
      print(member.second);
    });
  }
  template <class Items, class PrintItem>
  void print_items(char open, const Items& items, char close, bool one_line, PrintItem print_item) {
    CRATON_ASSERT(depth_ < kJsonDepth);
    ++depth_;
    const bool lines = indent_ >= 0 && !one_line && !items.empty();
    text_ += open;
    for (const auto& item : items) {
      if (&item != items.data()) text_ += indent_ < 0 || lines ? "," : ", ";
      if (lines) new_line();
      print_item(item);
    }
    --depth_;
    if (lines) new_line();
    text_ += close;
  }
  void new_line() {
    text_ += '\n';
    text_.append(static_cast<std::size_t>(indent_ * depth_), ' ');
  }

  int indent_, depth_ = 0;
  std::string text_;
};

}  // namespace

Json::Json() = default;
Json::Json(const Json&) = default;
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(const Json&) = default;
Json& Json::operator=(Json&&) noexcept = default;
Json::~Json() = default;
bool Json::operator==(const Json& other) const { return value == other.value; }

Json::Json(std::nullptr_t) {}
Json::Json(Value v) : value(std::move(v)) {}
Json::Json(const char* text) : value(std::string(text)) {}
Json::Json(std::string_view text) : value(std::string(text)) {}
Json::Json(std::string text) : value(std::move(text)) {}
Json::Json(int number) : value(static_cast<Index>(number)) {}
Json::Json(Index number) : value(number) {}
Json::Json(double number) : value(number) {}
Json::Json(bool flag) : value(flag) {}
Json::Json(const std::vector<double>& numbers) : value(List(numbers.begin(), numbers.end())) {}
Json::Json(const std::vector<std::string>& texts) : value(List(texts.begin(), texts.end())) {}

Json Json::object(std::initializer_list<std::pair<std::string, Json>> members) {
  Json result{Object()};
  for (const auto& [name, member] : members) result.set(name, member);
  return result;
}

const Json* Json::find(std::string_view name) const {
  const auto* object = std::get_if<Object>(&value);
  if (object == nullptr) return nullptr;
  for (const auto& [key, member] : *object) {
    if (key == name) return &member;
  }
  return nullptr;
}

void Json::set(std::string name, Json member) {
  auto* object = std::get_if<Object>(&value);
  CRATON_ASSERT(object != nullptr && find(name) == nullptr);
  object->emplace_back(std::move(name), std::move(member));
}

std::string write_json(const Json& json, int indent) {
  Printer printer(indent);
  printer.print(json);
  return printer.text();
}

Json parse_json(std::string_view text, const std::string& file, Index line) {
  Builder builder(text, file, line);
  // The parser takes a zero byte for the end of the text, and what follows would be ignored.
  if (const std::size_t zero = text.find('\0'); zero != text.npos) {
    builder.read = zero + 1;
    builder.fail("a zero byte", "Check that this is a text file in UTF-8.");
  }
  const char* begin = text.data();
  nlohmann::json::sax_parse(Cursor(begin, &builder.read),
                            Cursor(begin + text.size(), &builder.read), &builder);
  return builder.result();
}

}  // namespace craton
