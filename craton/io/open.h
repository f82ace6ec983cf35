#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "craton/core/exec.h"
#include "craton/core/source.h"

// A data file as a Source, whatever its format and size.

namespace craton {

enum class Header { kSniff, kYes, kNo };

struct ReadOptions {
  std::string format;  // "" : by content and name; else csv, tsv, npy, npz, libsvm, idx, mtx, jsonl
  Header header = Header::kSniff;
  char delimiter = 0;                                     // 0: sniffed
  std::vector<std::pair<std::string, ColumnKind>> kinds;  // --schema: wins over what is guessed
  std::string temporary_folder;                           // "" : the system's
  Index memory = Index{64} << 20;  // parsed tables larger than this are spooled to a file there
};

struct OpenedTable {
  std::unique_ptr<Source> source;  // numbers and categories; its schema says which
  std::vector<Note> notes;         // what was left out, and why
  std::string guess;               // one line: "CSV, ',', header, 400 rows: 2 numbers, 1 category"
};

// "-" is the standard input. Text is parsed once, in parallel; numbers of a text column, categories
// as codes (levels sorted), missing values as NaN.
OpenedTable open_table(const std::string& path, const ReadOptions& options, const Exec& exec);

}  // namespace craton
