#pragma once
#include <span>
#include <string>
#include <string_view>

#include "craton/base/source.h"
#include "craton/io/input.h"
#include "craton/io/open.h"
#include "craton/io/sink.h"

// The one table of data formats.

namespace craton {

// How sure the first bytes of a file are.
enum class Tell {
  kMagic,  // nothing else starts so: they win over the name of the file
  kLook,   // text that looks so: the name of the file wins
  kName,   // not at all
};

// A file that was opened to tell its format.
struct OpenFile {
  std::string path;              // "-": the standard input
  std::string array;             // of an archive; "": not said
  std::unique_ptr<Input> input;  // from its front
  const ReadOptions& options;
  const Exec& exec;
};

struct Format {
  std::string_view name;        // as in --from and --to
  std::string_view extensions;  // with blanks between; the first is the usual one
  Tell tell;
  bool (*matches)(std::string_view front);  // the first bytes of a file, up to kFrontSize; or null
  OpenedTable (*open)(OpenFile& file);
  void (*write)(Source& source, Sink sink);  // null: it is only read
  bool keeps_names, keeps_levels;            // of columns and categories, when it is written
};
std::span<const Format> formats();

inline constexpr std::size_t kFrontSize = 4096;

// By name. InputError (kUnknownName) with a near one.
const Format& find_format(std::string_view name);

// Of a file to read: by its first bytes where they are sure, by its name (without .gz and .zst),
// by its looks, and otherwise CSV. InputError (kBadFile) for what is something else for sure.
const Format& format_of(const std::string& path, std::span<const std::byte> front);

// Of a file to write, by its name. InputError (kBadOption) when that says nothing.
const Format& format_to_write(const std::string& path);

}  // namespace craton
