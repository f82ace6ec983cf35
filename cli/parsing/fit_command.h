#pragma once
#include "cli/parsing/command.h"
#include "craton/select/cross_validation.h"

namespace craton::cli {

// 'craton fit nb data.csv --target kind --alpha 0.1 -o best.craton', to copy and paste: what it
// fits learns from labels if it did so when measured.
std::string fit_command(const Command& command, const Trial& trial,
                        std::span<const Metric* const> metrics);

}  // namespace craton::cli
