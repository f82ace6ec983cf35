#pragma once
#include <memory>
#include <vector>

#include "craton/classes/counts/feature_sums.h"
#include "craton/classes/product/feature.h"
#include "craton/engine/fold.h"

// The statistics of features over the rows of each class: what models of mixed columns learn from.

namespace craton {

class ClassStatistics {
 public:
  // Borrows the source and the features. requires that the support of each holds its column.
  ClassStatistics(const Source& x, const std::vector<Feature>& features, Index classes);
  // What was summed elsewhere, by feature, then by class: to estimate from, not to go on with.
  ClassStatistics(std::vector<double> weight, std::vector<Statistics> statistics)
      : statistics_(std::move(statistics)), weight_(std::move(weight)) {}

  Index classes() const { return ssize(weight_); }
  const Statistics& of(std::size_t feature, std::size_t c) const {
    return statistics_[feature * weight_.size() + c];
  }
  Statistics of_all_classes(std::size_t feature) const;
  const std::vector<double>& weight() const { return weight_; }  // of the rows of each class
  // What the rows of each class have of the terms inside of them (bag.h); null: there are none.
  const std::shared_ptr<const NonzeroSums>& terms() const { return terms_; }
  void set_terms(NonzeroSums terms);
  // Their places among so many.
  void move_terms(std::span<const Index> places, Index count);
  Index unlabelled() const { return unlabelled_; }
  std::uint64_t hash() const { return hash_; }  // of the rows, labels and weights, in any order

  // Only some of the features, in the order given.
  ClassStatistics chosen(std::span<const std::size_t> features) const;
  // The rows of both.
  void add(const ClassStatistics& other);
  // As if those rows had not been there: InputError (kBadTarget) when they never were.
  void subtract(const ClassStatistics& other, const Source& x);
  // Makes room for codes that a column had not had before.
  void widen(std::span<const Feature> features);

  // What a model remembers of its rows, and back. InputError (kDamagedModel) for
  // numbers that no rows could have left.
  std::vector<double> to_values() const;
  static ClassStatistics from_values(std::span<const Feature> features, Index classes,
                                     std::span<const double> weight, std::span<const double> values,
                                     std::uint64_t hash);
  FeatureSums term_sums() const;  // beside these; requires terms

  // Rows that belong to every class, by the weights of each row, one for each class.
  void share(const Chunk& chunk, std::span<const double> weights);
  std::uint64_t unlabelled_hash() const { return unlabelled_hash_; }

  void accumulate(const Chunk& chunk);
  void merge(const ClassStatistics& next);
  void write(Writer& writer) const;
  void read(Reader& reader);
  Index words() const { return words_; }
  Merge merge_kind() const { return Merge::kTree; }

 private:
  ClassStatistics(std::span<const Feature> features, Index classes);
  std::vector<double> codes(std::size_t feature, const Chunk& chunk) const;

  const Source* x_ = nullptr;
  const std::vector<Feature>* features_ = nullptr;
  Index words_ = 0, unlabelled_ = 0;
  std::uint64_t hash_ = 0, unlabelled_hash_ = 0;
  std::vector<Statistics> statistics_;  // features x classes
  std::vector<double> weight_;
  std::shared_ptr<const NonzeroSums> terms_;
};

// One pass, and one for terms inside of the rows. requires that the support of each feature holds
// its column.
ClassStatistics find_class_statistics(Source& x, const std::vector<Feature>& features,
                                      Index classes, const Exec& exec);

}  // namespace craton
