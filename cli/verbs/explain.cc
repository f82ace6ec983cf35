#include <fmt/core.h>

#include "cli/parsing/flags.h"
#include "cli/showing/output.h"
#include "cli/verbs.h"
#include "craton/base/error.h"

namespace craton::cli {
namespace {

constexpr std::size_t kCodeWidth = 100, kCodeIndent = 11;

int exit_code(const CodeInfo& entry) { return static_cast<int>(entry.kind); }

Json code_to_json(const CodeInfo& entry) {
  return Json::object({{"code", entry.id},
                       {"exit_code", Index{exit_code(entry)}},
                       {"cause", entry.cause.plain()},
                       {"fix", entry.fix.plain()}});
}

const CodeInfo& find_code(const std::string& id) {
  std::vector<std::string> ids;
  for (const CodeInfo& entry : error_codes()) {
    if (entry.id == id) return entry;
    ids.emplace_back(entry.id);
  }
  const std::string near = did_you_mean(id, ids);
  throw InputError(Code::kUnknownName, {}, fmt::format("there is no error code '{}'", id),
                   near.empty() ? "'craton explain' lists them." : near);
}

std::string one(const CodeInfo& entry) {
  const auto lines = [](std::string_view word, std::string_view text) {
    return fmt::format("{:<{}}{}\n", word, kCodeIndent,
                       wrapped(text, kCodeWidth - kCodeIndent, std::string(kCodeIndent, ' ')));
  };
  return field("code", entry.id) + field("exit code", std::to_string(exit_code(entry))) +
         lines("cause", entry.cause.plain()) + lines("fix", entry.fix.plain());
}

std::string all() {
  SummaryTable table{"", {"code", "exit", "cause"}, {}};
  for (const CodeInfo& entry : error_codes()) {
    table.rows.push_back(
        {std::string(entry.id), std::to_string(exit_code(entry)), entry.cause.plain()});
  }
  return laid_out(table) + "\n'craton explain CODE' says what to do about one.\n";
}

Json all_codes_as_json() {
  Json::List list;
  for (const CodeInfo& entry : error_codes()) list.push_back(code_to_json(entry));
  return Json(Json::Value(std::move(list)));
}

std::vector<std::string> code_names() {
  std::vector<std::string> names;
  for (const CodeInfo& entry : error_codes()) names.emplace_back(entry.id);
  return names;
}

int run_explain(const Command& command) {
  if (command.json) {
    print_json(command.code.empty() ? all_codes_as_json() : code_to_json(find_code(command.code)));
  } else {
    print(command.code.empty() ? all() : one(find_code(command.code)));
  }
  return kOk;
}

void add_explain_flags(Flags& flags) {
  flags.word("CODE", flags.command().code, "of an error; without it, all are listed", false);
}

}  // namespace

extern constinit const Verb kExplain{
    .name = "explain",
    .help = "Say what an error means and what to do about it.",
    .example = "craton explain not-finite",
    .add = add_explain_flags,
    .run = run_explain,
    .first_words = code_names,
};

}  // namespace craton::cli
