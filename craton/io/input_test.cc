#include "craton/io/input.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "craton/base/error.h"
#include "craton/base/files.h"
#include "tests/folder.h"
#include "tests/refused.h"

namespace craton {
namespace {

Bytes to_bytes(std::string_view text) {
  Bytes bytes(text.size());
  if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

std::string to_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Lines that are all different, so that a piece lost or swapped shows.
std::string lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += std::to_string(i * 7919 % 100003) + ",x\n";
  return text;
}

Bytes gzip(std::string_view text) {
  z_stream stream{};
  REQUIRE(::deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  Bytes out(::deflateBound(&stream, text.size()));
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(::deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  return out;
}

Bytes zstd(std::string_view text) {
  Bytes out(::ZSTD_compressBound(text.size()));
  out.resize(::ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

constexpr Index kLimit = Index{1} << 26;

std::string read_unpacked(const Bytes& bytes) {
  return to_text(read_rest(*unpacked(memory_input(bytes, "x")), kLimit));
}
std::string read_path(const std::string& path) {
  return to_text(read_rest(*open_input(path), kLimit));
}

TEST_CASE("plain files of any size read as they are") {
  const Folder folder;
  for (const std::string& text :
       {std::string(), std::string("a"), std::string("abcd"), lines(200000)}) {
    write_file(folder / "x", text);
    CHECK(read_path(folder / "x") == text);
  }
}

TEST_CASE("what can be read once only is kept, in memory and on disk, and read again") {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += std::to_string(i);
  const Bytes bytes = to_bytes(text);
  for (const Index in_memory : {Index{0}, Index{100}, ssize(bytes), 2 * ssize(bytes)}) {
    for (const std::size_t piece : {std::size_t{7}, std::size_t{4096}, 2 * bytes.size()}) {
      CAPTURE(in_memory);
      CAPTURE(piece);
      ReadTwice twice("", in_memory);
      const auto all_of = [&](std::unique_ptr<Input> input) {
        std::string all;
        Bytes buffer(piece);
        while (const std::size_t got = input->read(buffer)) {
          all += to_text(std::span(buffer).first(got));
        }
        CHECK(input->name() == "stdin");
        return all;
      };
      CHECK(all_of(twice.first(memory_input(bytes, "stdin"))) == text);
      CHECK(all_of(twice.second()) == text);
      CHECK(all_of(twice.second()) == text);
    }
  }
}

TEST_CASE("where there is no room to keep a text it is read all the same, once") {
  const Bytes bytes = to_bytes("some text");
  ReadTwice twice("/no/such/folder", 4);
  Bytes all(bytes.size());
  CHECK(read_full(*twice.first(memory_input(bytes, "stdin")), all) == bytes.size());
  CHECK(all == bytes);
  CHECK(twice.second() == nullptr);
}

TEST_CASE("gzip and zstd are told by their first bytes and unpacked") {
  for (const std::string& text : {std::string(), std::string("a"), lines(200000)}) {
    CHECK(read_unpacked(gzip(text)) == text);
    CHECK(read_unpacked(zstd(text)) == text);
  }
}

TEST_CASE("members and frames follow each other") {
  const std::string a = lines(3000), b = lines(5);
  CHECK(read_unpacked(gzip(a) + gzip("") + gzip(b)) == a + b);
  CHECK(read_unpacked(zstd(a) + zstd("") + zstd(b)) == a + b);
  const Bytes skippable = to_bytes({"\x50\x2a\x4d\x18\x03\0\0\0xyz", 11});
  CHECK(read_unpacked(skippable + zstd(a)) == a);
  CHECK(read_unpacked(gzip(a) + Bytes(600000)) == a);  // a tape's padding
}

TEST_CASE("reading by single bytes gives the same") {
  const std::string text = lines(500);
  for (const Bytes& bytes : {to_bytes(text), gzip(text) + gzip(text), zstd(text) + zstd(text)}) {
    const auto input = unpacked(memory_input(bytes, "x"));
    std::string got;
    std::byte one{};
    while (input->read({&one, 1}) == 1) got += static_cast<char>(one);
    CHECK(got == (bytes == to_bytes(text) ? text : text + text));
    CHECK(input->position() == ssize(bytes));
  }
}

TEST_CASE("every cut of packed data is refused as such") {
  const std::string text = lines(20);
  for (const auto& [format, whole] :
       {std::pair{"gzip", gzip(text)}, std::pair{"zstd", zstd(text)}}) {
    for (std::size_t size = 4; size < whole.size(); ++size) {
      const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      check_refused([&] { read_unpacked(cut); }, Code::kBadFile, -1,
                    std::string("x: these ") + format + " data are cut short");
    }
  }
}

TEST_CASE("a changed byte of gzip data is refused or changes nothing") {
  const std::string text = lines(20);
  const Bytes whole = gzip(text);
  for (std::size_t i = 2; i < whole.size(); ++i) {
    Bytes changed = whole;
    changed[i] ^= std::byte{0x15};
    std::string got = text;  // the time and the system in the header are nobody's business
    try {
      got = read_unpacked(changed);
    } catch (const InputError& error) {
      CHECK(error.code() == Code::kBadFile);
    }
    CHECK(got == text);
  }
}

TEST_CASE("damaged data and other bytes behind packed ones are named") {
  const Bytes whole = gzip(lines(20));
  const auto refused = [](const Bytes& bytes, std::string_view part) {
    check_refused([&] { read_unpacked(bytes); }, Code::kBadFile, -1, part);
  };
  Bytes damaged = whole;
  damaged[whole.size() - 5] ^= std::byte{1};
  refused(damaged, "gzip data are damaged: incorrect data check");
  refused(whole + to_bytes("more"), "other bytes follow the last member");
  refused(whole + to_bytes({"\0\0\0more", 7}), "other bytes follow");
  refused(zstd("text") + to_bytes("more"), "zstd data are damaged: Unknown frame descriptor");
}

// A frame header that asks for a window of 2^41 bytes.
TEST_CASE("a zstd window that would fill the memory is refused") {
  check_refused(
      [] {
        read_unpacked(to_bytes({"\x28\xb5\x2f\xfd\x00\xf8\x01\0\0", 9}));
      },
      Code::kBadFile, -1, "too much memory");
}

TEST_CASE("a bomb is refused at the stated ratio and size") {
  Bytes bomb;  // 1 GiB of zeros in 33 kB a member
  {
    const std::string zeros(std::size_t{1} << 27, '\0');
    const Bytes member = zstd(zeros);
    for (int i = 0; i < 9; ++i) bomb = bomb + member;
  }
  const auto input = unpacked(memory_input(bomb, "bomb.zst"));
  Bytes buffer(std::size_t{1} << 20);
  Index read = 0;
  check_refused(
      [&] {
        while (const std::size_t got = input->read(buffer)) read += static_cast<Index>(got);
      },
      Code::kBadFile, -1, "bomb.zst: unpacks to more than 1 GiB and more than 1000 times its size");
  CHECK(read <= kMaxUnpacked);
  CHECK(read > kMaxUnpacked - ssize(buffer) - 1);
}

TEST_CASE("a limit holds for the rest of an input") {
  const std::string text = lines(1000);
  const Bytes bytes = to_bytes(text);
  CHECK(to_text(read_rest(*memory_input(bytes, "x"), ssize(bytes))) == text);
  check_refused([&] { read_rest(*memory_input(bytes, "x"), ssize(bytes) - 1); }, Code::kBadFile, -1,
                "has more than");
  check_refused([&] { read_rest(*unpacked(memory_input(gzip(text), "x")), 10); }, Code::kBadFile,
                -1, "has more than 10 bytes");
}

TEST_CASE("missing files, folders and closed ones are said to be that") {
  const Folder folder;
  write_file(folder / "faithful.csv", "x");
  check_refused([&] { open_input(folder / "fathful.csv"); }, Code::kNoSuchFile, -1,
                "did you mean 'faithful.csv'?");
  check_refused([&] { open_input(folder / "sub/x"); }, Code::kNoSuchFile, -1, "nor a folder");
  check_refused([&] { open_input(folder / ""); }, Code::kCannotRead, -1, "Is a directory");
  check_refused([] { open_input(""); }, Code::kNoSuchFile, -1, "empty");
}

TEST_CASE("a FIFO is read to its end") {
  const Folder folder;
  const std::string path = folder / "pipe", text = lines(100000);
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  const Bytes packed = gzip(text);
  std::thread writer([&] { write_file(path, packed); });
  const auto input = open_input(path);
  CHECK(input->size() == -1);
  const std::string got = to_text(read_rest(*input, kLimit));
  writer.join();
  CHECK(got == text);
}

TEST_CASE("a file that becomes shorter while it is read is an error") {
  const Folder folder;
  write_file(folder / "x", lines(1000));
  const auto input = open_input(folder / "x");
  Bytes some(100);
  CHECK(input->read(some) > 0);
  std::filesystem::resize_file(folder / "x", 200);
  check_refused([&] { read_rest(*input, kLimit); }, Code::kCannotRead, -1, "became shorter");
}

TEST_CASE("a file that grows while it is read is read to its end") {
  const Folder folder;
  write_file(folder / "x", lines(1000));
  const auto input = open_input(folder / "x");
  Bytes some(100);
  const std::size_t front = input->read(some);
  std::ofstream(folder / "x", std::ios::app) << lines(500);
  CHECK(front + read_rest(*input, kLimit).size() == lines(1000).size() + lines(500).size());
}

TEST_CASE("the size of a plain file is known and of a packed one is not") {
  const Folder folder;
  write_file(folder / "x", "12345678");
  CHECK(open_input(folder / "x")->size() == 8);
  CHECK(open_input(folder / "x")->position() == 0);
  write_file(folder / "x", gzip("1"));
  CHECK(open_input(folder / "x")->size() == -1);
}

}  // namespace
}  // namespace craton
