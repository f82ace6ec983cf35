#pragma once
#include <limits>
#include <memory>

#include "craton/base/error.h"
#include "craton/base/some_columns.h"
#include "craton/base/version.h"
#include "craton/engine/agree.h"
#include "craton/engine/fold.h"
#include "craton/kernels/dispatch.h"
#include "craton/model/fit_steps.h"
#include "craton/model/number_errors.h"

// Turns a model type into its line of the registry. Included by the .cc of each
// model, which ends with the explicit instantiation.

namespace craton {

template <class M>
[[noreturn]] void refuse(const std::string& what) {
  throw InputError(Code::kNotAble, {}, std::string(M::kName) + " cannot " + what,
                   {"{} lists what each model can do.", Ref::verb("models")});
}

// All that a fit is asked for: the options of the model, how its rows are prepared, and what terms
// are made of them, if it takes such.
template <class M>
struct Settings {
  typename M::Options model = {};
  PreparationOptions preparation = {};
  DesignOptions design = {};
  std::optional<TextOptions> text = {};  // of rows that have texts
  std::vector<NamedOption> all = {};     // those of all, by name

  StepOptions steps() const {
    StepOptions steps{.preparation = preparation, .sparse = abilities_of<M>().sparse};
    if (abilities_of<M>().terms) steps.design = design;
    steps.text = text;
    steps.place = text_place(abilities_of<M>());
    if constexpr (requires { bool{model.fit_intercept}; }) steps.intercept = model.fit_intercept;
    return steps;
  }
};

template <class M>
void describe(OptionVisitor& v, Settings<M>& s) {
  describe(v, s.model);
  if constexpr (abilities_of<M>().terms) describe(v, s.design);
  describe(v, s.preparation);
  if (s.text) describe(v, *s.text);
}

// `texts`: of rows that have some; else, if one of the options is of texts.
template <class M>
Settings<M> settings_of(std::span<const NamedOption> values, bool texts = false) {
  Settings<M> settings;
  for (const NamedOption& option : values) texts = texts || is_text_option(option.first);
  if (texts && abilities_of<M>().texts) settings.text.emplace();
  for (Option& option : set_options([&](OptionVisitor& v) { describe(v, settings); }, values)) {
    settings.all.emplace_back(std::move(option.name), std::move(option.value));
  }
  return settings;
}

template <class M>
class RegisteredModel final : public PlainModel {
 public:
  explicit RegisteredModel(M model) : model_(std::move(model)) {}
  const M& value() const { return model_; }

