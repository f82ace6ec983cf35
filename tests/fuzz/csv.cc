#include "craton/io/csv.h"

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/well_formed_table.h"

using namespace craton;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::refused_or_read(ErrorKind::kData, [&] {
    fuzz::check_table(parse_csv(fuzz::text_of(data, size), "fuzz.csv"));
  });
  return 0;
}
