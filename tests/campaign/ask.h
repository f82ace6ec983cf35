#pragma once
#include <string>
#include <string_view>

#include "craton/base/function_ref.h"
#include "tests/campaign/settings.h"

// One run: a table, a model and its options; a fit, and then everything that the model can do. Each
// verb ends in a finite answer or in an error with a code.

namespace craton::campaign {

// Told what goes on, so that a crash or a hang is known by its verb.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void begin(std::string_view verb) = 0;
  virtual void refused() = 0;  // by an error with a code: an answer
  virtual void fault(const std::string& what) = 0;
};

// Runs f, which returns what is wrong with the answer, as `verb`. Whether there was an answer.
bool attempt(Listener& listener, std::string_view verb, FunctionRef<std::string()> f);

void run(const ModelInfo& model, const Rows& table, const Setting& setting, Listener& listener);

}  // namespace craton::campaign
