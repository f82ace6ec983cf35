#pragma once
#include <span>
#include <string>

#include "craton/base/matrix.h"

// Files read and written at any offset. (From front to end: files.h.)

namespace craton {

// A regular file, read at any offset. InputError: as FileReader; and when it became shorter.
class RandomAccessFile {
 public:
  explicit RandomAccessFile(const std::string& path);
  RandomAccessFile(const RandomAccessFile&) = delete;
  RandomAccessFile& operator=(const RandomAccessFile&) = delete;
  ~RandomAccessFile();
  void read_at(Index offset, std::span<std::byte> out) const;  // from any thread
  Index size() const { return size_; }                         // when it was opened
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  Index size_;
  int fd_;
};

// Space on disk for one process: a file without a name (O_TMPFILE), so that even a kill leaves
// nothing. Where the file system has no such files it is called craton-spool-<process>-<number> and
// loses its name when the constructor returns, or, where it must keep it, in the destructor; what a
// killed process leaves then is removed by the next ScratchFile in the folder.
class ScratchFile {
 public:
  static constexpr const char* kSystemFolder = "/tmp";
  explicit ScratchFile(const std::string& folder);  // "" : kSystemFolder
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile();
  // InputError (kCannotWrite) when the disk is full. Both from any thread.
  void write_at(Index offset, std::span<const std::byte> bytes);
  void read_at(Index offset, std::span<std::byte> out) const;

 private:
  std::string folder_, name_;  // the name: "" when it is gone
  int fd_ = -1;
};

}  // namespace craton
