#include "craton/families/bandwidth.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "craton/base/error.h"
#include "craton/families/statistics.h"
#include "craton/tables/columns.h"

namespace craton {
namespace {

std::vector<double> values_of(const Points& points, Index column) {
  std::vector<double> values(usize(points.size()));
  for (Index i = 0; i < points.size(); ++i) values[usize(i)] = points.view().row(i)[column];
  return values;
}

// 0: there is none.
double deviation_of(const Points& points, Index column) {
  Moments moments;
  moments.add(values_of(points, column), points.weights.given());
  const double n = moments.weight;
  const double deviation = n > 1 ? std::sqrt(moments.variance() * (n / (n - 1))) : 0;
  return deviation > kNarrowest ? deviation : 0;
}

[[noreturn]] void fail_no_deviation(const Points& points, Index column, const Schema& schema) {
  const auto [low, high] = std::ranges::minmax(values_of(points, column));
  if (!(points.weight() > 1)) {
    throw InputError(Code::kTooFewRows, {}, "one sample does not tell how wide kernels should be",
                     {"Give more rows, or {}.", Ref::option("bandwidth", 1)});
  }
  throw InputError(
      Code::kNoSpread, {.column = schema.name(column)},
      low == high
          ? fmt::format("the value is {} in every row, so no rule gives it a bandwidth", low)
          : fmt::format("the values spread over {:g} only, so their squares vanish", high - low),
      {"Leave the column out, or give {}.", Ref::option("bandwidth", 1)});
}

// Of one column whose values ascend: between the two that it lies between, were each written as
// often as its weight says (R's type 7).
double quantile(const Points& points, double level) {
  const double at = level * (points.weight() - 1), whole = std::floor(at);
  double before = 0, low = points.rows.back(), high = low;
  bool found = false;
  for (Index i = 0; i < points.size(); ++i) {
    before += points.weights[usize(i)];
    if (!found && before > whole) {
      low = points.rows[usize(i)];
      found = true;
    }
    if (before > whole + 1) {
      high = points.rows[usize(i)];
      break;
    }
  }
  return low + (at - whole) * (high - low);
}

constexpr std::array<std::string_view, 9> kRuleNames{
    "scott", "silverman", "nrd0", "nrd", "sj-ste", "sj-dpi", "isj", "lscv", "likelihood"};

std::string_view name_of(BandwidthRule rule) { return kRuleNames[static_cast<std::size_t>(rule)]; }

// One column that varies.
class Line {
 public:
  Line(const Points& points, double deviation, std::vector<Note>& notes, const Exec& exec,
       std::vector<LocalBandwidth>* optima)
      : points_(points),
        deviation_(deviation),
        quartiles_(quantile(points, 0.75) - quantile(points, 0.25)),
        notes_(notes),
        exec_(exec),
        optima_(optima) {}

  double bandwidth(BandwidthRule rule) const {
    const double fall = std::pow(points_.weight(), -0.2);
    if (rule == BandwidthRule::kNrd0) return 0.9 * scale_by(1.34) * fall;
    if (rule == BandwidthRule::kNrd) return 1.06 * scale_by(1.34) * fall;
    const double h = found_by(rule);
    if (h > 0 && std::isfinite(h)) return h;
    const BandwidthRule next =
        rule == BandwidthRule::kSolved ? BandwidthRule::kNrd0 : BandwidthRule::kSolved;
    notes_.push_back({"bandwidth-rule",
                      {"{} finds no bandwidth for these rows, as where many are equal: {} is taken",
                       Ref::option("bandwidth", name_of(rule)), std::string(name_of(next))}});
    return bandwidth(next);
  }

 private:
  // Where half of all rows have one value, the deviation is all there is.
  double scale_by(double of_gaussian) const {
    return quartiles_ > 0 ? std::min(quartiles_ / of_gaussian, deviation_) : deviation_;
  }

