#pragma once
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "craton/base/function_ref.h"
#include "craton/base/matrix.h"

// Options are plain structs, described once:
//
//   void describe(OptionVisitor& v, KMeans::Options& o) {
//     v.integer("n_clusters", o.n_clusters, 1, kMaxClusters, "number of clusters");
//   }
//
// The command line, Python, model files, documentation and validation are visitors of that.

namespace craton {

// monostate: "not given" (None in Python), which an array option may be.
using OptionValue = std::variant<std::monostate, bool, Index, double, std::string, Array>;
using NamedOption = std::pair<std::string, OptionValue>;

enum class OptionType {
  kFlag,
  kInteger,
  kNumber,
  kChoice,
  kArray,
  kChoiceOrArray,
  kText,
  kChoiceOrNumber,
  kIntegerOrArray
};

struct Option {
  std::string name, help;
  OptionType type{};
  OptionValue value;         // the default, when listed from a default-constructed struct
  double low = 0, high = 0;  // of integers and numbers, both included
  std::vector<std::string> choices;
  bool in_digest = true;  // false: does not change the fitted model
};

class OptionVisitor {
 public:
  virtual ~OptionVisitor() = default;
  virtual void flag(std::string_view name, bool& value, std::string_view help) = 0;
  virtual void integer(std::string_view name, Index& value, Index low, Index high,
                       std::string_view help) = 0;
  virtual void number(std::string_view name, double& value, double low, double high,
                      std::string_view help) = 0;
  virtual void array(std::string_view name, Array& value, std::string_view help) = 0;
  // A whole number, or an array of such, which then wins: one for each column, say.
  virtual void integer_or_array(std::string_view name, Index& value, Array& array, Index low,
                                Index high, std::string_view help) = 0;
  // Any words; the model that takes them says what they mean.
  virtual void text(std::string_view name, std::string& value, std::string_view help) = 0;
  // The option just described does not change the fitted model: digests leave it out.
  virtual void not_in_digest() {}

  // E is an enum class whose enumerators are 0, 1, ... in the order of `choices`. None in Python is
  // "none", if that is the first.
  template <class E>
  void choice(std::string_view name, E& value, std::initializer_list<std::string_view> choices,
              std::string_view help) {
    int index = static_cast<int>(value);
    visit_choice(name, index, nullptr, {choices.begin(), choices.size()}, help);
    value = static_cast<E>(index);
  }
  // One of the choices, or an array, which then wins.
  template <class E>
  void choice_or_array(std::string_view name, E& value, Array& array,
                       std::initializer_list<std::string_view> choices, std::string_view help) {
    int index = static_cast<int>(value);
    visit_choice(name, index, &array, {choices.begin(), choices.size()}, help);
    value = static_cast<E>(index);
  }
  // One of the choices, or a number: then `value` is the enumerator behind those of the choices.
  // None in Python is the first choice.
  template <class E>
  void choice_or_number(std::string_view name, E& value, double& number, double low, double high,
                        std::initializer_list<std::string_view> choices, std::string_view help) {
    int index = static_cast<int>(value);
    visit_choice_or_number(name, index, number, {low, high}, {choices.begin(), choices.size()},
                           help);
    value = static_cast<E>(index);
  }

 protected:
  struct Bounds {
    double low, high;
  };

 private:
  virtual void visit_choice_or_number(std::string_view name, int& index, double& number,
                                      Bounds bounds, std::span<const std::string_view> choices,
                                      std::string_view help) = 0;
  virtual void visit_choice(std::string_view name, int& index, Array* array,
                            std::span<const std::string_view> choices, std::string_view help) = 0;
};

using Describe =
    FunctionRef<void(OptionVisitor&)>;  // describe(visitor, options), bound to a struct

std::vector<Option> list_options(Describe describe);

// Sets options by name, and lists all as they are then. Unknown names and wrong types are
// InputErrors that say what is allowed.
std::vector<Option> set_options(Describe describe, std::span<const NamedOption> values);

// Every value within its bounds, or an InputError that names the option, the value and the range.
void check_options(Describe describe);

// A value from text, as typed at a shell: "3", "1e-3", "full". Arrays come from files, not from
// here.
OptionValue parse_option(const Option& option, const std::string& text);
// Several: "n_clusters=3; max_iter=12". requires names of `options`.
std::vector<NamedOption> parse_options(std::span<const Option> options, std::string_view text);

std::string to_text(const OptionValue& value);  // as a person would type it; "None" when not given

}  // namespace craton
