// mutants --count 50000 [--seed 1] [--first 0] [--only TEXT] [--write FOLDER]
//
// Model files that somebody made, with every hash right: of every kind of model (kinds.h), with
// numbers in their parameters, memory and options that nobody would expect (mutate.h). Each is
// refused as a model file, or it is a model that does all it can (use_model.h): with a finite
// answer, or an error that has a code. They run in a child process: a signal, or a mutant that
// takes a minute, is laid at the door of the mutant that it happened to. Every finding prints the
// words that show it alone. --write leaves those that load in a folder.

#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>

#include "craton/base/error.h"
#include "craton/model/model_file.h"
#include "tests/model_file/kinds.h"
#include "tests/model_file/mutate.h"
#include "tests/model_file/use_model.h"

using namespace craton;
using namespace craton::model_file;

namespace {

constexpr unsigned kHang = 60;  // seconds

struct Asked {
  std::uint64_t count = 1000, seed = 1, first = 0;
  std::string only, write;
};

// Shared with the child.
struct Tally {
  std::uint64_t at, refused, loaded, found;
};

struct Sound {
  std::string name;
  Contents contents;
};

// A model as older versions said its parameters.
struct AsOld {
  const AnyModel& model;
  void visit_parameters(ParameterVisitor& v) const { model.visit_old_parameters(v); }
};

std::vector<Sound> sound_files(const std::string& only) {
  std::vector<Sound> files;
  for (const Kind& kind : every_kind()) {
    if (kind.name.find(only) == std::string::npos) continue;
    if (const std::string fault = use_model(kind.fitted); !fault.empty()) {
      fmt::print("{} as it was fitted: {}\n", kind.name, fault);
    }
    files.push_back({kind.name, contents_of(pack_model(kind.fitted))});
    std::vector<Parameter> old = parameters_of(AsOld{*kind.fitted.model});
    if (old == kind.fitted.model->parameters()) continue;
    files.push_back({kind.name + ", old", {files.back().contents.metadata, std::move(old)}});
  }
  return files;
}

// "" when the bytes are refused as they should be, "loaded" when the model works, else the fault.
std::string outcome(const Bytes& bytes, const std::string& path) {
  std::optional<Fitted> fitted;
  try {
    fitted = unpack_model(bytes, "mutant");
  } catch (const InputError& error) {
    return error.kind() == ErrorKind::kModelFile ? "" : fmt::format("load: {}", error.what());
  }
  if (!path.empty()) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), ssize(bytes));
  }
  const std::string fault = use_model(*fitted);
  return fault.empty() ? "loaded" : fault;
}

void run(const Asked& words, std::span<const Sound> files, Tally& tally) {
  for (; tally.at < words.first + words.count; ++tally.at) {
    alarm(kHang);
    const std::uint64_t i = tally.at;
    const Sound& sound = files[i % files.size()];
    const std::string path = words.write.empty() ? "" : fmt::format("{}/{}.craton", words.write, i);
    std::string result;
    try {
      Random random(words.seed, Purpose::kTest, 0, i);
      result = outcome(mutant(sound.contents, random), path);
    } catch (const std::exception& error) {
      result = error.what();
    }
    if (result.empty())
      ++tally.refused;
    else if (result == "loaded")
      ++tally.loaded;
    else {
      ++tally.found;
      fmt::print("--count 1 --seed {} --first {} ({}): {}\n", words.seed, i, sound.name, result);
      std::fflush(stdout);
    }
  }
}

Asked parse(int argc, char** argv) {
  Asked words;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i], value = argv[i + 1];
    const auto number = [&](std::uint64_t& to) {
      std::from_chars(value.data(), value.data() + value.size(), to);
    };
    if (name == "--count") number(words.count);
    if (name == "--seed") number(words.seed);
    if (name == "--first") number(words.first);
    if (name == "--only") words.only = value;
    if (name == "--write") words.write = value;
  }
  return words;
}

}  // namespace

int main(int argc, char** argv) {
  const Asked words = parse(argc, argv);
  const std::vector<Sound> files = sound_files(words.only);
  auto* const tally = static_cast<Tally*>(
      mmap(nullptr, sizeof(Tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (files.empty() || tally == MAP_FAILED) return 2;
  *tally = {words.first, 0, 0, 0};
  while (tally->at < words.first + words.count) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      run(words, files, *tally);
      std::fflush(stdout);
      _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) return 2;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
    const bool hang = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
    fmt::print("--count 1 --seed {} --first {} ({}): {}\n", words.seed, tally->at,
               files[tally->at % files.size()].name,
               hang ? "hangs" : fmt::format("ends the program, status {}", status));
    ++tally->found;
    ++tally->at;
  }
  fmt::print("{} mutants of {} kinds of models: {} refused, {} loaded and worked, {} findings\n",
             words.count, files.size(), tally->refused, tally->loaded, tally->found);
  const bool few = words.count >= 1000 && tally->loaded < words.count / 20;
  if (few) fmt::print("too few of them load to test anything\n");
  return tally->found > 0 || few ? 1 : 0;
}
