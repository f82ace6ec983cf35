#include "craton/io/zip.h"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <new>
#include <set>

#include "craton/base/error.h"
#include "craton/io/input.h"

namespace craton {
namespace {

constexpr std::uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50,
                        kEnd64 = 0x06064b50, kLocator64 = 0x07064b50;
constexpr std::uint64_t kIn64 = 0xffffffff;  // "look into the 64-bit extra field"
constexpr std::size_t kEndSize = 22, kLocatorSize = 20, kEnd64Size = 56;
constexpr unsigned kEncrypted = 1, kDescriptorFollows = 8;

class Archive {
 public:
  Archive(std::span<const std::byte> bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  std::vector<ZipMember> members() {
    find_directory();
    std::vector<ZipMember> members;
    std::set<std::string> names;
    for (std::uint64_t i = 0; i < count_; ++i) {
      members.push_back(next_member());
      if (!names.insert(members.back().name).second) {
        fail(fmt::format("it has two members '{}'", members.back().name));
      }
    }
    if (at_ != directory_end_) fail("its directory has more than the members it counts");
    check_overlap();
    return members;
  }

 private:
  struct Extent {
    std::uint64_t first, last;
  };

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(Code::kBadFile, {.file = file_}, "this archive is not taken: " + what,
                     "Write it again with numpy.savez.");
  }

  // `size` bytes at `at`, little-endian. Every read of the archive comes through here.
  std::uint64_t number(std::uint64_t at, unsigned size) const {
    check_inside(at, size);
    std::uint64_t value = 0;
    for (unsigned i = 0; i < size; ++i) {
      value |= std::to_integer<std::uint64_t>(bytes_[at + i]) << (8 * i);
    }
    return value;
  }
  std::string text(std::uint64_t at, std::uint64_t size) const {
    check_inside(at, size);
    return {reinterpret_cast<const char*>(bytes_.data()) + at, size};
  }
  void check_inside(std::uint64_t at, std::uint64_t size) const {
    if (at > bytes_.size() || size > bytes_.size() - at) fail("it is cut short, or damaged");
  }

  // The end record is the last thing but a comment, whose length must lead to the very end.
  std::uint64_t find_end() const {
    constexpr std::size_t kLongestComment = 65535;
    if (bytes_.size() < kEndSize) fail("it is cut short");
    const std::size_t last = bytes_.size() - kEndSize;
    for (std::size_t back = 0; back <= std::min(last, kLongestComment); ++back) {
      if (number(last - back, 4) == kEnd && number(last - back + 20, 2) == back) return last - back;
    }
    fail("it is cut short: the record that ends it is missing");
  }

  void find_directory() {
    const std::uint64_t end = find_end();
    std::uint64_t size = number(end + 12, 4), disks = number(end + 4, 2) | number(end + 6, 2);
    std::uint64_t behind = end;  // of the directory
    count_ = number(end + 10, 2);
    at_ = number(end + 16, 4);
    std::uint64_t on_this_disk = number(end + 8, 2);
    if (count_ == 0xffff || size == kIn64 || at_ == kIn64) {
      if (end < kLocatorSize || number(end - kLocatorSize, 4) != kLocator64) {
        fail("its 64-bit sizes are missing");
      }
      const std::uint64_t end64 = number(end - kLocatorSize + 8, 8);
      if (number(end64, 4) != kEnd64 || end64 > end - kLocatorSize ||
          end - kLocatorSize - end64 != kEnd64Size) {
        fail("its 64-bit sizes are damaged");
      }
      disks |= number(end64 + 16, 4) | number(end64 + 20, 4);
      on_this_disk = number(end64 + 24, 8);
      count_ = number(end64 + 32, 8);
      size = number(end64 + 40, 8);
      at_ = number(end64 + 48, 8);
      behind = end64;
    }
    if (disks != 0 || on_this_disk != count_) fail("it spans several disks");
    if (at_ > behind || size != behind - at_) fail("its directory is not where it says");
    directory_ = at_;
    directory_end_ = behind;
  }

