#include "craton/classes/labelled_sample.h"

#include "craton/core/columns.h"
#include "craton/core/fold.h"
#include "craton/core/random.h"

namespace craton {
namespace {

class Rows {
 public:
  Rows(Index columns, std::uint64_t one_in) : one_in_(one_in) { sample.x.shape = {0, columns}; }

  void accumulate(const Chunk& chunk) {
    const std::size_t d = usize(sample.x.cols());
    for (Index i = 0; i < chunk.rows() && !chunk.labels.empty(); ++i) {
      if (chunk.labels[usize(i)] < 0 || !(chunk.weight(i) > 0)) continue;
      if (mix(0, static_cast<std::uint64_t>(chunk.first_row + i)) % one_in_ != 0) continue;
      sample.labels.push_back(chunk.labels[usize(i)]);
      sample.weights.push_back(chunk.weight(i));
      sample.x.values.resize(sample.x.values.size() + d);
      double* const to = sample.x.values.data() + sample.x.values.size() - d;
      std::visit([&](const auto& x) { copy_row(x, i, to); }, chunk.x);
    }
    sample.x.shape[0] = sample.rows();
  }
  void merge(const Rows& next) {
    const auto append = [](auto& to, const auto& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(sample.labels, next.sample.labels);
    append(sample.weights, next.sample.weights);
    append(sample.x.values, next.sample.x.values);
    sample.x.shape[0] = sample.rows();
  }
  void write(Writer& writer) const {
    writer.put(sample.labels);
    writer.put(sample.weights);
    writer.put(sample.x.values);
  }
  void read(Reader& reader) {
    reader.get(sample.labels);
    reader.get(sample.weights);
    reader.get(sample.x.values);
    sample.x.shape[0] = sample.rows();
  }
  Index words() const { return 1; }
  Merge merge_kind() const { return Merge::kTree; }

  LabelledSample sample;

 private:
  std::uint64_t one_in_;
};

}  // namespace

MemorySource LabelledSample::source(const Schema& schema) const {
  return MemorySource({.x = x.view(), .labels = labels, .weights = weights}, schema);
}

LabelledSample draw_labelled(Source& x, Index size, const Exec& exec) {
  const auto [rows, columns] = x.shape();
  const Index one_in = (rows + size - 1) / size;
  return fold(x, Rows(columns, static_cast<std::uint64_t>(std::max<Index>(one_in, 1))), exec)
      .sample;
}

}  // namespace craton
