#pragma once
#include <string>

#include "craton/model/registry.h"

namespace craton::cli {

// A fit for a person to read: model, options that are not the default, how it went, what was
// learned.
std::string summary(const Fitted& fitted);

// What to type when a fit did not converge.
std::string advice(const Fitted& fitted);

}  // namespace craton::cli
