#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

// A small writer of SVG. All text and attribute values are escaped, all elements closed, and
// numbers written to 1/100 of a pixel, so that one picture is the same bytes everywhere.

namespace craton {

std::string svg_number(double value);  // requires a finite value

struct SvgAttribute {
  std::string_view name;
  std::string value;

  SvgAttribute(std::string_view n, double number) : name(n), value(svg_number(number)) {}
  SvgAttribute(std::string_view n, std::string_view text) : name(n), value(text) {}
  SvgAttribute(std::string_view n, const char* text) : name(n), value(text) {}
};

class Svg {
 public:
  using Attributes = std::initializer_list<SvgAttribute>;

  Svg(double width, double height, std::string_view title);  // the title is for screen readers

  void open(std::string_view element, Attributes attributes);
  void close();  // the latest one open
  void add(std::string_view element, Attributes attributes);
  // The same with what a reader is told who points at it; "": nothing.
  void add(std::string_view element, Attributes attributes, std::string_view told);
  // What is told of the element that was opened last, or of its parts that tell nothing.
  void tell(std::string_view told);
  void text(double x, double y, std::string_view text, Attributes attributes = {});

  // Another picture that finish() gave away, scaled to a width.
  void nest(double x, double y, double width, std::string_view picture);

  std::string finish();  // closes everything and gives the file away

 private:
  void start(std::string_view element, Attributes attributes);
  void newline();
  std::string out_;
  std::vector<std::string> open_;
};

}  // namespace craton
