#include "tests/campaign/watch.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <stdexcept>

namespace craton::campaign {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point then) {
  return std::chrono::duration<double>(Clock::now() - then).count();
}

// What a worker is at, in memory that outlives it.
struct Board {
  std::atomic<std::int64_t> run, asked, refused, slowest_run;
  std::atomic<double> slowest;
  char verb[80], slowest_verb[80];
};

Board* new_board() {
  void* memory =
      mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error("no shared memory");
  return new (memory) Board{};
}

void write_word(char (&out)[80], std::string_view text) {
  const std::size_t size = std::min(text.size(), sizeof(out) - 1);
  std::memcpy(out, text.data(), size);
  out[size] = 0;
}

// One line for each fault: run, verb, what.
class Worker final : public Listener {
 public:
  Worker(Board& board, int pipe) : board_(&board), pipe_(pipe) {}

  void begin(std::string_view verb) override {
    end();
    write_word(board_->verb, verb);
    ++board_->asked;
    since_ = Clock::now();
  }
  void end() {
    const double took = seconds_since(since_);
    if (took <= board_->slowest) return;
    board_->slowest = took;
    board_->slowest_run = board_->run.load();
    write_word(board_->slowest_verb, board_->verb);
  }
  void refused() override { ++board_->refused; }
  void fault(const std::string& what) override {
    std::string line = fmt::format("{}\t{}\t{}", board_->run.load(), board_->verb, what);
    for (char& c : line) c = c == '\n' ? ' ' : c;
    line.resize(std::min<std::size_t>(line.size(), 2000));  // written whole
    line += '\n';
    if (::write(pipe_, line.data(), line.size()) < 0) _exit(3);
  }

 private:
  Board* board_;
  int pipe_;
  Clock::time_point since_ = Clock::now();
};

// A table of fifty rows needs little: more is a bug. Sanitizers reserve terabytes for themselves.
void limit_memory() {
#if !defined(__SANITIZE_ADDRESS__)
  const rlimit most{rlim_t{2} << 30, rlim_t{2} << 30};
  setrlimit(RLIMIT_AS, &most);
#endif
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
}

struct Job {
  Board* board = nullptr;
  std::int64_t next = 0, asked = -1;
  pid_t pid = -1;
  int pipe = -1;
  std::string text = {};
  bool hung = false;  // and was killed for it
  Clock::time_point moved = {};
};

void take_lines(Job& job, Outcome& outcome) {
  std::size_t end = 0;
  while ((end = job.text.find('\n')) != std::string::npos) {
    const std::string line = job.text.substr(0, end);
    job.text.erase(0, end + 1);
    const std::size_t a = line.find('\t'), b = line.find('\t', a + 1);
    if (b == std::string::npos) continue;
    outcome.faults.push_back(
        {std::stoll(line.substr(0, a)), line.substr(a + 1, b - a - 1), line.substr(b + 1)});
  }
}

}  // namespace

Outcome watch(std::int64_t count, const Patience& patience,
              FunctionRef<void(std::int64_t, Listener&)> do_run) {
  Outcome outcome;
  std::vector<Job> jobs(usize(patience.jobs));
  const auto start = [&](Job& job) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    job.asked = -1;
    job.hung = false;
    job.moved = Clock::now();
    job.pid = fork();
    if (job.pid < 0) throw std::runtime_error("no process");
    if (job.pid == 0) {
      close(ends[0]);
      limit_memory();
      Worker worker(*job.board, ends[1]);
      for (std::int64_t i = job.next; i < count; i += patience.jobs) {
        job.board->run = i;
        write_word(job.board->verb, "start");
        do_run(i, worker);
        worker.end();
      }
      job.board->run = count;
      _exit(0);
    }
    close(ends[1]);
    job.pipe = ends[0];
  };
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    jobs[j].board = new_board();
    jobs[j].next = static_cast<std::int64_t>(j);
    start(jobs[j]);
  }
  for (std::size_t running = jobs.size(); running > 0;) {
    running = 0;
    for (Job& job : jobs) {
      if (job.pid < 0) continue;
      pollfd ready{job.pipe, POLLIN, 0};
      if (poll(&ready, 1, 50) > 0) {
        char buffer[4096];
        const ssize_t size = ::read(job.pipe, buffer, sizeof(buffer));
        if (size > 0) {
          job.text.append(buffer, usize(size));
          take_lines(job, outcome);
          ++running;
          continue;
        }
        int status = 0;
        waitpid(job.pid, &status, 0);
        close(job.pipe);
        job.pid = -1;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
        const std::int64_t at = job.board->run;
        const std::string how = job.hung ? "a hang"
                                : WIFSIGNALED(status)
                                    ? fmt::format("killed by signal {}", WTERMSIG(status))
                                    : fmt::format("the process ended with {}", WEXITSTATUS(status));
        outcome.faults.push_back({at, job.board->verb, how});
        job.next = at + patience.jobs;
        if (job.next < count) start(job), ++running;
        continue;
      }
      if (job.board->asked != job.asked) {
        job.asked = job.board->asked;
        job.moved = Clock::now();
      } else if (seconds_since(job.moved) > patience.seconds) {
        job.hung = true;
        kill(job.pid, SIGKILL);
        job.moved = Clock::now();
      }
      ++running;
    }
  }
  for (const Job& job : jobs) {
    outcome.asked += job.board->asked;
    outcome.refused += job.board->refused;
    if (job.board->slowest > outcome.slowest) {
      outcome.slowest = job.board->slowest;
      outcome.slowest_verb = job.board->slowest_verb;
      outcome.slowest_run = job.board->slowest_run;
    }
    munmap(job.board, sizeof(Board));
  }
  outcome.runs = count;
  return outcome;
}

}  // namespace craton::campaign
