#include "tests/campaign/ask.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "craton/base/error.h"
#include "craton/model/model_file.h"
#include "craton/report/result_text.h"

namespace craton::campaign {
namespace {

const Exec kExec{.threads = 1};

bool finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
}

// A logarithm of a probability or a density: of 0, perhaps.
bool logarithms(std::span<const double> values) {
  return std::ranges::none_of(values, [](double v) { return std::isnan(v) || v == INFINITY; });
}

// A word of its own, whatever its sign: "nan" (prose has NaN), or "inf".
bool has_word(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
      const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
      const bool starts = at == 0 || !letter(text[at - 1]);
      const bool ends = at + word.size() == text.size() || !letter(text[at + word.size()]);
      if (starts && ends) return true;
    }
  }
  return false;
}

std::string of_parameters(std::span<const Parameter> parameters) {
  for (const Parameter& p : parameters) {
    const bool logs = p.name.find("_log_") != std::string::npos;  // a component may have no weight
    if (logs ? !logarithms(p.value.values) : !finite(p.value.values)) {
      return p.name + " is not finite";
    }
  }
  return "";
}

std::string of_report(const FitReport& report) {
  if (!std::isfinite(report.objective)) return "an objective that is not finite";
  if (!finite(report.trace)) return "a trace that is not finite";
  for (const auto& trace : report.start_traces) {
    if (!finite(trace)) return "a trace that is not finite";
  }
  for (const HalfStep& step : report.half_steps) {
    if (!std::isfinite(step.bound())) return "half a step that is not finite";
  }
  for (const Note& note : report.notes) {
    const std::string text = note.text.plain();
    if (has_word(text, {"nan", "inf"})) return "the note '" + text + "'";
  }
  return "";
}

// Where a table may have no number: text has nothing there. A column that says so has numbers else.
bool no_infinities(const ResultColumn& column) {
  return std::ranges::none_of(
      *column.numbers(), [&](double v) { return std::isinf(v) && !(column.log_density && v < 0); });
}

bool may_lack(const ResultTable& table, const ResultColumn& column) {
  return (column.lacks && no_infinities(column)) || column.deviation ||
         table.name.ends_with("prepared") || table.name.ends_with("correlations");
}

std::string of_tables(const Fitted& fitted) {
  for (const ResultTable& result : all_tables(fitted)) {
    for (const ResultColumn& column : result.columns) {
      if (column.size() != result.rows()) return "a ragged table";
      if (column.words() != nullptr || may_lack(result, column)) continue;
      if (!finite(*column.numbers())) {
        return fmt::format("{} in '{}' is not finite", column.name, result.title);
      }
    }
    const SummaryTable table = cells_of(result);
    for (const auto& row : table.rows) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (has_word(row[i], {"nan", "inf"})) {
          return fmt::format("{} of {} in '{}' is {}", table.header[i], row[0], table.title,
                             row[i]);
        }
      }
    }
  }
  return "";
}

std::string of_file(const Fitted& fitted) {
  const Bytes bytes = pack_model(fitted);
  const Fitted again = unpack_model(bytes, "its own file");
  return pack_model(again) == bytes ? "" : "a file that changes when copied";
}

// All that a model says of rows.
class Questions {
 public:
  Questions(const AnyModel& model, const Rows& table, std::string of, Listener& listener)
      : model_(&model),
        table_(&table),
        x_(table.source()),
        of_(std::move(of)),
        listener_(&listener) {}

