#include "craton/engine/fold.h"

#include <doctest/doctest.h>

#include <atomic>
#include <numeric>
#include <thread>

#include "craton/base/error.h"
#include "craton/base/random.h"
#include "craton/engine/for_each.h"

using namespace craton;

namespace {

// Sums whose last bits depend on the order of additions; `padding` makes the state larger.
struct Sum {
  explicit Sum(Index padding_words = 0) : padding(padding_words) {}
  double value = 0;
  Index rows = 0, padding = 0;

  void accumulate(const Chunk& chunk) {
    const auto& x = std::get<Dense<double>>(chunk.x);
    for (Index i = 0; i < x.rows; ++i) value += x.row(i)[0];
    rows += x.rows;
  }
  void merge(const Sum& next) { value += next.value, rows += next.rows; }
  void write(Writer& w) const { w.put(value), w.put(rows); }
  void read(Reader& r) { r.get(value), r.get(rows); }
  Index words() const { return 2 + padding; }
  Merge merge_kind() const { return Merge::kTree; }
};

// The order in which rows arrive, as text: shows the shape of the tree.
struct TreeText {
  std::string text;
  void accumulate(const Chunk& chunk) { text += std::to_string(chunk.first_row / 256); }
  void merge(const TreeText& next) { text = "(" + text + next.text + ")"; }
  void write(Writer& w) const { w.put(text); }
  void read(Reader& r) { r.get(text); }
  Index words() const { return 1; }
  Merge merge_kind() const { return Merge::kTree; }
};

struct Count {
  std::vector<Index> of_digit = std::vector<Index>(10);
  void accumulate(const Chunk& chunk) {
    const auto& x = std::get<Dense<double>>(chunk.x);
    for (Index i = 0; i < x.rows; ++i) ++of_digit[usize(static_cast<Index>(x.row(i)[0] * 10))];
  }
  void merge(const Count& next) {
    for (std::size_t i = 0; i < 10; ++i) of_digit[i] += next.of_digit[i];
  }
  void write(Writer& w) const { w.put(of_digit); }
  void read(Reader& r) { r.get(of_digit); }
  Index words() const { return 10; }
  Merge merge_kind() const { return Merge::kExact; }
};

// Fails at two rows; records nothing.
struct Failing {
  void accumulate(const Chunk& chunk) {
    for (const Index bad : {3000, 9000}) {
      if (chunk.first_row <= bad && bad < chunk.first_row + chunk.rows()) {
        throw InputError(Code::kNotFinite, {.file = "f.csv", .row = bad, .column = "c"}, "bad", "");
      }
    }
  }
  void merge(const Failing&) {}
  void write(Writer&) const {}
  void read(Reader&) {}
  Index words() const { return 1; }
  Merge merge_kind() const { return Merge::kTree; }
};

std::vector<double> uniforms(Index n) {
  std::vector<double> values(usize(n));
  Random random(1, Purpose::kTest);
  for (double& v : values) v = random.uniform();
  return values;
}

MemorySource source_of(const std::vector<double>& values) {
  return MemorySource({.x = Dense<double>{values.data(), std::ssize(values), 1, 1}});
}

class StopAfter final : public Progress {
 public:
  explicit StopAfter(int polls) : left_(polls) {}
  bool keep_going() override { return left_-- > 0; }

 private:
  int left_;
};

}  // namespace

TEST_CASE("the grid is the least power of two in [256, 4096] that outweighs the statistics") {
  CHECK(grid_rows(10, 1) == 256);
  CHECK(grid_rows(10, 2560) == 256);
  CHECK(grid_rows(10, 2561) == 512);
  CHECK(grid_rows(1, 1'000'000) == 4096);
  CHECK(grid_rows(0, 300) == 512);
}

TEST_CASE("the tree pairs neighbours and closes the right edge from the right") {
  for (const auto& [chunks, shape] :
       std::vector<std::pair<Index, std::string>>{{1, "0"},
                                                  {2, "(01)"},
                                                  {3, "((01)2)"},
                                                  {5, "(((01)(23))4)"},
                                                  {7, "(((01)(23))((45)6))"}}) {
    const std::vector<double> values = uniforms(chunks * 256 - 3);
    MemorySource x = source_of(values);
    for (const int threads : {1, 2, 7})
      CHECK(fold(x, TreeText(), {.threads = threads}).text == shape);
  }
}

