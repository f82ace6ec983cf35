#include "craton/io/input.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "craton/core/error.h"
#include "craton/core/files.h"
#include "craton/io/unpack.h"

namespace craton {
namespace {

class FileInput final : public Input {
 public:
  explicit FileInput(const std::string& path)
      : Input(path == "-" ? "stdin" : path), reader_(path) {}
  std::size_t read(std::span<std::byte> out) override { return reader_.read(out); }
  Index size() const override { return reader_.size(); }
  Index position() const override { return reader_.position(); }

 private:
  FileReader reader_;
};

class MemoryInput final : public Input {
 public:
  MemoryInput(std::span<const std::byte> bytes, std::string name)
      : Input(std::move(name)), bytes_(bytes) {}
  std::size_t read(std::span<std::byte> out) override {
    const std::size_t count = std::min(out.size(), bytes_.size() - at_);
    if (count > 0) std::memcpy(out.data(), bytes_.data() + at_, count);
    at_ += count;
    return count;
  }
  Index size() const override { return ssize(bytes_); }
  Index position() const override { return static_cast<Index>(at_); }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
};

// Hands out again what was read to tell the format, then the rest.
class Rewound final : public Input {
 public:
  Rewound(Bytes front, std::unique_ptr<Input> rest)
      : Input(rest->name()), front_(std::move(front)), rest_(std::move(rest)) {}
  std::size_t read(std::span<std::byte> out) override {
    if (given_ == front_.size()) return rest_->read(out);
    const std::size_t count = std::min(out.size(), front_.size() - given_);
    std::memcpy(out.data(), front_.data() + given_, count);
    given_ += count;
    return count;
  }
  Index size() const override { return rest_->size(); }
  Index position() const override {
    return rest_->position() - static_cast<Index>(front_.size() - given_);
  }

 private:
  Bytes front_;
  std::size_t given_ = 0;
  std::unique_ptr<Input> rest_;
};

}  // namespace

std::unique_ptr<Input> memory_input(std::span<const std::byte> bytes, std::string name) {
  return std::make_unique<MemoryInput>(bytes, std::move(name));
}

std::unique_ptr<Input> rewound(Bytes front, std::unique_ptr<Input> rest) {
  if (front.empty()) return rest;
  return std::make_unique<Rewound>(std::move(front), std::move(rest));
}

std::unique_ptr<Input> unpacked(std::unique_ptr<Input> input) {
  constexpr std::size_t kMagicSize = 4;
  Bytes front(kMagicSize);
  front.resize(read_full(*input, front));
  const bool gzip = is_gzip(front), zstd = is_zstd(front);
  input = rewound(std::move(front), std::move(input));
  if (gzip) return gzip_input(std::move(input));
  if (zstd) return zstd_input(std::move(input));
  return input;
}

std::unique_ptr<Input> open_input(const std::string& path) {
  return unpacked(std::make_unique<FileInput>(path));
}

std::size_t read_full(Input& input, std::span<std::byte> out) {
  std::size_t used = 0;
  while (used < out.size()) {
    const std::size_t got = input.read(out.subspan(used));
    if (got == 0) break;
    used += got;
  }
  return used;
}

Bytes read_rest(Input& input, Index limit) {
  constexpr std::size_t kLeast = std::size_t{1} << 16;
  const auto refuse = [&](Code code, const std::string& what) {
    throw InputError(code, {.file = input.name()}, what,
                     "Use a smaller file, or a format that is read piece by piece: CSV or NPY.");
  };
  // What is left of a plain file is known: one allocation, and one more byte to see the end.
  const Index left = input.size() < 0 ? 0 : std::max<Index>(0, input.size() - input.position());
  try {
    Bytes bytes(usize(std::min(left, limit)) + 1);
    for (std::size_t used = 0;;) {
      const std::size_t got = read_full(input, std::span(bytes).subspan(used));
      used += got;
      if (used > usize(limit)) {
        refuse(Code::kBadFile,
               fmt::format("has more than {} bytes, the most that is taken", limit));
      }
      if (used < bytes.size()) {
        bytes.resize(used);
        return bytes;
      }
      bytes.resize(std::min(std::max(kLeast, 2 * used), usize(limit) + 1));
    }
  } catch (const std::bad_alloc&) {
    refuse(Code::kOutOfMemory, "does not fit into memory");
  }
  return {};
}

}  // namespace craton
