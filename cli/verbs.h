#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/parsing/command.h"
#include "craton/model/registry.h"

// The verbs: each is a row in its own file of cli/verbs, and one line of verbs.cc.

namespace craton::cli {

inline constexpr int kOk = 0, kInternal = 70, kInterrupted = 130;

class Flags;

struct Verb {
  std::string_view name, help;
  std::string_view example;   // commands, a line each, that run as they stand where examples/ is
  void (*add)(Flags& flags);  // its arguments and flags
  int (*run)(const Command& command);               // gives the exit code; errors are thrown
  bool (*takes)(const ModelInfo& model) = nullptr;  // its first word is a model: this one? null: no
  // Its first word is one of these; null: a file, or a model.
  std::vector<std::string> (*first_words)() = nullptr;
  // The example of a model; null: that of the verb does.
  std::string (*example_of)(const ModelInfo& model) = nullptr;
  bool json = true;  // has --json
};

std::span<const Verb* const> verbs();
const Verb& find_verb(const std::string& name);  // InputError (kUnknownName) with a near one

inline bool any_model(const ModelInfo&) { return true; }
std::vector<std::string> model_names();

// The example of a verb, with the model at hand ("": none).
std::string example_of(const Verb& verb, const std::string& model);

}  // namespace craton::cli
