#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "craton/base/error.h"
#include "craton/base/random.h"
#include "craton/families/terms.h"

// A family is a set of distributions p(x | theta) of one number, with what is needed to learn
// theta: statistics of the values, and their estimate.
//
// By itself a family is a value that reads like the maths, Poisson{3.5}.log_density(2); here it is
// one of a table, chosen by name, and works on blocks of values, one virtual call each. Naive
// Bayes, mixtures and plates are written against this class. (Families of vectors: multinomial.h,
// dirichlet.h, multivariate_gaussian.h.)
//
// Most have a few parameters. The families of categories and of kernels (categorical.h, kde.h) have
// as many as there are levels, or values: their headers say in which order.
//
// NaN in a block is a missing value: accumulate() skips it, log_density() is 0 there, so that it
// says nothing; cdf() is NaN there.

namespace craton {

struct Note;
enum class BandwidthRule : std::int8_t;  // bandwidth.h

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A count is a whole number up to this: beyond it doubles leave some out.
inline constexpr double kGreatestCount = 0x1p53;
// How far from 0 locations and scales may be: what is computed from them stays finite.
inline constexpr double kFarthest = 1e300, kNearest = 1e-300;

using Parameters = std::vector<double>;  // in the order of FamilyInfo::parameters

enum class Support {
  kReal,
  kPositive,     // x > 0
  kNonNegative,  // x >= 0
  kUnit,         // 0 < x < 1
  kCounts,       // 0, 1, 2, ..., kGreatestCount
  kBinary,       // 0 or 1
  kAngle,        // radians, any number
  kCategory,     // a code 0, 1, ..., levels - 1
};
bool holds(Support support, double x);      // NaN and infinities lie outside every support
std::string_view to_text(Support support);  // "positive numbers"

struct ParameterInfo {
  std::string_view name, help;
  // The least and the greatest that may be: beyond them digits are gone in what is computed. Where
  // the textbook has 0 < shape < infinity these are numbers that no table gives rise to.
  double low, high;
};

struct FamilyInfo {
  std::string_view name, help;
  Support support;
  // Of a category: one, which stands for that of every level.
  std::span<const ParameterInfo> parameters;
  // What must be told, as no estimate exists: the first so many of the parameters.
  int told = 0;
  // Of values: the parameters are as many as those, and stand for one of each kind. Nothing counts
  // them, so neither AIC nor BIC compares the family with others, and EM would leave each value its
  // own kernel alone.
  bool keeps_values = false;
};

// A parameter, or what stands for many, for people.
struct NamedNumber {
  std::string name;
  double value;
};

// The prior is rows that nobody saw: m rows whose mean statistics are p, and the estimate is that
// of data and these rows together. For an exponential family it is the mode under the conjugate
// prior. prior.h makes it from Laplace's rule, m-estimates and textbook hyperparameters.
struct Prior {
  std::optional<Statistics> rows;
  // Rows that tell the width only: a normal-inverse-gamma prior has more or less of them than of
  // those that tell the mean.
  double spread_rows = 0;
};

struct Estimation {
  Prior prior = {};
  // Parameters that are known; NaN: to be estimated. Empty: all are.
  std::vector<double> known = {};
  // Equal values, or one, have no width, and a density would be infinite. The standard deviation is
  // at least this; 0: at least the last places of the values, 4 eps |mean|, or of 1 if all are 0.
  double least_spread = 0;
  BandwidthRule bandwidth{};           // of kernels; the first is Scott's
  std::vector<Note>* notes = nullptr;  // gains what is worth telling of an estimate

  bool knows(std::size_t parameter) const {
    return parameter < known.size() && !std::isnan(known[parameter]);
  }
};

// An exponential family: log p(x) = natural . sufficient(x) - log_partition + log_base(x).
struct Natural {
  std::vector<double> natural;
  double log_partition = 0;
};
struct Sufficient {
  std::vector<double> sufficient;
  double log_base = 0;
};

class Family {
 public:
  explicit Family(const FamilyInfo& info) : info_(&info) {}
  virtual ~Family() = default;
  const FamilyInfo& info() const { return *info_; }
  std::string_view name() const { return info_->name; }
  std::vector<std::string> parameter_names(Index levels = 0) const;
  // Without those that must be told; 0 where nothing counts them.
  Index free_parameters(Index levels = 0) const;
  // What to tell people of such parameters: by default, all of them.
  virtual std::vector<NamedNumber> summary(std::span<const double> parameters) const;

