#include "craton/report/words.h"

#include <fmt/core.h>

namespace craton {

std::string plural(Index count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string shown(double value) { return fmt::format("{:.6g}", value + 0.0); }  // no -0

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string title_start(const std::string& rows) {
  return rows.empty() ? "" : base_name(rows) + ": ";
}

}  // namespace craton
