#include "craton/classes/generative/generative.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <sstream>

#include "craton/base/error.h"
#include "craton/base/random.h"
#include "craton/model/fit_steps.h"
#include "craton/model/registered_model.h"
#include "craton/tables/columns.h"
#include "craton/tables/view.h"

namespace craton {
namespace {

// Rows that lie in memory; nobody asks for the names of their columns.
MemorySource source_of(const Matrix& x) {
  return MemorySource({.x = x},
                      {.columns = {}, .target = std::nullopt, .unnamed = shape_of(x).cols});
}

constexpr Exec kHere{.threads = 1};

}  // namespace

template <class F>
auto GenerativeClassifier::with_rule(Source& x, const F& f) const {
  check_columns(x, columns());
  const bool missing = densities_[0]->info().abilities.missing;
  const auto joint = [&](const Chunk& chunk, std::span<double> out) {
    if (missing) {
      check_not_infinite(chunk, x);
    } else {
      check_finite(chunk, x);
    }
    MemorySource rows = source_of(chunk.x);
    const std::size_t k = densities_.size();
    std::vector<double> log_density(usize(chunk.rows()));
    for (std::size_t c = 0; c < k; ++c) {
      densities_[c]->score_samples(rows, log_density, kHere);
      for (std::size_t i = 0; i < log_density.size(); ++i) {
        out[i * k + c] = class_log_prior_.values[c] + log_density[i];
      }
    }
    check_joint(chunk, x, out);
  };
  return f(BayesRule(class_log_prior_.values, joint));
}

void GenerativeClassifier::predict(Source& x, std::span<std::int32_t> labels,
                                   const Exec& exec) const {
  with_rule(x, [&](const BayesRule& rule) { rule.predict(x, labels, exec); });
}

void GenerativeClassifier::predict_log_proba(Source& x, std::span<double> out,
                                             const Exec& exec) const {
  with_rule(x, [&](const BayesRule& rule) { rule.predict_log_proba(x, out, exec); });
}

void GenerativeClassifier::score_samples(Source& x, std::span<double> out, const Exec& exec) const {
  with_rule(x, [&](const BayesRule& rule) { rule.score_samples(x, out, exec); });
}

BayesRule::Score GenerativeClassifier::measure(Source& x, const Exec& exec) const {
  return with_rule(x, [&](const BayesRule& rule) { return rule.score(x, exec); });
}

double GenerativeClassifier::score(Source& x, const Exec& exec) const {
  return measure(x, exec).accuracy;
}

std::vector<Measure> GenerativeClassifier::measures(Source& x, const Exec& exec) const {
  return measure(x, exec).measures();
}

namespace {

// log p of the first j columns of a row, for j = 0, ..., d. What is missing says nothing.
std::vector<double> log_marginals(const PlainModel& density, std::span<const double> values) {
  const Index d = ssize(values);
  std::vector<double> log_p(usize(d + 1));
  if (density.info().abilities.missing) {  // row j has the first j values
    std::vector<double> first(usize((d + 1) * d), std::numeric_limits<double>::quiet_NaN());
    for (Index j = 1; j <= d; ++j) std::copy_n(values.begin(), j, first.begin() + j * d);
    MemorySource rows = source_of(Dense<double>{first.data(), d + 1, d, d});
    density.score_samples(rows, log_p, kHere);
    return log_p;
  }
  // The sum over the components, or over the one that a density without any is, of what each says
  // of the first j.
  const std::size_t k = usize(std::max<Index>(density.classes(), 1)), places = log_p.size();
  std::vector<double> parts(k * places);
  Chunk chunk;
  chunk.x = Dense<double>{values.data(), 1, d, d};
  for (std::size_t c = 0; c < k; ++c) {
    const std::span<double> part(&parts[c * places], places);
    density.contributions(chunk, 0, static_cast<Index>(c), part);
    std::partial_sum(part.begin(), part.end(), part.begin());
  }
  std::vector<double> joint(k);
  for (std::size_t j = 0; j < places; ++j) {
    for (std::size_t c = 0; c < k; ++c) joint[c] = parts[c * places + j];
    log_p[j] = log_sum(joint);
  }
  return log_p;
}

}  // namespace

void GenerativeClassifier::contributions(const Chunk& chunk, Index row, Index label,
                                         std::span<double> out) const {
  std::vector<double> values(usize(columns()));
  std::visit([&](const auto& x) { copy_row(x, row, values.data()); }, chunk.x);
  const AnyModel& density = *densities_[usize(label)];
  // A density whose rows go through steps may have what is missing filled in: what the first
  // columns say is asked of the one that sees rows after the steps.
  const Steps& steps = density.steps();
  std::vector<double> work(usize(steps.row_room(columns())));
  const double* const seen = steps.do_row(values.data(), columns(), work.data());
  const std::vector<double> log_p = log_marginals(density.plain(), {seen, values.size()});
  const Preparation* const preparation = preparation_of(density);
  out[0] = class_log_prior_.values[usize(label)];
  for (std::size_t j = 1; j < log_p.size(); ++j) {
    out[j] = log_p[j] == log_p[j - 1] ? 0 : log_p[j] - log_p[j - 1];  // -inf may stay
    if (preparation != nullptr) out[j] -= std::log(preparation->scale(static_cast<Index>(j) - 1));
  }
}

Sample GenerativeClassifier::sample(Index rows, std::uint64_t seed) const {
  const std::size_t d = usize(columns());
  std::vector<double> prior;
  for (const double v : class_log_prior_.values) prior.push_back(std::exp(v));
  std::vector<std::vector<Index>> of_class(prior.size());
  Sample result{{{rows, columns()}, std::vector<double>(usize(rows) * d)}, {}};
  for (Index i = 0; i < rows; ++i) {
    Random random(seed, Purpose::kSample, 0, static_cast<std::uint64_t>(i));
    result.labels.push_back(static_cast<std::int32_t>(random.categorical(prior)));
    of_class[usize(result.labels.back())].push_back(i);
  }
  for (std::size_t c = 0; c < of_class.size(); ++c) {
    if (of_class[c].empty()) continue;
    const Sample drawn = densities_[c]->sample(ssize(of_class[c]), mix(seed, c + 1));
    for (std::size_t i = 0; i < of_class[c].size(); ++i) {
      std::copy_n(drawn.x.values.begin() + static_cast<Index>(i * d), d,
                  result.x.values.begin() + of_class[c][i] * static_cast<Index>(d));
    }
  }
  return result;
}

namespace {

// What the density of a class says of itself.
void add_tables(const std::string& label, std::vector<ResultTable> own,
                std::vector<ResultTable>& all) {
  for (ResultTable& table : own) {
    table.name = label + "." + table.name;
    table.title = label + ": " + table.title;
    all.push_back(std::move(table));
  }
}

}  // namespace

// Each class with its probability, then what its density says of itself.
std::vector<ResultTable> GenerativeClassifier::tables(const Schema& schema) const {
  ResultTable prior{"classes", "classes"};
  ResultColumn::Words densities;
  for (Index c = 0; c < classes(); ++c) densities.emplace_back(density(c).info().name);
  prior.add_labels("class", schema, classes());
  prior.add_probabilities("probability", class_log_prior_.values);
  prior.add_words("density", std::move(densities));
  std::vector<ResultTable> all{std::move(prior)};
  for (Index c = 0; c < classes(); ++c) {
    add_tables(label_name(schema, c), density(c).tables(schema), all);
  }
  return all;
}

std::vector<ResultTable> GenerativeClassifier::more_tables(const Schema& schema) const {
  std::vector<ResultTable> all;
  for (Index c = 0; c < classes(); ++c) {
    add_tables(label_name(schema, c), density(c).more_tables(schema), all);
  }
  return all;
}

namespace {

// A density is a model of rows without labels.
bool is_density(const ModelInfo& info) {
  return info.abilities.score_samples && info.abilities.sample && !info.abilities.labels;
}

const ModelInfo& find_density(const std::string& name) {
  std::string names;
  for (const ModelInfo& model : models()) {
    if (!is_density(model)) continue;
    if (model.name == name || model.python_name == name) return model;
    names += (names.empty() ? "" : ", ") + std::string(model.name);
  }
  throw InputError(Code::kBadOption, {},
                   {"{} is no model of a density", Ref::option("density", name)},
                   fmt::format("Give one of {}.", names));
}

const Option* find_option(std::span<const Option> options, std::string_view name) {
  for (const Option& option : options) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

// "name=value" and so on, with spaces between, or commas: but a comma may be part of a value.
std::vector<std::string> split_settings(std::string text, std::span<const Option> options) {
  for (std::size_t at = text.find(','); at != std::string::npos; at = text.find(',', at + 1)) {
    const std::size_t equals = text.find('=', at);
    if (equals == std::string::npos) break;
    if (find_option(options, text.substr(at + 1, equals - at - 1)) != nullptr) text[at] = ' ';
  }
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

std::vector<NamedOption> settings_of(const ModelInfo& info, const std::string& text,
                                     Index random_state) {
  const std::vector<Option> options = info.options();
  std::vector<NamedOption> result;
  if (find_option(options, "random_state")) result.push_back({"random_state", random_state});
  for (const std::string& word : split_settings(text, options)) {
    const std::size_t equals = word.find('=');
    const Option* const option = find_option(options, word.substr(0, equals));
    if (equals == std::string::npos || !option) {
      throw InputError(Code::kBadOption, {},
                       fmt::format("settings have '{}', which is no option of {}", word, info.name),
                       {"Write name=value, with spaces between; {} has the names.",
                        Ref::either("'craton fit MODEL --help'", "get_params() of that model")});
    }
    result.push_back({option->name, parse_option(*option, word.substr(equals + 1))});
  }
  return result;
}

void check_kinds(const Source& x, const ModelInfo& info) {
  if (info.abilities.categories) return;
  for (const Column& column : x.schema().columns) {
    if (column.kind != ColumnKind::kCategory) continue;
    throw InputError(Code::kUnsupported, {.file = x.name(), .column = column.name},
                     fmt::format("the column has words, which {} does not take", info.name),
                     {"Leave it out, or fit with {}.", Ref::option("density", "mixture")});
  }
}

// The weight of the rows of each class.
class LabelWeights {
 public:
  LabelWeights(const Source& x, Index classes) : x_(&x), weight_(usize(classes)) {}
  const std::vector<double>& weight() const { return weight_; }
  void accumulate(const Chunk& chunk) {
    check_weights(chunk, *x_);
    for (Index i = 0; i < ssize(chunk.labels); ++i) {
      const std::int32_t label = chunk.labels[usize(i)];
      if (label >= 0) weight_[usize(label)] += chunk.weight(i);
    }
  }
  void merge(const LabelWeights& next) {
    for (std::size_t c = 0; c < weight_.size(); ++c) weight_[c] += next.weight_[c];
  }
  void write(Writer& writer) const { writer.put(weight_); }
  void read(Reader& reader) { reader.get(weight_); }
  Index words() const { return ssize(weight_); }
  Merge merge_kind() const { return Merge::kTree; }

 private:
  const Source* x_;
  std::vector<double> weight_;
};

std::uint64_t hash_of(const std::string& digits) {
  std::uint64_t hash = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), hash, 16);
  return hash;
}

}  // namespace

void describe(OptionVisitor& v, GenerativeClassifier::Options& o) {
  v.text("density", o.density, "the model of the rows of each class: gmm, mixture, density or kde");
  v.text("settings", o.settings, "its options: \"n_components=3 covariance_type=diag\"");
  describe(v, o.prior);
  v.integer("random_state", o.random_state, 0, std::numeric_limits<Index>::max(),
            "seed of the random numbers");
}

Fit<GenerativeClassifier> GenerativeClassifier::fit(Source& x, const Options& options,
                                                    const Exec& exec) {
  Options checked = options;
  check_options([&](OptionVisitor& v) { describe(v, checked); });
  const ModelInfo& info = find_density(options.density);
  const auto settings = settings_of(info, options.settings, options.random_state);
  check_kinds(x, info);
  const Index k = count_classes(x);
  const Schema& schema = x.schema();
  std::vector<RowSet> rows = RowSet::by_label(x, k, exec);
  Densities densities;
  FitReport report;
  report.converged = true;
  std::uint64_t hash = 0;
  const std::vector<double> weight = fold(x, LabelWeights(x, k), exec).weight();
  Index unlabelled = x.shape().rows;
  for (const RowSet& set : rows) unlabelled -= set.size();
  check_classes(x, weight, unlabelled, report.notes);
  for (Index c = 0; c < k; ++c) {
    if (weight[usize(c)] == 0) {
      throw InputError(Code::kTooFewRows, {.file = x.name()},
                       fmt::format("class {} has no rows to learn from", label_name(schema, c)),
                       "Give rows of every class, or leave it out of the labels.");
    }
    View of_class(x);
    of_class.rows(std::move(rows[usize(c)])).unlabel();
    Fitted fitted = info.fit(of_class, settings, exec);
    for (const Note& note : fitted.report.notes) {
      report.notes.push_back({note.code, {"{}: {}", label_name(schema, c), note.text}});
    }
    report.iterations = std::max(report.iterations, fitted.report.iterations);
    report.converged = report.converged && fitted.report.converged;
    hash += mix(hash_of(fitted.report.data_hash), usize(c));
    densities.push_back(std::move(fitted.model));
  }
  Fit<GenerativeClassifier> fit{
      GenerativeClassifier({{k}, log_class_prior(options.prior, weight)}, std::move(densities)),
      std::move(report)};
  fit.report.objective = fit.model.measure(x, exec).joint;
  fit.report.trace = {fit.report.objective};
  fit.report.data_hash = fmt::format("{:016x}", hash);
  return fit;
}

Index GenerativeClassifier::free_parameters(const Options& options) const {
  const auto settings = settings_of(densities_[0]->info(), options.settings, options.random_state);
  Index sum = options.prior.fit_prior && options.prior.class_prior.empty() ? classes() - 1 : 0;
  for (const auto& density : densities_) sum += density->free_parameters(settings);
  return sum;
}

bool GenerativeClassifier::counts_parameters() const {
  return std::ranges::all_of(densities_, [](const auto& d) { return d->counts_parameters(); });
}

// The name of the model of each class, and its parameters, each by its name.

namespace {

std::string part_name(Index label) { return fmt::format("part.{}", label); }

const ModelInfo& stored_density(std::string_view name) {
  const auto model = std::ranges::find(models(), name, &ModelInfo::name);
  if (model == models().end() || !model->abilities.score_samples || model->abilities.labels) {
    fail_parameters("the densities are of no model that has one");
  }
  return *model;
}

}  // namespace

void GenerativeClassifier::visit_parameters(ParameterVisitor& v) const {
  v.doubles("class_log_prior", "log probability of each class", class_log_prior_);
  v.text("density", "the model of the rows of each class", densities_[0]->info().name);
  for (Index c = 0; c < classes(); ++c) v.part(part_name(c), density(c));
}

// In 0.1.0 the parameters of every class's density were in two arrays: all their values, one after
// the other; and what they are, as numbers: the name of the model, of each class how many there
// are, and of each its name (length, characters) and shape (length, sizes).

namespace {

void append_text(std::string_view text, std::vector<double>& out) {
  out.push_back(static_cast<double>(text.size()));
  for (const char c : text) out.push_back(static_cast<unsigned char>(c));
}

class OldLayout {
 public:
  OldLayout(std::span<const double> codes, std::span<const double> values)
      : codes_(codes), values_(values) {}

