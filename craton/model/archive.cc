#include "craton/model/archive.h"

#include <fmt/core.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <set>
#include <string_view>

#include "craton/base/error.h"
#include "craton/base/utf8.h"

// head (32 bytes), table (160 a section), sections on multiples of 64, hash (16). Both directions
// are one pass over the bytes for each hash.

namespace craton {
namespace {

// A byte no text begins with, and the line ends that a transfer as text would change.
constexpr std::string_view kMagic =
    "\x89"
    "CRT\r\n\x1a\n";
constexpr std::string_view kMetadata = "metadata";
constexpr std::uint64_t kHeadSize = kArchiveHead, kEntrySize = 160, kHashSize = 16, kAlignment = 64;
constexpr std::uint64_t kNameSize = 64, kMaxRank = 8;
constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 59;  // 8 bytes each fit an Index

// Type 1 is JSON; the others are those of Elements, in its order, and this is what an element
// takes.
constexpr std::uint32_t kJsonType = 1, kDoubleType = 2;
constexpr std::array<std::uint64_t, 1 + std::variant_size_v<Elements>> kSizes{1, 8, 4, 2, 4, 1};
constexpr std::uint32_t kTextType = kSizes.size();

std::uint32_t type_of(const Elements& elements) {
  return kDoubleType + static_cast<std::uint32_t>(elements.index());
}

std::uint64_t size_of(std::uint32_t type) { return kSizes[type - 1]; }

// The version that brought the types of these sections.
template <class Sections>
std::uint32_t version_for(const Sections& sections) {
  const auto later = [](const auto& section) { return section.type > kDoubleType; };
  return std::any_of(sections.begin(), sections.end(), later) ? 2 : 1;
}

std::uint64_t align(std::uint64_t offset) {
  return (offset + kAlignment - 1) / kAlignment * kAlignment;
}

// One line of the table. An entry's bytes: name 64, type 4, rank 4, shape 8 x 8, offset, length,
// hash 8 each.
struct Section {
  std::string name;
  std::uint32_t type = 0;
  std::vector<std::uint64_t> shape = {};
  std::uint64_t offset = 0, length = 0, hash = 0;
};

// The number of values a shape stands for (of none, 0); more than kMaxElements when it is too
// large. Zeros do not excuse the other dimensions.
std::uint64_t elements_of(std::span<const std::uint64_t> shape) {
  std::uint64_t product = 1;
  for (const std::uint64_t size : shape) {
    const std::uint64_t factor = std::max<std::uint64_t>(size, 1);
    if (factor > kMaxElements / product) return kMaxElements + 1;
    product *= factor;
  }
  const bool none = shape.empty() || std::find(shape.begin(), shape.end(), 0u) != shape.end();
  return none ? 0 : product;
}

bool is_name(std::string_view name) {
  return !name.empty() && name.size() < kNameSize &&
         std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c <= '~'; });
}

template <class T>
void store(std::byte* at, T number) {
  for (std::size_t i = 0; i < sizeof(T); ++i) at[i] = static_cast<std::byte>(number >> (8 * i));
}

template <class T>
T load(const std::byte* at) {
  T number = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    number |= static_cast<T>(std::to_integer<T>(at[i]) << (8 * i));
  return number;
}

