#pragma once
#include <string>

#include "craton/model/registry.h"

// A fit in a few words.

namespace craton {

// The value of an option, by name; the default when the file is older than the option.
OptionValue option_of(const Fitted& fitted, std::string_view name);

// "n_components = 4, seed = 7": what differs from the defaults; or "all defaults".
std::string changed_options(const Fitted& fitted);

// How the fit went: "in closed form", "converged after 12 iterations".
std::string course_of(const Fitted& fitted);

}  // namespace craton
