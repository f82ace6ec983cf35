#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tests/model_file/contents.h"

// Model files by hand, faults and all: the writer of craton refuses to make them.

namespace craton::model_file {

struct RawSection {
  std::string name;
  std::uint32_t type = 2;
  std::vector<std::uint64_t> shape;  // at most 8, whatever they say
  Bytes bytes;
};
using RawFile = std::vector<RawSection>;

RawFile raw_file(const Contents& contents);
RawSection raw_section(const std::string& name, const Array& array);
RawSection raw_text(const std::string& name, const std::string& text);
RawSection raw_metadata(const std::string& text);

// The bytes of a file, laid out and hashed as docs/model-file.md has it, of the version that its
// types ask for.
Bytes pack_raw(const RawFile& file);

// Makes every hash right again, as far as the sections lie within the bytes.
void rehash(Bytes& bytes);

}  // namespace craton::model_file