  void ask_all() {
    const Abilities& can = model_->info().abilities;
    const Index n = table_->rows();
    bool labelled = false;
    if (can.predict) labelled = ask("predict", [&] { return predict(); });
    // Of sparse rows sums are made in another order, which decides between labels that tie.
    if (!labelled || table_->sparse) labels_.clear();
    if (can.predict_log_proba) ask("predict_log_proba", [&] { return log_proba(); });
    if (can.predict_numbers) {
      ask("predict_numbers", [&] {
        numbers_.assign(usize(n), NAN);
        model_->predict_numbers(x_, numbers_, kExec);
        return finite(numbers_) ? "" : "a number that is not finite";
      });
      if (!finite(numbers_)) numbers_.clear();
    }
    if (can.score_samples) {
      ask("score_samples", [&] {
        std::vector<double> out(usize(n), NAN);
        model_->score_samples(x_, out, kExec);
        return logarithms(out) ? "" : "a log-density that is NaN or infinite";
      });
    }
    if (can.score) {
      ask("score", [&] {
        const double score = model_->score(x_, kExec);
        return std::isnan(score) || score == INFINITY ? fmt::format("a score of {}", score) : "";
      });
    }
    if (can.measures) ask("measures", [&] { return measures(); });
    if (can.transform) {
      ask("transform", [&] {
        std::vector<double> out(usize(n * model_->outputs()), NAN);
        model_->transform(x_, out, kExec);
        return finite(out) ? "" : "a transformed value that is not finite";
      });
    }
    if (can.entropy) {
      ask("entropy", [&] {
        const double entropy = model_->entropy(x_, kExec);
        return std::isfinite(entropy) ? "" : fmt::format("an entropy of {}", entropy);
      });
    }
    if (can.statistics) {
      ask("statistics", [&] {
        const Bytes bytes = model_->statistics(x_, kExec);
        return model_->merge_statistics(bytes, bytes).size() == bytes.size() ? "" : "another size";
      });
    }
    if (can.distribution && model_->columns() == 1) {
      ask("quantile", [&] {
        const std::vector<double> p{1e-9, 0.3, 0.999}, found = model_->quantile(p, kExec);
        if (!finite(found)) return "a quantile that is NaN or infinite";
        const std::vector<double> again = model_->cdf(found, kExec);
        for (const double v : again) {
          if (!(v >= 0 && v <= 1)) return "a probability that is none";
        }
        return "";
      });
    }
    if (can.intervals) {
      ask("intervals", [&] {
        const ResultTable rows = model_->intervals(x_, 0.95, kExec);
        for (const ResultColumn& column : rows.columns) {
          if (column.size() != n) return "intervals of nothing";
          const auto& ends = *column.numbers();
          const bool sound = column.lacks         ? no_infinities(column)
                             : column.log_density ? logarithms(ends)
                                                  : finite(ends);
          if (!sound) {
            return "ends that are NaN or infinite";
          }
        }
        return "";
      });
    }
    if (can.diagnose) {
      ask("diagnose", [&] {
        const ResultTable rows = model_->diagnose(x_, kExec);
        for (const ResultColumn& column : rows.columns) {
          if (column.size() != n) return "a diagnosis of nothing";
          if (column.lacks ? !no_infinities(column) : !logarithms(*column.numbers())) {
            return "a diagnosis that is NaN or infinite";
          }
        }
        return "";
      });
    }
    if (can.contributions && labelled) ask("contributions", [&] { return contributions(); });
    ask("rows", [&] { return one_by_one(); });
  }

 private:
  template <class F>
  bool ask(std::string_view verb, const F& f) {
    return attempt(*listener_, fmt::format("{}{}", verb, of_),
                   [&]() -> std::string { return f(); });
  }

  std::string predict() {
    labels_.assign(usize(table_->rows()), -1);
    model_->predict(x_, labels_, kExec);
    for (const std::int32_t label : labels_) {
      if (label < 0 || label >= model_->classes()) return "a label that does not exist";
    }
    return "";
  }

  std::string log_proba() {
    const Index n = table_->rows(), k = model_->classes();
    std::vector<double> out(usize(n * k), NAN);
    model_->predict_log_proba(x_, out, kExec);
    for (Index i = 0; i < n; ++i) {
      double sum = 0;
      for (Index c = 0; c < k; ++c) sum += std::exp(out[usize(i * k + c)]);
      if (!(std::abs(sum - 1) < 1e-6)) return "probabilities that do not sum to 1";
    }
    return "";
  }

  std::string measures() {
    for (const Measure& m : model_->measures(x_, kExec)) {
      if (std::isnan(m.value) || m.value == INFINITY) {
        return fmt::format("{} of {}", m.name, m.value);
      }
    }
    return "";
  }

  std::string contributions() {
    const Index n = std::min<Index>(table_->rows(), 6);
    Block block;
    Chunk chunk;
    x_.fetch({0, table_->rows()}, block);
    x_.decode(block, chunk);
    std::vector<double> out(usize(model_->columns() + 1));
    for (Index i = 0; i < n; ++i) {
      for (Index c = 0; c < model_->classes(); ++c) {
        model_->contributions(chunk, i, c, out);
        if (!logarithms(out)) return "a contribution that is NaN or infinite";
      }
    }
    return "";
  }

  std::string one_by_one() {
    const Abilities& can = model_->info().abilities;
    RowWork work(*model_);
    std::vector<double> out(usize(model_->classes()));
    for (Index i = 0; i < table_->rows(); ++i) {
      const std::span<const double> row(&table_->x[usize(i * table_->cols)], usize(table_->cols));
      if (can.predict && !labels_.empty() && model_->predict_row(row, work) != labels_[usize(i)]) {
        return "another label for a row by itself";
      }
      if (can.predict_log_proba) {
        model_->predict_log_proba_row(row, work, out);
        if (!logarithms(out)) return "a probability that is NaN";
      }
      if (!numbers_.empty() && model_->predict_number_row(row, work) != numbers_[usize(i)]) {
        return "another number for a row by itself";
      }
      if (can.score_samples) {
        const double density = model_->score_row(row, work);
        if (std::isnan(density) || density == INFINITY) return "a log-density that is not one";
      }
    }
    return "";
  }

  const AnyModel* model_;
  const Rows* table_;
  MemorySource x_;
  std::string of_;
  Listener* listener_;
  std::vector<std::int32_t> labels_;
  std::vector<double> numbers_ = {};
};

