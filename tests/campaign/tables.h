#pragma once
#include <string>
#include <vector>

#include "craton/base/source.h"

// Plain data at the ends of what numbers can be: what people's files have when units are wrong,
// sensors fail or columns are sums of microseconds.

namespace craton::campaign {

struct Rows {
  std::string name;
  Index cols = 0;
  std::vector<double> x;
  std::vector<std::int32_t> labels;    // of `classes` classes; -1: not seen
  std::vector<double> weights = {};    // none: all 1
  std::vector<double> targets = {};    // of models of numbers; none: the labels are what is learned
  std::vector<Index> categories = {};  // columns of codes
  Index classes = 3;
  bool sparse = false;  // to be given as such
  SparseArray entries = {};

  Index rows() const { return cols == 0 ? 0 : std::ssize(x) / cols; }
  MemorySource source() const;  // borrows
  // With the targets that a model of numbers learns from, which are as extreme as its columns.
  Rows with_targets() const;
  Rows slice(Index first, Index last) const;
};

const std::vector<Rows>& tables();

}  // namespace craton::campaign
