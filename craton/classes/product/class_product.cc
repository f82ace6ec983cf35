#include "craton/classes/product/class_product.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "craton/base/digits.h"
#include "craton/base/random.h"
#include "craton/classes/bayes_rule.h"
#include "craton/classes/class_prior.h"

// Rows are scored in blocks, by a program made once from the parameters (product_program.h).

namespace craton {

ClassProduct::ClassProduct(Array class_log_prior, std::vector<Feature> features,
                           std::vector<Parameters> parameters, std::optional<Bag> bag)
    : class_log_prior_(std::move(class_log_prior)),
      scores_(std::move(features), std::move(parameters), class_log_prior_.rows()),
      program_(class_log_prior_.values, scores_),
      bag_(std::move(bag)) {}

bool ClassProduct::operator==(const ClassProduct& other) const {
  return class_log_prior_ == other.class_log_prior_ && features() == other.features() &&
         scores_.parameters() == other.scores_.parameters() && bag_ == other.bag_;
}

void ClassProduct::joint(const Chunk& chunk, std::span<double> out) const {
  joint_of_columns(chunk, out);
  if (!bag_) return;
  std::vector<double> of_terms(out.size());
  bag_->find(chunk, of_terms);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += of_terms[i];
}

void ClassProduct::joint_of_columns(const Chunk& chunk, std::span<double> out) const {
  constexpr Index kRows = static_cast<Index>(kProgramRows);
  const std::size_t k = usize(classes());
  ProductBlock block(program_);
  for (Index first = 0; first < chunk.rows(); first += kRows) {
    const Index count = std::min(kRows, chunk.rows() - first);
    block.load(chunk.x, first, count);
    const double* const joint = block.find_joint();
    for (std::size_t b = 0; b < usize(count); ++b) {
      double* const row = &out[(usize(first) + b) * k];
      for (std::size_t z = 0; z < k; ++z) row[z] = joint[z * kProgramRows + b] + block.base()[b];
    }
  }
}

// One row by itself: a block of it alone, on memory that is lent.

bool ClassProduct::joint_row(const double* row, double* work, std::span<double> out) const {
  const auto number = [](double v) { return std::isfinite(v); };
  if (bag_ || !std::all_of(row, row + columns(), number)) return false;
  ProductBlock block(program_, work);
  block.load(Dense<double>{row, 1, columns(), columns()}, 0, 1);
  const double* const joint = block.find_joint();
  for (std::size_t z = 0; z < out.size(); ++z) out[z] = joint[z * kProgramRows] + block.base()[0];
  return true;
}

// The block lies first in the work: it must begin on a 64-byte boundary.
std::int32_t ClassProduct::predict_row(const double* row, double* work) const {
  const std::span<double> joint(work + ProductBlock::size(program_), usize(classes()));
  return joint_row(row, work, joint) ? best_class(joint) : -1;
}

bool ClassProduct::predict_log_proba_row(const double* row, double* work, double* out) const {
  const std::span<double> joint(out, usize(classes()));
  return joint_row(row, work, joint) && normalise(joint, work);
}

double ClassProduct::score_row(const double* row, double* work) const {
  const std::span<double> joint(work + ProductBlock::size(program_), usize(classes()));
  return joint_row(row, work, joint) ? log_sum(joint) : NAN;
}

bool ClassProduct::joint_entries(const Inner& row, double* work, std::span<double> out) const {
  if (columns() > 0) return false;
  std::ranges::copy(class_log_prior_.values, out.begin());
  return bag_->add_row(row, work, out);
}

std::int32_t ClassProduct::predict_entries(const Inner& row, double* work) const {
  const std::span<double> joint(work, usize(classes()));
  return joint_entries(row, work + classes(), joint) ? best_class(joint) : -1;
}

bool ClassProduct::predict_log_proba_entries(const Inner& row, double* work, double* out) const {
  const std::span<double> joint(out, usize(classes()));
  return joint_entries(row, work, joint) && normalise(joint, work);
}

void ClassProduct::contributions(const Chunk& chunk, Index row, Index label,
                                 std::span<double> out) const {
  const Matrix one = slice(chunk.x, {row, row + 1});
  std::vector<double> terms(usize(classes()));
  out[0] = class_log_prior_.values[usize(label)];
  for (std::size_t j = 0; j < features().size(); ++j) {
    std::ranges::fill(terms, 0.0);
    scores_.add(j, one, terms);
    out[j + 1] = terms[usize(label)];
  }
  if (bag_) bag_->contributions(chunk, row, label, out.subspan(features().size() + 1));
}

Index ClassProduct::free_parameters() const {
  Index sum = bag_ ? classes() * (bag_->terms() - 1) : 0;
  for (const Feature& f : features()) sum += classes() * f.family->free_parameters(f.levels);
  return sum;
}

bool ClassProduct::counts_parameters() const {
  return std::ranges::none_of(features(),
                              [](const Feature& f) { return f.family->info().keeps_values; });
}

Sample ClassProduct::sample(Index rows, std::uint64_t seed) const {
  const std::size_t d = features().size();
  Sample sample{{{rows, columns()}, std::vector<double>(usize(rows) * d)},
                std::vector<std::int32_t>(usize(rows))};
  std::vector<double> prior;
  for (const double log_p : class_log_prior_.values) prior.push_back(std::exp(log_p));
  for (std::size_t i = 0; i < usize(rows); ++i) {
    Random random(seed, Purpose::kSample, 0, i);
    const Index z = random.categorical(prior);
    sample.labels[i] = static_cast<std::int32_t>(z);
    for (std::size_t j = 0; j < d; ++j) {
      const Feature& feature = features()[j];
      double& value = sample.x.values[i * d + j];
      if (const auto& line = scores_.line(j, usize(z))) {
        value = line->sample(random);
        continue;
      }
      feature.family->sample(scores_.of(j, usize(z)), random, std::span(&value, 1));
      if (!feature.buckets) continue;
      const auto [from, to] = feature.ends(static_cast<Index>(value));
      value = from + (to - from) * random.uniform();
    }
  }
  return sample;
}

// What was learned, as arrays for model files.

namespace {

// A whole number in [low, high], or the file is damaged.
Index whole(double value, double low, double high, const char* what) {
  if (value == std::floor(value) && value >= low && value <= high) return static_cast<Index>(value);
  fail_parameters(fmt::format("{} is not a whole number from {} to {}", what, low, high));
}

double place_of(const Family* family) {
  const auto all = families();
  return static_cast<double>(std::ranges::find(all, family) - all.begin());
}

}  // namespace

// A line for each column: the place of its family, levels, is it buckets, how many cuts, the ends;
// then, column after column, its cuts and its parameters, class after class. Those of kernels, of
// which there are as many as values, come after their number.
void ClassProduct::visit_parameters(ParameterVisitor& v) const {
  Array lines{{columns(), 6}, {}}, values;
  for (std::size_t j = 0; j < features().size(); ++j) {
    const Feature& f = features()[j];
    lines.values.insert(lines.values.end(),
                        {place_of(f.family), static_cast<double>(f.levels), f.buckets ? 1.0 : 0.0,
                         static_cast<double>(f.cuts.size()), f.low, f.high});
    values.values.insert(values.values.end(), f.cuts.begin(), f.cuts.end());
    for (Index c = 0; c < classes(); ++c) {
      const Parameters& theta = scores_.of(j, usize(c));
      if (f.family->info().keeps_values) values.values.push_back(static_cast<double>(theta.size()));
      values.values.insert(values.values.end(), theta.begin(), theta.end());
    }
  }
  values.shape = {std::ssize(values.values)};
  v.doubles("class_log_prior", "log probability of each class", class_log_prior_);
  if (bag_) bag_->visit_parameters(v);
  if (columns() == 0) return;
  v.doubles("features",
            "of each column: the place of its family, levels, whether they are buckets, number of "
            "cuts, least and greatest value of buckets",
            std::move(lines));
  v.doubles("values",
            "of each column: its cuts, and its parameters, class after class; of kernels their "
            "number comes first",
            std::move(values));
}

ClassProduct ClassProduct::from_parameters(const ParameterList& parameters) {
  const ArrayView prior = parameters.doubles("class_log_prior", {-1});
  std::optional<Bag> bag;
  if (Bag::is_in(parameters)) {
    check_log_prior(prior.values);
    bag = Bag::from_parameters(parameters, prior.rows());
    if (!parameters.has("features")) return ClassProduct(prior.copy(), {}, {}, std::move(bag));
  }
  const ArrayView lines = parameters.doubles("features", {-1, 6});
  const ArrayView values = parameters.doubles("values", {-1});
  check_log_prior(prior.values);
  if (lines.empty()) fail_parameters("there are no columns");
  const auto all = families();
  std::size_t at = 0;
  const auto take = [&](std::size_t count) {
    if (count > values.values.size() - at) fail_parameters("there are too few values");
    const auto first = values.values.begin() + static_cast<Index>(at);
    at += count;
    return std::vector<double>(first, first + static_cast<Index>(count));
  };
  std::vector<Feature> features;
  std::vector<Parameters> thetas;
  for (Index j = 0; j < lines.rows(); ++j) {
    const double* line = lines.view().row(j);
    Feature f{.column = j};
    f.family = all[usize(whole(line[0], 0, static_cast<double>(all.size() - 1), "a family"))];
    const bool category = f.family->info().support == Support::kCategory;
    const double most = category ? static_cast<double>(kMostLevels) : 0;
    f.levels = whole(line[1], category ? 1 : 0, most, "a number of levels");
    f.buckets = whole(line[2], 0, category ? 1 : 0, "the mark of buckets") == 1;
    const double inner = f.buckets ? static_cast<double>(f.levels - 1) : 0;
    f.cuts = take(usize(whole(line[3], inner, inner, "a number of cuts")));
    f.low = line[4];
    f.high = line[5];
    std::vector<double> ends = f.cuts;
    ends.insert(ends.begin(), f.low);
    ends.push_back(f.high);
    const bool ascend = f.cuts.empty() ? f.low <= f.high : std::ranges::is_sorted(ends);
    const bool finite = std::ranges::all_of(ends, [](double v) { return std::isfinite(v); });
    if (!finite || !ascend || !(std::isfinite(f.high - f.low)))
      fail_parameters("the buckets of a column make no sense");
    std::size_t count = category ? usize(f.levels) : f.family->info().parameters.size();
    for (Index c = 0; c < prior.rows(); ++c) {
      if (f.family->info().keeps_values) {
        const auto left = static_cast<double>(values.values.size());
        count = usize(whole(take(1)[0], 0, left, "a number of parameters"));
      }
      thetas.push_back(take(count));
      const Parameters& theta = thetas.back();
      if (!f.family->valid(theta) || (!category && !within_reach(*f.family, theta))) {
        fail_parameters(fmt::format("the parameters of a {} family are not valid", f.name()));
      }
    }
    features.push_back(std::move(f));
  }
  if (at != values.values.size()) {
    fail_parameters("there are more values than columns use");
  }
  return ClassProduct(prior.copy(), std::move(features), std::move(thetas), std::move(bag));
}

// What was learned, for people.

namespace {

constexpr Index kMostClassesShown = 6;
constexpr std::size_t kMostShown = 4;

std::string short_number(double value) { return shown_beside(value, 0, 4); }

std::string level_name(const Feature& feature, const Schema& schema, Index level) {
  if (feature.buckets) {
    const auto [from, to] = feature.ends(level);
    if (level == 0) return fmt::format("< {}", short_number(to));
    if (level + 1 == feature.levels) return fmt::format(">= {}", short_number(from));
    return fmt::format("{} to {}", short_number(from), short_number(to));
  }
  const Column column = schema.column(feature.column);
  return usize(level) < column.levels.size() ? column.levels[usize(level)] : std::to_string(level);
}

// "mean 3.1, variance 0.2"; of categories, the most probable.
std::string shown(const Feature& feature, const Schema& schema, const Parameters& theta) {
  std::string text;
  const auto add = [&](const std::string& name, double value) {
    text += (text.empty() ? "" : ", ") + name + " " + short_number(value);
  };
  if (!feature.categories()) {
    for (const auto& [name, value] : feature.family->summary(theta)) add(name, value);
    return text;
  }
  std::vector<std::size_t> order(theta.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return theta[a] > theta[b]; });
  for (std::size_t i = 0; i < std::min(order.size(), kMostShown); ++i) {
    add(level_name(feature, schema, static_cast<Index>(order[i])), theta[order[i]]);
  }
  return text + (order.size() > kMostShown ? ", ..." : "");
}

// Where the values of a column of numbers lie in each class: what people read before parameters.
// NaN of categories, and where a family has no mean.
struct Spread {
  std::vector<double> means = {}, deviations = {};
  double overall = 0;  // the deviation of the column, were all classes as frequent

