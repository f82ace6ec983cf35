#include "craton/base/temporary_file.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <set>

#include "craton/base/files.h"
#include "tests/folder.h"

namespace craton {
namespace {

std::set<std::string> names_in(const Folder& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "")) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

void touch(const std::string& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  REQUIRE(fd >= 0);
  ::close(fd);
}

std::string left(char digit) { return ".craton-" + std::string(16, digit); }

TEST_CASE("a temporary file takes a name or leaves nothing, visible or not") {
  for (const Visible visible : {Visible::kIfNeeded, Visible::kYes}) {
    const Folder folder;
    touch(folder / "old");
    {
      const TemporaryFile file(folder / "", visible);
      REQUIRE(file.get() >= 0);
      const std::size_t shown = names_in(folder).size();
      CHECK((visible == Visible::kIfNeeded ? shown <= 2 : shown == 2));
    }
    CHECK(names_in(folder) == std::set<std::string>{"old"});
    for (const char* name : {"old", "new"}) {
      TemporaryFile file(folder / "", visible);
      REQUIRE(::write(file.get(), "text", 4) == 4);
      CHECK(file.rename(folder / name));
      CHECK(read_file(folder / name).size() == 4);
    }
    CHECK(names_in(folder) == std::set<std::string>{"new", "old"});
    TemporaryFile file(folder / "", visible);
    CHECK(!file.rename(folder / "nowhere/new"));
    CHECK(errno == ENOENT);
  }
}

TEST_CASE("what a killed process left is removed by the next one") {
  const Folder folder;
  touch(folder / left('0'));
  touch(folder / left('f'));
  write_file(folder / "x", "new");
  CHECK(names_in(folder) == std::set<std::string>{"x"});
}

TEST_CASE("what a living process writes is not removed") {
  const Folder folder;
  for (const Visible visible : {Visible::kIfNeeded, Visible::kYes}) {
    TemporaryFile file(folder / "", visible);
    write_file(folder / "x", "other");
    CHECK(file.rename(folder / "y"));
  }
  CHECK(names_in(folder) == std::set<std::string>{"x", "y"});
}

TEST_CASE("what is named alike is left alone") {
  const Folder folder;
  const std::set<std::string> names{".craton-", ".craton-notes", left('0') + "0",      left('g'),
                                    left('A'),  ".craton-123-0", "craton-" + left('0')};
  for (const std::string& name : names) touch(folder / name);
  std::filesystem::create_directory(folder / left('1'));
  touch(folder / "target");
  std::filesystem::create_symlink("target", folder / left('2'));
  REQUIRE(::mkfifo((folder / left('3')).c_str(), 0600) == 0);
  write_file(folder / "x", "new");
  CHECK(names_in(folder).size() == names.size() + 5);
}

TEST_CASE("a folder that is not there or may not be written says so") {
  errno = 0;
  CHECK(TemporaryFile("/nowhere").get() < 0);
  CHECK(errno == ENOENT);
  CHECK(TemporaryFile("/proc").get() < 0);
}

}  // namespace
}  // namespace craton
