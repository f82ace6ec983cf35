#pragma once
#include <CLI/CLI.hpp>
#include <string>

#include "cli/output.h"

namespace craton::cli {

// Help as craton writes it; for parse.cc, which knows CLI11.
class Formatter final : public CLI::Formatter {
 public:
  static constexpr std::size_t kWidth = 100, kColumn = 28;
  Formatter() {
    column_width(kColumn);
    label("Positionals", "Arguments");
  }

 private:
  std::string make_option_desc(const CLI::Option* option) const override {
    return wrapped(option->get_description(), kWidth - kColumn);
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_type_name().empty() ? "" : " " + option->get_type_name();
  }
  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string text = "Usage: " + name;
    for (const CLI::Option* option : app->get_options()) {
      if (option->get_positional()) text += " " + option->get_name(true);
    }
    return text + " [options]\n";
  }
};

}  // namespace craton::cli
