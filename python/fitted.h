#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "craton/base/notes.h"
#include "craton/families/family.h"
#include "craton/model/fit_steps.h"
#include "craton/model/registry.h"
#include "python/values.h"
#include "python/wording.h"

// What a fitted model tells of itself, as Python values.

namespace craton {

// The names of the parameters of each family, in the order of the table.
inline nanobind::dict family_parameters() {
  nanobind::dict result;
  for (const Family* f : families()) result[f->name().data()] = f->parameter_names(1);
  return result;
}

inline nanobind::object to_python(Parameter p) {
  if (p.text) return nanobind::cast(*p.text);
  return to_numpy(std::move(p.value.values), p.value.shape);
}

inline nanobind::dict parameters(const Fitted& m) {
  nanobind::dict result;
  for (Parameter& p : m.model->parameters()) {
    const std::string name = p.name;
    result[name.c_str()] = to_python(std::move(p));
  }
  return result;
}

inline nanobind::object parameter(const Fitted& m, std::string_view name) {
  std::optional<Parameter> found = parameter_of(*m.model, name);
  if (!found) throw nanobind::key_error(std::string(name).c_str());
  return to_python(*std::move(found));
}

// What is done to its rows first; without the names' common beginning.
inline nanobind::dict preparation(const Fitted& m) {
  nanobind::dict result;
  for (Parameter& p : m.model->steps().parameters()) {
    if (!Preparation::is_parameter(p.name)) continue;
    const std::string name = p.name.substr(p.name.find('.') + 1);
    result[name.c_str()] = to_numpy(std::move(p.value.values), p.value.shape);
  }
  return result;
}

// Did the columns have names of their own?
inline bool named(const Schema& schema) {
  for (Index j = 0; j < ssize(schema.columns); ++j) {
    if (schema.columns[usize(j)].name != std::to_string(j + 1)) return true;
  }
  return false;
}

inline nanobind::dict memory(const Fitted& m) {
  nanobind::dict result;
  for (const Parameter& p : m.memory.get()) result[p.name.c_str()] = to_python(p);
  return result;
}

inline nanobind::object target(const Fitted& m) {
  if (!m.schema.target) return nanobind::none();
  const Column& t = *m.schema.target;
  return nanobind::make_tuple(t.name, t.kind == ColumnKind::kNumber, t.levels);
}

inline nanobind::dict parameter_help(const Fitted& m) {
  nanobind::dict result;
  const ParameterList all = ParameterList::of(*m.model);
  for (const ParameterView& p : all.all()) result[p.name.c_str()] = p.help;
  return result;
}

inline nanobind::dict options(const Fitted& m) {
  nanobind::dict result;
  for (const auto& [name, value] : m.options) result[name.c_str()] = to_python(value);
  return result;
}

// What `craton describe` says beside the summary, in the parts that it is made of.
inline nanobind::dict about(const Fitted& m) {
  const ModelInfo& info = m.info();
  nanobind::list changed;
  for (const Option& option : all_options(info)) {
    for (const auto& [name, value] : m.options) {
      if (name != option.name || value == option.value) continue;
      changed.append(nanobind::make_tuple(name, to_text(value)));
    }
  }
  nanobind::dict result;
  result["help"] = info.help;
  result["objective"] = info.objective;
  result["changed"] = changed;
  result["free"] = nanobind::none();
  if (m.model->counts_parameters()) {
    const Index all = m.model->free_parameters({}), free = m.model->free_parameters(m.options);
    result["free"] = nanobind::make_tuple(free, all - free);
  }
  result["made_by"] = nanobind::make_tuple(m.origin.library_version, m.origin.cpu);
  return result;
}

inline nanobind::dict report(const Fitted& m) {
  nanobind::list notes;
  for (const Note& note : m.report.notes) {
    notes.append(nanobind::make_tuple(note.code, note.text.in(PythonWording()), !is_remark(note)));
  }
  nanobind::dict result;
  result["iterations"] = m.report.iterations;
  result["converged"] = m.report.converged;
  const Abilities& able = m.info().abilities;
  result["closed_form"] = (able.labels || able.some_labels || able.numbers) && m.report.converged &&
                          m.report.iterations == 0;
  result["objective"] = m.report.objective;
  result["trace"] = to_numpy(m.report.trace, {std::ssize(m.report.trace)});
  std::vector<double> half_steps;
  for (const HalfStep& step : m.report.half_steps) {
    half_steps.insert(half_steps.end(), {step.expected, step.entropy});
  }
  result["half_steps"] = to_numpy(std::move(half_steps), {std::ssize(m.report.half_steps), 2});
  nanobind::list traces;
  for (const auto& trace : m.report.start_traces) {
    traces.append(to_numpy(trace, {std::ssize(trace)}));
  }
  result["start_traces"] = traces;
  result["notes"] = notes;
  return result;
}

}  // namespace craton
