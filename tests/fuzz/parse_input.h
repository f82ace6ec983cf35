#pragma once
#include <span>

#include "craton/io/input.h"
#include "tests/fuzz/well_formed_table.h"

namespace craton::fuzz {

// A table from the bytes of a file, or a refusal.
template <class Parse>
int parse_input(const std::uint8_t* data, std::size_t size, const Parse& parse) {
  refused_or_read(ErrorKind::kData, [&] {
    const auto input = memory_input(std::as_bytes(std::span(data, size)), "fuzz");
    check_table(parse(*input));
  });
  return 0;
}

}  // namespace craton::fuzz
