#pragma once
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cli/parsing/command.h"
#include "craton/model/registry.h"

namespace CLI {
class App;
}

namespace craton::cli {

// What a verb takes: its row (cli/verbs.h) declares each argument and flag here, in the order of
// the help. A value is taken as text, and read when all words are known. Of the flags that verbs
// share, each function below declares a group.
class Flags {
 public:
  using Read = std::function<void(const std::string& text)>;

  Flags(CLI::App& app, Command& command) : app_(app), command_(command) {}
  Flags(const Flags&) = delete;
  Flags& operator=(const Flags&) = delete;

  Command& command() { return command_; }
  const ModelInfo& model() const { return find_model(command_.model); }

  // ---- One each
  void word(const char* name, std::string& value, const char* help, bool required = true);
  void words(const char* name, std::vector<std::string>& values, const char* help);
  void text(const char* flag, std::string& value, const char* type, const std::string& help);
  void repeated(const char* flag, std::vector<std::string>& values, const char* type,
                const char* help);  // may be given again
  void yes(const char* flag, bool& value, const char* help);
  void option(const Option& option);  // of a model

  // A value with a meaning, which `read` finds if one is given. These give the text typed.
  const std::string& read(const char* flag, const char* type, const char* help, Read read);
  const std::string& whole(const char* flag, Index& value, Index low, Index high, const char* help);
  const std::string& names(const char* flag, std::vector<std::string>& value, const char* help);

  // Words that must be given, and what they are called.
  void need(std::string what, const std::string& text) { required_.emplace_back(what, &text); }
  // What to print, and do nothing else, when the value typed is "help".
  using List = std::string (*)();
  void list(const std::string& typed, List made) { lists_.emplace_back(&typed, made); }
  // What to say to one who typed a flag that there is not, and that ends so.
  void hint(std::string ending, std::string text) { hints_.emplace_back(ending, text); }
  // What values mean together; runs when all have been read.
  void after(std::function<void()> check) { after_.push_back(std::move(check)); }

  // ---- Groups
  void data();
  void model_and_data();
  void weights();
  void fit_options();   // of verbs that fit: --target, --features, ...
  void run_options();   // --missing, and the next two
  void read_options();  // of the data file
  void progress();
  void validation();  // requires command().measures
  void metrics(const char* help);
  void importance();
  void seed(const char* help);  // of what is not a model
  void plot_columns(const char* flag = "--plot-columns");
  void picture(const char* flag, std::string& value, const char* help);
  void save(const char* help);  // -o, a model file
  void write();                 // -o, instead of stdout
  void quiet(const char* help);

  // ---- For the parser, when all words have been taken
  void finish();  // reads the values; InputError for those that are not right, or not together
  const auto& lists() const { return lists_; }
  const auto& required() const { return required_; }
  const auto& hints() const { return hints_; }

 private:
  using Named = std::pair<std::string, std::string>;
  struct Typed {
    std::string text;
    Read read;
  };

  CLI::App& app_;
  Command& command_;
  std::deque<Typed> typed_;  // whose addresses the parser knows
  std::vector<std::pair<std::string, const std::string*>> required_;
  std::vector<std::pair<const std::string*, List>> lists_;
  std::vector<Named> hints_;  // endings, and what to say
  std::vector<std::function<void()>> after_;
};

}  // namespace craton::cli
