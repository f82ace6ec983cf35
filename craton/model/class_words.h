#pragma once
#include <optional>

#include "craton/model/registry.h"

// The words that speak most for each class of a model of texts:
//
//   weight_cj = s_j (w_cj - mean over b != c of w_bj),   s_j = sqrt(p_j (1 - p_j))
//
// where w_cj is what one occurrence of word j adds to the score of class c (of naive Bayes log p(j
// | c), of logistic regression the coefficient) and p_j the share of the documents of the fit that
// have the word: log-odds against the other classes, for a standard deviation of the word's
// presence. Neither rare words nor those of all documents win.
//
// Of centres, such as those of k-means, w_cj is the mean of column j, where rare words are small
// already: s_j = 1.

namespace craton {

// (class, word, weight), at most 10 words a class, those with the greatest weights above 0. Nothing
// of a model that has no words, or no classes, or whose scores are not linear in the counts.
std::optional<ResultTable> class_words(const Fitted& fitted);

}  // namespace craton
