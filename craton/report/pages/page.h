#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "craton/base/result_table.h"

// A report as one self-contained HTML page: words, tables, pictures and commands in sections. It
// asks for nothing from anywhere (its policy forbids that), so it can be mailed, kept and opened
// from a file. Tables sort and filter, marks of pictures tell their values, it follows a light or
// a dark screen and prints. All text is escaped: whatever names a table has, they stay text.

namespace craton {

struct Page {
  struct Words {
    std::string text;
    enum class Kind { kPlain, kNote, kWarning } kind = Kind::kPlain;
  };
  struct Facts {  // a name and what it is, a line each
    struct Fact {
      std::string name, value;
    };
    std::vector<Fact> facts;
  };
  struct Table {
    ResultTable table;
    Index most = 50;      // rows; how many are left out is said
    bool folded = false;  // to be opened
  };
  struct Picture {
    std::string svg;  // that craton/draw made
    std::string caption = {};
  };
  struct Commands {  // to be typed, as they are
    std::string text;
    std::string_view language = "sh";
  };
  using Block = std::variant<Words, Facts, Table, Picture, Commands>;

  struct Section {
    std::string title;
    std::vector<Block> blocks = {};

    template <class B>
    void add(B block) {
      blocks.emplace_back(std::in_place_type<B>, std::move(block));
    }
  };

  std::string title, subtitle = {};
  std::vector<Section> sections = {};

  // A section to fill in; those that stay empty are left out.
  Section& add(std::string section_title);
};

std::string escaped_html(std::string_view text);  // valid UTF-8, without control characters

std::string to_html(const Page& page);

}  // namespace craton