  const ModelInfo& info() const override {
    static const ModelInfo& own = find_model(M::kName);
    return own;
  }
  void visit_parameters(ParameterVisitor& v) const override {
    if constexpr (requires { model_.visit_parameters(v); }) {
      model_.visit_parameters(v);
    } else {
      for (Parameter& p : model_.parameters()) v.doubles(p.name, p.help, std::move(p.value));
    }
  }
  void visit_old_parameters(ParameterVisitor& v) const override {
    if constexpr (requires { model_.visit_old_parameters(v); }) {
      return model_.visit_old_parameters(v);
    }
    visit_parameters(v);
  }
  std::vector<ResultTable> tables(const Schema& schema) const override {
    return model_.tables(schema);
  }
  std::vector<ResultTable> more_tables(const Schema& schema) const override {
    if constexpr (requires { model_.more_tables(schema); }) return model_.more_tables(schema);
    return {};
  }
  std::optional<std::vector<ResultTable>> tables_before(const Schema& schema,
                                                        const Affine& scaled) const override {
    if constexpr (requires { model_.tables_before(schema, scaled); }) {
      return model_.tables_before(schema, scaled);
    }
    return std::nullopt;
  }
  bool asleep() const override {
    if constexpr (requires { model_.asleep(); }) return model_.asleep();
    return false;
  }
  Index columns() const override { return model_.columns(); }
  Index inner_columns() const override {
    if constexpr (requires { model_.inner_columns(); }) return model_.inner_columns();
    return 0;
  }
  Index classes() const override {
    if constexpr (kAble.predict) return model_.classes();
    return 0;
  }
  Index outputs() const override {
    if constexpr (kAble.transform) return model_.outputs();
    return 0;
  }
  void predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const override {
    if constexpr (kAble.predict) return model_.predict(x, labels, exec);
    refuse<M>("predict");
  }
  void predict_log_proba(Source& x, std::span<double> out, const Exec& exec) const override {
    if constexpr (kAble.predict_log_proba) return model_.predict_log_proba(x, out, exec);
    refuse<M>("give probabilities of its labels");
  }
  void predict_numbers(Source& x, std::span<double> out, const Exec& exec) const override {
    if constexpr (kAble.predict_numbers) return model_.predict_numbers(x, out, exec);
    refuse<M>("predict numbers");
  }
  void intervals(Source& x, double level, ResultTable& rows, const Exec& exec) const override {
    if constexpr (kAble.intervals) return model_.intervals(x, level, rows, exec);
    refuse<M>("give intervals of what it predicts");
  }
  void score_samples(Source& x, std::span<double> out, const Exec& exec) const override {
    if constexpr (kAble.score_samples) return model_.score_samples(x, out, exec);
    refuse<M>("score rows");
  }
  double score(Source& x, const Exec& exec) const override {
    if constexpr (requires { model_.score(x, exec); }) {
      return model_.score(x, exec);
    } else if constexpr (kAble.predict_numbers) {
      return number_errors(x, numbers_of(x, exec), exec).r2();
    }
    refuse<M>("score a table");
  }
  std::vector<Measure> measures(Source& x, const Exec& exec) const override {
    if constexpr (requires { model_.measures(x, exec); }) {
      return model_.measures(x, exec);
    } else if constexpr (kAble.predict_numbers) {
      return number_errors(x, numbers_of(x, exec), exec).measures();
    }
    refuse<M>("measure a table");
  }
  void transform(Source& x, std::span<double> out, const Exec& exec) const override {
    if constexpr (kAble.transform) return model_.transform(x, out, exec);
    refuse<M>("transform");
  }
  Sample sample(Index rows, std::uint64_t seed) const override {
    if constexpr (kAble.sample) return checked(model_.sample(rows, seed));
    refuse<M>("sample");
  }
  std::vector<double> cdf(std::span<const double> x, const Exec& exec) const override {
    if constexpr (kAble.distribution) return model_.cdf(x, exec);
    refuse<M>("give a distribution function");
  }
  std::vector<double> quantile(std::span<const double> p, const Exec& exec) const override {
    if constexpr (kAble.distribution) return model_.quantile(p, exec);
    refuse<M>("give quantiles");
  }
  Bytes statistics(Source& x, const Exec& exec) const override {
    if constexpr (kAble.statistics) {
      if constexpr (requires { model_.statistics(x, exec); }) {
        return written(model_.statistics(x, exec));
      } else {
        return written(fold(x, model_.statistics(), exec));
      }
    }
    refuse<M>("give statistics");
  }
  Bytes merge_statistics(const Bytes& a, const Bytes& b) const override {
    if constexpr (kAble.statistics) {
      auto left = model_.statistics(), right = model_.statistics();
      Reader read_left(a), read_right(b);
      left.read(read_left);
      right.read(read_right);
      left.merge(right);
      return written(left);
    }
    refuse<M>("merge statistics");
  }
  double entropy(Source& x, const Exec& exec) const override {
    if constexpr (kAble.entropy) return model_.entropy(x, exec);
    refuse<M>("give the entropy of its labels");
  }
  Index free_parameters(std::span<const NamedOption> options) const override {
    if constexpr (kAble.free_parameters) {
      return model_.free_parameters(settings_of<M>(options).model);
    }
    refuse<M>("count its free parameters");
  }
  bool counts_parameters() const override {
    if constexpr (requires { model_.counts_parameters(); }) return model_.counts_parameters();
    return kAble.free_parameters;
  }
  void check_memory(std::span<const Parameter> memory) const override {
    if constexpr (kAble.memory) return model_.check_memory(memory);
    refuse<M>("remember rows");
  }
  void contributions(const Chunk& chunk, Index row, Index label,
                     std::span<double> out) const override {
    if constexpr (requires { model_.contributions(chunk, row, label, out); }) {
      return model_.contributions(chunk, row, label, out);
    }
    refuse<M>("say what each feature adds to a label");
  }
  LinearForm linear_form() const override {
    if constexpr (kAble.linear_form) return checked(model_.linear_form());
    refuse<M>("give a linear form");
  }
  std::vector<Boundary> boundaries() const override {
    if constexpr (kAble.boundaries) return checked(model_.boundaries());
    refuse<M>("give the boundaries between its labels");
  }
  void diagnose(Source& x, ResultTable& rows, const Exec& exec) const override {
    if constexpr (requires { model_.diagnose(x, rows, exec); }) model_.diagnose(x, rows, exec);
  }
  Index row_work() const override {
    if constexpr (kAble.rows) return model_.row_work();
    return 0;
  }

