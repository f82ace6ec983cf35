#pragma once
#include <limits>
#include <span>
#include <vector>

#include "craton/base/source.h"
#include "craton/engine/fold.h"

// Sums over the rows of a softmax model, in one read of the table. Row i has the label y, the
// weight w and the terms
//
//   z_j = (x_j - centre_j) unit_j,  and 1 for the intercept;
//   eta_r = theta_r . z  for the classes r = 1..R,  eta_0 = 0  for the first class;
//   p_r = exp(eta_r) / sum_s exp(eta_s),  loss = -log p_y.
//
// Two classes are R = 1, logistic regression. Summed are the loss, sum w loss, and one of
//
//   gradient   sum w (p_r - [y = r]) z                         R x terms
//   curvature  sum w (p_r [r = s] - p_r p_s) z z'              and the gradient
//   meat       sum w (p_r - [y = r]) (p_s - [y = s]) z z'      the middle of the sandwich
//   along      the curvature times a vector v                  R x terms
//   firth      the gradient of the loss - 1/2 log det C, for a given inverse of C, the curvature:
//              sum w (p_r - [y = r] - 1/2 sum_st k_rst q_st) z,  q_st = z' (C^-1)_st z,
//              k_rst = d (p_s [s = t] - p_s p_t) / d eta_r
//   block      sum w p_c (1 - p_c) z z'  of one class c, the first among them, in floats
//   diagonal   sum w p_c (1 - p_c) z^2   of every class; of sparse rows not about the centre
//
// Rows without a label, or of weight 0, add nothing. Sparse rows are centred after they are summed:
// no zero is filled in, but for firth.

namespace craton {

// What stays the same during a fit.
struct LogisticTerms {
  Index columns = 0, classes = 2;              // classes: those that have rows
  bool intercept = true;                       // the last term
  std::vector<std::int32_t> class_of = {};     // of each label: 0..classes-1; -1: it has no rows
  std::vector<double> centre = {}, unit = {};  // of each column; a unit of 0 leaves it out
  Index words = 0;                             // of the sums, whatever is summed: one grid for all

  Index terms() const { return columns + (intercept ? 1 : 0); }
  Index forms() const { return classes - 1; }       // R
  Index size() const { return forms() * terms(); }  // of theta
  Index pairs() const { return forms() * (forms() + 1) / 2; }
};

enum class SumsOf {
  kGradient,
  kCurvature,
  kFloatCurvature,
  kPartCurvature,  // of a quarter of the rows, as if it were all; the rest is of all
  kMeat,
  kAlong,
  kFirth,
  kBlock,
  kDiagonal
};

class LogisticSums {
 public:
  // Borrows all for one pass. `with`: v of kAlong, the inverse of kFirth; `block`: c of kBlock.
  LogisticSums(const LogisticTerms& terms, std::span<const double> theta, SumsOf what,
               std::span<const double> with = {}, Index block = 0);

  double loss() const { return loss_; }
  // The least eta_y - eta_r of a row and a class: above 0, theta tells all rows apart.
  double margin() const { return margin_; }
  double top() const { return top_; }  // the greatest |eta_y - eta_r|
  std::vector<double> gradient() const;
  std::vector<double> curvature() const;                      // R terms x R terms, both triangles
  std::vector<double> diagonal() const { return gradient_; }  // classes x terms
  const std::vector<float>& block() const { return float_curvature_; }  // its lower triangle

  void accumulate(const Chunk& chunk);
  void merge(const LogisticSums& next);
  void write(Writer& writer) const;
  void read(Reader& reader);
  Index words() const { return terms_->words; }
  Merge merge_kind() const { return Merge::kTree; }

 private:
  template <class T>
  void add_dense(const Chunk& chunk, const Dense<T>& x);
  template <class T>
  void add_sparse(const Chunk& chunk, const Sparse<T>& x);
  template <class T>
  void fill(const Sparse<T>& x, Index first, Index rows);
  void add_block(const Chunk& chunk, Index first, Index rows);
  void weigh(const Chunk& chunk, Index first, Index rows);
  void link(const Chunk& chunk, Index first, Index rows);
  void turn_along(Index rows);
  void turn_firth(Index rows);
  void weigh_pair(Index rows, Index r, Index s);
  void weigh_class(Index rows, Index label);
  void add_diagonal(Index rows);
  bool floats() const {
    return (what_ == SumsOf::kFloatCurvature || what_ == SumsOf::kPartCurvature) && !sparse_;
  }
  bool pairwise() const {
    return what_ == SumsOf::kCurvature || what_ == SumsOf::kMeat ||
           what_ == SumsOf::kFloatCurvature || what_ == SumsOf::kPartCurvature;
  }
  bool left_out(const Chunk& chunk) const;
  double share() const;

  const LogisticTerms* terms_;
  std::span<const double> theta_, with_;
  SumsOf what_;
  Index block_;
  bool sparse_ = false;
  double loss_ = 0, margin_ = std::numeric_limits<double>::infinity(), top_ = 0;
  double weight_of_all_ = 0, weight_of_part_ = 0;  // of kPartCurvature
  std::vector<double> gradient_, curvature_;       // of sparse rows: of terms not centred yet
  std::vector<float> float_curvature_;
  // Of one block of rows: terms, eta, p, p of the first class, residuals, weights of rows and of
  // pairs.
  std::vector<double> z_, eta_, p_, first_p_, residual_, weight_, h_, work_;
  std::vector<float> z_float_, h_float_;

  // Room for the large ones, from chunk to chunk of a thread: new memory costs more than what is
  // done in it.
  struct Room {
    std::vector<double> z;
    std::vector<float> z_float;
  };
  void swap_room(Room& room) {
    z_.swap(room.z);
    z_float_.swap(room.z_float);
  }
};

}  // namespace craton
