#include "craton/io/unpack.h"

#include <fmt/core.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <new>

#include "craton/base/error.h"

namespace craton {
namespace {

constexpr std::size_t kPackedStep = std::size_t{1}
                                    << 16;  // bytes taken from the packed file at a time

// What both formats share: the packed bytes at hand, and the watch for bombs.
class Unpacker : public Input {
 public:
  explicit Unpacker(std::unique_ptr<Input> packed)
      : Input(packed->name()), packed_(std::move(packed)), buffer_(kPackedStep) {}
  Index size() const override { return -1; }
  Index position() const override { return packed_->position() - ssize(rest_); }

  std::size_t read(std::span<std::byte> out) final {
    if (out.empty()) return 0;
    const std::size_t count = unpack(out);
    unpacked_ += static_cast<Index>(count);
    const Index whole = std::max(packed_->size(), packed_->position());
    if (unpacked_ > kMaxUnpacked && unpacked_ / kMaxRatio > whole) {
      fail(fmt::format("unpacks to more than {} GiB and more than {} times its size",
                       kMaxUnpacked >> 30, kMaxRatio),
           "If you trust it, unpack it first and give the unpacked file.");
    }
    return count;
  }

 protected:
  virtual std::size_t unpack(std::span<std::byte> out) = 0;

  // False at the end of the packed file.
  bool refill() {
    if (!rest_.empty()) return true;
    rest_ = std::span(buffer_).first(packed_->read(buffer_));
    return !rest_.empty();
  }
  void drop(std::size_t count) { rest_ = rest_.subspan(count); }

  [[noreturn]] void fail(const std::string& what, const std::string& fix) const {
    throw InputError(Code::kBadFile, {.file = name()}, what, fix);
  }
  [[noreturn]] void fail_cut(std::string_view format) const {
    fail(fmt::format("these {} data are cut short", format),
         "Copy or download the file again, whole.");
  }
  [[noreturn]] void fail_damaged(std::string_view format, std::string_view why) const {
    fail(fmt::format("these {} data are damaged: {} near byte {}", format, why, position()),
         "Copy or download the file again.");
  }

  std::span<const std::byte> rest_;  // of the buffer: not unpacked yet

 private:
  std::unique_ptr<Input> packed_;
  Bytes buffer_;
  Index unpacked_ = 0;
};

class GzipInput final : public Unpacker {
 public:
  explicit GzipInput(std::unique_ptr<Input> packed) : Unpacker(std::move(packed)) {
    constexpr int kGzipOnly = 16;  // zlib's way to ask for gzip's header and checksum
    if (::inflateInit2(&stream_, kGzipOnly + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~GzipInput() override { ::inflateEnd(&stream_); }

 private:
  std::size_t unpack(std::span<std::byte> out) override {
    const std::size_t most = std::min<std::size_t>(out.size(), std::numeric_limits<uInt>::max());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(most);
    while (stream_.avail_out == most) {
      if (!refill()) {
        if (state_ == State::kInside) fail_cut("gzip");
        return 0;
      }
      if (state_ != State::kInside && !start_member()) continue;
      inflate();
    }
    return most - stream_.avail_out;
  }

  // Behind a member: another one, or zeros to the end, as tapes have them.
  bool start_member() {
    constexpr std::byte kFirst{0x1f};
    if (state_ == State::kBetween && rest_[0] == kFirst) {
      ::inflateReset(&stream_);
      state_ = State::kInside;
      return true;
    }
    const auto other =
        std::find_if(rest_.begin(), rest_.end(), [](std::byte b) { return b != std::byte{0}; });
    if (other != rest_.end()) fail_damaged("gzip", "other bytes follow the last member");
    state_ = State::kPadding;
    drop(rest_.size());
    return false;
  }

  void inflate() {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(rest_.data()));
    stream_.avail_in = static_cast<uInt>(rest_.size());  // at most kPackedStep
    const int result = ::inflate(&stream_, Z_NO_FLUSH);
    drop(rest_.size() - stream_.avail_in);
    if (result == Z_STREAM_END) {
      state_ = State::kBetween;
    } else if (result == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (result != Z_OK && result != Z_BUF_ERROR) {  // that one only asks for more bytes
      fail_damaged("gzip", stream_.msg == nullptr ? "not what gzip writes" : stream_.msg);
    }
  }

  enum class State { kInside, kBetween, kPadding };
  State state_ = State::kInside;
  z_stream stream_{};
};

class ZstdInput final : public Unpacker {
 public:
  explicit ZstdInput(std::unique_ptr<Input> packed)
      : Unpacker(std::move(packed)), stream_(::ZSTD_createDStream(), ::ZSTD_freeDStream) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }

 private:
  // The library goes from frame to frame by itself, and refuses windows beyond 128 MiB.
  std::size_t unpack(std::span<std::byte> out) override {
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    while (to.pos == 0) {
      const bool more = refill();
      if (!more && !inside_) return 0;
      ZSTD_inBuffer from{rest_.data(), rest_.size(), 0};
      const std::size_t result = ::ZSTD_decompressStream(stream_.get(), &to, &from);
      drop(from.pos);
      if (::ZSTD_isError(result) != 0) fail_damaged("zstd", ::ZSTD_getErrorName(result));
      inside_ = result != 0;
      if (!more && to.pos == 0 && inside_) fail_cut("zstd");
    }
    return to.pos;
  }

  std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream_;
  bool inside_ = false;  // a frame
};

}  // namespace

bool is_gzip(std::span<const std::byte> front) {
  constexpr std::array kMagic{std::byte{0x1f}, std::byte{0x8b}};
  return front.size() >= kMagic.size() && std::equal(kMagic.begin(), kMagic.end(), front.begin());
}

bool is_zstd(std::span<const std::byte> front) {
  if (front.size() < 4) return false;
  constexpr std::array kMagic{std::byte{0x28}, std::byte{0xb5}, std::byte{0x2f}, std::byte{0xfd}};
  if (std::equal(kMagic.begin(), kMagic.end(), front.begin())) return true;
  constexpr std::array kSkippable{std::byte{0x2a}, std::byte{0x4d}, std::byte{0x18}};
  return (front[0] & std::byte{0xf0}) == std::byte{0x50} &&
         std::equal(kSkippable.begin(), kSkippable.end(), front.begin() + 1);
}

std::unique_ptr<Input> gzip_input(std::unique_ptr<Input> packed) {
  return std::make_unique<GzipInput>(std::move(packed));
}
std::unique_ptr<Input> zstd_input(std::unique_ptr<Input> packed) {
  return std::make_unique<ZstdInput>(std::move(packed));
}

}  // namespace craton
