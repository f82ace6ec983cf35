#pragma once
#include <string>

#include "craton/model/registry.h"

namespace craton {

// The objective of a fit, pass by pass, as SVG. Where there were several starts all are drawn, and
// the one that was kept stands out. What is minimised is drawn as it falls.
std::string draw_traces(const Fitted& fitted, const std::string& title,
                        const std::string& subtitle);
// With a title that says what was fitted; `rows` is the name of the table, "" if it has none.
std::string plot_traces(const Fitted& fitted, const std::string& rows);

}  // namespace craton
