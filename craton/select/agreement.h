#pragma once
#include <span>
#include <vector>

#include "craton/base/matrix.h"

// How far two labellings of the same rows agree, whatever the labels are called. With n_ab rows of
// class a in cluster b, and their sums a_i, b_j:
//
//   Rand, adjusted Rand   shares of pairs of rows that both put together or both apart, and that
//                         less what chance gives (Hubert and Arabie 1985)
//   Fowlkes-Mallows       sqrt of the precision times the recall of pairs put together
//   mutual information    I = sum n_ij / n log(n n_ij / (a_i b_j)); over a mean of the entropies it
//                         is NMI, and with what chance gives taken from both it is AMI (Vinh, Epps
//                         and Bailey 2010)
//   homogeneity, completeness, V    I / H(classes), I / H(clusters), their harmonic mean
//                                   (Rosenberg and Hirschberg 2007)

namespace craton {

struct Contingency {
  struct Cell {
    Index row, column, count;
  };
  std::vector<Cell> cells;  // those that are not empty, by row
  std::vector<Index> rows, columns;
  Index size = 0;
};
// requires labels 0..classes-1 and 0..clusters-1; those that no row has are left out.
Contingency contingency(std::span<const std::int32_t> classes,
                        std::span<const std::int32_t> clusters);

// Ordered pairs of different rows, by whether the labellings put them together.
struct PairCounts {
  Index apart = 0, clusters_only = 0, classes_only = 0, together = 0;
};
PairCounts count_pairs(const Contingency& table);

double rand_index(const PairCounts& pairs);
double adjusted_rand_index(const PairCounts& pairs);
double fowlkes_mallows(const Contingency& table);

double entropy_of(std::span<const Index> counts);
double mutual_information(const Contingency& table);
// Its mean over all labellings with these counts.
double expected_mutual_information(const Contingency& table);

enum class EntropyMean { kMin, kGeometric, kArithmetic, kMax };
double normalised_mutual_information(const Contingency& table, EntropyMean mean);
double adjusted_mutual_information(const Contingency& table, EntropyMean mean);

struct VMeasure {
  double homogeneity, completeness, v;
};
VMeasure v_measure(const Contingency& table, double beta);

}  // namespace craton
