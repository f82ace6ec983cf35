#include "cli/verbs.h"

#include <fmt/core.h>

#include "cli/showing/output.h"
#include "craton/base/error.h"

namespace craton::cli {

extern const Verb kFit, kLearn, kUnlearn, kMerge, kCondition, kPredict, kScore, kSample, kQuantile,
    kDescribe, kProfile, kOutliers, kModels, kSelect, kSplit, kCv, kCompare, kPlot, kReport,
    kExplain, kConvert, kVectorize, kCompletion, kMan, kDoctor;

// In the order in which manual and completions list them.
std::span<const Verb* const> verbs() {
  static constexpr const Verb* kVerbs[] = {
      &kFit,       &kLearn,      &kUnlearn,  &kMerge,   &kCondition, &kPredict, &kScore,
      &kSample,    &kQuantile,   &kDescribe, &kProfile, &kOutliers,  &kModels,  &kSelect,
      &kSplit,     &kCv,         &kCompare,  &kPlot,    &kReport,    &kExplain, &kConvert,
      &kVectorize, &kCompletion, &kMan,      &kDoctor,
  };
  return kVerbs;
}

const Verb& find_verb(const std::string& name) {
  std::vector<std::string> names;
  for (const Verb* verb : verbs()) {
    if (verb->name == name) return *verb;
    names.emplace_back(verb->name);
  }
  const std::string near = did_you_mean(name, names);
  throw InputError(Code::kUnknownName, {}, fmt::format("there is no verb '{}'", name),
                   near.empty() ? fmt::format("The verbs are: {}.", join(names)) : near);
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const ModelInfo& model : craton::models()) names.emplace_back(model.name);
  return names;
}

std::string example_of(const Verb& verb, const std::string& model) {
  return verb.example_of == nullptr ? std::string(verb.example)
                                    : verb.example_of(find_model(model));
}

}  // namespace craton::cli
