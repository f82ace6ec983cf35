#include "cli/parsing/check.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <cstdlib>
#include <memory>

#include "cli/showing/output.h"
#include "cli/verbs.h"
#include "craton/base/error.h"
#include "craton/model/registry.h"

namespace craton::cli {
namespace {

struct NamedFile {
  std::string what, path;
};

// Without links, "." and ".."; a file that is not there yet is looked for by its folder.
std::string canonical(const std::string& path) {
  using Text = std::unique_ptr<char, decltype(&std::free)>;
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == path.npos ? "." : path.substr(0, slash + 1);
  const Text whole(::realpath(path.c_str(), nullptr), &std::free);
  if (whole) return whole.get();
  const Text parent(::realpath(folder.c_str(), nullptr), &std::free);
  return (parent ? std::string(parent.get()) : folder) + "/" + base_name(path);
}

// Pipes, terminals and /dev/null may serve several purposes; regular files may not.
bool same_file(const std::string& a, const std::string& b) {
  struct stat first {
  }, second{};
  const bool has_a = ::stat(a.c_str(), &first) == 0, has_b = ::stat(b.c_str(), &second) == 0;
  if ((has_a && !S_ISREG(first.st_mode)) || (has_b && !S_ISREG(second.st_mode))) return false;
  if (has_a && has_b) return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
  return canonical(a) == canonical(b);
}

// Is command.model a model for sure, and its options what was typed?
bool names_model(const Command& command) {
  return command.verb != nullptr && command.verb->takes != nullptr;
}

std::vector<NamedFile> inputs_of(const Command& command) {
  std::vector<NamedFile> files{{"the data", command.data},
                               {"the model", command.model_file},
                               {"the model to start from", command.warm_start}};
  for (const std::string& file : command.model_files) files.push_back({"a model", file});
  if (!names_model(command)) return files;
  for (const Option& option : all_options(find_model(command.model))) {
    if (option.type != OptionType::kArray && option.type != OptionType::kChoiceOrArray &&
        option.type != OptionType::kIntegerOrArray) {
      continue;
    }
    for (const auto& [name, value] : command.options) {
      if (name == option.name) files.push_back({"the file of " + flag_of(name), value});
    }
  }
  return files;
}

}  // namespace

void check_files(const Command& command) {
  const std::vector<NamedFile> outputs{
      {command.second_output.empty() ? "-o" : "TRAIN", command.output},
      {"--plot", command.plot},
      {"--plot-traces", command.plot_traces},
      {"--rows", command.rows_file},
      {"TEST", command.second_output}};
  const auto check = [](const NamedFile& output, const NamedFile& other) {
    if (output.path.empty() || output.path == "-" || other.path.empty() || other.path == "-")
      return;
    if (!same_file(output.path, other.path)) return;
    throw InputError(Code::kSameFile, {.file = output.path},
                     fmt::format("{} would overwrite {}", output.what, other.what),
                     "Give it a name of its own.");
  };
  for (const NamedFile& input : inputs_of(command)) {
    for (const NamedFile& output : outputs) check(output, input);
  }
  check(outputs[1], {"what -o writes", command.output});
  check(outputs[2], {"what -o writes", command.output});
  check(outputs[2], {"what --plot draws", command.plot});
  check(outputs.back(), {"the rows of TRAIN", command.output});

  std::vector<std::string> to_stdout;
  if (command.output == "-") to_stdout.emplace_back("the model");
  if (command.plot == "-") to_stdout.emplace_back("the picture");
  if (command.plot_traces == "-") to_stdout.emplace_back("the traces");
  if (command.json && !to_stdout.empty()) to_stdout.emplace_back("--json");
  if (!command.saves_model || to_stdout.size() < 2) return;
  throw InputError(Code::kBadOption, {},
                   fmt::format("{} and {} cannot both go to stdout", to_stdout[0], to_stdout[1]),
                   "Give a file for one of them.");
}

}  // namespace craton::cli
