#include "craton/tables/design.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <utility>

#include "craton/base/error.h"
#include "craton/base/row_of.h"
#include "craton/engine/fold.h"
#include "craton/tables/columns.h"

// How a design is learned: one pass for the weight of each level, then which of them have columns.

namespace craton {
namespace {

// CSR rows take longer per entry than dense ones: worth it where most columns are 0.
constexpr Index kSparseFrom = 64, kSparseShare = 8;

// The weight of each level of some columns.
class LevelWeights {
 public:
  LevelWeights(const Source& x, std::span<const Index> columns)
      : source_(&x), columns_(columns), firsts_{0} {
    for (const Index j : columns) {
      firsts_.push_back(firsts_.back() + x.schema().columns[usize(j)].levels.size());
    }
    weights_.resize(firsts_.back());
  }
  double total() const { return total_; }
  std::span<const double> of(std::size_t c) const {
    return std::span(weights_).subspan(firsts_[c], firsts_[c + 1] - firsts_[c]);
  }

  void accumulate(const Chunk& chunk) {
    check_weights(chunk, *source_);
    std::visit([&](const auto& x) { add_rows(x, chunk); }, chunk.x);
  }
  void merge(const LevelWeights& next) {
    total_ += next.total_;
    for (std::size_t i = 0; i < weights_.size(); ++i) weights_[i] += next.weights_[i];
  }
  void write(Writer& writer) const {
    writer.put(total_);
    writer.put(weights_);
  }
  void read(Reader& reader) {
    reader.get(total_);
    reader.get(weights_);
  }
  Index words() const { return 1 + ssize(weights_); }
  Merge merge_kind() const { return Merge::kTree; }

 private:
  template <class Rows>
  void add_rows(const Rows& x, const Chunk& chunk) {
    for (Index i = 0; i < x.rows; ++i) {
      const double w = chunk.weight(i);
      total_ += w;
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        const double code = value_at(x, i, columns_[c]);
        if (w == 0 || std::isnan(code)) continue;
        if (!is_code(code, ssize(of(c)))) refuse(chunk.first_row + i, columns_[c], code);
        weights_[firsts_[c] + static_cast<std::size_t>(code)] += w;
      }
    }
  }
  [[noreturn]] void refuse(Index row, Index column, double code) const {
    throw InputError(Code::kUnseenLevel, source_->place_of(row, column),
                     fmt::format("the code {} of this category stands for no level", code),
                     "Codes are the places of the levels: 0, 1, ...");
  }

  const Source* source_;  // for messages, during the pass
  std::span<const Index> columns_;
  std::vector<std::size_t> firsts_;
  std::vector<double> weights_;
  double total_ = 0;
};

std::vector<NamedLevel> references_of(const DesignOptions& options, const Schema& schema) {
  if (options.reference == DesignOptions().reference) return {};
  return parse_levels(options.reference, schema);
}

bool is_category(const Schema& schema, Index column) {
  return !schema.columns.empty() && schema.columns[usize(column)].kind == ColumnKind::kCategory;
}

}  // namespace

// Returns the weight of all rows.
double Design::learn_levels(Source& x, const std::vector<ColumnProduct>& terms,
                            std::span<const NamedLevel> references, const DesignOptions& options,
                            const Setting& setting, const Exec& exec) {
  const Schema& given = x.schema();
  std::set<Index> used;
  for (const ColumnProduct& term : terms) {
    for (const ColumnPower& factor : term) {
      if (is_category(given, factor.column)) used.insert(factor.column);
    }
  }
  const std::vector<Index> counted(used.begin(), used.end());
  if (counted.empty()) return 1;  // nothing to ask
  const LevelWeights weights = fold(x, LevelWeights(x, counted), exec);
  for (std::size_t c = 0; c < counted.size(); ++c) {
    Given& column = columns_[usize(counted[c])];
    column.places.assign(usize(column.levels), -1);
    for (Index code = 0; code < column.levels; ++code) {
      const double weight = weights.of(c)[usize(code)];
      if (weight == 0) continue;
      column.places[usize(code)] = ssize(column.seen);
      // The first of those that most rows have.
      const Index best = column.seen.empty() ? code : column.seen[usize(column.reference)];
      if (weight > weights.of(c)[usize(best)]) column.reference = ssize(column.seen);
      column.seen.push_back(code);
    }
    if (column.seen.empty() && weights.total() > 0) {
      throw InputError(Code::kNotFinite, {.file = x.name(), .column = given.name(counted[c])},
                       "no row has a level of this category", "Leave the column out.");
    }
  }
  for (const NamedLevel& named : references) {
    Given& column = columns_[usize(named.column)];
    if (column.seen.empty()) continue;  // it is in no term
    column.reference = column.places[usize(named.code)];
    if (column.reference >= 0) continue;
    throw InputError(
        Code::kBadOption, {.file = x.name(), .column = given.name(named.column)},
        {"no row has the level '{}', which {} names",
         given.columns[usize(named.column)].levels[usize(named.code)], Ref::option("reference")},
        "Name a level that rows have.");
  }
  for (const Index j : counted) {
    Given& column = columns_[usize(j)];
    if (column.seen.empty()) continue;
    using Unseen = DesignOptions::Unseen;
    if (options.unseen == Unseen::kReference) {
      const bool one_hot = options.coding == DesignOptions::Coding::kOneHot;
      column.unseen = one_hot ? kNoLevel : column.seen[usize(column.reference)];
    } else if (options.unseen == Unseen::kMissing) {
      column.unseen = setting.fill.empty() ? kMissing : static_cast<Index>(setting.fill[usize(j)]);
    }
  }
  return weights.total();
}

