#include "craton/classes/calibration.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "craton/engine/fold.h"
#include "craton/engine/for_each.h"
#include "craton/kernels/special.h"

namespace craton {
namespace {

constexpr double kPriorPrecision = 1.0 / 25;  // of log T and of a
constexpr double kLongestStep = 2;            // far from the optimum a quadratic tells little
constexpr int kMostSteps = 60, kMostHalvings = 30;

using Point = std::array<double, 2>;  // log T, a

// The log-loss at a point, with its gradient and Hessian there; sums by weight.
class Loss {
 public:
  struct Figures {
    double loss = 0, weight = 0, accuracy = 0;
    double g0 = 0, g1 = 0, h00 = 0, h01 = 0, h11 = 0;
    Index left_out = 0;
  };
  // Scores, row after row, and lengths of all rows of the table.
  Loss(std::span<const double> scores, std::span<const double> lengths, const Point& at)
      : classes_(scores.size() / std::max(lengths.size(), std::size_t{1})),
        scores_(scores),
        lengths_(lengths),
        at_(at) {}

  void accumulate(const Chunk& chunk) {
    for (std::size_t i = 0; i < usize(chunk.rows()); ++i) {
      const std::size_t row = usize(chunk.first_row) + i;
      const std::int32_t label = chunk.labels.empty() ? -1 : chunk.labels[i];
      const double w = chunk.weight(static_cast<Index>(i));
      if (label < 0 || w == 0) continue;
      add(scores_.subspan(row * classes_, classes_), label, std::log(lengths_[row]), w);
    }
  }
  void merge(const Loss& next) {
    const Figures& n = next.sum_;
    sum_.loss += n.loss;
    sum_.weight += n.weight;
    sum_.accuracy += n.accuracy;
    sum_.g0 += n.g0;
    sum_.g1 += n.g1;
    sum_.h00 += n.h00;
    sum_.h01 += n.h01;
    sum_.h11 += n.h11;
    sum_.left_out += n.left_out;
  }
  void write(Writer& writer) const { writer.put(sum_); }
  void read(Reader& reader) { reader.get(sum_); }
  Index words() const { return sizeof(sum_) / sizeof(double); }
  Merge merge_kind() const { return Merge::kTree; }
  const Figures& sum() const { return sum_; }

 private:
  // With s = e^(log T - a l) and scores f, the loss is log sum e^(s f) - s f_label; its derivatives
  // by s are E f - f_label and Var f, and s' = s (1, -l).
  void add(std::span<const double> f, std::int32_t label, double log_length, double w) {
    // Sums from which a heavy row was taken away may leave nothing to tell by.
    const auto no_score = [](double v) { return !(v < std::numeric_limits<double>::infinity()); };
    if (f[usize(label)] == kNever || std::ranges::any_of(f, no_score)) {
      ++sum_.left_out;
      return;
    }
    const double s = std::exp(at_[0] - at_[1] * log_length), top = f[usize(best_of(f))];
    double total = 0, mean = 0, square = 0;
    for (const double v : f) {
      if (v == kNever) continue;
      const double p = std::exp(s * (v - top));
      if (p == 0) continue;  // and 0 times a square that overflows is none
      total += p;
      mean += p * (v - top);
      square += p * (v - top) * (v - top);
    }
    mean /= total;
    const double variance = std::max(0.0, square / total - mean * mean);
    const double own = f[usize(label)] - top;
    const double slope = w * s * (mean - own), curve = w * s * s * variance + slope;
    sum_.loss += w * (std::log(total) - s * own);
    sum_.weight += w;
    sum_.accuracy += best_of(f) == label ? w : 0;
    sum_.g0 += slope;
    sum_.g1 -= slope * log_length;
    sum_.h00 += curve;
    sum_.h01 -= curve * log_length;
    sum_.h11 += curve * log_length * log_length;
  }

