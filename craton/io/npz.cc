#include "craton/io/npz.h"

#include <fmt/core.h>

#include "craton/base/error.h"
#include "craton/io/npy.h"
#include "craton/io/zip.h"

namespace craton {
namespace {

constexpr Index kMostArchive = Index{1} << 40;  // a terabyte: beyond any memory
constexpr std::string_view kSuffix = ".npy";

const ZipMember& choose(const std::vector<ZipMember>& members, const std::string& array,
                        const std::string& file) {
  std::vector<std::string> names;
  const ZipMember* chosen = nullptr;
  for (const ZipMember& member : members) {
    if (!member.name.ends_with(kSuffix)) continue;
    names.push_back(member.name.substr(0, member.name.size() - kSuffix.size()));
    if (array.empty() || names.back() == array) chosen = &member;
  }
  if (names.empty()) {
    throw InputError(Code::kBadFile, {.file = file}, "this archive has no .npy array in it",
                     "Save arrays with numpy.savez.");
  }
  if (chosen != nullptr && (!array.empty() || names.size() == 1)) return *chosen;
  if (array.empty()) {
    throw InputError(Code::kUnknownName, {.file = file},
                     fmt::format("this file has {} arrays: {}", names.size(), listed(names, 100)),
                     fmt::format("Choose one: {}:{}", file, names.front()));
  }
  const std::string near = did_you_mean(array, names);
  throw InputError(
      Code::kUnknownName, {.file = file}, fmt::format("this file has no array '{}'", array),
      (near.empty() ? "" : near + " ") + fmt::format("It has: {}.", listed(names, 100)));
}

}  // namespace

Table parse_npz(Input& input, const std::string& array) {
  const Bytes archive = read_rest(input, kMostArchive);
  const std::vector<ZipMember> members = read_zip(archive, input.name());
  const ZipMember& member = choose(members, array, input.name());
  const std::string name = member.name.substr(0, member.name.size() - kSuffix.size());
  return parse_npy(unpack(member, input.name()), input.name() + ":" + name);
}

std::pair<std::string, std::string> split_npz_path(const std::string& path) {
  constexpr std::string_view kMark = ".npz:";
  const std::size_t at = path.rfind(kMark);
  if (at == path.npos) return {path, ""};
  return {path.substr(0, at + kMark.size() - 1), path.substr(at + kMark.size())};
}

}  // namespace craton
