#pragma once
#include <cmath>
#include <optional>

#include "craton/base/options.h"
#include "craton/base/report.h"
#include "craton/base/source.h"
#include "craton/engine/exec.h"
#include "craton/tables/step.h"

// What is done to rows before a model sees them: learned from the rows of the fit, kept with the
// model, and done again to all that it is given later.
//
//   x  ->  missing values filled in  ->  (x - centre) / scale, by column  ->  x / |x|, by row
//
// Categories are filled in with the most frequent one, and otherwise left alone.

namespace craton {

struct PreparationOptions {
  enum class Fill { kNone, kMean, kMedian, kMostFrequent, kValue };
  enum class Scale { kNone, kStandard, kRobust, kMinMax, kMaxAbs };
  enum class UnitRows { kNone, kL1, kL2, kMax };

  Fill fill = Fill::kNone;
  double fill_value = 0;
  Scale scale = Scale::kNone;
  UnitRows unit_rows = UnitRows::kNone;

  bool any() const {
    return fill != Fill::kNone || scale != Scale::kNone || unit_rows != UnitRows::kNone;
  }
  bool operator==(const PreparationOptions&) const = default;
};

void describe(OptionVisitor& v, PreparationOptions& o);

// Those among the options of a model.
PreparationOptions preparation_of(std::span<const NamedOption> options);
bool fills(std::span<const NamedOption> options);  // missing values, that is
bool is_preparation(std::string_view option);      // by name

// Sparse rows, and a step that would make them dense.
[[noreturn]] void refuse_moving(const Source& x);

class Preparation final : public Step {
 public:
  static constexpr std::string_view kPrefix = "prepare.";

  // InputError names a column that cannot be scaled, or has no value to fill in.
  static Preparation learn(Source& x, const PreparationOptions& options, const Exec& exec);

  // As a model file has them, before those of the model; and back. Nothing, when there are none.
  std::vector<Parameter> parameters() const override;
  static std::optional<Preparation> from_parameters(std::span<const Parameter> parameters,
                                                    Index columns);
  static bool is_parameter(std::string_view name);

  std::unique_ptr<Step> copy() const override { return std::make_unique<Preparation>(*this); }
  std::string_view prefix() const override { return kPrefix; }
  std::unique_ptr<Source> over(Source& x) const override;
  void do_row(const double* row, Index columns, double* out) const override {
    prepare(row, columns, out);
  }
  const Affine* affine() const override { return unit_rows() ? nullptr : &map_; }
  double log_volume() const override { return map_.log_volume(); }
  Cause not_affine() const override {
    return {"unit_rows", "rows are divided by their lengths",
            "at length 1 they have lost their own"};
  }

  const std::vector<double>& fill() const { return fill_; }  // by column; empty: not done
  bool scales() const { return !map_.scale.empty(); }
  bool unit_rows() const { return unit_rows_ != PreparationOptions::UnitRows::kNone; }
  // Zeros stay zeros, so sparse rows stay sparse.
  bool keeps_zeros() const { return map_.centre.empty(); }
  double centre(Index column) const { return map_.centre_of(column); }
  double scale(Index column) const { return map_.scale_of(column); }

  // One row of `columns` values, or of the entries of some columns; in place if need be.
  template <class T>
  void prepare(const T* row, Index columns, double* out) const {
    for (Index j = 0; j < columns; ++j) out[j] = moved(static_cast<double>(row[j]), usize(j));
    if (unit_rows()) divide_by_length(out, columns);
  }
  template <class T>
  void prepare(const T* entries, const std::int32_t* columns, Index count, double* out) const {
    for (Index e = 0; e < count; ++e) {
      out[e] = moved(static_cast<double>(entries[e]), usize(columns[e]));
    }
    if (unit_rows()) divide_by_length(out, count);
  }
  std::vector<ResultTable> tables(const Schema& schema) const override;
  bool operator==(const Preparation& other) const {
    return fill_ == other.fill_ && map_ == other.map_ && unit_rows_ == other.unit_rows_;
  }

 private:
  double moved(double value, std::size_t column) const {
    if (!fill_.empty() && std::isnan(value)) value = fill_[column];
    if (!map_.centre.empty()) value -= map_.centre[column];
    return map_.scale.empty() ? value : value / map_.scale[column];
  }
  void divide_by_length(double* row, Index count) const;
  void learn_fill(Source& x, const PreparationOptions& options, const Exec& exec);
  void learn_scale(Source& x, PreparationOptions::Scale how, const Exec& exec);

  std::vector<double> fill_;  // by column; empty: not done
  Affine map_;                // the scaling
  PreparationOptions::UnitRows unit_rows_ = PreparationOptions::UnitRows::kNone;
};

}  // namespace craton
