#pragma once
#include <string_view>
#include <vector>

#include "craton/model/archive.h"

// What is in a model file, taken out to be changed, and packed again. (Files that craton would not
// write: raw_file.h.)

namespace craton::model_file {

struct Contents {
  Json metadata;
  std::vector<Parameter> arrays;  // and texts; those of the memory too, behind "memory."
};

inline Contents contents_of(std::span<const std::byte> bytes) {
  Archive archive = unpack_archive(bytes, "m.craton");
  return {std::move(archive.metadata), copy_all(ParameterList(std::move(archive.sections)))};
}

inline Bytes pack(const Contents& contents) {
  return pack_archive(contents.metadata, ParameterList(contents.arrays).all());
}

}  // namespace craton::model_file
