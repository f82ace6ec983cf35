#include "cli/showing/progress.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>

#include "cli/showing/output.h"
#include "cli/verbs.h"
#include "craton/base/error.h"
#include "craton/draw/text.h"

namespace craton::cli {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kPatience{1000}, kRefresh{100};    // of the bar
constexpr milliseconds kFirstLine{10000}, kLines{10000};  // without a terminal, unasked
constexpr milliseconds kFirstAsked{1000}, kAsked{2000};   // --progress plain, json
constexpr milliseconds kGrace{150};                       // from Ctrl-C to giving up on the model
constexpr const char* kClearLine = "\r\x1b[K";

// What the signal handlers touch.
volatile std::sig_atomic_t interrupted = 0, working = 0, on_terminal = 0;

template <std::size_t N>
void write_now(const char (&text)[N]) {
  if (::write(2, text, N - 1) < 0) return;  // nobody is left to tell
}

extern "C" void give_up(int) {
  if (working == 0) return;  // results are being written: those are kept whole
  if (on_terminal != 0) write_now("\r\x1b[K");
  write_now("craton: interrupted: nothing was saved\n");
  ::_exit(kInterrupted);
}

extern "C" void note_interrupt(int) {
  interrupted = 1;
  itimerval timer{};
  timer.it_value.tv_usec = std::chrono::microseconds(kGrace).count();
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

void handle(int signal, void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags | SA_RESTART;
  ::sigaction(signal, &action, nullptr);
}

ProgressStyle style_of(const Command& command) {
  // Quiet means quiet, unless progress is asked for.
  if (command.progress == ProgressStyle::kAuto && command.quiet) return ProgressStyle::kOff;
  return command.progress;
}

std::string duration(double seconds) {
  const Index s = static_cast<Index>(std::ceil(seconds));
  if (s < 100) return fmt::format("{} s", s);
  if (s < 100 * 60) return fmt::format("{} min", (s + 30) / 60);
  return s < 100 * 3600 ? fmt::format("{} h", (s + 1800) / 3600) : "days";
}

std::string shown_bytes(Index bytes) {
  const double b = static_cast<double>(bytes);
  if (b < 1e6) return fmt::format("{:.0f} kB", b / 1e3);
  return b < 1e9 ? fmt::format("{:.0f} MB", b / 1e6) : fmt::format("{:.2f} GB", b / 1e9);
}

Index terminal_width() {
  constexpr Index kUsual = 80;
  winsize size{};
  return ::ioctl(2, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

}  // namespace

ConsoleProgress::ConsoleProgress(const Command& command)
    : style_(style_of(command)), begin_(Clock::now()) {
  on_terminal = ::isatty(2);
  if (style_ == ProgressStyle::kAuto) {
    next_ = begin_ + (on_terminal != 0 ? kPatience : kFirstLine);
  } else {
    next_ = begin_ + kFirstAsked;
  }
  interrupted = 0;
  working = 1;
  handle(SIGALRM, give_up, 0);
  handle(SIGINT, note_interrupt, static_cast<int>(SA_RESETHAND));
}

ConsoleProgress::~ConsoleProgress() {
  working = 0;
  if (visible_) say(kClearLine);
  std::signal(SIGINT, SIG_DFL);
}

void ConsoleProgress::task(Index number, Index of, std::string what) {
  task_ = number;
  tasks_ = of;
  start_ = 0;
  starts_ = 1;
  iteration_ = -1;
  what_ = std::move(what);
}

void ConsoleProgress::start(Index number, Index of) {
  start_ = number;
  starts_ = of;
  iteration_ = std::min<Index>(iteration_, 0);  // the objective stays that of the start before
}

void ConsoleProgress::bytes(Index done, Index total) {
  bytes_ = done;
  all_bytes_ = total;
  show();
}

void ConsoleProgress::start_passes(Index rows) {
  bytes_ = -1;
  all_rows_ = rows;
  part_ = 0;
}

void ConsoleProgress::rows(Index done, Index total) {
  if (all_rows_ < 0) return;  // a look at the data before the work
  part_ = done;
  parts_ = total;
  show();
}

void ConsoleProgress::iteration(Index done, Index at_most, double objective) {
  iteration_ = done;
  at_most_ = at_most;
  objective_ = objective;
  part_ = 0;
  show();
}

bool ConsoleProgress::keep_going() { return interrupted == 0; }

void ConsoleProgress::hide() {
  if (visible_) say(kClearLine);
  visible_ = false;
}

void ConsoleProgress::finish() {
  hide();
  working = 0;
  if (!keep_going()) throw Interrupted();
}

void ConsoleProgress::show() {
  if (style_ == ProgressStyle::kOff) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  const bool is_bar = style_ == ProgressStyle::kAuto && on_terminal != 0;
  next_ = now + (is_bar ? kRefresh : style_ == ProgressStyle::kAuto ? kLines : kAsked);
  if (is_bar) {
    const std::string text = shorten(bar(seconds), std::max<Index>(1, terminal_width() - 1));
    say(fmt::format("{}{}", kClearLine, text));
    visible_ = true;
  } else {
    say((style_ == ProgressStyle::kJson ? json(seconds) : "craton: progress: " + line(seconds)) +
        "\n");
  }
}

// Every fit may take all its iterations, so that this is a lower bound, and the time left an upper.
double ConsoleProgress::share() const {
  if (bytes_ >= 0) {
    return all_bytes_ > 0
               ? std::min(1.0, static_cast<double>(bytes_) / static_cast<double>(all_bytes_))
               : 0;
  }
  const double pass = parts_ > 0 ? static_cast<double>(part_) / static_cast<double>(parts_) : 0;
  double inner = pass;
  if (at_most_ > 0) {
    inner = (static_cast<double>(std::max<Index>(0, iteration_)) + pass) /
            static_cast<double>(at_most_ + 1);
  }
  const double starts = static_cast<double>(starts_), tasks = static_cast<double>(tasks_);
  inner = (static_cast<double>(start_) + std::min(inner, 1.0)) / starts;
  return std::clamp((static_cast<double>(task_) + inner) / tasks, 0.0, 1.0);
}

// requires share() > 0
std::string ConsoleProgress::time_left(double seconds) const {
  return duration(seconds * (1 - share()) / share());
}

Index ConsoleProgress::rows_done() const {
  return static_cast<Index>(static_cast<double>(all_rows_) * static_cast<double>(part_) /
                            static_cast<double>(parts_));
}

std::string ConsoleProgress::reading() const {
  const std::string done = "read " + shown_bytes(bytes_);
  return all_bytes_ > 0 ? done + " of " + shown_bytes(all_bytes_) : done;
}

std::string ConsoleProgress::line(double seconds) const {
  std::vector<std::string> parts;
  if (bytes_ >= 0) parts.push_back(reading());
  if (tasks_ > 1) parts.push_back(fmt::format("fit {} of {}: {}", task_ + 1, tasks_, what_));
  if (starts_ > 1) parts.push_back(fmt::format("start {} of {}", start_ + 1, starts_));
  if (iteration_ >= 0) {
    parts.push_back(fmt::format("iteration {} of at most {}", iteration_, at_most_));
    parts.push_back(fmt::format("objective {:.6g}", objective_));
  }
  if (parts_ > 0) {
    parts.push_back(
        fmt::format("rows {} of {}", grouped_digits(rows_done()), grouped_digits(all_rows_)));
  }
  if (share() > 0) parts.push_back(fmt::format("at most {} left", time_left(seconds)));
  return join(parts, "  ");
}

// What matters most comes first: a narrow terminal cuts the end off.
std::string ConsoleProgress::bar(double seconds) const {
  constexpr int kWidth = 10;
  const int full = static_cast<int>(share() * kWidth);
  std::vector<std::string> parts{"[" + std::string(static_cast<std::size_t>(full), '=') +
                                 std::string(static_cast<std::size_t>(kWidth - full), ' ') + "]"};
  if (share() > 0) parts.push_back(fmt::format("<{} left", time_left(seconds)));
  if (bytes_ >= 0) parts.push_back(reading());
  if (tasks_ > 1) parts.push_back(fmt::format("fit {}/{}", task_ + 1, tasks_));
  if (starts_ > 1) parts.push_back(fmt::format("start {}/{}", start_ + 1, starts_));
  if (iteration_ >= 0) {
    parts.push_back(fmt::format("iteration {}/{}", iteration_, at_most_));
    parts.push_back(fmt::format("objective {:.6g}", objective_));
  }
  if (parts_ > 0) {
    parts.push_back(
        fmt::format("rows {}/{}", grouped_digits(rows_done()), grouped_digits(all_rows_)));
  }
  return join(parts, " ");
}

std::string ConsoleProgress::json(double seconds) const {
  Json json = Json::object({{"event", "progress"},
                            {"seconds", std::round(seconds * 1000) / 1000},
                            {"share", std::round(share() * 1e4) / 1e4},
                            {"fit", task_ + 1},
                            {"fits", tasks_},
                            {"start", start_ + 1},
                            {"starts", starts_}});
  if (bytes_ >= 0) {
    json.set("bytes", bytes_);
    json.set("all_bytes", all_bytes_ > 0 ? Json(all_bytes_) : Json());
  }
  if (parts_ > 0) {
    json.set("rows", rows_done());
    json.set("all_rows", all_rows_);
  }
  if (iteration_ >= 0) {
    json.set("iteration", iteration_);
    json.set("max_iter", at_most_);
    json.set("objective", objective_);
  }
  return write_json(json);
}

}  // namespace craton::cli
