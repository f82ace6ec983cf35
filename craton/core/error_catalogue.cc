#include <algorithm>
#include <array>

#include "craton/core/error.h"

// The catalogue of errors: docs/errors.md and `craton explain` are made from it.

namespace craton {
namespace {

constexpr std::array kCodes{
    CodeInfo{Code::kUnknownName, "unknown-name", ErrorKind::kUsage,
             "A model, verb, option, column or error code was named that does not exist.",
             "Check the spelling; the message suggests the nearest name. 'craton models' lists "
             "models and options."},
    CodeInfo{
        Code::kBadOption, "bad-option", ErrorKind::kUsage,
        "A value lies outside what an option takes, is missing, or contradicts another option.",
        "The message has the range or the choices. 'craton fit MODEL --help' lists all options."},
    CodeInfo{Code::kNotAble, "not-able", ErrorKind::kUsage,
             "This kind of model cannot do what was asked: k-means has no density to sample from, "
             "for example.",
             "'craton models' lists what each model can do."},
    CodeInfo{Code::kSameFile, "same-file", ErrorKind::kUsage,
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
    CodeInfo{
        Code::kNotFinite, "not-finite", ErrorKind::kData,
        "A value is missing (NaN), infinite, or so large that its square overflows.",
        "Leave such rows out (--missing skip at the shell), fill them in, or rescale the column."},
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
    CodeInfo{Code::kWrongColumns, "wrong-columns", ErrorKind::kData,
             "The columns are not those the model was fitted on, by number or by name.",
             "Give the same columns; 'craton describe' lists them."},
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
    CodeInfo{Code::kBadTarget, "bad-target", ErrorKind::kData,
             "The column to predict has no labels, labels that the model does not know, or so many "
             "different ones that they are no classes.",
             "Name the right column with --target, or correct its values."},
    CodeInfo{Code::kNotAModel, "not-a-model", ErrorKind::kModelFile,
             "The file was not written by craton as a model.",
             "Give a file that 'craton fit ... -o' or save() wrote."},
    CodeInfo{Code::kDamagedModel, "damaged-model", ErrorKind::kModelFile,
             "A model file was cut short or changed: its checksums or contents do not fit.",
             "Copy it again, or fit and save the model again."},
    CodeInfo{Code::kNewerModel, "newer-model", ErrorKind::kModelFile,
             "The model file was written by a newer craton, in a form that this one does not know.",
             "Update craton, or fit the model with this version."},
    CodeInfo{
        Code::kNotConverged, "not-converged", ErrorKind::kNotConverged,
        "A fit stopped at max_iter before it had converged, and --strict asks for one that has.",
        "Give a larger --max-iter or --tol; scaling the columns helps too."},
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

}  // namespace

std::span<const CodeInfo> error_codes() { return kCodes; }

const CodeInfo& info(Code code) {
  const auto at = std::find_if(kCodes.begin(), kCodes.end(),
                               [&](const CodeInfo& entry) { return entry.code == code; });
  CRATON_ASSERT(at != kCodes.end());
  return *at;
}

}  // namespace craton
