#pragma once
#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

// For tests of what writes XML: what is wrong with the text, or "" when it is well-formed. Knows
// elements, attributes, text and the five entities: all that our pictures use.

namespace craton::tests {

class XmlChecker {
 public:
  explicit XmlChecker(std::string_view text) : rest_(text) {}

  std::string check() {
    while (!rest_.empty()) {
      const std::size_t tag = std::min(rest_.find('<'), rest_.size());
      check_text(rest_.substr(0, tag));
      rest_.remove_prefix(tag);
      if (!rest_.empty()) check_tag();
      if (!problem_.empty()) return problem_;
    }
    if (!open_.empty()) return "never closed: " + open_.back();
    return roots_ == 1 ? "" : "there must be one root";
  }

 private:
  void check_text(std::string_view text) {
    if (open_.empty() && text.find_first_not_of(" \n") != text.npos) problem_ = "text outside";
    check_entities(text);
  }

  void check_entities(std::string_view text) {
    constexpr std::array kEntities{"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
    for (std::size_t at = text.find('&'); at != text.npos; at = text.find('&', at + 1)) {
      const auto matches = [&](const char* entity) { return text.substr(at).starts_with(entity); };
      if (std::none_of(kEntities.begin(), kEntities.end(), matches)) problem_ = "a bare &";
    }
    for (const char c : text) {
      if (static_cast<unsigned char>(c) < ' ' && c != '\n') problem_ = "a control character";
    }
  }

  std::string name() {
    std::size_t size = 0;
    while (size < rest_.size() && (std::isalnum(static_cast<unsigned char>(rest_[size])) != 0 ||
                                   rest_[size] == '-' || rest_[size] == ':')) {
      ++size;
    }
    if (size == 0) problem_ = "a name is missing";
    const std::string result(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return result;
  }

  bool accept(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  void check_tag() {
    if (accept("</")) {
      const std::string element = name();
      if (open_.empty() || open_.back() != element || !accept(">")) problem_ = "bad </" + element;
      if (!open_.empty()) open_.pop_back();
      return;
    }
    accept("<");
    const std::string element = name();
    if (open_.empty()) ++roots_;
    std::vector<std::string> seen;
    while (problem_.empty() && accept(" ")) {
      const std::string attribute = name();
      if (std::find(seen.begin(), seen.end(), attribute) != seen.end()) problem_ = "repeated";
      seen.push_back(attribute);
      const bool begins = accept("=\"");
      const std::size_t end = rest_.find('"');
      if (!begins || end == rest_.npos) {
        problem_ = "bad attribute " + attribute;
        return;
      }
      check_entities(rest_.substr(0, end));
      if (rest_.substr(0, end).find('<') != rest_.npos) problem_ = "a bare < in " + attribute;
      rest_.remove_prefix(end + 1);
    }
    if (accept("/>")) return;
    if (!accept(">")) problem_ = "bad <" + element;
    open_.push_back(element);
  }

  std::string_view rest_;
  std::vector<std::string> open_;
  std::string problem_;
  int roots_ = 0;
};

inline std::string xml_problem(std::string_view text) { return XmlChecker(text).check(); }

inline int count_of(std::string_view text, std::string_view part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace craton::tests
