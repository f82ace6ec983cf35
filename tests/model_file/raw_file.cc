#include "tests/model_file/raw_file.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>

namespace craton::model_file {
namespace {

constexpr std::size_t kHead = 32, kEntry = 160, kHash = 16;

std::size_t align(std::size_t n) { return (n + 63) / 64 * 64; }

// The tests run where craton does: on little-endian machines.
template <class T>
void put(Bytes& bytes, std::size_t at, T value) {
  std::memcpy(&bytes[at], &value, sizeof(T));
}

template <class T>
T get(const Bytes& bytes, std::size_t at) {
  T value{};
  std::memcpy(&value, &bytes[at], sizeof(T));
  return value;
}

}  // namespace

RawSection raw_section(const std::string& name, const Array& array) {
  RawSection section{name, 2, {array.shape.begin(), array.shape.end()}, {}};
  section.bytes.resize(8 * array.values.size());
  if (!array.values.empty()) {
    std::memcpy(section.bytes.data(), array.values.data(), section.bytes.size());
  }
  return section;
}

RawSection raw_metadata(const std::string& text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {"metadata", 1, {text.size()}, Bytes(begin, begin + text.size())};
}

RawSection raw_text(const std::string& name, const std::string& text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {name, 6, {text.size()}, Bytes(begin, begin + text.size())};
}

RawFile raw_file(const Contents& contents) {
  RawFile file{raw_metadata(write_json(contents.metadata))};
  for (const Parameter& p : contents.arrays) {
    file.push_back(p.text ? raw_text(p.name, *p.text) : raw_section(p.name, p.value));
  }
  return file;
}

Bytes pack_raw(const RawFile& file) {
  Bytes bytes(kHead + kEntry * file.size());
  for (std::size_t i = 0; i < file.size(); ++i) {
    const RawSection& section = file[i];
    bytes.resize(align(bytes.size()));
    const std::size_t entry = kHead + kEntry * i;
    std::memcpy(&bytes[entry], section.name.data(), std::min<std::size_t>(section.name.size(), 64));
    put(bytes, entry + 64, section.type);
    put(bytes, entry + 68, static_cast<std::uint32_t>(section.shape.size()));
    for (std::size_t j = 0; j < std::min<std::size_t>(section.shape.size(), 8); ++j) {
      put(bytes, entry + 72 + 8 * j, section.shape[j]);
    }
    put(bytes, entry + 136, static_cast<std::uint64_t>(bytes.size()));
    put(bytes, entry + 144, static_cast<std::uint64_t>(section.bytes.size()));
    bytes.insert(bytes.end(), section.bytes.begin(), section.bytes.end());
  }
  bytes.resize(align(bytes.size()) + kHash);
  std::memcpy(bytes.data(),
              "\x89"
              "CRT\r\n\x1a\n",
              8);
  const bool later = std::ranges::any_of(file, [](const RawSection& s) { return s.type > 2; });
  put(bytes, 8, std::uint32_t{later ? 2u : 1u});
  put(bytes, 12, static_cast<std::uint32_t>(file.size()));
  put(bytes, 16, static_cast<std::uint64_t>(bytes.size()));
  rehash(bytes);
  return bytes;
}

void rehash(Bytes& bytes) {
  if (bytes.size() < kHead + kHash) return;
  const std::size_t count = get<std::uint32_t>(bytes, 12), end = bytes.size() - kHash;
  for (std::size_t i = 0; i < count && kHead + kEntry * (i + 1) <= end; ++i) {
    const std::size_t entry = kHead + kEntry * i;
    const auto offset = get<std::uint64_t>(bytes, entry + 136);
    const auto length = get<std::uint64_t>(bytes, entry + 144);
    if (offset > end || length > end - offset) continue;
    put(bytes, entry + 152, XXH3_64bits(&bytes[offset], length));
  }
  const XXH128_hash_t whole = XXH3_128bits(bytes.data(), end);
  put(bytes, end, whole.low64);
  put(bytes, end + 8, whole.high64);
}

}  // namespace craton::model_file
