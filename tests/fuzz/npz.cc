#include "craton/io/npz.h"

#include "tests/fuzz/parse_input.h"

using namespace craton;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::parse_input(data, size, [](Input& input) { return parse_npz(input); });
}
