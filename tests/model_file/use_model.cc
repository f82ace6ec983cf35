#include "tests/model_file/use_model.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "craton/base/error.h"
#include "craton/model/explain.h"
#include "craton/model/fit_steps.h"
#include "craton/model/model_file.h"
#include "craton/report/result_text.h"
#include "craton/text/text_step.h"

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
  const std::string name = parameter.name.substr(parameter.name.rfind('.') + 1);  // within parts
  const bool logs = name.find("_log_") != std::string::npos;                      // may be of 0
  if (any_nan(value.values) || (!logs && !all_finite(value.values))) {
    return parameter.name + " is not finite";
  }
  if (name == "weights") {
    double sum = 0;
    for (const double w : value.values) sum += w;
    const bool negative =
        std::any_of(value.values.begin(), value.values.end(), [](double w) { return w < 0; });
    if (negative || std::abs(sum - 1) > 1e-6) return "the weights are not those of a mixture";
  }
  if (name == "covariances" && value.shape.size() == 3) {
    for (Index c = 0; c < value.shape[0]; ++c) {
      const Index d = value.shape[1];
      if (!positive_definite(&value.values[usize(c * d * d)], d)) return "a covariance is not one";
    }
  }
  if (name == "covariances" && value.shape.size() == 2) {
    if (*std::min_element(value.values.begin(), value.values.end()) <= 0) return "a variance <= 0";
  }
  return "";
}

// What is wrong with an answer.
class Fault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
void want(bool holds, const std::string& what) {
  if (!holds) throw Fault(what);
}
void want_finite(std::span<const double> values, const std::string& what) {
  want(all_finite(values), what + " is not finite");
}
// -inf is the logarithm of what is impossible.
void want_logarithms(std::span<const double> values, const std::string& what) {
  want(!any_nan(values), what + " is NaN");
  want(std::ranges::find(values, INFINITY) == values.end(), what + " is infinite");
}

// Errors about the rows or the question are answers; that the file is wrong should have been said
// when it was loaded.
template <class F>
void verb(const char* name, const F& f) {
  try {
    f();
  } catch (const Fault& fault) {
    throw Fault(std::string(name) + ": " + fault.what());
  } catch (const InputError& error) {
    const bool answer = error.kind() == ErrorKind::kData || error.kind() == ErrorKind::kUsage;
    want(answer, std::string(name) + ": " + error.what());
  } catch (const std::exception& error) {
    throw Fault(std::string(name) + ": " + error.what());
  }
}

constexpr Exec kHere{.threads = 1};

// Rows to ask about, of numbers or of texts, all of label 0, or of one number, where rows have
// them.
class Rows {
 public:
  Rows(const Fitted& fitted, std::vector<double> x)
      : schema_(fitted.schema), x_(std::move(x)), cols_(fitted.model->columns()) {
    set_targets();
  }
  // Beside texts, columns have some number, the same in all rows.
  Rows(const Fitted& fitted, const std::vector<std::string>& texts, double beside)
      : schema_(fitted.schema), cols_(fitted.model->columns()) {
    for (const std::string& text : texts) texts_.add(text);
    x_.assign(texts.size() * usize(cols_), beside);
    set_targets();
  }
  bool of_texts() const { return texts_.rows() > 0; }
  bool alone() const { return of_texts() == (cols_ == 0); }  // one row may be asked about
  Index rows() const { return of_texts() ? texts_.rows() : std::ssize(x_) / cols_; }
  std::span<const double> row(Index i) const { return {&x_[usize(i * cols_)], usize(cols_)}; }
  std::string_view text(Index i) const { return texts_.view()[i]; }
  MemorySource source() const {
    Memory memory{.x = Dense<double>{x_.data(), rows(), cols_, cols_}};
    if (of_texts()) memory.texts = {texts_.view()};
    if (schema_.labelled()) memory.labels = labels_;
    if (schema_.number_target()) memory.targets = targets_;
    return MemorySource(memory, schema_);
  }

