#include <algorithm>
#include <cmath>

#include "craton/classes/feature_likelihood.h"
#include "craton/classes/product_program.h"

// What the rows of a block say of the parameters.

namespace craton {
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
