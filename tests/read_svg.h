#pragma once
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

// For tests of pictures: reads their elements back.

namespace craton::tests {

struct SvgElement {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string told;  // its <title>, or the text inside

  double number(const std::string& attribute) const {
    const auto at = attributes.find(attribute);
    return at == attributes.end() ? 0 : std::strtod(at->second.c_str(), nullptr);
  }
};

// All elements of a name, in their order. requires a well-formed picture, as our writer makes them.
inline std::vector<SvgElement> read_svg(std::string_view svg, const std::string& name) {
  std::vector<SvgElement> found;
  const std::string start = "<" + name + " ";
  for (std::size_t at = svg.find(start); at != svg.npos; at = svg.find(start, at + 1)) {
    SvgElement element{.name = name, .attributes = {}, .told = {}};
    std::size_t end = svg.find('>', at);
    const bool alone = svg[end - 1] == '/';
    std::string_view tag = svg.substr(at + start.size(), end - at - start.size());
    for (std::size_t equals = tag.find("=\""); equals != tag.npos; equals = tag.find("=\"")) {
      const std::size_t close = tag.find('"', equals + 2);
      const std::size_t from = tag.find_last_of(' ', equals) + 1;  // npos + 1 is 0
      element.attributes[std::string(tag.substr(from, equals - from))] =
          std::string(tag.substr(equals + 2, close - equals - 2));
      tag.remove_prefix(close + 1);
    }
    if (!alone) {
      constexpr std::string_view kTitle = "<title>";
      if (svg.substr(end + 1).starts_with(kTitle)) end += kTitle.size();
      element.told = std::string(svg.substr(end + 1, svg.find('<', end) - end - 1));
    }
    found.push_back(element);
  }
  return found;
}

// Those that tell something to who points at them: the marks of a picture.
inline std::vector<SvgElement> read_marks(std::string_view svg, const std::string& name) {
  std::vector<SvgElement> marks = read_svg(svg, name);
  std::erase_if(marks, [](const SvgElement& e) { return e.told.empty(); });
  return marks;
}

}  // namespace craton::tests
