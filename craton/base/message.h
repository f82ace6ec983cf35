#pragma once
#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// What a person reads: words, and references to what the words are about. A reference says what is
// meant, and each surface writes it in its own way: the option n_init with the value 10 is
// "n_init = 10" in C++ and Python, and "--n-init 10" at the shell.
//
//   throw InputError(Code::kTooFewRows, {.file = x.name()},
//                    {"{}, but there are only {} rows", Ref::option("n_clusters", k), rows},
//                    {"Give {} of at most {}.", Ref::option("n_clusters"), rows});

namespace craton {

class Writer;
class Reader;

std::string shortest_text(double value);  // that reads back as the same number

// What stands for {} in a message, or is the value of an option: text or a number.
template <class T>
std::string value_text(const T& value) {
  static_assert(!std::same_as<T, bool> && !std::same_as<T, char>);
  if constexpr (std::integral<T>) {
    return std::to_string(value);
  } else if constexpr (std::floating_point<T>) {
    return shortest_text(static_cast<double>(value));
  } else {
    return std::string(value);
  }
}

struct Ref {
  enum class Kind { kOption, kFlag, kVerb, kColumn, kTextColumn, kEither };

  // An option of a model, by the name of its field.
  static Ref option(std::string_view name) { return {Kind::kOption, std::string(name)}; }
  template <class T>
  static Ref option(std::string_view name, const T& value) {
    return {Kind::kOption, std::string(name), value_text(value)};
  }
  // A flag of the command that is no option of a model, such as --folds; here without hyphens.
  static Ref flag(std::string_view name) { return {Kind::kFlag, std::string(name)}; }
  template <class T>
  static Ref flag(std::string_view name, const T& value) {
    return {Kind::kFlag, std::string(name), value_text(value)};
  }
  // A command: "describe" is 'craton describe'.
  static Ref verb(std::string_view words) { return {Kind::kVerb, std::string(words)}; }
  // A column of the table; `shown`: its name in short.
  static Ref column(std::string_view name, std::string_view shown = {}) {
    return {Kind::kColumn, std::string(name), std::string(shown)};
  }
  static Ref text_column(std::string_view name, std::string_view shown) {
    return {Kind::kTextColumn, std::string(name), std::string(shown)};
  }
  // Where Python needs other words altogether: rare.
  static Ref either(std::string_view words, std::string_view in_python) {
    return {Kind::kEither, std::string(words), std::string(in_python)};
  }

  // Of a column: 'waiting'.
  std::string quoted() const { return "'" + (value.empty() ? name : value) + "'"; }
  bool operator==(const Ref&) const = default;

  Kind kind{};
  std::string name = {}, value = {};
};

// How a surface writes references. This is the wording of the library: an option is called as its
// field is, and all that is not part of C++ as it is typed at the shell.
class Wording {
 public:
  virtual ~Wording() = default;
  virtual std::string of(const Ref& ref) const;
};

// Words with as many {} as there are arguments, or it does not compile.
template <std::size_t kArguments>
struct MessagePattern {
  consteval MessagePattern(const char* words) : text(words) {  // NOLINT: meant to be implicit
    std::size_t count = 0, at = 0;
    for (; (at = text.find("{}", at)) != text.npos; at += 2) ++count;
    if (count != kArguments) throw "the words have another number of {}";
  }
  std::string_view text;
};

class Message {
 public:
  // Words alone; braces in them are braces.
  Message() = default;
  Message(std::string_view words);                                  // NOLINT: these are meant
  Message(const char* words) : Message(std::string_view(words)) {}  // NOLINT: to be
  Message(const std::string& words) : Message(std::string_view(words)) {}  // NOLINT: implicit
  Message(Ref ref) : parts_{std::move(ref)} {}                             // NOLINT
  // Each {} stands for a message, a reference, text or a number.
  template <class... Args>
  requires(sizeof...(Args) > 0)
      Message(MessagePattern<sizeof...(Args)> pattern, const Args&... arguments) {
    const Message each[] = {part(arguments)...};
    fill(pattern.text, each);
  }

  bool empty() const { return parts_.empty(); }
  std::string in(const Wording& wording) const;
  std::string plain() const { return in(Wording()); }
  std::vector<Ref> columns() const;  // those it refers to

  // Each part made printable (utf8.h), and cut to about `at_most` bytes.
  Message printable(std::size_t at_most) const;

  void write(Writer& writer) const;
  void read(Reader& reader);

  friend bool operator==(const Message& a, const Message& b) { return a.plain() == b.plain(); }

 private:
  using Part = std::variant<std::string, Ref>;
  template <class T>
  static Message part(const T& argument) {
    if constexpr (std::convertible_to<const T&, Message>) {
      return Message(argument);
    } else {
      return Message(value_text(argument));
    }
  }
  void fill(std::string_view pattern, std::span<const Message> arguments);
  void add(const Part& part);
  std::vector<Part> parts_;  // no two texts side by side
};

}  // namespace craton
