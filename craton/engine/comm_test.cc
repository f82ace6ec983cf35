#include "craton/engine/comm.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <string>

using namespace craton;

namespace {

Bytes bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

// Letters in order, so that neither who merges first nor with whom shows.
constexpr auto kMergeLetters = [](Bytes& into, std::span<const std::byte> later) {
  into.insert(into.end(), later.begin(), later.end());
  std::sort(into.begin(), into.end());
};

// A Comm that has allgather only.
class Plain final : public Comm {
 public:
  explicit Plain(Comm& comm) : comm_(comm) {}
  int rank() const override { return comm_.rank(); }
  int size() const override { return comm_.size(); }
  std::vector<Bytes> allgather(std::span<const std::byte> mine) override {
    return comm_.allgather(mine);
  }

 private:
  Comm& comm_;
};

}  // namespace

TEST_CASE("allgather brings what every rank has, in the order of ranks, again and again") {
  run_in_process_ranks(4, [](Comm& comm) {
    for (int round = 0; round < 100; ++round) {
      const std::string mine(static_cast<std::size_t>((comm.rank() * 7 + round) % 5), 'a');
      const std::vector<Bytes> all = comm.allgather(bytes_of(mine));
      CHECK(all.size() == 4);
      for (int rank = 0; rank < 4; ++rank) {
        CHECK(all[static_cast<std::size_t>(rank)].size() ==
              static_cast<std::size_t>((rank * 7 + round) % 5));
      }
    }
  });
}

TEST_CASE("reduce merges the bytes of all ranks, on every rank") {
  for (int size = 1; size <= 9; ++size) {
    std::string expected(static_cast<std::size_t>(size), 'a');
    std::iota(expected.begin(), expected.end(), 'a');
    run_in_process_ranks(size, [&](Comm& comm) {
      Plain plain(comm);
      for (int round = 0; round < 20; ++round) {
        const std::string mine(1, static_cast<char>('a' + comm.rank()));
        CHECK(comm.reduce(bytes_of(mine), kMergeLetters) == bytes_of(expected));
        CHECK(plain.reduce(bytes_of(mine), kMergeLetters) == bytes_of(expected));
      }
    });
  }
}

TEST_CASE("ranks in one process share the merging: one merge less than there are ranks") {
  std::atomic<int> merges = 0;
  run_in_process_ranks(6, [&](Comm& comm) {
    comm.reduce(bytes_of("x"), [&](Bytes& into, std::span<const std::byte> later) {
      ++merges;
      kMergeLetters(into, later);
    });
  });
  CHECK(merges == 5);
}

TEST_CASE("when a rank fails by itself the others do not wait for ever") {
  const auto meet = [](Comm& comm, int failing) {
    if (comm.rank() == failing) throw std::runtime_error("mine");
    if (failing == 2) comm.allgather({});
    if (failing == 1) comm.reduce({}, kMergeLetters);
  };
  for (const int failing : {1, 2}) {
    CHECK_THROWS_WITH(run_in_process_ranks(3, [&](Comm& comm) { meet(comm, failing); }), "mine");
  }
}

TEST_CASE("nor for one that has returned") {
  CHECK_THROWS_WITH(run_in_process_ranks(3,
                                         [](Comm& comm) {
                                           if (comm.rank() > 0) comm.allgather({});
                                         }),
                    "another rank has ended");
}
