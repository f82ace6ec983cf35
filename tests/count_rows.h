#pragma once
#include <cstdint>
#include <vector>

#include "craton/classes/counts/count_bayes.h"

// Four rows of counts, of two classes, for the tests of naive Bayes.

namespace craton::count_rows {

inline const Schema kSchema{{{"cat"}, {"dog"}, {"fish"}},
                            Column{"kind", ColumnKind::kCategory, {"pet", "zoo"}}};

struct Rows {
  std::vector<double> x;
  std::vector<std::int32_t> labels;
  std::vector<double> weights = {};

  MemorySource source() const {
    const Index n = ssize(labels);
    return MemorySource(
        {.x = Dense<double>{x.data(), n, 3, 3}, .labels = labels, .weights = weights}, kSchema,
        "t.csv");
  }
};

inline const Rows kRows{{2, 1, 0, 1, 1, 0, 0, 1, 3, 0, 0, 2}, {0, 0, 1, 1}};

template <class M>
Fit<M> fit(const Rows& rows, const typename M::Options& options = {}) {
  MemorySource x = rows.source();
  return M::fit(x, options, {});
}

template <class Options>
Options with_alpha(double alpha) {
  Options options;
  options.smoothing.alpha = alpha;
  return options;
}

}  // namespace craton::count_rows
