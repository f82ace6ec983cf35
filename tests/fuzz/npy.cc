#include "craton/io/npy.h"

#include <span>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/well_formed_table.h"

using namespace craton;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::refused_or_read(ErrorKind::kData, [&] {
    fuzz::check_table(parse_npy(std::as_bytes(std::span(data, size)), "fuzz.npy"));
  });
  return 0;
}
