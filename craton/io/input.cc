#include "craton/io/input.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "craton/base/error.h"
#include "craton/base/files.h"
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

class ReadTwice::First final : public Input {
 public:
  First(ReadTwice& all, std::unique_ptr<Input> input)
      : Input(input->name()), all_(&all), input_(std::move(input)) {}
  std::size_t read(std::span<std::byte> out) override {
    const std::size_t count = input_->read(out);
    all_->keep(out.first(count));
    return count;
  }
  Index size() const override { return input_->size(); }
  Index position() const override { return input_->position(); }

 private:
  ReadTwice* all_;
  std::unique_ptr<Input> input_;
};

class ReadTwice::Second final : public Input {
 public:
  explicit Second(const ReadTwice& all) : Input(all.name_), all_(&all) {}
  std::size_t read(std::span<std::byte> out) override {
    const Index in_front = ssize(all_->front_);
    const Index end = at_ < in_front ? in_front : all_->size_;
    const Index count = std::min(static_cast<Index>(out.size()), end - at_);
    if (at_ < in_front) {
      std::copy_n(all_->front_.begin() + at_, count, out.begin());
    } else if (count > 0) {
      all_->rest_->read_at(at_ - in_front, out.first(usize(count)));
    }
    at_ += count;
    return usize(count);
  }
  Index size() const override { return all_->size_; }
  Index position() const override { return at_; }

 private:
  const ReadTwice* all_;
  Index at_ = 0;
};

ReadTwice::ReadTwice(std::string folder, Index in_memory)
    : folder_(std::move(folder)), in_memory_(in_memory) {}
ReadTwice::~ReadTwice() = default;

std::unique_ptr<Input> ReadTwice::first(std::unique_ptr<Input> input) {
  name_ = input->name();
  return std::make_unique<First>(*this, std::move(input));
}

std::unique_ptr<Input> ReadTwice::second() const {
  return full_ ? nullptr : std::make_unique<Second>(*this);
}

// A disk that is full is no reason to stop: few texts are read twice.
void ReadTwice::keep(std::span<const std::byte> bytes) {
  if (full_) return;
  const Index room = std::max<Index>(0, in_memory_ - ssize(front_));
  const std::span<const std::byte> here =
      rest_ == nullptr ? bytes.first(std::min(bytes.size(), usize(room))) : bytes.first(0);
  front_.insert(front_.end(), here.begin(), here.end());
  size_ += ssize(here);
  const std::span<const std::byte> more = bytes.subspan(here.size());
  if (more.empty()) return;
  try {
    if (rest_ == nullptr) rest_ = std::make_unique<ScratchFile>(folder_);
    rest_->write_at(size_ - ssize(front_), more);
    size_ += ssize(more);
  } catch (const InputError&) {
    full_ = true;
    front_ = {};
    rest_.reset();
  }
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
