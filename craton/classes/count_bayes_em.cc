#include <algorithm>
#include <cmath>

#include "craton/classes/count_bayes.h"
#include "craton/core/em.h"
#include "craton/core/error.h"

// Rows without a label (latent_class.h).

namespace craton {
namespace {

// alpha is the prior density prod p^alpha of the estimates, up to a constant.
template <CountModel kModel>
double log_prior_density(const Array& table, const Alphas& alphas) {
  double sum = 0;
  for (Index c = 0; c < table.rows(); ++c) {
    for (Index j = 0; j < table.cols(); ++j) {
      const double log_p = table.view().row(c)[j];
      sum += alphas.there[usize(j)] * log_p;
      if (kModel != CountModel::kBernoulli) continue;
      sum += alphas.absent[usize(j)] * std::log1p(-std::exp(log_p));
    }
  }
  return sum;
}

// A row that is impossible under every class belongs to none.
void check_possible(const Alphas& alphas, bool presence, const ClassPrior& prior) {
  if (alphas.there.least() == 0 || (presence && alphas.absent.least() == 0)) {
    throw InputError(Code::kBadOption, {},
                     "alpha is 0, and unlabelled = em needs what was not seen",
                     "Give alpha above 0 for every feature.");
  }
  const std::vector<double>& given = prior.class_prior.values;
  if (std::find(given.begin(), given.end(), 0) == given.end()) return;
  throw InputError(Code::kBadOption, {},
                   "class_prior has the value 0, and unlabelled = em is given",
                   "Give every class a probability above 0.");
}

}  // namespace

template <CountModel kModel>
void CountBayes<kModel>::learn_unlabelled(Source& x, FeatureSums& sums, const Options& options,
                                          const Exec& exec, Fit<CountBayes>& fit) {
  const Alphas alphas = alphas_of<kModel>(options.smoothing, sums.columns());
  check_possible(alphas, kModel == CountModel::kBernoulli, options.prior);
  const SemiSupervised& semi = options.semi;
  const Summand summand{.binary = kModel == CountModel::kBernoulli, .threshold = options.binarize};
  const std::uint64_t hash = sums.hash() + sums.unlabelled_hash();
  const auto make = [&](const CountBayes& model) {
    return LatentRows(model, FeatureSums(x, sums.classes(), summand, Summing::kNumbers),
                      semi.unlabelled_weight,
                      log_prior_density<kModel>(model.feature_log_prob(), alphas));
  };
  const auto update = [&](CountBayes& model, const auto& shared) {
    sums = shared.sums();
    CountBayes next = estimate(sums.seen(exec), options, {}, exec).model;
    const bool same = next.parameters() == model.parameters();
    model = std::move(next);
    return same ? 0.0 : 1.0;
  };
  EmOptions loop;
  loop.max_iter = semi.max_iter;
  loop.tol = semi.tol;
  auto result = em(x, std::move(fit.model), make, update, loop, exec);
  std::vector<Note> notes = std::move(fit.report.notes);
  std::erase_if(notes, [](const Note& note) { return note.code == "unlabelled"; });
  fit.memory = estimate(sums.seen(exec), options, {}, exec).memory;
  fit.model = std::move(result.model);
  fit.report = std::move(result.report);
  fit.report.data_hash = hash_text(hash);
  fit.report.notes = std::move(notes);
}

template void MultinomialNB::learn_unlabelled(Source&, FeatureSums&, const Options&, const Exec&,
                                              Fit<MultinomialNB>&);
template void BernoulliNB::learn_unlabelled(Source&, FeatureSums&, const Options&, const Exec&,
                                            Fit<BernoulliNB>&);

}  // namespace craton
