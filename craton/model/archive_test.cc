#include "craton/model/archive.h"

#include <doctest/doctest.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <bit>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "craton/base/error.h"
#include "craton/base/function_ref.h"

// Offsets below are those of docs/model-file.md.

namespace craton {
namespace {

constexpr std::size_t kHead = 32, kEntry = 160, kType = 64, kRank = 68, kShape = 72, kOffset = 136,
                      kLength = 144, kHash = 152;

Archive small_archive() {
  Archive archive;
  archive.metadata = Json::object({{"name", "test"}, {"list", std::vector<double>{1, 0.5}}});
  archive.arrays = {{"means", {{2, 3}, {1, 2, 3, 4, 5, 6}}}, {"weights", {{2}, {0.25, 0.75}}}};
  return archive;
}

template <class T>
T get(const Bytes& bytes, std::size_t at) {
  T value{};
  std::memcpy(&value, &bytes.at(at), sizeof(T));
  return value;
}

template <class T>
void set(Bytes& bytes, std::size_t at, T value) {
  REQUIRE(at + sizeof(T) <= bytes.size());
  std::memcpy(&bytes[at], &value, sizeof(T));
}

std::size_t entry(std::size_t section, std::size_t field) {
  return kHead + section * kEntry + field;
}

void set_text(Bytes& bytes, std::size_t at, std::string_view text) {
  std::memcpy(&bytes.at(at), text.data(), text.size());
}

// Makes the hashes right again wherever the table still points into the file.
void rehash(Bytes& bytes) {
  const auto count = get<std::uint32_t>(bytes, 12);
  for (std::size_t i = 0; i < count && entry(i + 1, 0) <= bytes.size(); ++i) {
    const auto offset = get<std::uint64_t>(bytes, entry(i, kOffset));
    const auto length = get<std::uint64_t>(bytes, entry(i, kLength));
    if (offset > bytes.size() || length > bytes.size() - offset) continue;
    set<std::uint64_t>(bytes, entry(i, kHash), XXH3_64bits(bytes.data() + offset, length));
  }
  const std::size_t end = bytes.size() - 16;
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), end);
  set<std::uint64_t>(bytes, end, hash.low64);
  set<std::uint64_t>(bytes, end + 8, hash.high64);
}

struct Fault {
  Code code = Code::kOutOfMemory;  // none of ours
  std::string message = "none";
};

Fault fault_of(std::span<const std::byte> bytes) {
  try {
    unpack_archive(bytes, "m.craton");
  } catch (const InputError& error) {
    CHECK(error.place().file == "m.craton");
    return {error.code(), error.what()};
  }
  return {};
}

// Spoils a good archive, makes the hashes right and expects the damage to be named all the same.
void check_damaged(FunctionRef<void(Bytes&)> spoil, std::string_view reason) {
  Bytes bytes = pack_archive(small_archive());
  spoil(bytes);
  rehash(bytes);
  const Fault fault = fault_of(bytes);
  CHECK(fault.code == Code::kDamagedModel);
  CHECK_MESSAGE(fault.message.find(reason) != std::string::npos, fault.message);
}

}  // namespace

TEST_CASE("an archive is read back as it was written") {
  const Archive archive = small_archive();
  const Archive back = unpack_archive(pack_archive(archive), "m.craton");
  CHECK(back.metadata == archive.metadata);
  CHECK(back.arrays == archive.arrays);
}

TEST_CASE("the bits of every double survive") {
  using Limits = std::numeric_limits<double>;
  const auto odd_nan = std::bit_cast<double>(std::uint64_t{0xfff8000000000123});
  const std::vector<double> values{0.0,           -0.0, Limits::infinity(),   -Limits::infinity(),
                                   Limits::max(), 0.1,  Limits::denorm_min(), odd_nan};
  Archive archive = small_archive();
  archive.arrays.push_back({"odd", {{8}, values}});
  const Archive back = unpack_archive(pack_archive(archive), "m.craton");
  const std::vector<double>& got = back.arrays.back().second.values;
  REQUIRE(got.size() == values.size());
  CHECK(std::memcmp(got.data(), values.data(), 8 * values.size()) == 0);
}

