#include "tests/campaign/tables.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "craton/base/random.h"

namespace craton::campaign {
namespace {

constexpr double kUlp = std::numeric_limits<double>::epsilon();
constexpr double kLargest = std::numeric_limits<double>::max();
constexpr Index kRows = 48;

using Value = std::function<double(int row, int column, double normal)>;

// Rows of three classes in turn. `value` is told a standard normal number, moved by the class.
Rows make(std::string name, Index rows, Index cols, const Value& value) {
  Rows table{std::move(name), cols, {}, {}};
  for (int i = 0; i < rows; ++i) {
    Random random(77, Purpose::kTest, 0, static_cast<std::uint64_t>(i));
    table.labels.push_back(static_cast<std::int32_t>(i % 3));
    for (int j = 0; j < cols; ++j) {
      table.x.push_back(value(i, j, random.normal() + 3 * static_cast<double>((i + j) % 3)));
    }
  }
  return table;
}

Rows make(std::string name, const Value& value) { return make(std::move(name), kRows, 3, value); }

Rows plain(std::string name) {
  return make(std::move(name), [](int, int, double z) { return z; });
}

// Above 0, as most families want them.
double positive(double z) { return std::exp(z / 4); }

double whole(double z) { return std::floor(std::abs(z)); }

void add_offsets(std::vector<Rows>& all) {
  for (const double offset : {1e8, 1e10, 1e12, 1e14, 1e15, 1e16, 1e18, 1e20}) {
    all.push_back(
        make(fmt::format("offset {:g}", offset), [&](int, int, double z) { return offset + z; }));
    all.push_back(make(fmt::format("offset {:g} of a column", offset),
                       [&](int, int j, double z) { return j == 1 ? z - offset : z; }));
    all.push_back(make(fmt::format("offset {:g} of whole numbers", offset),
                       [&](int, int, double z) { return offset + whole(z); }));
  }
}

void add_scales(std::vector<Rows>& all) {
  for (const double scale :
       {1e-320, 1e-308, 1e-300, 1e-200, 1e-162, 1e-154, 1e-150, 1e-100, 1e-50, 1e-20, 1e20,
        1e50,   1e77,   1e100,  1e150,  1e153,  1e154,  1e155,  1e200,  1e300, 1e307}) {
    all.push_back(
        make(fmt::format("scale {:g}", scale), [&](int, int, double z) { return scale * z; }));
    all.push_back(make(fmt::format("scale {:g} above 0", scale),
                       [&](int, int, double z) { return scale * positive(z); }));
  }
  for (const double power : {100.0, 300.0}) {
    all.push_back(
        make(fmt::format("scales 1e-{0:g}, 1 and 1e{0:g}", power), [&](int, int j, double z) {
          return z * std::pow(10, power * static_cast<double>(j - 1));
        }));
  }
  all.push_back(make("logarithms of all sizes", [](int i, int, double z) {
    return std::exp(z + 14 * static_cast<double>(i % kRows) - 330);
  }));
  all.push_back(make("the two largest numbers",
                     [](int, int, double z) { return z > 2 ? kLargest : -kLargest; }));
  all.push_back(make("all in 1.7e308 of both signs",
                     [](int, int, double z) { return 1.7e308 * std::tanh(z - 2); }));
  all.push_back(make("the least numbers", [](int, int, double z) { return 5e-324 * whole(z); }));
}

void add_few_rows(std::vector<Rows>& all) {
  const Value z_itself = [](int, int, double z) { return z; };
  const Value steps = [](int i, int, double) { return static_cast<double>(i); };
  all.push_back(make("one row", 1, 3, z_itself));
  all.push_back(make("one row, one column", 1, 1, z_itself));
  all.push_back(make("two rows", 2, 3, z_itself));
  all.push_back(make("three rows", 3, 2, z_itself));
  all.push_back(make("two rows, 1e10 apart", 2, 2, [](int i, int, double) { return i * 1e10; }));
  all.push_back(make("one column", kRows, 1, z_itself));
  all.push_back(make("one column of steps", kRows, 1, steps));
  all.push_back(make("more columns than rows", 6, 9, z_itself));
  for (const double v : {0.0, 1.0, 5.0, 0.1, -1e10, 1e-300, 1e150, 1e300}) {
    all.push_back(
        make(fmt::format("equal rows of {:g}", v), 12, 2, [&](int, int, double) { return v; }));
  }
  all.push_back(make("two equal rows", 2, 2, [](int, int, double) { return 0.1; }));
  all.push_back(make("a constant column", [](int, int j, double z) { return j == 1 ? 0.1 : z; }));
  all.push_back(make("constant in each class", [](int i, int, double) { return i % 3 * 0.1; }));
  all.push_back(make("two values", [](int i, int, double) { return i % 2 * 1e-3 + 1; }));
  all.push_back(
      make("mostly zeros", [](int i, int j, double z) { return (i + j) % 7 == 0 ? z : 0; }));
}

void add_close(std::vector<Rows>& all) {
  all.push_back(
      make("collinear", [](int i, int j, double) { return static_cast<double>(i * (j + 1)) / 7; }));
  all.push_back(make("collinear but for rounding", [](int i, int j, double z) {
    return static_cast<double>(i) / 7 * (1 + static_cast<double>(j)) + z * 1e-16;
  }));
  all.push_back(make("a column twice", [](int i, int j, double z) {
    return j < 2 ? std::sin(static_cast<double>(i)) : z;
  }));
  for (const double at : {1.0, 1e8, 1e-8, 1e150, 1e-150}) {
    all.push_back(make(fmt::format("one ulp apart at {:g}", at),
                       [&](int, int, double z) { return at * (1 + kUlp * whole(z)); }));
    all.push_back(make(fmt::format("two values one ulp apart at {:g}", at),
                       [&](int i, int, double) { return at * (1 + kUlp * (i % 2)); }));
  }
  for (const double far : {1e8, 1e16, 1e100, 1e150, 1e154, 1e300, -1e150}) {
    all.push_back(make(fmt::format("one outlier of {:g}", far),
                       [&](int i, int j, double z) { return i == 20 && j == 1 ? far : z; }));
    all.push_back(make(
        fmt::format("one outlier of {:g} above 0", far),
        [&](int i, int j, double z) { return i == 20 && j == 1 ? std::abs(far) : positive(z); }));
  }
  all.push_back(make("two groups 1e100 apart",
                     [](int i, int, double z) { return z + (i % 2 == 0 ? 1e100 : 0); }));
}

void add_counts(std::vector<Rows>& all) {
  all.push_back(make("counts", [](int, int, double z) { return whole(z); }));
  all.push_back(make("zeros and ones", [](int, int, double z) { return z > 3 ? 1.0 : 0.0; }));
  all.push_back(make("shares", [](int, int, double z) { return 1 / (1 + std::exp(-z)); }));
  all.push_back(
      make("shares near 0 and 1", [](int, int, double z) { return z > 3 ? 1 - kUlp : 1e-300; }));
  for (const double most : {1e6, 1e9, 1e12, 1e14, 1e15, 0x1p53, 1e18, 1e30, 7.2e86, 1e200, 1e300}) {
    all.push_back(make(fmt::format("counts of {:g}", most),
                       [&](int, int, double z) { return std::floor(most * (1 + z / 100)); }));
    all.push_back(make(fmt::format("counts up to {:g}", most), [&](int i, int j, double z) {
      return i % 5 == 0 && j == 1 ? most : whole(z);
    }));
  }
  all.push_back(make("one count of 2^53 among zeros",
                     [](int i, int, double) { return i == 7 ? 0x1p53 : 0; }));
  Rows codes = make("categories", [](int, int j, double z) {
    return j == 2 ? z : static_cast<double>(static_cast<Index>(whole(z)) % 4);
  });
  codes.categories = {0, 1};
  all.push_back(codes);
  codes.name = "categories, some missing";
  for (std::size_t i = 0; i < codes.x.size(); i += 5) codes.x[i] = NAN;
  all.push_back(codes);
}

void add_weights(std::vector<Rows>& all) {
  const auto weigh = [&](std::string name, const std::function<double(int)>& weight) {
    for (const bool counted : {false, true}) {
      Rows table = make(name + (counted ? ", counts" : ""),
                        [&](int, int, double z) { return counted ? whole(z) : z; });
      for (int i = 0; i < table.rows(); ++i) table.weights.push_back(weight(i));
      all.push_back(std::move(table));
    }
  };
  for (const double w : {5e-324, 1e-308, 1e-300, 1e-150, 1e-20, 1e18, 1e150, 1e300, 1e306, 1e308}) {
    weigh(fmt::format("weights of {:g}", w), [&](int) { return w; });
    weigh(fmt::format("one weight of {:g}", w), [&](int i) { return i == 5 ? w : 1; });
  }
  weigh("weights of all sizes", [](int i) { return std::pow(10, i * 12.9 - 300); });
  weigh("weights, half of them 0", [](int i) { return static_cast<double>(i % 2); });
  weigh("weights, all but one 0", [](int i) { return i == 3 ? 1 : 0; });
  weigh("weights 0 for a class", [](int i) { return i % 3 == 0 ? 0 : 1; });
  weigh("weights with fractions", [](int i) { return 0.1 + static_cast<double>(i % 7) / 3; });
}

void add_classes(std::vector<Rows>& all) {
  Rows one = plain("one class");
  std::ranges::fill(one.labels, 0);
  all.push_back(one);
  one.name = "one class of one";
  one.classes = 1;
  all.push_back(one);
  Rows rare = plain("a class of one row");
  for (int i = 0; i < rare.rows(); ++i) rare.labels[usize(i)] = i == 9 ? 1 : i % 2 * 2;
  all.push_back(rare);
  Rows rows_each = make("every row a class", 3, 2, [](int, int, double z) { return z; });
  all.push_back(rows_each);
  Rows some = plain("some labels");
  for (std::size_t i = 0; i < some.labels.size(); i += 2) some.labels[i] = -1;
  all.push_back(some);
  Rows hidden = plain("no labels");
  std::ranges::fill(hidden.labels, -1);
  all.push_back(hidden);
  const Value value = [](int, int, double z) { return z; };
  const auto missing = [&](std::string name, const std::function<bool(int, int)>& gone) {
    for (const bool counted : {false, true}) {
      all.push_back(make(name + (counted ? ", counts" : ""), [&](int i, int j, double z) {
        return gone(i, j) ? NAN : counted ? whole(z) : z;
      }));
    }
  };
  missing("some missing", [](int i, int j) { return (i * 3 + j) % 5 == 0; });
  missing("a column missing in a class", [](int i, int j) { return j == 1 && i % 3 == 0; });
  missing("a class all missing", [](int i, int) { return i % 3 == 1; });
  missing("a column all missing", [](int, int j) { return j == 1; });
  missing("all missing", [](int, int) { return true; });
  missing("one value left in a column", [](int i, int j) { return j == 1 && i != 4; });
}

void add_sparse(std::vector<Rows>& all) {
  std::vector<Rows> sparse;
  for (const Rows& table : all) {
    const bool wanted =
        table.name == "plain" || table.name == "counts" || table.name == "mostly zeros" ||
        table.name.starts_with("scale 1e1") || table.name.starts_with("scale 1e-") ||
        table.name.starts_with("one count") || table.name.starts_with("counts up to") ||
        table.name.starts_with("one outlier");
    if (!wanted || table.name.ends_with("above 0")) continue;
    sparse.push_back(table);
    sparse.back().name += ", sparse";
    sparse.back().sparse = true;
  }
  all.insert(all.end(), sparse.begin(), sparse.end());
}

void fill_entries(Rows& table) {
  table.entries = {{0}, {}, {}};
  for (Index i = 0; i < table.rows(); ++i) {
    for (Index j = 0; j < table.cols; ++j) {
      const double v = table.x[usize(i * table.cols + j)];
      if (v == 0) continue;
      table.entries.columns.push_back(static_cast<std::int32_t>(j));
      table.entries.values.push_back(v);
    }
    table.entries.offsets.push_back(std::ssize(table.entries.values));
  }
}

}  // namespace

MemorySource Rows::source() const {
  Schema schema = numbered_schema(cols);
  schema.target = Column{"class", ColumnKind::kCategory, {}};
  for (Index c = 0; c < classes; ++c) schema.target->levels.push_back(fmt::format("class {}", c));
  if (!targets.empty()) schema.target = Column{"number"};
  if (!categories.empty()) {
    std::vector<Column> columns;
    for (Index j = 0; j < cols; ++j) columns.push_back(schema.column(j));
    schema.columns = columns;
  }
  for (const Index j : categories) {
    schema.columns[usize(j)].kind = ColumnKind::kCategory;
    schema.columns[usize(j)].levels = {"red", "green", "blue", "grey"};
  }
  if (sparse) {
    const Sparse<double> view{entries.offsets.data(), entries.columns.data(), entries.values.data(),
                              rows(), cols};
    return MemorySource({.x = view, .labels = labels, .targets = targets, .weights = weights},
                        schema);
  }
  const Dense<double> view{x.data(), rows(), cols, cols};
  return MemorySource({.x = view, .labels = labels, .targets = targets, .weights = weights},
                      schema);
}

Rows Rows::with_targets() const {
  Rows result = *this;
  for (Index i = 0; i < rows(); ++i) {
    const double v = x[usize(i * cols + cols - 1)];
    result.targets.push_back(std::isfinite(v) ? v : static_cast<double>(i));
  }
  return result;
}

Rows Rows::slice(Index first, Index last) const {
  Rows part = *this;
  part.x.assign(x.begin() + first * cols, x.begin() + last * cols);
  part.labels.assign(labels.begin() + first, labels.begin() + last);
  if (!weights.empty()) part.weights.assign(weights.begin() + first, weights.begin() + last);
  if (!targets.empty()) part.targets.assign(targets.begin() + first, targets.begin() + last);
  fill_entries(part);
  return part;
}

const std::vector<Rows>& tables() {
  static const std::vector<Rows> kTables = [] {
    std::vector<Rows> all{plain("plain")};
    add_offsets(all);
    add_scales(all);
    add_few_rows(all);
    add_close(all);
    add_counts(all);
    add_weights(all);
    add_classes(all);
    add_sparse(all);
    for (Rows& table : all) fill_entries(table);
    return all;
  }();
  return kTables;
}

}  // namespace craton::campaign
