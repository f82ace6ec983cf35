#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "craton/base/bytes.h"
#include "craton/base/function_ref.h"
#include "craton/base/matrix.h"

// The one place that opens, writes and renames files.

namespace craton {

// The whole file. InputError says why it cannot be read: missing (with a near name, if there is
// one), a directory, no permission.
Bytes read_file(const std::string& path);

// Shows the first `head` bytes (all, when there are fewer) to `length_of` before it reads on; that
// throws, or says how long the file should be. No more than one byte beyond is read, so that a
// caller sees a file that is too long, and one without end is no trouble.
Bytes read_file(const std::string& path, std::size_t head,
                FunctionRef<std::uint64_t(std::span<const std::byte>)> length_of);

// A file read from its front; "-" is the standard input. InputError as read_file, and when a
// regular file becomes shorter while it is read.
class FileReader {
 public:
  explicit FileReader(const std::string& path);
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;
  ~FileReader();
  std::size_t read(std::span<std::byte> out);  // up to out.size() bytes; 0 at the end only
  Index size() const { return size_; }         // of a regular file, when opened; otherwise -1
  Index position() const { return position_; }
  const std::string& name() const { return name_; }  // the path, or "stdin"

 private:
  std::string name_;
  int fd_;
  Index size_ = -1, position_ = 0;
};

// The old file or the new one, never a part: temporary file in the same folder, fsync, rename. The
// temporary file is gone whatever happens, or else when the next one is made there
// (temporary_file.h). A symbolic link stays one: the file it
// points at is replaced. Permissions of a file that exists are kept, and one that may not be
// written is not replaced. What is no regular file, or is open already (a pipe, /dev/stdout), is
// written to directly.
void write_file(const std::string& path, std::span<const std::byte> bytes);
void write_file(const std::string& path, const std::string& text);

// The same for what is written piece by piece. Without commit() the old file stays.
class FileWriter {
 public:
  explicit FileWriter(const std::string& path);
  ~FileWriter();
  void append(std::span<const std::byte> bytes);
  void append(std::string_view text);
  void commit();  // once, at the end

 private:
  struct Target;
  std::unique_ptr<Target> target_;
};

}  // namespace craton
