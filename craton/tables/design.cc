#include "craton/tables/design.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "craton/base/error.h"
#include "craton/base/lazy.h"
#include "craton/base/source_over.h"

// A part of the design, the columns of one product, has at most one entry of a row that is not 0,
// so a row costs the number of parts, however many levels there are.

namespace craton {
namespace {

Column column_of(const Schema& schema, Index j) {
  if (j < schema.size()) return schema.column(j);
  return {.name = std::to_string(j + 1)};
}

// A level by name, where there is one.
std::string level_name(const Column& column, Index code) {
  return code >= 0 && code < ssize(column.levels) ? column.levels[usize(code)]
                                                  : std::to_string(code);
}

double power_of(double x, Index power) {
  double value = x;
  for (Index p = 1; p < power; ++p) value *= x;
  return value;
}

}  // namespace

void describe(OptionVisitor& v, DesignOptions& o) {
  // What they do is among the parameters, which digests cover.
  v.text("terms", o.terms,
         "what the model is linear in: 'age, age^2, sex:age' are products and powers of columns, "
         "'a * b' is a, b and a:b, '.' is every column, '. - id' all but one");
  v.not_in_digest();
  v.choice("coding", o.coding, {"reference", "one_hot"},
           "columns for the levels of a category: of each but the reference, or of each");
  v.not_in_digest();
  v.text("reference", o.reference,
         "the level that others are compared with: the most frequent of each column, or that of "
         "those named, as in 'sex=female, race=other'");
  v.not_in_digest();
  v.choice("unseen", o.unseen, {"error", "reference", "missing"},
           "what a level is that no row of the fit had: an error, the reference (of one_hot: none "
           "of the levels), or a missing value, for 'fill'");
  v.not_in_digest();
}

DesignOptions design_of(std::span<const NamedOption> options) {
  DesignOptions result;
  const auto describe_it = [&](OptionVisitor& v) { describe(v, result); };
  for (const Option& option : list_options(describe_it)) {
    for (const NamedOption& given : options) {
      if (given.first == option.name) set_options(describe_it, {&given, 1});
    }
  }
  return result;
}

bool is_code(double value, Index levels) {
  return value >= 0 && value < static_cast<double>(levels) && value == std::floor(value);
}

// ---- rows

Index Design::place(const Given& column, double code) const {
  if (std::isnan(code)) return kUnknown;
  if (is_code(code, column.levels)) {
    const Index place = column.places[static_cast<std::size_t>(code)];
    if (place >= 0) return place;
  }
  if (column.unseen == kNoLevel) return kZero;
  return column.unseen < 0 ? kUnknown : column.places[usize(column.unseen)];
}

Index Design::width(const Part::Of& factor) const {
  if (factor.power > 0) return 1;
  return ssize(columns_[usize(factor.column)].seen) - (factor.all ? 0 : 1);
}

// What is made of a category that is not known is not known, though another factor be 0.
Design::Entry Design::entry(const Part& part, const double* row) const {
  Entry entry{.at = 0, .value = 1};
  for (const Part::Of& factor : part.factors) {
    const double x = row[factor.column];
    if (factor.power > 0) {
      entry.value *= power_of(x, factor.power);
      continue;
    }
    const Given& column = columns_[usize(factor.column)];
    Index at = place(column, x);
    if (at == kUnknown) return {.at = kUnknown, .unknown = factor.column};
    if (!factor.all && at == column.reference) at = kZero;
    if (!factor.all && at > column.reference) --at;
    if (at == kZero || entry.at == kZero) {
      entry.at = kZero;
    } else {
      entry.at = entry.at * width(factor) + at;
    }
  }
  return entry;
}

void Design::do_row(const double* row, Index, double* out) const {
  for (const Part& part : parts_) {
    double* const first = out + part.first;
    const Entry e = entry(part, row);
    std::fill(first, first + part.width, e.at == kUnknown ? NAN : 0);
    if (e.at >= 0) first[e.at] = e.value;
  }
}

// The rows of a table as terms. Borrows the table and the design.
class DesignedRows final : public SourceOver {
 public:
  DesignedRows(Source& x, const Design* design)
      : SourceOver(x),
        design_(design),
        schema_(Lazy<Schema>::made_by([this] { return *design_->schema(source().schema()); })) {}

