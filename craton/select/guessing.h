#pragma once
#include <optional>

#include "craton/select/cross_validation.h"

namespace craton {

// What a model of labels must beat: always the commonest one, and, as probabilities, always the
// shares of the labels, by weight; both known beforehand.
struct Guessing {
  std::int32_t label = 0;  // the commonest, the first of equals
  double accuracy = 0, log_loss = 0;
};

// None where rows have no labels.
std::optional<Guessing> find_guessing(Source& x, const Exec& exec);

// The same of a model of numbers: always the mean of the targets, by weight. Its R^2 is 0.
struct MeanGuess {
  double mean = 0, squared_error = 0, absolute_error = 0;
};
std::optional<MeanGuess> find_mean_guess(Source& x, const Exec& exec);

// Guessing as a model is measured: the commonest label, the shares or the mean are those of the
// rows that a fold learns from. NaN: a metric that asks for more than labels, their probabilities
// or numbers, or is not defined, and recall, which one label for all makes 1. Empty: rows have
// neither labels nor numbers.
Results measure_guessing(Source& x, std::span<const Folds> splits, const Measuring& measuring,
                         const Exec& exec);

}  // namespace craton
