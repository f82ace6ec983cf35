#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "craton/core/json.h"
#include "craton/core/registry.h"

// The JSON section of a model file: all that is kept of a fit beside its arrays.

namespace craton {

struct ModelMetadata {
  const ModelInfo* info = nullptr;
  std::vector<NamedOption> options;
  Schema schema;
  FitReport report;
  std::string digest;
};

Json write_metadata(const Fitted& fitted);

// InputError (kDamagedModel, or kNewerModel for a model this version does not have).
ModelMetadata read_metadata(const Json& json, const std::string& file);

// What both sides agree on.
inline constexpr std::string_view kModelFormat = "craton model";
inline constexpr std::array<std::string_view, 4> kKindNames{"number", "category", "text", "ignore"};

}  // namespace craton