 private:
  void set_targets() {
    labels_.assign(usize(rows()), 0);
    targets_.assign(usize(rows()), 1.5);
  }
  Schema schema_;
  std::vector<double> x_;
  TextArray texts_;
  std::vector<std::int32_t> labels_;
  std::vector<double> targets_;
  Index cols_ = 0;
};

Rows same_values(const Fitted& fitted, std::initializer_list<double> values) {
  std::vector<double> x;
  for (const double value : values) x.insert(x.end(), usize(fitted.model->columns()), value);
  return Rows(fitted, std::move(x));
}

// No word, known ones, unknown ones, bytes that are no text, and many of one word.
Rows texts_for(const Fitted& fitted, const TextStep& step, double beside = 12) {
  std::string known, often;
  for (Index j = 0; j < std::min<Index>(step.columns(), 50); ++j) known += step.term(j) + " ";
  for (int i = 0; i < 1000; ++i) often += step.term(0) + " ";
  return Rows(fitted,
              {"", known, often, "the cats and stars", "zebra", "\xff\xc0 caf\xc3\xa9 \x80"},
              beside);
}

// Small numbers, numbers that nobody has, missing ones, every row of a parameter that has as many
// columns as the data, and what the model draws itself.
std::vector<Rows> probes(const Fitted& fitted) {
  const AnyModel& model = *fitted.model;
  if (const TextStep* const step = text_of(model)) {
    std::vector<Rows> sets{texts_for(fitted, *step)};
    for (const double beside : {-1e3, 1e100, std::nan("")}) {
      if (model.columns() > 0) sets.push_back(texts_for(fitted, *step, beside));
    }
    return sets;
  }
  std::vector<Rows> sets{same_values(fitted, {0, 1, 2, 3, 0.25, 12}),
                         same_values(fitted, {-1e3, 1e-310, 1e14, 1e100}),
                         same_values(fitted, {1.7e308, -1.7e308, 5e-324})};
  if (fitted.info().abilities.missing) sets.push_back(same_values(fitted, {NAN, 1}));
  for (const Parameter& p : model.parameters()) {
    const bool rows = p.value.shape.size() == 2 && p.value.cols() == model.columns();
    if (rows && all_finite(p.value.values)) sets.emplace_back(fitted, p.value.values);
  }
  verb("sample", [&] {
    if (!fitted.info().abilities.sample) return;
    const Sample sample = model.sample(20, 1);
    want_finite(sample.x.values, "a sample");
    sets.emplace_back(fitted, sample.x.values);
  });
  return sets;
}