// The parts of each term with reference levels left out where others make up for them. Each term's
// products with some of its categories, each but the reference, are what it adds; those that terms
// of fewer categories and the same numbers have had are taken away. Then p and p:a' are p:a, with
// all levels of a: from the left, as long as there are such.
std::vector<std::vector<Design::Part>> Design::reduced(const std::vector<ColumnProduct>& terms,
                                                       bool intercept) const {
  const auto is_number = [&](const ColumnPower& f) { return !columns_[usize(f.column)].category; };
  struct Subset {
    unsigned members = 0, all = 0;  // of the categories of a term: a bit each
  };
  std::set<std::pair<ColumnProduct, std::vector<Index>>> had;
  if (intercept) had.emplace();  // the empty product

  std::vector<std::size_t> order(terms.size());  // fewest categories first
  for (std::size_t t = 0; t < terms.size(); ++t) order[t] = t;
  const auto categories = [&](std::size_t t) {
    return ssize(terms[t]) - std::count_if(terms[t].begin(), terms[t].end(), is_number);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return categories(a) < categories(b); });

  std::vector<std::vector<Part>> result(terms.size());
  for (const std::size_t t : order) {
    ColumnProduct numbers;
    std::vector<Index> of;  // the categories
    for (const ColumnPower& factor : terms[t]) {
      if (is_number(factor)) numbers.push_back(factor);
      if (!is_number(factor)) of.push_back(factor.column);
    }
    std::sort(numbers.begin(), numbers.end());

    std::vector<Subset> left;
    for (unsigned members = 0; members < 1u << of.size(); ++members) {
      std::vector<Index> some;
      for (std::size_t c = 0; c < of.size(); ++c) {
        if ((members >> c & 1u) != 0) some.push_back(of[c]);
      }
      std::sort(some.begin(), some.end());
      if (had.emplace(numbers, some).second) left.push_back({.members = members});
    }
    std::stable_sort(left.begin(), left.end(), [](const Subset& a, const Subset& b) {
      const int size = std::popcount(a.members), other = std::popcount(b.members);
      const unsigned differ = a.members ^ b.members;  // of equal size: by their first members
      return size != other ? size < other : (a.members & differ & (~differ + 1)) != 0;
    });
    const auto absorbs = [](const Subset& large, const Subset& small) {
      // One category more, and the levels that `small` has of the others.
      return std::popcount(large.members) == std::popcount(small.members) + 1 &&
             (small.members & ~large.members) == 0 && small.all == (large.all & small.members) &&
             (large.all & ~small.members) == 0;
    };
    for (bool merged = true; merged;) {
      merged = false;
      for (std::size_t s = 0; s < left.size() && !merged; ++s) {
        for (std::size_t l = s + 1; l < left.size() && !merged; ++l) {
          if (!absorbs(left[l], left[s])) continue;
          left[l].all |= left[l].members & ~left[s].members;
          left.erase(left.begin() + static_cast<std::ptrdiff_t>(s));
          merged = true;
        }
      }
    }

    for (const Subset& subset : left) {
      Part part;
      for (const ColumnPower& factor : terms[t]) {
        if (is_number(factor)) {
          part.factors.push_back({.column = factor.column, .power = factor.power});
          continue;
        }
        const auto c = std::find(of.begin(), of.end(), factor.column) - of.begin();
        if ((subset.members >> c & 1u) == 0) continue;
        part.factors.push_back({.column = factor.column, .all = (subset.all >> c & 1u) != 0});
      }
      CRATON_ASSERT(!part.factors.empty());  // a category has taken in what is 1 for all rows
      result[t].push_back(std::move(part));
    }
  }
  return result;
}