TEST_CASE("arrays of any rank, empty ones and none at all are kept") {
  Archive archive;
  archive.metadata = nullptr;
  CHECK(unpack_archive(pack_archive(archive), "m.craton").arrays.empty());
  archive.arrays = {{"nothing", {}},
                    {"rows", {{0, 5}, {}}},
                    {"eight", {{1, 1, 2, 1, 1, 1, 1, 1}, {3, 4}}},
                    {std::string(63, 'x'), {{1}, {7}}}};
  CHECK(unpack_archive(pack_archive(archive), "m.craton").arrays == archive.arrays);
}

TEST_CASE("the same archive gives the same bytes") {
  const Bytes bytes = pack_archive(small_archive());
  CHECK(pack_archive(unpack_archive(bytes, "m.craton")) == bytes);
}

TEST_CASE("the bytes are those of the specification") {
  const Bytes bytes = pack_archive(small_archive());
  CHECK(std::memcmp(bytes.data(),
                    "\x89"
                    "CRT\r\n\x1a\n",
                    8) == 0);
  CHECK(get<std::uint32_t>(bytes, 8) == 1);
  CHECK(get<std::uint32_t>(bytes, 12) == 3);
  CHECK(get<std::uint64_t>(bytes, 16) == bytes.size());
  CHECK(std::strcmp(reinterpret_cast<const char*>(&bytes[entry(1, 0)]), "means") == 0);
  CHECK(get<std::uint32_t>(bytes, entry(0, kType)) == 1);
  CHECK(get<std::uint32_t>(bytes, entry(1, kType)) == 2);
  CHECK(get<std::uint32_t>(bytes, entry(1, kRank)) == 2);
  CHECK(get<std::uint64_t>(bytes, entry(1, kShape)) == 2);
  CHECK(get<std::uint64_t>(bytes, entry(1, kShape + 8)) == 3);
  CHECK(get<std::uint64_t>(bytes, entry(1, kLength)) == 48);
  CHECK(get<std::uint64_t>(bytes, entry(0, kOffset)) == 512);  // 32 + 3 * 160
  const auto offset = get<std::uint64_t>(bytes, entry(1, kOffset));
  CHECK(offset % 64 == 0);
  CHECK(get<double>(bytes, offset + 8) == 2);
  CHECK(get<std::uint64_t>(bytes, entry(1, kHash)) == XXH3_64bits(&bytes[offset], 48));
  Bytes again = bytes;
  rehash(again);
  CHECK(again == bytes);
}

TEST_CASE("every change of one byte is noticed") {
  const Bytes bytes = pack_archive(small_archive());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      Bytes changed = bytes;
      changed[i] ^= static_cast<std::byte>(flip);
      CHECK_MESSAGE(fault_of(changed).code != Code::kOutOfMemory, i);
    }
  }
}

TEST_CASE("every truncation and any byte too many is noticed") {
  Bytes bytes = pack_archive(small_archive());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const Code code = fault_of(std::span(bytes).first(size)).code;
    CHECK_MESSAGE(code == (size < 4 ? Code::kNotAModel : Code::kDamagedModel), size);
  }
  bytes.push_back(std::byte{0});
  CHECK(fault_of(bytes).code == Code::kDamagedModel);
}

TEST_CASE("a file of another kind is not a model") {
  for (const std::string text :
       {"", "a,b\n1,2\n", "PK\x03\x04 and what follows in a zip archive"}) {
    const Fault fault = fault_of(std::as_bytes(std::span(text)));
    CHECK(fault.code == Code::kNotAModel);
    CHECK(fault.message.find("m.craton: is not a craton model file\n") == 0);
  }
}

TEST_CASE("line ends changed by a transfer as text are named") {
  Bytes bytes = pack_archive(small_archive());
  bytes.erase(bytes.begin() + 4);
  CHECK(fault_of(bytes).code == Code::kDamagedModel);
  CHECK(fault_of(bytes).message.find("line ends") != std::string::npos);
}

