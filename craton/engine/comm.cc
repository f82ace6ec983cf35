#include "craton/engine/comm.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace craton {

std::vector<Bytes> SingleComm::allgather(std::span<const std::byte> mine) {
  return {Bytes(mine.begin(), mine.end())};
}

namespace {

struct PeerFailed : std::runtime_error {
  PeerFailed() : std::runtime_error("another rank failed") {}
};

// A meeting place: the last rank to arrive publishes what all brought, and a new round begins.
class Exchange {
 public:
  explicit Exchange(int size) : size_(size), brought_(static_cast<std::size_t>(size)) {}

  std::vector<Bytes> meet(int rank, std::span<const std::byte> mine) {
    std::unique_lock lock(mutex_);
    if (failed_) throw PeerFailed();
    brought_[static_cast<std::size_t>(rank)].assign(mine.begin(), mine.end());
    const int round = round_;
    if (++arrived_ == size_) {
      published_ = brought_;
      arrived_ = 0;
      ++round_;
      changed_.notify_all();
    } else {
      changed_.wait(lock, [&] { return failed_ || round_ != round; });
      if (round_ == round) throw PeerFailed();
    }
    return published_;
  }

  void fail() {
    const std::lock_guard lock(mutex_);
    failed_ = true;
    changed_.notify_all();
  }

 private:
  const int size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Bytes> brought_, published_;
  int arrived_ = 0, round_ = 0;
  bool failed_ = false;
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

 private:
  Exchange& exchange_;
  int rank_, size_;
};

}  // namespace

void run_in_process_ranks(int size, FunctionRef<void(Comm&)> f) {
  Exchange exchange(size);
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(size));
  std::exception_ptr peer_failed;
  std::mutex mutex;
  {
    std::vector<std::jthread> ranks;
    for (int rank = 0; rank < size; ++rank) {
      ranks.emplace_back([&, rank] {
        InProcessComm comm(exchange, rank, size);
        try {
          f(comm);
        } catch (const PeerFailed&) {
          const std::lock_guard lock(mutex);
          peer_failed = std::current_exception();
        } catch (...) {
          errors[static_cast<std::size_t>(rank)] = std::current_exception();
          exchange.fail();
        }
      });
    }
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  if (peer_failed) std::rethrow_exception(peer_failed);
}

}  // namespace craton
