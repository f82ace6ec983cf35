#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "craton/families/bandwidth.h"
#include "craton/families/choose.h"
#include "craton/families/kde.h"
#include "craton/model/registry.h"

// The density of each column by itself: p(row) = prod_j p_j(x_j | theta_j), where p_j is of one
// family, given or chosen by BIC or AIC among those that hold the column's values, and theta_j its
// maximum likelihood estimate; or a kernel about each value (families/kde.h), of which nothing
// counts the parameters. Standard errors are from Fisher's information.

namespace craton {

class Density {
 public:
  static constexpr std::string_view kName = "density";
  static constexpr std::string_view kPythonName = "Density";
  static constexpr std::string_view kHelp = "a family of distributions for each column";
  static constexpr std::string_view kObjective = "mean log-likelihood";
  static constexpr TargetKind kTarget = TargetKind::kNone;
  static constexpr ScoreKind kScore = ScoreKind::kLogDensity;
  static const Usage kUsage;

  // The first is chosen from the data; the others are in the order of families().
  enum class Choice {
    kAuto,
    kGaussian,
    kLaplace,
    kStudentT,
    kUniform,
    kVonMises,
    kExponential,
    kGamma,
    kLogNormal,
    kWeibull,
    kBeta,
    kBernoulli,
    kBinomial,
    kPoisson,
    kGeometric,
    kNegativeBinomial,
    kCategorical,
    kKde
  };
  struct Options {
    Choice family = Choice::kAuto;
    Criterion criterion = Criterion::kBic;
    Index trials = 0;  // of the binomial family
    Bandwidth bandwidth = {};
  };

  static Fit<Density> fit(Source& x, const Options& options, const Exec& exec);

  Index columns() const { return std::ssize(chosen_); }
  const Candidate& column(Index j) const { return chosen_[usize(j)]; }
  void score_samples(Source& x, std::span<double> log_density, const Exec& exec) const;
  Index row_work() const { return 0; }
  double score_row(const double* row, double* work) const;  // registry.h
  // 0, then log p of each column: registry.h. The label is 0.
  void contributions(const Chunk& chunk, Index row, Index label, std::span<double> out) const;
  double score(Source& x, const Exec& exec) const;
  Sample sample(Index rows, std::uint64_t seed) const;
  Index free_parameters(const Options& options) const;
  bool counts_parameters() const;

  void visit_parameters(ParameterVisitor& v) const;
  static Density from_parameters(const ParameterList& parameters);
  std::vector<ResultTable> tables(const Schema& schema) const;
  std::vector<ResultTable> more_tables(const Schema& schema) const;  // registry.h

 private:
  // All that were compared, by column, the best first.
  explicit Density(std::vector<std::vector<Candidate>> compared);

  std::vector<Candidate> chosen_;                 // one a column
  KernelLines lines_;                             // of those; null for other families
  std::vector<std::vector<Candidate>> compared_;  // those first, and what they were better than
};

void describe(OptionVisitor& v, Density::Options& o);

}  // namespace craton