  std::int32_t try_predict(const double* row, double* work) const override {
    if constexpr (kAble.rows && kAble.predict) return model_.predict_row(row, work);
    return -1;
  }
  bool try_log_proba(const double* row, double* work, double* out) const override {
    if constexpr (kAble.rows && kAble.predict_log_proba) {
      return model_.predict_log_proba_row(row, work, out);
    }
    return false;
  }
  double try_score(const double* row, double* work) const override {
    if constexpr (kAble.rows && kAble.score_samples) return model_.score_row(row, work);
    return std::numeric_limits<double>::quiet_NaN();
  }
  double try_number(const double* row, double* work) const override {
    if constexpr (kAble.rows && kAble.predict_numbers) return model_.predict_number_row(row, work);
    return std::numeric_limits<double>::quiet_NaN();
  }
  Index entries_work() const override {
    if constexpr (kByEntries) return model_.entries_work();
    return 0;
  }
  std::int32_t try_predict(const Sparse<double>& row, double* work) const override {
    if constexpr (kByEntries) return model_.predict_entries(row, work);
    return -1;
  }
  bool try_log_proba(const Sparse<double>& row, double* work, double* out) const override {
    if constexpr (kByEntries) return model_.predict_log_proba_entries(row, work, out);
    return false;
  }

 private:
  static constexpr Abilities kAble = abilities_of<M>();
  static constexpr bool kByEntries = requires(const M& m) { m.entries_work(); };

  std::vector<double> numbers_of(Source& x, const Exec& exec) const {
    std::vector<double> numbers(usize(x.shape().rows));
    predict_numbers(x, numbers, exec);
    return numbers;
  }

  template <class Statistics>
  static Bytes written(const Statistics& statistics) {
    Writer writer;
    statistics.write(writer);
    return {writer.bytes().begin(), writer.bytes().end()};
  }
  M model_;
};

template <class M>
inline constexpr bool kTakesFunction = requires(Source& x, const typename M::Options& o,
                                                const Exec& e, ModelInfo::Function f) {
  M::fit(x, o, e, f);
};

// A typed fit as the command line, Python and model files know it.
template <class M>
Fitted erase(Fit<M> fit, const Settings<M>& settings, const Schema& schema, Steps steps,
             bool named = false) {
  check_objective(fit.report, M::kName);
  bool labelled = abilities_of<M>().labels || abilities_of<M>().numbers || named;
  if constexpr (abilities_of<M>().some_labels) labelled = labelled || fit.model.labelled();
  auto model = std::make_unique<AnyModel>(
      std::move(steps), std::make_unique<RegisteredModel<M>>(std::move(fit.model)));
  FitReport report = with_steps(std::move(fit.report), *model);
  Fitted fitted{
      std::move(model),
      std::move(report),
      settings.all,
      schema,
      {std::string(version()), dispatch_target() + ", kernels " + cpu_target(), kGridVersion},
      std::move(fit.memory),
      std::move(fit.labels)};
  if (!labelled) fitted.schema.target.reset();
  if (abilities_of<M>().numbers && !fitted.schema.target) fitted.schema.target = Column{"target"};
  return fitted;
}

// And back, to the model that sees prepared rows. requires a Fitted of M, or throws.
template <class M>
Fit<M> typed(const Fitted& fitted) {
  check_model(fitted, M::kName);
  return {static_cast<const RegisteredModel<M>&>(fitted.model->plain()).value(),
          plain_report(fitted), fitted.memory};
}

// How models go on from what was fitted (registry.h).
template <class M>
class GoingOn {
 public:
  using Options = typename M::Options;
  using Named = std::span<const NamedOption>;