  // `levels` is asked for by kCategory only.
  virtual Statistics empty(Index levels = 0) const = 0;
  // requires that support() holds each value, or it is NaN; weights >= 0, none: all are 1.
  virtual void accumulate(std::span<const double> values, std::span<const double> weights,
                          Statistics& statistics) const = 0;
  // requires weight(statistics) > 0, that of the prior included. Never NaN: what has no maximum is
  // kept at the bound that the family's header states.
  virtual Parameters estimate(const Statistics& statistics, const Estimation& how = {}) const = 0;
  virtual bool valid(std::span<const double> parameters) const = 0;

  // All below require valid(parameters). Values outside the support have log density -inf.
  virtual void log_density(std::span<const double> values, std::span<const double> parameters,
                           std::span<double> out) const = 0;
  virtual void cdf(std::span<const double> values, std::span<const double> parameters,
                   std::span<double> out) const = 0;
  // The least x with cdf(x) >= p; requires 0 <= p <= 1.
  virtual void quantile(std::span<const double> p, std::span<const double> parameters,
                        std::span<double> out) const = 0;
  virtual void sample(std::span<const double> parameters, Random& random,
                      std::span<double> out) const = 0;
  // Of a category: of its code. Infinite or NaN where there is none.
  virtual double mean(std::span<const double> parameters) const = 0;
  virtual double variance(std::span<const double> parameters) const = 0;
  virtual double entropy(std::span<const double> parameters) const = 0;  // differential, in nats
  // Of estimates from so many rows, by the inverse of Fisher's information; NaN where the usual
  // theory does not hold (the ends of a uniform distribution) and of what must be told.
  virtual Parameters standard_errors(std::span<const double> parameters, double weight) const = 0;

  // Nothing for a family that is not exponential.
  virtual std::optional<Natural> natural(std::span<const double> parameters) const = 0;
  virtual std::optional<Sufficient> sufficient(double x,
                                               std::span<const double> parameters) const = 0;
  // The parameters of natural ones; `like` has those that must be told.
  virtual Parameters from_natural(std::span<const double> natural,
                                  std::span<const double> like) const = 0;

  // For programs over blocks of rows (classes/product/product_program.h), where T and h have no
  // parameters. sufficient(x)[i] is term terms()[i] of the statistics (terms.h); none: no such
  // family.
  virtual std::span<const int> terms() const { return {}; }
  virtual Moves moves() const { return Moves::kNot; }
  // The distribution of z, whose log-density is that of x plus log(unit). requires that it moves
  // so.
  virtual Parameters moved(std::span<const double> parameters, const Coordinate& at) const;
  // out[i] += log h(z[i]); and h where it is the same everywhere.
  virtual void add_log_base(std::span<const double>, std::span<double>) const {}
  virtual std::optional<double> constant_log_base() const { return std::nullopt; }

 private:
  const FamilyInfo* info_;
};

std::span<const Family* const> families();         // every one, in the order of families.cc
const Family* find_family(std::string_view name);  // null: there is none
const Family& get_family(std::string_view name);   // else InputError with did-you-mean

// Parameters may be valid, and so large that nothing can be computed from them.
bool within_reach(const Family& family, std::span<const double> parameters);

// The first value outside the support, missing ones aside; -1: none.
Index first_outside(const Family& family, std::span<const double> values);

// Where some values lie: what a message, or a guess, needs to know of them.
struct Extent {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  bool integers = true;

  void add(std::span<const double> values);  // NaN is skipped
  void merge(const Extent& next);
};
bool holds(Support support, const Extent& extent);  // all such values
// The families whose support holds all such values, the narrowest support first. Categories and
// angles, which any code or number could be, are left out.
std::vector<const Family*> families_that_hold(const Extent& extent);

// InputError (kOutsideSupport): the value, the rule, and the families that would fit the column.
[[noreturn]] void fail_support(const Family& family, double value, const Place& place,
                               const Extent& column);

}  // namespace craton
