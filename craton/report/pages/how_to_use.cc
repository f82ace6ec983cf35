#include <fmt/core.h>

#include "craton/base/json.h"
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

}  // namespace

void say_use(const Fitted& fitted, const ReportFiles& files, Page::Section& section) {
  const Abilities& able = fitted.info().abilities;
  const std::string model = quoted(files.model.empty() ? "model.craton" : files.model);
  std::string shell, python = "import craton\n\nmodel = craton.load(" +
                              write_json(files.model.empty() ? "model.craton" : files.model) +
                              ")\n";
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