  static Fitted fit_from(const Fitted& from, Source& x, Named values, const Exec& exec) {
    if constexpr (kAble.fit_from) {
      return go_on(from, x, values,
                   [&](const Fit<M>& so_far, Source& rows, const Options& options) {
                     return M::fit_from(so_far.model, rows, options, exec);
                   });
    }
    refuse<M>("start from a model");
  }
  static Fitted partial_fit(const Fitted& from, Source& x, Named values, const Exec& exec) {
    if constexpr (kAble.partial_fit) {
      const auto learn = [&](const Fit<M>& so_far, Source& rows, const Options& options) {
        return M::partial_fit(so_far, rows, options, exec);
      };
      Fitted next = go_on(from, x, values, learn, &exec);
      if constexpr (!requires { M::kLazy; }) check_learned(next);
      return next;
    }
    refuse<M>("learn on from more rows");
  }
  static Fitted unlearn(const Fitted& from, Source& x, Named values, const Exec& exec) {
    if constexpr (kAble.unlearn) {
      Fitted next =
          go_on(from, x, values, [&](const Fit<M>& so_far, Source& rows, const Options& options) {
            return M::unlearn(so_far, rows, options, exec);
          });
      check_unlearned(next);
      return next;
    }
    refuse<M>("unlearn rows");
  }
  static Fitted merge(const Fitted& a, const Fitted& b) {
    if constexpr (kAble.merge) {
      const Settings<M> settings = settings_of<M>(a.options);
      check_same_columns(a.schema, b.schema);
      steps_to_go_on(a, settings.steps());
      UnitedSteps united = unite_steps(a, b);
      const Fit<M> left = moved(typed<M>(a), united.places_of_a, united.columns, settings.model);
      const Fit<M> right = moved(typed<M>(b), united.places_of_b, united.columns, settings.model);
      Fitted next =
          erase(M::merge(left, right, settings.model), settings, a.schema, std::move(united.steps));
      if (!united.places_of_a.empty()) next.report.data_hash.clear();  // of columns as they were
      check_learned(next);
      return next;
    }
    refuse<M>("merge with another model");
  }
  static Fitted marginal(const Fitted& of, std::span<const Index> kept) {
    if constexpr (kAble.condition) {
      check_choice(of, kept, true);
      return part(of, kept, [&](const Fit<M>& fit, Options& options) {
        return M::marginal(fit, kept, of.schema, options);
      });
    }
    refuse<M>("say what some of its columns are by themselves");
  }
  static Fitted condition(const Fitted& of, std::span<const Index> given,
                          std::span<const double> values) {
    if constexpr (kAble.condition) {
      check_choice(of, given, false);
      const std::vector<Index> kept = others_than(given, of.schema.size());
      return part(of, kept, [&](const Fit<M>& fit, Options& options) {
        return M::condition(fit, given, values, of.schema, options);
      });
    }
    refuse<M>("say what some of its columns are given others");
  }

 private:
  static constexpr Abilities kAble = abilities_of<M>();

  template <class F>
  static Fitted part(const Fitted& of, std::span<const Index> kept, const F& f) {
    Settings<M> settings = settings_of<M>(of.options);
    Fit<M> fit = f(typed<M>(of), settings.model);
    settings.all.clear();
    for (Option& option : list_options([&](OptionVisitor& v) { describe(v, settings); })) {
      settings.all.emplace_back(std::move(option.name), std::move(option.value));
    }
    return erase(std::move(fit), settings, schema_of(of.schema, kept), {});
  }

  static constexpr bool kMoves = requires(const Fit<M>& fit, const Options& options) {
    M::with_columns(fit, std::span<const Index>(), Index{}, options);
  };
  // Its columns at these places of so many, the others empty; none: they stay.
  static Fit<M> moved(Fit<M> fit, std::span<const Index> places, Index columns,
                      const Options& options) {
    if (places.empty()) return fit;
    if constexpr (kMoves) return M::with_columns(fit, places, columns, options);
    refuse<M>("merge with a model of texts that have other words");
  }

