#include "craton/select/comparison.h"

#include <algorithm>
#include <unordered_set>

#include "craton/tables/preparation.h"

namespace craton {
namespace {

// A model as it goes on, or ends.
struct Running {
  Contestant contestant;
  std::optional<ModelTable> data = {};
  std::optional<InputError> failure = {};
  Results results = {};

  // What is wrong with files, or memory, is no matter of the model.
  template <class F>
  void attempt(const F& work) {
    try {
      work();
    } catch (const InputError& error) {
      if (error.kind() == ErrorKind::kIo) throw;
      failure = error;
    }
  }
};

using RunningModels = std::vector<Running>;

void throw_if_none_is_left(const RunningModels& all) {
  const auto failed = [](const Running& model) { return model.failure.has_value(); };
  if (std::ranges::all_of(all, failed)) throw *all[0].failure;
}

template <class F>
void each_running(RunningModels& all, const F& work) {
  for (Running& model : all) {
    if (!model.failure) model.attempt([&] { work(model); });
  }
  throw_if_none_is_left(all);
}

const Running& first_running(const RunningModels& all) {
  return *std::ranges::find_if(all, [](const Running& model) { return !model.failure; });
}

void read_tables(RunningModels& all, const OpenedTable& table, const Roles& roles, const Exec& exec,
                 TellNotes tell) {
  // Notes are alike, but for columns that only some of the models take.
  bool first = true;
  std::vector<Message> leaks;
  each_running(all, [&](Running& model) {
    const auto tell_once = [&](std::span<const Note> notes) {
      if (first) tell(notes);
      for (const Note& note : notes) {
        if (note.code != "leak" || std::ranges::find(leaks, note.text) != leaks.end()) continue;
        if (!first) tell({&note, 1});
        leaks.push_back(note.text);
      }
    };
    const Trial& trial = model.contestant.trial;
    model.data = table_to_fit(*trial.model,
                              {table.source->reopen(), table.notes, table.guess, table.in_file},
                              roles, fills(trial.options), exec, tell_once);
    first = false;
  });
}

// Rows that one of them leaves out are left out for all.
void share_rows(RunningModels& all, Index rows) {
  const RowSet common = RowSet::where(rows, [&](Index row) {
    return std::ranges::all_of(all, [&](const Running& model) {
      return model.failure || !model.data->kept || model.data->kept->contains(row);
    });
  });
  if (common.size() == rows) return;
  for (Running& model : all) {
    if (model.failure) continue;
    ModelTable& data = *model.data;
    data.view->rows(RowSet::where(data.size(), [&](Index row) {
      return common.contains(data.kept ? (*data.kept)[row] : row);
    }));
    data.kept = std::make_unique<RowSet>(common);
  }
}

std::vector<const Metric*> metrics_of(RunningModels& all, std::span<const std::string> names) {
  const auto labelled = [](const Running& model) {
    return model.data->schema().target.has_value();
  };
  std::vector<const Metric*> metrics;
  for (const std::string& name : names) metrics.push_back(&find_metric(name));
  each_running(all, [&](Running& model) {
    for (const Metric* metric : metrics) {
      check_metric(*metric, *model.contestant.trial.model, labelled(model));
    }
  });
  if (!names.empty()) return metrics;
  std::vector<const ModelInfo*> models;
  for (const Running& model : all) {
    if (!model.failure) models.push_back(model.contestant.trial.model);
  }
  return choose_metrics({}, models, labelled(first_running(all)));
}

// Of each, columns of others that it does not take.
void find_left_out(std::vector<Compared>& models,
                   const std::vector<std::vector<std::string>>& own) {
  std::vector<std::string> all;
  std::unordered_set<std::string> seen;  // a table may have a hundred thousand columns
  for (const std::vector<std::string>& names : own) {
    for (const std::string& name : names) {
      if (seen.insert(name).second) all.push_back(name);
    }
  }
  for (std::size_t i = 0; i < models.size(); ++i) {
    const std::unordered_set<std::string> taken(own[i].begin(), own[i].end());
    models[i].left_out = all;
    std::erase_if(models[i].left_out, [&](const auto& name) { return taken.contains(name); });
  }
}

Comparison collected(RunningModels all, std::vector<const Metric*> metrics, Results guessing) {
  std::vector<std::vector<std::string>> columns;
  Comparison result{.models = {}, .failed = {}, .metrics = std::move(metrics), .data = {}};
  result.guessing = std::move(guessing);
  for (Running& model : all) {
    auto& [name, trial] = model.contestant;
    if (model.failure) {
      result.failed.push_back({std::move(name), std::move(trial), *model.failure});
      continue;
    }
    const Schema& schema = model.data->schema();
    columns.push_back(schema.names());
    for (const Column& text : schema.texts) columns.back().push_back(text.name);
    result.models.push_back({.name = std::move(name),
                             .trial = std::move(trial),
                             .columns = ssize(columns.back()),
                             .texts = !schema.texts.empty(),
                             .results = std::move(model.results)});
    if (result.models.size() == 1) result.data = *std::move(model.data);
  }
  find_left_out(result.models, columns);
  result.verdict = judge(result.results(), result.guessing, result.metrics);
  return result;
}

}  // namespace

std::vector<Results> Comparison::results() const {
  std::vector<Results> all;
  for (const Compared& model : models) all.push_back(model.results);
  return all;
}

Comparison compare_models(const OpenedTable& table, const Roles& roles,
                          std::vector<Contestant> contestants, const CompareOptions& options,
                          const Exec& exec, TellNotes tell, CompareProgress next) {
  CRATON_ASSERT(!contestants.empty());
  RunningModels all;
  for (Contestant& contestant : contestants) all.push_back({.contestant = std::move(contestant)});
  read_tables(all, table, roles, exec, tell);
  share_rows(all, table.source->shape().rows);
  std::vector<const Metric*> metrics = metrics_of(all, options.metrics);
  const ModelTable& data = *first_running(all).data;
  const std::vector<Folds> splits = split_rows(data, roles, options.folds, exec);
  Measuring measuring{metrics};
  if (!options.positive.empty()) {
    measuring.positive = find_positive(data.schema(), options.positive);
  }
  Results guessing = measure_guessing(data.source(), splits, measuring, exec);
  const Index folds = ssize(splits) * splits[0].size;
  each_running(all, [&](Running& model) {
    const Index before = (&model - all.data()) * folds;
    const auto next_fold = [&](Index fold) {
      next(before + fold, ssize(all) * folds, model.contestant.name);
    };
    model.results = cross_validate(model.data->source(), splits, model.contestant.trial, measuring,
                                   exec, next_fold);
  });
  return collected(std::move(all), std::move(metrics), std::move(guessing));
}

}  // namespace craton
