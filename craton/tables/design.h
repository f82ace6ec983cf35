#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "craton/base/options.h"
#include "craton/tables/formula.h"
#include "craton/tables/step.h"

// Rows to terms: the columns of the design matrix that a model is linear in,
//
//   t(x) = prod_j x_j^p_j  prod_k [x_k = level_k]
//
// of numbers x_j and categories x_k, for each term that is asked for (formula.h) and each
// combination of levels of its categories. Their names are those of the columns that a model sees:
// age^2, sex=male, sex=male:age.
//
// coding = one_hot: a column for every level. coding = reference: one level of a category, the most
// frequent or a named one, has no column where the columns would add up to those of other terms:
// the levels of sex to the intercept, those of sex:age to age. What is left out is as in patsy:
// every product is an expanded sum, a:b = 1 + a' + b' + a':b' with ' for "but the reference", of
// which what earlier terms, and the intercept, have is taken away, and what is left is gathered
// into as few products as can be. So sex:age without age has a slope for each level, not none for
// the reference; without an intercept, the first category has all levels.
//
// Rows are filled in and scaled first (preparation.h), as columns: age^2 with scale = standard is
// the square of the scaled age, which is far less like the age itself than that of numbers on one
// side of 0; indicators stay 0 and 1. A level counts as seen if a row of positive weight has it.
//
// Rows are sparse if the model takes such and few of many columns are not 0: see sparse().

namespace craton {

struct DesignOptions {
  enum class Coding { kReference, kOneHot };
  enum class Unseen { kError, kReference, kMissing };

  std::string terms = ".";
  Coding coding = Coding::kReference;
  std::string reference = "most_frequent";
  Unseen unseen = Unseen::kError;
  bool operator==(const DesignOptions&) const = default;
};

void describe(OptionVisitor& v, DesignOptions& o);
// Those among the options of a model.
DesignOptions design_of(std::span<const NamedOption> options);

// A whole number from 0 on, below `levels`.
bool is_code(double value, Index levels);

class Design final : public Step {
 public:
  static constexpr std::string_view kPrefix = "terms.";

  // What else is known of the fit.
  struct Setting {
    bool intercept = true;              // the model has one, beside the terms
    bool sparse = false;                // it takes sparse rows
    std::span<const double> fill = {};  // what stands in for missing values; empty: nothing does
  };
  // From rows as they are filled in and scaled; nothing where all columns are numbers and go to
  // the model as they are. InputError: terms or levels that are not there, a missing category.
  static std::optional<Design> learn(Source& x, const DesignOptions& options,
                                     const Setting& setting, const Exec& exec);

  std::vector<Parameter> parameters() const override;
  static std::optional<Design> from_parameters(std::span<const Parameter> parameters,
                                               Index outputs);
  static bool is_parameter(std::string_view name) { return name.starts_with(kPrefix); }

  std::unique_ptr<Step> copy() const override { return std::make_unique<Design>(*this); }
  std::string_view prefix() const override { return kPrefix; }
  Index inputs(Index) const override { return ssize(columns_); }
  Index outputs() const { return outputs_; }
  std::unique_ptr<Source> over(Source& x) const override;
  // What is made of a category that is missing, or is not known, is NaN.
  void do_row(const double* row, Index inputs, double* out) const override;
  const Affine* affine() const override { return nullptr; }
  double log_volume() const override { return 0; }  // rows of terms have no density
  Cause not_affine() const override;
  std::vector<ResultTable> tables(const Schema& schema) const override;
  std::optional<Schema> schema(const Schema& given) const override;
  bool fits(const Schema& given) const override;
  void add_up(std::span<const double> of_outputs, std::span<double> of_inputs) const override;

  bool sparse() const { return sparse_; }
  // A column that is made: its factors.
  struct Factor {
    Index column = 0;
    Index power = 1;   // of a number
    Index level = -1;  // of a category: a code; -1: it is a number
    auto operator<=>(const Factor&) const = default;
  };
  std::vector<Factor> factors(Index output) const;

  bool operator==(const Design& other) const { return parameters() == other.parameters(); }

 private:
  // More columns than that are a mistake, such as the name of each row as a category.
  static constexpr Index kMostDense = Index{1} << 15, kMostSparse = Index{1} << 20;
  friend class DesignedRows;  // over()

  // What a level is taken for that was not seen: another one, by its code, or
  static constexpr Index kRefused = -1, kNoLevel = -2, kMissing = -3;  // kNoLevel: zeros

  struct Given {  // a column
    bool category = false;
    Index levels = 0;                // of the schema
    std::vector<Index> seen = {};    // their codes, ascending; none of a column without a term
    std::vector<Index> places = {};  // of each code among those; -1: not seen
    Index reference = 0;             // its place
    Index unseen = kRefused;
  };
  // Some columns that are made together: those of a product, by level of its categories, the last
  // one's first.
  struct Part {
    struct Of {
      Index column = 0;
      Index power = 0;  // of a number; 0: a category
      bool all = true;  // its levels have columns, or all but the reference
    };
    std::vector<Of> factors = {};
    Index first = 0, width = 1;
  };
  // The one column of a part that is not 0, and its value; or
  struct Entry {
    Index at = 0;  // kZero: all are, kUnknown: a category is not known
    double value = 0;
    Index unknown = -1;  // which
  };
  static constexpr Index kZero = -1, kUnknown = -2;

  Entry entry(const Part& part, const double* row) const;
  Index place(const Given& column, double code) const;  // of a level among those seen, or as above
  Index width(const Part::Of& factor) const;
  Index lay_out();  // the parts' columns, one after the other: how many
  const Part& part_of(Index output) const;
  void check_width(const Source& x) const;  // InputError: too many columns
  double learn_levels(Source& x, const std::vector<ColumnProduct>& terms,
                      std::span<const NamedLevel> references, const DesignOptions& options,
                      const Setting& setting, const Exec& exec);
  std::vector<std::vector<Part>> reduced(const std::vector<ColumnProduct>& terms,
                                         bool intercept) const;

  std::vector<Given> columns_;
  std::vector<Part> parts_;
  Index outputs_ = 0;
  bool sparse_ = false;
};

}  // namespace craton