  // Nothing tells how values spread: there is one, or the class has too few rows. What parameters
  // there are then are those of a floor.
  bool one_value(Index c) const {
    constexpr double kNone = 1e-9, kNearly = 1e-4;
    const double deviation = deviations[usize(c)];
    return deviation < kNone * std::abs(means[usize(c)]) || deviation < kNearly * overall;
  }
};

Spread spread_of(const ClassProduct& model, Index column) {
  const Feature& f = model.features()[usize(column)];
  const double k = static_cast<double>(model.classes());
  Spread spread;
  double sum = 0, squares = 0;
  for (Index c = 0; c < model.classes(); ++c) {
    const Parameters& theta = model.of(column, c);
    const double mean = f.categories() ? NAN : f.family->mean(theta);
    const double variance = f.categories() ? NAN : f.family->variance(theta);
    const bool has = std::isfinite(mean) && std::isfinite(variance);
    spread.means.push_back(has ? mean : NAN);
    spread.deviations.push_back(has ? std::sqrt(variance) : NAN);
    if (!has) continue;
    sum += mean;
    squares += variance;
  }
  for (const double mean : spread.means) {
    if (!std::isnan(mean)) squares += (mean - sum / k) * (mean - sum / k);
  }
  spread.overall = std::sqrt(squares / k);
  return spread;
}

}  // namespace

