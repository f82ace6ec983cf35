#include "craton/base/error.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "craton/base/utf8.h"

namespace craton {
namespace {

// "data.csv:12: row 10, column 'waiting': what. Fix."  A row is easily taken for a line, so that
// without a line it says how rows are counted. Names and values may come from anybody's file: none
// of them starts a new line or a terminal's command, or fills the screen.
constexpr std::size_t kLongestName = 300, kLongestText = 3000;

Message complaint_of(const Place& place, const Message& what) {
  std::string text;
  if (!place.file.empty()) text += printable(place.file, kLongestText) + ":";
  if (place.line >= 0) text += fmt::format("{}:", place.line);
  if (!text.empty()) text += " ";
  if (place.row >= 0) {
    text += fmt::format("row {}{}", place.row, place.line < 0 ? " (counted from 0)" : "");
    text += place.column.empty() ? ": " : ", ";
  }
  const Message said = what.printable(kLongestText);
  if (place.column.empty()) return {"{}{}", text, said};
  return {"{}{}: {}", text, Ref::column(printable(place.column, kLongestName)), said};
}

std::string both(const std::string& complaint, const std::string& advice) {
  return advice.empty() ? complaint : complaint + "\n  " + advice;
}

std::string lower(std::string_view text) {  // of ASCII: enough to find a name in other capitals
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

Index edit_distance(std::string_view a, std::string_view b) {
  std::vector<Index> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<Index>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    Index diagonal = row[0];
    row[0] = static_cast<Index>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const Index substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row[b.size()];
}

}  // namespace

InputError::InputError(Code code, const Place& place, const Message& what, const Message& fix)
    : InputError(repeated(code, place, complaint_of(place, what), fix.printable(kLongestText))) {}

InputError InputError::repeated(Code code, const Place& place, const Message& complaint,
                                const Message& advice) {
  return InputError(Said{}, code, place, complaint, advice);
}

InputError::InputError(Said, Code code, const Place& place, const Message& complaint,
                       const Message& advice)
    : std::runtime_error(both(complaint.plain(), advice.plain())),
      code_(code),
      place_(place),
      complaint_(complaint),
      advice_(advice) {}

std::string InputError::in(const Wording& wording) const {
  return both(complaint_.in(wording), advice_.in(wording));
}

std::string listed(std::span<const std::string> names, std::size_t most) {
  std::string text;
  for (const std::string& name : names.first(std::min(most, names.size()))) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return names.size() > most ? text + ", ..." : text;
}

std::string did_you_mean(std::string_view given, std::span<const std::string> candidates) {
  const std::string* best = nullptr;
  const std::string wanted = lower(given);
  const Index length = ssize(wanted);
  Index best_distance = std::min(std::max<Index>(2, length / 3) + 1, length);
  constexpr Index kLeastBeginning = 3;
  for (const std::string& candidate : candidates) {
    const std::string name = lower(candidate);
    const bool begins = length >= kLeastBeginning && name.starts_with(wanted) && name != wanted;
    const Index distance = begins ? 1 : edit_distance(wanted, name);
    if (distance < best_distance) best = &candidate, best_distance = distance;
  }
  return best == nullptr ? "" : fmt::format("did you mean '{}'?", *best);
}

void assertion_failed(const char* condition, const char* file, int line) {
  throw std::logic_error(fmt::format("a bug in craton: {} does not hold at {}:{}; please report it",
                                     condition, file, line));
}

// The catalogue of errors: docs/errors.md and `craton explain` are made from it.

std::span<const CodeInfo> error_codes() {
  static const std::array kCodes{
      CodeInfo{Code::kUnknownName,
               "unknown-name",
               ErrorKind::kUsage,
               "A model, verb, option, column or error code was named that does not exist.",
               {"Check the spelling; the message suggests the nearest name. {} lists models and "
                "options.",
                Ref::verb("models")}},
      CodeInfo{
          Code::kBadOption,
          "bad-option",
          ErrorKind::kUsage,
          "A value lies outside what an option takes, is missing, or contradicts another option.",
          {"The message has the range or the choices. {} lists all options.",
           Ref::verb("fit MODEL --help")}},
      CodeInfo{
          Code::kNotAble,
          "not-able",
          ErrorKind::kUsage,
          "This kind of model cannot do what was asked: k-means has no density to sample from, "
          "for example.",
          {"{} lists what each model can do.", Ref::verb("models")}},
      CodeInfo{
          Code::kSameFile, "same-file", ErrorKind::kUsage,
          "A result would overwrite the data, the model or another result of the same command.",
          "Give the output a name of its own."},
      CodeInfo{
          Code::kNoRows, "no-rows", ErrorKind::kData,
          "The table has a header or a shape, but no rows.",
          "Check that the file is the one you meant, and that a filter before it left something."},
      CodeInfo{Code::kTooFewRows, "too-few-rows", ErrorKind::kData,
               "The table has fewer rows, or fewer distinct rows, than the model has components or "
               "clusters; or it has fewer groups, or rows of a class, than there are folds.",
               "Give more rows, or ask for fewer components or folds."},
      CodeInfo{Code::kNotFinite,
               "not-finite",
               ErrorKind::kData,
               "A value is missing (NaN), infinite, or so large that its square overflows.",
               {"Leave such rows out ({} at the shell), fill them in, or rescale the column.",
                Ref::flag("missing", "skip")}},
      CodeInfo{Code::kBadWeight, "bad-weight", ErrorKind::kData,
               "A row weight is negative or not a finite number, all are zero, or their number is "
               "not that of the rows.",
               "Weights count rows: 0 leaves a row out, 2 counts it twice."},
      CodeInfo{Code::kNoSpread, "no-spread", ErrorKind::kData,
               "A column is constant, or a component has shrunk to a point or a line, so that a "
               "density does not exist.",
               "Leave the column out, ask for fewer components, or give reg_covar above 0."},
      CodeInfo{Code::kZeroRow, "zero-row", ErrorKind::kData,
               "A row is all zeros where angles are compared, and zeros have no direction.",
               "Leave such rows out, or compare by distance (metric = euclidean)."},
      CodeInfo{Code::kWrongColumns,
               "wrong-columns",
               ErrorKind::kData,
               "The columns are not those the model was fitted on, by number or by name.",
               {"Give the same columns; {} lists them.", Ref::verb("describe")}},
      CodeInfo{Code::kDuplicateName, "duplicate-name", ErrorKind::kData,
               "Two columns have the same name, so that the name does not tell which is meant.",
               "Rename one of them in the header."},
      CodeInfo{Code::kBadShape, "bad-shape", ErrorKind::kData,
               "An array has another number of dimensions, rows or columns than it should.",
               "The message has both shapes. One row is a table of shape (1, columns)."},
      CodeInfo{Code::kUnsupported, "unsupported-data", ErrorKind::kData,
               "The data are of a kind that this model does not take: sparse, complex or text.",
               "Convert them to dense real numbers, if there is memory for that."},
      CodeInfo{Code::kBadFile, "bad-file", ErrorKind::kData,
               "A data file is empty, damaged, or does not follow its format.",
               "Check that it is complete and of the kind its name says."},
      CodeInfo{
          Code::kRaggedRow, "ragged-row", ErrorKind::kData,
          "A line has more or fewer fields than the lines before it.",
          "Give every row the same number of fields, and quote text that has the delimiter in it."},
      CodeInfo{Code::kNotANumber, "not-a-number", ErrorKind::kData,
               "Text stands where a number is needed.",
               "Leave the column out, or convert it to numbers."},
      CodeInfo{
          Code::kOutsideSupport, "outside-support", ErrorKind::kData,
          "A value is one that the chosen family of distributions cannot have: a negative count, "
          "or 0 where numbers above 0 are needed.",
          "The message lists the families that take all values of the column; choose one of "
          "them, or leave the value out."},
      CodeInfo{Code::kUnseenLevel,
               "unseen-level",
               ErrorKind::kData,
               "A category has a level that no row of the fit had, so that nothing was learned of "
               "it.",
               {"Correct the value or leave the row out, or fit again with {}, which takes such "
                "levels for the one that others are compared with.",
                Ref::option("unseen", "reference")}},
      CodeInfo{
          Code::kBadTarget,
          "bad-target",
          ErrorKind::kData,
          "The column to predict has no labels, labels that the model does not know, or so many "
          "different ones that they are no classes; or numbers are to be learned from, and one is "
          "missing or they are words.",
          {"Name the right column with {}, or correct its values.", Ref::flag("target")}},
      CodeInfo{Code::kNoTerms,
               "no-terms",
               ErrorKind::kData,
               "The texts hold no words, or options leave none of them to count.",
               {"Look at the texts, and lower {} and {} or raise {}.", Ref::option("least_length"),
                Ref::option("min_df"), Ref::option("max_df")}},
      CodeInfo{Code::kNotAModel,
               "not-a-model",
               ErrorKind::kModelFile,
               "The file was not written by craton as a model.",
               {"Give a file that {} or save() wrote.", Ref::verb("fit ... -o")}},
      CodeInfo{Code::kDamagedModel, "damaged-model", ErrorKind::kModelFile,
               "A model file was cut short or changed: its checksums or contents do not fit.",
               "Copy it again, or fit and save the model again."},
      CodeInfo{
          Code::kNewerModel, "newer-model", ErrorKind::kModelFile,
          "The model file was written by a newer craton, in a form that this one does not know.",
          "Update craton, or fit the model with this version."},
      CodeInfo{Code::kNotConverged,
               "not-converged",
               ErrorKind::kNotConverged,
               {"A fit stopped at max_iter before it had converged, and {} asks for one that has.",
                Ref::flag("strict")},
               {"Give a larger {} or {}; scaling the columns helps too.", Ref::flag("max-iter"),
                Ref::flag("tol")}},
      CodeInfo{Code::kNoSuchFile, "no-such-file", ErrorKind::kIo, "There is no file of that name.",
               "Check the spelling and the folder; the message suggests the nearest name."},
      CodeInfo{Code::kCannotRead, "cannot-read", ErrorKind::kIo,
               "A file is there but cannot be read: a folder, no permission, or a failing disk.",
               "Check what it is and who may read it: ls -l FILE"},
      CodeInfo{Code::kCannotWrite, "cannot-write", ErrorKind::kIo,
               "A result cannot be written: no such folder, no permission, or no space left.",
               "Make the folder, choose another one, or free some space. What was there before is "
               "unchanged."},
      CodeInfo{Code::kOutOfMemory, "out-of-memory", ErrorKind::kIo,
               "The work needs more memory than there is.",
               "Give fewer rows or columns, or a larger machine."},
  };
  return kCodes;
}

const CodeInfo& info(Code code) {
  const std::span<const CodeInfo> codes = error_codes();
  const auto at = std::find_if(codes.begin(), codes.end(),
                               [&](const CodeInfo& entry) { return entry.code == code; });
  CRATON_ASSERT(at != codes.end());
  return *at;
}

}  // namespace craton
