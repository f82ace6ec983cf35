#include "craton/report/plots/word_plot.h"

#include <fmt/core.h>

#include "craton/base/error.h"
#include "craton/draw/bar_chart.h"
#include "craton/model/class_words.h"
#include "craton/report/words.h"

namespace craton {

std::string plot_words(const Fitted& fitted, const PlotStyle& style) {
  const std::optional<ResultTable> words = class_words(fitted);
  if (!words) {
    throw InputError(
        Code::kNotAble, {},
        fmt::format("{} does not say which words speak for what", fitted.info().name),
        {"Words are known of classifiers and clusters, without {}.", Ref::option("hashed")});
  }
  const ResultTable& table = *words;
  const bool labels = fitted.schema.target.has_value();
  const Index classes = fitted.model->classes();
  BarChart picture{.title = style.title};
  if (style.title.empty()) {
    picture.title =
        labels
            ? fmt::format("{} by {}: words", fitted.schema.target->name, fitted.info().name)
            : fmt::format("{} found by {}: words", plural(classes, "cluster"), fitted.info().name);
  }
  picture.subtitle = table.title;
  for (Index c = 0; c < classes; ++c) {
    const std::string name = label_name(fitted.schema, c);
    picture.panels.push_back({labels ? name : "cluster " + name});
    for (Index i = 0; i < table.rows(); ++i) {
      if (table.columns[0].words()->at(usize(i)) != name) continue;
      picture.panels.back().bars.push_back({table.find("word")->words()->at(usize(i)),
                                            table.find("weight")->numbers()->at(usize(i))});
    }
  }
  return draw_bar_chart(picture);
}

}  // namespace craton
