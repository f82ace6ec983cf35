#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <new>

#include "craton/base/error.h"
#include "craton/base/hash.h"
#include "craton/base/random.h"
#include "craton/engine/agree.h"
#include "tests/laws/laws.h"

// Whatever goes wrong on one rank, wherever it does, ends all ranks with the same error. Each kind
// of call is tried on every model, and 200 faults in all are put where they may come from.

using namespace craton;
using namespace craton::laws;

namespace {

constexpr Index kRows = 3 * 4096 + 100;  // every one of three ranks has some
constexpr int kFaults = 200;
constexpr unsigned kSeconds = 60;  // a machine that is busy takes a few; ranks that hang take all

// A rank that waits for ever is to fail the test, not to stop it.
class Watchdog {
 public:
  explicit Watchdog(const std::string& what) {
    std::strncpy(text_, (what + ": ranks hang\n").c_str(), sizeof(text_) - 1);
    ::signal(SIGALRM, [](int) {
      [[maybe_unused]] const auto written = ::write(2, text_, std::strlen(text_));
      ::_exit(1);
    });
    ::alarm(kSeconds);
  }
  ~Watchdog() { ::alarm(0); }

 private:
  static inline char text_[300] = {};
};

enum Where { kFetch, kDecode, kGather, kReopen, kPoll, kOption, kColumns, kWheres };
constexpr std::array<const char*, kWheres> kWhereNames{"fetch", "decode", "gather", "reopen",
                                                       "poll",  "option", "columns"};

enum class What { kInput, kInterrupted, kMemory, kOther };

[[noreturn]] void throw_fault(What what) {
  switch (what) {
    case What::kInput:
      throw InputError(Code::kCannotRead, {.file = "f.csv", .row = 7}, "a planted fault", "");
    case What::kInterrupted:
      throw Interrupted();
    case What::kMemory:
      throw std::bad_alloc();
    case What::kOther:
      break;
  }
  throw std::runtime_error("a planted fault");
}

// Counts what one rank does, and fails at one of those calls.
struct Trap {
  Where where = kWheres;  // nowhere
  Index call = 0;
  What what = What::kInput;
  std::array<std::atomic<Index>, kWheres> calls{};

  bool springs(Where here) { return calls[here]++ == call && here == where; }
  void pass(Where here) {
    if (springs(here)) throw_fault(what);
  }
};

class TrappedSource final : public Source {
 public:
  TrappedSource(std::unique_ptr<Source> source, Trap& trap)
      : source_(std::move(source)), trap_(trap) {}
  Shape shape() const override { return source_->shape(); }
  const Schema& schema() const override { return source_->schema(); }
  void fetch(RowRange range, Block& block) override {
    trap_.pass(kFetch);
    source_->fetch(range, block);
  }
  void decode(Block& block, Chunk& chunk) const override {
    trap_.pass(kDecode);
    source_->decode(block, chunk);
  }
  void gather(std::span<const Index> rows, std::span<double> out) override {
    trap_.pass(kGather);
    source_->gather(rows, out);
  }
  std::unique_ptr<Source> reopen() const override {
    trap_.pass(kReopen);
    return std::make_unique<TrappedSource>(source_->reopen(), trap_);
  }

 private:
  std::unique_ptr<Source> source_;
  Trap& trap_;
};

class TrappedProgress final : public Progress {
 public:
  explicit TrappedProgress(Trap& trap) : trap_(trap) {}
  bool keep_going() override { return !trap_.springs(kPoll); }

 private:
  Trap& trap_;
};

// All that is asked of a model and a table; the answer is a hash.
struct Question {
  const Fitted& fitted;
  std::span<const NamedOption> options;
  Source& x;
  const Exec& exec;

