#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <stdexcept>

#include "craton/base/random.h"
#include "craton/model/model_file.h"
#include "tests/campaign/watch.h"

// The campaign over tables: every table of tables.h, every model and its options, every verb. A
// finite answer, or an error with a code; never a crash, a hang, a NaN, or a file that is written
// and then refused.
//
//   campaign                     the whole
//   campaign --sample 2000       so many runs of it, drawn by --seed
//   campaign --only TEXT         the runs whose names have TEXT in them
//   campaign --list              their names
//   campaign --plant             five faults of its own, which it must find
//   campaign --jobs 2            two processes at once
//   campaign --patience 5        seconds that a verb may take; 60 if not said

namespace craton::campaign {
namespace {

struct Arguments {
  std::int64_t sample = std::numeric_limits<std::int64_t>::max();
  std::uint64_t seed = 1;
  std::vector<std::string> only = {};
  bool list = false, plant = false;
  Patience patience = {};
};

std::int64_t number(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || *end != 0) throw std::runtime_error(text + " is not a number");
  return value;
}

Arguments parse(std::span<char* const> words) {
  Arguments arguments;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string word = words[i];
    const auto next = [&]() -> std::string {
      if (++i == words.size()) throw std::runtime_error(word + " wants a value");
      return words[i];
    };
    if (word == "--sample") {
      arguments.sample = number(next());
    } else if (word == "--seed") {
      arguments.seed = static_cast<std::uint64_t>(number(next()));
    } else if (word == "--only") {
      arguments.only.push_back(next());
    } else if (word == "--list") {
      arguments.list = true;
    } else if (word == "--plant") {
      arguments.plant = true;
    } else if (word == "--patience") {
      arguments.patience.seconds = static_cast<double>(number(next()));
    } else if (word == "--jobs") {
      arguments.patience.jobs = static_cast<int>(std::max<std::int64_t>(1, number(next())));
    } else {
      throw std::runtime_error("no such argument: " + word);
    }
  }
  return arguments;
}

struct Run {
  const ModelInfo* model;
  const Rows* table;
  Index setting;
};

// Runs that follow each other mostly share a model and a table: the settings of the last are kept.
const Setting& setting_of(const Run& run) {
  static Run last{nullptr, nullptr, 0};
  static std::vector<Setting> settings;
  if (last.model != run.model || last.table != run.table) {
    settings = settings_of(*run.model, *run.table);
    last = run;
  }
  return settings[usize(run.setting)];
}

std::string name_of(const Run& run) {
  return fmt::format("{} | {} | {}", run.table->name, run.model->name, to_text(setting_of(run)));
}

std::vector<Run> chosen_runs(const Arguments& arguments) {
  std::vector<Run> all;
  for (const ModelInfo& model : models()) {
    const Index settings = std::ssize(settings_of(model, tables()[0]));
    for (const Rows& table : tables()) {
      if (table.sparse && !model.abilities.sparse) continue;
      for (Index s = 0; s < settings; ++s) all.push_back({&model, &table, s});
    }
  }
  std::erase_if(all, [&](const Run& run) {
    return !std::ranges::all_of(arguments.only, [&](const std::string& part) {
      return name_of(run).find(part) != std::string::npos;
    });
  });
  if (arguments.sample >= std::ssize(all)) return all;
  std::vector<Index> order(all.size());
  Random(arguments.seed, Purpose::kTest, 79).permutation(order);
  std::vector<Run> some;
  for (std::int64_t i = 0; i < arguments.sample; ++i) some.push_back(all[usize(order[usize(i)])]);
  return some;
}

// The same sentence about other numbers is the same fault.
std::string kind_of(const std::string& what) {
  std::string kind;
  for (const char c : what) {
    const bool digit = (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+';
    if (!digit) {
      kind += c;
    } else if (kind.empty() || kind.back() != '#') {
      kind += '#';
    }
  }
  return kind;
}

void print_faults(const Outcome& outcome, std::span<const Run> runs) {
  std::map<std::string, std::vector<const Fault*>> kinds;
  for (const Fault& fault : outcome.faults) {
    const std::string model(runs[usize(fault.run)].model->name);
    kinds[model + ", " + fault.verb + ": " + kind_of(fault.what)].push_back(&fault);
  }
  for (const auto& [kind, faults] : kinds) {
    fmt::print("\n{} times {}\n", faults.size(), kind);
    for (std::size_t i = 0; i < std::min<std::size_t>(3, faults.size()); ++i) {
      const Fault& fault = *faults[i * (faults.size() - 1) / 2 % faults.size()];
      fmt::print("    {}\n", name_of(runs[usize(fault.run)]));
      fmt::print("      {}\n", fault.what.substr(0, 400));
      if (faults.size() == 1) break;
    }
  }
}

// What the campaign looks for, so that it is seen to find it.
void plant(std::int64_t which, Listener& listener) {
  const auto ask = [&](std::string_view verb, auto&& f) {
    attempt(listener, verb, [&]() -> std::string { return f(); });
  };
  if (which == 0)
    ask("crash", []() -> std::string {
      std::raise(SIGSEGV);
      return "";
    });
  if (which == 1) {
    ask("hang", []() -> std::string {
      while (true) pause();
    });
  }
  if (which == 2) ask("assertion", []() -> std::string { throw std::logic_error("a bug"); });
  if (which == 3) {
    ask("refused file", [] {
      throw InputError(Code::kDamagedModel, {}, "the weights are not finite", "");
      return "";
    });
  }
  if (which == 4) {
    ask("message", [] {
      throw InputError(Code::kBadOption, {}, "init = [1, -nan] is not allowed", "");
      return "";
    });
  }
}

int hold(const Arguments& arguments) {
  if (arguments.plant) {
    const Outcome outcome = watch(5, {.jobs = 1, .seconds = 1},
                                  [](std::int64_t i, Listener& listener) { plant(i, listener); });
    for (const Fault& fault : outcome.faults) fmt::print("{}: {}\n", fault.verb, fault.what);
    fmt::print("{} faults found\n", outcome.faults.size());
    return outcome.faults.empty() ? 0 : 1;
  }
  const std::vector<Run> runs = chosen_runs(arguments);
  if (arguments.list) {
    for (const Run& run : runs) fmt::print("{}\n", name_of(run));
    return 0;
  }
  const Outcome outcome =
      watch(std::ssize(runs), arguments.patience, [&](std::int64_t i, Listener& listener) {
        const Run& at = runs[usize(i)];
        run(*at.model, *at.table, setting_of(at), listener);
      });
  print_faults(outcome, runs);
  fmt::print("\n{} tables, {} models, {} runs, {} verbs asked: {} refused with a code, {} faults\n",
             tables().size(), models().size(), outcome.runs, outcome.asked, outcome.refused,
             outcome.faults.size());
  if (!runs.empty()) {
    fmt::print("the slowest verb took {:.1f} s: {} in {}\n", outcome.slowest, outcome.slowest_verb,
               name_of(runs[usize(outcome.slowest_run)]));
  }
  return outcome.faults.empty() ? 0 : 1;
}

}  // namespace
}  // namespace craton::campaign

int main(int count, char** words) {
  try {
    return craton::campaign::hold(
        craton::campaign::parse({words, static_cast<std::size_t>(count)}));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
