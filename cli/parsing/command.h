#pragma once
#include <string>
#include <utility>
#include <vector>

#include "craton/io/open.h"
#include "craton/select/model_table.h"

// What was asked for, as plain data: the parser fills it, the verbs read it.

namespace craton::cli {

struct Verb;

enum class ProgressStyle {
  kAuto,  // a bar on a terminal, otherwise plain lines
  kPlain,
  kJson,
  kOff,
};

// How models are held against rows that they have not seen.
struct Validation {
  Index folds = 5, repeats = 1;
  std::string split = {};                 // "": by what is given
  std::string groups = {}, time = {};     // columns
  std::vector<std::string> metrics = {};  // names; none: the usual ones
  std::vector<std::string> grid = {};     // options and their values, as typed
  Index draws = 0;                        // from the grid; 0: all of it
  bool importance = false;                // of columns
  Index shuffles = 5;                     // of each
};

struct Command {
  const Verb* verb = nullptr;  // null: print the text, which is help or the version
  std::string text = {};

  std::string model = {};                     // its name
  std::string code = {};                      // of an error, to explain
  std::string shell = {};                     // to complete words in
  std::string model_file = {};                // "-": standard input
  std::string warm_start = {};                // the model file that a fit starts from
  std::vector<std::string> model_files = {};  // to merge
  std::string data = {};                      // "-": standard input
  std::string second_output = {};             // of `split`: the rows to test on
  double share = 0.25;                        // of them
  std::string output = {};                    // "-": standard output; "": none given
  std::string target = {};                    // the column to predict
  std::string text_column = {};               // of texts
  std::string positive = {};                  // the label that metrics of one class are about
  ReadOptions read = {};                      // of the data
  std::string to = {};                        // the format to write; "": by the name of the file
  std::vector<std::pair<std::string, std::string>> options = {};  // the model's, as typed

  std::vector<std::string> features = {}, drop = {};
  std::vector<std::string> given = {};           // of `condition`: "age=40"
  std::vector<std::string> words = {}, at = {};  // of `quantile`: probabilities, or values
  std::vector<std::string> keep = {};            // columns to print beside labels
  std::string weights = {};                      // the column that holds them
  std::string table = {};                        // of a model, by name
  std::string rows_file = {};                    // of `score`: where what is said of each row goes
  std::string plot = {};                         // an SVG file
  std::string plot_traces = {};                  // another
  std::vector<std::string> plot_columns = {};
  std::vector<Index> plot_stages = {};   // updates; ascending
  std::string criterion = {};            // of `select`; empty: the usual one of the model
  std::vector<std::string> models = {};  // to compare, as typed
  Validation validation = {};
  Missing missing = Missing::kAuto;
  ProgressStyle progress = ProgressStyle::kAuto;

  std::string picture = "fit";  // of `plot`
  double interval = 0;          // the level of those to print with predictions; 0: none
  Index rows = 0;               // to sample
  Index explain = 0;            // features to name for each row
  Index seed = 0;
  int threads = 0;
  bool proba = false, diagnose = false, labels = false, linear = false, boundary = false;
  bool strict = false, json = false, quiet = false, overwrite = false;

  // What the verb does, for what verbs share.
  bool saves_model = false;  // --output is a model file
  bool draws = false;        // a picture of the rows, which wants them dense
  bool measures = false;     // models on held-out rows: --target labels them for all models
};

}  // namespace craton::cli
