#include "craton/io/input.h"

#include <span>

#include "tests/fuzz/fuzz.h"

using namespace craton;

// gzip and zstd, unpacked as far as 1 MB.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::refused_or_read(ErrorKind::kData, [&] {
    const auto input = unpacked(memory_input(std::as_bytes(std::span(data, size)), "fuzz.gz"));
    read_rest(*input, 1 << 20);
  });
  return 0;
}