  Index number(Index most) {
    if (codes_.empty()) fail_parameters("the layout of the densities ends early");
    const double v = codes_[0];
    codes_ = codes_.subspan(1);
    if (!(v >= 0 && v <= static_cast<double>(most) && v == std::floor(v))) {
      fail_parameters("the layout of the densities has a number that is none");
    }
    return static_cast<Index>(v);
  }
  std::string text() {
    std::string result;
    for (Index i = number(100); i > 0; --i) result += static_cast<char>(number(127));
    return result;
  }
  ParameterView parameter() {
    ParameterView result;
    result.name = text();
    Index cells = 1;
    for (Index i = number(4); i > 0; --i) {
      const Index size = number(std::ssize(values_));
      result.shape.push_back(size);
      if (size == 0 || cells > std::ssize(values_) / size) {
        fail_parameters("the densities have fewer values than their layout says");
      }
      cells *= size;
    }
    result.elements = values_.first(usize(cells));
    values_ = values_.subspan(usize(cells));
    return result;
  }
  ParameterList of_class() {
    std::vector<ParameterView> all;
    for (Index i = number(100); i > 0; --i) all.push_back(parameter());
    return ParameterList(std::move(all));
  }
  bool done() const { return codes_.empty() && values_.empty(); }

 private:
  std::span<const double> codes_, values_;
};

}  // namespace

void GenerativeClassifier::visit_old_parameters(ParameterVisitor& v) const {
  Array layout{{0}, {}}, values{{0}, {}};
  append_text(densities_[0]->info().name, layout.values);
  for (const auto& density : densities_) {
    const std::vector<Parameter> parameters = density->parameters();
    layout.values.push_back(static_cast<double>(parameters.size()));
    for (const Parameter& p : parameters) {
      append_text(p.name, layout.values);
      layout.values.push_back(static_cast<double>(p.value.shape.size()));
      layout.values.insert(layout.values.end(), p.value.shape.begin(), p.value.shape.end());
      values.values.insert(values.values.end(), p.value.values.begin(), p.value.values.end());
    }
  }
  layout.shape = {ssize(layout.values)};
  values.shape = {ssize(values.values)};
  v.doubles("class_log_prior", "log probability of each class", class_log_prior_);
  v.doubles("densities", "the parameters of the density of each class, one after the other",
            std::move(values));
  v.doubles("layout", "what they are: names and shapes", std::move(layout));
}

GenerativeClassifier GenerativeClassifier::from_parameters(const ParameterList& parameters) {
  const ArrayView prior = parameters.doubles("class_log_prior", {-1});
  check_log_prior(prior.values);
  Densities densities;
  const auto add = [&](std::unique_ptr<AnyModel> density) {
    densities.push_back(std::move(density));
    if (densities.back()->columns() != densities[0]->columns()) {
      fail_parameters("the densities of two classes have different columns");
    }
  };
  if (parameters.has("layout")) {
    OldLayout layout(parameters.doubles("layout", {-1}).values,
                     parameters.doubles("densities", {-1}).values);
    const ModelInfo& model = stored_density(layout.text());
    for (Index c = 0; c < prior.rows(); ++c) add(model.from_parameters(layout.of_class()));
    if (!layout.done()) fail_parameters("the densities are not those of the classes");
  } else {
    const ModelInfo& model = stored_density(parameters.text("density"));
    for (Index c = 0; c < prior.rows(); ++c)
      add(model.from_parameters(parameters.part(part_name(c))));
  }
  if (densities.empty()) fail_parameters("the densities are not those of the classes");
  return GenerativeClassifier(prior.copy(), std::move(densities));
}

const Usage GenerativeClassifier::kUsage{
    .example = "examples/data/letters.csv --target kind -o letters.craton",
    .python = R"(
>>> from craton import GenerativeClassifier
>>> X = [[1.0, 2.0], [1.5, 4.0], [2.0, 3.0], [10.0, 12.0], [10.5, 14.0], [11.0, 13.0]]
>>> model = GenerativeClassifier(settings="family=gaussian")
>>> model.fit(X, ["near", "near", "near", "far", "far", "far"]).predict([[9, 9]]).tolist()
['far']
)",
    .small = "settings=n_components=2 family=gaussian max_iter=12",
    .positional = 1};

template ModelInfo registered<GenerativeClassifier>();

}  // namespace craton
