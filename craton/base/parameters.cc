#include "craton/base/parameters.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "craton/base/error.h"

namespace craton {
namespace {

[[noreturn]] void fail_absent(std::string_view name) {
  fail_parameters(fmt::format("parameter '{}' is missing", name));
}

void check_shape(std::string_view name, std::span<const Index> has, std::span<const Index> wants) {
  const bool fits = std::ranges::equal(
      has, wants, [](Index size, Index wanted) { return wanted == -1 || size == wanted; });
  if (!fits) fail_parameters(fmt::format("parameter '{}' has the wrong shape", name));
}

ParameterView view_of(const Parameter& p) {
  if (!p.text) return {p.name, p.help, p.value.shape, std::span(p.value.values)};
  return {p.name, p.help, {ssize(*p.text)}, std::string_view(*p.text)};
}

std::vector<ParameterView> views_of(std::span<const Parameter> parameters) {
  std::vector<ParameterView> all;
  for (const Parameter& p : parameters) all.push_back(view_of(p));
  return all;
}

}  // namespace

Index count(const Elements& elements) {
  return std::visit([](const auto& values) { return ssize(values); }, elements);
}

Parameter copy_of(const ParameterView& parameter) {
  Parameter copy{parameter.name, parameter.help, {}};
  if (const auto* text = std::get_if<std::string_view>(&parameter.elements)) {
    copy.text = *text;
    return copy;
  }
  copy.value.shape = parameter.shape;
  std::visit([&](const auto& from) { copy.value.values.assign(from.begin(), from.end()); },
             parameter.elements);
  return copy;
}

std::vector<Parameter> copy_all(const ParameterList& parameters) {
  std::vector<Parameter> copies;
  for (const ParameterView& p : parameters.all()) copies.push_back(copy_of(p));
  return copies;
}

ParameterView ParameterVisitor::named(std::string_view name, std::string_view help,
                                      std::span<const Index> shape, Elements elements) const {
  return {prefix_ + std::string(name), std::string(help), {shape.begin(), shape.end()}, elements};
}

void ParameterVisitor::doubles(std::string_view name, std::string_view help, const Array& array) {
  doubles(name, help, array.shape, array.values);
}

void ParameterVisitor::doubles(std::string_view name, std::string_view help,
                               std::span<const Index> shape, std::span<const double> values) {
  visit(named(name, help, shape, values), {});
}

void ParameterVisitor::doubles(std::string_view name, std::string_view help, Array&& made) {
  ParameterView parameter = named(name, help, made.shape, std::span(made.values));
  visit(std::move(parameter), std::move(made.values));
}

void ParameterVisitor::number(std::string_view name, std::string_view help, double value) {
  doubles(name, help, Array{{1}, {value}});
}

void ParameterVisitor::floats(std::string_view name, std::string_view help,
                              std::span<const Index> shape, std::span<const float> values) {
  visit(named(name, help, shape, values), {});
}

void ParameterVisitor::int16s(std::string_view name, std::string_view help,
                              std::span<const Index> shape, std::span<const std::int16_t> values) {
  visit(named(name, help, shape, values), {});
}

void ParameterVisitor::int32s(std::string_view name, std::string_view help,
                              std::span<const Index> shape, std::span<const std::int32_t> values) {
  visit(named(name, help, shape, values), {});
}

void ParameterVisitor::text(std::string_view name, std::string_view help, std::string_view utf8) {
  visit(named(name, help, std::array{ssize(utf8)}, utf8), {});
}

void ParameterList::Collector::visit(ParameterView parameter, std::vector<double> made) {
  all_.push_back(std::move(parameter));
  if (!made.empty()) made_.push_back(std::move(made));
}

ParameterList::ParameterList(std::vector<ParameterView> all, std::vector<std::vector<double>> made)
    : all_(std::move(all)), by_name_(all_.size()), made_(std::move(made)) {
  std::iota(by_name_.begin(), by_name_.end(), std::size_t{0});
  std::ranges::stable_sort(by_name_, {},
                           [&](std::size_t i) -> const std::string& { return all_[i].name; });
}

ParameterList::ParameterList(std::vector<ParameterView> all) : ParameterList(std::move(all), {}) {}

ParameterList::ParameterList(std::span<const Parameter> parameters)
    : ParameterList(views_of(parameters)) {}

const ParameterView* ParameterList::find(std::string_view name) const {
  const auto name_at = [&](std::size_t i) { return std::string_view(all_[i].name); };
  const auto at = std::ranges::lower_bound(by_name_, name, {}, name_at);
  return at != by_name_.end() && name_at(*at) == name ? &all_[*at] : nullptr;
}

template <class T>
T ParameterList::get(std::string_view name, std::span<const Index> shape) const {
  const ParameterView* const found = find(name);
  if (found == nullptr) fail_absent(name);
  const T* const elements = std::get_if<T>(&found->elements);
  if (elements == nullptr) fail_parameters(fmt::format("parameter '{}' has the wrong type", name));
  check_shape(name, found->shape, shape);
  return *elements;
}

ArrayView ParameterList::doubles(std::string_view name, std::span<const Index> shape) const {
  const auto values = get<std::span<const double>>(name, shape);
  return {find(name)->shape, values};
}

std::span<const float> ParameterList::floats(std::string_view name,
                                             std::span<const Index> shape) const {
  return get<std::span<const float>>(name, shape);
}

std::span<const std::int16_t> ParameterList::int16s(std::string_view name,
                                                    std::span<const Index> shape) const {
  return get<std::span<const std::int16_t>>(name, shape);
}

std::span<const std::int32_t> ParameterList::int32s(std::string_view name,
                                                    std::span<const Index> shape) const {
  return get<std::span<const std::int32_t>>(name, shape);
}

std::string_view ParameterList::text(std::string_view name) const {
  return get<std::string_view>(name, std::array<Index, 1>{-1});
}

ParameterList ParameterList::part(std::string_view name) const {
  const std::string prefix = std::string(name) + ".";
  const auto name_at = [&](std::size_t i) { return std::string_view(all_[i].name); };
  std::vector<ParameterView> own;
  for (auto at = std::ranges::lower_bound(by_name_, std::string_view(prefix), {}, name_at);
       at != by_name_.end() && name_at(*at).starts_with(prefix); ++at) {
    own.push_back(all_[*at]);
    own.back().name.erase(0, prefix.size());
  }
  return ParameterList(std::move(own));
}

void fail_parameters(const std::string& what) {
  throw InputError(Code::kDamagedModel, {}, what.substr(0, what.find('\n')),
                   "The file was written by another program or is damaged: fit again.");
}

const Array& get_parameter(std::span<const Parameter> parameters, std::string_view name,
                           std::span<const Index> shape) {
  const auto at = std::ranges::find(parameters, name, &Parameter::name);
  if (at == parameters.end()) fail_absent(name);
  check_shape(name, at->value.shape, shape);
  return at->value;
}

}  // namespace craton
