#include <craton/engine/em.h>

#include <cmath>
#include <cstdio>
#include <vector>

// A model of your own on the EM driver: lifetimes from two kinds of parts,
//
//   p(x) = sum_c w_c exp(-x / m_c) / m_c,    m_c the mean lifetime of kind c.
//
// Say what is summed over rows (accumulate, merge) and what follows from the sums (update);
// threads, files, ranks, convergence and the check that the likelihood never falls are the
// driver's.

struct Lifetimes {
  double weight[2] = {0.5, 0.5}, mean[2] = {1, 10};
};

// With r_c = p(c | x): n_c = sum r_c, total_c = sum r_c x, and the log-likelihood.
struct Sums {
  Lifetimes model;
  double n[2] = {}, total[2] = {}, log_likelihood = 0;

  double objective() const { return log_likelihood / (n[0] + n[1]); }
  void accumulate(const craton::Chunk& chunk) {
    const auto& x = std::get<craton::Dense<double>>(chunk.x);
    for (craton::Index i = 0; i < x.rows; ++i) {
      const double value = *x.row(i);
      double p[2];
      for (int c = 0; c < 2; ++c) {
        p[c] = model.weight[c] * std::exp(-value / model.mean[c]) / model.mean[c];
      }
      for (int c = 0; c < 2; ++c) {
        const double r = chunk.weight(i) * p[c] / (p[0] + p[1]);
        n[c] += r, total[c] += r * value;
      }
      log_likelihood += chunk.weight(i) * std::log(p[0] + p[1]);
    }
  }
  void merge(const Sums& next) {  // the rows of `next` follow ours
    for (int c = 0; c < 2; ++c) n[c] += next.n[c], total[c] += next.total[c];
    log_likelihood += next.log_likelihood;
  }
  void write(craton::Writer& to) const { to.put(n), to.put(total), to.put(log_likelihood); }
  void read(craton::Reader& from) { from.get(n), from.get(total), from.get(log_likelihood); }
  craton::Index words() const { return 5; }
  craton::Merge merge_kind() const { return craton::Merge::kTree; }
};

double update(Lifetimes& model, const Sums& sums) {
  double change = 0;
  for (int c = 0; c < 2; ++c) {
    const double mean = sums.total[c] / sums.n[c];
    change = std::max(change, std::abs(mean - model.mean[c]));
    model.mean[c] = mean;
    model.weight[c] = sums.n[c] / (sums.n[0] + sums.n[1]);
  }
  return change;
}

int main() {
  // Quantiles of a 30 : 70 mixture with means 2 and 20, by inversion of its distribution function.
  constexpr craton::Index kRows = 20'000;
  std::vector<double> hours;
  double x = 0;
  for (craton::Index i = 0; i < kRows; ++i) {
    const double tail = 1 - (static_cast<double>(i) + 0.5) / kRows;
    for (int step = 0; step < 50; ++step) {  // Newton on log tail(x), which is convex
      const double a = 0.3 * std::exp(-x / 2), b = 0.7 * std::exp(-x / 20);
      x += (std::log(a + b) - std::log(tail)) * (a + b) / (a / 2 + b / 20);
    }
    hours.push_back(x);
  }
  craton::MemorySource data({.x = craton::Dense<double>{hours.data(), kRows, 1, 1}});

  const auto fit = craton::em(data, Lifetimes{}, [](const Lifetimes& model) { return Sums{model}; },
                              update, {.max_iter = 2000, .tol = 1e-12}, {.threads = 2});

  std::printf("%s after %lld updates, log-likelihood per row %.4f\n",
              fit.report.converged ? "converged" : "not converged",
              static_cast<long long>(fit.report.iterations), fit.report.objective);
  for (int c = 0; c < 2; ++c) {
    std::printf("kind %d: share %.3f, mean lifetime %.2f hours\n", c, fit.model.weight[c],
                fit.model.mean[c]);
  }
  const bool found = std::abs(fit.model.mean[0] - 2) < 0.05 &&
                     std::abs(fit.model.mean[1] - 20) < 0.2 &&
                     std::abs(fit.model.weight[0] - 0.3) < 0.01;
  return fit.report.converged && found ? 0 : 1;
}