  Shape shape() const override { return {source().shape().rows, design_->outputs_}; }
  const Schema& schema() const override { return schema_.get(); }
  void decode(Block& block, Chunk& chunk) const override {
    source().decode(block, chunk);
    const auto make = [&](const auto& x) -> Matrix {
      if (design_->sparse_) return make_sparse(x, chunk.first_row, block);
      return make_dense(x, chunk.first_row, block);
    };
    chunk.x = std::visit(make, Matrix(chunk.x));
  }
  void gather(std::span<const Index> rows, std::span<double> out) override {
    const Index inputs = ssize(design_->columns_);
    std::vector<double> given(usize(ssize(rows) * inputs));
    source().gather(rows, given);
    for (Index i = 0; i < ssize(rows); ++i) {
      make_row(&given[usize(i * inputs)], rows[usize(i)], &out[usize(i * design_->outputs_)]);
    }
  }
  std::unique_ptr<Source> reopen() const override { return reopen_as<DesignedRows>(design_); }

 private:
  // A row as doubles: as it lies, or a copy.
  template <class Rows>
  static const double* doubles(const Rows& x, Index i, std::vector<double>& copy) {
    if constexpr (std::is_same_v<Rows, Dense<double>>) return x.row(i);
    copy.resize(usize(x.cols));
    copy_row(x, i, copy.data());
    return copy.data();
  }

  template <class Rows>
  Matrix make_dense(const Rows& x, Index first_row, Block& block) const {
    const Index width = design_->outputs_;
    auto* const out =
        reinterpret_cast<double*>(block.room(Matrix(x), usize(x.rows * width) * sizeof(double)));
    std::vector<double> copy;
    for (Index i = 0; i < x.rows; ++i) {
      make_row(doubles(x, i, copy), first_row + i, out + i * width);
    }
    return Dense<double>{out, x.rows, width, width};
  }
  void make_row(const double* row, Index number, double* out) const {
    for (const Design::Part& part : design_->parts_) {
      const Design::Entry e = design_->entry(part, row);
      if (e.at == Design::kUnknown) fail(number, e.unknown, row[e.unknown]);
      std::fill_n(out + part.first, part.width, 0.0);
      if (e.at >= 0) out[part.first + e.at] = e.value;
    }
  }

  template <class Rows>
  Matrix make_sparse(const Rows& x, Index first_row, Block& block) const {
    const std::size_t most = usize(x.rows) * design_->parts_.size();
    const std::size_t bytes =
        usize(x.rows + 1) * sizeof(Index) + most * (sizeof(double) + sizeof(std::int32_t));
    auto* const offsets = reinterpret_cast<Index*>(block.room(Matrix(x), bytes));
    auto* const values = reinterpret_cast<double*>(offsets + x.rows + 1);
    auto* const columns = reinterpret_cast<std::int32_t*>(values + most);
    std::vector<double> copy;
    Index count = 0;
    for (Index i = 0; i < x.rows; ++i) {
      offsets[i] = count;
      const double* const row = doubles(x, i, copy);
      for (const Design::Part& part : design_->parts_) {
        const Design::Entry e = design_->entry(part, row);
        if (e.at == Design::kUnknown) fail(first_row + i, e.unknown, row[e.unknown]);
        if (e.at < 0 || e.value == 0) continue;
        values[count] = e.value;
        columns[count++] = static_cast<std::int32_t>(part.first + e.at);
      }
    }
    offsets[x.rows] = count;
    return Sparse<double>{offsets, columns, values, x.rows, design_->outputs_};
  }

  [[noreturn]] void fail(Index row, Index column, double code) const {
    const Place place = source().place_of(row, column);
    if (std::isnan(code) || design_->columns_[usize(column)].unseen == Design::kMissing) {
      throw InputError(
          Code::kNotFinite, place, "the category is missing, and there is no term for that",
          {"Leave such rows out, or fit with {}.", Ref::option("fill", "most_frequent")});
    }
    const bool named = is_code(code, Index{1} << 53);
    const std::string level =
        named ? level_name(column_of(source().schema(), column), static_cast<Index>(code))
              : shortest_text(code);
    throw InputError(Code::kUnseenLevel, place,
                     fmt::format("no row of the fit had the level '{}' of this category", level),
                     {"Leave such rows out, or fit with {}, which takes it for the level that the "
                      "others are compared with.",
                      Ref::option("unseen", "reference")});
  }

