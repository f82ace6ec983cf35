#include "craton/engine/agree.h"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>

#include "craton/base/bytes.h"
#include "craton/base/error.h"

namespace craton {
namespace {

enum class Status : int { kFine, kInput, kInterrupted, kMemory, kAssertion, kOther };

void write_failure(const Failure& failure, Writer& message) {
  const auto put = [&](Status status, const std::string& text) {
    message.put(status);
    message.put(failure.task);
    message.put(text);
  };
  if (!failure.error) return put(Status::kFine, "");
  try {
    std::rethrow_exception(failure.error);
  } catch (const InputError& error) {
    put(Status::kInput, "");
    error.complaint().write(message);
    error.advice().write(message);
    message.put(error.code());
    message.put(error.place().file);
    message.put(error.place().line);
    message.put(error.place().row);
    message.put(error.place().column);
  } catch (const Interrupted&) {
    put(Status::kInterrupted, "");
  } catch (const std::bad_alloc&) {
    put(Status::kMemory, "");
  } catch (const std::logic_error& error) {
    put(Status::kAssertion, error.what());
  } catch (const std::exception& error) {
    put(Status::kOther, error.what());
  } catch (...) {
    put(Status::kOther, "an error that says nothing");
  }
}

Failure read_failure(Reader& message) {
  Status status{};
  Failure failure;
  std::string text;
  message.get(status);
  message.get(failure.task);
  message.get(text);
  if (status == Status::kInput) {
    Message complaint, advice;
    Code code{};
    Place place;
    complaint.read(message);
    advice.read(message);
    message.get(code);
    message.get(place.file);
    message.get(place.line);
    message.get(place.row);
    message.get(place.column);
    failure.error = std::make_exception_ptr(InputError::repeated(code, place, complaint, advice));
  }
  if (status == Status::kInterrupted) failure.error = std::make_exception_ptr(Interrupted());
  if (status == Status::kMemory) failure.error = std::make_exception_ptr(std::bad_alloc());
  if (status == Status::kAssertion) failure.error = std::make_exception_ptr(std::logic_error(text));
  if (status == Status::kOther) failure.error = std::make_exception_ptr(std::runtime_error(text));
  return failure;
}

}  // namespace

// Where a rank meets the others, and how it fared.
struct Agreement::Stand {
  int depth = 0;        // the agree() calls that it is inside of
  bool at_end = false;  // of the innermost; else at a fold
  Index words = 0;      // of the fold's statistics
  Failure failure = {};

  // From the outside in: the end of an agree() lies outside of the folds in it.
  int level() const { return 2 * depth + (at_end ? 0 : 1); }
  bool same_place(const Stand& other) const {
    return level() == other.level() && words == other.words;
  }

  void write(Writer& message) const {
    message.put(depth);
    message.put(at_end);
    message.put(words);
    write_failure(failure, message);
  }
  void read(Reader& message) {
    message.get(depth);
    message.get(at_end);
    message.get(words);
    failure = read_failure(message);
  }
};

// False: others are further inside, and this rank is to meet them again.
bool Agreement::all_here(Comm& comm, const Stand& mine) {
  Writer message;
  mine.write(message);
  bool together = true, outermost = true;
  std::vector<Stand> all;
  for (const Bytes& bytes : comm.allgather(message.bytes())) {
    Reader reader(bytes);
    Stand& theirs = all.emplace_back();
    theirs.read(reader);
    together = together && theirs.same_place(mine);
    outermost = outermost && mine.level() <= theirs.level();
  }
  if (!together && mine.at_end && outermost) return false;

  Failure lowest;
  for (const Stand& theirs : all) {
    if (!theirs.failure.error) continue;
    const bool lower = together && theirs.failure.task < lowest.task;
    if (!lowest.error || lower) lowest = theirs.failure;
  }
  rethrow(lowest);
  if (!together) throw std::logic_error("ranks that run the same program stand at different folds");
  return true;
}

void Agreement::meet(Comm& comm, const Failure& mine, Index words) {
  all_here(comm, {comm.depth_, false, words, mine});
}

void Agreement::run(Comm& comm, FunctionRef<void()> f) {
  struct Inside {
    explicit Inside(int& depth) : depth_(depth) { ++depth_; }
    ~Inside() { --depth_; }
    int& depth_;
  };
  const Inside inside(comm.depth_);
  Stand mine{comm.depth_, true};
  try {
    f();
  } catch (...) {
    mine.failure.error = std::current_exception();
  }
  while (!all_here(comm, mine)) {
  }
}

}  // namespace craton
