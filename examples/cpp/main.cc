#include <craton/classes/gaussian_mixture/gaussian_mixture.h>

#include <cstdio>
#include <vector>

// Fits a mixture of two Gaussians to waiting times (minutes), and draws five new ones from it.
int main() {
  const std::vector<double> minutes{54, 51, 55, 52, 47, 83, 52, 62, 84, 52, 79, 51, 47, 78, 69,
                                    74, 83, 55, 76, 78, 79, 73, 77, 66, 80, 74, 52, 48, 80, 59};
  const auto rows = static_cast<craton::Index>(minutes.size());
  craton::MemorySource data({.x = craton::Dense<double>{minutes.data(), rows, 1, 1}});

  craton::GaussianMixture::Options options;
  options.n_components = 2;
  const auto fit = craton::GaussianMixture::fit(data, options, {.threads = 2});

  std::printf("log-likelihood per row %.4f after %lld passes\n", fit.report.objective,
              static_cast<long long>(fit.report.trace.size()));
  for (std::size_t c = 0; c < 2; ++c) {
    std::printf("component %zu: weight %.3f, mean %.2f\n", c, fit.model.weights().values[c],
                fit.model.means().values[c]);
  }
  const craton::Sample sample = fit.model.sample(5, /*seed=*/1);
  for (const double x : sample.x.values) std::printf("%.1f\n", x);
}