TEST_CASE("a newer version is refused whatever else it holds") {
  Bytes bytes = pack_archive(small_archive());
  set<std::uint32_t>(bytes, 8, 2);
  CHECK(fault_of(bytes).code == Code::kNewerModel);
  CHECK(fault_of(bytes).message.find("newer craton") != std::string::npos);
  const std::uint16_t parts[] = {2, 11, 5};
  for (std::size_t i = 0; i < 3; ++i) set(bytes, 24 + 2 * i, parts[i]);
  CHECK(fault_of(bytes).message.find("Install craton 2.11.5") != std::string::npos);
}

TEST_CASE("a head alone tells the length, and a head of something else is refused") {
  const Bytes bytes = pack_archive(small_archive());
  CHECK(archive_length(std::span(bytes).first(kArchiveHead), "m.craton") == bytes.size());
  CHECK_THROWS_AS(archive_length(std::span(bytes).first(kArchiveHead - 1), "m"), InputError);
  CHECK_THROWS_AS(archive_length(Bytes(kArchiveHead), "m"), InputError);
  CHECK_THROWS_AS(archive_length({}, "m"), InputError);
}

TEST_CASE("faults in the head are refused with right hashes") {
  check_damaged([](Bytes& b) { set<std::uint32_t>(b, 8, 0); }, "version is 0");
  check_damaged([](Bytes& b) { set<std::uint32_t>(b, 12, 0); }, "no sections");
  check_damaged([](Bytes& b) { set<std::uint32_t>(b, 12, 0xffffffff); }, "do not fit into");
  check_damaged([](Bytes& b) { set<std::uint32_t>(b, 12, 4); }, "section");
  check_damaged([](Bytes& b) { set<std::uint32_t>(b, 12, 2); }, "gap");
  check_damaged([](Bytes& b) { set<std::uint64_t>(b, 16, ~std::uint64_t{0}); }, "should have");
  check_damaged([](Bytes& b) { set<std::uint64_t>(b, 24, 1); }, "its head");
}

TEST_CASE("faults in names are refused with right hashes") {
  const std::size_t means = entry(1, 0);
  check_damaged([=](Bytes& b) { set_text(b, means, std::string_view("weights\0", 8)); },
                "two sections are called 'weights'");
  check_damaged([=](Bytes& b) { set_text(b, means, std::string_view("\0\0\0\0\0", 5)); }, "name");
  check_damaged([=](Bytes& b) { set_text(b, means, std::string(64, 'x')); }, "name");
  check_damaged([=](Bytes& b) { set_text(b, means, "me\nns"); }, "name");
  check_damaged([=](Bytes& b) { b[means + 40] = std::byte{'x'}; }, "the table");
  check_damaged([](Bytes& b) { b[entry(0, 0)] = std::byte{'M'}; }, "no metadata");
}

TEST_CASE("faults in types and shapes are refused with right hashes") {
  const auto shape = [](std::size_t i) { return entry(1, kShape + 8 * i); };
  check_damaged([](Bytes& b) { set<std::uint32_t>(b, entry(1, kType), 3); }, "unknown type 3");
  check_damaged([](Bytes& b) { set<std::uint32_t>(b, entry(0, kType), 2); }, "does not fit");
  check_damaged([](Bytes& b) { set<std::uint32_t>(b, entry(1, kRank), 9); }, "9 dimensions");
  check_damaged([](Bytes& b) { set<std::uint32_t>(b, entry(1, kRank), 0xffffffff); }, "dimensions");
  check_damaged([](Bytes& b) { set<std::uint32_t>(b, entry(1, kRank), 1); }, "other than zero");
  check_damaged([&](Bytes& b) { set<std::uint64_t>(b, shape(0), 3); }, "does not fit its shape");
  // 2^61 x 8 = 2^64 = 0 and 2^32 x 2^32 = 2^64 = 0 without checks of overflow.
  check_damaged(
      [&](Bytes& b) {
        set<std::uint64_t>(b, shape(0), std::uint64_t{1} << 61);
        set<std::uint64_t>(b, shape(1), 1);
        set<std::uint64_t>(b, entry(1, kLength), 0);
      },
      "too large a shape");
  check_damaged(
      [&](Bytes& b) {
        set<std::uint64_t>(b, shape(0), std::uint64_t{1} << 32);
        set<std::uint64_t>(b, shape(1), std::uint64_t{1} << 32);
        set<std::uint64_t>(b, entry(1, kLength), 0);
      },
      "too large a shape");
  check_damaged(
      [&](Bytes& b) {
        set<std::uint64_t>(b, shape(0), 0);
        set<std::uint64_t>(b, shape(1), ~std::uint64_t{0});
        set<std::uint64_t>(b, entry(1, kLength), 0);
      },
      "too large a shape");
  check_damaged(
      [&](Bytes& b) {
        set<std::uint64_t>(b, shape(0), 1000000000);
        set<std::uint64_t>(b, shape(1), 1000000);
        set<std::uint64_t>(b, entry(1, kLength), 8000000000000000);
      },
      "outside the file");
}

