#include "craton/base/temporary_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

namespace craton {
namespace {

constexpr std::string_view kPrefix = ".craton-";
constexpr std::size_t kDigits = 16;
constexpr mode_t kMode = 0666;   // the umask has its say
constexpr int kMostNames = 100;  // one is enough but for luck

bool is_ours(std::string_view name) {
  return name.size() == kPrefix.size() + kDigits && name.starts_with(kPrefix) &&
         name.find_first_not_of("0123456789abcdef", kPrefix.size()) == name.npos;
}

// A name that was never used: whoever removes what is left over cannot meet a newer file of the
// name it has looked at.
std::string new_name(const std::string& folder) {
  std::uint64_t number = 0;
  (void)!::getrandom(&number, sizeof(number), 0);
  return fmt::format("{}/{}{:016x}", folder, kPrefix, number);
}

bool lock(int fd) { return ::flock(fd, LOCK_EX | LOCK_NB) == 0; }

// Also when locks do not exist here, since nobody can take them then.
bool lock_unless_taken(int fd) { return lock(fd) || errno != EWOULDBLOCK; }

void remove_if_left_over(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return;
  struct stat status {};
  const bool mine =
      ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid();
  if (mine && lock(fd)) ::unlink(path.c_str());
  ::close(fd);
}

void remove_leftovers(const std::string& folder) {
  const auto close = [](DIR* dir) { ::closedir(dir); };
  const std::unique_ptr<DIR, decltype(close)> dir(::opendir(folder.c_str()), close);
  if (dir == nullptr) return;
  while (const dirent* entry = ::readdir(dir.get())) {
    if (is_ours(entry->d_name)) remove_if_left_over(folder + "/" + entry->d_name);
  }
}

std::string path_of(int fd) { return fmt::format("/proc/self/fd/{}", fd); }

}  // namespace

TemporaryFile::TemporaryFile(const std::string& folder, Visible visible) : folder_(folder) {
  remove_leftovers(folder);
  if (visible == Visible::kIfNeeded && open_invisible()) return;
  for (int i = 0; i < kMostNames && !open_visible(); ++i) {
    if (errno != EEXIST && errno != EINTR) return;
  }
}

TemporaryFile::~TemporaryFile() {
  if (!name_.empty()) ::unlink(name_.c_str());
  if (fd_ >= 0) ::close(fd_);
}

bool TemporaryFile::open_invisible() {
  fd_ = ::open(folder_.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, kMode);
  if (fd_ < 0) return false;
  const bool can_be_shown = ::access(path_of(fd_).c_str(), F_OK) == 0;  // is there a /proc?
  if (can_be_shown && lock_unless_taken(fd_)) return true;
  ::close(std::exchange(fd_, -1));
  return false;
}

bool TemporaryFile::open_visible() {
  const std::string name = new_name(folder_);
  fd_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
  if (fd_ < 0) return false;
  struct stat status {};
  if (lock_unless_taken(fd_) && ::fstat(fd_, &status) == 0 && status.st_nlink > 0) {
    name_ = name;
    return true;
  }
  ::close(std::exchange(fd_, -1));  // it was removed as left over before it was locked
  errno = EEXIST;
  return false;
}

// Linking cannot replace a file, renaming can: the invisible file is shown under a name first.
bool TemporaryFile::show() {
  for (int i = 0; i < kMostNames; ++i) {
    const std::string name = new_name(folder_);
    if (::linkat(AT_FDCWD, path_of(fd_).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      name_ = name;
      return true;
    }
    if (errno != EEXIST) return false;
  }
  return false;
}

// Closing a copy asks for the errors that some file systems keep until then; the lock stays.
bool TemporaryFile::rename(const std::string& target) {
  if (::close(::dup(fd_)) < 0 && errno != EINTR) return false;
  if (name_.empty() && !show()) return false;
  if (::rename(name_.c_str(), target.c_str()) < 0) return false;
  name_.clear();
  return true;
}

}  // namespace craton
