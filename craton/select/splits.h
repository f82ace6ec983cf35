#pragma once
#include <span>
#include <vector>

#include "craton/base/message.h"
#include "craton/tables/row_set.h"

// Which rows are held out while a model learns from the others. Each split gives every row a part;
// fold f is tested on part f and learns from all others, or, where rows are ordered, from those
// before. The same seed gives the same parts; `repeat` gives others.
//
//   plain        parts of equal size, up to one row
//   stratified   and each class is spread over the parts evenly, up to one row
//
// draw the rows of a part, or, if not `shuffle`, part the rows in their order, as scikit-learn does
// by default: each part, of each class, is one stretch.
//
//   grouped      rows of one group are in one part; sizes as even as groups allow
//   both         groups whole, and classes as even as they allow: a low
//
//                  L = sum_c sum_f (n_cf / n_c)^2,   n_cf rows of class c in part f
//
//                Groups, in an order that is drawn, or the largest first, go where L grows least;
//                then they move, or change places, for as long as L falls. Without classes, all
//                rows are of one
//   ordered      rows by time: part f comes after all that fold f learns from

namespace craton {

struct Folds {
  Index size = 0;                  // how many
  std::vector<std::int32_t> part;  // of each row; -1: always learned from, never tested; kUnused
  bool ordered = false;            // fold f learns from the parts before f, and -1, only

  static constexpr std::int32_t kUnused = -2;  // neither

  RowSet test(Index fold) const;
  RowSet train(Index fold) const;
};

struct SplitOptions {
  Index folds = 5;
  std::uint64_t seed = 0;
  std::uint32_t repeat = 0;
  bool shuffle = true;  // false: neither seed nor repeat changes anything
};

// Of the last `folds` x `test_size` rows each fold is tested on so many, and learns from those
// before, but for the last `gap` of them, and only from the last `max_train_size` that are left.
struct OrderedOptions {
  Index folds = 5;
  Index test_size = 0;  // 0: rows / (folds + 1)
  Index gap = 0;
  Index max_train_size = 0;  // 0: all
};

Ref fewer_folds();  // as advice

// requires folds >= 2. InputError (kTooFewRows) when there are fewer rows, groups or times than
// that needs, or fewer rows of a class; `names` are those of the classes, for the message.
Folds split_plain(Index rows, const SplitOptions& options);
Folds split_stratified(std::span<const std::int32_t> labels, std::span<const std::string> names,
                       const SplitOptions& options);  // label -1: never tested
// Groups by any numbers: only which rows share one matters.
Folds split_grouped(std::span<const double> groups, const SplitOptions& options);
Folds split_stratified_groups(std::span<const std::int32_t> labels, std::span<const double> groups,
                              const SplitOptions& options);  // label -1: never tested
// By `times`, or in the order of the rows when there are none. What comes before the first test is
// only learned from. Rows of one time are tested together; a gap counts rows, not times. One
// Folds, or with a gap or a max_train_size one for each fold, since these learn from other rows.
std::vector<Folds> split_ordered(Index rows, std::span<const double> times,
                                 const OrderedOptions& options);

}  // namespace craton
