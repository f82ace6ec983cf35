#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/classes/discriminant/discriminant.h"
#include "craton/model/explain.h"
#include "craton/model/registered_model.h"
#include "tests/refused.h"

// Models that are linear in terms of columns, behind their steps: a linear discriminant by another
// description, with an option for the intercept that it has anyway.

namespace craton::terms_test {
namespace {

using Lda = LinearDiscriminantAnalysis;

struct LdaOfTerms {
  static constexpr std::string_view kName = Lda::kName, kPythonName = Lda::kPythonName,
                                    kHelp = Lda::kHelp, kObjective = Lda::kObjective;
  static constexpr TargetKind kTarget = Lda::kTarget;
  static constexpr ScoreKind kScore = Lda::kScore;
  static constexpr bool kCodesCategories = true;
  static const Usage kUsage;

  struct Options {
    bool fit_intercept = true;
    friend void describe(OptionVisitor& v, Options& o) {
      v.flag("fit_intercept", o.fit_intercept, "there is one");
    }
  };

  static Fit<LdaOfTerms> fit(Source& x, const Options&, const Exec& exec) {
    Fit<Lda> fit = Lda::fit(x, {}, exec);
    return {{std::move(fit.model)}, std::move(fit.report)};
  }
  static LdaOfTerms from_parameters(const ParameterList& p) { return {Lda::from_parameters(p)}; }
  void visit_parameters(ParameterVisitor& v) const { lda.visit_parameters(v); }
  std::vector<ResultTable> tables(const Schema& schema) const { return lda.tables(schema); }
  Index columns() const { return lda.columns(); }
  Index classes() const { return lda.classes(); }
  void predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const {
    lda.predict(x, labels, exec);
  }
  void predict_log_proba(Source& x, std::span<double> out, const Exec& exec) const {
    lda.predict_log_proba(x, out, exec);
  }
  void contributions(const Chunk& chunk, Index row, Index label, std::span<double> out) const {
    lda.contributions(chunk, row, label, out);
  }
  LinearForm linear_form() const { return lda.linear_form(); }
  Index row_work() const { return lda.row_work(); }
  std::int32_t predict_row(const double* row, double* work) const {
    return lda.predict_row(row, work);
  }
  bool predict_log_proba_row(const double* row, double* work, double* out) const {
    return lda.predict_log_proba_row(row, work, out);
  }

  Lda lda;
};
const Usage LdaOfTerms::kUsage = {};

const ModelInfo& model() {
  static const ModelInfo kModel = registered<LdaOfTerms>();
  return kModel;
}

// Numbers a and b, a category c of three levels, and labels that depend on all.
struct Rows {
  Schema schema{
      {{.name = "a"}, {"c", ColumnKind::kCategory, {"red", "green", "blue"}}, {.name = "b"}},
      Column{"label", ColumnKind::kCategory, {"no", "yes"}}};
  std::vector<double> x = {};
  std::vector<std::int32_t> labels = {};

