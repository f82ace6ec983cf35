#include "tests/laws/laws.h"

#include <algorithm>

#include "craton/base/random.h"

namespace craton::laws {

Schema labelled_schema(Index cols) {
  Schema schema = numbered_schema(cols);
  schema.target = Column{"group", ColumnKind::kCategory, {"a", "b", "c", "d"}};
  return schema;
}

MemorySource Data::source() const {
  const Dense<double> view{x.data(), rows, cols, cols};
  return MemorySource({.x = view, .labels = labels, .weights = weights}, labelled_schema(cols));
}

MemorySource Data::float_source() const {
  const Dense<float> view{x_float.data(), rows, cols, cols};
  return MemorySource({.x = view, .labels = labels, .weights = weights}, labelled_schema(cols));
}

Data Data::rows_at(const std::vector<Index>& chosen) const {
  Data result{std::ssize(chosen), cols, {}, {}, {}};
  for (const Index i : chosen) {
    result.x.insert(result.x.end(), x.begin() + i * cols, x.begin() + (i + 1) * cols);
    result.labels.push_back(labels[usize(i)]);
  }
  result.x_float.assign(result.x.begin(), result.x.end());
  return result;
}

Data Data::slice(Index first, Index last) const {
  Data result{last - first, cols, {}, {}, {}};
  result.x.assign(x.begin() + first * cols, x.begin() + last * cols);
  result.labels.assign(labels.begin() + first, labels.begin() + last);
  result.x_float.assign(result.x.begin(), result.x.end());
  return result;
}

Data groups(Index rows, Index cols, std::uint64_t seed) {
  Data data{rows, cols, {}, {}, {}};
  for (Index i = 0; i < rows; ++i) {
    Random random(seed, Purpose::kTest, 0, static_cast<std::uint64_t>(i));
    const Index group = random.below(4);
    data.labels.push_back(static_cast<std::int32_t>(group));
    for (Index j = 0; j < cols; ++j) {
      const double centre = static_cast<double>((group * 5 + j * 3) % 7 + 8);
      data.x.push_back(std::round((centre + random.normal()) * 1024) / 1024);
    }
  }
  data.x_float.assign(data.x.begin(), data.x.end());
  return data;
}

Data groups(const ModelInfo& model, Index rows, Index cols, std::uint64_t seed) {
  Data data = groups(rows, cols, seed);
  if (model.abilities.some_labels) std::ranges::fill(data.labels, -1);  // hidden
  if (model.name != "categorical-nb" && model.name != "positional-nb") return data;
  for (double& v : data.x) v = std::round(v);
  data.x_float.assign(data.x.begin(), data.x.end());
  return data;
}

std::vector<NamedOption> small_options(const ModelInfo& model) {
  return parse_options(model.options(), model.usage.small);
}

std::vector<NamedOption> missing_options(const ModelInfo& model) {
  std::vector<NamedOption> options = small_options(model);
  for (const Option& option : model.options()) {
    if (option.name == "covariance_type") options.emplace_back(option.name, "diag");
  }
  return options;
}

Fitted fit(const ModelInfo& model, Source& x, const Exec& exec) {
  return model.fit(x, small_options(model), exec);
}

Fitted fit(const ModelInfo& model, const Data& data, const Exec& exec) {
  MemorySource x = data.source();
  return fit(model, x, exec);
}

double difference(const Fitted& a, const Fitted& b) {
  const std::vector<Parameter> p = a.model->parameters(), q = b.model->parameters();
  REQUIRE(p.size() == q.size());
  double largest = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    REQUIRE(p[i].value.shape == q[i].value.shape);
    REQUIRE(p[i].text == q[i].text);
    double scale = 1e-300;
    for (const double v : p[i].value.values) scale = std::max(scale, std::abs(v));
    for (std::size_t j = 0; j < p[i].value.values.size(); ++j) {
      const double gap = std::abs(p[i].value.values[j] - q[i].value.values[j]) / scale;
      largest = std::max(largest, std::isnan(gap) ? INFINITY : gap);
    }
  }
  return largest;
}

}  // namespace craton::laws
