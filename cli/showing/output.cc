#include "cli/showing/output.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "craton/base/error.h"
#include "craton/base/files.h"
#include "craton/base/utf8.h"
#include "craton/io/csv_write.h"

namespace craton::cli {
namespace {

// Of several lines: all but their ends and tabs.
std::string printable_lines(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\n\t"), text.size());
    result += printable(text.substr(0, end));
    result += text.substr(end, 1);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

// A message is a line, and advice below it that is indented. A name with a line end in it begins
// no message of its own.
std::string printable_message(std::string_view text) {
  constexpr std::string_view kAdvice = "\n  ";
  const std::size_t end = text.rfind(kAdvice);
  if (end == text.npos) return printable(text);
  return printable(text.substr(0, end)) + std::string(kAdvice) +
         printable(text.substr(end + kAdvice.size()));
}

}  // namespace

bool prints_to_terminal() {
  static const bool result = ::isatty(STDOUT_FILENO) != 0;
  return result;
}

std::string name_field(std::string_view name) {
  return csv_field(prints_to_terminal() ? printable(name) : std::string(name));
}

void print(std::string_view text) {
  const std::string lines = prints_to_terminal() ? printable_lines(text) : "";
  if (prints_to_terminal()) text = lines;
  errno = 0;
  const bool done =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (done) return;
  throw InputError(Code::kCannotWrite, {.file = "stdout"}, std::strerror(errno),
                   "Free some space, or write elsewhere with -o FILE.");
}

void say(std::string_view text) {
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
  (void)std::fflush(stderr);
}

void print_json(const Json& json) { print(write_json(json, 2) + "\n"); }

void complain(std::string_view kind, std::string_view text) {
  say(fmt::format("craton: {}: {}\n", kind, printable_message(text)));
}

void complain(std::span<const Note> notes, std::string_view kind, const std::string& file) {
  const std::string start = file.empty() ? "" : printable(file) + ": ";
  std::vector<std::string> texts, ignored, columns;  // the last two: of text columns
  for (const Note& note : notes) {
    const std::vector<Ref> about = note.text.columns();
    const bool text = !about.empty() && about[0].kind == Ref::Kind::kTextColumn;
    (text ? ignored : texts).push_back(printable(note.text.plain()));
    if (text) columns.push_back(printable(about[0].quoted()));
  }
  if (ignored.size() > 1) {
    ignored = {fmt::format("ignored {} text columns: {}", columns.size(), join(columns))};
  }
  for (const std::string& text : ignored) complain(kind, start + text);
  for (const std::string& text : texts) complain(kind, start + text);
}

void save(const std::string& path, std::span<const std::byte> bytes) {
  if (path != "-") return write_file(path, bytes);
  print(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

void save(const std::string& path, const std::string& text) {
  save(path, std::as_bytes(std::span(text)));
}

void save(const std::string& path, const ResultTable& table) {
  if (path.ends_with(".json")) return save(path, write_json(to_json(table)) + "\n");
  constexpr std::size_t kPiece = std::size_t{1} << 20;  // bytes to have in memory
  std::optional<FileWriter> file;
  if (path != "-") file.emplace(path);
  std::string text = csv_header(table) + "\n";
  for (Index i = 0; i <= table.rows(); ++i) {
    if (i < table.rows()) text += csv_row(table, i) + "\n";
    if (text.size() < kPiece && i < table.rows()) continue;
    file ? file->append(text) : print(text);
    text.clear();
  }
  if (file) file->commit();
}

void check_writable(const std::string& path) {
  if (path.empty() || path == "-") return;
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == path.npos ? "." : path.substr(0, slash + 1);
  struct stat status {};
  const auto refuse = [&](const std::string& why, const std::string& fix) {
    throw InputError(Code::kCannotWrite, {.file = path}, why, fix);
  };
  if (::stat(folder.c_str(), &status) != 0 && errno == ENOTDIR) {
    refuse(fmt::format("cannot be written: '{}' is not a folder", folder),
           "Give another name or folder.");
  }
  if (::stat(folder.c_str(), &status) != 0) {
    refuse(fmt::format("cannot be written: there is no folder '{}'", folder),
           fmt::format("Make it first: mkdir -p {}", folder));
  }
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    refuse("cannot be written: it is a folder", "Give the name of a file.");
  }
  const bool regular = !exists || S_ISREG(status.st_mode);
  if ((exists && ::access(path.c_str(), W_OK) != 0) ||
      (regular && ::access(folder.c_str(), W_OK | X_OK) != 0)) {
    refuse(fmt::format("cannot be written: {}", std::strerror(errno)),
           "Give another name or folder, or change the permissions.");
  }
}

std::string field(std::string_view word, std::string_view text) {
  return fmt::format("{:<10} {}\n", word, printable(text));
}

std::string flag_of(std::string_view option) {
  if (option == "random_state") return "--seed";
  std::string flag = "--" + std::string(option);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

std::string join(std::span<const std::string> words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += separator;
    text += word;
  }
  return text;
}

std::string wrapped(std::string_view text, std::size_t width, std::string_view line_start) {
  std::string result;
  while (text.size() > width) {
    const std::size_t blank = text.rfind(' ', width);
    if (blank == text.npos) break;
    result.append(text.substr(0, blank)).append("\n").append(line_start);
    text.remove_prefix(blank + 1);
  }
  return result.append(text);
}

}  // namespace craton::cli
