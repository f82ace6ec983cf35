#pragma once
#include <span>
#include <vector>

#include "craton/base/report.h"
#include "craton/engine/exec.h"
#include "craton/kernels/smoothing/smoothing_kernel.h"
#include "craton/tables/points.h"

// The scales h of kernels, one for each column, for which rows left out are predicted best
// (local_fit.h): the least
//
//   CV(h) = sum_i w_i (t_i - m_-i(y_i))^2 / sum_i w_i
//
// (Clark 1975; Hall, Racine and Li 2004 show that columns which say nothing get a great h). Found
// from `start`, along one factor for all columns first and then column by column; a local optimum
// where there are several. CV is of all rows up to about 6000, and of some of more.

namespace craton {

// A note says so where the best is the widest or the narrowest that was tried.
std::vector<double> left_out_bandwidths(const Points& points, SmoothingKernel kernel, Index degree,
                                        std::span<const double> start, const Schema& schema,
                                        std::vector<Note>& notes, const Exec& exec);

// So many rows can be left out without the time to become long.
Index rows_to_leave_out(const Points& points);

}  // namespace craton
