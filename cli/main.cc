#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <csignal>
#include <new>

#include "cli/parsing/parse.h"
#include "cli/showing/output.h"
#include "cli/showing/wording.h"
#include "cli/verbs.h"
#include "craton/base/error.h"

namespace craton::cli {
namespace {

std::string error_of(Code code) { return fmt::format("error [{}]", info(code).id); }

// The one place where errors become messages and exit codes.
int run_safely(std::span<const std::string> words) {
  Command command;
  try {
    command = parse(words);
    if (command.verb != nullptr) return command.verb->run(command);
    print(command.text);
    return kOk;
  } catch (const InputError& error) {
    complain(error_of(error.code()), error.in(ShellWording(command)));
    return static_cast<int>(error.kind());
  } catch (const Interrupted&) {
    complain("interrupted", "nothing was saved");
    return kInterrupted;
  } catch (const std::bad_alloc&) {
    const CodeInfo& entry = info(Code::kOutOfMemory);
    complain(error_of(entry.code), fmt::format("not enough memory\n  {}", entry.fix.plain()));
    return static_cast<int>(entry.kind);
  } catch (const std::exception& error) {
    complain("internal error", error.what());
    return kInternal;
  }
}

// A standard stream that is closed would lend its number to the next file that is opened, which
// would then get our messages. /dev/null the wrong way round keeps the number, and the errors.
void hold_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) >= 0) continue;
    (void)!::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace
}  // namespace craton::cli

int main(int argc, char** argv) {
  craton::cli::hold_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // a limit of the size of files is an error like a full disk
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  return craton::cli::run_safely(words);
}