  const Design* design_;
  Lazy<Schema> schema_;
};

std::unique_ptr<Source> Design::over(Source& x) const {
  return std::make_unique<DesignedRows>(x, this);
}

// ---- what the columns are

const Design::Part& Design::part_of(Index output) const {
  CRATON_ASSERT(output >= 0 && output < outputs_);
  const auto after = std::upper_bound(parts_.begin(), parts_.end(), output,
                                      [](Index o, const Part& part) { return o < part.first; });
  return *std::prev(after);
}

std::vector<Design::Factor> Design::factors(Index output) const {
  const Part& part = part_of(output);
  Index rest = output - part.first;
  std::vector<Factor> result;
  for (auto factor = part.factors.rbegin(); factor != part.factors.rend(); ++factor) {
    if (factor->power > 0) {
      result.push_back({.column = factor->column, .power = factor->power});
      continue;
    }
    const Given& column = columns_[usize(factor->column)];
    Index place = rest % width(*factor);
    rest /= width(*factor);
    if (!factor->all && place >= column.reference) ++place;
    result.push_back({.column = factor->column, .level = column.seen[usize(place)]});
  }
  std::reverse(result.begin(), result.end());
  return result;
}

std::optional<Schema> Design::schema(const Schema& given) const {
  Schema made{.columns = {}, .target = given.target};
  std::vector<Column> columns;
  for (Index j = 0; j < ssize(columns_); ++j) columns.push_back(column_of(given, j));
  for (Index output = 0; output < outputs_; ++output) {
    std::string name;
    for (const Factor& factor : factors(output)) {
      const Column& column = columns[usize(factor.column)];
      if (!name.empty()) name += ':';
      name += column.name;
      if (factor.level >= 0) name += "=" + level_name(column, factor.level);
      if (factor.power > 1) name += fmt::format("^{}", factor.power);
    }
    made.columns.push_back({.name = std::move(name)});
  }
  return made;
}

bool Design::fits(const Schema& given) const {
  if (given.size() != ssize(columns_)) return false;
  for (Index j = 0; j < given.size(); ++j) {
    const Column column = given.column(j);
    const Given& own = columns_[usize(j)];
    if (own.category != (column.kind == ColumnKind::kCategory)) return false;
    if (own.category && own.levels != ssize(column.levels)) return false;
  }
  return true;
}

std::vector<ResultTable> Design::tables(const Schema& given) const {
  ResultColumn::Words columns, references;
  for (Index output = 0; output < outputs_; ++output) {
    std::string of, reference;
    for (const Part::Of& factor : part_of(output).factors) {
      const Column column = column_of(given, factor.column);
      if (!of.empty()) of += ", ";
      of += column.name;
      if (factor.power > 0 || factor.all) continue;
      const Given& own = columns_[usize(factor.column)];
      if (!reference.empty()) reference += ", ";
      reference += column.name + "=" + level_name(column, own.seen[usize(own.reference)]);
    }
    columns.push_back(std::move(of));
    references.push_back(std::move(reference));
  }
  ResultTable table{"terms", "terms"};
  table.add_words("term", schema(given)->names());
  table.add_words("of", std::move(columns));
  table.add_words("compared with", std::move(references));
  return {table};
}

// What a product of several columns says is said by all alike: in equal shares.
void Design::add_up(std::span<const double> of_outputs, std::span<double> of_inputs) const {
  std::fill(of_inputs.begin(), of_inputs.end(), 0);
  for (const Part& part : parts_) {
    double sum = 0;
    for (Index c = 0; c < part.width; ++c) sum += of_outputs[usize(part.first + c)];
    for (const Part::Of& factor : part.factors) {
      of_inputs[usize(factor.column)] += sum / static_cast<double>(part.factors.size());
    }
  }
}

Step::Cause Design::not_affine() const {
  return {"terms", "columns are coded and multiplied",
          "terms do not tell which row they were made of"};
}

}  // namespace craton
