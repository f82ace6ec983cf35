#pragma once
#include "cli/parsing/data.h"
#include "cli/parsing/entries.h"
#include "craton/base/json.h"

// What `craton cv` and `craton compare` share: folds, and what is said of them.

namespace craton::cli {

FoldPlan fold_plan_of(const Command& command);
std::optional<Shuffles> shuffles_of(const Command& command);  // if --importance is given

// The label of --positive.
std::int32_t positive_of(const Command& command, const Data& data);

// Lines about folds, --positive, and what guessing would reach (craton/select/guessing.h).
std::string validation_fields(const Command& command, const Data& data);
Json guessing_to_json(const Data& data, const Exec& exec);

// The seed of folds and draws: --seed, also where it is an option of the model.
std::uint64_t seed_of(const Command& command);

Json splits_to_json(const Command& command, const Data& data);

// A warning when some of the fits did not converge.
void warn_unconverged(std::span<const Results> all);

}  // namespace craton::cli
