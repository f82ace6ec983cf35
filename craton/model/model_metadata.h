#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "craton/base/json.h"
#include "craton/model/registry.h"

// The JSON section of a model file: all that is kept of a fit beside its arrays.

namespace craton {

struct ModelMetadata {
  const ModelInfo* info = nullptr;
  std::vector<NamedOption> options;
  Schema schema;
  FitReport report;
  std::string digest;
  Origin origin;
  std::string library_version;  // that wrote the file
};

Json write_metadata(const Fitted& fitted);

// InputError: kNewerModel when the file requires a feature that this version does not have, or when
// a newer version wrote what this one cannot read; else kDamagedModel.
ModelMetadata read_metadata(const Json& json, const std::string& file);

// Throws what is right for a fault in a file that `library_version` wrote: kNewerModel when that is
// newer than this, for it may know better, and kDamagedModel otherwise.
[[noreturn]] void fail_model(const std::string& file, const std::string& library_version,
                             const std::string& reason);

// What both sides agree on.
inline constexpr std::string_view kModelFormat = "craton model";
inline constexpr std::string_view kPreparedRows = "prepared_rows";  // `requires`: preparation.h
inline constexpr std::string_view kTermsOfRows = "terms";           // and design.h
inline constexpr std::string_view kTextsOfRows = "texts";           // and text_step.h
inline constexpr std::string_view kFormsOfCells = "forms";          // and io/form_notes.h
inline constexpr std::string_view kReadAs = "read-as";  // the code of the notes that have them
inline constexpr std::array<std::string_view, 4> kKindNames{"number", "category", "text", "ignore"};

}  // namespace craton
