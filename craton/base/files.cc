#include "craton/base/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "craton/base/error.h"
#include "craton/base/system_calls.h"
#include "craton/base/temporary_file.h"

namespace craton {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  // Linux closes the descriptor even when close() fails, so it is never tried twice.
  int close() {
    const int result = ::close(std::exchange(fd_, -1));
    return result < 0 && errno == EINTR ? 0 : result;
  }

 private:
  int fd_;
};

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == path.npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// The names in a folder, as candidates for a misspelt one; none when it cannot be listed.
std::vector<std::string> names_in(const std::string& folder) {
  constexpr std::size_t kEnough = 10000;
  std::vector<std::string> names;
  const auto close = [](DIR* dir) { ::closedir(dir); };
  const std::unique_ptr<DIR, decltype(close)> dir(::opendir(folder.c_str()), close);
  if (dir == nullptr) return names;
  while (const dirent* entry = ::readdir(dir.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
    if (names.size() == kEnough) break;
  }
  std::sort(names.begin(), names.end());  // a folder has no order: the same advice every time
  return names;
}

bool is_folder(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

// The system takes a path as far as its first zero byte, which would be another file.
void check_path(const std::string& path, Code code) {
  if (path.empty()) throw InputError(code, {}, "the path of the file is empty", "Give a path.");
  if (const std::size_t zero = path.find('\0'); zero != path.npos) {
    throw InputError(code, {.file = path.substr(0, zero)}, "the path contains a zero byte",
                     "Give a path without it.");
  }
}

[[noreturn]] void fail_missing(const std::string& path) {
  const std::string folder = folder_of(path);
  if (!is_folder(folder)) {
    throw InputError(Code::kNoSuchFile, {.file = path},
                     fmt::format("no such file, nor a folder '{}'", folder),
                     "Check the path of the folder.");
  }
  const std::string near = did_you_mean(name_of(path), names_in(folder));
  throw InputError(Code::kNoSuchFile, {.file = path}, "no such file",
                   near.empty() ? "Check the spelling and the folder." : near);
}

[[noreturn]] void fail_to_read(const std::string& path, int error) {
  if (error == ENOENT || error == ENOTDIR) fail_missing(path);
  const std::string fix =
      error == EISDIR ? "Give the path of a file in it."
      : error == EACCES || error == EPERM
          ? fmt::format("Ask for permission to read it, or chmod u+r '{}' if it is yours.", path)
          : "Check the path and the disk, and try again.";
  throw InputError(Code::kCannotRead, {.file = path}, "cannot be read: " + reason(error), fix);
}

std::string how_to_write(const std::string& path, int error) {
  switch (error) {
    case ENOENT:
      return fmt::format("Make the folder first: mkdir -p '{}'", folder_of(path));
    case ENOTDIR:
      return fmt::format("'{}' is a file: choose a folder.", folder_of(path));
    case EISDIR:
      return "Give the path of a file in it.";
    case EACCES:
    case EPERM:
    case EROFS:
      return "Choose a folder that you may write to.";
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return "Free some space, or choose another disk.";
    case ENAMETOOLONG:
      return "Choose a shorter name.";
    default:
      return "Choose another path, or try again.";
  }
}

// `target`: where the path leads, when it is a link.
[[noreturn]] void fail_to_write(const std::string& path, int error,
                                const std::string& target = {}) {
  throw InputError(Code::kCannotWrite, {.file = path}, "cannot be written: " + reason(error),
                   how_to_write(target.empty() ? path : target, error));
}

int open_to_read(const std::string& path) {
  check_path(path, Code::kNoSuchFile);
  const int fd = retry([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); });
  if (fd < 0) fail_to_read(path, errno);
  return fd;
}

void write_all(int fd, std::span<const std::byte> bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = retry([&] { return ::write(fd, bytes.data(), bytes.size()); });
    if (written < 0) fail_to_write(path, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

// Some file systems cannot sync and say EINVAL or ENOTSUP: they do what they can.
void sync(int fd, const std::string& path) {
  if (retry([&] { return ::fsync(fd); }) == 0) return;
  if (errno != EINVAL && errno != ENOTSUP) fail_to_write(path, errno);
}

// Makes the new name last through a crash. A folder that may be written but not listed is left.
void sync_folder(const std::string& folder, const std::string& path) {
  const Descriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.valid()) sync(fd.get(), path);
}

// /dev/stdout and its like name a stream that is open already: a pipe, or a file that others write
// to as well and that must not be replaced under them.
bool is_open_stream(const std::string& path) {
  return path.starts_with("/proc/") || path.starts_with("/dev/fd/");
}

// Where symbolic links lead, whether or not there is a file.
std::string follow_links(const std::string& path) {
  constexpr int kMostLinks = 40;  // as the kernel
  std::string at = path;
  for (int i = 0; i < kMostLinks; ++i) {
    std::array<char, 4096> target{};  // PATH_MAX
    const ssize_t length = ::readlink(at.c_str(), target.data(), target.size());
    if (length < 0 || is_open_stream(at)) return at;  // not a link, or nothing there
    const std::string next(target.data(), static_cast<std::size_t>(length));
    at = next.starts_with('/') ? next : folder_of(at) + "/" + next;
  }
  fail_to_write(path, ELOOP);
}

// Reads on until the end or until there are `most` bytes. What a pipe or /proc holds is not known
// before: memory is taken as it comes.
void read_on(int fd, Bytes& bytes, std::size_t expected, std::size_t most,
             const std::string& path) {
  constexpr std::size_t kLeast = 1 << 16;
  std::size_t used = bytes.size();
  bytes.resize(std::min(most, std::max(used, expected) + 1));  // one more, to see the end
  while (used < most) {
    if (used == bytes.size()) bytes.resize(std::min(most, std::max(kLeast, 2 * used)));
    const ssize_t got = retry([&] { return ::read(fd, bytes.data() + used, bytes.size() - used); });
    if (got < 0) fail_to_read(path, errno);
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
  }
  bytes.resize(used);
}

constexpr std::uint64_t kNoLimit = PTRDIFF_MAX - 1;  // more than memory can hold

}  // namespace

FileReader::FileReader(const std::string& path)
    : name_(path == "-" ? "stdin" : path), fd_(STDIN_FILENO) {
  if (path != "-") fd_ = open_to_read(path);
  struct stat status {};
  if (::fstat(fd_, &status) < 0) fail_to_read(name_, errno);
  if (S_ISREG(status.st_mode) && path != "-") size_ = status.st_size;
}

FileReader::~FileReader() {
  if (fd_ != STDIN_FILENO) ::close(fd_);
}

std::size_t FileReader::read(std::span<std::byte> out) {
  const ssize_t got = retry([&] { return ::read(fd_, out.data(), out.size()); });
  if (got < 0) fail_to_read(name_, errno);
  position_ += got;
  if (got == 0 && !out.empty() && position_ < size_) {
    throw InputError(
        Code::kCannotRead, {.file = name_},
        fmt::format("became shorter while it was read: it had {} bytes, now {}", size_, position_),
        "Wait until nobody writes to it, and try again.");
  }
  return static_cast<std::size_t>(got);
}

Bytes read_file(const std::string& path) {
  return read_file(path, 0, [](std::span<const std::byte>) { return kNoLimit; });
}

Bytes read_file(const std::string& path, std::size_t head,
                FunctionRef<std::uint64_t(std::span<const std::byte>)> length_of) {
  const Descriptor fd(open_to_read(path));
  struct stat status {};
  if (::fstat(fd.get(), &status) < 0) fail_to_read(path, errno);
  const std::size_t size = S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) : 0;
  try {
    Bytes bytes;
    read_on(fd.get(), bytes, head, head, path);
    const std::uint64_t most = std::min(length_of(bytes), kNoLimit) + 1;
    if (std::min(size, most) > kNoLimit) throw std::bad_alloc();
    read_on(fd.get(), bytes, size, most, path);
    return bytes;
  } catch (const std::bad_alloc&) {
    throw InputError(Code::kOutOfMemory, {.file = path}, "does not fit into memory",
                     "Use a smaller file, or a machine with more memory.");
  }
}