  double found_by(BandwidthRule rule) const {
    const double scale = scale_by(1.349);
    switch (rule) {
      case BandwidthRule::kSolved:
        return solved_bandwidth(points_, scale);
      case BandwidthRule::kPlugIn:
        return plug_in_bandwidth(points_, scale);
      case BandwidthRule::kImproved:
        return improved_bandwidth(points_);
      case BandwidthRule::kSquaresLeftOut:
        return best_of(rule, cross_validated(points_, scale, CrossValidation::kSquares, exec_));
      default:
        return best_of(rule, cross_validated(points_, scale, CrossValidation::kLikelihood, exec_));
    }
  }

  double best_of(BandwidthRule rule, const std::vector<LocalBandwidth>& all) const {
    if (all.empty()) return NAN;
    if (optima_ != nullptr) *optima_ = all;
    std::string others;
    for (std::size_t i = 1; i < all.size(); ++i) {
      others += fmt::format("{}{:.4g}", i == 1 ? "" : ", ", all[i].bandwidth);
    }
    if (!others.empty()) {
      notes_.push_back({"bandwidth-optima",
                        {"{} has more than one optimum: {} is the best, others are at {}",
                         Ref::option("bandwidth", name_of(rule)),
                         fmt::format("{:.4g}", all[0].bandwidth), others}});
    }
    return all[0].bandwidth;
  }

  const Points& points_;
  double deviation_, quartiles_;
  std::vector<Note>& notes_;
  const Exec& exec_;
  std::vector<LocalBandwidth>* optima_;
};

bool of_all_columns(BandwidthRule rule) {
  return rule == BandwidthRule::kScott || rule == BandwidthRule::kSilverman;
}

double bandwidth_of(BandwidthRule rule, const Points& points, double deviation,
                    std::vector<Note>& notes, const Exec& exec,
                    std::vector<LocalBandwidth>* optima) {
  if (!of_all_columns(rule)) return Line(points, deviation, notes, exec, optima).bandwidth(rule);
  const auto d = static_cast<double>(points.columns);
  const double gaussian = rule == BandwidthRule::kSilverman ? 4 / (d + 2) : 1;
  return deviation * std::pow(gaussian / points.weight(), 1 / (d + 4));
}

}  // namespace

std::vector<double> find_bandwidths(BandwidthRule rule, const Points& points, const Schema& schema,
                                    std::vector<Note>& notes, const Exec& exec,
                                    std::vector<LocalBandwidth>* optima) {
  if (!of_all_columns(rule) && points.columns > 1) {
    throw InputError(Code::kBadOption, {},
                     {"{} is a rule for one column, and there are {}",
                      Ref::option("bandwidth", name_of(rule)), points.columns},
                     {"Give {} or {}.", Ref::option("bandwidth", "scott"),
                      Ref::option("bandwidth", "silverman")});
  }
  std::vector<double> all;
  for (Index j = 0; j < points.columns; ++j) {
    const double deviation = deviation_of(points, j);
    if (deviation == 0) fail_no_deviation(points, j, schema);
    all.push_back(bandwidth_of(rule, points, deviation, notes, exec, optima));
  }
  return all;
}

double find_bandwidth(BandwidthRule rule, const Points& line, std::vector<Note>& notes) {
  const double deviation = deviation_of(line, 0);
  return deviation == 0 ? 0 : bandwidth_of(rule, line, deviation, notes, {.threads = 1}, nullptr);
}

void name_notes(std::span<Note> notes, const Message& of) {
  for (Note& note : notes) note.text = {"{}: {}", of, note.text};
}

void describe(OptionVisitor& v, Bandwidth& o) {
  v.choice_or_number(
      "bandwidth", o.rule, o.number, kNarrowest, kWidest,
      {"scott", "silverman", "nrd0", "nrd", "sj-ste", "sj-dpi", "isj", "lscv", "likelihood"},
      "of the family kde: the standard deviation of kernels, or a rule that finds it from the "
      "values");
}

}  // namespace craton
