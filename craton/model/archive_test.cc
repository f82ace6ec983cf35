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

Json small_metadata() {
  return Json::object({{"name", "test"}, {"list", std::vector<double>{1, 0.5}}});
}

const std::vector<double> kMeans{1, 2, 3, 4, 5, 6}, kWeights{0.25, 0.75};
const std::vector<float> kFloats{0.5f, -1.5e-30f, 3e38f};
const std::vector<std::int16_t> kShorts{-32768, -1, 0, 258, 32767};
const std::vector<std::int32_t> kIntegers{std::numeric_limits<std::int32_t>::min(), 66051};
constexpr std::string_view kText = "Größe 名前";

std::vector<ParameterView> small_sections() {
  return {{"means", "", {2, 3}, kMeans}, {"weights", "", {2}, kWeights}};
}

// Of every type there is.
std::vector<ParameterView> typed_sections() {
  return {{"means", "", {2, 3}, kMeans},       {"floats", "", {3, 1}, kFloats},
          {"shorts", "", {5}, kShorts},        {"integers", "", {1, 2}, kIntegers},
          {"text", "", {ssize(kText)}, kText}, {"none", "", {0}, std::string_view()}};
}

Bytes small_archive() { return pack_archive(small_metadata(), small_sections()); }
Bytes typed_archive() { return pack_archive(small_metadata(), typed_sections()); }

bool same(std::span<const ParameterView> a, std::span<const ParameterView> b) {
  return std::ranges::equal(a, b, [](const ParameterView& p, const ParameterView& q) {
    return p.name == q.name && p.shape == q.shape && p.elements.index() == q.elements.index() &&
           copy_of(p) == copy_of(q);
  });
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
void check_damaged(FunctionRef<void(Bytes&)> spoil, std::string_view reason,
                   Bytes bytes = small_archive()) {
  spoil(bytes);
  rehash(bytes);
  const Fault fault = fault_of(bytes);
  CHECK(fault.code == Code::kDamagedModel);
  CHECK_MESSAGE(fault.message.find(reason) != std::string::npos, fault.message);
}

}  // namespace

TEST_CASE("an archive is read back as it was written") {
  for (const auto& sections : {small_sections(), typed_sections()}) {
    const Bytes bytes = pack_archive(small_metadata(), sections);
    const Archive back = unpack_archive(bytes, "m.craton");
    CHECK(back.metadata == small_metadata());
    CHECK(same(back.sections, sections));
  }
}

TEST_CASE("sections are read where they lie, or moved to where they can be") {
  const auto lies_in = [](const Elements& elements, std::span<const std::byte> bytes) {
    return std::visit(
        [&](const auto& values) {
          const auto* const at = reinterpret_cast<const std::byte*>(values.data());
          return at >= bytes.data() && at < bytes.data() + bytes.size();
        },
        elements);
  };
  Bytes bytes = typed_archive();
  const Archive in_place = unpack_archive(bytes, "m.craton");
  for (std::size_t i = 0; i < 5; ++i) CHECK(lies_in(in_place.sections[i].elements, bytes));
  CHECK(in_place.moved.empty());

  bytes.insert(bytes.begin(), std::byte{0});
  const auto odd = std::span(bytes).subspan(1);
  const Archive moved = unpack_archive(odd, "m.craton");
  CHECK(same(moved.sections, typed_sections()));
  for (std::size_t i = 0; i < 4; ++i) CHECK_FALSE(lies_in(moved.sections[i].elements, odd));
  CHECK(lies_in(moved.sections[4].elements, odd));  // a text may lie anywhere
}

