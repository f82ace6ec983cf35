#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// Snowball stemmers (snowballstem.org, libstemmer): "running" and "runs" become "run".

namespace craton {

std::vector<std::string> stemmer_names();  // "danish", "dutch", "english", ...

class Stemmer {
 public:
  // InputError lists the names, if there is none of this one.
  explicit Stemmer(std::string_view name);

  // The stem of a word in small letters; valid until the next. Longer words than kLongest are left
  // as they are.
  static constexpr std::size_t kLongest = 256;
  std::string_view stem(std::string_view word);

 private:
  struct Close {
    void operator()(void* stemmer) const;
  };
  std::unique_ptr<void, Close> stemmer_;
};

}  // namespace craton
