#pragma once
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "craton/base/matrix.h"
#include "craton/base/message.h"

// Errors of the user: what, where, the value seen, the rule, and what to do. Errors of ours are
// assertions. Expected outcomes (not converged, an empty cluster) are fields of the report.

namespace craton {

// The command line exits with this number.
enum class ErrorKind { kUsage = 1, kData = 2, kModelFile = 3, kNotConverged = 4, kIo = 5 };

enum class Code {
  // usage
  kUnknownName,  // a model, option, column or verb that does not exist
  kBadOption,    // a value outside an option's type, range or choices
  kNotAble,      // this model cannot do what was asked
  kSameFile,     // an output that would overwrite an input or another output
  // data
  kNoRows,
  kTooFewRows,     // fewer rows, or fewer distinct rows, than the model needs
  kNotFinite,      // NaN or infinity where a number is needed
  kBadWeight,      // negative, not finite, or all zero
  kNoSpread,       // a covariance that is singular and stays so
  kZeroRow,        // a row without a direction where angles are compared
  kWrongColumns,   // count or names differ from those the model was fitted on
  kDuplicateName,  // two columns of one name where names matter
  kBadShape,       // an array whose shape does not fit
  kUnsupported,    // a kind of data this model does not take (sparse, text)
  kBadFile,        // a data file that does not follow its format
  kRaggedRow,
  kNotANumber,      // text in a column of numbers
  kOutsideSupport,  // a value that the chosen family gives no probability
  kUnseenLevel,     // a category that no row of the fit had
  kBadTarget,       // labels that are missing, unknown, or too many to be classes; no numbers
  kNoTerms,         // texts of which no term is left to count
  // model file
  kNotAModel,
  kDamagedModel,
  kNewerModel,
  // not converged
  kNotConverged,  // and only a model that has converged was wanted
  // io
  kNoSuchFile,
  kCannotRead,
  kCannotWrite,
  kOutOfMemory,
};

struct CodeInfo {
  Code code;
  std::string_view id;  // stable, for people and programs
  ErrorKind kind;
  Message cause, fix;  // sentences: why it happens in general, and what to do about it
};
std::span<const CodeInfo> error_codes();  // the catalogue, in the order of Code
const CodeInfo& info(Code code);

// Where it happened; what is not known stays at its default.
struct Place {
  std::string file = {};
  Index line = -1;  // of the file, 1-based
  Index row = -1;   // of the table, 0-based; says so where no line is known
  std::string column = {};
};

class InputError : public std::runtime_error {
 public:
  InputError(Code code, const Place& place, const Message& what, const Message& fix);
  // The same error again, from another rank, or with more words: of complaint() and advice().
  static InputError repeated(Code code, const Place& place, const Message& complaint,
                             const Message& advice = {});

  Code code() const { return code_; }
  ErrorKind kind() const { return info(code_).kind; }
  const Place& place() const { return place_; }
  const Message& complaint() const { return complaint_; }  // what is wrong, and where
  const Message& advice() const { return advice_; }        // what to do about it; may be empty
  // Both, on lines of their own. what() is that in the words of the library.
  std::string in(const Wording& wording) const;

 private:
  struct Said {};
  InputError(Said, Code code, const Place& place, const Message& complaint, const Message& advice);
  Code code_;
  Place place_;
  Message complaint_, advice_;
};

// A fit was asked to stop. Nothing catches it but the program that asked.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

// "did you mean 'gmm'?", or "" when nothing is near. The beginning of a name is near to it, and
// capitals do not count.
std::string did_you_mean(std::string_view given, std::span<const std::string> candidates);

// "a, b, c" for a message; past the first `most`, "...".
std::string listed(std::span<const std::string> names, std::size_t most = 8);

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

}  // namespace craton

// An error of ours, not of the user: throws std::logic_error, also in release builds.
#define CRATON_ASSERT(condition) \
  ((condition) ? void() : ::craton::assertion_failed(#condition, __FILE__, __LINE__))
