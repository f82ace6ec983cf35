#pragma once
#include <span>
#include <string>
#include <vector>

#include "craton/model/registry.h"
#include "craton/report/plots/drawn_rows.h"

// What pictures ask of a model, whatever it is: what it says of rows that differ in one column, or
// in two, while the others stay at their middle. So every model that can say something of a row has
// its pictures, and none is asked for parameters.

namespace craton {

// What a column is drawn as: a curve along numbers, steps at whole numbers, or bars beside words.
enum class Look { kNumbers, kCounts, kCategories };

// One column, and the places of it where a model is asked.
struct PictureAxis {
  Index column = 0;
  std::string name = {};
  Look look = Look::kNumbers;
  std::vector<double> at = {};           // ascending; of categories their codes
  std::vector<std::string> levels = {};  // of categories: what codes stand for

  // "forest", or a number.
  std::string told(std::size_t place) const;
};

// The median of each column of numbers that are there, and the most frequent code of each column of
// categories; of counts a whole number.
std::vector<double> middle_of(const DrawnRows& rows);

// Is what this model says of the column said of whole numbers alone? Then there is no density
// between them, or the answer is that of a missing value, or (of a label) of the number below.
// Asked about rows that are at `middle` elsewhere.
bool lies_on_counts(const Fitted& fitted, const DrawnRows& rows, Index column,
                    std::span<const double> middle, const Exec& exec);

// The places of a column of these rows: levels, whole numbers, or numbers at even distances with
// some beyond the rows, up to `beyond` of their range; no more than `most`.
PictureAxis axis_of(const Fitted& fitted, const DrawnRows& rows, Index column,
                    std::span<const double> middle, Index most, double beyond, const Exec& exec);

// Rows at the middle but for the places of an axis; or of two, those of `up` slowest.
Table rows_along(const Fitted& fitted, std::span<const double> middle, const PictureAxis& across);
Table rows_along(const Fitted& fitted, std::span<const double> middle, const PictureAxis& across,
                 const PictureAxis& up);

// What a model says of some rows. requires the ability, which has the name. Rows outside of what it
// can be have density 0, probabilities and numbers that are NaN, and the label -1.
std::vector<double> densities(const Fitted& fitted, const Table& rows, const Exec& exec);
std::vector<double> log_probabilities(const Fitted& fitted, const Table& rows, const Exec& exec);
std::vector<double> probabilities(const Fitted& fitted, const Table& rows, const Exec& exec);
std::vector<double> numbers(const Fitted& fitted, const Table& rows, const Exec& exec);
std::vector<std::int32_t> labels(const Fitted& fitted, const Table& rows, const Exec& exec);

// What a label is called: its level, or "cluster 2".
std::vector<std::string> label_names(const Fitted& fitted);

}  // namespace craton
