#pragma once
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace craton {

// A value that is made when it is first asked for, by whichever thread asks; copies share it. So a
// fit does not pay for a form of its result that nobody may want.
template <class T>
class Lazy {
 public:
  Lazy() : Lazy(T()) {}
  Lazy(T value) : state_(std::make_shared<State>(std::move(value))) {}
  // make() is called once, unless it throws.
  template <class Make>
  static Lazy made_by(Make make) {
    return Lazy(std::make_shared<Maker<Make>>(std::move(make)));
  }

  // One that its owner makes: the first make() that is called for it is the only one.
  static Lazy unmade() { return Lazy(std::make_shared<State>()); }
  template <class Make>
  const T& get(Make make) const {
    std::call_once(state_->once, [&] {
      if (!state_->value) state_->value = make();
    });
    return *state_->value;
  }

  const T& get() const {
    std::call_once(state_->once, [&] {
      if (!state_->value) state_->value = state_->make();
    });
    return *state_->value;
  }

 private:
  struct State {
    State() = default;
    explicit State(T given) : value(std::move(given)) {}
    virtual ~State() = default;
    virtual std::optional<T> make() { return {}; }

    std::once_flag once;
    std::optional<T> value;
  };
  template <class Make>
  struct Maker final : State {
    explicit Maker(Make make) : make_value(std::move(make)) {}
    std::optional<T> make() override { return make_value(); }
    Make make_value;
  };
  explicit Lazy(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;
};

}  // namespace craton