TEST_CASE("the bits of every double survive") {
  using Limits = std::numeric_limits<double>;
  const auto odd_nan = std::bit_cast<double>(std::uint64_t{0xfff8000000000123});
  const std::vector<double> values{0.0,           -0.0, Limits::infinity(),   -Limits::infinity(),
                                   Limits::max(), 0.1,  Limits::denorm_min(), odd_nan};
  std::vector<ParameterView> sections = small_sections();
  sections.push_back({"odd", "", {8}, values});
  const Bytes bytes = pack_archive(small_metadata(), sections);
  const Archive back = unpack_archive(bytes, "m.craton");
  const auto got = std::get<std::span<const double>>(back.sections.back().elements);
  REQUIRE(got.size() == values.size());
  CHECK(std::memcmp(got.data(), values.data(), 8 * values.size()) == 0);
}

TEST_CASE("arrays of any rank, empty ones and none at all are kept") {
  CHECK(unpack_archive(pack_archive(nullptr, {}), "m.craton").sections.empty());
  const std::vector<double> some{3, 4}, none;
  const std::vector<ParameterView> sections{
      {"nothing", "", {}, none},
      {"rows", "", {0, 5}, none},
      {"eight", "", {1, 1, 2, 1, 1, 1, 1, 1}, some},
      {"floats", "", {0, 2}, std::span<const float>()},
      {std::string(63, 'x'), "", {1}, std::span(some).first(1)}};
  const Bytes bytes = pack_archive(nullptr, sections);
  CHECK(same(unpack_archive(bytes, "m.craton").sections, sections));
}

TEST_CASE("the same archive gives the same bytes") {
  for (const Bytes& bytes : {small_archive(), typed_archive()}) {
    const Archive archive = unpack_archive(bytes, "m.craton");
    CHECK(pack_archive(archive.metadata, archive.sections) == bytes);
  }
}

TEST_CASE("the bytes are those of the specification") {
  const Bytes bytes = small_archive();
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

TEST_CASE("the bytes of version 2 are those of the specification") {
  const Bytes bytes = typed_archive();
  CHECK(get<std::uint32_t>(bytes, 8) == 2);
  CHECK(get<std::uint64_t>(bytes, 24) == 0);
  const std::uint32_t types[] = {1, 2, 3, 4, 5, 6, 6};
  const std::uint64_t lengths[] = {0, 48, 12, 10, 8, kText.size(), 0};
  for (std::size_t i = 0; i < 7; ++i) {
    CHECK(get<std::uint32_t>(bytes, entry(i, kType)) == types[i]);
    if (i > 0) CHECK(get<std::uint64_t>(bytes, entry(i, kLength)) == lengths[i]);
  }
  const auto at = [&](std::size_t i) { return get<std::uint64_t>(bytes, entry(i, kOffset)); };
  CHECK(get<float>(bytes, at(2)) == 0.5f);
  CHECK(get<std::int16_t>(bytes, at(3) + 6) == 258);
  CHECK(get<std::uint8_t>(bytes, at(3) + 6) == 2);  // the low byte first
  CHECK(get<std::int32_t>(bytes, at(4) + 4) == 66051);
  CHECK(get<std::uint32_t>(bytes, entry(5, kRank)) == 1);
  CHECK(get<std::uint64_t>(bytes, entry(5, kShape)) == kText.size());
  CHECK(std::memcmp(&bytes[at(5)], kText.data(), kText.size()) == 0);
}

TEST_CASE("every change of one byte is noticed") {
  for (const Bytes& bytes : {small_archive(), typed_archive()}) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      for (const int flip : {0x01, 0x80, 0xff}) {
        Bytes changed = bytes;
        changed[i] ^= static_cast<std::byte>(flip);
        CHECK_MESSAGE(fault_of(changed).code != Code::kOutOfMemory, i);
      }
    }
  }
}

TEST_CASE("every truncation and any byte too many is noticed") {
  Bytes bytes = small_archive();
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
  Bytes bytes = small_archive();
  bytes.erase(bytes.begin() + 4);
  CHECK(fault_of(bytes).code == Code::kDamagedModel);
  CHECK(fault_of(bytes).message.find("line ends") != std::string::npos);
}

