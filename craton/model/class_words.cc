#include "craton/model/class_words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "craton/base/error.h"
#include "craton/model/fit_steps.h"

namespace craton {
namespace {

constexpr std::size_t kMostWords = 10;

// w of classes x words, and whether they are means.
struct Scores {
  Array w;
  bool means = false;
};

std::optional<Scores> scores_of(const AnyModel& model) {
  constexpr std::array<std::string_view, 3> kCentres{"cluster_centers", "centroids", "theta"};
  const Abilities& able = model.info().abilities;
  if (!able.predict) return std::nullopt;
  if (able.texts_beside) {  // whose words are no columns
    for (Parameter& p : model.parameters()) {
      const auto finite = [](double v) { return std::isfinite(v); };
      if (p.name != "term_log_prob" || !std::ranges::all_of(p.value.values, finite)) continue;
      return Scores{std::move(p.value)};
    }
    return std::nullopt;
  }
  if (able.linear_form) {
    try {
      return Scores{model.plain().linear_form().coef};
    } catch (const InputError&) {  // none that is finite, or variances that differ
    }
  }
  for (Parameter& p : model.parameters()) {
    if (std::ranges::find(kCentres, p.name) == kCentres.end()) continue;
    return Scores{std::move(p.value), true};
  }
  return std::nullopt;
}

}  // namespace

std::optional<ResultTable> class_words(const Fitted& fitted) {
  const TextStep* const text = text_of(*fitted.model);
  if (text == nullptr || text->options().hashed > 0) return std::nullopt;
  const std::optional<Scores> scores = scores_of(*fitted.model);
  if (!scores || scores->w.cols() != text->columns()) return std::nullopt;
  const std::size_t classes = usize(scores->w.rows()), words = usize(scores->w.cols());
  const std::vector<double>& w = scores->w.values;

  std::vector<double> sum(words), spread(words, 1.0);
  for (std::size_t at = 0; at < w.size(); ++at) sum[at % words] += w[at];
  for (std::size_t j = 0; j < words && !scores->means; ++j) {
    const double share = text->document_share(static_cast<Index>(j));
    spread[j] = std::sqrt(share * (1 - share));
  }
  ResultColumn::Words of_class, word;
  ResultColumn::Numbers weight;
  std::vector<double> weights(words);
  std::vector<std::size_t> order(words);
  const std::size_t top = std::min(kMostWords, words);
  for (std::size_t c = 0; c < classes; ++c) {
    for (std::size_t j = 0; j < words; ++j) {
      const double own = w[c * words + j];
      const double others = classes > 1 ? (sum[j] - own) / static_cast<double>(classes - 1) : 0;
      weights[j] = spread[j] * (own - others);
    }
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::partial_sort(order.begin(), order.begin() + static_cast<Index>(top), order.end(),
                      [&](std::size_t a, std::size_t b) {
                        return weights[a] != weights[b] ? weights[a] > weights[b] : a < b;
                      });
    for (const std::size_t j : std::span(order).first(top)) {
      if (!(weights[j] > 0)) break;
      of_class.push_back(label_name(fitted.schema, static_cast<Index>(c)));
      word.push_back(text->term(static_cast<Index>(j)));
      weight.push_back(weights[j]);
    }
  }
  ResultTable table{"words", scores->means
                                 ? "words that lie farthest above the mean of the other centres"
                                 : "words that speak most for each class: log-odds against the "
                                   "others, for a standard deviation of the word's presence"};
  table.add_words(fitted.schema.target ? "class" : "cluster", std::move(of_class));
  table.add_words("word", std::move(word));
  table.add_numbers("weight", std::move(weight));
  return table;
}

}  // namespace craton