  const ModelInfo& info() const { return fitted.info(); }
  const AnyModel& model() const { return *fitted.model; }
};

struct Verb {
  std::string name;
  bool able, takes_options;
  std::string (*ask)(const Question& q);
};

std::string hash_of(const std::vector<double>& answer) {
  return hash_hex(std::as_bytes(std::span(answer)));
}

// What a model writes for each row, that many numbers of them.
template <class F>
std::string hash_rows(const Question& q, Index columns, const F& write) {
  std::vector<double> out(usize(q.x.shape().rows * columns));
  write(out);
  return hash_of(out);
}

std::vector<Verb> verbs_of(const ModelInfo& model) {
  const Abilities& can = model.abilities;
  using Q = const Question&;
  std::vector<Verb> all{
      {"fit", true, true, [](Q q) { return digest(q.info().fit(q.x, q.options, q.exec)); }},
      {"fit_from", can.fit_from, true,
       [](Q q) { return digest(q.info().fit_from(q.fitted, q.x, q.options, q.exec)); }},
      {"partial_fit", can.partial_fit, true,
       [](Q q) { return digest(q.info().partial_fit(q.fitted, q.x, q.options, q.exec)); }},
      {"unlearn", can.unlearn, true,
       [](Q q) {
         const Fitted more = q.info().partial_fit(q.fitted, q.x, q.options, q.exec);
         return digest(q.info().unlearn(more, q.x, q.options, q.exec));
       }},
      {"predict", can.predict, false,
       [](Q q) {
         std::vector<std::int32_t> labels(usize(q.x.shape().rows));
         q.model().predict(q.x, labels, q.exec);
         return hash_hex(std::as_bytes(std::span(labels)));
       }},
      {"predict_log_proba", can.predict_log_proba, false,
       [](Q q) {
         return hash_rows(q, q.model().classes(), [&](std::span<double> out) {
           q.model().predict_log_proba(q.x, out, q.exec);
         });
       }},
      {"predict_numbers", can.predict_numbers, false,
       [](Q q) {
         return hash_rows(
             q, 1, [&](std::span<double> out) { q.model().predict_numbers(q.x, out, q.exec); });
       }},
      {"intervals", can.intervals, false,
       [](Q q) {
         return hash_of(*q.model().intervals(q.x, 0.95, q.exec).find("high")->numbers());
       }},
      {"score_samples", can.score_samples, false,
       [](Q q) {
         return hash_rows(
             q, 1, [&](std::span<double> out) { q.model().score_samples(q.x, out, q.exec); });
       }},
      {"transform", can.transform, false,
       [](Q q) {
         return hash_rows(q, q.model().outputs(),
                          [&](std::span<double> out) { q.model().transform(q.x, out, q.exec); });
       }},
      {"score", can.score, false, [](Q q) { return hash_of({q.model().score(q.x, q.exec)}); }},
      {"measures", can.measures, false,
       [](Q q) {
         std::vector<double> values;
         for (const Measure& m : q.model().measures(q.x, q.exec)) values.push_back(m.value);
         return hash_of(values);
       }},
      {"entropy", can.entropy, false,
       [](Q q) { return hash_of({q.model().entropy(q.x, q.exec)}); }},
      {"statistics", can.statistics, false,
       [](Q q) { return hash_hex(q.model().statistics(q.x, q.exec)); }},
  };
  std::erase_if(all, [](const Verb& verb) { return !verb.able; });
  return all;
}

// What f returns, or its error in words.
template <class F>
std::string outcome(const F& f) {
  try {
    return f();
  } catch (const InputError& error) {
    return std::string(info(error.code()).id) + " " + error.place().file + " row " +
           std::to_string(error.place().row) + ": " + error.what();
  } catch (const Interrupted&) {
    return "interrupted";
  } catch (const std::bad_alloc&) {
    return "no memory";
  } catch (const std::exception& error) {
    return std::string("other: ") + error.what();
  }
}

// One model, the tables that it is tried on, and its ranks.
class Trial {
 public:
  explicit Trial(const ModelInfo& model)
      : data_(groups(model, kRows, 2, 1)),
        wider_(groups(model, kRows, 3, 1)),
        options_(small_options(model)),
        bad_options_(options_),
        fitted_(fit(model, data_)) {
    bad_options_.emplace_back("no_such_option", Index{1});
  }