// Rows that no fit has seen, of any size.
Rows strangers(const Rows& like) {
  Rows rows{"strangers", like.cols, {}, {}};
  rows.classes = like.classes;
  rows.categories = like.categories;
  for (const double value : {0.0, 1.0, 2.0, -1e3, 5e-324, 1e15, 1e100, 1e300}) {
    rows.labels.push_back(0);
    if (!like.targets.empty()) rows.targets.push_back(value);
    for (Index j = 0; j < like.cols; ++j) {
      const bool code = std::ranges::find(like.categories, j) != like.categories.end();
      rows.x.push_back(code ? static_cast<double>(j % 4) : value);
    }
  }
  return rows;
}

std::string of_drawn(const Sample& sample) {
  return finite(sample.x.values) ? "" : "a sample that is not finite";
}

std::string of_form(const LinearForm& form) {
  return finite(form.coef.values) && logarithms(form.intercept.values)
             ? ""
             : "a linear form that is not finite";
}

std::string of_borders(std::span<const Boundary> borders) {
  for (const Boundary& b : borders) {
    if (!finite(b.quadratic.values) || !finite(b.linear.values) || !std::isfinite(b.constant) ||
        !finite(b.points)) {
      return "a boundary that is not finite";
    }
  }
  return "";
}

// What a model says of itself, where `of` tells after what.
void ask_itself(const Fitted& fitted, const std::string& of, Listener& listener) {
  const AnyModel& model = *fitted.model;
  const Abilities& can = fitted.info().abilities;
  const auto ask = [&](std::string_view verb, auto&& f) {
    attempt(listener, fmt::format("{}{}", verb, of), [&]() -> std::string { return f(); });
  };
  ask("parameters", [&] { return of_parameters(model.parameters()); });
  ask("report", [&] { return of_report(fitted.report); });
  ask("tables", [&] { return of_tables(fitted); });
  ask("file", [&] { return of_file(fitted); });
  if (can.sample) ask("sample", [&] { return of_drawn(model.sample(20, 1)); });
  if (can.linear_form) ask("linear_form", [&] { return of_form(model.linear_form()); });
  if (can.boundaries) ask("boundaries", [&] { return of_borders(model.boundaries()); });
  if (can.free_parameters) {
    ask("free_parameters", [&] {
      return model.free_parameters(fitted.options) >= 0 ? "" : "fewer parameters than none";
    });
  }
}

// Models that learn on, from the rows of the fit, parts of them and others.
void go_on(const Fitted& fitted, const Rows& table, Listener& listener) {
  const ModelInfo& info = fitted.info();
  const Exec exec = kExec;
  const auto then = [&](const char* how, auto&& make) {
    std::optional<Fitted> next;
    attempt(listener, how, [&]() -> std::string {
      next.emplace(make());
      return "";
    });
    if (!next) return;
    const std::string of = fmt::format(" after {}", how);
    ask_itself(*next, of, listener);
    Questions(*next->model, table, of, listener).ask_all();
  };
  const Rows half = table.slice(0, table.rows() / 2), others = strangers(table).slice(0, 3);
  const auto with = [&](ModelInfo::GoOn how, const Rows& rows) {
    return [&, how] {
      MemorySource x = rows.source();
      return how(fitted, x, fitted.options, exec);
    };
  };
  if (info.abilities.fit_from) then("fit_from", with(info.fit_from, table));
  if (info.abilities.partial_fit) {
    then("partial_fit", with(info.partial_fit, table));
    then("partial_fit of others", with(info.partial_fit, others));
  }
  if (info.abilities.unlearn) {
    then("unlearn", with(info.unlearn, half));
    then("unlearn all", with(info.unlearn, table));
  }
  if (info.abilities.merge) then("merge", [&] { return info.merge(fitted, fitted); });
}

}  // namespace

bool attempt(Listener& listener, std::string_view verb, FunctionRef<std::string()> f) {
  listener.begin(verb);
  try {
    const std::string fault = f();
    if (!fault.empty()) listener.fault(fault);
    return fault.empty();
  } catch (const InputError& error) {
    const bool ours = error.code() == Code::kDamagedModel || error.code() == Code::kOutOfMemory ||
                      has_word(error.what(), {"nan"});
    if (ours) listener.fault(fmt::format("{}: {}", info(error.code()).id, error.what()));
    listener.refused();
  } catch (const std::exception& error) {
    listener.fault(error.what());
  }
  return false;
}

void run(const ModelInfo& model, const Rows& given, const Setting& setting, Listener& listener) {
  const Rows table = model.abilities.numbers ? given.with_targets() : given;
  std::optional<Fitted> fitted;
  attempt(listener, "fit", [&]() -> std::string {
    MemorySource x = table.source();
    fitted.emplace(model.fit(x, setting, kExec));
    return "";
  });
  if (!fitted) return;
  ask_itself(*fitted, "", listener);
  Questions(*fitted->model, table, "", listener).ask_all();
  Questions(*fitted->model, strangers(table), " of strangers", listener).ask_all();
  go_on(*fitted, table, listener);
}

}  // namespace craton::campaign