  std::size_t classes_;
  std::span<const double> scores_, lengths_;
  Point at_;
  Figures sum_;
};

double penalised(const Loss::Figures& f, const Point& at) {
  return f.loss + kPriorPrecision / 2 * (at[0] * at[0] + at[1] * at[1]);
}

// Minus the inverse of the Hessian times the gradient; where the Hessian is not positive definite,
// enough is added to its diagonal. At most kLongestStep long.
Point newton_step(const Loss::Figures& f, const Point& at) {
  const double g0 = f.g0 + kPriorPrecision * at[0], g1 = f.g1 + kPriorPrecision * at[1];
  double a = f.h00 + kPriorPrecision, c = f.h11 + kPriorPrecision;
  const double b = f.h01, middle = (a + c) / 2, spread = std::hypot((a - c) / 2, b);
  const double least = middle - spread, floor = 1e-6 * (std::abs(middle) + spread);
  const double lift = std::max(0.0, floor - least);
  a += lift;
  c += lift;
  const double det = a * c - b * b;
  Point step{-(c * g0 - b * g1) / det, -(a * g1 - b * g0) / det};
  const double size = std::hypot(step[0], step[1]);
  if (size > kLongestStep) step = {step[0] * kLongestStep / size, step[1] * kLongestStep / size};
  return step;
}

}  // namespace

double Calibration::of(double length) const {
  constexpr double kLeast = 1e-300, kMost = 1e300;  // 0 times -inf is no number
  return std::clamp(scale * std::pow(std::max(length, 0.0), -length_exponent), kLeast, kMost);
}

CalibrationFit calibrate(Source& x, Index classes, Joint leave_one_out, Scales lengths,
                         const Exec& exec) {
  const std::size_t n = usize(x.shape().rows), k = usize(classes);
  std::vector<double> all_scores(n * k), all_lengths(n);
  for_rows(x, exec, [&](const Chunk& chunk) {
    const std::size_t first = usize(chunk.first_row), rows = usize(chunk.rows());
    leave_one_out(chunk, {&all_scores[first * k], rows * k});
    lengths(chunk, {&all_lengths[first], rows});
  });
  const auto look = [&](const Point& at) {
    return fold(x, Loss(all_scores, all_lengths, at), exec).sum();
  };
  Point at{0, 0};
  Loss::Figures here = look(at);
  CalibrationFit fit;
  fit.weight = here.weight;
  fit.left_out = here.left_out;
  if (here.weight == 0) return fit;
  fit.log_loss = here.loss / here.weight;
  fit.accuracy = here.accuracy / here.weight;
  for (int t = 0; t < kMostSteps; ++t) {
    Point step = newton_step(here, at);
    const double size = std::hypot(step[0], step[1]);
    if (size <= 1e-9) break;
    bool better = false;
    for (int h = 0; h < kMostHalvings && !better; ++h) {
      const Point next{at[0] + step[0], at[1] + step[1]};
      const Loss::Figures there = look(next);
      better = penalised(there, next) < penalised(here, at);
      step = {step[0] / 2, step[1] / 2};
      if (!better) continue;
      here = there;
      at = next;
    }
    if (!better) break;  // to rounding, this is the least
  }
  fit.calibration = {std::exp(at[0]), at[1]};
  fit.calibrated_log_loss = here.loss / here.weight;
  return fit;
}

void note_left_out(const CalibrationFit& fit, std::vector<Note>& notes) {
  if (fit.left_out == 0) return;
  notes.push_back(
      {"left-out-of-calibration",
       fmt::format("calibrated without {} row{} whose label is impossible in a model of the others",
                   fit.left_out, fit.left_out == 1 ? "" : "s")});
}

void visit_calibration(ParameterVisitor& v, const CalibrationFit& c) {
  v.doubles("calibration", "T and a: p(label | row) ~ p(row, label)^(T length^-a)",
            Array{{2}, {c.calibration.scale, c.calibration.length_exponent}});
  v.doubles("leave_one_out", "log-loss of the rows left out, the same calibrated, and accuracy",
            Array{{3}, {c.log_loss, c.calibrated_log_loss, c.accuracy}});
}

std::optional<CalibrationFit> read_calibration(const ParameterList& parameters) {
  if (!parameters.has("calibration")) return {};
  const std::span<const double> s = parameters.doubles("calibration", {2}).values;
  const std::span<const double> l = parameters.doubles("leave_one_out", {3}).values;
  const bool fine = s[0] > 0 && std::isfinite(s[0]) && std::isfinite(s[1]) && l[0] >= 0 &&
                    std::isfinite(l[0]) && l[1] >= 0 && std::isfinite(l[1]) && l[2] >= 0 &&
                    l[2] <= 1;
  if (!fine) fail_parameters("the calibration is none");
  return CalibrationFit{{s[0], s[1]}, l[0], l[1], l[2]};
}

ResultTable calibration_table(const CalibrationFit& c) {
  ResultTable table{"calibration", "calibration, by rows left out"};
  const auto add = [&](const char* name, double value) {
    table.add_numbers(name, {value}, {.count = 4});
  };
  add("T", c.calibration.scale);
  add("length exponent", c.calibration.length_exponent);
  add("log-loss before", c.log_loss);
  add("after", c.calibrated_log_loss);
  add("accuracy", c.accuracy);
  return table;
}

}  // namespace craton
