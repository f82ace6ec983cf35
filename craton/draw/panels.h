#pragma once
#include <span>
#include <string>

namespace craton {

// Pictures of one size in rows of `across`, under a title, as one SVG picture. requires pictures
// that the functions of this folder drew, and across > 0.
std::string draw_panels(const std::string& title, std::span<const std::string> pictures,
                        int across);

}  // namespace craton
