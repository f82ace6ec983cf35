#include "craton/engine/agree.h"

#include <doctest/doctest.h>

#include <memory>
#include <new>
#include <string>

#include "craton/base/error.h"
#include "craton/engine/fold.h"
#include "craton/engine/for_each.h"

namespace craton::agree_test {

namespace {

constexpr Index kRows = 5 * 4096;  // so that each of five ranks has some

struct Sum {
  double value = 0;
  Index padding = 0;
  Merge kind = Merge::kTree;
  bool cannot_merge = false;
  void accumulate(const Chunk& chunk) { value += static_cast<double>(chunk.rows()); }
  void merge(const Sum& next) {
    if (cannot_merge) throw std::bad_alloc();
    value += next.value;
  }
  void write(Writer& w) const { w.put(value); }
  void read(Reader& r) { r.get(value); }
  Index words() const { return 1 + padding; }
  Merge merge_kind() const { return kind; }
};

double count_rows(const Exec& exec, const Sum& empty = {}) {
  static const std::vector<double> values(usize(kRows));
  MemorySource x({.x = Dense<double>{values.data(), kRows, 1, 1}});
  return fold(x, empty, exec).value;
}

// What f said or threw, on each rank.
template <class F>
std::vector<std::string> outcomes(int ranks, const F& f) {
  std::vector<std::string> all(static_cast<std::size_t>(ranks));
  run_in_process_ranks(ranks, [&](Comm& comm) {
    std::string& mine = all[static_cast<std::size_t>(comm.rank())];
    try {
      mine = f(Exec{.threads = 1, .comm = &comm}, comm.rank());
    } catch (const InputError& error) {
      mine = error.place().file + ": " + std::string(info(error.code()).id);
    } catch (const Interrupted&) {
      mine = "interrupted";
    } catch (const std::bad_alloc&) {
      mine = "no memory";
    } catch (const std::logic_error& error) {
      mine = std::string("bug: ") + error.what();
    } catch (const std::exception& error) {
      mine = error.what();
    }
  });
  return all;
}

std::vector<std::string> all_say(int ranks, const std::string& what) {
  return std::vector<std::string>(static_cast<std::size_t>(ranks), what);
}

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }

class Stop final : public Progress {
 public:
  bool keep_going() override { return false; }
};

const std::string kParted = "bug: ranks that run the same program stand at different folds";

}  // namespace

TEST_CASE("what goes well on all ranks is each rank's own result") {
  const auto said = outcomes(3, [](const Exec& exec, int rank) {
    agree(exec, [&] { CHECK(count_rows(exec) == kRows); });
    return *agree(exec, [&] { return std::make_unique<std::string>(std::to_string(rank)); });
  });
  CHECK(said == std::vector<std::string>{"0", "1", "2"});
  CHECK(agree(Exec{}, [] { return 7; }) == 7);
}

TEST_CASE("a rank that fails before, between or after the folds of others ends them") {
  for (const int failing : {0, 1, 2}) {
    for (const int folds_before : {0, 1, 2}) {
      for (const Merge kind : {Merge::kTree, Merge::kExact}) {
        const auto said = outcomes(3, [&](const Exec& exec, int rank) {
          return agree(exec, [&] {
            for (int i = 0; i < 2; ++i) {
              if (rank == failing && i == folds_before) fail("mine");
              count_rows(exec, {.kind = kind});
            }
            if (rank == failing) fail("mine");
            return std::string("fine");
          });
        });
        CHECK(said == all_say(3, "mine"));
      }
    }
  }
}

TEST_CASE("every kind of error is the same on all ranks") {
  const auto of = [](auto error) {
    return outcomes(2, [&](const Exec& exec, int rank) {
      return agree(exec, [&] {
        if (rank == 1) throw error;
        return std::to_string(count_rows(exec));
      });
    });
  };
  CHECK(of(InputError(Code::kNotFinite, {.file = "f.csv"}, "bad", "")) ==
        all_say(2, "f.csv: not-finite"));
  CHECK(of(Interrupted()) == all_say(2, "interrupted"));
  CHECK(of(std::bad_alloc()) == all_say(2, "no memory"));
  CHECK(of(std::logic_error("x")) == all_say(2, "bug: x"));
  CHECK(of(std::runtime_error("x")) == all_say(2, "x"));
  CHECK(of(42) == all_say(2, "an error that says nothing"));
}

