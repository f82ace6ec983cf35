#include "craton/tables/picked_rows.h"

#include <doctest/doctest.h>

#include "craton/engine/fold.h"

namespace craton::picked_rows_test {
namespace {

// What lies in memory, as a file would give it.
class Elsewhere final : public SourceOver {
 public:
  explicit Elsewhere(Source& source) : SourceOver(source) {}
  void decode(Block& block, Chunk& chunk) const override { source().decode(block, chunk); }
  std::unique_ptr<Source> reopen() const override { return reopen_as<Elsewhere>(); }
};

const std::vector<Index> kNumbers{3, 0, 3, 1};
const std::vector<double> kWeights{1, 2, 3, 4};

// Rows [first, last) as doubles.
std::vector<double> values_of(Source& source, RowRange range) {
  Block block;
  Chunk chunk;
  source.fetch(range, block);
  source.decode(block, chunk);
  std::vector<double> out(usize(chunk.rows() * source.shape().cols));
  for (Index i = 0; i < chunk.rows(); ++i) {
    double* const to = &out[usize(i * source.shape().cols)];
    std::visit([&](const auto& x) { copy_row(x, i, to); }, chunk.x);
  }
  return out;
}

TEST_CASE("rows that are picked come in the order asked for, from memory and from a file") {
  const std::vector<float> x{1, 2, 0, 3, 4, 0, 5, 6, 0, 7, 8, 9};
  MemorySource memory({.x = Dense<float>{x.data(), 4, 3, 3}}, {}, "four");
  Elsewhere file(memory);
  for (Source* const source : {static_cast<Source*>(&memory), static_cast<Source*>(&file)}) {
    PickedRows picked(*source, {});
    picked.pick(kNumbers);
    CHECK(picked.shape().rows == 4);
    CHECK(values_of(picked, {0, 2}) == std::vector<double>{7, 8, 9, 1, 2, 0});
    CHECK(values_of(picked, {2, 4}) == std::vector<double>{7, 8, 9, 3, 4, 0});
    CHECK(values_of(*picked.reopen(), {3, 4}) == std::vector<double>{3, 4, 0});
    std::vector<double> gathered(3);
    picked.gather(std::vector<Index>{2}, gathered);
    CHECK(gathered == std::vector<double>{7, 8, 9});
    CHECK(picked.place_of(2).row == 3);
  }
}

TEST_CASE("sparse rows that are picked from a file stay sparse") {
  const std::vector<Index> offsets{0, 2, 2, 3, 6};
  const std::vector<std::int32_t> columns{0, 7, 3, 0, 1, 9};
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  MemorySource memory({.x = Sparse<float>{offsets.data(), columns.data(), values.data(), 4, 10}});
  Elsewhere file(memory);
  PickedRows picked(file, kWeights);
  picked.pick(kNumbers);
  CHECK(picked.in_place() == nullptr);
  Block block;
  Chunk chunk;
  picked.fetch({1, 4}, block);
  picked.decode(block, chunk);
  const auto& x = std::get<Sparse<double>>(chunk.x);
  CHECK(std::vector<Index>(x.offsets, x.offsets + 4) == std::vector<Index>{0, 2, 5, 5});
  CHECK(std::vector<std::int32_t>(x.columns, x.columns + 5) ==
        std::vector<std::int32_t>{0, 7, 0, 1, 9});
  CHECK(std::vector<double>(x.values, x.values + 5) == std::vector<double>{1, 2, 4, 5, 6});
  CHECK(std::vector<double>(chunk.weights.begin(), chunk.weights.end()) ==
        std::vector<double>{1, 4, 2});
}

TEST_CASE("rows of a table in memory may stay in place") {
  const std::vector<double> x{1, 2, 3, 4};
  MemorySource memory({.x = Dense<double>{x.data(), 4, 1, 1}});
  Elsewhere file(memory);
  CHECK(PickedRows(file, {}).in_place() == nullptr);
  PickedRows picked(memory, kWeights);
  picked.pick(kNumbers);
  REQUIRE(picked.in_place() != nullptr);
  picked.leave_in_place();
  Block block;
  Chunk chunk;
  picked.fetch({1, 4}, block);
  picked.decode(block, chunk);
  CHECK(chunk.rows() == 3);
  CHECK(std::get<Dense<double>>(chunk.x).data == nullptr);
  CHECK(std::vector(chunk.weights.begin(), chunk.weights.end()) == std::vector<double>{1, 4, 2});
  CHECK(std::get<Dense<double>>(*picked.in_place()).row(picked.numbers()[1])[0] == 1);
}

TEST_CASE("rows in memory are picked in their own type, and bring their weights") {
  const std::vector<float> x{1, 2, 3, 4};
  MemorySource memory({.x = Dense<float>{x.data(), 4, 1, 1}});
  PickedRows picked(memory, kWeights);
  picked.pick(kNumbers);
  Block block;
  Chunk chunk;
  picked.fetch({1, 4}, block);
  picked.decode(block, chunk);
  CHECK(std::holds_alternative<Dense<float>>(chunk.x));
  CHECK(chunk.first_row == 1);
  CHECK(std::vector(chunk.weights.begin(), chunk.weights.end()) == std::vector<double>{1, 4, 2});
}

TEST_CASE("sparse rows that are picked stay sparse") {
  const std::vector<Index> offsets{0, 2, 3, 3, 5};
  const std::vector<std::int32_t> columns{0, 2, 1, 1, 2};
  const std::vector<double> values{1, 2, 3, 4, 5};
  MemorySource memory({.x = Sparse<double>{offsets.data(), columns.data(), values.data(), 4, 3}});
  PickedRows picked(memory, kWeights);
  picked.pick(kNumbers);
  CHECK(has_sparse_rows(picked));
  CHECK(values_of(picked, {0, 4}) == std::vector<double>{0, 4, 5, 1, 0, 2, 0, 4, 5, 0, 3, 0});
}

}  // namespace
}  // namespace craton::picked_rows_test
