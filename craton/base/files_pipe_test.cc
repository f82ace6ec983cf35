#include <doctest/doctest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>

#include <thread>

#include "craton/base/files.h"
#include "tests/folder.h"

namespace craton {
namespace {

std::string text_of(const std::string& path) {
  const Bytes bytes = read_file(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Signals 10 000 times a second, without SA_RESTART: system calls return early, in this thread.
class Signals {
 public:
  Signals() {
    struct sigaction ignore {};
    ignore.sa_handler = [](int) {};
    ::sigaction(SIGALRM, &ignore, &before_);
    ::pthread_sigmask(SIG_UNBLOCK, &alarm(), nullptr);
    const itimerval often{{0, 100}, {0, 100}};
    ::setitimer(ITIMER_REAL, &often, nullptr);
  }
  ~Signals() {
    const itimerval never{};
    ::setitimer(ITIMER_REAL, &never, nullptr);
    ::sigaction(SIGALRM, &before_, nullptr);
  }
  // Threads made after this inherit it.
  static void block() { ::pthread_sigmask(SIG_BLOCK, &alarm(), nullptr); }

 private:
  static const sigset_t& alarm() {
    static const sigset_t set = [] {
      sigset_t one;
      sigemptyset(&one);
      sigaddset(&one, SIGALRM);
      return one;
    }();
    return set;
  }
  struct sigaction before_ {};
};

TEST_CASE("a pipe gets and gives every byte though signals interrupt it") {
  const Folder folder;
  const std::string path = folder / "pipe";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  const std::string text(3000000, 'p');
  for (const bool reads : {false, true}) {
    std::string got;
    const auto read = [&] { got = text_of(path); };
    const auto write = [&] { write_file(path, text); };
    Signals::block();
    std::thread other = reads ? std::thread(write) : std::thread(read);
    {
      const Signals signals;
      reads ? read() : write();
    }
    other.join();
    CHECK(got == text);
  }
  CHECK(std::filesystem::is_fifo(path));
}

}  // namespace
}  // namespace craton
