#pragma once
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "craton/base/matrix.h"

// What a model learned, under public names: model files keep it, people and Python read it. A model
// says each of its parameters once, where it lies,
//
//   void GaussianMixture::visit_parameters(ParameterVisitor& v) const {
//     v.doubles("means", "the mean of each component, one a row", means_);
//   }
//
// and is made again from a list of them, in the memory of a file or of another model:
//
//   GaussianMixture GaussianMixture::from_parameters(const ParameterList& parameters) {
//     const ArrayView means = parameters.doubles("means", {k, -1});

namespace craton {

// Numbers, or a text in UTF-8, in somebody else's memory. Files number the types in this order.
using Elements =
    std::variant<std::span<const double>, std::span<const float>, std::span<const std::int16_t>,
                 std::span<const std::int32_t>, std::string_view>;

Index count(const Elements& elements);

// A parameter in somebody else's memory. The shape of a text is its number of bytes.
struct ParameterView {
  std::string name, help;
  std::vector<Index> shape;
  Elements elements;
};

// The same with a value of its own, as people are shown it: all numbers as doubles, or a text.
struct Parameter {
  std::string name, help;
  Array value;
  std::optional<std::string> text = {};
  bool operator==(const Parameter&) const = default;
};
Parameter copy_of(const ParameterView& parameter);

// An array of doubles in somebody else's memory.
struct ArrayView {
  std::span<const Index> shape;
  std::span<const double> values;

  bool empty() const { return values.empty(); }
  Index rows() const { return shape.empty() ? 0 : shape[0]; }
  Index cols() const { return shape.size() < 2 ? 1 : shape[1]; }
  Dense<double> view() const { return {values.data(), rows(), cols(), cols()}; }
  Array copy() const { return {{shape.begin(), shape.end()}, {values.begin(), values.end()}}; }
};

// Is told the parameters of a model, one after the other. What is given as an lvalue, or a view, is
// borrowed: requires that it lives as long as the model. What is made for the occasion is given
// away.
class ParameterVisitor {
 public:
  virtual ~ParameterVisitor() = default;

  void doubles(std::string_view name, std::string_view help, const Array& array);
  void doubles(std::string_view name, std::string_view help, Array&& made);
  void doubles(std::string_view name, std::string_view help, std::span<const Index> shape,
               std::span<const double> values);
  void number(std::string_view name, std::string_view help, double value);  // an array of one
  void floats(std::string_view name, std::string_view help, std::span<const Index> shape,
              std::span<const float> values);
  void int16s(std::string_view name, std::string_view help, std::span<const Index> shape,
              std::span<const std::int16_t> values);
  void int32s(std::string_view name, std::string_view help, std::span<const Index> shape,
              std::span<const std::int32_t> values);
  void text(std::string_view name, std::string_view help, std::string_view utf8);

  // Those of a model within the model, by their names behind "name.".
  template <class M>
  void part(std::string_view name, const M& model) {
    const std::size_t outer = prefix_.size();
    prefix_.append(name).append(".");
    model.visit_parameters(*this);
    prefix_.resize(outer);
  }

 private:
  // `made` holds the elements when they are nobody else's; otherwise it is empty.
  virtual void visit(ParameterView parameter, std::vector<double> made) = 0;
  ParameterView named(std::string_view name, std::string_view help, std::span<const Index> shape,
                      Elements elements) const;

  std::string prefix_;
};

// Parameters by name, where they lie. InputError (kDamagedModel) names one that is missing, of
// another type or of another shape; in shapes, -1 stands for any size.
class ParameterList {
 public:
  ParameterList() = default;
  explicit ParameterList(std::vector<ParameterView> all);
  ParameterList(std::span<const Parameter> parameters);           // NOLINT: borrowed as they are
  ParameterList(const std::vector<Parameter>& parameters)         // NOLINT
      : ParameterList(std::span<const Parameter>(parameters)) {}  // no temporary outlives the call
  ParameterList(ParameterList&&) = default;
  ParameterList& operator=(ParameterList&&) = default;

  // Of a model: anything with visit_parameters().
  template <class M>
  static ParameterList of(const M& model) {
    Collector collector;
    model.visit_parameters(collector);
    return std::move(collector).list();
  }

  std::span<const ParameterView> all() const { return all_; }  // in the order they were given
  const ParameterView* find(std::string_view name) const;      // null: there is none
  bool has(std::string_view name) const { return find(name) != nullptr; }

  ArrayView doubles(std::string_view name, std::initializer_list<Index> shape) const {
    return doubles(name, std::span(shape.begin(), shape.size()));
  }
  ArrayView doubles(std::string_view name, std::span<const Index> shape) const;
  double number(std::string_view name) const { return doubles(name, {1}).values[0]; }
  std::span<const float> floats(std::string_view name, std::span<const Index> shape) const;
  std::span<const std::int16_t> int16s(std::string_view name, std::span<const Index> shape) const;
  std::span<const std::int32_t> int32s(std::string_view name, std::span<const Index> shape) const;
  std::string_view text(std::string_view name) const;

  // Those of a model within the model, by their own names: "part.0.means" of part("part.0") is
  // "means". Borrows this list's elements.
  ParameterList part(std::string_view name) const;

 private:
  class Collector final : public ParameterVisitor {
   public:
    ParameterList list() && { return ParameterList(std::move(all_), std::move(made_)); }

   private:
    void visit(ParameterView parameter, std::vector<double> made) override;
    std::vector<ParameterView> all_;
    std::vector<std::vector<double>> made_;
  };
  ParameterList(std::vector<ParameterView> all, std::vector<std::vector<double>> made);
  template <class T>
  T get(std::string_view name, std::span<const Index> shape) const;

  std::vector<ParameterView> all_;
  std::vector<std::size_t> by_name_;       // places in all_, sorted: parts are ranges
  std::vector<std::vector<double>> made_;  // what elements were given away; moves leave it in place
};

// Copies of all parameters of a model, or of the one with that name, if there is one.
std::vector<Parameter> copy_all(const ParameterList& parameters);
template <class M>
std::vector<Parameter> parameters_of(const M& model) {
  return copy_all(ParameterList::of(model));
}
template <class M>
std::optional<Parameter> parameter_of(const M& model, std::string_view name) {
  const ParameterList all = ParameterList::of(model);
  const ParameterView* const found = all.find(name);
  if (found == nullptr) return {};
  return copy_of(*found);
}

// For from_parameters(): throws InputError (kDamagedModel).
[[noreturn]] void fail_parameters(const std::string& what);

// The same of arrays that own their values, such as what a model remembers of its rows.
const Array& get_parameter(std::span<const Parameter> parameters, std::string_view name,
                           std::span<const Index> shape);

}  // namespace craton
