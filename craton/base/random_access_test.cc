#include "craton/base/random_access.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "craton/base/bytes.h"
#include "craton/base/files.h"
#include "tests/folder.h"
#include "tests/refused.h"

namespace craton {
namespace {

Bytes bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  return {bytes.begin(), bytes.end()};
}

TEST_CASE("scratch space gives back what was written, and has no name") {
  const Folder folder;
  ScratchFile file(folder / "");
  CHECK(std::filesystem::is_empty(folder / ""));
  file.write_at(5, bytes_of("world"));
  file.write_at(0, bytes_of("hello"));
  Bytes back(10);
  file.read_at(0, back);
  CHECK(back == bytes_of("helloworld"));
}

TEST_CASE("what a killed process left is removed, and that of a living one is not") {
  const Folder folder;
  const std::string dead = folder / "craton-spool-999999999-0",
                    alive = folder / ("craton-spool-" + std::to_string(::getpid()) + "-7"),
                    other = folder / "craton-spool-mine.csv";
  for (const std::string& path : {dead, alive, other}) std::ofstream(path) << "x";
  const ScratchFile file(folder / "");
  CHECK_FALSE(std::filesystem::exists(dead));
  CHECK(std::filesystem::exists(alive));
  CHECK(std::filesystem::exists(other));
}

// Seen from outside while it lives, and after it was killed.
TEST_CASE("a process killed while it holds scratch space leaves nothing") {
  const Folder folder;
  int pipe[2];
  REQUIRE(::pipe(pipe) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ScratchFile file(folder / "");
    file.write_at(0, Bytes(1 << 20));
    const bool told = ::write(pipe[1], "x", 1) == 1;
    while (told) ::pause();
    ::_exit(1);
  }
  REQUIRE(child > 0);
  char ready = 0;
  REQUIRE(::read(pipe[0], &ready, 1) == 1);
  CHECK(std::filesystem::is_empty(folder / ""));
  REQUIRE(::kill(child, SIGKILL) == 0);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  CHECK(std::filesystem::is_empty(folder / ""));
  ::close(pipe[0]);
  ::close(pipe[1]);
}

TEST_CASE("a folder that is not there is named") {
  check_refused([] { ScratchFile("/no/such/folder"); }, Code::kCannotWrite, -1, "/no/such/folder");
}

// A limit on the size of files does what a full disk does, without filling one.
TEST_CASE("a full disk is said to be full") {
  const Folder folder;
  ScratchFile file(folder / "");
  const auto before = ::signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &old) == 0);
  const rlimit small{1000, old.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  check_refused([&] { file.write_at(0, Bytes(5000)); }, Code::kCannotWrite, -1,
                "Free some space, or choose another folder");
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &old) == 0);
  ::signal(SIGXFSZ, before);
}

TEST_CASE("a file is read at any offset, and one that became shorter is an error") {
  const Folder folder;
  const std::string path = folder / "x";
  write_file(path, std::string("0123456789"));
  const RandomAccessFile file(path);
  CHECK(file.size() == 10);
  Bytes part(3);
  file.read_at(4, part);
  CHECK(part == bytes_of("456"));
  std::filesystem::resize_file(path, 5);
  check_refused([&] { file.read_at(4, part); }, Code::kCannotRead, -1, "became shorter");
  check_refused([&] { RandomAccessFile(folder / "y"); }, Code::kNoSuchFile, -1, "no such file");
}

}  // namespace
}  // namespace craton
