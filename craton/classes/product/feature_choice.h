#pragma once
#include <string>

#include "craton/base/report.h"
#include "craton/classes/labelled_sample.h"
#include "craton/classes/product/feature_estimates.h"

// Which family each column of labelled rows has: as the user says, or by the data.
//
// Of the families that hold all values of a column of numbers, the one with the least BIC,
//
//   k log n - 2 sum log p(x_j | label),    k parameters, n rows.
//
// (Not those with ends, heavy tails or a sharp top, which a few rows, or ties, would decide for.)
// Buckets, cut where the labels change, take its place if the column by itself predicts the label
// better with them, by Akaike's criterion: 2 k - 2 sum log p(label | x_j).

namespace craton {

struct FeatureChoice {
  // One word for all columns of numbers, or column=word, ...: a family, auto, equal-width,
  // equal-frequency or mdl.
  std::string family = "auto";
  Index n_buckets = 10;  // of equal width or frequency
  Smoothing smoothing;
  // Labels are guesses: no buckets by them, nor families that keep every value unless asked for.
  bool by_labels = true;
};

// For rows that are shared among classes which learn from them: InputError (kBadOption) for a
// family that keeps values, of which EM would leave each its own kernel alone.
void check_shared(const std::string& family, const Schema& schema);

// InputError for an unknown word, and (kOutsideSupport) for a value that its family cannot have.
std::vector<Feature> choose_features(Source& x, std::span<const Extent> extents,
                                     const FeatureChoice& choice, const Exec& exec);

// The same, by labelled rows that are given.
std::vector<Feature> choose_features(Source& x, std::span<const Extent> extents,
                                     const FeatureChoice& choice, const LabelledSample& sample,
                                     Index classes, const Exec& exec);

// Codes in every column; its table has room for at least `least` of them.
std::vector<Feature> categorical_features(Source& x, std::span<const Extent> extents,
                                          std::span<const Index> least, const Exec& exec);

// For rows that a model learns on from: InputError (kOutsideSupport) as above. Codes beyond those
// of the model make room, in columns of numbers.
void check_features(Source& x, std::vector<Feature>& features, const Exec& exec);

// "age: gamma, hours: 5 buckets", for people.
std::string listed(std::span<const Feature> features, const Schema& schema);

}  // namespace craton