// Labels, probabilities and densities of the rows of a table, and the same of its rows by
// themselves.
void ask_of_rows(const Fitted& fitted, const Rows& rows) {
  const AnyModel& model = *fitted.model;
  const Abilities& can = fitted.info().abilities;
  const std::size_t n = usize(rows.rows()), k = usize(model.classes());
  RowWork work(model);
  verb("predict", [&] {
    if (!can.predict) return;
    MemorySource x = rows.source();
    std::vector<std::int32_t> labels(n, -1);
    model.predict(x, labels, kHere);
    for (std::size_t i = 0; i < n; ++i) {
      want(labels[i] >= 0 && labels[i] < model.classes(), "a label that does not exist");
      const auto at = static_cast<Index>(i);
      if (!rows.alone()) continue;
      const auto alone = rows.of_texts() ? model.predict_text(rows.text(at), work)
                                         : model.predict_row(rows.row(at), work);
      want(alone == labels[i], "a row by itself has another label");
    }
  });
  verb("predict_log_proba", [&] {
    if (!can.predict_log_proba) return;
    MemorySource x = rows.source();
    std::vector<double> out(n * k, NAN), alone(k);
    model.predict_log_proba(x, out, kHere);
    want_logarithms(out, "a log-probability");
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (std::size_t c = 0; c < k; ++c) sum += std::exp(out[i * k + c]);
      want(std::abs(sum - 1) < 1e-6, "probabilities that do not sum to 1");
      const auto at = static_cast<Index>(i);
      if (!rows.alone()) continue;
      rows.of_texts() ? model.predict_log_proba_text(rows.text(at), work, alone)
                      : model.predict_log_proba_row(rows.row(at), work, alone);
      want(std::ranges::equal(alone, std::span(&out[i * k], k)),
           "a row by itself has other probabilities");
    }
  });
  verb("score_samples", [&] {
    if (!can.score_samples) return;
    MemorySource x = rows.source();
    std::vector<double> out(n, NAN);
    model.score_samples(x, out, kHere);
    want_logarithms(out, "a log-density");
    for (std::size_t i = 0; i < n && !rows.of_texts(); ++i) {
      want(model.score_row(rows.row(static_cast<Index>(i)), work) == out[i],
           "a row by itself has another density");
    }
  });
  verb("predict_numbers", [&] {
    if (!can.predict_numbers) return;
    MemorySource x = rows.source();
    std::vector<double> out(n, NAN);
    model.predict_numbers(x, out, kHere);
    want_finite(out, "a number");
    for (std::size_t i = 0; i < n && !rows.of_texts(); ++i) {
      want(model.predict_number_row(rows.row(static_cast<Index>(i)), work) == out[i],
           "a row by itself has another number");
    }
  });
  verb("quantile", [&] {
    if (!can.distribution || model.columns() != 1) return;
    const std::vector<double> found = model.quantile(std::array{1e-9, 0.3, 0.999}, kHere);
    want_finite(found, "a quantile");
    for (const double p : model.cdf(found, kHere)) want(p >= 0 && p <= 1, "no probability");
  });
  verb("intervals", [&] {
    if (!can.intervals) return;
    MemorySource x = rows.source();
    for (const ResultColumn& column : model.intervals(x, 0.95, kHere).columns) {
      want(column.size() == rows.rows(), "intervals of other rows");
      if (column.log_density) want_logarithms(*column.numbers(), column.name);
      if (!column.lacks && !column.log_density) want_finite(*column.numbers(), column.name);
    }
  });
  verb("diagnose", [&] {
    if (!can.diagnose) return;
    MemorySource x = rows.source();
    for (const ResultColumn& column : model.diagnose(x, kHere).columns) {
      want(column.size() == rows.rows(), "a diagnosis of other rows");
      if (!column.lacks) want_logarithms(*column.numbers(), column.name);
    }
  });
  verb("explain", [&] {
    if (!can.contributions) return;
    MemorySource x = rows.source();
    explain(model, x, -1, kHere, [](Index, const Explanation& why) {
      want(!std::isnan(why.prior), "a log-odds of labels is NaN");
      want(!any_nan(why.log_odds), "a log-odds is NaN");
    });
  });
}

// Figures for a table.
void ask_of_table(const Fitted& fitted, const Rows& rows) {
  const AnyModel& model = *fitted.model;
  const Abilities& can = fitted.info().abilities;
  verb("transform", [&] {
    if (!can.transform) return;
    MemorySource x = rows.source();
    std::vector<double> out(usize(rows.rows() * model.outputs()), NAN);
    model.transform(x, out, kHere);
    want_finite(out, "a new column");
  });
  verb("score", [&] {
    if (!can.score) return;
    MemorySource x = rows.source();
    want_logarithms(std::array{model.score(x, kHere)}, "the score");
  });
  verb("measures", [&] {
    if (!can.measures) return;
    MemorySource x = rows.source();
    for (const Measure& m : model.measures(x, kHere))
      want(!std::isnan(m.value), m.name + " is NaN");
  });
  verb("entropy", [&] {
    if (!can.entropy) return;
    MemorySource x = rows.source();
    want_finite(std::array{model.entropy(x, kHere)}, "the entropy");
  });
}

bool says_nan(const std::string& text) { return text.find("nan") != std::string::npos; }

// Where a table may have no number: text has nothing there.
bool may_lack(const ResultTable& table, const ResultColumn& column) {
  return column.deviation || column.lacks || table.name.ends_with("prepared") ||
         table.name.ends_with("correlations");
}