std::vector<ResultTable> ClassProduct::tables(const Schema& schema, std::string_view word) const {
  const std::string label(word), labels = label == "class" ? "classes" : label + "s";
  ResultTable prior{labels, labels};
  prior.add_labels(label, schema, classes());
  prior.add_probabilities("probability", class_log_prior_.values);
  std::vector<ResultTable> all{std::move(prior)};

  ResultColumn::Words names, families, of_label, parameters;
  ResultColumn::Numbers means, deviations;
  const auto add = [&](std::string name, std::string family, std::string of, std::string text) {
    names.push_back(std::move(name));
    families.push_back(std::move(family));
    of_label.push_back(std::move(of));
    parameters.push_back(std::move(text));
  };
  for (Index j = 0; j < columns(); ++j) {
    const Feature& f = features()[usize(j)];
    const Spread spread = spread_of(*this, j);
    for (Index c = 0; c < std::min(classes(), kMostClassesShown); ++c) {
      means.push_back(spread.means[usize(c)]);
      deviations.push_back(spread.deviations[usize(c)]);
      add(c == 0 ? schema.name(j) : "", c == 0 ? f.name() : "", label_name(schema, c),
          spread.one_value(c) ? "one value, or too few rows to tell a spread"
                              : shown(f, schema, of(j, c)));
    }
    if (classes() > kMostClassesShown) {
      means.push_back(NAN);
      deviations.push_back(NAN);
      add("", "", "...", "");
    }
  }
  ResultTable table{"columns", "columns"};
  table.add_words("column", std::move(names));
  table.add_words("family", std::move(families));
  table.add_words(label, std::move(of_label));
  if (std::ranges::any_of(means, [](double v) { return !std::isnan(v); })) {
    table.add_numbers("mean", std::move(means), {.count = 4}).lacks = true;
    ResultColumn& spread = table.add_numbers("mean_std", std::move(deviations), {.count = 3});
    spread.deviation = spread.lacks = true;
  }
  table.add_words("parameters", std::move(parameters));
  if (columns() > 0) all.push_back(std::move(table));
  if (bag_) all.push_back(bag_->table(schema, word));
  return all;
}

// Every parameter, a row each.
std::vector<ResultTable> ClassProduct::more_tables(const Schema& schema,
                                                   std::string_view word) const {
  if (columns() == 0) return {};
  ResultColumn::Words names, families, of_label, parameters;
  ResultColumn::Numbers values;
  for (Index j = 0; j < columns(); ++j) {
    const Feature& f = features()[usize(j)];
    for (Index c = 0; c < classes(); ++c) {
      const std::vector<NamedNumber> summary = f.family->summary(of(j, c));
      for (std::size_t i = 0; i < summary.size(); ++i) {
        names.push_back(schema.name(j));
        families.push_back(f.name());
        of_label.push_back(label_name(schema, c));
        parameters.push_back(f.categories() ? level_name(f, schema, static_cast<Index>(i))
                                            : summary[i].name);
        values.push_back(summary[i].value);
      }
    }
  }
  ResultTable table{"parameters", "parameters"};
  table.add_words("column", std::move(names));
  table.add_words("family", std::move(families));
  table.add_words(std::string(word), std::move(of_label));
  table.add_words("parameter", std::move(parameters));
  table.add_numbers("value", std::move(values), {.count = 4});
  return {table};
}

}  // namespace craton
