#pragma once
#include <memory>

#include "craton/core/error.h"
#include "craton/core/registry.h"
#include "craton/core/version.h"

// Turns a model type into its line of the registry. Included by craton/models.cc only.

namespace craton {

template <class M>
constexpr Abilities abilities_of() {
  using Row = std::span<double>;
  return {.predict = requires(const M m, Source& x, std::span<std::int32_t> out,
                              const Exec& e){m.predict(x, out, e);
}
, .predict_log_proba = requires(const M m, Source& x, Row out, const Exec& e) {
  m.predict_log_proba(x, out, e);
}
, .score_samples = requires(const M m, Source& x, Row out, const Exec& e) {
  m.score_samples(x, out, e);
}
, .score = requires(const M m, Source& x, const Exec& e) { m.score(x, e); }
, .transform = requires(const M m, Source& x, Row out, const Exec& e) { m.transform(x, out, e); }
, .sample = requires(const M m) { m.sample(Index{}, std::uint64_t{}); }
, .statistics = requires(const M m) { m.statistics(); }
, .free_parameters = requires(const M m) { m.free_parameters(); }
, .sparse = requires { M::kTakesSparse; }
,
};  // namespace craton
}

template <class M>
class RegisteredModel final : public AnyModel {
 public:
  explicit RegisteredModel(M model) : model_(std::move(model)) {}

  const ModelInfo& info() const override { return find_model(M::kName); }
  std::vector<Parameter> parameters() const override { return model_.parameters(); }
  std::vector<SummaryTable> summary(const Schema& schema) const override {
    return model_.summary(schema);
  }
  Index columns() const override { return model_.columns(); }
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
    refuse("predict");
  }
  void predict_log_proba(Source& x, std::span<double> out, const Exec& exec) const override {
    if constexpr (kAble.predict_log_proba) return model_.predict_log_proba(x, out, exec);
    refuse("give probabilities of its labels");
  }
  void score_samples(Source& x, std::span<double> out, const Exec& exec) const override {
    if constexpr (kAble.score_samples) return model_.score_samples(x, out, exec);
    refuse("score rows");
  }
  double score(Source& x, const Exec& exec) const override {
    if constexpr (kAble.score) return model_.score(x, exec);
    refuse("score a table");
  }
  void transform(Source& x, std::span<double> out, const Exec& exec) const override {
    if constexpr (kAble.transform) return model_.transform(x, out, exec);
    refuse("transform");
  }
  Sample sample(Index rows, std::uint64_t seed) const override {
    if constexpr (kAble.sample) return model_.sample(rows, seed);
    refuse("sample");
  }
  Bytes statistics(Source& x, const Exec& exec) const override {
    if constexpr (kAble.statistics) return written(fold(x, model_.statistics(), exec));
    refuse("give statistics");
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
    refuse("merge statistics");
  }
  Index free_parameters() const override {
    if constexpr (kAble.free_parameters) return model_.free_parameters();
    refuse("count its free parameters");
  }

 private:
  static constexpr Abilities kAble = abilities_of<M>();

  [[noreturn]] static void refuse(const std::string& what) {
    throw InputError(Code::kNotAble, {}, std::string(M::kName) + " cannot " + what,
                     "'craton models' lists what each model can do.");
  }
  template <class Statistics>
  static Bytes written(const Statistics& statistics) {
    Writer writer;
    statistics.write(writer);
    return {writer.bytes().begin(), writer.bytes().end()};
  }
  M model_;
};

// A typed fit as the command line, Python and model files know it.
template <class M>
Fitted erase(Fit<M> fit, typename M::Options options, const Schema& schema) {
  Fitted fitted{std::make_unique<RegisteredModel<M>>(std::move(fit.model)),
                std::move(fit.report),
                {},
                schema,
                {std::string(version()), dispatch_target(), kGridVersion}};
  for (Option& option : list_options([&](OptionVisitor& v) { describe(v, options); })) {
    fitted.options.emplace_back(std::move(option.name), std::move(option.value));
  }
  return fitted;
}

template <class M>
constexpr ModelInfo registered() {
  using Options = typename M::Options;
  return {
      .name = M::kName,
      .python_name = M::kPythonName,
      .help = M::kHelp,
      .objective = M::kObjective,
      .abilities = abilities_of<M>(),
      .options =
          [] {
            Options options;
            return list_options([&](OptionVisitor& v) { describe(v, options); });
          },
      .fit =
          [](Source& x, std::span<const NamedOption> values, const Exec& exec) {
            Options options;
            set_options([&](OptionVisitor& v) { describe(v, options); }, values);
            return erase(M::fit(x, options, exec), options, x.schema());
          },
      .from_parameters = [](std::span<const Parameter> parameters) -> std::unique_ptr<AnyModel> {
        return std::make_unique<RegisteredModel<M>>(M::from_parameters(parameters));
      },
  };
}

}  // namespace craton
