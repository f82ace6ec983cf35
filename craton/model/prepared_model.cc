#include "craton/model/prepared_model.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "craton/base/error.h"
#include "craton/tables/kept_rows.h"
#include "craton/tables/prepared_source.h"

namespace craton {

class PreparedModel final : public AnyModel {
 public:
  PreparedModel(Preparation preparation, std::unique_ptr<AnyModel> model)
      : preparation_(std::move(preparation)), model_(std::move(model)) {}
  const Preparation& preparation() const { return preparation_; }
  const AnyModel& plain() const { return *model_; }
  // What is to be added to log densities of prepared rows.
  double log_volume() const {
    return info().abilities.score_samples ? preparation_.log_volume() : 0;
  }

  const ModelInfo& info() const override { return model_->info(); }
  std::vector<Parameter> parameters() const override {
    std::vector<Parameter> all = preparation_.parameters();
    std::vector<Parameter> own = model_->parameters();
    std::move(own.begin(), own.end(), std::back_inserter(all));
    return all;
  }
  std::vector<SummaryTable> summary(const Schema& schema) const override {
    std::vector<SummaryTable> all = preparation_.summary(schema);
    for (SummaryTable& table : model_->summary(schema)) {
      if (preparation_.scales() || preparation_.unit_rows()) table.title += " (of prepared rows)";
      all.push_back(std::move(table));
    }
    return all;
  }
  Index columns() const override { return model_->columns(); }
  Index classes() const override { return model_->classes(); }
  Index outputs() const override { return model_->outputs(); }

  void predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const override {
    PreparedSource rows = prepared(x);
    model_->predict(rows, labels, exec);
  }
  void predict_log_proba(Source& x, std::span<double> out, const Exec& exec) const override {
    PreparedSource rows = prepared(x);
    model_->predict_log_proba(rows, out, exec);
  }
  void score_samples(Source& x, std::span<double> out, const Exec& exec) const override {
    PreparedSource rows = prepared(x);
    model_->score_samples(rows, out, exec);
    for (double& v : out) v += log_volume();
  }
  double score(Source& x, const Exec& exec) const override {
    PreparedSource rows = prepared(x);
    const bool density = !info().abilities.labels;  // else it is the accuracy
    return model_->score(rows, exec) + (density ? log_volume() : 0);
  }
  std::vector<Measure> measures(Source& x, const Exec& exec) const override {
    PreparedSource rows = prepared(x);
    std::vector<Measure> all = model_->measures(rows, exec);
    for (Measure& m : all) {
      if (m.name.find("p(row") != m.name.npos) m.value += log_volume();
    }
    return all;
  }
  void transform(Source& x, std::span<double> out, const Exec& exec) const override {
    PreparedSource rows = prepared(x);
    model_->transform(rows, out, exec);
  }
  Sample sample(Index rows, std::uint64_t seed) const override {
    if (preparation_.unit_rows()) refuse("sample rows: at length 1 they have lost their own");
    Sample drawn = model_->sample(rows, seed);
    for (Index i = 0; i < rows; ++i) {
      preparation_.restore(&drawn.x.values[usize(i * columns())], columns());
    }
    return checked(std::move(drawn));
  }
  Bytes statistics(Source& x, const Exec& exec) const override {
    PreparedSource rows = prepared(x);
    return model_->statistics(rows, exec);
  }
  Bytes merge_statistics(const Bytes& a, const Bytes& b) const override {
    return model_->merge_statistics(a, b);
  }
  double entropy(Source& x, const Exec& exec) const override {
    PreparedSource rows = prepared(x);
    return model_->entropy(rows, exec);
  }
  Index free_parameters(std::span<const NamedOption> options) const override {
    return model_->free_parameters(options);
  }
  void check_memory(std::span<const Parameter> memory) const override {
    model_->check_memory(memory);
  }
  void contributions(const Chunk& chunk, Index row, Index label,
                     std::span<double> out) const override {
    const Index d = columns();
    std::vector<double> values(usize(d));
    std::visit([&](const auto& x) { copy_row(x, row, values.data()); }, chunk.x);
    preparation_.prepare(values.data(), d, values.data());
    Chunk one = chunk;
    one.first_row += row;
    one.x = Dense<double>{values.data(), 1, d, d};
    model_->contributions(one, 0, label, out);
  }
  LinearForm linear_form() const override;
  std::vector<Boundary> boundaries() const override;
  Index row_work() const override { return model_->row_work() + room(); }

