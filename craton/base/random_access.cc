#include "craton/base/random_access.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <memory>
#include <string_view>

#include "craton/base/error.h"
#include "craton/base/files.h"
#include "craton/base/system_calls.h"

namespace craton {
namespace {

constexpr std::string_view kSpoolName = "craton-spool-";

[[noreturn]] void fail_to_spool(const std::string& folder, int error) {
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  throw InputError(Code::kCannotWrite, {.file = folder},
                   fmt::format("cannot hold the parsed table: {}", reason(error)),
                   {"{} another folder for temporary files: {}.",
                    full ? "Free some space, or choose" : "Choose", Ref::flag("tmpdir")});
}

void read_all_at(int fd, Index offset, std::span<std::byte> out, const std::string& name) {
  while (!out.empty()) {
    const ssize_t got = retry([&] { return ::pread(fd, out.data(), out.size(), offset); });
    if (got <= 0) {
      throw InputError(Code::kCannotRead, {.file = name},
                       got < 0 ? "cannot be read: " + reason(errno)
                               : fmt::format("became shorter while it was read: it ends before "
                                             "byte {}",
                                             offset),
                       "Wait until nobody writes to it, and try again.");
    }
    out = out.subspan(static_cast<std::size_t>(got));
    offset += got;
  }
}

// The process of a file called craton-spool-<process>-<number>; 0: it is called otherwise.
int process_of(std::string_view name) {
  int process = 0;
  if (!name.starts_with(kSpoolName)) return 0;
  name.remove_prefix(kSpoolName.size());
  const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), process);
  const bool dash = stop != name.data() + name.size() && *stop == '-';
  return error == std::errc() && dash ? process : 0;
}

void remove_abandoned(const std::string& folder) {
  const auto close = [](DIR* dir) { ::closedir(dir); };
  const std::unique_ptr<DIR, decltype(close)> dir(::opendir(folder.c_str()), close);
  if (dir == nullptr) return;
  while (const dirent* entry = ::readdir(dir.get())) {
    const int process = process_of(entry->d_name);
    if (process <= 0 || ::kill(process, 0) == 0 || errno != ESRCH) continue;
    ::unlink(fmt::format("{}/{}", folder, entry->d_name).c_str());
  }
}

}  // namespace

RandomAccessFile::RandomAccessFile(const std::string& path)
    : name_(path), size_(FileReader(path).size()) {  // its errors say what is wrong with a path
  fd_ = retry([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); });
  if (fd_ < 0) {
    throw InputError(Code::kCannotRead, {.file = path}, "cannot be read: " + reason(errno),
                     "Check the path and the disk, and try again.");
  }
}

RandomAccessFile::~RandomAccessFile() { ::close(fd_); }

void RandomAccessFile::read_at(Index offset, std::span<std::byte> out) const {
  read_all_at(fd_, offset, out, name_);
}

ScratchFile::ScratchFile(const std::string& folder)
    : folder_(folder.empty() ? kSystemFolder : folder) {
  remove_abandoned(folder_);
#ifdef O_TMPFILE
  constexpr int kNameless = O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC;
  fd_ = retry([&] { return ::open(folder_.c_str(), kNameless, 0600); });
  if (fd_ >= 0) return;  // otherwise the file system may have no such files
#endif
  constexpr int kMostNames = 10000;
  for (int i = 0; i < kMostNames && fd_ < 0; ++i) {
    name_ = fmt::format("{}/{}{}-{}", folder_, kSpoolName, ::getpid(), i);
    constexpr int kFlags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
    fd_ = retry([&] { return ::open(name_.c_str(), kFlags, 0600); });
    if (fd_ < 0 && errno != EEXIST) break;
  }
  if (fd_ < 0) fail_to_spool(folder_, errno);
  if (::unlink(name_.c_str()) == 0 || errno == ENOENT) name_.clear();
}

ScratchFile::~ScratchFile() {
  ::close(fd_);
  if (!name_.empty()) ::unlink(name_.c_str());
}

void ScratchFile::write_at(Index offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = retry([&] { return ::pwrite(fd_, bytes.data(), bytes.size(), offset); });
    if (put < 0) fail_to_spool(folder_, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
    offset += put;
  }
}

void ScratchFile::read_at(Index offset, std::span<std::byte> out) const {
  read_all_at(fd_, offset, out, folder_);
}

}  // namespace craton
