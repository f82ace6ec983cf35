#include "cli/typed.h"

#include <fmt/core.h>

#include <cstdlib>
#include <limits>

#include "cli/sweep.h"
#include "cli/values.h"
#include "craton/base/error.h"
#include "craton/model/registry.h"

namespace craton::cli {
namespace {

[[noreturn]] void refuse(Code code, const std::string& what, const std::string& fix) {
  throw InputError(code, {}, what, fix);
}

constexpr Index kMost = Index{1} << 40, kMostThreads = 1024, kMostFolds = 1000000;

void read_validation(const Typed& typed, Validation& validation) {
  validation.metrics = names_of("--metric", typed.metrics);
  const auto count = [](const char* flag, const std::string& text, Index low, Index& value) {
    if (!text.empty()) value = whole_number(flag, text, low, kMostFolds);
  };
  count("--folds", typed.folds, 2, validation.folds);
  count("--repeats", typed.repeats, 1, validation.repeats);
  count("--random", typed.draws, 1, validation.draws);
  if (validation.draws > 0 && validation.grid.empty()) {
    refuse(Code::kBadOption, "--random needs something to draw from",
           "Give ranges, such as --grid alpha=0.01..10:log.");
  }
  if (!validation.split.empty()) {
    choice_of<bool>("--split", validation.split,
                    {{"plain", true}, {"stratified", true}, {"groups", true}, {"time", true}});
  }
}

void check_picture(const std::string& path) {
  for (const char* other : {".png", ".jpg", ".jpeg", ".pdf", ".gif"}) {
    if (!path.ends_with(other)) continue;
    refuse(Code::kBadOption, fmt::format("pictures are SVG, and '{}' would be none", path),
           "Give a name that ends in .svg; rsvg-convert and browsers make others of it.");
  }
}

void read_criterion(Command& command) {
  const bool clusters = sweeps_clusters(find_model(command.model));
  if (command.criterion.empty()) command.criterion = clusters ? "silhouette" : "bic";
  if (clusters) {
    choice_of<bool>("--criterion", command.criterion,
                    {{"silhouette", true},
                     {"calinski-harabasz", true},
                     {"davies-bouldin", true},
                     {"gap", true}});
  } else {
    choice_of<bool>("--criterion", command.criterion,
                    {{"bic", true}, {"aic", true}, {"icl", true}, {"held-out", true}});
  }
}

// The data file is the last word.
void part_models(Command& command) {
  if (command.verb != Verb::kCompare) return;
  if (command.models.size() < 2) {
    refuse(Code::kBadOption, "craton compare needs models and a data file",
           "For example: craton compare nb gaussian-nb data.csv --target y");
  }
  command.data = std::move(command.models.back());
  command.models.pop_back();
  for (const ModelInfo& model : craton::models()) {
    if (command.data != model.name) continue;
    refuse(Code::kBadOption, "DATA is missing: the last word names a model",
           "For example: craton compare nb gaussian-nb data.csv --target y");
  }
}

}  // namespace

void read_typed(const Typed& typed, Command& command) {
  command.features = names_of("--features", typed.features);
  command.drop = names_of("--drop", typed.drop);
  command.keep = names_of("--keep", typed.keep);
  command.plot_columns = names_of("--plot-columns", typed.plot_columns);
  command.plot_stages = counts_of("--plot-stages", typed.plot_stages);
  if (!command.plot_stages.empty() && command.plot.empty()) {
    refuse(Code::kBadOption, "--plot-stages needs a file to draw to", "Give --plot FILE.svg.");
  }
  if (!command.warm_start.empty() && !(command.features.empty() && command.drop.empty())) {
    refuse(Code::kBadOption, "--warm-start has the columns of its model already",
           "Leave --features and --drop out.");
  }
  command.missing = choice_of<Missing>(
      "--missing", typed.missing,
      {{"auto", Missing::kAuto}, {"error", Missing::kError}, {"skip", Missing::kSkip}});
  command.progress = choice_of<ProgressStyle>("--progress", typed.progress,
                                              {{"auto", ProgressStyle::kAuto},
                                               {"plain", ProgressStyle::kPlain},
                                               {"json", ProgressStyle::kJson},
                                               {"off", ProgressStyle::kOff}});
  command.read.header =
      choice_of<Header>("--header", typed.header,
                        {{"auto", Header::kSniff}, {"yes", Header::kYes}, {"no", Header::kNo}});
  command.read.names = names_of("--names", typed.names);
  if (!command.read.names.empty()) {
    if (command.read.header == Header::kYes) {
      refuse(Code::kBadOption, "--names is for files without a header", "Leave --header yes out.");
    }
    command.read.header = Header::kNo;
  }
  command.read.kinds = kinds_of("--schema", typed.schema);
  command.read.delimiter = delimiter_of("--delimiter", typed.delimiter);
  if (!typed.memory.empty()) command.read.memory = bytes_of("--memory", typed.memory);
  if (command.read.temporary_folder.empty()) {
    if (const char* folder = std::getenv("TMPDIR")) command.read.temporary_folder = folder;
  }
  if (!typed.rows.empty()) command.rows = whole_number("-n", typed.rows, 1, kMost);
  if (!typed.explain.empty()) command.explain = whole_number("--explain", typed.explain, 1, kMost);
  if (!typed.seed.empty()) {
    command.seed = whole_number("--seed", typed.seed, 0, std::numeric_limits<Index>::max());
  }
  if (!typed.threads.empty()) {
    command.threads = static_cast<int>(whole_number("--threads", typed.threads, 0, kMostThreads));
  }
  if (command.verb == Verb::kSelect) read_criterion(command);
  for (const std::string* picture : {&command.plot, &command.plot_traces}) check_picture(*picture);
  if (command.verb == Verb::kPlot) check_picture(command.output);
  read_validation(typed, command.validation);
  part_models(command);
}

}  // namespace craton::cli
