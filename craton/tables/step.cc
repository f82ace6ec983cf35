#include "craton/tables/step.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace craton {
namespace {

// First `a`, then `b`: (x - a.centre - a.scale b.centre) / (a.scale b.scale).
Affine after(const Affine& a, const Affine& b) {
  if (a.is_identity()) return b;
  if (b.is_identity()) return a;
  const std::size_t d =
      std::max({a.centre.size(), a.scale.size(), b.centre.size(), b.scale.size()});
  Affine both{std::vector<double>(d), std::vector<double>(d)};
  for (Index j = 0; j < ssize(both.centre); ++j) {
    both.centre[usize(j)] = a.centre_of(j) + a.scale_of(j) * b.centre_of(j);
    both.scale[usize(j)] = a.scale_of(j) * b.scale_of(j);
  }
  return both;
}

// Rows lie on 64-byte boundaries, as what a model works on does.
constexpr Index kBoundary = 8;

Index room_of(Index columns) { return (columns + kBoundary - 1) / kBoundary * kBoundary; }

}  // namespace

void Affine::restore(double* row, Index columns) const {
  for (Index j = 0; j < columns; ++j) row[j] = row[j] * scale_of(j) + centre_of(j);
}

double Affine::log_volume() const {
  double sum = 0;
  for (const double s : scale) sum -= std::log(s);
  return sum;
}

void Step::add_up(std::span<const double> of_outputs, std::span<double> of_inputs) const {
  std::copy(of_outputs.begin(), of_outputs.end(), of_inputs.begin());
}

void Step::visit_parameters(ParameterVisitor& v) const {
  for (Parameter& p : parameters()) v.doubles(p.name, p.help, std::move(p.value));
}

void SteppedRows::add(std::unique_ptr<Source> source) {
  last_ = source.get();
  sources_.push_back(std::move(source));
}

Steps::Steps(const Steps& other) : affine_(other.affine_), log_volume_(other.log_volume_) {
  for (const auto& step : other.steps_) steps_.push_back(step->copy());
}

Steps& Steps::operator=(Steps other) noexcept {
  steps_ = std::move(other.steps_);
  affine_ = std::move(other.affine_);
  log_volume_ = other.log_volume_;
  return *this;
}

void Steps::add(std::unique_ptr<Step> step) {
  const Affine* const next = step->affine();
  if (next == nullptr) affine_.reset();
  if (affine_) affine_ = after(*affine_, *next);
  log_volume_ += step->log_volume();
  steps_.push_back(std::move(step));
}

Index Steps::inputs(Index outputs) const {
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step)
    outputs = (*step)->inputs(outputs);
  return outputs;
}

SteppedRows Steps::over(Source& x) const {
  SteppedRows rows(x);
  for (const auto& step : steps_) rows.add(step->over(*rows));
  return rows;
}

Index Steps::row_room(Index outputs) const {
  Index room = 0;
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    room += room_of(outputs);
    outputs = (*step)->inputs(outputs);
  }
  return room;
}

const double* Steps::do_row(const double* row, Index outputs, double* work) const {
  // The widths before each step are known from the last to the first: the first rows lie last.
  const auto do_first = [&](auto&& self, std::size_t count, Index width, double* room) {
    if (count == 0) return row;
    const Step& step = *steps_[count - 1];
    const Index inputs = step.inputs(width);
    const double* const given = self(self, count - 1, inputs, room + room_of(width));
    step.do_row(given, inputs, room);
    return static_cast<const double*>(room);
  };
  return do_first(do_first, steps_.size(), outputs, work);
}

Schema Steps::schema(Schema given) const {
  for (const auto& step : steps_) {
    if (std::optional<Schema> made = step->schema(given)) given = *std::move(made);
  }
  return given;
}

bool Steps::fit(const Schema& given) const {
  Schema schema = given;
  for (const auto& step : steps_) {
    if (!step->fits(schema)) return false;
    if (std::optional<Schema> made = step->schema(schema)) schema = *std::move(made);
  }
  return true;
}

void Steps::add_up(std::span<const double> of_outputs, std::span<double> of_inputs) const {
  std::vector<double> of(of_outputs.begin(), of_outputs.end());
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    std::vector<double> before(usize((*step)->inputs(ssize(of))));
    (*step)->add_up(of, before);
    of = std::move(before);
  }
  std::copy(of.begin(), of.end(), of_inputs.begin());
}

Step::Cause Steps::not_affine() const {
  for (const auto& step : steps_) {
    if (step->affine() == nullptr) return step->not_affine();
  }
  return {};
}

void Steps::visit_parameters(ParameterVisitor& v) const {
  for (const auto& step : steps_) {
    step->visit_parameters(v);
  }
}

}  // namespace craton
