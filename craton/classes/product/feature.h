#pragma once
#include <span>
#include <string>
#include <vector>

#include "craton/families/kde.h"

// What one column of a row is, given its class: a family, with parameters for each class.
//
// A column of numbers may be cut into buckets, which are categories then:
//
//   p(x | class) = p(bucket of x | class) / width of the bucket
//
// Missing values (NaN), and categories that were never seen, add nothing to log p(x | class).

namespace craton {

struct Feature {
  Index column = 0;
  const Family* family = nullptr;
  Index levels = 0;               // of categories and buckets
  bool buckets = false;           // then family is the categorical one, and
  std::vector<double> cuts = {};  // x lies in the bucket after all cuts <= x
  double low = 0, high = 0;       // the ends of the first and the last bucket

  bool categories() const { return levels > 0; }
  std::string name() const;  // "gamma", "5 buckets"
  double log_width(Index bucket) const;
  std::pair<double, double> ends(Index bucket) const;
  bool operator==(const Feature&) const = default;
};

// The most levels that a column of codes may have.
inline constexpr Index kMostLevels = 1 << 16;

// Numbers become the numbers of their buckets, and numbers that are no code of the feature become
// NaN.
void encode(const Feature& feature, std::span<double> values);

// log p(x_j | class) of the columns of a chunk.
class FeatureScores {
 public:
  FeatureScores() = default;
  // parameters[f * classes + c]: of feature f in class c.
  FeatureScores(std::vector<Feature> features, std::vector<Parameters> parameters, Index classes);

  const std::vector<Feature>& features() const { return features_; }
  const std::vector<Parameters>& parameters() const { return parameters_; }
  const Parameters& of(std::size_t feature, std::size_t c) const {
    return parameters_[feature * classes_ + c];
  }

  // What is made ready of the kernels of a feature (families/kde.h); null for other families.
  const std::shared_ptr<const KernelLine>& line(std::size_t feature, std::size_t c) const {
    return lines_[feature * classes_ + c];
  }
  // Of a level of categories or buckets.
  double log_p(std::size_t feature, std::size_t level, std::size_t c) const {
    return tables_[feature][level * classes_ + c];
  }
  // Adds log p(x_ij | c) of feature j to out[i * classes + c], for each row i and class c.
  void add(std::size_t feature, const Matrix& x, std::span<double> out) const;

 private:
  std::size_t classes_ = 0;
  std::vector<Feature> features_;
  std::vector<Parameters> parameters_;
  std::vector<std::vector<double>> tables_;  // of categories: levels x classes
  KernelLines lines_;                        // as parameters_
};

}  // namespace craton
