#pragma once
#include <memory>
#include <vector>

#include "craton/base/matrix.h"

// One row at a time, for programs that have a model in them:
//
//   const Fitted birds = load_model("birds.craton");
//   RowWork work(*birds.model);                        // one for each thread
//   const std::int32_t label = birds.model->predict_row(row, work);
//
// The model is const, and any number of threads share it. Models that can (Abilities::rows) take
// no memory beyond `work`, and no lock; the others take the long way of predict(). Answers are
// those of predict(), predict_log_proba() and score_samples(), to the bit.
//
// Of a model of texts the same is predict_text(text, work). Its room grows with the longest text
// so far: no other takes memory.

namespace craton {

struct TextWork;  // text/count.h

// What a model works on while it looks at a row.
class RowWork {
 public:
  template <class M>
  explicit RowWork(const M& model) : RowWork(model.row_work()) {}
  RowWork(RowWork&&) noexcept;
  RowWork& operator=(RowWork&&) noexcept;
  ~RowWork();

  double* data() {  // on a 64-byte boundary
    const std::uintptr_t after = reinterpret_cast<std::uintptr_t>(doubles_.data()) / 8 % kBoundary;
    return doubles_.data() + (kBoundary - after) % kBoundary;
  }
  Index size() const { return static_cast<Index>(doubles_.size()) - kBoundary; }
  TextWork& of_texts() { return *texts_; }

 private:
  explicit RowWork(Index doubles);
  static constexpr Index kBoundary = 8;  // doubles
  std::vector<double> doubles_;
  std::unique_ptr<TextWork> texts_;
};

}  // namespace craton
