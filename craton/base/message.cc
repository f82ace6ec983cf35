#include "craton/base/message.h"

#include <fmt/core.h>

#include <algorithm>

#include "craton/base/bytes.h"
#include "craton/base/utf8.h"

namespace craton {

std::string shortest_text(double value) { return fmt::format("{}", value); }

std::string Wording::of(const Ref& ref) const {
  switch (ref.kind) {
    case Ref::Kind::kOption:
      return ref.value.empty() ? ref.name : fmt::format("{} = {}", ref.name, ref.value);
    case Ref::Kind::kFlag:
      return fmt::format("--{}{}{}", ref.name, ref.value.empty() ? "" : " ", ref.value);
    case Ref::Kind::kVerb:
      return fmt::format("'craton {}'", ref.name);
    case Ref::Kind::kColumn:
      return "column " + ref.quoted();
    case Ref::Kind::kTextColumn:
      return "text column " + ref.quoted();
    case Ref::Kind::kEither:
      return ref.name;
  }
  return {};
}

Message::Message(std::string_view words) {
  if (!words.empty()) parts_.emplace_back(std::string(words));
}

void Message::add(const Part& part) {
  const std::string* const words = std::get_if<std::string>(&part);
  std::string* const before = parts_.empty() ? nullptr : std::get_if<std::string>(&parts_.back());
  if (words != nullptr && words->empty()) return;
  if (words != nullptr && before != nullptr) {
    *before += *words;
  } else {
    parts_.push_back(part);
  }
}

void Message::fill(std::string_view pattern, std::span<const Message> arguments) {
  for (const Message& argument : arguments) {
    const std::size_t at = pattern.find("{}");
    add(std::string(pattern.substr(0, at)));
    for (const Part& part : argument.parts_) add(part);
    pattern.remove_prefix(at + 2);
  }
  add(std::string(pattern));
}

std::string Message::in(const Wording& wording) const {
  std::string text;
  for (const Part& part : parts_) {
    const Ref* const ref = std::get_if<Ref>(&part);
    text += ref == nullptr ? std::get<std::string>(part) : wording.of(*ref);
  }
  return text;
}

std::vector<Ref> Message::columns() const {
  std::vector<Ref> found;
  for (const Part& part : parts_) {
    const Ref* const ref = std::get_if<Ref>(&part);
    if (ref == nullptr) continue;
    if (ref->kind == Ref::Kind::kColumn || ref->kind == Ref::Kind::kTextColumn) {
      found.push_back(*ref);
    }
  }
  return found;
}

Message Message::printable(std::size_t at_most) const {
  Message result;
  const auto clean = [&](const std::string& text) { return craton::printable(text, at_most); };
  for (const Part& part : parts_) {
    const Ref* const ref = std::get_if<Ref>(&part);
    if (ref == nullptr) {
      result.add(clean(std::get<std::string>(part)));
    } else {
      result.add(Ref{ref->kind, clean(ref->name), clean(ref->value)});
    }
  }
  return result;
}

void Message::write(Writer& writer) const {
  writer.put(ssize(parts_));
  for (const Part& part : parts_) {
    const Ref* const ref = std::get_if<Ref>(&part);
    writer.put(static_cast<Index>(ref == nullptr ? -1 : static_cast<Index>(ref->kind)));
    writer.put(ref == nullptr ? std::get<std::string>(part) : ref->name);
    writer.put(ref == nullptr ? std::string() : ref->value);
  }
}

void Message::read(Reader& reader) {
  Index count = 0, kind = 0;
  parts_.clear();
  for (reader.get(count); count > 0; --count) {
    std::string name, value;
    reader.get(kind);
    reader.get(name);
    reader.get(value);
    if (kind < 0) {
      add(name);
    } else {
      add(Ref{static_cast<Ref::Kind>(kind), name, value});
    }
  }
}

}  // namespace craton
