#pragma once
#include <memory>
#include <span>

#include "craton/io/input.h"

// Compressed bytes as an Input of what they hold. gzip: RFC 1952; zstd: RFC 8878.

namespace craton {

// By the first four bytes of a file.
bool is_gzip(std::span<const std::byte> front);
bool is_zstd(std::span<const std::byte> front);

// Throw InputError (kBadFile) as they are read: damaged, cut short, a bomb (see kMaxRatio), other
// bytes behind the last member or frame. gzip's padding with zeros is let pass.
std::unique_ptr<Input> gzip_input(std::unique_ptr<Input> packed);
std::unique_ptr<Input> zstd_input(std::unique_ptr<Input> packed);

}  // namespace craton
