#pragma once
#include <string>
#include <vector>

#include "craton/select/model_table.h"
#include "craton/select/splits.h"

// Which folds the rows of a table are to be held out in, by what is known of its columns.

namespace craton {

struct FoldPlan {
  Index folds = 5, repeats = 1;
  std::uint64_t seed = 0;
  std::string split = {};  // plain, stratified, groups or time; "": by what is given
};

// One Folds for each repeat. Rows without a label are never tested where there are labels.
// InputError (kBadOption) when the columns and the split part rows in two ways.
std::vector<Folds> split_rows(const ModelTable& data, const Roles& roles, const FoldPlan& plan,
                              const Exec& exec);

// "stratified", as programs read it; and "5, stratified by kind, seed 0".
std::string_view name_of_split(const ModelTable& data, const Roles& roles, const FoldPlan& plan);
std::string describe(const ModelTable& data, const Roles& roles, const FoldPlan& plan);

}  // namespace craton
