#include <fmt/core.h>

#include "cli/output.h"
#include "cli/verbs.h"
#include "craton/base/error.h"

namespace craton::cli {
namespace {

constexpr std::size_t kWidth = 100, kIndent = 11;

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
    return fmt::format("{:<{}}{}\n", word, kIndent,
                       wrapped(text, kWidth - kIndent, std::string(kIndent, ' ')));
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
  return format(table) + "\n'craton explain CODE' says what to do about one.\n";
}

Json all_as_json() {
  Json::List list;
  for (const CodeInfo& entry : error_codes()) list.push_back(code_to_json(entry));
  return Json(Json::Value(std::move(list)));
}

}  // namespace

int explain(const Command& command) {
  if (command.json) {
    print_json(command.code.empty() ? all_as_json() : code_to_json(find_code(command.code)));
  } else {
    print(command.code.empty() ? all() : one(find_code(command.code)));
  }
  return kOk;
}

}  // namespace craton::cli