  ZipMember next_member() {
    constexpr std::uint64_t kSize = 46;
    if (directory_end_ - at_ < kSize || number(at_, 4) != kCentral)
      fail("its directory is damaged");
    const std::uint64_t flags = number(at_ + 8, 2), method = number(at_ + 10, 2);
    const std::uint64_t name_size = number(at_ + 28, 2), extra_size = number(at_ + 30, 2);
    const std::uint64_t next = at_ + kSize + name_size + extra_size + number(at_ + 32, 2);
    if (next > directory_end_) fail("its directory is damaged");
    ZipMember member;
    member.name = text(at_ + kSize, name_size);
    member.checksum = static_cast<std::uint32_t>(number(at_ + 16, 4));
    std::uint64_t packed = number(at_ + 20, 4), unpacked = number(at_ + 24, 4);
    std::uint64_t local = number(at_ + 42, 4);
    read_extra64(at_ + kSize + name_size, extra_size, {&unpacked, &packed, &local});
    if (number(at_ + 34, 2) != 0) fail("it spans several disks");
    at_ = next;

    check_name(member.name);
    if ((flags & kEncrypted) != 0) fail(fmt::format("'{}' is encrypted", member.name));
    if (method != 0 && method != 8) {
      fail(fmt::format("'{}' is packed by method {}; stored and deflate are known", member.name,
                       method));
    }
    member.deflated = method == 8;
    member.packed = data_of(member, local, packed, unpacked, flags);
    check_sizes(member.name, member.deflated, packed, unpacked);
    member.unpacked_size = static_cast<Index>(unpacked);
    return member;
  }

  // Each of the values that is saturated stands in the extra field 1, in this order.
  void read_extra64(std::uint64_t at, std::uint64_t size,
                    std::initializer_list<std::uint64_t*> values) const {
    const std::uint64_t end = at + size;
    if (std::none_of(values.begin(), values.end(), [](auto* v) { return *v == kIn64; })) return;
    while (end - at >= 4) {
      const std::uint64_t id = number(at, 2), length = number(at + 2, 2);
      at += 4;
      if (length > end - at) break;
      if (id != 1) {
        at += length;
        continue;
      }
      std::uint64_t left = length;
      for (std::uint64_t* value : values) {
        if (*value != kIn64) continue;
        if (left < 8) fail("its 64-bit sizes are damaged");
        *value = number(at, 8);
        at += 8;
        left -= 8;
      }
      return;
    }
    fail("its 64-bit sizes are missing");
  }

  // Archives are never unpacked to disk, but one that tries is not an honest one.
  void check_name(const std::string& name) const {
    const bool leads_out = name.starts_with('/') || name.find("..") != name.npos ||
                           name.find_first_of(std::string_view("\\\0:", 3)) != name.npos;
    if (name.empty() || leads_out) {
      fail("a member has the name '" + name.substr(0, name.find('\0')) + "'");
    }
  }

  void check_sizes(const std::string& name, bool deflated, std::uint64_t packed,
                   std::uint64_t unpacked) const {
    if (!deflated && packed != unpacked) fail(fmt::format("the sizes of '{}' differ", name));
    if (unpacked > usize(kMaxUnpacked) && unpacked / usize(kMaxRatio) > packed) {
      fail(fmt::format("'{}' unpacks to more than {} GiB and more than {} times its size", name,
                       kMaxUnpacked >> 30, kMaxRatio));
    }
    if (unpacked > std::uint64_t{std::numeric_limits<Index>::max()}) fail("a size is beyond 2^63");
  }

