#include "craton/io/documents.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "craton/base/error.h"
#include "craton/engine/tasks.h"
#include "craton/engine/workers.h"
#include "craton/io/encoding.h"
#include "craton/io/lines.h"
#include "craton/tables/row_groups.h"

// Files are read beside each other, in groups of about a megabyte; documents beyond
// ReadOptions::memory lie in a file.

namespace craton {
namespace {

namespace fs = std::filesystem;

constexpr Index kGroupBytes = Index{1} << 20;
constexpr Index kLongestDocument = Index{1} << 30;

struct Found {
  std::vector<std::pair<std::string, Index>> files;  // under the root, by path; their bytes
  Index hidden = 0, links = 0, others = 0;
};

[[noreturn]] void fail_to_read(const std::string& path, const std::string& why) {
  throw InputError(Code::kBadFile, {.file = path}, fmt::format("it cannot be read: {}", why),
                   "Look at its permissions.");
}

Found find_files(const std::string& root) {
  Found found;
  std::error_code error;
  for (fs::recursive_directory_iterator at(root, error), end; !error && at != end;
       at.increment(error)) {
    const fs::path relative = at->path().lexically_relative(root);
    std::error_code ignored;
    if (relative.filename().string().starts_with('.')) {
      if (at->is_directory(ignored)) at.disable_recursion_pending();
      ++found.hidden;
    } else if (at->is_symlink(ignored) && at->is_directory(ignored)) {
      ++found.links;
    } else if (at->is_regular_file(ignored)) {
      found.files.emplace_back(relative.generic_string(),
                               static_cast<Index>(at->file_size(ignored)));
    } else if (!at->is_directory(ignored)) {
      ++found.others;
    }
  }
  if (error) fail_to_read(root, error.message());
  std::sort(found.files.begin(), found.files.end());
  return found;
}

std::string folder_of(const std::string& file) {
  const std::size_t slash = file.rfind('/');
  return slash == file.npos ? "" : file.substr(0, slash);
}

std::string read_document(const std::string& path, const ReadOptions& options) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes;
  if (file) bytes.assign(std::istreambuf_iterator<char>(file), {});
  if (!file.is_open() || file.bad()) fail_to_read(path, "the system refuses to");
  if (ssize(bytes) > kLongestDocument) {
    throw InputError(Code::kBadFile, {.file = path},
                     fmt::format("a document longer than {} MB", kLongestDocument >> 20),
                     "Cut it into parts.");
  }
  return decoded(std::move(bytes), options.encoding, path);
}

void note_passed_over(const Found& found, std::vector<Note>& notes) {
  const auto note = [&](Index count, const char* one, const char* many) {
    if (count > 0) {
      notes.push_back(
          {"passed-over", fmt::format("passed over {} {}", count, count == 1 ? one : many)});
    }
  };
  note(found.hidden, "name that begins with a dot", "names that begin with a dot");
  note(found.links, "link to a folder", "links to folders");
  note(found.others, "thing that is no file", "things that are no files");
}

// The groups as a table: labels, if there are any, and texts.
OpenedTable table_of(std::unique_ptr<RowGroups> groups, std::vector<std::string> labels,
                     const std::string& name, std::string_view format) {
  Schema schema;
  std::vector<GroupColumn> columns;
  if (!labels.empty()) {
    schema.columns.push_back({"label", ColumnKind::kCategory, std::move(labels)});
    columns.push_back({.from = 0, .may_miss = false});
  }
  schema.texts.push_back({"text", ColumnKind::kText});
  OpenedTable table;
  table.guess =
      fmt::format("{}, {} document{}", format, groups->rows(), groups->rows() == 1 ? "" : "s");
  table.source = std::make_unique<GroupedSource>(std::move(groups), std::move(columns),
                                                 std::move(schema), name);
  table.in_file = table.source->schema().columns;
  table.in_file.push_back({"text", ColumnKind::kText});
  return table;
}

}  // namespace

OpenedTable open_folder(const std::string& path, const ReadOptions& options, const Exec& exec) {
  const Found found = find_files(path);
  if (found.files.empty()) {
    throw InputError(Code::kNoRows, {.file = path}, "the folder has no files",
                     "A file is a document; folders in it are labels.");
  }
  std::map<std::string, double> codes;
  for (const auto& [file, bytes] : found.files) codes[folder_of(file)];
  std::vector<std::string> labels;
  for (auto& [label, code] : codes) {
    code = static_cast<double>(labels.size());
    labels.push_back(label.empty() ? "." : label);
  }
  if (labels.size() == 1) labels.clear();
  auto groups = std::make_unique<RowGroups>(labels.empty() ? 0 : 1, 1, options.memory,
                                            options.temporary_folder);
  struct Worker {
    std::size_t first = 0, last = 0;
  };
  std::vector<Worker> workers(usize(worker_count(exec)));
  std::size_t next = 0;
  const auto cut = [&](Task task) {
    Worker& worker = workers[usize(task.worker)];
    worker.first = next;
    for (Index bytes = 0; next < found.files.size() && bytes < kGroupBytes; ++next) {
      bytes += found.files[next].second;
    }
    worker.last = next;
    return worker.first < worker.last;
  };
  const auto read = [&](Task task) {
    const Worker& worker = workers[usize(task.worker)];
    std::vector<double> values;
    std::vector<TextArray> texts(1);
    for (std::size_t i = worker.first; i < worker.last; ++i) {
      const std::string& file = found.files[i].first;
      texts[0].add(read_document((fs::path(path) / file).string(), options));
      if (!labels.empty()) values.push_back(codes.at(folder_of(file)));
    }
    const Index rows = static_cast<Index>(worker.last - worker.first);
    groups->add(task.number, {.rows = rows, .lines = rows}, values, texts);
  };
  rethrow(run_until(ssize(workers) == 0 ? 1 : static_cast<int>(workers.size()), exec, cut, read));
  groups->finish(1, 0);
  OpenedTable table = table_of(std::move(groups), std::move(labels), path, "folder");
  note_passed_over(found, table.notes);
  return table;
}

OpenedTable read_document_lines(Input& input, const ReadOptions& options) {
  auto groups = std::make_unique<RowGroups>(0, 1, options.memory, options.temporary_folder);
  std::vector<TextArray> texts(1);
  Index number = 0;
  const auto flush = [&] {
    const Index rows = texts[0].rows();
    groups->add(number++, {.rows = rows, .lines = rows}, {}, texts);
    texts[0].clear();
  };
  LineReader lines(input);
  for (std::string_view line; lines.next(line);) {
    check_utf8(line, input.name(), lines.line());
    texts[0].add(line);
    if (ssize(texts[0].bytes) + texts[0].rows() * 8 >= kGroupBytes) flush();
  }
  flush();
  groups->finish(1, 0);
  if (groups->rows() == 0) {
    throw InputError(Code::kNoRows, {.file = input.name()}, "the file has no lines",
                     "A line is a document.");
  }
  return table_of(std::move(groups), {}, input.name(), "lines");
}

}  // namespace craton
