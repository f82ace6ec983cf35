#include "cli/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <csignal>

#include "craton/core/error.h"

namespace craton::cli {
namespace {

constexpr std::chrono::seconds kPatience{1};
constexpr std::chrono::milliseconds kRefresh{100};
constexpr const char* kClearLine = "\r\x1b[K";

volatile std::sig_atomic_t interrupted = 0;  // the one thing a signal handler may touch

extern "C" void note_interrupt(int) { interrupted = 1; }

}  // namespace

ConsoleProgress::ConsoleProgress()
    : start_(std::chrono::steady_clock::now()), shown_(start_), terminal_(::isatty(2) != 0) {
  interrupted = 0;
  struct sigaction action {};
  action.sa_handler = note_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  ::sigaction(SIGINT, &action, nullptr);
}

ConsoleProgress::~ConsoleProgress() {
  if (visible_) fmt::print(stderr, "{}", kClearLine);
  std::signal(SIGINT, SIG_DFL);
}

void ConsoleProgress::iteration(Index done, Index at_most, double objective) {
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ || now - start_ < kPatience || now - shown_ < kRefresh) return;
  fmt::print(stderr, "{}{}pass {} of at most {}  objective {:.6g}", kClearLine, what_, done,
             at_most, objective);
  std::fflush(stderr);
  shown_ = now;
  visible_ = true;
}

void ConsoleProgress::finish() {
  if (visible_) fmt::print(stderr, "{}", kClearLine);
  visible_ = false;
  if (!keep_going()) throw Interrupted();
}

bool ConsoleProgress::keep_going() { return interrupted == 0; }

}  // namespace craton::cli