  std::span<const std::byte> data_of(const ZipMember& member, std::uint64_t local,
                                     std::uint64_t packed, std::uint64_t unpacked,
                                     std::uint64_t flags) {
    constexpr std::uint64_t kSize = 30;
    const std::string differs =
        fmt::format("the header of '{}' contradicts the directory", member.name);
    if (number(local, 4) != kLocal) fail(differs);
    const std::uint64_t name_size = number(local + 26, 2), extra_size = number(local + 28, 2);
    const std::uint64_t start = local + kSize + name_size + extra_size;
    if (text(local + kSize, name_size) != member.name) fail(differs);
    if ((number(local + 8, 2) == 8) != member.deflated || number(local + 6, 2) != flags) {
      fail(differs);
    }
    check_inside(start, 0);
    std::uint64_t local_packed = number(local + 18, 4), local_unpacked = number(local + 22, 4);
    read_extra64(start - extra_size, extra_size, {&local_unpacked, &local_packed});
    const bool later = (flags & kDescriptorFollows) != 0 && local_packed == 0;
    if (!later && (local_packed != packed || local_unpacked != unpacked)) fail(differs);
    if (start > directory_ || packed > directory_ - start) {
      fail(fmt::format("the data of '{}' are not inside it", member.name));
    }
    extents_.push_back({local, start + packed});
    return bytes_.subspan(start, packed);
  }

  void check_overlap() {
    std::sort(extents_.begin(), extents_.end(),
              [](const Extent& a, const Extent& b) { return a.first < b.first; });
    for (std::size_t i = 1; i < extents_.size(); ++i) {
      if (extents_[i].first < extents_[i - 1].last) fail("two of its members overlap");
    }
  }

  std::span<const std::byte> bytes_;
  const std::string& file_;
  std::uint64_t count_ = 0, at_ = 0, directory_ = 0, directory_end_ = 0;
  std::vector<Extent> extents_;
};

[[noreturn]] void fail_damaged(const ZipMember& member, const std::string& file) {
  throw InputError(Code::kBadFile, {.file = file},
                   fmt::format("the member '{}' is damaged", member.name),
                   "Copy or download the file again.");
}

// Memory follows what is unpacked, not what the archive claims.
Bytes inflate(const ZipMember& member, const std::string& file) {
  z_stream stream{};
  if (::inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, ::inflateEnd);
  constexpr std::size_t kStep = std::size_t{1} << 16, kMost = std::size_t{1} << 30;
  const std::size_t size = usize(member.unpacked_size);
  Bytes bytes;
  std::size_t used = 0, given = 0;
  for (int result = Z_OK; result != Z_STREAM_END;) {
    if (stream.avail_in == 0 && given < member.packed.size()) {
      const std::size_t more = std::min(kMost, member.packed.size() - given);
      stream.next_in =
          reinterpret_cast<Bytef*>(const_cast<std::byte*>(member.packed.data() + given));
      stream.avail_in = static_cast<uInt>(more);
      given += more;
    }
    if (used == bytes.size()) bytes.resize(std::min(size, 2 * used + kStep));
    const std::size_t room = std::min(kMost, bytes.size() - used);
    stream.next_out = reinterpret_cast<Bytef*>(bytes.data() + used);
    stream.avail_out = static_cast<uInt>(room);
    result = ::inflate(&stream, Z_NO_FLUSH);
    used += room - stream.avail_out;
    const bool stuck = result == Z_BUF_ERROR || (room == 0 && result == Z_OK);
    if ((result != Z_OK && result != Z_STREAM_END) || stuck) fail_damaged(member, file);
  }
  if (used != size || stream.avail_in != 0 || given != member.packed.size()) {
    fail_damaged(member, file);
  }
  return bytes;
}

}  // namespace

std::vector<ZipMember> read_zip(std::span<const std::byte> archive, const std::string& file) {
  return Archive(archive, file).members();
}

Bytes unpack(const ZipMember& member, const std::string& file) {
  Bytes bytes =
      member.deflated ? inflate(member, file) : Bytes(member.packed.begin(), member.packed.end());
  const auto sum = ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  if (static_cast<std::uint32_t>(sum) != member.checksum) fail_damaged(member, file);
  return bytes;
}

}  // namespace craton
