#include "craton/base/error.h"
#include "tests/laws/laws.h"

using namespace craton;
using namespace craton::laws;

namespace {

// The same table with only its entries written down; a third of the values are made 0.
struct SparseData {
  Data data;
  std::vector<Index> offsets{0};
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  std::vector<float> values_float;

  explicit SparseData(Data source) : data(std::move(source)) {
    for (std::size_t i = 0; i < data.x.size(); ++i) {
      if (i % 7 % 3 == 0) data.x[i] = 0;
      if (data.x[i] != 0) {
        columns.push_back(static_cast<std::int32_t>(static_cast<Index>(i) % data.cols));
        values.push_back(data.x[i]);
      }
      if (static_cast<Index>(i + 1) % data.cols == 0) offsets.push_back(std::ssize(values));
    }
    data.x_float.assign(data.x.begin(), data.x.end());
    values_float.assign(values.begin(), values.end());
  }
  MemorySource source() const {
    return source_of(
        Sparse<double>{offsets.data(), columns.data(), values.data(), data.rows, data.cols});
  }
  MemorySource float_source() const {
    return source_of(
        Sparse<float>{offsets.data(), columns.data(), values_float.data(), data.rows, data.cols});
  }

 private:
  MemorySource source_of(const Matrix& x) const {
    return MemorySource(
        {.x = x, .labels = data.labels, .targets = data.targets, .weights = data.weights},
        data.schema());
  }
};

// Also to models that take codes only, which refuse sparse rows.
Data rows_for(const ModelInfo& model, Index rows, std::uint64_t seed) {
  return model.abilities.numbers ? groups(model, rows, 4, seed) : groups(rows, 4, seed);
}

}  // namespace

TEST_CASE("sparse rows give what the same rows give dense, or are refused") {
  for_every_model([](const ModelInfo& model) {
    SparseData sparse(rows_for(model, 3'000, 40));
    for (Index i = 0; i < 3'000; ++i) sparse.data.weights.push_back(static_cast<double>(i % 3));
    MemorySource doubles = sparse.source(), floats = sparse.float_source();
    if (!model.abilities.sparse) {
      try {
        fit(model, doubles);
        CHECK(false);
      } catch (const InputError& error) {
        CHECK(error.code() == Code::kUnsupported);
      }
      return;
    }
    const Fitted dense = fit(model, sparse.data), fitted = fit(model, doubles);
    CHECK(difference(dense, fitted) < 1e-11);
    CHECK(digest(fit(model, floats)) == digest(fitted));
    CHECK(dense.report.data_hash == fitted.report.data_hash);
  });
}

TEST_CASE("NaN in sparse rows is refused by row and column, or an infinity is") {
  for_every_model([](const ModelInfo& model) {
    if (!model.abilities.sparse) return;
    SparseData sparse(rows_for(model, 900, 41));
    const Index entry = sparse.offsets[700] + 1;
    sparse.values[usize(entry)] = model.abilities.missing ? INFINITY : NAN;
    MemorySource x = sparse.source();
    try {
      fit(model, x);
      CHECK(false);
    } catch (const InputError& error) {
      CHECK(error.code() == Code::kNotFinite);
      CHECK(error.place().row == 700);
      CHECK(error.place().column == std::to_string(sparse.columns[usize(entry)] + 1));
    }
  });
}
