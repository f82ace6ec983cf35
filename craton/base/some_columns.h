#pragma once
#include <span>
#include <vector>

#include "craton/base/schema.h"

// Some of the columns of a table, by their numbers.

namespace craton {

Schema schema_of(const Schema& schema, std::span<const Index> columns);  // the features of these
std::vector<Index> others_than(std::span<const Index> columns, Index count);  // ascending

}  // namespace craton
