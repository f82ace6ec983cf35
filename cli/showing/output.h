#pragma once
#include <span>
#include <string>
#include <string_view>

#include "craton/base/json.h"
#include "craton/base/report.h"
#include "craton/report/result_text.h"
#include "craton/report/words.h"

// Where results, notes and files go. Results are for stdout, everything else for stderr. Names and
// texts of files are printed so that a terminal shows them and does not obey them.

namespace craton::cli {

// To stdout, at once; InputError (kCannotWrite) when nobody can take it (a full disk). Bytes reach
// a file or a pipe as they are, a terminal without control characters.
void print(std::string_view text);
bool prints_to_terminal();
// A name from a file as a field of CSV text to print: on a terminal one line without control
// characters.
std::string name_field(std::string_view name);
void print_json(const Json& json);  // indented, with a line end

// To stderr, at once. What nobody can take is lost: no result depends on it.
void say(std::string_view text);

// "error: ...", "warning: ...", "note: ..." to stderr.
void complain(std::string_view kind, std::string_view text);
void complain(std::span<const Note> notes, std::string_view kind, const std::string& file = {});

// To a file, whole or not at all; "-" is stdout.
void save(const std::string& path, std::span<const std::byte> bytes);
void save(const std::string& path, const std::string& text);

// A table: JSON where the name of the file ends in .json, else CSV; both have all digits.
void save(const std::string& path, const ResultTable& table);

// InputError now, rather than after a long fit, when a file cannot be written. "" is fine.
void check_writable(const std::string& path);

// "word  text" lines, the words padded to one width.
std::string field(std::string_view word, std::string_view text);

std::string flag_of(std::string_view option);  // "--n-components" of "n_components"
std::string join(std::span<const std::string> words, std::string_view separator = ", ");
// Lines of at most `width` characters, broken at blanks.
std::string wrapped(std::string_view text, std::size_t width, std::string_view line_start = "");
using craton::base_name, craton::plural, craton::shown;

// A table, of which a long one is not all shown.
template <class Table>
std::string laid_out(const Table& table) {
  return format(table, "--json has them all");
}

}  // namespace craton::cli