// What the model says of itself.
void ask_of_model(const Fitted& fitted) {
  const AnyModel& model = *fitted.model;
  const Abilities& can = fitted.info().abilities;
  verb("tables", [&] {
    bool named = false;  // anything may be called so
    for (const std::string& name : fitted.schema.names()) named = named || says_nan(name);
    if (fitted.schema.target) {
      for (const std::string& level : fitted.schema.target->levels)
        named = named || says_nan(level);
    }
    for (const ResultTable& table : all_tables(fitted)) {
      for (const ResultColumn& column : table.columns) {
        want(column.size() == table.rows(), "a ragged table");
        want(column.words() != nullptr || may_lack(table, column) || !any_nan(*column.numbers()),
             table.name + ": " + column.name + " has a NaN");
      }
      for (const auto& row : cells_of(table).rows) {
        for (const std::string& cell : row) want(named || !says_nan(cell), "it says " + cell);
      }
    }
  });
  verb("linear_form", [&] {
    if (!can.linear_form) return;
    const LinearForm form = model.linear_form();
    want_logarithms(form.coef.values, "a coefficient");
    want_logarithms(form.intercept.values, "an intercept");
  });
  verb("boundaries", [&] {
    if (!can.boundaries) return;
    for (const Boundary& b : model.boundaries()) {
      want_finite(b.quadratic.values, "a coefficient");
      want_finite(b.linear.values, "a coefficient");
      want_finite(std::array{b.constant}, "a constant");
      want_finite(b.points, "a point");
    }
  });
  verb("free_parameters", [&] {
    if (can.free_parameters) want(model.free_parameters(fitted.options) >= 0, "less than none");
  });
}

// A model that went on from this one.
void judge_next(const Fitted& next, const Rows& rows) {
  for (const Parameter& parameter : next.model->parameters()) {
    const std::string fault = judge(parameter);
    want(fault.empty(), fault);
  }
  want_logarithms(std::array{next.report.objective}, "the objective");
  try {
    unpack_model(pack_model(next), "next");
  } catch (const InputError& error) {
    throw Fault(error.what());
  }
  ask_of_rows(next, rows);
}

void go_on(const Fitted& fitted, const Rows& rows) {
  const ModelInfo& info = fitted.info();
  const Abilities& can = info.abilities;
  verb("learn", [&] {
    if (!can.partial_fit) return;
    MemorySource x = rows.source();
    judge_next(info.partial_fit(fitted, x, fitted.options, kHere), rows);
  });
  verb("unlearn", [&] {
    if (!can.unlearn) return;
    MemorySource x = rows.source();
    judge_next(info.unlearn(fitted, x, fitted.options, kHere), rows);
  });
  verb("fit_from", [&] {
    if (!can.fit_from) return;
    std::vector<NamedOption> options = fitted.options;
    for (auto& [name, value] : options) {
      if (name == "max_iter") value = Index{4};
    }
    MemorySource x = rows.source();
    judge_next(info.fit_from(fitted, x, options, kHere), rows);
  });
}

}  // namespace

std::string use_model(const Fitted& fitted) {
  try {
    for (const Parameter& parameter : fitted.model->parameters()) {
      const std::string fault = judge(parameter);
      want(fault.empty(), fault);
    }
    ask_of_model(fitted);
    for (const Rows& rows : probes(fitted)) {
      ask_of_rows(fitted, rows);
      ask_of_table(fitted, rows);
      go_on(fitted, rows);
    }
    verb("merge", [&] {
      if (!fitted.info().abilities.merge) return;
      const TextStep* const step = text_of(*fitted.model);
      const Rows rows = step != nullptr ? texts_for(fitted, *step) : same_values(fitted, {1, 2, 3});
      judge_next(fitted.info().merge(fitted, fitted), rows);
    });
    verb("save", [&] {
      const Bytes bytes = pack_model(fitted);
      want(pack_model(unpack_model(bytes, "again")) == bytes, "a file that changes when copied");
    });
  } catch (const Fault& fault) {
    return fault.what();
  }
  return "";
}

}  // namespace craton::model_file
