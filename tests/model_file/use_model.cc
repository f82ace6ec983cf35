#include "tests/model_file/use_model.h"

#include <algorithm>
#include <cmath>

#include "craton/core/error.h"
#include "craton/core/model_file.h"

namespace craton::model_file {
namespace {

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

bool any_nan(std::span<const double> values) {
  return std::any_of(values.begin(), values.end(), [](double v) { return std::isnan(v); });
}

// By the textbook, so that it shares nothing with what it judges.
bool positive_definite(const double* a, Index d) {
  std::vector<double> lower(usize(d * d));
  for (Index i = 0; i < d; ++i) {
    for (Index j = 0; j <= i; ++j) {
      if (a[i * d + j] != a[j * d + i]) return false;
      double sum = a[i * d + j];
      for (Index l = 0; l < j; ++l) sum -= lower[usize(i * d + l)] * lower[usize(j * d + l)];
      if (i == j && !(sum > 0)) return false;
      lower[usize(i * d + j)] = i == j ? std::sqrt(sum) : sum / lower[usize(j * d + j)];
    }
  }
  return true;
}

std::string judge(const Parameter& parameter) {
  const Array& value = parameter.value;
  const bool logs = parameter.name.find("_log_") != std::string::npos;  // of 0, perhaps
  if (value.empty() || any_nan(value.values) || (!logs && !all_finite(value.values))) {
    return parameter.name + " is not finite";
  }
  if (parameter.name == "weights") {
    double sum = 0;
    for (const double w : value.values) sum += w;
    const bool negative =
        std::any_of(value.values.begin(), value.values.end(), [](double w) { return w < 0; });
    if (negative || std::abs(sum - 1) > 1e-6) return "the weights are not those of a mixture";
  }
  if (parameter.name == "covariances" && value.shape.size() == 3) {
    for (Index c = 0; c < value.shape[0]; ++c) {
      const Index d = value.shape[1];
      if (!positive_definite(&value.values[usize(c * d * d)], d)) return "a covariance is not one";
    }
  }
  if (parameter.name == "covariances" && value.shape.size() == 2) {
    if (*std::min_element(value.values.begin(), value.values.end()) <= 0) return "a variance <= 0";
  }
  return "";
}

// Zeros, ones, extremes, and every row of a parameter that has as many columns as the data.
std::vector<double> probes(const AnyModel& model, std::span<const Parameter> parameters) {
  const std::size_t d = usize(model.columns());
  std::vector<double> rows;
  for (const double value : {0.0, 1.0, -1e3, 1e-310, 1e100}) {
    rows.insert(rows.end(), d, value);
  }
  for (const Parameter& p : parameters) {
    if (p.value.shape.size() != 2 || p.value.cols() != model.columns()) continue;
    rows.insert(rows.end(), p.value.values.begin(), p.value.values.end());
  }
  return rows;
}

std::string ask(const AnyModel& model, std::span<const double> rows) {
  const Abilities& can = model.info().abilities;
  const Index d = model.columns(), n = std::ssize(rows) / d;
  MemorySource x({.x = Dense<double>{rows.data(), n, d, d}});
  const Exec exec{.threads = 1};
  if (can.predict) {
    std::vector<std::int32_t> labels(usize(n), -1);
    model.predict(x, labels, exec);
    for (const std::int32_t label : labels) {
      if (label < 0 || label >= model.classes()) return "a label that does not exist";
    }
  }
  if (can.predict_log_proba) {
    std::vector<double> out(usize(n * model.classes()), NAN);
    model.predict_log_proba(x, out, exec);
    for (Index i = 0; i < n; ++i) {
      double sum = 0;
      for (Index c = 0; c < model.classes(); ++c)
        sum += std::exp(out[usize(i * model.classes() + c)]);
      if (!(std::abs(sum - 1) < 1e-6)) return "probabilities that do not sum to 1";
    }
  }
  if (can.score_samples) {
    std::vector<double> out(usize(n), NAN);
    model.score_samples(x, out, exec);
    if (any_nan(out)) return "a log-density that is NaN";
    // Far rows may have density 0, but not all where the means are among them.
    if (can.predict && !can.labels && !std::isfinite(*std::max_element(out.begin(), out.end())))
      return "no finite log-density";
  }
  if (can.transform) {
    std::vector<double> out(usize(n * model.outputs()), NAN);
    model.transform(x, out, exec);
    if (any_nan(out)) return "a transformed value that is NaN";
  }
  return "";
}

// Goes on from what the model remembers. A row that its families cannot have is refused.
std::string learn_on(const Fitted& fitted) {
  const Index d = fitted.model->columns();
  std::vector<double> rows;
  for (const double value : {1.0, 2.0, 3.0}) rows.insert(rows.end(), usize(d), value);
  const std::vector<std::int32_t> labels(3, 0);
  MemorySource x({.x = Dense<double>{rows.data(), 3, d, d}, .labels = labels}, fitted.schema);
  try {
    const Fitted next = fitted.info().partial_fit(fitted, x, fitted.options, {.threads = 1});
    for (const Parameter& parameter : next.model->parameters()) {
      if (std::string fault = judge(parameter); !fault.empty()) return "learned on: " + fault;
    }
  } catch (const InputError& error) {
    const Code code = error.code();
    if (code != Code::kOutsideSupport && code != Code::kNotFinite && code != Code::kNoSpread) throw;
  }
  return "";
}

}  // namespace

std::string use_model(const Fitted& fitted) {
  const AnyModel& model = *fitted.model;
  const std::vector<Parameter> parameters = model.parameters();
  for (const Parameter& parameter : parameters) {
    if (std::string fault = judge(parameter); !fault.empty()) return fault;
  }
  try {
    if (std::string fault = ask(model, probes(model, parameters)); !fault.empty()) return fault;
  } catch (const InputError& error) {
    // Parameters may be so large that squares of distances overflow: refusing the row is an answer.
    if (error.code() != Code::kNotFinite) throw;
  }
  if (fitted.info().abilities.sample) {
    const Sample sample = model.sample(20, 1);
    if (!all_finite(sample.x.values)) return "a sample that is not finite";
  }
  for (const SummaryTable& table : model.summary(fitted.schema)) {
    for (const auto& row : table.rows) {
      if (row.size() != table.header.size()) return "a ragged summary";
    }
  }
  const Abilities& able = fitted.info().abilities;
  if (able.labels && able.partial_fit && !fitted.memory.get().empty() && fitted.schema.target) {
    if (std::string fault = learn_on(fitted); !fault.empty()) return fault;
  }
  const Bytes bytes = pack_model(fitted);
  if (pack_model(unpack_model(bytes, "again")) != bytes) return "a file that changes when copied";
  return "";
}

}  // namespace craton::model_file
