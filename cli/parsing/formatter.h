#pragma once
#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>

#include "cli/parsing/help.h"
#include "cli/showing/output.h"

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

// An option that was given '', which CLI11 takes for a value; "": none was.
inline std::string option_without_value(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional() || option->get_expected_min() == 0) continue;
    const auto& values = option->results();
    if (std::find(values.begin(), values.end(), "") == values.end()) continue;
    const auto& letters = option->get_snames();
    return letters.empty() ? option->get_name() : "-" + letters[0];
  }
  return "";
}

// What an app takes, for completion and manual pages.
inline Usage usage_of(const CLI::App& app) {
  Usage usage;
  for (const CLI::Option* option : app.get_options()) {
    Flag flag{{}, option->get_type_name(), option->get_description(), option->get_group()};
    for (const std::string& name : option->get_snames()) flag.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) flag.names.push_back("--" + name);
    if (option->get_positional()) flag.names.push_back(option->get_name(true));
    (option->get_positional() ? usage.arguments : usage.flags).push_back(std::move(flag));
  }
  return usage;
}

}  // namespace craton::cli
