#include "craton/draw/svg.h"

#include <fmt/core.h>

#include <cmath>

#include "craton/base/error.h"
#include "craton/draw/text.h"

namespace craton {
namespace {

constexpr std::string_view kFonts =
    "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'DejaVu Sans', "
    "sans-serif";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : clean_text(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace

std::string svg_number(double value) {
  CRATON_ASSERT(std::isfinite(value));
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

Svg::Svg(double width, double height, std::string_view title) {
  open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
               {"width", width},
               {"height", height},
               {"viewBox", "0 0 " + svg_number(width) + " " + svg_number(height)},
               {"font-family", kFonts},
               {"font-size", 12},
               {"role", "img"}});
  newline();
  out_ += "<title>" + escaped(title) + "</title>";
  add("rect", {{"width", width}, {"height", height}, {"fill", "#ffffff"}});
}

void Svg::open(std::string_view element, Attributes attributes) {
  start(element, attributes);
  out_ += ">";
  open_.emplace_back(element);
}

void Svg::close() {
  CRATON_ASSERT(!open_.empty());
  const std::string element = open_.back();
  open_.pop_back();
  newline();
  out_ += "</" + element + ">";
}

void Svg::add(std::string_view element, Attributes attributes) {
  start(element, attributes);
  out_ += "/>";
}

void Svg::add(std::string_view element, Attributes attributes, std::string_view told) {
  start(element, attributes);
  out_ += told.empty() ? "/>" : fmt::format("><title>{}</title></{}>", escaped(told), element);
}

void Svg::tell(std::string_view told) {
  newline();
  out_ += "<title>" + escaped(told) + "</title>";
}

void Svg::text(double x, double y, std::string_view text, Attributes attributes) {
  start("text", attributes);
  out_ += " x=\"" + svg_number(x) + "\" y=\"" + svg_number(y) + "\">" + escaped(text) + "</text>";
}

void Svg::nest(double x, double y, double width, std::string_view picture) {
  constexpr std::string_view kStart = "<svg";
  CRATON_ASSERT(picture.starts_with(kStart));
  picture.remove_prefix(kStart.size());
  while (picture.ends_with('\n')) picture.remove_suffix(1);
  // The first width and height are those of the picture itself; its viewBox does the scaling.
  const auto take_size = [&](std::string_view name) {
    const std::string key = fmt::format(" {}=\"", name);
    const std::size_t at = picture.find(key), from = at + key.size();
    CRATON_ASSERT(at != picture.npos && at < picture.find('>'));
    return std::stod(std::string(picture.substr(from, picture.find('"', from) - from)));
  };
  const double scale = width / take_size("width"), height = scale * take_size("height");
  start("svg", {{"x", x}, {"y", y}, {"width", width}, {"height", height}});
  out_ += picture.substr(picture.find(" viewBox="));
}

std::string Svg::finish() {
  while (!open_.empty()) close();
  out_ += "\n";
  return std::move(out_);
}

void Svg::start(std::string_view element, Attributes attributes) {
  newline();
  out_ += "<";
  out_ += element;
  for (const SvgAttribute& attribute : attributes) {
    out_ += " ";
    out_ += attribute.name;
    out_ += "=\"" + escaped(attribute.value) + "\"";
  }
}

void Svg::newline() {
  if (!out_.empty()) out_ += "\n";
  out_.append(2 * open_.size(), ' ');
}

}  // namespace craton
