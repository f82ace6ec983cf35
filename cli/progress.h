#pragma once
#include <chrono>
#include <string>

#include "craton/core/exec.h"

namespace craton::cli {

// Shows how a fit goes on a terminal, once it has lasted a second; and stops it on Ctrl-C. A second
// Ctrl-C ends the program at once. One at a time: it owns the SIGINT handler while it lives.
class ConsoleProgress final : public Progress {
 public:
  ConsoleProgress();
  ~ConsoleProgress() override;
  ConsoleProgress(const ConsoleProgress&) = delete;
  ConsoleProgress& operator=(const ConsoleProgress&) = delete;

  void say(std::string what) { what_ = std::move(what); }  // put before what the fit reports

  void iteration(Index done, Index at_most, double objective) override;
  bool keep_going() override;
  void finish();  // clears the line; throws Interrupted if Ctrl-C came too late for the fit

 private:
  std::chrono::steady_clock::time_point start_, shown_;
  std::string what_;
  bool terminal_;
  bool visible_ = false;
};

}  // namespace craton::cli