TEST_CASE("of several failures outside of folds that of the lowest rank is thrown") {
  const auto said = outcomes(5, [](const Exec& exec, int rank) {
    return agree(exec, [&] {
      if (rank == 4 || rank == 2) fail(std::to_string(rank));
      return std::to_string(count_rows(exec));
    });
  });
  CHECK(said == all_say(5, "2"));
}

TEST_CASE("a stop in work that ranks do not share ends all of them") {
  const auto said = outcomes(3, [](Exec exec, int rank) {
    Stop stop;
    if (rank == 1) exec.progress = &stop;
    return agree(exec, [&] {
      for_each(10, exec, [](Index) {});
      return std::to_string(count_rows({.threads = 1, .comm = exec.comm}));
    });
  });
  CHECK(said == all_say(3, "interrupted"));
}

TEST_CASE("what one rank throws in a part, all ranks catch around the part, and go on") {
  const auto said = outcomes(3, [](const Exec& exec, int rank) {
    return agree(exec, [&] {
      try {
        agree(exec, [&] {
          if (rank == 1) fail("part");
          count_rows(exec);
        });
      } catch (const std::runtime_error& error) {
        CHECK(std::string(error.what()) == "part");
        return "caught, " + std::to_string(static_cast<Index>(count_rows(exec)));
      }
      return std::string("nothing caught");
    });
  });
  CHECK(said == all_say(3, "caught, " + std::to_string(kRows)));
}

TEST_CASE("who catches the failure of a rank that has left meets it again, until all leave") {
  const auto said = outcomes(3, [](const Exec& exec, int rank) {
    return agree(exec, [&] {
      if (rank == 2) fail("left");
      for (int attempt = 0; attempt < 5; ++attempt) {  // as starts of which the best is kept
        try {
          // Rank 0 is at a fold, rank 1 at an end.
          agree(exec, [&] {
            if (rank == 0) count_rows(exec);
          });
        } catch (const std::runtime_error&) {
        }
      }
      return std::string("fine");
    });
  });
  CHECK(said == all_say(3, "left"));
}

TEST_CASE("ranks whose programs part ways say so, and do not wait") {
  const auto more_folds = outcomes(2, [](const Exec& exec, int rank) {
    return agree(exec, [&] {
      for (int i = 0; i <= rank; ++i) count_rows(exec);
      return std::string("fine");
    });
  });
  CHECK(more_folds == all_say(2, kParted));
  const auto other_folds = outcomes(2, [](const Exec& exec, int rank) {
    return std::to_string(count_rows(exec, {.padding = rank}));
  });
  CHECK(other_folds == all_say(2, kParted));
}

TEST_CASE("statistics that one rank cannot merge end all ranks") {
  for (int failing = 0; failing < 4; failing += 2) {  // those that take in a neighbour's
    const auto said = outcomes(4, [&](const Exec& exec, int rank) {
      const Sum empty{.kind = Merge::kExact, .cannot_merge = rank == failing};
      return std::to_string(count_rows(exec, empty));
    });
    CHECK(said == all_say(4, "no memory"));
  }
}

TEST_CASE("after a failure that all have thrown, the same ranks fit again") {
  const auto said = outcomes(3, [](const Exec& exec, int rank) {
    for (int i = 0; i < 3; ++i) {
      try {
        agree(exec, [&] {
          if (rank == i) fail("once");
          count_rows(exec);
        });
        FAIL("no error");
      } catch (const std::runtime_error&) {
      }
    }
    return std::to_string(static_cast<Index>(agree(exec, [&] { return count_rows(exec); })));
  });
  CHECK(said == all_say(3, std::to_string(kRows)));
}

}  // namespace craton::agree_test
