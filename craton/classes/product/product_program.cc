#include "craton/classes/product/product_program.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "craton/classes/product/feature_likelihood.h"
#include "craton/density/density_passes.h"

// Cost of a block: rows x classes x terms multiply-adds for each of the two products, a look-up a
// row, class and table, and what the other families take.

namespace craton {
namespace {

// T H + c is right to about eps times its largest terms: at most so many of them.
constexpr double kLargest = 1e5;
constexpr double kLeastUnit = 1e-10;  // of a coordinate, relative to its origin

// The size of what T H + c adds up at the mean of a class: the digits that are lost there.
double largest_term(const Family& family, const Parameters& moved, const Natural& natural) {
  const double mean = family.mean(moved);
  double sum = std::abs(natural.log_partition);
  if (!std::isfinite(mean)) return INFINITY;
  const bool counts = family.info().support == Support::kCounts;
  const Sufficient at_mean = *family.sufficient(counts ? std::round(mean) : mean, moved);
  for (std::size_t i = 0; i < natural.natural.size(); ++i) {
    sum += std::abs(natural.natural[i]) * std::max(1.0, std::abs(at_mean.sufficient[i]));
  }
  return std::isfinite(sum) ? sum : INFINITY;
}

}  // namespace

ProductProgram::ProductProgram(std::span<const double> log_prior, const FeatureScores& scores)
    : features_(scores.features()), constant_(log_prior.begin(), log_prior.end()) {
  std::vector<double> prior;
  for (const double v : log_prior) prior.push_back(std::exp(v));
  const std::size_t k = classes();
  for (std::size_t f = 0; f < features_.size(); ++f) {
    if (features_[f].categories()) {
      Table& table = tables_.emplace_back();
      table.feature = f;
      table.codes = usize(features_[f].levels) + 1;
      for (std::size_t z = 0; z < k; ++z) {
        for (std::size_t level = 0; level + 1 < table.codes; ++level) {
          table.log_p.push_back(scores.log_p(f, level, z));
        }
        table.log_p.push_back(0);
      }
    } else if (!expand(f, prior, scores)) {
      Direct& direct = direct_.emplace_back();
      direct.feature = f;
      for (std::size_t z = 0; z < k; ++z) {
        direct.lines.push_back(scores.line(f, z));
        direct.parameters.push_back(direct.lines[z] ? Parameters{} : scores.of(f, z));
      }
    }
  }
  h_.assign(k * terms_, 0.0);
  for (const Expanded& e : expanded_) {
    const Family& family = *features_[e.feature].family;
    for (std::size_t z = 0; z < k; ++z) {
      const Natural natural = *family.natural(family.moved(scores.of(e.feature, z), e.at));
      for (std::size_t i = 0; i < natural.natural.size(); ++i) {
        h_[z * terms_ + e.first + static_cast<std::size_t>(family.terms()[i])] = natural.natural[i];
      }
      constant_[z] += e.constant[z];
    }
  }
}

// False when digits would be lost, or there are no natural parameters.
bool ProductProgram::expand(std::size_t f, std::span<const double> prior,
                            const FeatureScores& scores) {
  const Family& family = *features_[f].family;
  if (family.terms().empty()) return false;
  const std::size_t k = prior.size();
  std::vector<Parameters> parameters;
  for (std::size_t z = 0; z < k; ++z) parameters.push_back(scores.of(f, z));
  Expanded e{f,
             terms_,
             term_count(family.empty()),
             coordinate_of(family, prior, parameters),
             family.empty(),
             {}};
  // Values that differ in their last places only: there a mean must be one of them.
  if (e.at.unit < kLeastUnit * std::abs(e.at.origin)) return false;
  const std::optional<double> base = family.constant_log_base();
  e.varies = !base;
  for (std::size_t z = 0; z < k; ++z) {
    const Parameters moved = family.moved(parameters[z], e.at);
    if (!family.valid(moved)) return false;
    const Natural natural = *family.natural(moved);
    if (!(largest_term(family, moved, natural) <= kLargest)) return false;
    e.constant.push_back(base.value_or(0) - std::log(e.at.unit) - natural.log_partition);
  }
  terms_ += e.count;
  expanded_.push_back(std::move(e));
  return true;
}

std::size_t ProductBlock::size(const ProductProgram& program) {
  return (program.features_.size() + program.terms_ + program.classes() + 1 +
          program.tables_.size()) *
         kProgramRows;
}

ProductBlock::ProductBlock(const ProductProgram& program, double* lent) : program_(program) {
  if (lent == nullptr) lent = own_.emplace(size(program)).data();
  x_ = lent;
  t_ = x_ + program.features_.size() * kProgramRows;
  joint_ = t_ + program.terms_ * kProgramRows;
  base_ = joint_ + program.classes() * kProgramRows;
  codes_ = reinterpret_cast<std::int32_t*>(base_ + kProgramRows);
}

namespace {

// Eight rows of every column at a time: a cache line of each.
template <class T>
void copy_columns(const Dense<T>& x, std::span<const Feature> features, Index first,
                  std::size_t count, double* out) {
  for (std::size_t from = 0; from < count; from += 8) {
    const std::size_t to = std::min(from + 8, count);
    for (std::size_t f = 0; f < features.size(); ++f) {
      const T* at = x.row(first + static_cast<Index>(from)) + features[f].column;
      double* const column = out + f * kProgramRows;
      for (std::size_t b = from; b < to; ++b, at += x.stride) column[b] = static_cast<double>(*at);
    }
  }
}
template <class T>
void copy_columns(const Sparse<T>& x, std::span<const Feature> features, Index first,
                  std::size_t count, double* out) {
  const Matrix rows = x.slice({first, first + static_cast<Index>(count)});
  std::vector<double> values;
  for (std::size_t f = 0; f < features.size(); ++f) {
    copy_column(rows, features[f].column, values);
    std::ranges::copy(values, out + f * kProgramRows);
  }
}

// Whether the support holds all of them.
bool holds_all(Support support, const double* x, std::size_t rows) {
  constexpr double kMost = std::numeric_limits<double>::max();
  constexpr double kTiny = std::numeric_limits<double>::denorm_min(), kBelowOne = 1 - 0x1p-53;
  switch (support) {
    case Support::kPositive:
      return all_within(x, rows, kTiny, kMost, false);
    case Support::kNonNegative:
      return all_within(x, rows, 0, kMost, false);
    case Support::kUnit:
      return all_within(x, rows, kTiny, kBelowOne, false);
    case Support::kCounts:
      return all_within(x, rows, 0, kGreatestCount, true);
    case Support::kBinary:
      return all_within(x, rows, 0, 1, true);
    default:
      return all_within(x, rows, -kMost, kMost, false);
  }
}

// A value of the support, to stand where there is none.
double harmless(Support support) {
  return support == Support::kCounts || support == Support::kBinary ? 0 : 0.5;
}

}  // namespace

void ProductBlock::load(const Matrix& x, Index first, Index count) {
  count_ = usize(count);
  rows_ = padded_rows(count_);
  const std::span<const Feature> features = program_.features_;
  std::visit([&](const auto& view) { copy_columns(view, features, first, count_, x_); }, x);
  // Rows beyond the last repeat it: all that is worked on is a number.
  for (std::size_t f = 0; f < features.size(); ++f) {
    std::fill(column(f) + count_, column(f) + rows_, column(f)[count_ - 1]);
  }
  std::fill_n(base_, rows_, 0.0);
  holes_.clear();
  for (std::size_t e = 0; e < program_.expanded_.size(); ++e) find_terms_of(e);
  for (std::size_t t = 0; t < program_.tables_.size(); ++t) find_codes(t);
}

void ProductBlock::find_terms_of(std::size_t e) {
  const ProductProgram::Expanded& expanded = program_.expanded_[e];
  const Family& family = *program_.features_[expanded.feature].family;
  const Support support = family.info().support;
  const bool moments = std::holds_alternative<Moments>(expanded.kind);
  const Coordinate& at = expanded.at;
  double* const x = column(expanded.feature);
  double* const t = t_ + expanded.first * kProgramRows;
  const bool plain = moments && support == Support::kReal && !expanded.varies;
  if (plain && standardise(x, rows_, at.origin, 1 / at.unit, t, t + kProgramRows)) return;
  const std::size_t first_hole = holes_.size();
  const double* moved = t;  // the first of the terms of moments is z itself
  alignas(64) double z[kProgramRows];
  const double* values = x;
  if (!holds_all(support, x, rows_)) {
    // A value is missing, or one that the family cannot have.
    std::copy_n(x, rows_, z);
    values = z;
    for (std::size_t b = 0; b < rows_; ++b) {
      if (holds(support, z[b])) continue;
      if (!std::isnan(z[b])) base_[b] = -INFINITY;
      holes_.push_back({e, b});
      z[b] = harmless(support);
    }
  }
  if (moments) {
    standardise(values, rows_, at.origin, 1 / at.unit, t, t + kProgramRows);
  } else {
    for (std::size_t b = 0; b < rows_; ++b) z[b] = (values[b] - at.origin) / at.unit;
    find_terms(expanded.kind, {z, rows_}, t, kProgramRows);
    moved = z;
  }
  if (expanded.varies) {
    double part[kProgramRows] = {};
    family.add_log_base({moved, rows_}, {part, rows_});
    for (std::size_t i = first_hole; i < holes_.size(); ++i) part[holes_[i].row] = 0;
    for (std::size_t b = 0; b < rows_; ++b) base_[b] += part[b];
  }
  for (std::size_t i = first_hole; i < holes_.size(); ++i) {
    for (std::size_t p = 0; p < expanded.count; ++p) t[p * kProgramRows + holes_[i].row] = 0;
  }
}

bool ProductBlock::varies() const {
  return std::ranges::any_of(program_.expanded_, &ProductProgram::Expanded::varies);
}

void ProductBlock::find_codes(std::size_t t) {
  const ProductProgram::Table& table = program_.tables_[t];
  double* const x = column(table.feature);
  encode(program_.features_[table.feature], {x, rows_});
  std::int32_t* const codes = &codes_[t * kProgramRows];
  const auto missing = static_cast<std::int32_t>(table.codes - 1);
  for (std::size_t b = 0; b < rows_; ++b) {
    codes[b] = std::isnan(x[b]) ? missing : static_cast<std::int32_t>(x[b]);
  }
}

double* ProductBlock::find_joint() {
  const std::size_t k = program_.classes();
  double* const joint = joint_;
  block_scores(t_, program_.terms_, program_.h_.data(), program_.constant_.data(), k, rows_, joint);
  for (const Hole& hole : holes_) {
    const std::vector<double>& constant = program_.expanded_[hole.expanded].constant;
    for (std::size_t z = 0; z < k; ++z) joint[z * kProgramRows + hole.row] -= constant[z];
  }
  for (std::size_t t = 0; t < program_.tables_.size(); ++t) {
    const ProductProgram::Table& table = program_.tables_[t];
    const std::int32_t* const codes = &codes_[t * kProgramRows];
    for (std::size_t z = 0; z < k; ++z) {
      const double* const log_p = &table.log_p[z * table.codes];
      double* const out = joint + z * kProgramRows;
      for (std::size_t b = 0; b < rows_; ++b) out[b] += log_p[codes[b]];
    }
  }
  double part[kProgramRows];
  for (const ProductProgram::Direct& direct : program_.direct_) {
    const Family& family = *program_.features_[direct.feature].family;
    for (std::size_t z = 0; z < k; ++z) {
      log_density(family, direct.lines[z].get(), direct.parameters[z],
                  {column(direct.feature), rows_}, {part, rows_});
      double* const out = joint + z * kProgramRows;
      for (std::size_t b = 0; b < rows_; ++b) out[b] += part[b];
    }
  }
  return joint;
}

// What the rows of a block say of the parameters.

namespace {

constexpr double kNothing = 1e-100;  // of all weight: sums of terms of it would lose their digits

}  // namespace

ProductSums::ProductSums(const ProductProgram& program)
    : program_(&program),
      weight_(program.classes()),
      sums_(program.classes() * program.terms_),
      absent_(program.expanded_.size() * program.classes()) {
  std::size_t cells = 0;
  for (const ProductProgram::Table& table : program.tables_) cells += table.log_p.size();
  counts_.resize(cells);
  for (const ProductProgram::Direct& direct : program.direct_) {
    const Statistics empty = program.features_[direct.feature].family->empty();
    direct_.insert(direct_.end(), program.classes(), empty);
  }
}

void ProductSums::add(ProductBlock& block, const double* r) {
  const std::size_t k = weight_.size(), rows = block.rows_;
  add_block_sums(block.t_, program_->terms_, r, k, rows, sums_.data(), weight_.data());
  for (const ProductBlock::Hole& hole : block.holes_) {
    for (std::size_t z = 0; z < k; ++z) {
      absent_[hole.expanded * k + z] += r[z * kProgramRows + hole.row];
    }
  }
  double* counts = counts_.data();
  for (std::size_t t = 0; t < program_->tables_.size(); ++t) {
    const std::int32_t* const codes = &block.codes_[t * kProgramRows];
    for (std::size_t z = 0; z < k; ++z, counts += program_->tables_[t].codes) {
      for (std::size_t b = 0; b < rows; ++b) counts[codes[b]] += r[z * kProgramRows + b];
    }
  }
  for (std::size_t d = 0; d < program_->direct_.size(); ++d) {
    const std::size_t f = program_->direct_[d].feature;
    const Family& family = *program_->features_[f].family;
    const std::span<const double> x(block.column(f), block.count_);
    const bool base = !family.terms().empty() && !family.constant_log_base();
    for (std::size_t z = 0; z < k; ++z) {
      const std::span<const double> w(r + z * kProgramRows, block.count_);
      family.accumulate(x, w, direct_[d * k + z]);
      for (std::size_t b = 0; base && b < x.size(); ++b) {
        double log_base = 0;
        if (w[b] > 0 && !std::isnan(x[b])) family.add_log_base({&x[b], 1}, {&log_base, 1});
        direct_base_ += w[b] * log_base;
      }
    }
  }
}

ClassStatistics ProductSums::statistics() const {
  const std::size_t k = weight_.size();
  double total = 0;
  for (const double w : weight_) total += w;
  std::vector<Statistics> all(program_->features_.size() * k);
  for (std::size_t e = 0; e < program_->expanded_.size(); ++e) {
    const ProductProgram::Expanded& expanded = program_->expanded_[e];
    const Statistics kind = program_->features_[expanded.feature].family->empty();
    for (std::size_t z = 0; z < k; ++z) {
      // Of a class without values there is nothing, not what rounding left.
      const double n = weight_[z] - absent_[e * k + z];
      const bool some = n > std::max(1e-14 * weight_[z], kNothing * total);
      const std::span<const double> sums(&sums_[z * program_->terms_ + expanded.first],
                                         expanded.count);
      all[expanded.feature * k + z] = some ? from_terms(kind, expanded.at, n, sums) : kind;
    }
  }
  const double* counts = counts_.data();
  for (const ProductProgram::Table& table : program_->tables_) {
    for (std::size_t z = 0; z < k; ++z, counts += table.codes) {
      Counts of_class{0, {counts, counts + table.codes - 1}};
      for (const double n : of_class.counts) of_class.weight += n;
      all[table.feature * k + z] = std::move(of_class);
    }
  }
  for (std::size_t d = 0; d < program_->direct_.size(); ++d) {
    for (std::size_t z = 0; z < k; ++z) {
      all[program_->direct_[d].feature * k + z] = direct_[d * k + z];
    }
  }
  return ClassStatistics(weight_, std::move(all));
}

double ProductSums::expected(std::span<const double> log_prior, const FeatureScores& scores) const {
  const std::size_t k = weight_.size();
  const ClassStatistics seen = statistics();
  const auto of = [&](std::size_t f, std::size_t z, const Coordinate& at) {
    return expected_log_density(program_->features_[f], seen.of(f, z), scores.of(f, z), at);
  };
  double sum = direct_base_;
  for (std::size_t z = 0; z < k; ++z) {
    if (weight_[z] > 0) sum += weight_[z] * log_prior[z];
    for (const ProductProgram::Expanded& e : program_->expanded_) sum += of(e.feature, z, e.at);
    for (const ProductProgram::Table& table : program_->tables_) sum += of(table.feature, z, {});
    for (const ProductProgram::Direct& direct : program_->direct_) {
      // Centred where it can be: such classes are narrow.
      const Family& family = *program_->features_[direct.feature].family;
      const Parameters& own = scores.of(direct.feature, z);
      const bool centred = family.constant_log_base().has_value();
      const double one = 1;
      sum += of(direct.feature, z,
                centred ? coordinate_of(family, {&one, 1}, {&own, 1}) : Coordinate{});
    }
  }
  return sum;
}

void ProductSums::merge(const ProductSums& next) {
  const auto add = [](std::vector<double>& to, const std::vector<double>& from) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
  };
  add(weight_, next.weight_);
  add(sums_, next.sums_);
  add(absent_, next.absent_);
  add(counts_, next.counts_);
  direct_base_ += next.direct_base_;
  for (std::size_t i = 0; i < direct_.size(); ++i) craton::merge(direct_[i], next.direct_[i]);
}

void ProductSums::write(Writer& writer) const {
  for (const auto* values : {&weight_, &sums_, &absent_, &counts_}) writer.put(*values);
  writer.put(direct_base_);
  for (const Statistics& s : direct_) craton::write(writer, s);
}

void ProductSums::read(Reader& reader) {
  for (auto* values : {&weight_, &sums_, &absent_, &counts_}) reader.get(*values);
  reader.get(direct_base_);
  for (Statistics& s : direct_) craton::read(reader, s);
}

Index ProductSums::words() const {
  Index sum = 1 + ssize(weight_) + ssize(sums_) + ssize(absent_) + ssize(counts_);
  for (const Statistics& s : direct_) sum += craton::words(s);
  return sum;
}

}  // namespace craton