 private:
  PreparedSource prepared(Source& x) const {
    check_columns(x, columns());
    return PreparedSource(x, preparation_);
  }
  // For the prepared row, before what the model works on: both on a 64-byte boundary.
  Index room() const { return (columns() + 7) / 8 * 8; }
  const double* prepared(const double* row, double* work) const {
    preparation_.prepare(row, columns(), work);
    return work;
  }
  std::int32_t try_predict(const double* row, double* work) const override {
    return model_->try_predict(prepared(row, work), work + room());
  }
  bool try_log_proba(const double* row, double* work, double* out) const override {
    return model_->try_log_proba(prepared(row, work), work + room(), out);
  }
  double try_score(const double* row, double* work) const override {
    return model_->try_score(prepared(row, work), work + room()) + log_volume();
  }
  [[noreturn]] void refuse(const char* what) const {
    throw InputError(Code::kNotAble, {},
                     fmt::format("{} with unit_rows cannot {}", info().name, what),
                     "Fit without unit_rows.");
  }

  Preparation preparation_;
  std::unique_ptr<AnyModel> model_;
};

// w . (x - c) / s + b = (w / s) . x + b - (w / s) . c
LinearForm PreparedModel::linear_form() const {
  if (preparation_.unit_rows()) refuse("give a linear form: rows are divided by their lengths");
  LinearForm form = model_->linear_form();
  if (!form.terms.empty() && preparation_.scales()) {
    throw InputError(Code::kNotAble, {},
                     fmt::format("{} is linear in terms of scaled columns", info().name),
                     "Fit without scale.");
  }
  for (Index c = 0; preparation_.scales() && c < form.coef.rows(); ++c) {
    for (Index j = 0; j < form.coef.cols(); ++j) {
      double& w = form.coef.values[usize(c * form.coef.cols() + j)];
      w /= preparation_.scale(j);
      form.intercept.values[usize(c)] -= w * preparation_.centre(j);
    }
  }
  return checked(std::move(form));
}

// With y = (x - c) / s the same, for y' Q y + l . y + k: Q_ij / (s_i s_j), and so on.
std::vector<Boundary> PreparedModel::boundaries() const {
  if (preparation_.unit_rows()) refuse("give boundaries: rows are divided by their lengths");
  std::vector<Boundary> all = model_->boundaries();
  if (!preparation_.scales()) return all;
  const Index d = columns();
  for (Boundary& b : all) {
    for (Index i = 0; i < d; ++i) b.linear.values[usize(i)] /= preparation_.scale(i);
    for (Index i = 0; i < d && !b.quadratic.empty(); ++i) {
      for (Index j = 0; j < d; ++j) {
        b.quadratic.values[usize(i * d + j)] /= preparation_.scale(i) * preparation_.scale(j);
      }
    }
    for (Index i = 0; i < d; ++i) {
      b.constant -= b.linear.values[usize(i)] * preparation_.centre(i);
    }
    for (Index i = 0; i < d && !b.quadratic.empty(); ++i) {
      for (Index j = 0; j < d; ++j) {
        const double q = b.quadratic.values[usize(i * d + j)];
        b.constant += q * preparation_.centre(i) * preparation_.centre(j);
        b.linear.values[usize(i)] -= q * preparation_.centre(j);
        b.linear.values[usize(j)] -= q * preparation_.centre(i);
      }
    }
    for (double& point : b.points) preparation_.restore(&point, 1);
  }
  return checked(std::move(all));
}

namespace {

constexpr double kLowest = std::numeric_limits<double>::lowest();

void check_numbers(std::span<const double> values, double least = kLowest) {
  const auto fine = [&](double v) { return v >= least && v <= std::numeric_limits<double>::max(); };
  if (std::all_of(values.begin(), values.end(), fine)) return;
  throw InputError(Code::kNotFinite, {}, "numbers that the model gives rise to overflow",
                   "They are too large or too far from 0: fit on rescaled columns.");
}

}  // namespace

Sample checked(Sample sample) {
  check_numbers(sample.x.values);
  return sample;
}

LinearForm checked(LinearForm form) {
  check_numbers(form.coef.values);
  check_numbers(form.intercept.values, -std::numeric_limits<double>::infinity());
  return form;
}

std::vector<Boundary> checked(std::vector<Boundary> boundaries) {
  for (Boundary& b : boundaries) {
    check_numbers(b.quadratic.values);
    check_numbers(b.linear.values);
    check_numbers({&b.constant, 1});
    std::erase_if(b.points, [](double point) { return !std::isfinite(point); });
  }
  return boundaries;
}

namespace {

void shift(FitReport& report, double by) {
  report.objective += by;
  for (double& v : report.trace) v += by;
  for (auto& trace : report.start_traces) {
    for (double& v : trace) v += by;
  }
  for (HalfStep& step : report.half_steps) step.expected += by;
}

const PreparedModel* as_prepared(const AnyModel& model) {
  return dynamic_cast<const PreparedModel*>(&model);
}

Fitted with(Preparation preparation, Fitted fitted) {
  auto model = std::make_unique<PreparedModel>(std::move(preparation), std::move(fitted.model));
  shift(fitted.report, model->log_volume());
  fitted.model = std::move(model);
  return fitted;
}

}  // namespace

const Preparation* preparation_of(const AnyModel& model) {
  const PreparedModel* prepared = as_prepared(model);
  return prepared == nullptr ? nullptr : &prepared->preparation();
}

const AnyModel& plain_model(const AnyModel& model) {
  const PreparedModel* prepared = as_prepared(model);
  return prepared == nullptr ? model : prepared->plain();
}

std::optional<PreparedSource> prepared_rows(const AnyModel& model, Source& x) {
  const Preparation* preparation = preparation_of(model);
  if (preparation == nullptr) return std::nullopt;
  return PreparedSource(x, *preparation);
}

FitReport plain_report(const Fitted& fitted) {
  FitReport report = fitted.report;
  const PreparedModel* prepared = as_prepared(*fitted.model);
  if (prepared != nullptr) shift(report, -prepared->log_volume());
  return report;
}

Fitted prepare_and_fit(Source& x, const PreparationOptions& options, const Exec& exec,
                       FunctionRef<Fitted(Source&)> fit) {
  if (!options.any()) return fit(x);
  Preparation preparation = Preparation::learn(x, options, exec);
  PreparedSource rows(x, preparation);
  if (!x.in_memory()) return with(std::move(preparation), fit(rows));
  KeptRows kept(rows, exec);
  return with(std::move(preparation), fit(kept));
}

Fitted prepare_and_go_on(const Fitted& so_far, Source* x, const PreparationOptions& options,
                         FunctionRef<Fitted(Source*)> go_on) {
  if (!(options == preparation_of(so_far.options))) {
    throw InputError(
        Code::kBadOption, {}, "the model to go on from prepares its rows in another way",
        "Give the fill, scale and unit_rows that it was fitted with; 'craton describe' "
        "shows them.");
  }
  const Preparation* preparation = preparation_of(*so_far.model);
  if (preparation == nullptr) return go_on(x);
  if (x == nullptr) return with(*preparation, go_on(nullptr));
  check_columns(*x, so_far.model->columns());
  PreparedSource rows(*x, *preparation);
  return with(*preparation, go_on(&rows));
}

void check_same_preparation(const Fitted& a, const Fitted& b) {
  const Preparation *first = preparation_of(*a.model), *second = preparation_of(*b.model);
  if (first == nullptr && second == nullptr) return;
  if (first != nullptr && second != nullptr && *first == *second) return;
  throw InputError(Code::kBadOption, {},
                   "the two models prepare their rows differently: what one has learned means "
                   "something else to the other",
                   "Scale the tables alike before they are fitted, or let one model learn on from "
                   "the other's rows.");
}

std::unique_ptr<AnyModel> make_prepared(
    std::span<const Parameter> parameters,
    FunctionRef<std::unique_ptr<AnyModel>(std::span<const Parameter>)> make) {
  const auto is_ours = [](const Parameter& p) { return Preparation::is_parameter(p.name); };
  if (std::none_of(parameters.begin(), parameters.end(), is_ours)) return make(parameters);
  std::vector<Parameter> own;
  std::remove_copy_if(parameters.begin(), parameters.end(), std::back_inserter(own), is_ours);
  std::unique_ptr<AnyModel> model = make(own);
  std::optional<Preparation> preparation =
      Preparation::from_parameters(parameters, model->columns());
  return std::make_unique<PreparedModel>(*std::move(preparation), std::move(model));
}

}  // namespace craton