  // `learns`: words of new texts join the others.
  template <class F>
  static Fitted go_on(const Fitted& from, Source& x, Named values, const F& f,
                      const Exec* learns = nullptr) {
    const Settings<M> settings = settings_of<M>(values);
    Fit<M> so_far = typed<M>(from);
    check_columns(x, from.model->columns());
    // Components that stand for labels do so still, though new rows have none.
    if (!kAble.some_labels || x.schema().target) check_same_labels(from.schema, x.schema());
    UnitedSteps grown{steps_to_go_on(from, settings.steps())};
    if (learns != nullptr) {
      grown = grow_steps(from, x, kMoves, *learns);
      so_far = moved(std::move(so_far), grown.places_of_a, grown.columns, settings.model);
    }
    const SteppedRows rows = grown.steps.over(x);
    Fit<M> next = f(so_far, *rows, settings.model);
    std::ranges::move(grown.notes, std::back_inserter(next.report.notes));
    if (!grown.places_of_a.empty()) next.report.data_hash.clear();  // of columns as they were
    return erase(std::move(next), settings, from.schema, grown.steps,
                 from.schema.target.has_value());
  }
};

// The same, on all ranks or on none.
template <ModelInfo::GoOn kGoOn>
Fitted go_on_together(const Fitted& so_far, Source& x, std::span<const NamedOption> values,
                      const Exec& exec) {
  return agree(exec, [&] { return kGoOn(so_far, x, values, exec); });
}

// `fit` of the rows after the steps.
template <class M, class F>
Fitted fit_rows(Source& x, std::span<const NamedOption> values, const Exec& exec, const F& fit_to) {
  return agree(exec, [&] {
    const Settings<M> settings = settings_of<M>(values, !x.schema().texts.empty());
    check_target(find_model(M::kName), x);
    const LearnedSteps learned = learn_steps(x, settings.steps(), exec);
    const SteppedRows rows = learned.rows_to_fit(x, exec);
    Fit<M> fit = fit_to(*rows, settings.model);
    std::ranges::copy(learned.notes, std::back_inserter(fit.report.notes));
    return erase(std::move(fit), settings, given_schema(x.schema(), settings.steps()),
                 learned.steps);
  });
}

template <class M>
Fitted fit_by(Source& x, std::span<const NamedOption> values, const Exec& exec,
              ModelInfo::Function kernel) {
  if constexpr (kTakesFunction<M>) {
    return fit_rows<M>(x, values, exec, [&](Source& rows, const typename M::Options& options) {
      return M::fit(rows, options, exec, kernel);
    });
  }
  refuse<M>("be fitted with a kernel that is a function");
}

template <class M>
Fitted with_kernel(const Fitted& of, ModelInfo::Function kernel) {
  if constexpr (kTakesFunction<M>) {
    const Settings<M> settings = settings_of<M>(of.options);
    Fitted next = erase(M::with_kernel(typed<M>(of), std::move(kernel)), settings, of.schema,
                        steps_to_go_on(of, settings.steps()));
    next.report = of.report;
    next.origin = of.origin;
    return next;
  }
  refuse<M>("take a function as its kernel");
}

template <class M>
ModelInfo registered() {
  static_assert(!abilities_of<M>().terms || !abilities_of<M>().score_samples,
                "terms of rows have no density");
  using Named = std::span<const NamedOption>;
  return {
      .name = M::kName,
      .python_name = M::kPythonName,
      .help = M::kHelp,
      .objective = M::kObjective,
      .target = M::kTarget,
      .score = M::kScore,
      .usage = M::kUsage,
      .abilities = abilities_of<M>(),
      .options = []() -> const std::vector<Option>& {
        static const std::vector<Option> kOptions = [] {
          Settings<M> settings;
          return list_options([&](OptionVisitor& v) { describe(v, settings); });
        }();
        return kOptions;
      },
      .check =
          [](Named values) {
            Settings<M> settings = settings_of<M>(values);
            check_options([&](OptionVisitor& v) { describe(v, settings); });
          },
      .fit =
          [](Source& x, Named values, const Exec& exec) {
            return fit_rows<M>(x, values, exec,
                               [&](Source& rows, const typename M::Options& options) {
                                 return M::fit(rows, options, exec);
                               });
          },
      .from_parameters = [](const ParameterList& parameters) -> std::unique_ptr<AnyModel> {
        return make_with_steps(
            parameters, abilities_of<M>().terms,
            [](const ParameterList& own) -> std::unique_ptr<PlainModel> {
              if constexpr (requires { M::from_parameters(own); }) {
                return std::make_unique<RegisteredModel<M>>(M::from_parameters(own));
              } else {
                return std::make_unique<RegisteredModel<M>>(M::from_parameters(copy_all(own)));
              }
            });
      },
      .fit_from = go_on_together<GoingOn<M>::fit_from>,
      .partial_fit = go_on_together<GoingOn<M>::partial_fit>,
      .unlearn = go_on_together<GoingOn<M>::unlearn>,
      .merge = GoingOn<M>::merge,
      .marginal = GoingOn<M>::marginal,
      .condition = GoingOn<M>::condition,
      .fit_by = fit_by<M>,
      .with_kernel = with_kernel<M>,
  };
}

}  // namespace craton
