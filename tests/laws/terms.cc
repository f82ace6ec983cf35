#include <set>

#include "craton/model/fit_steps.h"
#include "craton/model/model_file.h"
#include "tests/laws/laws.h"

// Models that are linear in terms of columns (tables/design.h): categories, powers and products.

using namespace craton;
using namespace craton::laws;

namespace {

// Two columns of numbers with a category between them, and what is to be learned of them.
struct CodedTable {
  Data data;
  Schema schema;
  std::vector<double> targets = {};

  CodedTable(const ModelInfo& model, Index rows) : data(groups(rows, 3, 71)) {
    schema = labelled_schema(3);
    schema.columns[1].kind = ColumnKind::kCategory;
    schema.columns[1].levels = {"a", "b", "c", "d"};
    if (model.target == TargetKind::kNumber) schema.target = Column{.name = "number"};
    for (Index i = 0; i < rows; ++i) {
      double* const x = &data.x[usize(i * 3)];
      x[1] = static_cast<double>(i * i % 7 % 4);
      targets.push_back(x[0] * (x[1] - 1.5) + x[2]);
    }
  }
  MemorySource source() const {
    return MemorySource({.x = Dense<double>{data.x.data(), data.rows, 3, 3},
                         .labels = data.labels,
                         .targets = targets,
                         .weights = data.weights},
                        schema);
  }
};

std::vector<NamedOption> with_terms(const ModelInfo& model) {
  std::vector<NamedOption> options = small_options(model);
  options.emplace_back("terms", "., 1^2, 2:3");
  options.emplace_back("scale", "standard");
  return options;
}

Fitted fit_terms(const ModelInfo& model, const CodedTable& table, const Exec& exec = {}) {
  MemorySource x = table.source();
  return model.fit(x, with_terms(model), exec);
}

template <class Law>
void for_every_model_of_terms(const Law& law) {
  for_every_model([&](const ModelInfo& model) {
    if (model.abilities.terms) law(model);
  });
}

}  // namespace

TEST_CASE("terms are kept in files, and threads do not change a bit") {
  for_every_model_of_terms([](const ModelInfo& model) {
    const CodedTable table(model, 5000);
    std::set<std::string> digests;
    for (const int threads : {1, 2, 7}) {
      digests.insert(digest(fit_terms(model, table, {.threads = threads})));
    }
    CHECK(digests.size() == 1);
    const Fitted fitted = fit_terms(model, table);
    REQUIRE(design_of(*fitted.model) != nullptr);
    CHECK(fitted.model->columns() == 3);
    const Bytes bytes = pack_model(fitted);
    const Fitted back = unpack_model(bytes, "memory");
    CHECK(pack_model(back) == bytes);
    CHECK(back.model->steps() == fitted.model->steps());
    // A file whose columns are others than those of its terms is damaged.
    Fitted other = unpack_model(bytes, "memory");
    other.schema.columns[1].levels.pop_back();
    CHECK_THROWS_AS(unpack_model(pack_model(other), "memory"), InputError);
  });
}

TEST_CASE("a model of terms is that of a table of these terms") {
  for_every_model_of_terms([](const ModelInfo& model) {
    const CodedTable table(model, 3000);
    const Fitted fitted = fit_terms(model, table);
    MemorySource given = table.source();
    const SteppedRows rows = fitted.model->steps().over(given);
    const Array x = read_all(*rows);
    Schema schema = rows->schema();
    MemorySource by_hand({.x = x.view(),
                          .labels = table.data.labels,
                          .targets = table.targets,
                          .weights = table.data.weights},
                         schema);
    const Fitted same = model.fit(by_hand, small_options(model), {});
    CHECK(same.model->steps().empty());
    std::vector<Parameter> own = fitted.model->parameters();
    std::erase_if(own, [](const Parameter& p) {
      return Preparation::is_parameter(p.name) || Design::is_parameter(p.name);
    });
    CHECK(own == same.model->parameters());
  });
}

TEST_CASE("neither the order of rows nor weights for copies changes the terms") {
  for_every_model_of_terms([](const ModelInfo& model) {
    CodedTable table(model, 900);
    table.data.weights.clear();
    const Fitted fitted = fit_terms(model, table);
    std::vector<Index> order;
    for (Index i = 0; i < 900; ++i) order.push_back(i * 7 % 900);  // 7 and 900 share no factor
    CodedTable turned = table;
    turned.data = table.data.rows_at(order);
    for (Index i = 0; i < 900; ++i) turned.targets[usize(i)] = table.targets[usize(i * 7 % 900)];
    const Fitted same = fit_terms(model, turned);
    CHECK(*design_of(*same.model) == *design_of(*fitted.model));
    CHECK(difference(same, fitted) < 1e-6);
  });
}
