#include "tests/laws/laws.h"

#include <algorithm>

#include "craton/base/random.h"

namespace craton::laws {

Schema labelled_schema(Index cols) {
  Schema schema = numbered_schema(cols);
  schema.target = Column{"group", ColumnKind::kCategory, {"a", "b", "c", "d"}};
  return schema;
}

Schema Data::schema() const {
  Schema schema = labelled_schema(cols);
  if (numbers) schema.target = Column{"number"};
  return schema;
}

MemorySource Data::source() const {
  const Dense<double> view{x.data(), rows, cols, cols};
  return MemorySource({.x = view, .labels = labels, .targets = targets, .weights = weights},
                      schema());
}

MemorySource Data::float_source() const {
  const Dense<float> view{x_float.data(), rows, cols, cols};
  return MemorySource({.x = view, .labels = labels, .targets = targets, .weights = weights},
                      schema());
}

Data Data::rows_at(const std::vector<Index>& chosen) const {
  Data result{std::ssize(chosen), cols, {}, {}, {}};
  for (const Index i : chosen) {
    result.x.insert(result.x.end(), x.begin() + i * cols, x.begin() + (i + 1) * cols);
    result.labels.push_back(labels[usize(i)]);
    if (numbers) result.targets.push_back(targets[usize(i)]);
  }
  result.numbers = numbers;
  result.x_float.assign(result.x.begin(), result.x.end());
  return result;
}

Data Data::slice(Index first, Index last) const {
  Data result{last - first, cols, {}, {}, {}};
  result.x.assign(x.begin() + first * cols, x.begin() + last * cols);
  result.labels.assign(labels.begin() + first, labels.begin() + last);
  if (numbers) result.targets.assign(targets.begin() + first, targets.begin() + last);
  result.numbers = numbers;
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

namespace {

// y = sum over j of (2 - j) x_j / 4 and noise: multiples of 2^-12, as the values are of 2^-10.
void add_targets(Data& data, std::uint64_t seed) {
  data.numbers = true;
  for (Index i = 0; i < data.rows; ++i) {
    Random random(seed + 1, Purpose::kTest, 1, static_cast<std::uint64_t>(i));
    double y = std::round(random.normal() * 1024) / 1024;
    for (Index j = 0; j < data.cols; ++j) {
      y += static_cast<double>(2 - j) * data.x[usize(i * data.cols + j)] / 4;
    }
    data.targets.push_back(y);
  }
}

}  // namespace

Data groups(const ModelInfo& model, Index rows, Index cols, std::uint64_t seed) {
  Data data = groups(rows, cols, seed);
  if (model.abilities.numbers) add_targets(data, seed);
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

std::vector<double> predicted(const Fitted& fitted, Source& x, const Exec& exec) {
  const Abilities& able = fitted.info().abilities;
  if (!able.predict && !able.predict_numbers) return {};
  std::vector<double> numbers(usize(x.shape().rows));
  if (able.predict_numbers) {
    fitted.model->predict_numbers(x, numbers, exec);
    return numbers;
  }
  std::vector<std::int32_t> labels(numbers.size());
  fitted.model->predict(x, labels, exec);
  return {labels.begin(), labels.end()};
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