std::uint64_t hash_of(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

struct WholeHash {
  std::uint64_t low = 0, high = 0;
  bool operator==(const WholeHash&) const = default;
};

WholeHash whole_hash_of(std::span<const std::byte> bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

void store_section(std::byte* at, const Section& section) {
  std::memcpy(at, section.name.data(), section.name.size());
  store(at + 64, section.type);
  store(at + 68, static_cast<std::uint32_t>(section.shape.size()));
  for (std::size_t i = 0; i < section.shape.size(); ++i) store(at + 72 + 8 * i, section.shape[i]);
  store(at + 136, section.offset);
  store(at + 144, section.length);
  store(at + 152, section.hash);
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

// A number's bytes as an integer of its size, to be shifted about.
std::uint64_t bits_of(double v) { return std::bit_cast<std::uint64_t>(v); }
std::uint32_t bits_of(float v) { return std::bit_cast<std::uint32_t>(v); }
std::uint16_t bits_of(std::int16_t v) { return std::bit_cast<std::uint16_t>(v); }
std::uint32_t bits_of(std::int32_t v) { return std::bit_cast<std::uint32_t>(v); }
std::uint8_t bits_of(char v) { return std::bit_cast<std::uint8_t>(v); }

void store_elements(std::byte* to, const Elements& elements) {
  std::visit(
      [&](const auto& values) {
        for (const auto value : values) {
          store(to, bits_of(value));
          to += sizeof(value);
        }
      },
      elements);
}

Section section_of(const ParameterView& view) {
  Section section{view.name, type_of(view.elements)};
  for (const Index size : view.shape) {
    CRATON_ASSERT(size >= 0);
    section.shape.push_back(static_cast<std::uint64_t>(size));
  }
  const auto count = static_cast<std::uint64_t>(craton::count(view.elements));
  CRATON_ASSERT(is_name(view.name) && section.shape.size() <= kMaxRank);
  CRATON_ASSERT(elements_of(section.shape) == count);
  const auto* const text = std::get_if<std::string_view>(&view.elements);
  CRATON_ASSERT(text == nullptr || (section.shape.size() == 1 && is_utf8(*text)));
  section.length = size_of(section.type) * count;
  return section;
}

// Checks one file from the outside in; every check makes the next one safe.
class Loader {
 public:
  Loader(std::span<const std::byte> bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  std::uint64_t length() const {
    check_head();
    return load<std::uint64_t>(&bytes_[16]);
  }

  Archive load_archive() {
    check_length(length());
    read_table();
    check_hashes();
    Archive archive;
    archive.metadata = metadata(sections_[0]);
    for (std::size_t i = 1; i < sections_.size(); ++i) {
      const Section& section = sections_[i];
      archive.sections.push_back({section.name,
                                  "",
                                  {section.shape.begin(), section.shape.end()},
                                  elements(section, archive.moved)});
    }
    return archive;
  }

 private:
  [[noreturn]] void damaged(const std::string& reason) const { fail_damaged(file_, reason); }

  bool begins_with(std::string_view text) const {
    return bytes_.size() >= text.size() &&
           std::memcmp(bytes_.data(), text.data(), text.size()) == 0;
  }

  void check_head() const {
    if (!begins_with(kMagic)) {
      if (begins_as_archive(bytes_)) damaged("its line ends were changed, as if it were text");
      throw InputError(Code::kNotAModel, {.file = file_}, "is not a craton model file",
                       "Give a file that craton saved a model to.");
    }
    if (bytes_.size() < kHeadSize) damaged("it ends within its head");
    if (version() > kArchiveVersion) {
      fail_newer(file_,
                 fmt::format("has version {} of the model file's format; this craton reads "
                             "versions up to {}",
                             version(), kArchiveVersion),
                 least_craton());
    }
    if (version() == 0) damaged("its version is 0");
    check_zero(24, kHeadSize, "its head");
  }

  // The oldest craton that reads a newer format: "1.2.3", or "" when the file does not say.
  std::string least_craton() const {
    const auto part = [&](std::size_t at) { return load<std::uint16_t>(&bytes_[at]); };
    if (part(24) == 0 && part(26) == 0 && part(28) == 0) return {};
    return fmt::format("{}.{}.{}", part(24), part(26), part(28));
  }

  void check_length(std::uint64_t length) const {
    if (length < kHeadSize + kHashSize) damaged("its length is less than that of its head");
    if (bytes_.size() < length) {
      damaged(fmt::format("it has {} bytes and should have {}", bytes_.size(), length));
    }
    if (bytes_.size() > length) {
      damaged(fmt::format("it has more than the {} bytes that it should have", length));
    }
  }

  void read_table() {
    const auto count = load<std::uint32_t>(&bytes_[12]);
    if (count == 0) damaged("it has no sections");
    if (count > (bytes_.size() - kHeadSize - kHashSize) / kEntrySize) {
      damaged(fmt::format("{} sections do not fit into {} bytes", count, bytes_.size()));
    }
    std::uint64_t end = kHeadSize + count * kEntrySize;
    std::set<std::string> names;
    for (std::uint64_t i = 0; i < count; ++i) {
      Section section = read_entry(kHeadSize + i * kEntrySize);
      if (!names.insert(section.name).second) {
        damaged(fmt::format("two sections are called '{}'", section.name));
      }
      check_section(section, end);
      end = section.offset + section.length;
      sections_.push_back(std::move(section));
    }
    if (bytes_.size() != align(end) + kHashSize) damaged("there are bytes after its last section");
    check_zero(end, align(end), "the padding");
    const Section& first = sections_[0];
    if (first.name != kMetadata || first.type != kJsonType) damaged("it has no metadata");
    for (std::size_t i = 1; i < sections_.size(); ++i) {
      if (sections_[i].type == kJsonType) {
        damaged(fmt::format("section '{}' is not an array", sections_[i].name));
      }
    }
    if (version() != version_for(sections_)) {
      damaged(fmt::format("its version is {}, but its sections are of version {}", version(),
                          version_for(sections_)));
    }
  }

  std::uint32_t version() const { return load<std::uint32_t>(&bytes_[8]); }

  Section read_entry(std::uint64_t at) const {
    const std::byte* entry = &bytes_[at];
    Section section;
    const auto* name = reinterpret_cast<const char*>(entry);
    section.name.assign(name, std::find(name, name + kNameSize, '\0'));
    if (!is_name(section.name)) damaged("a section's name is not one");
    check_zero(at + section.name.size(), at + kNameSize, "the table");
    section.type = load<std::uint32_t>(entry + 64);
    const auto rank = load<std::uint32_t>(entry + 68);
    if (rank > kMaxRank) damaged(fmt::format("section '{}' has {} dimensions", section.name, rank));
    for (std::size_t i = 0; i < rank; ++i) {
      section.shape.push_back(load<std::uint64_t>(entry + 72 + 8 * i));
    }
    check_zero(at + 72 + 8 * rank, at + 136, "the table");
    section.offset = load<std::uint64_t>(entry + 136);
    section.length = load<std::uint64_t>(entry + 144);
    section.hash = load<std::uint64_t>(entry + 152);
    return section;
  }

  // A section's type, shape and place; `end` is where the bytes before it end.
  void check_section(const Section& section, std::uint64_t end) const {
    const auto fail = [&](std::string_view why) {
      damaged(fmt::format("section '{}' {}", section.name, why));
    };
    const std::uint32_t last = version() == 1 ? kDoubleType : kTextType;
    if (section.type == 0 || section.type > last) {
      fail(fmt::format("has the unknown type {}", section.type));
    }
    if (section.type == kTextType && section.shape.size() != 1) {
      fail(fmt::format("is a text of {} dimensions", section.shape.size()));
    }
    const std::uint64_t count = elements_of(section.shape);
    if (count > kMaxElements) fail("has too large a shape");
    if (count * size_of(section.type) != section.length) {
      fail("has a length that does not fit its shape");
    }
    const std::uint64_t limit = bytes_.size() - kHashSize;
    if (section.offset > limit || section.length > limit - section.offset)
      fail("lies outside the file");
    if (section.offset % kAlignment != 0) fail("is not aligned");
    if (section.offset < end) fail("overlaps what is before it");
    if (section.offset != align(end)) fail("leaves a gap before it");
    check_zero(end, section.offset, "the padding");
  }

  void check_zero(std::uint64_t first, std::uint64_t last, std::string_view where) const {
    const auto part = bytes_.subspan(first, last - first);
    const auto zero = [](std::byte b) { return b == std::byte{0}; };
    if (!std::all_of(part.begin(), part.end(), zero)) {
      damaged(fmt::format("there are bytes other than zero in {}", where));
    }
  }

  void check_hashes() const {
    for (const Section& section : sections_) {
      if (hash_of(content(section)) != section.hash) {
        damaged(fmt::format("the bytes of section '{}' have changed", section.name));
      }
    }
    const std::size_t end = bytes_.size() - kHashSize;
    const WholeHash stored{load<std::uint64_t>(&bytes_[end]),
                           load<std::uint64_t>(&bytes_[end + 8])};
    if (whole_hash_of(bytes_.first(end)) != stored) damaged("its bytes have changed");
  }

  std::span<const std::byte> content(const Section& section) const {
    return bytes_.subspan(section.offset, section.length);
  }

  Json metadata(const Section& section) const {
    const auto text = content(section);
    try {
      return parse_json({reinterpret_cast<const char*>(text.data()), text.size()}, "metadata");
    } catch (const InputError& error) {
      damaged(error.complaint().plain());  // without the advice for people's own JSON
    }
  }

  Elements elements(const Section& section, std::vector<Bytes>& moved) const {
    switch (section.type) {
      case kDoubleType:
        return numbers<double>(content(section), moved);
      case kDoubleType + 1:
        return numbers<float>(content(section), moved);
      case kDoubleType + 2:
        return numbers<std::int16_t>(content(section), moved);
      case kDoubleType + 3:
        return numbers<std::int32_t>(content(section), moved);
      default:
        return text(section);
    }
  }

  std::string_view text(const Section& section) const {
    const auto from = content(section);
    const std::string_view text(reinterpret_cast<const char*>(from.data()), from.size());
    if (!is_utf8(text)) damaged(fmt::format("section '{}' is not UTF-8", section.name));
    return text;
  }

  // Where they lie, or where they are moved to.
  template <class T>
  static std::span<const T> numbers(std::span<const std::byte> from, std::vector<Bytes>& moved) {
    const bool aligned = reinterpret_cast<std::uintptr_t>(from.data()) % alignof(T) == 0;
    if (!aligned || std::endian::native != std::endian::little) {
      Bytes& to = moved.emplace_back(from.begin(), from.end());
      for (std::size_t i = 0; i < to.size(); i += sizeof(T)) {
        const auto bits = load<decltype(bits_of(T{}))>(&from[i]);
        std::memcpy(&to[i], &bits, sizeof(T));
      }
      from = to;
    }
    return {reinterpret_cast<const T*>(from.data()), from.size() / sizeof(T)};
  }

  std::span<const std::byte> bytes_;
  const std::string& file_;
  std::vector<Section> sections_;
};

}  // namespace

bool begins_as_archive(std::span<const std::byte> head) {
  constexpr std::size_t kSure = 4;  // before the line ends
  return head.size() >= kSure && std::memcmp(head.data(), kMagic.data(), kSure) == 0;
}

Bytes pack_archive(const Json& metadata, std::span<const ParameterView> views) {
  const std::string json = write_json(metadata);
  std::vector<Section> sections{{std::string(kMetadata), kJsonType, {json.size()}}};
  sections[0].length = json.size();
  std::set<std::string_view> names{kMetadata};
  for (const ParameterView& view : views) {
    CRATON_ASSERT(names.insert(view.name).second);
    sections.push_back(section_of(view));
  }
  std::uint64_t end = kHeadSize + sections.size() * kEntrySize;
  for (Section& section : sections) {
    section.offset = align(end);
    end = section.offset + section.length;
  }

  Bytes bytes(align(end) + kHashSize);
  std::memcpy(bytes.data(), kMagic.data(), kMagic.size());
  store(&bytes[8], version_for(sections));
  store(&bytes[12], static_cast<std::uint32_t>(sections.size()));
  store(&bytes[16], static_cast<std::uint64_t>(bytes.size()));
  std::memcpy(&bytes[sections[0].offset], json.data(), json.size());
  for (std::size_t i = 0; i < views.size(); ++i) {
    store_elements(bytes.data() + sections[i + 1].offset, views[i].elements);
  }
  for (std::size_t i = 0; i < sections.size(); ++i) {
    sections[i].hash = hash_of(std::span(bytes).subspan(sections[i].offset, sections[i].length));
    store_section(&bytes[kHeadSize + i * kEntrySize], sections[i]);
  }
  const std::size_t hashed = bytes.size() - kHashSize;
  const WholeHash hash = whole_hash_of(std::span(bytes).first(hashed));
  store(&bytes[hashed], hash.low);
  store(&bytes[hashed + 8], hash.high);
  return bytes;
}

void fail_damaged(const std::string& file, const std::string& reason) {
  throw InputError(Code::kDamagedModel, {.file = file}, "is a damaged model file: " + reason,
                   "Copy it again, or fit and save the model again.");
}

void fail_newer(const std::string& file, const std::string& reason, const std::string& version) {
  throw InputError(Code::kNewerModel, {.file = file}, reason,
                   version.empty() ? "Install a newer craton."
                                   : fmt::format("Install craton {} or a newer one.", version));
}

std::uint64_t archive_length(std::span<const std::byte> head, const std::string& file) {
  return Loader(head, file).length();
}

Archive unpack_archive(std::span<const std::byte> bytes, const std::string& file) {
  return Loader(bytes, file).load_archive();
}

}  // namespace craton