TEST_CASE("1, 2, 3 and 7 threads give the same bits, and all rows") {
  for (const Index n : {1, 255, 256, 257, 100'003}) {
    const std::vector<double> values = uniforms(n);
    MemorySource x = source_of(values);
    const Sum one = fold(x, Sum(), {.threads = 1});
    CHECK(one.rows == n);
    for (const int threads : {2, 3, 7}) {
      for (int repeat = 0; repeat < 5; ++repeat) {
        CHECK(fold(x, Sum(), {.threads = threads}).value == one.value);
      }
    }
  }
}

TEST_CASE(
    "the sum of the whole differs from a plain loop in the last bits, so the bits are watched") {
  const std::vector<double> values = uniforms(100'003);
  MemorySource x = source_of(values);
  const double plain = std::accumulate(values.begin(), values.end(), 0.0);
  const double folded = fold(x, Sum(), {.threads = 1}).value;
  CHECK(folded != plain);
  CHECK(folded == doctest::Approx(plain).epsilon(1e-12));
}

TEST_CASE("1, 2, 3 and 5 ranks give the same bits on every rank") {
  const std::vector<double> values = uniforms(100'003);
  MemorySource x = source_of(values);
  const double one = fold(x, Sum(), {.threads = 1}).value;
  const std::vector<Index> counts = fold(x, Count(), {.threads = 1}).of_digit;
  for (const int ranks : {1, 2, 3, 5}) {
    for (const int threads : {1, 2}) {
      std::atomic<int> done = 0;
      run_in_process_ranks(ranks, [&](Comm& comm) {
        const auto mine = x.reopen();
        const Exec exec{.threads = threads, .comm = &comm};
        const bool same =
            fold(*mine, Sum(), exec).value == one && fold(*mine, Count(), exec).of_digit == counts;
        if (same) ++done;
      });
      CHECK(done == ranks);
    }
  }
}

TEST_CASE("a rank owns the same rows in every fold, whatever the grid") {
  const std::vector<double> values = uniforms(100'003);
  MemorySource x = source_of(values);
  std::vector<int> owner(values.size(), -1);
  struct Mark {
    std::vector<int>* owner;
    int rank;
    bool second;
    Index padding;
    void accumulate(const Chunk& chunk) {
      for (Index i = chunk.first_row; i < chunk.first_row + chunk.rows(); ++i) {
        if (second) CHECK((*owner)[usize(i)] == rank);
        (*owner)[usize(i)] = rank;
      }
    }
    void merge(const Mark&) {}
    void write(Writer&) const {}
    void read(Reader&) {}
    Index words() const { return padding; }
    Merge merge_kind() const { return Merge::kTree; }
  };
  run_in_process_ranks(5, [&](Comm& comm) {
    const auto mine = x.reopen();
    const Exec exec{.threads = 1, .comm = &comm};
    for (const Index padding : {1, 600, 100'000}) {
      fold(*mine, Mark{&owner, comm.rank(), padding > 1, padding}, exec);
    }
  });
}

TEST_CASE("more ranks than chunks is no trouble") {
  const std::vector<double> values = uniforms(300);
  MemorySource x = source_of(values);
  const double one = fold(x, Sum(), {}).value;
  run_in_process_ranks(5, [&](Comm& comm) {
    const auto mine = x.reopen();
    CHECK(fold(*mine, Sum(), {.threads = 1, .comm = &comm}).value == one);
  });
}

TEST_CASE("exact statistics count every row once on any number of threads") {
  const std::vector<double> values = uniforms(50'000);
  MemorySource x = source_of(values);
  std::vector<Index> expected(10);
  for (const double v : values) ++expected[static_cast<std::size_t>(v * 10)];
  for (const int threads : {1, 2, 3, 7}) {
    CHECK(fold(x, Count(), {.threads = threads}).of_digit == expected);
  }
}

TEST_CASE("a rank sends exact statistics once, however many workers it has") {
  const std::vector<double> values = uniforms(50'000);
  MemorySource x = source_of(values);
  const std::vector<Index> expected = fold(x, Count(), {}).of_digit;
  // Counts what goes from rank to rank.
  class Counting final : public Comm {
   public:
    explicit Counting(Comm& comm) : comm_(comm) {}
    int rank() const override { return comm_.rank(); }
    int size() const override { return comm_.size(); }
    std::vector<Bytes> allgather(std::span<const std::byte> mine) override {
      largest_gathered = std::max(largest_gathered, mine.size());
      return comm_.allgather(mine);
    }
    Bytes reduce(Bytes mine, MergeBytes merge) override {
      reduced.push_back(mine.size());
      return comm_.reduce(std::move(mine), merge);
    }
    std::size_t largest_gathered = 0;
    std::vector<std::size_t> reduced;

   private:
    Comm& comm_;
  };
  run_in_process_ranks(3, [&](Comm& comm) {
    Counting counting(comm);
    const auto mine = x.reopen();
    CHECK(fold(*mine, Count(), {.threads = 4, .comm = &counting}).of_digit == expected);
    Writer state;
    Count().write(state);
    CHECK(counting.reduced == std::vector<std::size_t>{state.bytes().size()});
    CHECK(counting.largest_gathered < state.bytes().size());  // how it fared, no more
  });
}

TEST_CASE("no rows give the empty statistics") {
  MemorySource x = source_of({});
  CHECK(fold(x, Sum(), {}).rows == 0);
}

TEST_CASE("the lowest failing chunk's error is thrown, on threads and on ranks") {
  const std::vector<double> values = uniforms(20'000);
  MemorySource x = source_of(values);
  const auto row_of_error = [&](const Exec& exec) -> Index {
    try {
      const auto mine = x.reopen();
      fold(*mine, Failing(), exec);
    } catch (const InputError& error) {
      CHECK(error.code() == Code::kNotFinite);
      CHECK(error.place().column == "c");
      CHECK(error.complaint().columns().size() == 1);  // what it refers to comes along
      CHECK(std::string(error.what()).find("f.csv") != std::string::npos);
      return error.place().row;
    }
    return -1;
  };
  for (const int threads : {1, 2, 7}) CHECK(row_of_error({.threads = threads}) == 3000);
  for (const int ranks : {2, 3, 5}) {
    run_in_process_ranks(
        ranks, [&](Comm& comm) { CHECK(row_of_error({.threads = 1, .comm = &comm}) == 3000); });
  }
}

TEST_CASE("a stop throws Interrupted, on all ranks") {
  const std::vector<double> values = uniforms(20'000);
  MemorySource x = source_of(values);
  StopAfter stop(3), at_once(0);  // the calling thread asks: of two, it may run few of the chunks
  CHECK_THROWS_AS(fold(x, Sum(), {.threads = 1, .progress = &stop}), Interrupted);
  CHECK_THROWS_AS(fold(x, Sum(), {.threads = 2, .progress = &at_once}), Interrupted);
  std::atomic<int> interrupted = 0;
  run_in_process_ranks(3, [&](Comm& comm) {
    const auto mine = x.reopen();
    StopAfter stop_rank_1(0);
    Exec exec{.threads = 1, .comm = &comm};
    if (comm.rank() == 1) exec.progress = &stop_rank_1;
    try {
      fold(*mine, Sum(), exec);
    } catch (const Interrupted&) {
      ++interrupted;
    }
  });
  CHECK(interrupted == 3);
}

TEST_CASE("for_each runs every task once and throws the lowest failing one's error") {
  for (const int threads : {1, 2, 7}) {
    std::vector<int> calls(1000);
    for_each(1000, {.threads = threads}, [&](Index i) { ++calls[usize(i)]; });
    CHECK(calls == std::vector<int>(1000, 1));
    try {
      for_each(1000, {.threads = threads}, [&](Index i) {
        if (i == 10 || i == 500) throw std::runtime_error(std::to_string(i));
      });
      FAIL("no error");
    } catch (const std::runtime_error& error) {
      CHECK(std::string(error.what()) == "10");
    }
  }
}

TEST_CASE("for_rows gives every row once, in its own place") {
  const std::vector<double> values = uniforms(5000);
  MemorySource x = source_of(values);
  std::vector<double> out(5000);
  for_rows(x, {.threads = 3}, [&](const Chunk& chunk) {
    const auto& rows = std::get<Dense<double>>(chunk.x);
    for (Index i = 0; i < rows.rows; ++i) out[usize(chunk.first_row + i)] += rows.row(i)[0];
  });
  CHECK(out == values);
}