  Rows() {
    for (Index i = 0; i < 240; ++i) {
      const double a = 100 + static_cast<double>(i * 29 % 41), c = static_cast<double>(i * 7 % 3),
                   b = static_cast<double>(i * 13 % 17) / 8;
      x.insert(x.end(), {a, c, b});
      labels.push_back(
          (a - 120) * (c == 1 ? 1 : -0.5) + 20 * b * b + static_cast<double>(i % 23) > 25 ? 1 : 0);
    }
  }
  Index size() const { return ssize(labels); }
  MemorySource source() const {
    return MemorySource({.x = Dense<double>{x.data(), size(), 3, 3}, .labels = labels}, schema);
  }
};

Fitted fitted(const std::vector<NamedOption>& options, const Rows& rows = {}) {
  MemorySource x = rows.source();
  return model().fit(x, options, {});
}

std::vector<double> log_proba(const Fitted& fitted, const Rows& rows) {
  MemorySource x = rows.source();
  std::vector<double> log_p(usize(rows.size() * fitted.model->classes()));
  fitted.model->predict_log_proba(x, log_p, {});
  return log_p;
}

TEST_CASE("a model that codes categories has the options, and others have not") {
  CHECK(model().abilities.terms);
  CHECK(model().abilities.categories);
  std::vector<std::string> names;
  for (const Option& option : model().options()) names.push_back(option.name);
  CHECK(names == std::vector<std::string>{"fit_intercept", "terms", "coding", "reference", "unseen",
                                          "fill", "scale", "unit_rows"});
  for (const ModelInfo& other : models()) {
    if (other.abilities.terms) continue;
    for (const Option& option : other.options()) {
      CHECK(option.name != "terms");
      CHECK(option.name != "coding");
    }
  }
}

TEST_CASE("what a model learned has the names of terms") {
  const Fitted fit = fitted({{"terms", "a, a^2, c:a, b"}});
  CHECK(fit.model->columns() == 3);
  CHECK(fit.model->plain().columns() == 5);
  const std::vector<ResultTable> tables = fit.model->tables(fit.schema);
  REQUIRE(tables.size() > 1);
  CHECK(tables[0].name == "terms");
  bool found = false;
  for (const ResultTable& table : tables) {
    CHECK(table.title.find("prepared") == std::string::npos);
    found = found || table.find("c=green:a") != nullptr;
  }
  CHECK(found);
}

TEST_CASE("the intercept decides whether the first category has all levels") {
  CHECK(fitted({{"terms", "c, b"}}).model->plain().columns() == 3);
  const Rows rows;
  MemorySource given = rows.source();
  Settings<LdaOfTerms> settings;
  settings.model.fit_intercept = false;
  settings.design.terms = "c, b";
  CHECK(learn_steps(given, settings.steps(), {}).steps.schema(rows.schema).size() == 4);
}

// The value of a term, from what it says it is.
double value_of(const LinearTerm& term, const double* row) {
  double value = 1;
  for (const LinearFactor& factor : term.factors) {
    const double x = row[factor.column];
    const std::string code = "[{} = " + std::to_string(static_cast<Index>(x)) + "]";
    if (factor.of == "{}") {
      value *= x;
    } else if (factor.of.starts_with("{}^")) {
      value *= std::pow(x, std::stod(factor.of.substr(3)));
    } else {
      REQUIRE(factor.of.starts_with("[{} = "));
      value *= factor.of == code ? 1 : 0;
    }
  }
  return value;
}

TEST_CASE("a linear form in products of the columns as given is the posterior") {
  const Rows rows;
  for (const char* scale : {"none", "standard", "max_abs"}) {
    CAPTURE(scale);
    const Fitted fit =
        fitted({{"terms", "., a^3, a^2:b:c, c:b"}, {"scale", scale}, {"fill", "mean"}}, rows);
    const LinearForm form = fit.model->linear_form();
    const std::vector<double> log_p = log_proba(fit, rows);
    const Index terms = form.coef.cols();
    REQUIRE(ssize(form.terms) == terms);
    for (Index i = 0; i < rows.size(); ++i) {
      std::vector<double> score = form.intercept.values;
      for (Index t = 0; t < terms; ++t) {
        const double value = value_of(form.terms[usize(t)], &rows.x[usize(i * 3)]);
        for (Index c = 0; c < 2; ++c) {
          score[usize(c)] += form.coef.values[usize(c * terms + t)] * value;
        }
      }
      const double odds = log_p[usize(i * 2 + 1)] - log_p[usize(i * 2)];
      CHECK(score[1] - score[0] == doctest::Approx(odds).epsilon(1e-6));
    }
    const std::vector<std::string> names = term_names(form, fit.schema);
    CHECK(std::find(names.begin(), names.end(), "a^2:b:[c = green]") != names.end());
  }
  check_refused(
      [] {
        fitted({{"unit_rows", "l2"}, {"terms", "a, b"}});
      },
      Code::kUnsupported, -1, "unit_rows");
}

TEST_CASE("one row by itself has the same answers, missing categories the same errors") {
  const Rows rows;
  const Fitted fit = fitted({{"terms", "., a:c"}, {"scale", "standard"}}, rows);
  const std::vector<double> log_p = log_proba(fit, rows);
  RowWork work(*fit.model);
  for (Index i = 0; i < rows.size(); ++i) {
    std::vector<double> out(2);
    fit.model->predict_log_proba_row({&rows.x[usize(i * 3)], 3}, work, out);
    CHECK(out[0] == log_p[usize(i * 2)]);
  }
  const std::vector<double> missing{100, NAN, 1}, unknown{100, 7, 1};
  check_refused([&] { fit.model->predict_row(missing, work); }, Code::kNotFinite, -1, "missing");
  check_refused([&] { fit.model->predict_row(unknown, work); }, Code::kUnseenLevel, -1, "'7'");
}

TEST_CASE("what features say of a row is said of the columns as given, and adds up") {
  const Rows rows;
  const Fitted fit = fitted({{"terms", "., c:b"}}, rows);
  MemorySource x = rows.source();
  Index looked = 0;
  explain(*fit.model, x, -1, {.threads = 1}, [&](Index, const Explanation& why) {
    REQUIRE(why.log_odds.size() == 3);
    const double sum = why.prior + why.log_odds[0] + why.log_odds[1] + why.log_odds[2];
    CHECK(sum == doctest::Approx(why.log_p - why.log_p_other));
    ++looked;
  });
  CHECK(looked == rows.size());
}

TEST_CASE("parameters give the model back with its terms, and digests tell them apart") {
  const Rows rows;
  const Fitted fit = fitted({{"terms", "., a:c"}, {"fill", "mean"}, {"scale", "standard"}}, rows);
  const std::vector<Parameter> parameters = fit.model->parameters();
  const auto again = model().from_parameters(ParameterList(parameters));
  CHECK(again->steps() == fit.model->steps());
  CHECK(again->parameters() == parameters);
  CHECK(again->columns() == 3);
  CHECK(again->steps().fit(fit.schema));
  CHECK(digest(fit) != digest(fitted({{"fill", "mean"}, {"scale", "standard"}}, rows)));
}

TEST_CASE("a level that no row of the fit had is an error, or what the option says") {
  Rows other;
  other.schema.columns[1].levels.push_back("pink");
  other.x[4] = 3;
  check_refused([&] { log_proba(fitted({}), other); }, Code::kUnseenLevel, -1, "'pink'");
  CHECK(std::isfinite(log_proba(fitted({{"unseen", "reference"}}), other)[2]));
  const Fitted filled = fitted({{"unseen", "missing"}, {"fill", "most_frequent"}});
  CHECK(std::isfinite(log_proba(filled, other)[2]));
}

TEST_CASE("terms and categories do not let rows be had back") {
  const Fitted fit = fitted({});
  check_refused([&] { fit.model->sample(3, 0); }, Code::kNotAble, -1, "terms");
}

}  // namespace
}  // namespace craton::terms_test
