#include <doctest/doctest.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

#include "craton/base/error.h"
#include "craton/io/csv.h"
#include "tests/folder.h"
#include "tests/refused.h"

// Spools that do not fit where they are to lie.

namespace craton {
namespace {

std::string table_of(Index rows) {
  std::string text = "x,y\n";
  for (Index i = 0; i < rows; ++i) text += fmt::format("{},0.{}\n", i, i + 1);
  return text;
}

void check_full(const std::string& text, const std::string& folder, Index memory, int threads) {
  CAPTURE(memory);
  CAPTURE(threads);
  ReadOptions options;
  options.memory = memory;
  options.temporary_folder = folder;
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  const auto open = [&](int) { return memory_input(bytes, "t.csv"); };
  const auto read = [&] { read_csv(open, options, {.threads = threads}, 64 << 10); };
  check_refused(read, Code::kCannotWrite, -1, folder);
  check_refused(read, Code::kCannotWrite, -1, "choose another folder for temporary files");
  CHECK(std::filesystem::is_empty(folder));
}

// A file system of half a megabyte; not there unless root may mount one.
class SmallDisk {
 public:
  explicit SmallDisk(std::string path) : path_(std::move(path)) {
    std::filesystem::create_directory(path_);
    mounted_ = ::mount("tmpfs", path_.c_str(), "tmpfs", 0, "size=512k") == 0;
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (mounted_) ::umount2(path_.c_str(), MNT_DETACH);
  }
  bool mounted() const { return mounted_; }
  const std::string& path() const { return path_; }
  Index free_blocks() const {
    struct statvfs disk {};
    REQUIRE(::statvfs(path_.c_str(), &disk) == 0);
    return static_cast<Index>(disk.f_bfree);
  }

 private:
  std::string path_;
  bool mounted_;
};

TEST_CASE("a disk that fills up while a table is spooled is named, and nothing stays on it") {
  const Folder folder;
  const SmallDisk disk(folder / "disk");
  if (!disk.mounted()) {
    MESSAGE("not allowed to mount a file system here; the test below limits the size of files");
    return;
  }
  const std::string text = table_of(100'000);
  const Index before = disk.free_blocks();
  for (const Index memory : {Index{0}, Index{700'000}}) {
    for (const int threads : {1, 3}) check_full(text, disk.path(), memory, threads);
  }
  CHECK(disk.free_blocks() == before);
}

TEST_CASE("so is one on which files may not grow so far") {
  const Folder folder;
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &old) == 0);
  const rlimit small{100'000, old.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  check_full(table_of(20'000), folder / "", 0, 3);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &old) == 0);
  ::signal(SIGXFSZ, handler);
}

}  // namespace
}  // namespace craton
