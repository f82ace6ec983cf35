#include "craton/base/files.h"

#include <dirent.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <utility>

#include "craton/base/error.h"

namespace craton::files_test {
namespace {

// A folder that is gone when the test ends.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "craton-test-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
    ::chmod(name.c_str(), 0755);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  std::set<std::string> names() const {
    std::set<std::string> result;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      result.insert(entry.path().filename().string());
    }
    return result;
  }

 private:
  std::string path_;
};

std::string text_of(const std::string& path) {
  const Bytes bytes = read_file(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

struct Fault {
  Code code{};
  std::string message = "none";
  bool mentions(std::string_view part) const { return message.find(part) != std::string::npos; }
};

template <class F>
Fault fault_of(F f) {
  try {
    f();
  } catch (const InputError& error) {
    return {error.code(), error.what()};
  }
  return {};
}
Fault fault_of_reading(const std::string& path) {
  return fault_of([&] { read_file(path); });
}
Fault fault_of_writing(const std::string& path, const std::string& text = "new") {
  return fault_of([&] { write_file(path, text); });
}

unsigned mode_of(const std::string& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777u;
}

// Root may do everything, so tests of permission run as somebody else meanwhile.
class Unprivileged {
 public:
  Unprivileged() : mine_(::geteuid()) {
    constexpr uid_t kNobody = 65534;
    if (mine_ == 0) REQUIRE(::seteuid(kNobody) == 0);
  }
  ~Unprivileged() {
    if (mine_ == 0) (void)!::seteuid(mine_);
  }

 private:
  uid_t mine_;
};

}  // namespace

TEST_CASE("what is written is read back") {
  const Folder folder;
  std::string text;
  for (int i = 0; i < 1000000; ++i) text += static_cast<char>(i * 7 >> 3);
  for (const std::string& content : {std::string(), std::string("a"), text}) {
    write_file(folder / "x", content);
    CHECK(text_of(folder / "x") == content);
  }
  CHECK(folder.names() == std::set<std::string>{"x"});
}

TEST_CASE("a file without a known size is read whole") {
  CHECK(text_of("/proc/self/status").find("Name:") == 0);
  CHECK(read_file("/dev/null").empty());
}

TEST_CASE("no more is read than the head of a file allows") {
  const auto eight = [](std::span<const std::byte> head) -> std::uint64_t {
    CHECK(head.size() == 3);
    return 8;
  };
  CHECK(read_file("/dev/zero", 3, eight).size() == 9);  // one more: it is too long
  const auto refuse = [](std::span<const std::byte>) -> std::uint64_t {
    throw InputError(Code::kNotAModel, {}, "no", "");
  };
  CHECK_THROWS_AS(read_file("/dev/zero", 32, refuse), InputError);
  const auto all = [](std::span<const std::byte> head) -> std::uint64_t {
    CHECK(head.empty());
    return ~std::uint64_t{0};
  };
  CHECK(read_file("/dev/null", 32, all).empty());
}

TEST_CASE("a missing file is an error that suggests a near name") {
  const Folder folder;
  write_file(folder / "faithful.csv", "x");
  write_file(folder / "notes.txt", "x");
  const Fault fault = fault_of_reading(folder / "fathful.csv");
  CHECK(fault.code == Code::kNoSuchFile);
  CHECK(fault.message == folder / "fathful.csv: no such file\n  did you mean 'faithful.csv'?");
  CHECK(fault_of_reading(folder / "unlike-any-of-them").mentions("Check the spelling"));
}

TEST_CASE("a missing folder is an error that names it") {
  const Folder folder;
  write_file(folder / "file", "x");
  const Fault missing = fault_of_reading(folder / "sub/x");
  CHECK(missing.code == Code::kNoSuchFile);
  CHECK(missing.mentions("nor a folder '" + (folder / "sub") + "'"));
  CHECK(fault_of_reading(folder / "file/x").code == Code::kNoSuchFile);
  const Fault unwritten = fault_of_writing(folder / "sub/x");
  CHECK(unwritten.code == Code::kCannotWrite);
  CHECK(unwritten.mentions("mkdir -p '" + (folder / "sub") + "'"));
  std::filesystem::create_symlink("sub/x", folder / "link");
  CHECK(fault_of_writing(folder / "link").mentions("mkdir -p '" + (folder / "sub") + "'"));
  CHECK(fault_of_writing(folder / "file/x").mentions("'" + (folder / "file") + "' is a file"));
}

TEST_CASE("a folder in place of a file is refused") {
  const Folder folder;
  const std::string path = folder / "";
  CHECK(fault_of_reading(path).code == Code::kCannotRead);
  CHECK(fault_of_reading(path).mentions("Is a directory"));
  CHECK(fault_of_writing(path).code == Code::kCannotWrite);
  CHECK(fault_of_writing(path).mentions("Is a directory"));
}

TEST_CASE("an empty path and a path with a zero byte are refused") {
  CHECK(fault_of_reading("").mentions("empty"));
  CHECK(fault_of_writing("").code == Code::kCannotWrite);
  CHECK(fault_of_reading(std::string("/dev/null\0x", 11)).mentions("zero byte"));
}

TEST_CASE("without permission nothing is read, written or replaced") {
  const Folder folder;
  write_file(folder / "secret", "old");
  ::chmod((folder / "secret").c_str(), 0000);
  write_file(folder / "fixed", "old");
  ::chmod((folder / "fixed").c_str(), 0444);
  {
    const Unprivileged nobody;
    CHECK(fault_of_reading(folder / "secret").code == Code::kCannotRead);
    CHECK(fault_of_reading(folder / "secret").mentions("Permission denied"));
    CHECK(fault_of_writing(folder / "fixed").code == Code::kCannotWrite);
    CHECK(fault_of_writing(folder / "fixed").mentions("Permission denied"));
    CHECK(fault_of_writing("/proc/version").code == Code::kCannotWrite);
  }
  CHECK(text_of(folder / "fixed") == "old");
  CHECK(folder.names() == std::set<std::string>{"fixed", "secret"});
}

TEST_CASE("a failure halfway leaves the old file and no temporary one") {
  const Folder folder;
  write_file(folder / "x", "old");
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1000, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  const Fault fault = fault_of_writing(folder / "x", std::string(5000, 'n'));
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  CHECK(fault.code == Code::kCannotWrite);
  CHECK(fault.mentions("File too large"));
  CHECK(text_of(folder / "x") == "old");
  CHECK(folder.names() == std::set<std::string>{"x"});
}

TEST_CASE("a full disk is said to be one") {
  const Fault fault = fault_of_writing("/dev/full");
  CHECK(fault.code == Code::kCannotWrite);
  CHECK(fault.message ==
        "/dev/full: cannot be written: No space left on device\n"
        "  Free some space, or choose another disk.");
}

TEST_CASE("pieces become a file when they are committed and not before") {
  const Folder folder;
  write_file(folder / "x", "old");
  {
    FileWriter writer(folder / "x");
    writer.append("one ");
    CHECK(text_of(folder / "x") == "old");
    writer.append("two");
    writer.commit();
  }
  CHECK(text_of(folder / "x") == "one two");
  {
    FileWriter writer(folder / "x");
    writer.append("never");
  }
  CHECK(text_of(folder / "x") == "one two");
  CHECK(folder.names() == std::set<std::string>{"x"});
}

TEST_CASE("a name that is too long is refused") {
  const Folder folder;
  CHECK(fault_of_writing(folder / std::string(300, 'x')).mentions("shorter name"));
  const std::string longest = folder / std::string(255, 'x');
  write_file(longest, "new");
  CHECK(text_of(longest) == "new");
}

TEST_CASE("a reader that has the old file open keeps it") {
  const Folder folder;
  write_file(folder / "x", "old");
  const int fd = ::open((folder / "x").c_str(), O_RDONLY | O_CLOEXEC);
  write_file(folder / "x", "new");
  char old[4] = {};
  CHECK(::read(fd, old, 3) == 3);
  ::close(fd);
  CHECK(std::string(old) == "old");
  CHECK(text_of(folder / "x") == "new");
}

TEST_CASE("a symbolic link stays one and its target is replaced") {
  const Folder folder;
  std::filesystem::create_directory(folder / "sub");
  write_file(folder / "sub/target", "old");
  std::filesystem::create_symlink("sub/target", folder / "first");
  std::filesystem::create_symlink(folder / "first", folder / "second");
  std::filesystem::create_symlink("not-there-yet", folder / "dangling");
  write_file(folder / "second", "new");
  write_file(folder / "dangling", "made");
  CHECK(std::filesystem::is_symlink(folder / "second"));
  CHECK(text_of(folder / "sub/target") == "new");
  CHECK(text_of(folder / "not-there-yet") == "made");
}

TEST_CASE("links that go round in a circle are refused") {
  const Folder folder;
  std::filesystem::create_symlink("b", folder / "a");
  std::filesystem::create_symlink("a", folder / "b");
  CHECK(fault_of_writing(folder / "a").code == Code::kCannotWrite);
  CHECK(fault_of_reading(folder / "a").code == Code::kCannotRead);
}

TEST_CASE("a new file obeys the umask and an old one keeps its permissions") {
  const Folder folder;
  const mode_t before = ::umask(027);
  write_file(folder / "new", "x");
  ::umask(before);
  CHECK(mode_of(folder / "new") == 0640);
  ::chmod((folder / "new").c_str(), 0604);
  write_file(folder / "new", "y");
  CHECK(mode_of(folder / "new") == 0604);
}

TEST_CASE("a file that is open as a stream is appended to and not replaced") {
  const Folder folder;
  write_file(folder / "out", "before ");
  const int fd = ::open((folder / "out").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  write_file("/dev/fd/" + std::to_string(fd), "between ");
  CHECK(::write(fd, "after", 5) == 5);
  ::close(fd);
  CHECK(text_of(folder / "out") == "before between after");
}

}  // namespace craton::files_test
