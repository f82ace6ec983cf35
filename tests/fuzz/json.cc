#include "craton/base/json.h"

#include "tests/fuzz/fuzz.h"

using namespace craton;

// What is read is written so that it reads back as the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::refused_or_read(ErrorKind::kData, [&] {
    const Json json = parse_json(fuzz::text_of(data, size), "fuzz");
    if (!(parse_json(write_json(json), "again") == json)) fuzz::fail("not the same again");
    if (!(parse_json(write_json(json, 2), "again") == json)) fuzz::fail("not the same, indented");
  });
  return 0;
}
