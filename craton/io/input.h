#pragma once
#include <memory>
#include <span>
#include <string>

#include "craton/base/bytes.h"
#include "craton/base/matrix.h"
#include "craton/base/random_access.h"

// Bytes of a data file in order, wherever they come from: a file, a pipe, the standard input ("-"),
// plain or compressed (gzip and zstd are told by their first bytes).

namespace craton {

// What a compressed file may become, so that a small file cannot fill the disk: more than kMaxRatio
// times its size *and* more than kMaxUnpacked bytes is refused.
inline constexpr Index kMaxRatio = 1000;
inline constexpr Index kMaxUnpacked = Index{1} << 30;

class Input {
 public:
  virtual ~Input() = default;
  // Up to out.size() bytes; 0 at the end only. Throws InputError: cannot be read, damaged, a bomb.
  virtual std::size_t read(std::span<std::byte> out) = 0;
  virtual Index size() const = 0;      // in bytes of a plain file; -1 when that is not known
  virtual Index position() const = 0;  // bytes taken from the underlying file, for progress
  const std::string& name() const { return name_; }

 protected:
  explicit Input(std::string name) : name_(std::move(name)) {}

 private:
  std::string name_;
};

// InputError: no such file (with a near name), a directory, no permission.
std::unique_ptr<Input> open_input(const std::string& path);

// Bytes at hand, as they are. Borrows them.
std::unique_ptr<Input> memory_input(std::span<const std::byte> bytes, std::string name);

// What open_input does after opening: the same bytes, or, if they are gzip (any number of members)
// or zstd (any number of frames), what they unpack to.
std::unique_ptr<Input> unpacked(std::unique_ptr<Input> input);

// The input again from before `front`, which was read from it to tell its format.
std::unique_ptr<Input> rewound(Bytes front, std::unique_ptr<Input> rest);

// What comes through a pipe comes once: kept as it is read, in memory and then on disk, it can be
// read again.
class ReadTwice {
 public:
  // `folder`: of a temporary file, "" the system's. So many bytes stay in memory.
  static constexpr Index kInMemory = Index{8} << 20;
  explicit ReadTwice(std::string folder, Index in_memory = kInMemory);
  ReadTwice(const ReadTwice&) = delete;
  ReadTwice& operator=(const ReadTwice&) = delete;
  ~ReadTwice();
  std::unique_ptr<Input> first(std::unique_ptr<Input> input);  // borrows this
  // From the front, what the first has read; null: there was no room for it. Borrows this.
  std::unique_ptr<Input> second() const;

 private:
  class First;
  class Second;
  void keep(std::span<const std::byte> bytes);

  std::string folder_, name_;
  Index in_memory_, size_ = 0;
  Bytes front_;
  std::unique_ptr<ScratchFile> rest_;
  bool full_ = false;  // the disk
};

// Up to out.size() bytes, fewer only at the end.
std::size_t read_full(Input& input, std::span<std::byte> out);

// Everything that is left; refused beyond `limit` bytes.
Bytes read_rest(Input& input, Index limit);

}  // namespace craton
