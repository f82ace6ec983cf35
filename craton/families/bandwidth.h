#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "craton/base/options.h"
#include "craton/base/report.h"
#include "craton/base/schema.h"
#include "craton/engine/exec.h"
#include "craton/families/line_bandwidths.h"
#include "craton/tables/points.h"

// How wide the kernels of a density estimate should be, as the standard deviation h_j of the kernel
// in column j. With n rows, the sum of the weights, of d columns with standard deviations s_j
// (divided by n - 1):
//
//   scott       h_j = s_j n^(-1/(d+4))
//   silverman   h_j = s_j (4 / ((d+2) n))^(1/(d+4)), which is the best for Gaussian data
//   nrd0, nrd   h = c min(s, (q_75 - q_25) / 1.34) n^(-1/5), c = 0.9 or 1.06, of one column: R's
//   sj-ste, sj-dpi, isj, lscv, likelihood: of one column, line_bandwidths.h
//
// (Scott, "Multivariate density estimation", 1992; Silverman, "Density estimation for statistics
// and data analysis", 1986.) All of them are of the data's units: h(a x + b) = |a| h(x).

namespace craton {

enum class BandwidthRule : std::int8_t {
  kScott,
  kSilverman,
  kNrd0,
  kNrd,
  kSolved,
  kPlugIn,
  kImproved,
  kSquaresLeftOut,
  kLikelihoodLeftOut,
  kNumber
};

// InputError where there are too few rows, a column does not vary, or the rule is for one column
// and there are more. A rule that finds nothing, as of rows with many ties, is replaced by the next
// simpler one, and a note says so. `optima` is told all local ones of what lscv and likelihood look
// at, the best first. requires a rule that is not kNumber.
std::vector<double> find_bandwidths(BandwidthRule rule, const Points& points, const Schema& schema,
                                    std::vector<Note>& notes, const Exec& exec = {.threads = 1},
                                    std::vector<LocalBandwidth>* optima = nullptr);

// The same of one column; 0 where the weight of the rows is at most 1, or the column does not vary.
double find_bandwidth(BandwidthRule rule, const Points& line, std::vector<Note>& notes);

// "column 'age': " before each.
void name_notes(std::span<Note> notes, const Message& of);

// A rule, or a number: the option `bandwidth` of models that have columns of the family kde.
struct Bandwidth {
  BandwidthRule rule = BandwidthRule::kScott;
  double number = 1;  // of kNumber
};
void describe(OptionVisitor& v, Bandwidth& o);

}  // namespace craton
