#include <fmt/core.h>

#include <cstdio>
#include <memory>

#include "cli/showing/output.h"
#include "cli/verbs.h"
#include "craton/base/version.h"
#include "craton/engine/exec.h"
#include "craton/io/formats.h"
#include "craton/kernels/algebra/linalg.h"
#include "craton/kernels/dispatch.h"

// What a bug report should say, and what decides the last bits of a result.

namespace craton::cli {
namespace {

// Where python3 finds the package; "" if it does not. Nothing of it is run for that, and nothing
// that lies in the working folder.
std::string python_package() {
  constexpr const char* kAsk =
      "python3 -c 'import sys; sys.path[:] = filter(None, sys.path); import importlib.util as u;"
      " s = u.find_spec(\"craton\"); print(s and s.origin or \"\")' 2>/dev/null </dev/null";
  struct Close {
    void operator()(std::FILE* pipe) const { ::pclose(pipe); }
  };
  const std::unique_ptr<std::FILE, Close> pipe(::popen(kAsk, "r"));
  std::string answer;
  for (int c; pipe && (c = std::fgetc(pipe.get())) != EOF && c != '\n';) {
    answer.push_back(static_cast<char>(c));
  }
  return answer;
}

std::vector<std::string> format_names(bool written) {
  std::vector<std::string> names;
  for (const Format& format : formats()) {
    if (!written || format.write != nullptr) names.emplace_back(format.name);
  }
  return names;
}

int run_doctor(const Command& command) {
  const int threads = worker_count({});
  const std::string python = python_package();
  if (command.json) {
    print_json(Json::object({{"version", version()},
                             {"target", dispatch_target()},
                             {"kernels", cpu_target()},
                             {"threads", threads},
                             {"linear_algebra", linear_algebra()},
                             {"reads", format_names(false)},
                             {"writes", format_names(true)},
                             {"unpacks", std::vector<std::string>{"gzip", "zstd"}},
                             {"python", python.empty() ? Json() : Json(python)}}));
    return kOk;
  }
  print(field("version", fmt::format("craton {}", version())) +
        field("built for", dispatch_target()) +
        field("kernels", fmt::format("{} (results repeat to the bit on the same)", cpu_target())) +
        field("threads", fmt::format("{}; --threads N for fewer", threads)) +
        field("algebra", linear_algebra() + "; matrix products are craton's own: no BLAS is used") +
        field("reads", join(format_names(false)) + "; also packed with gzip or zstd") +
        field("writes", join(format_names(true))) +
        field("python", python.empty() ? "python3 does not find the package craton" : python));
  return kOk;
}

}  // namespace

extern constinit const Verb kDoctor{
    .name = "doctor",
    .help = "Say what this craton is made of and what it runs on.",
    .example = "craton doctor",
    .add = [](Flags&) {},
    .run = run_doctor,
};

}  // namespace craton::cli
