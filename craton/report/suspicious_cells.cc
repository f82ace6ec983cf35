#include "craton/report/suspicious_cells.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>

#include "craton/io/cell_form.h"
#include "craton/io/number.h"
#include "craton/report/words.h"

namespace craton {
namespace {

using Value = ColumnFacts::Value;

std::string text_of(double value) {
  std::string text;
  append_number(text, value);
  return text;
}

// Nines alone: how many; 0: it has other digits, too.
Index nines(double value) {
  const std::string text = text_of(std::abs(value));
  if (text.find_first_not_of("9.") != text.npos) return 0;
  return std::count(text.begin(), text.end(), '9');
}

// How far values lie from the median, in robust deviations.
class Distance {
 public:
  explicit Distance(const ColumnFacts& facts)
      : low_(facts.lower_quartile), middle_(facts.median), high_(facts.upper_quartile) {
    // Above it a column is skewed for certain: that of a lognormal whose logarithm has a deviation
    // of 0.75.
    constexpr double kSkewed = 0.25;
    const double skewness = ((high_ - middle_) - (middle_ - low_)) / (high_ - low_);
    logarithms_ = facts.least > 0 && skewness > kSkewed;
    if (!logarithms_) return;
    low_ = std::log(low_);
    middle_ = std::log(middle_);
    high_ = std::log(high_);
  }
  bool known() const { return std::isfinite(high_ - low_) && high_ > low_; }
  bool logarithms() const { return logarithms_; }
  bool linear() const { return known() && !logarithms_; }
  double unit(bool above) const {
    constexpr double kQuartile = 0.67448975019608171;  // of the standard normal
    const double side = above ? high_ - middle_ : middle_ - low_;
    return std::max(side, (high_ - low_) / 2) / kQuartile;
  }
  double of(double value) const {
    return std::abs(at(value) - middle_) / unit(at(value) > middle_);
  }

 private:
  double at(double value) const { return logarithms_ ? std::log(value) : value; }
  double low_, middle_, high_;
  bool logarithms_ = false;
};

class NumberCells {
 public:
  NumberCells(Index column, const ColumnFacts& facts, bool dates)
      : column_(column), date_(dates), facts_(facts), distance_(facts) {}

  std::vector<SuspiciousCell> all() {
    for (const bool above : {false, true}) {
      ends_ = above ? facts_.high : facts_.low;
      tell_infinite();
      if (!date_) tell_codes(above);
      tell_far(above);
    }
    std::stable_sort(far_.begin(), far_.end(),
                     [](const Far& a, const Far& b) { return a.distance > b.distance; });
    for (Far& far : far_) cells_.push_back(std::move(far.cell));
    return std::move(cells_);
  }

 private:
  struct Far {
    double distance;
    SuspiciousCell cell;
  };

  std::string shown_value(double value) const {
    const std::string date = date_ ? date_text(value) : "";
    return date.empty() ? text_of(value) : date;
  }
  SuspiciousCell cell(const Value& value, std::string why) const {
    return {column_, shown_value(value.value), value.rows, value.first, std::move(why)};
  }
  void tell_infinite() {
    if (ends_.empty() || !std::isinf(ends_[0].value)) return;
    cells_.push_back(cell(ends_[0], "no number of anything"));
    ends_.erase(ends_.begin());
  }

  // What is said of the value at the very end; "": nothing.
  std::string code_at_end(bool above) const {
    constexpr double kApart = 2;     // robust deviations
    constexpr Index kManyTimes = 5;  // as many rows as any of the values beside it
    constexpr Index kManyNines = 3;
    constexpr std::size_t kBeside = 3;  // of which there are so many
    if (ends_.size() <= kBeside) return "";
    const double value = ends_[0].value, next = ends_[1].value;
    const Index digits = nines(value);
    const bool zero = value == 0 && !above && next > 0;
    const bool minus = (value == -1 || value == -9) && !above && next >= 0;
    if (digits < 2 && !zero && !minus) return "";
    const auto more = [](const Value& a, const Value& b) { return a.rows < b.rows; };
    const Index beside = std::max_element(ends_.begin() + 1, ends_.end(), more)->rows;
    const double gap = std::abs(next - value);
    const bool goes_on = facts_.whole && gap <= 1;  // from there
    const bool apart = distance_.linear() ? gap > kApart * distance_.unit(above)
                                          : digits >= kManyNines && gap > std::abs(next);
    const bool many = ends_[0].rows >= kManyTimes && ends_[0].rows > kManyTimes * beside;
    if (zero && 2 * ends_[0].rows > facts_.numbers()) return "";  // zeros are what it mostly holds
    if (goes_on && (zero || minus || !many)) return "";
    if (!apart && !many) return "";
    return fmt::format("may say 'missing'{}: the next value is {}{}",
                       above ? ", or 'that and more'" : "", text_of(next),
                       beside > 1 || many ? fmt::format(", and those beside it have {} at most",
                                                        plural(beside, "row"))
                                          : "");
  }
  void tell_codes(bool above) {
    for (std::string why = code_at_end(above); !why.empty(); why = code_at_end(above)) {
      cells_.push_back(cell(ends_[0], std::move(why)));
      ends_.erase(ends_.begin());
    }
  }

