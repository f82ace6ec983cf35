#pragma once
#include "cli/parsing/data.h"
#include "craton/select/cross_validation.h"

// Labels of rows and their probabilities, or numbers, as CSV, for `predict` and `cv -o` alike.

namespace craton::cli {

inline constexpr const char* kNumberHeader = "prediction";
std::string prediction_header(const Schema& schema, Index classes);  // "label,p_no,p_yes"
// proba: none, or one of each class.
std::string prediction_fields(const Schema& schema, Index label, std::span<const double> proba);

// "row,fold,truth,label,p_no,p_yes", a line for each row of the data; truth, if it has labels. Rows
// that were never held out have a truth only; of numbers, "row,fold,truth,prediction". schema: what
// labels stand for. Whole or not at all.
void write_predictions(const std::string& path, const Data& data, const Schema& schema,
                       const Predictions& predictions, const Exec& exec);

}  // namespace craton::cli
