#pragma once
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "craton/base/matrix.h"

// Flat bytes for the wire between ranks and for comparison. (Model files: archive.h.)

namespace craton {

using Bytes = std::vector<std::byte>;

class Writer {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) { put_bytes(&value, sizeof(T)); }
  template <class T>
  void put(const std::vector<T>& values) {
    put(ssize(values));
    put_bytes(values.data(), values.size() * sizeof(T));
  }
  void put(const std::string& text) {
    put(ssize(text));
    put_bytes(text.data(), text.size());
  }
  std::span<const std::byte> bytes() const { return bytes_; }
  Bytes take() { return std::move(bytes_); }

 private:
  void put_bytes(const void* from, std::size_t size) {
    const auto* first = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), first, first + size);
  }
  Bytes bytes_;
};

// Reads what a Writer of the same program wrote; anything else is a bug and throws
// std::logic_error.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  bool done() const { return bytes_.empty(); }

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void get(T& value) { get_bytes(&value, sizeof(T)); }
  template <class T>
  void get(std::vector<T>& values) {
    values.resize(get_size(sizeof(T)));
    get_bytes(values.data(), values.size() * sizeof(T));
  }
  void get(std::string& text) {
    text.resize(get_size(1));
    get_bytes(text.data(), text.size());
  }

 private:
  std::size_t get_size(std::size_t element) {
    Index size = 0;
    get(size);
    if (size < 0 || usize(size) > bytes_.size() / element) throw std::logic_error("bad message");
    return usize(size);
  }
  void get_bytes(void* to, std::size_t size) {
    if (size > bytes_.size()) throw std::logic_error("short message");
    if (size > 0) std::memcpy(to, bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
  }
  std::span<const std::byte> bytes_;
};

}  // namespace craton
