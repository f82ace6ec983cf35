#pragma once
#include <optional>
#include <span>
#include <vector>

#include "craton/classes/bayes_rule.h"

// Features that are taken for independent, and are not, make a posterior far too sure of itself.
// Raising the joint to a power makes it honest and changes no label:
//
//   p(z | x) ~ p(x, z)^s,   s = T length^-a,
//
// where the length is that of the row, such as its words: longer rows repeat themselves more. T and
// a minimise the log-loss on scores that each row gets from a model that has not seen it. One
// number T alone is the temperature scaling of Guo, Pleiss, Sun and Weinberger, "On calibration of
// modern neural networks", ICML 2017.

namespace craton {

enum class Calibrate { kNone, kLeaveOneOut };

struct Calibration {
  double scale = 1, length_exponent = 0;  // T, a
  double of(double length) const;         // s; requires length > 0
};

struct CalibrationFit {
  Calibration calibration;
  double log_loss = 0, calibrated_log_loss = 0, accuracy = 0;  // leave-one-out, means by weight
  double weight = 0;                                           // of the rows that count
  // Rows whose label is impossible without them, as the only one of its class: no s would help.
  Index left_out = 0;
};

// `leave_one_out` writes log p(x, z) of the rows of a chunk, each under the model of all other
// rows; `lengths` writes their lengths, above 0. Each is asked once: the scores of all rows are in
// memory. Newton's method, a fold an iteration; log T and a have a Gaussian prior of standard
// deviation 5, so that they stay finite where every row is right.
CalibrationFit calibrate(Source& x, Index classes, Joint leave_one_out, Scales lengths,
                         const Exec& exec);
// A note for the rows that did not count.
void note_left_out(const CalibrationFit& fit, std::vector<Note>& notes);

// As models keep it, when they were calibrated, and show it.
void visit_calibration(ParameterVisitor& v, const CalibrationFit& fit);
std::optional<CalibrationFit> read_calibration(const ParameterList& parameters);
ResultTable calibration_table(const CalibrationFit& fit);

}  // namespace craton
