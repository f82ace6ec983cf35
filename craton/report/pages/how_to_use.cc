#include <fmt/core.h>

#include <algorithm>

#include "craton/base/json.h"
#include "craton/report/fit_facts.h"
#include "craton/report/pages/sections.h"

// Commands for both surfaces, whichever of them writes the page.

namespace craton {
namespace {

std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=+%@";
  if (!word.empty() && word.find_first_not_of(kPlain) == word.npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string joined(std::span<const std::string> names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

// Options that are not the default, as they are typed.
std::string typed_options(const Fitted& fitted) {
  std::string text;
  for (const Option& option : all_options(fitted.info())) {
    const OptionValue value = option_of(fitted, option.name);
    if (value == option.value || std::holds_alternative<Array>(value)) continue;
    std::string flag = option.name, word = to_text(value);
    std::ranges::replace(flag, '_', '-');
    std::erase(word, '\'');
    text += fmt::format(" --{} {}", flag, quoted(word));
  }
  return text;
}

}  // namespace

std::string fit_command(const Fitted& fitted, const Roles& roles, const std::string& data) {
  std::string text = fmt::format("craton fit {} {}", fitted.info().name, quoted(data));
  const auto add = [&](std::string_view flag, const std::string& value) {
    if (!value.empty()) text += fmt::format(" --{} {}", flag, quoted(value));
  };
  add("target", roles.target);
  add("text", roles.text);
  add("weights", roles.weights);
  add("features", joined(roles.features));
  std::vector<std::string> drop = roles.drop;
  for (const std::string& name : {roles.groups, roles.time}) {
    if (!name.empty() && roles.features.empty()) drop.push_back(name);
  }
  add("drop", joined(drop));
  if (roles.missing == Missing::kSkip) add("missing", "skip");
  return text + typed_options(fitted) + " -o model.craton";
}

void say_use(const Fitted& fitted, const ReportFiles& files, Page::Section& section) {
  const Abilities& able = fitted.info().abilities;
  const std::string model = quoted(files.model.empty() ? "model.craton" : files.model);
  std::string shell = files.fit.empty() ? "" : files.fit + "\n",
              python = "import craton\n\nmodel = craton.load(" +
                       write_json(files.model.empty() ? "model.craton" : files.model) + ")\n";
  if (able.predict || able.predict_numbers) {
    shell += fmt::format("craton predict {} new.csv -o answers.csv\n", model);
    python += "model.predict(X)\n";
  } else if (able.score_samples) {
    shell += fmt::format("craton predict {} new.csv --diagnose -o densities.csv\n", model);
    python += "model.score_samples(X)\n";
  }
  if (able.predict_log_proba) python += "model.predict_proba(X)\n";
  if (able.contributions) shell += fmt::format("craton predict {} new.csv --explain 3\n", model);
  shell += fmt::format("craton describe {}\n", model);
  section.add(Page::Words{"At the shell, and in Python:"});
  section.add(Page::Commands{shell});
  section.add(Page::Commands{python, "python"});
  section.add(Page::Facts{{{"digest", digest(fitted)},
                           {"made by", fitted.origin.library_version.empty()
                                           ? "craton"
                                           : "craton " + fitted.origin.library_version}}});
}

}  // namespace craton
