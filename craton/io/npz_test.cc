#include "craton/io/npz.h"

#include <doctest/doctest.h>
#include <zlib.h>

#include <string_view>

#include "craton/io/npy.h"
#include "tests/refused.h"

namespace craton::npz_test {
namespace {

std::string le(std::uint64_t value, unsigned bytes) {
  std::string text;
  for (unsigned i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

std::string npy(std::vector<double> values) {
  const Index count = ssize(values);
  const Bytes bytes = write_npy({{count}, std::move(values)});
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string deflated(std::string_view text) {
  z_stream stream{};
  REQUIRE(::deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(::deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(::deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  return out;
}

// One member, with everything that can be lied about.
struct Member {
  std::string name, data;
  std::uint64_t method = 0, flags = 0;
  std::uint64_t unpacked = data.size(), packed = data.size();
  std::uint64_t checksum =
      ::crc32(0, reinterpret_cast<const Bytef*>(data.data()), static_cast<uInt>(data.size()));
  std::string local_name = name, local_extra = {}, central_extra = {};
  std::uint64_t local_packed = packed, local_unpacked = unpacked;
  std::int64_t shift = 0;  // of the offset in the directory
};

Member packed_member(const std::string& name, const std::string& data) {
  Member member{name, deflated(data)};
  member.method = 8;
  member.unpacked = member.local_unpacked = data.size();
  member.checksum =
      ::crc32(0, reinterpret_cast<const Bytef*>(data.data()), static_cast<uInt>(data.size()));
  return member;
}

struct End {
  std::int64_t count = 0, size = 0, offset = 0;  // added to the true ones
  std::uint64_t disk = 0;
  std::string before = {}, comment = {};
};

std::string archive(const std::vector<Member>& members, const End& lies = {}) {
  std::string body, directory;
  for (const Member& m : members) {
    const std::uint64_t at = body.size() + static_cast<std::uint64_t>(m.shift);
    body += "PK\x03\x04" + le(20, 2) + le(m.flags, 2) + le(m.method, 2) + le(0, 4) +
            le(m.checksum, 4) + le(m.local_packed, 4) + le(m.local_unpacked, 4) +
            le(m.local_name.size(), 2) + le(m.local_extra.size(), 2) + m.local_name +
            m.local_extra + m.data;
    directory += "PK\x01\x02" + le(20, 2) + le(20, 2) + le(m.flags, 2) + le(m.method, 2) +
                 le(0, 4) + le(m.checksum, 4) + le(m.packed, 4) + le(m.unpacked, 4) +
                 le(m.name.size(), 2) + le(m.central_extra.size(), 2) + le(0, 2) + le(0, 2) +
                 le(0, 2) + le(0, 4) + le(at, 4) + m.name + m.central_extra;
  }
  const auto add = [](std::size_t value, std::int64_t more) {
    return value + static_cast<std::uint64_t>(more);
  };
  const std::string count = le(add(members.size(), lies.count), 2);
  return body + directory + lies.before + "PK\x05\x06" + le(lies.disk, 2) + le(0, 2) + count +
         count + le(add(directory.size(), lies.size), 4) + le(add(body.size(), lies.offset), 4) +
         le(lies.comment.size(), 2) + lies.comment;
}

Table parse(std::string_view bytes, const std::string& array = {}) {
  return parse_npz(*memory_input(std::as_bytes(std::span(bytes)), "a.npz"), array);
}

const Array kExpected{{3, 1}, {1, 2, 3}};

TEST_CASE("the only array is read, stored or deflated") {
  const std::string x = npy({1, 2, 3});
  CHECK(parse(archive({Member{"x.npy", x}})).x == kExpected);
  CHECK(parse(archive({packed_member("x.npy", x)})).x == kExpected);
  CHECK(parse(archive({packed_member("x.npy", x)})).name == "a.npz:x");
  CHECK(parse(archive({Member{"x.npy", x}, Member{"readme", "hello"}})).x == kExpected);
  CHECK(parse(archive({Member{"x.npy", x}}, {.comment = "PK\x05\x06 is a comment"})).x ==
        kExpected);
}

TEST_CASE("one of several arrays is chosen by name") {
  const std::string two =
      archive({packed_member("train.npy", npy({4})), Member{"test.npy", npy({1, 2, 3})}});
  CHECK(parse(two, "test").x == kExpected);
  check_refused([&] { parse(two); }, Code::kUnknownName, -1, "2 arrays: train, test");
  check_refused([&] { parse(two, "tests"); }, Code::kUnknownName, -1, "did you mean 'test'?");
}

TEST_CASE("a path may name the array behind the file") {
  using Pair = std::pair<std::string, std::string>;
  CHECK(split_npz_path("a/b.npz:x") == Pair{"a/b.npz", "x"});
  CHECK(split_npz_path("a/b.npz") == Pair{"a/b.npz", ""});
  CHECK(split_npz_path("a:b.csv") == Pair{"a:b.csv", ""});
}

// NumPy writes 64-bit sizes into the local header, and 32-bit ones into the directory.
TEST_CASE("64-bit sizes are read") {
  Member member{"x.npy", npy({1, 2, 3})};
  const std::string size = le(member.data.size(), 8);
  member.local_packed = member.local_unpacked = 0xffffffff;
  member.local_extra = le(1, 2) + le(16, 2) + size + size;
  CHECK(parse(archive({member})).x == kExpected);
  member.packed = member.unpacked = 0xffffffff;
  member.central_extra = le(7, 2) + le(1, 2) + "x" + member.local_extra;
  CHECK(parse(archive({member})).x == kExpected);
}

TEST_CASE("every proper prefix of an archive is refused") {
  const std::string whole = archive({packed_member("x.npy", npy({1, 2, 3}))});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    check_refused([&] { parse(whole.substr(0, size)); }, Code::kBadFile, -1, "a.npz: this archive");
  }
}

TEST_CASE("a changed byte is refused or changes nothing") {
  const std::string whole = archive({packed_member("x.npy", npy({1, 2, 3}))});
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 0x11);
    Array got = kExpected;
    try {
      got = parse(changed).x;
    } catch (const InputError&) {
    }
    CHECK(got == kExpected);
  }
}

TEST_CASE("dishonest archives are refused by name") {
  const std::string x = npy({1, 2, 3});
  const auto with = [&](auto change) {
    Member member{"x.npy", x};
    change(member);
    return archive({member});
  };
  const auto named = [&](const std::string& name) { return archive({Member{name, x}}); };
  const std::string size = le(x.size(), 8);
  struct Case {
    std::string bytes;
    std::string_view part;
  };
  for (const Case& wrong : {
           Case{"", "cut short"},
           Case{"PK\x05\x06", "cut short"},
           Case{std::string(100, 'x'), "the record that ends it is missing"},
           Case{archive({}), "no .npy array"},
           Case{archive({Member{"x.txt", x}}), "no .npy array"},
           Case{named("../x.npy"), "the name '../x.npy'"},
           Case{named("/etc/x.npy"), "the name '/etc/x.npy'"},
           Case{named("a/../../x.npy"), "the name"},
           Case{named("a\\x.npy"), "the name 'a\\x.npy'"},
           Case{named("C:x.npy"), "the name 'C:x.npy'"},
           Case{named(std::string("x.npy\0.npy", 10)), "the name 'x.npy'"},
           Case{named(""), "the name ''"},
           Case{archive({Member{"x.npy", x}, Member{"x.npy", x}}), "two members 'x.npy'"},
           Case{with([](Member& m) { m.flags = 1; }), "'x.npy' is encrypted"},
           Case{with([](Member& m) { m.method = 12; }), "method 12"},
           Case{with([](Member& m) { m.method = 99; }), "method 99"},
           Case{with([](Member& m) { m.checksum ^= 1; }), "'x.npy' is damaged"},
           Case{with([](Member& m) { m.local_name = "y.npy"; }), "contradicts the directory"},
           Case{with([](Member& m) { m.local_packed = 3; }), "contradicts the directory"},
           Case{with([](Member& m) { m.local_unpacked = 3; }), "contradicts the directory"},
           Case{with([](Member& m) { m.shift = 1; }), "contradicts the directory"},
           Case{with([](Member& m) { m.shift = 1 << 20; }), "cut short, or damaged"},
           Case{with([](Member& m) { m.packed = m.local_packed = m.unpacked = 1 << 30; }),
                "contradicts"},
           Case{with([](Member& m) {
                  m.packed = m.local_packed = m.unpacked = m.local_unpacked = 1 << 30;
                }),
                "not inside it"},
           Case{with([](Member& m) { m.unpacked = m.local_unpacked = 4; }), "the sizes of 'x.npy'"},
           Case{with([](Member& m) { m.packed = 0xffffffff; }), "64-bit sizes are missing"},
           Case{with([](Member& m) {
                  m.packed = 0xffffffff;
                  m.central_extra = le(1, 2) + le(4, 2) + "1234";
                }),
                "64-bit sizes are damaged"},
           Case{with([](Member& m) {
                  m.packed = 0xffffffff;
                  m.central_extra = le(1, 2) + le(800, 2) + "1234";
                }),
                "64-bit sizes are missing"},
           Case{with([](Member& m) {
                  m.packed = m.unpacked = m.local_packed = m.local_unpacked = 0xffffffff;
                  m.central_extra = m.local_extra =
                      le(1, 2) + le(16, 2) + std::string(15, '\xff') + '\x7f';
                }),
                "not inside it"},
           Case{archive({Member{"x.npy", x}}, {.count = 1}), "directory is damaged"},
           Case{archive({Member{"x.npy", x}}, {.count = -1}), "more than the members it counts"},
           Case{archive({Member{"x.npy", x}}, {.size = 1}), "not where it says"},
           Case{archive({Member{"x.npy", x}}, {.offset = 1}), "not where it says"},
           Case{archive({Member{"x.npy", x}}, {.offset = -1}), "not where it says"},
           Case{archive({Member{"x.npy", x}}, {.disk = 1}), "several disks"},
           Case{archive({Member{"x.npy", x}}, {.count = 0xfffe}), "64-bit sizes are missing"},
           Case{archive({Member{"x.npy", x}},
                        {.count = 0xfffe, .before = "PK\x06\x07" + le(0, 4) + le(0, 8) + le(1, 4)}),
                "64-bit sizes are damaged"},
           Case{archive({Member{"x.npy", x}},
                        {.count = 0xfffe,
                        .before = "PK\x06\x07" + le(0, 4) + std::string(8, '\xff') + le(1, 4)}),
                "cut short, or damaged"},
           Case{"junk" + archive({Member{"x.npy", x}}), "not where it says"},
           Case{archive({Member{"x.npy", x}}) + "junk", "the record that ends it is missing"},
       }) {
    CAPTURE(wrong.part);
    check_refused([&] { parse(wrong.bytes); }, Code::kBadFile, -1, wrong.part);
  }
}

TEST_CASE("members that overlap are refused") {
  Member first{"x.npy", npy({1, 2, 3})}, second{"x.npy", first.data};
  second.shift = -static_cast<std::int64_t>(30 + 5 + first.data.size());  // the first one again
  second.name = "y.npy";
  first.local_name = second.local_name = "x.npy";
  check_refused([&] { parse(archive({first, second}), "x"); }, Code::kBadFile, -1, "contradicts");
  // A second local header inside the data of the first.
  Member inner{"b.npy", npy({7})};
  const std::string nested = archive({inner});
  const std::string header = nested.substr(0, 30 + 5 + inner.data.size());
  Member outer{"a.npy", header + std::string(8, ' ')};
  inner.shift = 30 + 5 - static_cast<std::int64_t>(30 + 5 + outer.data.size());
  check_refused([&] { parse(archive({outer, inner}), "b"); }, Code::kBadFile, -1, "overlap");
}

TEST_CASE("a bomb is refused by what it claims and by what it is") {
  Member claims = packed_member("x.npy", npy({1, 2, 3}));
  claims.unpacked = claims.local_unpacked = 0x7fffffff;
  check_refused([&] { parse(archive({claims})); }, Code::kBadFile, -1, "more than 1 GiB");
  claims.unpacked = claims.local_unpacked = 1 << 29;
  check_refused([&] { parse(archive({claims})); }, Code::kBadFile, -1, "'x.npy' is damaged");
  Member swells = packed_member("x.npy", std::string(1 << 20, '\0'));
  swells.unpacked = swells.local_unpacked = 1000;
  check_refused([&] { parse(archive({swells})); }, Code::kBadFile, -1, "'x.npy' is damaged");
}

}  // namespace
}  // namespace craton::npz_test
