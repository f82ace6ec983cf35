#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <sstream>

#include "craton/classes/generative.h"
#include "craton/core/columns.h"
#include "craton/core/error.h"
#include "craton/core/labels.h"
#include "craton/core/random.h"
#include "craton/core/select_rows.h"

namespace craton {
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
  throw InputError(Code::kBadOption, {}, fmt::format("density = {} is no model of a density", name),
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
                       "Write name=value, with spaces between; 'craton fit MODEL --help' has the "
                       "names.");
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
                     "Leave it out, or fit with density = mixture.");
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
  v.text("density", o.density, "the model of the rows of each class: gmm, mixture or density");
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
  const std::vector<RowSet> rows = RowSet::by_label(x, k, exec);
  Densities densities;
  FitReport report;
  report.converged = true;
  std::uint64_t hash = 0;
  const std::vector<double> weight = fold(x, LabelWeights(x, k), exec).weight();
  Index unlabelled = x.shape().rows;
  for (const RowSet& set : rows) unlabelled -= set.size();
  check_classes(x, weight, unlabelled, report.notes);
  for (Index c = 0; c < k; ++c) {
    const RowSet& set = rows[usize(c)];
    if (weight[usize(c)] == 0) {
      throw InputError(Code::kTooFewRows, {.file = x.name()},
                       fmt::format("class {} has no rows to learn from", label_name(schema, c)),
                       "Give rows of every class, or leave it out of the labels.");
    }
    SelectedRows selected(x, set);
    WithoutLabels of_class(selected);
    Fitted fitted = info.fit(of_class, settings, exec);
    for (const Note& note : fitted.report.notes) {
      report.notes.push_back({note.code, label_name(schema, c) + ": " + note.text});
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

}  // namespace craton