Index Design::lay_out() {
  constexpr Index kTooMany = Index{1} << 40;
  Index first = 0;
  for (Part& part : parts_) {
    part.first = first;
    part.width = 1;
    for (const Part::Of& factor : part.factors) {
      const Index each = width(factor);
      if (each > 0 && part.width > kTooMany / each) return kTooMany;
      part.width *= each;
    }
    first += part.width;
    if (first > kTooMany) return kTooMany;
  }
  return first;
}

void Design::check_width(const Source& x) const {
  const Index most = sparse_ ? kMostSparse : kMostDense;
  if (outputs_ <= most) return;
  Index widest = -1;  // the column with the most levels, of those in terms
  for (Index j = 0; j < ssize(columns_); ++j) {
    const bool more =
        widest < 0 || columns_[usize(j)].seen.size() > columns_[usize(widest)].seen.size();
    if (more) widest = j;
  }
  if (columns_[usize(widest)].seen.empty()) return;  // numbers, which somebody has written
  throw InputError(
      Code::kUnsupported, {.file = x.name(), .column = x.schema().name(widest)},
      fmt::format("this category has {} levels, and the terms would be more than {} columns",
                  columns_[usize(widest)].seen.size(), most),
      {"Leave the column out: a name, or a number, of each row says nothing of others. {} chooses "
       "what is taken.",
       Ref::option("terms")});
}

std::optional<Design> Design::learn(Source& x, const DesignOptions& options, const Setting& setting,
                                    const Exec& exec) {
  DesignOptions checked = options;
  check_options([&](OptionVisitor& v) { describe(v, checked); });
  const Schema& given = x.schema();
  const std::vector<NamedLevel> references = references_of(options, given);
  bool categories = false;
  for (Index j = 0; j < ssize(given.columns); ++j) categories |= is_category(given, j);
  if (!categories && options.terms == ".") return std::nullopt;
  const std::vector<ColumnProduct> terms = parse_terms(options.terms, given);
  bool same = !categories && ssize(terms) == given.size();
  for (Index j = 0; same && j < given.size(); ++j) {
    same = terms[usize(j)] == ColumnProduct{{j, 1}};
  }
  if (same || x.shape().rows == 0) return std::nullopt;  // without rows, the model will refuse

  Design result;
  for (Index j = 0; j < given.size(); ++j) {
    const bool category = is_category(given, j);
    const Index levels = category ? ssize(given.columns[usize(j)].levels) : 0;
    result.columns_.push_back({.category = category, .levels = levels});
  }
  const double weight = result.learn_levels(x, terms, references, options, setting, exec);
  if (weight == 0) return std::nullopt;  // which the model will refuse
  std::vector<std::vector<Part>> by_term(terms.size());
  if (options.coding == DesignOptions::Coding::kReference) {
    by_term = result.reduced(terms, setting.intercept);
  } else {
    for (std::size_t t = 0; t < terms.size(); ++t) {
      Part& part = by_term[t].emplace_back();
      for (const ColumnPower& f : terms[t]) {
        const bool category = is_category(given, f.column);
        part.factors.push_back({.column = f.column, .power = category ? 0 : f.power});
      }
    }
  }
  for (std::vector<Part>& parts : by_term) {
    for (Part& part : parts) {
      const auto empty = [&](const Part::Of& f) { return result.width(f) == 0; };
      if (std::none_of(part.factors.begin(), part.factors.end(), empty)) {
        result.parts_.push_back(std::move(part));
      }
    }
  }
  result.outputs_ = result.lay_out();
  if (result.outputs_ == 0) {
    throw InputError(Code::kNoSpread, {.file = x.name()},
                     "every category of the terms has one level, so there is nothing to compare",
                     {"Name other columns with {}.", Ref::option("terms")});
  }
  const Index parts = ssize(result.parts_);
  const bool wide = result.outputs_ >= kSparseFrom && parts * kSparseShare <= result.outputs_;
  result.sparse_ = setting.sparse && (wide || has_sparse_rows(x));
  result.check_width(x);
  return result;
}

}  // namespace craton
