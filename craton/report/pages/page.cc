#include "craton/report/pages/page.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "craton/draw/text.h"
#include "craton/report/pages/page_style.h"
#include "craton/report/result_text.h"
#include "craton/report/words.h"

namespace craton {
namespace {

// Names of sections as anchors: letters of ASCII and digits; a number makes them different.
std::string anchor(std::string_view title, std::size_t number) {
  std::string name = fmt::format("s{}", number + 1);
  for (const char c : title) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name += letter ? c : '-';
  }
  return name;
}

// An SVG picture inside a page has no declaration, and the names of its parts begin with its
// number: those of all pictures are in one room there.
std::string inner_svg(std::string_view svg, int number) {
  svg.remove_prefix(std::min(svg.find("<svg"), svg.size()));
  std::string out;
  while (!svg.empty()) {
    std::size_t at = svg.size();
    for (const std::string_view before : {" id=\"", "url(#", "href=\"#"}) {
      const std::size_t found = svg.find(before);
      if (found != svg.npos) at = std::min(at, found + before.size());
    }
    out += svg.substr(0, at);
    svg.remove_prefix(at);
    if (!svg.empty()) out += fmt::format("p{}-", number);
  }
  return out;
}

struct Writing {
  std::string out = {};
  int pictures = 0;
};

void write(const Page::Words& words, Writing& to) {
  constexpr std::string_view kClasses[] = {"", " class=\"note\"", " class=\"warning\""};
  to.out += fmt::format("<p{}>{}</p>\n", kClasses[static_cast<std::size_t>(words.kind)],
                        escaped_html(words.text));
}

void write(const Page::Facts& facts, Writing& to) {
  std::string& out = to.out;
  out += "<dl>\n";
  for (const auto& [name, value] : facts.facts) {
    out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped_html(name), escaped_html(value));
  }
  out += "</dl>\n";
}

// Columns that cells_of() has: deviations stand in the cells of the column before them.
std::vector<const ResultColumn*> shown_columns(const ResultTable& table) {
  std::vector<const ResultColumn*> shown;
  for (const ResultColumn& column : table.columns) {
    if (!column.deviation || shown.empty()) shown.push_back(&column);
  }
  return shown;
}

void write(const Page::Table& block, Writing& to) {
  std::string& out = to.out;
  constexpr std::size_t kFewToFilter = 8;
  const ResultTable& table = block.table;
  const SummaryTable cells = cells_of(table, block.most);
  const std::vector<const ResultColumn*> columns = shown_columns(table);
  const auto numbers_of = [&](std::size_t j) {
    return j < columns.size() ? columns[j]->numbers() : nullptr;
  };
  const std::string caption = escaped_html(table.title);
  if (block.folded) out += fmt::format("<details><summary>{}</summary>\n", caption);
  out += "<figure class=\"table\">";
  if (!block.folded && !caption.empty()) out += fmt::format("<figcaption>{}</figcaption>", caption);
  if (cells.rows.size() > kFewToFilter) {
    out += fmt::format(
        "<input type=\"search\" placeholder=\"filter rows\" aria-label=\"filter rows of {}\">",
        caption);
  }
  out += "\n<div class=\"scroll\"><table>\n<thead><tr>";
  for (std::size_t j = 0; j < cells.header.size(); ++j) {
    out +=
        fmt::format("<th{}><button type=\"button\">{}</button></th>",
                    numbers_of(j) != nullptr ? " class=\"n\"" : "", escaped_html(cells.header[j]));
  }
  out += "</tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < cells.rows.size(); ++i) {
    out += "<tr>";
    for (std::size_t j = 0; j < cells.rows[i].size(); ++j) {
      const std::string text = escaped_html(cells.rows[i][j]);
      const auto* const numbers = numbers_of(j);
      // All digits of a number are there to sort by.
      const bool has_number = numbers != nullptr && std::isfinite(numbers->at(i));
      out += has_number
                 ? fmt::format("<td class=\"n\" data-v=\"{}\">{}</td>", numbers->at(i), text)
                 : fmt::format("<td{}>{}</td>", numbers != nullptr ? " class=\"n\"" : "", text);
    }
    out += "</tr>\n";
  }
  out += "</tbody></table></div>";
  const Index left_out = table.rows() - static_cast<Index>(cells.rows.size());
  if (left_out > 0)
    out += fmt::format("<p class=\"more\">and {} more</p>", plural(left_out, "row"));
  out += block.folded ? "</figure></details>\n" : "</figure>\n";
}

void write(const Page::Picture& picture, Writing& to) {
  std::string& out = to.out;
  out += fmt::format("<figure class=\"picture\">{}", inner_svg(picture.svg, ++to.pictures));
  if (!picture.caption.empty()) {
    out += fmt::format("<figcaption>{}</figcaption>", escaped_html(picture.caption));
  }
  out += "</figure>\n";
}

void write(const Page::Commands& commands, Writing& to) {
  to.out += fmt::format("<pre><code class=\"{}\">{}</code></pre>\n", commands.language,
                        escaped_html(commands.text));
}

}  // namespace

std::string escaped_html(std::string_view text) {
  std::string out;
  std::size_t from = 0;
  // Lines stay lines; all other control characters go.
  for (std::size_t end = 0; from <= text.size(); from = end + 1) {
    end = std::min(text.find('\n', from), text.size());
    for (const char c : clean_text(text.substr(from, end - from))) {
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
        case '\'':
          out += "&#39;";
          break;
        default:
          out += c;
      }
    }
    if (end < text.size()) out += '\n';
  }
  return out;
}

Page::Section& Page::add(std::string section_title) {
  return sections.emplace_back(Section{.title = std::move(section_title)});
}

std::string to_html(const Page& page) {
  Writing to;
  std::string& out = to.out;
  out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; script-src '{}'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n",
      kPageScriptHash, escaped_html(page.title), kPageStyle);
  out += "<nav aria-label=\"sections\"><ol>\n";
  for (std::size_t i = 0; i < page.sections.size(); ++i) {
    const Page::Section& section = page.sections[i];
    if (section.blocks.empty()) continue;
    out += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", anchor(section.title, i),
                       escaped_html(section.title));
  }
  out += fmt::format("</ol></nav>\n<main>\n<header><h1>{}</h1>\n<p>{}</p></header>\n",
                     escaped_html(page.title), escaped_html(page.subtitle));
  for (std::size_t i = 0; i < page.sections.size(); ++i) {
    const Page::Section& section = page.sections[i];
    if (section.blocks.empty()) continue;
    out += fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n", anchor(section.title, i),
                       escaped_html(section.title));
    for (const Page::Block& block : section.blocks) {
      std::visit([&](const auto& one) { write(one, to); }, block);
    }
    out += "</section>\n";
  }
  out += fmt::format(
      "</main>\n<div id=\"tip\" role=\"tooltip\" hidden></div>\n<script>{}</script>\n"
      "</body>\n</html>\n",
      kPageScript);
  return out;
}

}  // namespace craton
