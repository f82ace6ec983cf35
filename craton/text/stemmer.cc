#include "craton/text/stemmer.h"

#include <libstemmer.h>

#include <algorithm>
#include <new>

#include "craton/base/error.h"

namespace craton {

std::vector<std::string> stemmer_names() {
  std::vector<std::string> names;
  for (const char** name = sb_stemmer_list(); *name != nullptr; ++name) names.emplace_back(*name);
  std::sort(names.begin(), names.end());
  return names;
}

Stemmer::Stemmer(std::string_view name) {
  const std::vector<std::string> names = stemmer_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    const std::string near = did_you_mean(name, names);
    throw InputError(
        Code::kBadOption, {}, {"{}, but there is no such stemmer", Ref::option("stemmer", name)},
        {"{}{}The stemmers are: {}.", near, near.empty() ? "" : " ", listed(names, names.size())});
  }
  stemmer_.reset(sb_stemmer_new(std::string(name).c_str(), "UTF_8"));
  if (!stemmer_) throw std::bad_alloc();
}

void Stemmer::Close::operator()(void* stemmer) const {
  sb_stemmer_delete(static_cast<sb_stemmer*>(stemmer));
}

std::string_view Stemmer::stem(std::string_view word) {
  if (word.empty() || word.size() > kLongest) return word;
  auto* stemmer = static_cast<sb_stemmer*>(stemmer_.get());
  const sb_symbol* stem = sb_stemmer_stem(stemmer, reinterpret_cast<const sb_symbol*>(word.data()),
                                          static_cast<int>(word.size()));
  if (stem == nullptr) throw std::bad_alloc();
  return {reinterpret_cast<const char*>(stem),
          static_cast<std::size_t>(sb_stemmer_length(stemmer))};
}

}  // namespace craton
