#include "craton/engine/comm.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

namespace craton {

Bytes Comm::reduce(Bytes mine, MergeBytes merge) {
  std::vector<Bytes> all = allgather(mine);
  for (std::size_t rank = 1; rank < all.size(); ++rank) merge(all[0], all[rank]);
  return std::move(all[0]);
}

namespace {

struct PeerEnded : std::runtime_error {
  PeerEnded() : std::runtime_error("another rank has ended") {}
};

// A meeting place: the last rank to arrive publishes what all brought, and a new round begins.
class Exchange {
 public:
  explicit Exchange(int size)
      : size_(size),
        brought_(static_cast<std::size_t>(size)),
        published_(static_cast<std::size_t>(size)),
        handed_over_(static_cast<std::size_t>(size)) {}

  std::vector<Bytes> meet(int rank, std::span<const std::byte> mine) {
    std::unique_lock lock(mutex_);
    if (ended_) throw PeerEnded();
    brought_[static_cast<std::size_t>(rank)].assign(mine.begin(), mine.end());
    const int round = round_;
    if (++arrived_ == size_) {
      std::swap(published_, brought_);  // nobody is still reading: all have arrived
      arrived_ = 0;
      ++round_;
      changed_.notify_all();
    } else {
      changed_.wait(lock, [&] { return ended_ || round_ != round; });
      if (round_ == round) throw PeerEnded();
    }
    return published_;
  }

  // From one rank to the one that asks for it.
  void hand_over(int from, Bytes bytes) {
    const std::lock_guard lock(mutex_);
    handed_over_[static_cast<std::size_t>(from)] = std::move(bytes);
    changed_.notify_all();
  }
  Bytes take_over(int from) {
    std::unique_lock lock(mutex_);
    std::optional<Bytes>& there = handed_over_[static_cast<std::size_t>(from)];
    changed_.wait(lock, [&] { return ended_ || there; });
    if (!there) throw PeerEnded();
    return *std::exchange(there, std::nullopt);
  }

  void end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }

 private:
  const int size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Bytes> brought_, published_;
  std::vector<std::optional<Bytes>> handed_over_;  // by rank
  int arrived_ = 0, round_ = 0;
  bool ended_ = false;
};

class InProcessComm final : public Comm {
 public:
  InProcessComm(Exchange& exchange, int rank, int size)
      : exchange_(exchange), rank_(rank), size_(size) {}
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::vector<Bytes> allgather(std::span<const std::byte> mine) override {
    return exchange_.meet(rank_, mine);
  }
  // Neighbours merge, then neighbours of those: log2(size) steps, and one result to send round.
  Bytes reduce(Bytes mine, MergeBytes merge) override {
    for (int step = 1; step < size_; step *= 2) {
      if (rank_ % (2 * step) != 0) {
        exchange_.hand_over(rank_, std::exchange(mine, {}));
        break;
      }
      if (rank_ + step < size_) merge(mine, exchange_.take_over(rank_ + step));
    }
    return std::move(exchange_.meet(rank_, mine)[0]);
  }

 private:
  Exchange& exchange_;
  int rank_, size_;
};

}  // namespace

void run_in_process_ranks(int size, FunctionRef<void(Comm&)> f) {
  Exchange exchange(size);
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(size));
  std::exception_ptr peer_ended;
  std::mutex mutex;
  {
    std::vector<std::jthread> ranks;
    for (int rank = 0; rank < size; ++rank) {
      ranks.emplace_back([&, rank] {
        InProcessComm comm(exchange, rank, size);
        try {
          f(comm);
        } catch (const PeerEnded&) {
          const std::lock_guard lock(mutex);
          peer_ended = std::current_exception();
        } catch (...) {
          errors[static_cast<std::size_t>(rank)] = std::current_exception();
        }
        exchange.end();
      });
    }
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  if (peer_ended) std::rethrow_exception(peer_ended);
}

}  // namespace craton
