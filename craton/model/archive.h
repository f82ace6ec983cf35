#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "craton/base/bytes.h"
#include "craton/base/json.h"
#include "craton/base/parameters.h"

// The container of model files: little-endian, 64-byte-aligned arrays and texts and one JSON
// section, with a hash for each section and one for the whole (docs/model-file.md has every byte).
// An archive has one form in bytes, and validation is the only way to load it: sizes are checked
// against the file before memory is taken. (What a model keeps in it: model_file.h.)

namespace craton {

// Archives of nothing but doubles have version 1; one that holds floats, integers or texts has
// version 2, which older cratons refuse as newer.
inline constexpr std::uint32_t kArchiveVersion = 2;

// requires names of sections to be unique, not "metadata", of 1 to 63 printable ASCII characters
// without spaces; shapes of at most 8 dimensions that fit the elements; texts in UTF-8.
Bytes pack_archive(const Json& metadata, std::span<const ParameterView> sections);

// What the first bytes of a file tell: how long it is. requires the first kArchiveHead bytes, or
// all when there are fewer. InputError as below: what is no archive is refused without reading on.
inline constexpr std::size_t kArchiveHead = 32;
std::uint64_t archive_length(std::span<const std::byte> head, const std::string& file);
// Whether they are those of an archive, if perhaps of a damaged one: no text begins so.
bool begins_as_archive(std::span<const std::byte> head);

// What bytes hold: sections lie in them still, but for those that the processor could not read
// there, because they are not aligned or it has another order of bytes.
struct Archive {
  Json metadata;
  std::vector<ParameterView> sections;
  std::vector<Bytes> moved = {};
};

// InputError: kNotAModel, kNewerModel, or kDamagedModel with the reason. `file` is for messages.
Archive unpack_archive(std::span<const std::byte> bytes, const std::string& file);

// Throws InputError (kDamagedModel).
[[noreturn]] void fail_damaged(const std::string& file, const std::string& reason);

// Throws InputError (kNewerModel). `version` is the least that reads the file; "" when not known.
[[noreturn]] void fail_newer(const std::string& file, const std::string& reason,
                             const std::string& version);

}  // namespace craton