TEST_CASE("faults in the places of sections are refused with right hashes") {
  const std::size_t offset = entry(2, kOffset);
  const auto move = [&](std::int64_t by) {
    return [=](Bytes& b) { set(b, offset, get<std::int64_t>(b, offset) + by); };
  };
  check_damaged(move(-64), "overlaps");
  check_damaged(move(-512), "overlaps");
  check_damaged(move(-8), "not aligned");
  check_damaged(move(64), "outside the file");
  check_damaged([=](Bytes& b) { set(b, offset, ~std::uint64_t{0} - 63); }, "outside the file");
  check_damaged(
      [=](Bytes& b) {  // 64 bytes more between the last two sections
        const auto at = get<std::int64_t>(b, offset);
        b.insert(b.begin() + at, 64, std::byte{0});
        set(b, offset, at + 64);
        set<std::uint64_t>(b, 16, b.size());
      },
      "gap");
  check_damaged(
      [](Bytes& b) {
        b.insert(b.end() - 16, 64, std::byte{0});
        set<std::uint64_t>(b, 16, b.size());
      },
      "after its last section");
}

TEST_CASE("bytes in the padding are refused with right hashes") {
  check_damaged([](Bytes& b) { b[b.size() - 17] = std::byte{1}; }, "padding");
  check_damaged([](Bytes& b) { b[get<std::uint64_t>(b, entry(2, kOffset)) - 1] = std::byte{1}; },
                "padding");
}

TEST_CASE("metadata that is not JSON is refused with right hashes") {
  check_damaged([](Bytes& b) { b[512] = std::byte{'x'}; }, "not valid JSON");
  check_damaged(
      [](Bytes& b) {
        set<std::uint32_t>(b, entry(2, kType), 1);
        set<std::uint64_t>(b, entry(2, kShape), 16);
      },
      "not an array");
}

TEST_CASE("the section that has changed is named") {
  Bytes bytes = pack_archive(small_archive());
  bytes[get<std::uint64_t>(bytes, entry(1, kOffset))] ^= std::byte{1};
  CHECK(fault_of(bytes).message.find("section 'means' have changed") != std::string::npos);
}

TEST_CASE("an archive that could not be read is not written") {
  const Array one{{1}, {1}};
  const std::vector<std::vector<std::pair<std::string, Array>>> bad{
      {{"a", one}, {"a", one}},
      {{"metadata", one}},
      {{"", one}},
      {{"a b", one}},
      {{std::string(64, 'x'), one}},
      {{"a", {{2}, {1}}}},
      {{"a", {{-1, -1}, {1}}}},
      {{"a", {{}, {1}}}},
      {{"a", {{1, 1, 1, 1, 1, 1, 1, 1, 1}, {1}}}}};
  for (const auto& arrays : bad) {
    CHECK_THROWS_AS(pack_archive({nullptr, arrays}), std::logic_error);
  }
}

}  // namespace craton
