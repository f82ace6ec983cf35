#pragma once
#include <string>

// A file that takes the place of another when it is whole. For files.cc, which says why it fails.

namespace craton {

enum class Visible { kIfNeeded, kYes };

// Invisible where the file system can do that (O_TMPFILE), else called .craton-<16 hex digits>;
// nothing is left of it unless it was renamed. A process that is killed can leave a visible one:
// the next file made in that folder removes it. It is locked for as long as its process lives,
// which other containers and machines see as well, so that only what is left over is removed.
class TemporaryFile {
 public:
  // get() < 0: errno says why
  explicit TemporaryFile(const std::string& folder, Visible visible = Visible::kIfNeeded);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();
  int get() const { return fd_; }
  bool rename(const std::string& target);  // once; false: errno says why

 private:
  bool open_invisible();
  bool open_visible();
  bool show();

  std::string folder_, name_;  // no name: invisible
  int fd_ = -1;
};

}  // namespace craton
