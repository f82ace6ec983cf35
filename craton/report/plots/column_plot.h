#pragma once
#include <string>
#include <vector>

#include "craton/report/plots/marks.h"

namespace craton {

// The words of a picture that are known before it is drawn.
struct PictureText {
  std::string title = {}, subtitle = {};
};

// An SVG picture of a model of one column, and its rows: of numbers the curve of its density, of
// counts its steps, of categories bars, and parts of these for each label; of a model that has no
// density the probability of each label along the column; of one that has labels alone the places
// where they change. `groups` are the labels of the rows in the picture, or none.
std::string plot_column(const Fitted& fitted, const DrawnRows& rows,
                        std::vector<std::int32_t> groups, PictureText text, const Exec& exec);

}  // namespace craton