  // The outcome on each rank, when the trap is on one of them.
  std::vector<std::string> run(const Verb& verb, int ranks, int trapped, Trap& trap,
                               int threads = 1) const {
    std::vector<std::string> outcomes(static_cast<std::size_t>(ranks));
    run_in_process_ranks(ranks, [&](Comm& comm) {
      Trap none;
      Trap& mine = comm.rank() == trapped ? trap : none;
      TrappedProgress progress(mine);
      const Exec exec{.threads = threads, .comm = &comm, .progress = &progress};
      const MemorySource rows = (mine.where == kColumns ? wider_ : data_).source();
      const TrappedSource table(rows.reopen(), mine);
      const auto act = [&] {
        const std::unique_ptr<Source> own = table.reopen();
        const auto& options = mine.where == kOption ? bad_options_ : options_;
        return verb.ask({fitted_, options, *own, exec});
      };
      outcomes[static_cast<std::size_t>(comm.rank())] =
          outcome([&] { return trap.where == kReopen ? agree(exec, act) : act(); });
    });
    return outcomes;
  }

 private:
  Data data_, wider_;
  std::vector<NamedOption> options_, bad_options_;
  Fitted fitted_;
};

bool is_answer(const std::string& outcome) { return outcome.size() == 32; }  // else an error

// Where on a rank a fault may lie that does this when nothing is wrong: so many calls.
Index calls_of(Where where, const Verb& verb, const Trap& sound) {
  if (where == kReopen) return 1;
  if (where == kOption) return verb.takes_options ? 1 : 0;
  if (where == kColumns) return verb.name == "fit" ? 0 : 1;
  return sound.calls[where];
}

}  // namespace

TEST_CASE("2 and 3 ranks say what one says, whatever is asked") {
  for_every_model([](const ModelInfo& model) {
    const Trial trial(model);
    for (const Verb& verb : verbs_of(model)) {
      CAPTURE(verb.name);
      const Watchdog watchdog(std::string(model.name) + " " + verb.name);
      Trap none;
      const std::string expected = trial.run(verb, 1, 0, none)[0];
      CHECK(is_answer(expected));
      for (const int ranks : {2, 3}) {
        for (const std::string& said : trial.run(verb, ranks, 0, none)) CHECK(said == expected);
      }
    }
  });
}

TEST_CASE("each of 200 faults on one rank ends all ranks, with the same error") {
  const auto of_model = (kFaults + ssize(models()) - 1) / ssize(models());
  std::array<Index, kWheres> tried{};
  for_every_model([&](const ModelInfo& model) {
    const Trial trial(model);
    const std::vector<Verb> verbs = verbs_of(model);
    Random random(1, Purpose::kTest, 0, static_cast<std::uint64_t>(&model - models().data()));
    for (Index i = 0; i < of_model;) {
      const Verb& verb = verbs[usize(random.below(2) * random.below(ssize(verbs)))];
      const int ranks = 2 + static_cast<int>(random.below(2));
      const int trapped = static_cast<int>(random.below(ranks));
      Trap sound, trap;
      trap.where = static_cast<Where>(random.below(kWheres));
      trap.what = static_cast<What>(random.below(4));
      const std::string fault = std::string(model.name) + " " + verb.name + ", a fault in " +
                                kWhereNames[trap.where] + " on rank " + std::to_string(trapped) +
                                " of " + std::to_string(ranks);
      CAPTURE(fault);
      const Watchdog watchdog(fault);
      trial.run(verb, ranks, trapped, sound);
      const Index calls = calls_of(trap.where, verb, sound);
      if (calls == 0) continue;
      trap.call = random.below(calls);
      CAPTURE(trap.call);
      const int threads = trap.where == kPoll ? 1 : 1 + static_cast<int>(random.below(2));
      const std::vector<std::string> outcomes = trial.run(verb, ranks, trapped, trap, threads);

      std::string expected = outcomes[static_cast<std::size_t>(trapped)];
      CHECK_FALSE(is_answer(expected));
      if (trap.where == kPoll) expected = "interrupted";
      if (trap.where <= kReopen) {
        expected = outcome([&]() -> std::string { throw_fault(trap.what); });
      }
      for (const std::string& said : outcomes) CHECK(said == expected);
      ++tried[trap.where];
      ++i;
    }
  });
  for (const Index count : tried) CHECK(count > 0);  // few models gather rows
}
