#include "craton/classes/count_bayes.h"
#include "craton/classes/count_entries.h"
#include "craton/classes/leave_one_out.h"

namespace craton {
namespace {

template <CountModel kModel>
std::unique_ptr<LeaveOneOut> leave_one_out(const LeftOut& model, const CountOptions& options) {
  if constexpr (kModel == CountModel::kMultinomial) return leave_one_out_of_counts(model);
  if constexpr (kModel == CountModel::kComplement) {
    return leave_one_out_of_complement(model, options.norm);
  }
  return leave_one_out_of_presence(model, options.binarize);
}

}  // namespace

// One more than the words of a row, or than its features that are there.
template <CountModel kModel>
void CountBayes<kModel>::find_lengths(const Chunk& chunk, std::span<double> out) const {
  const auto find = [&](const auto& x) {
    for (Index i = 0; i < x.rows; ++i) {
      double& length = out[usize(i)] = 1;
      for_entries(x, i, [&](Index, double value) {
        length += kModel != CountModel::kBernoulli ? value : value > threshold_ ? 1 : 0;
      });
    }
  };
  std::visit(find, chunk.x);
}

template <CountModel kModel>
void CountBayes<kModel>::calibrate(Source& x, const FeatureSums& sums, const Options& options,
                                   const Exec& exec, Fit<CountBayes>& fit) {
  const CountBayes& model = fit.model;
  const Alphas alphas = alphas_of<kModel>(options.smoothing, sums.columns());
  const std::unique_ptr<LeaveOneOut> left_out =
      leave_one_out<kModel>({sums, alphas, options.prior, model.scores_.get()}, options);
  const CalibrationFit found = craton::calibrate(
      x, sums.classes(),
      [&](const Chunk& chunk, std::span<double> out) { left_out->find(chunk, out); },
      [&](const Chunk& chunk, std::span<double> out) { model.find_lengths(chunk, out); }, exec);
  note_left_out(found, fit.report.notes);
  fit.model.calibration_ = found;
}

template void MultinomialNB::find_lengths(const Chunk&, std::span<double>) const;
template void BernoulliNB::find_lengths(const Chunk&, std::span<double>) const;
template void ComplementNB::find_lengths(const Chunk&, std::span<double>) const;
template void MultinomialNB::calibrate(Source&, const FeatureSums&, const Options&, const Exec&,
                                       Fit<MultinomialNB>&);
template void BernoulliNB::calibrate(Source&, const FeatureSums&, const Options&, const Exec&,
                                     Fit<BernoulliNB>&);
template void ComplementNB::calibrate(Source&, const FeatureSums&, const Options&, const Exec&,
                                      Fit<ComplementNB>&);

}  // namespace craton