// Where the bytes go: a temporary file that will be renamed, or a stream that is there already.
struct FileWriter::Target {
  std::string path, renamed_to;
  std::optional<TemporaryFile> temporary;
  std::optional<Descriptor> stream;

  int get() const { return temporary ? temporary->get() : stream->get(); }
};

FileWriter::FileWriter(const std::string& path) : target_(std::make_unique<Target>()) {
  check_path(path, Code::kCannotWrite);
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail_to_write(path, EISDIR);
  target_->path = path;
  const bool special = exists && !S_ISREG(status.st_mode);
  if (!special) target_->renamed_to = follow_links(path);
  if (special || is_open_stream(target_->renamed_to)) {
    constexpr int kFlags = O_WRONLY | O_APPEND | O_CLOEXEC;
    target_->stream.emplace(retry([&] { return ::open(path.c_str(), kFlags); }));
    if (!target_->stream->valid()) fail_to_write(path, errno);
    return;
  }
  if (exists && ::access(path.c_str(), W_OK) < 0) fail_to_write(path, errno);
  target_->temporary.emplace(folder_of(target_->renamed_to));
  if (target_->get() < 0) fail_to_write(path, errno, target_->renamed_to);
  const mode_t mode = status.st_mode & 07777;
  if (exists && ::fchmod(target_->get(), mode) < 0) fail_to_write(path, errno);
}

FileWriter::~FileWriter() = default;

void FileWriter::append(std::span<const std::byte> bytes) {
  write_all(target_->get(), bytes, target_->path);
}

void FileWriter::append(std::string_view text) {
  append(std::as_bytes(std::span(text.data(), text.size())));
}

void FileWriter::commit() {
  const std::string& path = target_->path;
  if (target_->stream) {
    if (target_->stream->close() < 0) fail_to_write(path, errno);
    return;
  }
  sync(target_->get(), path);
  if (!target_->temporary->rename(target_->renamed_to)) fail_to_write(path, errno);
  sync_folder(folder_of(target_->renamed_to), path);
}

void write_file(const std::string& path, std::span<const std::byte> bytes) {
  FileWriter file(path);
  file.append(bytes);
  file.commit();
}

void write_file(const std::string& path, const std::string& text) {
  write_file(path, std::as_bytes(std::span(text)));
}

}  // namespace craton
