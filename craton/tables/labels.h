#pragma once
#include <memory>
#include <vector>

#include "craton/base/source_over.h"
#include "craton/engine/exec.h"

// The classes of labelled rows: which values of a column stand for which label.

namespace craton {

inline constexpr Index kTargets = -1;         // not a column: the targets that the rows have
inline constexpr Index kMostClasses = 10000;  // more are a quantity, or names

struct Classes {
  Column column;                          // its levels are the names of the classes
  Index from = kTargets;                  // where the values are
  std::vector<double> values;             // ascending
  std::vector<std::int32_t> labels = {};  // of each value

  std::int32_t label(double value) const;  // -1: missing, or none of them
};

// The values that occur in a column, in ascending order (of names, when it has levels). One pass.
// InputError (kBadTarget) when there are none, or more than kMostClasses.
Classes find_classes(Source& x, Index from, const Exec& exec);

// The classes of a model in new data. InputError (kBadTarget) for a value that is none of them.
Classes bind_classes(const Column& target, Source& x, Index from, const Exec& exec);

// A table with labels. Borrows the source.
class LabelledSource final : public SourceOver {
 public:
  LabelledSource(Source& source, Classes classes);
  const Schema& schema() const override { return schema_; }
  void decode(Block& block, Chunk& chunk) const override;
  std::unique_ptr<Source> reopen() const override { return reopen_as<LabelledSource>(classes_); }

 private:
  Classes classes_;
  Schema schema_;
};

// A table without its labels. Borrows the source.
class WithoutLabels final : public SourceOver {
 public:
  explicit WithoutLabels(Source& source) : SourceOver(source), schema_(source.schema()) {
    schema_.target.reset();
  }
  const Schema& schema() const override { return schema_; }
  void decode(Block& block, Chunk& chunk) const override {
    source().decode(block, chunk);
    chunk.labels = {};
  }
  std::unique_ptr<Source> reopen() const override { return reopen_as<WithoutLabels>(); }

 private:
  Schema schema_;
};

}  // namespace craton
