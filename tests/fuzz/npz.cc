#include "craton/io/npz.h"

#include "tests/fuzz/parse_input.h"

using namespace craton;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::parse_input(data, size, [](Input& input) {
    try {
      return parse_npz(input);
    } catch (const InputError& error) {  // several arrays: the user is asked to choose
      if (error.kind() != ErrorKind::kUsage) throw;
      return Table{.schema = {}, .x = {{0, 0}, {}}};
    }
  });
}
