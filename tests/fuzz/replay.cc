#include <filesystem>

#include "craton/base/files.h"
#include "tests/fuzz/fuzz.h"

// replay_csv FOLDER: gives every file of a corpus to the target, without libFuzzer.

int main(int argc, char** argv) {
  int files = 0;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      const craton::Bytes bytes = craton::read_file(entry.path().string());
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
      ++files;
    }
  }
  std::printf("%d files\n", files);
  return files > 0 ? 0 : 1;
}
