#pragma once
#include <chrono>
#include <string>

#include "cli/parsing/command.h"
#include "craton/engine/exec.h"

namespace craton::cli {

// Shows on stderr how work goes that lasts: a bar on a terminal after a second; otherwise lines,
// plain or JSON, every few seconds. And stops the work on Ctrl-C: a model that does not get to look
// within kGrace is not waited for, as nothing is written before finish(). A second Ctrl-C ends the
// program at once. One at a time: it owns the handlers of SIGINT and SIGALRM while it lives.
class ConsoleProgress final : public Progress {
 public:
  explicit ConsoleProgress(const Command& command);
  ~ConsoleProgress() override;
  ConsoleProgress(const ConsoleProgress&) = delete;
  ConsoleProgress& operator=(const ConsoleProgress&) = delete;

  void start_passes(Index rows);  // the data are read: from here on, passes over so many rows
  void hide();                    // before something else is written to the terminal
  void task(Index number, Index of, std::string what);  // one fit of several, from 0

  void start(Index number, Index of) override;
  void bytes(Index done, Index total) override;
  void rows(Index done, Index total) override;
  void iteration(Index done, Index at_most, double objective) override;
  bool keep_going() override;
  void finish();  // clears the line; throws Interrupted if Ctrl-C came too late for the work

 private:
  using Clock = std::chrono::steady_clock;

  void show();
  double share() const;  // of the work at most ahead, as far as is known: in [0, 1]
  Index rows_done() const;
  std::string reading() const;
  std::string time_left(double seconds) const;  // at most
  std::string bar(double seconds) const;
  std::string line(double seconds) const;
  std::string json(double seconds) const;

  ProgressStyle style_;
  Clock::time_point begin_, next_;
  Index bytes_ = -1, all_bytes_ = -1;  // of the file, while it is read
  Index all_rows_ = -1;
  Index task_ = 0, tasks_ = 1, start_ = 0, starts_ = 1;
  std::string what_ = {};
  Index part_ = 0, parts_ = 0;  // of a pass
  Index iteration_ = -1, at_most_ = 0;
  double objective_ = 0;
  bool visible_ = false;
};

}  // namespace craton::cli