  void tell_far(bool above) {
    constexpr Index kRare = 100;
    if (!distance_.known() || ends_.empty()) return;
    if (distance_.logarithms() && facts_.whole && !above) return;  // 1 and 2 are small counts
    Index rows = 0;
    std::vector<Far> found;
    for (const Value& value : ends_) {
      if (distance_.logarithms() && value.value <= 0) return;
      const double distance = distance_.of(value.value);
      if (!(distance > SuspiciousCell::kFar)) break;
      rows += value.rows;
      found.push_back({distance, cell(value, far_words(distance, above))});
    }
    const bool shape =
        found.size() == ends_.size() || kRare * rows > std::max(facts_.numbers(), kRare);
    if (shape) return;
    for (Far& far : found) far_.push_back(std::move(far));
  }
  std::string far_words(double distance, bool above) const {
    return fmt::format("{} robust deviations {} the median {}{}", text_of(std::round(distance)),
                       above ? "above" : "below",
                       date_ ? shown_value(facts_.median) : shown(facts_.median),
                       distance_.logarithms() ? ", as logarithms" : "");
  }

  Index column_;
  bool date_;
  const ColumnFacts& facts_;
  Distance distance_;
  std::vector<Value> ends_;  // those left at one end, the outermost first
  std::vector<SuspiciousCell> cells_;
  std::vector<Far> far_;
};

// Without capitals, and blanks or what stands for them.
std::string plain(const std::string& level) {
  std::string text;
  for (const char c : level) {
    if (c == ' ' || c == '_' || c == '-' || c == '\t' || c == '.') continue;
    text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return text;
}

bool says_missing(const std::string& level) {
  static constexpr std::array<std::string_view, 10> kWords{
      "unknown", "missing", "notavailable", "notapplicable", "nodata",
      "na",      "none",    "null",         "nan",           "n/a"};
  const std::string word = plain(level);
  return word.empty() || std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

std::vector<SuspiciousCell> suspicious_words(Index column, const Column& is,
                                             const ColumnFacts& facts) {
  std::map<std::string, std::vector<std::size_t>> alike;
  std::vector<SuspiciousCell> cells;
  const auto add = [&](std::size_t level, std::string why) {
    cells.push_back(
        {column, is.levels[level], facts.rows[level], facts.first[level], std::move(why)});
  };
  for (std::size_t c = 0; c < is.levels.size() && c < facts.rows.size(); ++c) {
    if (facts.rows[c] == 0) continue;
    if (says_missing(is.levels[c])) {
      add(c, "may say 'missing'");
    } else {
      alike[plain(is.levels[c])].push_back(c);
    }
  }
  for (const auto& [word, levels] : alike) {
    if (levels.size() < 2) continue;
    const auto rarer = [&](std::size_t a, std::size_t b) { return facts.rows[a] < facts.rows[b]; };
    const std::size_t most = *std::max_element(levels.begin(), levels.end(), rarer);
    for (const std::size_t c : levels) {
      if (c == most) continue;
      add(c, fmt::format("'{}', in {}, but for capitals, blanks or dots", is.levels[most],
                         plural(facts.rows[most], "row")));
    }
  }
  return cells;
}

}  // namespace

std::vector<SuspiciousCell> suspicious_cells(Index column, const Column& is,
                                             const ColumnFacts& facts, bool dates) {
  if (is.kind == ColumnKind::kCategory) return suspicious_words(column, is, facts);
  if (facts.counts_up || facts.low.empty()) return {};
  return NumberCells(column, facts, dates).all();
}

}  // namespace craton
