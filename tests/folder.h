#pragma once
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace craton {

// A folder for the files of one test, gone when the test ends.
class Folder {
 public:
  Folder() {
    path_ = (std::filesystem::temp_directory_path() / "craton-test-XXXXXX").string();
    REQUIRE(::mkdtemp(path_.data()) != nullptr);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace craton