TEST_CASE("a newer version is refused whatever else it holds") {
  Bytes bytes = small_archive();
  set<std::uint32_t>(bytes, 8, 3);
  CHECK(fault_of(bytes).code == Code::kNewerModel);
  CHECK(fault_of(bytes).message.find("newer craton") != std::string::npos);
  const std::uint16_t parts[] = {2, 11, 5};
  for (std::size_t i = 0; i < 3; ++i) set(bytes, 24 + 2 * i, parts[i]);
  CHECK(fault_of(bytes).message.find("Install craton 2.11.5") != std::string::npos);
}

TEST_CASE("a head alone tells the length, and a head of something else is refused") {
  const Bytes bytes = small_archive();
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

TEST_CASE("faults of version 2 are refused with right hashes") {
  const auto check = [](FunctionRef<void(Bytes&)> spoil, std::string_view reason) {
    check_damaged(spoil, reason, typed_archive());
  };
  check([](Bytes& b) { set<std::uint32_t>(b, 8, 1); }, "unknown type 3");
  check([](Bytes& b) { set<std::uint32_t>(b, entry(2, kType), 7); }, "unknown type 7");
  check([](Bytes& b) { set<std::uint32_t>(b, entry(2, kType), 0); }, "unknown type 0");
  check([](Bytes& b) { set<std::uint32_t>(b, entry(2, kType), 4); }, "does not fit its shape");
  check([](Bytes& b) { set<std::uint32_t>(b, entry(3, kType), 2); }, "does not fit its shape");
  check([](Bytes& b) { set<std::uint64_t>(b, 24, 1); }, "its head");
  check([](Bytes& b) { set<std::uint32_t>(b, entry(5, kType), 1); }, "not an array");
  check([](Bytes& b) { b[get<std::uint64_t>(b, entry(5, kOffset)) + 2] = std::byte{0xff}; },
        "section 'text' is not UTF-8");
  check([](Bytes& b) { b[get<std::uint64_t>(b, entry(5, kOffset)) + 13] = std::byte{'x'}; },
        "section 'text' is not UTF-8");
  check(
      [](Bytes& b) {
        set<std::uint32_t>(b, entry(5, kRank), 2);
        set<std::uint64_t>(b, entry(5, kShape + 8), 1);
      },
      "a text of 2 dimensions");
  check(
      [](Bytes& b) {  // 2^63 x 2 = 2^64 = 0 without checks of overflow
        set<std::uint64_t>(b, entry(3, kShape), std::uint64_t{1} << 63);
        set<std::uint64_t>(b, entry(3, kLength), 0);
      },
      "too large a shape");
  // What version 1 can say has version 1.
  check_damaged([](Bytes& b) { set<std::uint32_t>(b, 8, 2); }, "are of version 1");
}

TEST_CASE("the section that has changed is named") {
  Bytes bytes = small_archive();
  bytes[get<std::uint64_t>(bytes, entry(1, kOffset))] ^= std::byte{1};
  CHECK(fault_of(bytes).message.find("section 'means' have changed") != std::string::npos);
}

TEST_CASE("an archive that could not be read is not written") {
  const std::vector<double> one{1};
  const auto named = [&](std::string name) { return ParameterView{std::move(name), "", {1}, one}; };
  const auto shaped = [&](std::vector<Index> shape) {
    return ParameterView{"a", "", std::move(shape), one};
  };
  const std::vector<std::vector<ParameterView>> bad{{named("a"), named("a")},
                                                    {named("metadata")},
                                                    {named("")},
                                                    {named("a b")},
                                                    {named(std::string(64, 'x'))},
                                                    {shaped({2})},
                                                    {shaped({-1, -1})},
                                                    {shaped({})},
                                                    {shaped({1, 1, 1, 1, 1, 1, 1, 1, 1})},
                                                    {{"a", "", {1}, std::string_view("\xff")}},
                                                    {{"a", "", {1, 2}, std::string_view("ab")}},
                                                    {{"a", "", {3}, kShorts}}};
  for (const auto& sections : bad) {
    CHECK_THROWS_AS(pack_archive(nullptr, sections), std::logic_error);
  }
}

}  // namespace craton
