#pragma once
#include <string>
#include <vector>

#include "craton/model/registry.h"
#include "tests/campaign/tables.h"

// Every option of a model, by what its description says: each choice and each bound by itself, then
// several at once.

namespace craton::campaign {

using Setting = std::vector<NamedOption>;

// As many for every table; those that are arrays have the table's shape.
std::vector<Setting> settings_of(const ModelInfo& model, const Rows& table);

std::string to_text(const Setting& setting);

}  // namespace craton::campaign
