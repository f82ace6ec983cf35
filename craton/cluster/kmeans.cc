#include "craton/cluster/kmeans.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "craton/base/notes.h"
#include "craton/cluster/starts.h"
#include "craton/cluster/unit_rows.h"
#include "craton/engine/for_each.h"
#include "craton/kernels/differences.h"
#include "craton/model/registered_model.h"
#include "craton/tables/columns.h"

// A pass assigns every row to its nearest centre and adds it to the sums of its cluster
// (kmeans_block.cc): n d k multiplications, less those that bounds spare (bounds.h), and n d for
// the sums. Long tables are summed about a point, to the bit, so that a pass adds only the rows
// that changed their cluster (KMeansFrame).

namespace craton {

// The options.

void describe(OptionVisitor& v, KMeans::Options& o) {
  constexpr Index kMost = Index{1} << 24;
  v.integer("n_clusters", o.n_clusters, 1, kMost, "number of clusters");
  v.choice("metric", o.metric, {"euclidean", "cosine"},
           "rows are compared by their distance, or by the angle between them alone");
  v.choice_or_array(
      "init", o.init, o.centers, {"k-means++", "random", "k-means||"},
      "where to start: k-means++, random rows, k-means|| (few passes), or an array of "
      "centres (k x columns)");
  v.integer("n_local_trials", o.n_local_trials, 0, kMost,
            "rows that k-means++ draws for each centre, to keep the best; 1 is the plain rule, 0 "
            "stands for 2 + ln(n_clusters)");
  v.integer("n_init", o.n_init, 1, kMost, "number of starts; the best result is kept");
  v.integer("max_iter", o.max_iter, 0, kMost, "updates of the centres, at most");
  v.number("tol", o.tol, 0, INFINITY,
           "stop when the squared shift of the centres is below tol times the mean variance");
  v.integer("random_state", o.random_state, 0, std::numeric_limits<Index>::max(),
            "seed of the starts");
  v.choice(
      "algorithm", o.algorithm, {"auto", "lloyd", "hamerly"},
      "lloyd compares all rows with all centres, hamerly spares what it can, auto changes over; "
      "the result is the same");
  v.not_in_digest();
}

// The fit: the loop of k-means, from each start.

namespace {

StartRule rule_of(KMeans::Init init) {
  switch (init) {
    case KMeans::Init::kPlusPlus:
      return StartRule::kPlusPlus;
    case KMeans::Init::kRandom:
      return StartRule::kRandom;
    case KMeans::Init::kParallel:
      return StartRule::kParallel;
  }
  CRATON_ASSERT(false);
  return {};
}

Array start_of(Source& x, const KMeans::Options& o, const ColumnStatistics& columns, Index trial,
               const Exec& exec) {
  if (o.centers.empty()) {
    const Index trials =
        o.n_local_trials > 0 ? o.n_local_trials : default_local_trials(o.n_clusters);
    return choose_start(x,
                        {.rule = rule_of(o.init),
                         .k = o.n_clusters,
                         .seed = static_cast<std::uint64_t>(o.random_state),
                         .trial = static_cast<std::uint32_t>(trial),
                         .repeat = true,  // such clusters stay empty, and a note says so
                         .local_trials = trials},
                        exec);
  }
  if (o.centers.shape != std::vector<Index>{o.n_clusters, x.shape().cols}) {
    throw InputError(Code::kBadShape, {},
                     {"{} is an {}, but the start has {} rows and {} columns", Ref::option("init"),
                      to_text(o.centers), Ref::option("n_clusters", o.n_clusters), x.shape().cols},
                     "Give one row for each cluster and one column for each feature.");
  }
  Array centers = o.centers;
  for (Index c = 0; c < o.n_clusters && o.metric == KMeans::Metric::kCosine; ++c) {
    const std::size_t d = usize(x.shape().cols);
    if (make_unit(std::span(centers.values).subspan(usize(c) * d, d))) continue;
    throw InputError(
        Code::kBadOption, {},
        fmt::format("init has only zeros in row {}, which have no direction", c),
        {"Give a start that is not 0, or take {}.", Ref::option("metric", "euclidean")});
  }
  check_start("init", centers, columns);
  return centers;
}

void check_spread(const Source& x, const ColumnStatistics& columns) {
  double widest = 0;
  for (Index j = 0; j < x.shape().cols; ++j) widest = std::max(widest, columns.range(j));
  if (widest == 0 || widest >= kNarrowest) return;
  throw InputError(
      Code::kNoSpread, {.file = x.name()},
      fmt::format("no column spreads over more than {:g}, so all squares vanish", widest),
      "Multiply the columns by a power of ten.");
}

void check_rows(const Source& x, const ColumnStatistics& columns, Index n_clusters) {
  if (columns.rows() >= n_clusters) return;
  throw InputError(Code::kTooFewRows, {.file = x.name()},
                   {"{}, but there are only {} rows (n_samples = {})",
                    Ref::option("n_clusters", n_clusters), columns.rows(), columns.rows()},
                   {"Give {} of at most {}.", Ref::option("n_clusters"), columns.rows()});
}

// All or none: rows without weight have no label yet, nor those of other ranks.
std::vector<std::int32_t> known(const std::vector<std::int32_t>& labels) {
  const bool all = std::find(labels.begin(), labels.end(), -1) == labels.end();
  return all ? labels : std::vector<std::int32_t>();
}

bool any_empty(const std::vector<double>& weights) {
  return std::find(weights.begin(), weights.end(), 0.0) != weights.end();
}

void note_empty_clusters(const std::vector<double>& weights, FitReport& report) {
  const auto empty = std::count(weights.begin(), weights.end(), 0.0);
  if (empty == 0) return;
  report.notes.push_back({"empty-cluster",
                          {"{} of {} clusters have no rows: the data have fewer distinct rows than "
                           "{}, or the start was "
                           "poor. Give {} of at most {}.",
                           empty, weights.size(), Ref::option("n_clusters"),
                           Ref::option("n_clusters"), std::ssize(weights) - empty}});
}

// J comes from differences when the table has fewer values than this, and once it is a smaller part
// of the scatter of the rows than kClose: then a frame would cost it digits.
constexpr Index kManyValues = Index{1} << 20;
constexpr double kClose = 1e-3;

// Comparisons, of all: fewer spared do not pay for asking, nor when a row has fewer multiplications
// left than bounds cost; and for taking rows part by part.
constexpr double kWorthwhile = 0.125, kCostOfBounds = 512, kWorthwhileByParts = 0.35;

using Pass = KMeans::Statistics::Pass;

Pass first_pass(KMeans::Algorithm algorithm) {
  if (algorithm == KMeans::Algorithm::kLloyd) return Pass::kAll;
  return algorithm == KMeans::Algorithm::kHamerly ? Pass::kRecord : Pass::kCompare;
}

// `cost`: multiplications of a row.
Pass pass_after(Pass last, KMeans::Algorithm algorithm, Index parts, double cost, double spared) {
  if (algorithm == KMeans::Algorithm::kLloyd) return Pass::kAll;
  if (algorithm == KMeans::Algorithm::kHamerly) return Pass::kSpare;
  const double least = std::max(parts > 1 ? kWorthwhileByParts : kWorthwhile, kCostOfBounds / cost);
  if (spared < least) return Pass::kCompare;
  return last == Pass::kCompare ? Pass::kRecord : Pass::kSpare;
}

// Of the centres, for bounds. A part must be worth a visit: many columns, and kPart centres or so.
Index parts_of(Index k, Index columns, bool sparse) {
  constexpr Index kPart = 16, kMost = 64, kLeastColumns = 32;
  if (sparse || columns < kLeastColumns || k < 4 * kPart) return 1;
  return std::min(kMost, k / kPart);
}

// About the mean, or 0 for sparse rows. The mean is not exact: a constant column may lie beside it.
KMeansFrame frame_for(const Source& x, const ColumnStatistics& columns, Index k, double scatter) {
  std::vector<double> origin = columns.mean(), most;
  for (std::size_t j = 0; j < origin.size(); ++j) {
    const double beside = (columns.sparse() ? 1 : 0x1p-40) * std::abs(origin[j]);
    most.push_back(columns.weight() * (columns.range(static_cast<Index>(j)) + beside));
    if (columns.sparse()) origin[j] = 0;
  }
  most.push_back(columns.weight());
  return {scatter, ExactSums(k, std::move(origin), most, x.shape().rows)};
}

// What rounding alone makes of J. Of rows at length 1 that all point one way little else is left:
// each coordinate of a row and of its centre is off by a few last places of 1, which changes the
// square of their distance r by 2 r e + e^2, e the length of all these errors; over the rows r is
// the root of the scatter at most.
double noise_of_unit_rows(const ColumnStatistics& columns, double scatter) {
  constexpr double kPlaces = 8 * std::numeric_limits<double>::epsilon();
  const double e = kPlaces * std::sqrt(static_cast<double>(columns.mean().size()));
  return columns.weight() * e * (2 * std::sqrt(scatter / columns.weight()) + e);
}

}  // namespace

Fit<KMeans> KMeans::fit(Source& x, const Options& options, const Exec& exec) {
  Options checked = options;
  check_options([&](OptionVisitor& v) { describe(v, checked); });
  const ColumnStatistics columns = check_table(x, exec, Takes::kSparseToo);
  check_rows(x, columns, options.n_clusters);
  Fit<KMeans> fit = [&] {
    if (options.metric == Metric::kEuclidean) return fit_rows(x, options, columns, exec);
    UnitRows rows(x);
    return fit_rows(rows, options, check_table(rows, exec, Takes::kSparseToo), exec);
  }();
  fit.report.data_hash = columns.data_hash();
  if (!options.centers.empty() && options.n_init > 1) {
    fit.report.notes.push_back({"given-start",
                                {"init is given, so there was one start, not {}. Leave {} out.",
                                 Ref::option("n_init", options.n_init), Ref::option("n_init")}});
  }
  return fit;
}

Fit<KMeans> KMeans::fit_rows(Source& x, const Options& options, const ColumnStatistics& columns,
                             const Exec& exec) {
  check_spread(x, columns);
  const double spread = columns.mean_variance();
  double scatter = columns.weight() * static_cast<double>(x.shape().cols) * spread;
  // Distances of sparse rows are made from squares of the centres (differences.h).
  for (const double mean : columns.mean()) {
    if (columns.sparse()) scatter += columns.weight() * mean * mean;
  }
  const bool cosine = options.metric == Metric::kCosine;
  const EmOptions em_options{.max_iter = options.max_iter,
                             .tol = options.tol * spread,
                             .rule = Convergence::kShift,
                             .scale = scatter,
                             .noise = cosine ? noise_of_unit_rows(columns, scatter) : 0};
  const Index parts = options.algorithm == Algorithm::kLloyd
                          ? 1
                          : parts_of(options.n_clusters, x.shape().cols, columns.sparse());
  RowBounds bounds(x.shape().rows, parts, std::sqrt(scatter / columns.weight()));
  const KMeansFrame nothing = frame_for(x, columns, options.n_clusters, scatter);
  std::optional<Fit<KMeans>> best;
  std::vector<std::vector<double>> traces;
  const Index trials = options.centers.empty() ? options.n_init : 1;
  const RowKind kind = row_kind(x);
  for (Index trial = 0; trial < trials; ++trial) {
    if (exec.progress != nullptr && trials > 1) exec.progress->start(trial, trials);
    const double close = kClose * scatter * (cosine ? 0.5 : 1);
    Pass pass = first_pass(options.algorithm);
    bool exact = x.shape().rows * x.shape().cols < kManyValues, last_exact = exact;
    KMeans start(start_of(x, options, columns, trial, exec), options.metric, parts, kind);
    KMeansFrame frame = nothing;
    const double cost = static_cast<double>(options.n_clusters * x.shape().cols);
    bounds.start(start.nearest_.part_of_centres());
    const auto exactly = [&](const KMeans& model) { return fold(x, Statistics(model), exec); };
    const auto step = [&](KMeans& model, const Statistics& s) {
      return cosine ? model.turn(s) : model.update(s);
    };
    auto fit = em(
        x, std::move(start),
        [&](const KMeans& model) {
          last_exact = exact;
          return Statistics(model, &bounds, pass, exact ? nullptr : &frame);
        },
        [&](KMeans& model, const Statistics& s) {
          const Array before = model.centers();
          const bool lost = !exact && any_empty(s.weights());  // where to? ask for the farthest row
          const EmStep done = step(model, lost ? exactly(model) : s);
          // Where nothing moved, s is the last: its weights are the frame's and its own.
          if (!exact && done.shift != 0) frame.sums.merge(s.moved());
          bounds.move(before, model.centers());
          pass = pass_after(pass, options.algorithm, parts, cost, s.spared());
          exact = exact || -done.objective < close;
          return done;
        },
        em_options, exec);
    if (!last_exact && -fit.report.objective < close) {
      fit.report.objective = fit.report.trace.back() = exactly(fit.model).objective();
    }
    traces.push_back(fit.report.trace);
    if (best && best->report.objective >= fit.report.objective) continue;
    KMeans model(fit.model.centers(), options.metric);  // for rows of any kind
    model.weights_.values = fit.statistics.weights();
    note_empty_clusters(model.weights_.values, fit.report);
    best = Fit<KMeans>{std::move(model), std::move(fit.report)};
    best->labels = known(bounds.labels);
  }
  if (trials > 1) best->report.start_traces = std::move(traces);
  const bool drawn = options.centers.empty() && options.n_clusters > 1;
  if (drawn && trials == 1 && best->report.objective < 0) {
    best->report.notes.push_back(one_start());
  }
  return *std::move(best);
}

KMeans::KMeans(const Array& centers, Metric metric, Index parts, RowKind rows)
    : metric_(metric),
      nearest_(centers, parts, rows),
      weights_{{centers.rows()}, std::vector<double>(usize(centers.rows()))} {}

// Where the centres go: to the means of their rows, or to the directions of their sums.

namespace {

// The mean of unit vectors below which nothing but rounding is left of it.
constexpr double kVanishingMean = 1e-14;

// center += (sum - weight center) / seen, for every batch.
void add_shares(const double* __restrict sum, double weight, double seen, std::size_t d,
                double* __restrict center) {
  if (weight == 0) {
    for (std::size_t j = 0; j < d; ++j) center[j] += sum[j] / seen;
  } else {
    for (std::size_t j = 0; j < d; ++j) center[j] += (sum[j] - weight * center[j]) / seen;
  }
}

}  // namespace

// Where the weight is W, the differences from the centre sum to S and the centre moves by delta, J
// changes by delta (W delta - 2 S). A coordinate moves only if J falls: then rounding cannot send
// centres back and forth.
EmStep KMeans::update(const Statistics& s) {
  Array centers = nearest_.centres();
  const std::size_t d = usize(centers.cols());
  EmStep step{.objective = s.objective()};
  bool rescued = false;
  for (std::size_t c = 0; c < usize(classes()); ++c) {
    const double weight = s.weight(c);
    if (weight == 0 && (rescued || s.farthest_ == 0)) continue;
    rescued = rescued || weight == 0;
    for (std::size_t j = 0; j < d; ++j) {
      double& center = centers.values[c * d + j];
      const double sum = s.sum_about_centre(c, j);
      const double next = weight == 0 ? s.farthest_row_[j] : center + sum / weight;
      const double delta = next - center, gain = delta * (2 * sum - weight * delta);
      if (weight > 0 && !(gain > 0)) continue;
      center = next;
      step.shift += delta * delta;
      step.objective += gain;
    }
  }
  nearest_ = NearestCentres(centers, nearest_);
  return step;
}

// The unit vector nearest to the rows of a cluster is the direction of their sum S. Turned to it, a
// centre gains |S| - S.c = |S| |S/|S| - c|^2 / 2. Where S vanishes any direction is as good.
EmStep KMeans::turn(const Statistics& s) {
  Array centers = nearest_.centres();
  const std::size_t d = usize(centers.cols());
  EmStep step{.objective = s.objective()};
  bool rescued = false;
  std::vector<double> next(d);
  for (std::size_t c = 0; c < usize(classes()); ++c) {
    const double weight = s.weight(c);
    const std::span center = std::span(centers.values).subspan(c * d, d);
    if (weight == 0 && (rescued || s.farthest_ == 0)) continue;
    rescued = rescued || weight == 0;
    double length = 0, turned = 0;
    for (std::size_t j = 0; j < d; ++j) {
      next[j] = weight == 0 ? s.farthest_row_[j] : s.sum_about_centre(c, j) / weight + center[j];
      length += next[j] * next[j];
    }
    length = std::sqrt(length);
    if (!(length > kVanishingMean)) continue;
    make_unit(next);
    for (std::size_t j = 0; j < d; ++j) turned += (next[j] - center[j]) * (next[j] - center[j]);
    std::copy(next.begin(), next.end(), center.begin());
    step.shift += turned;
    step.objective += weight * length * turned / 2;
  }
  nearest_ = NearestCentres(centers, nearest_);
  return step;
}

double KMeans::learn(const Statistics& s, std::vector<double>& seen) {
  Array centers = nearest_.centres();
  const std::size_t d = usize(centers.cols());
  double weight = 0;
  bool rescued = false;
  for (std::size_t c = 0; c < seen.size(); ++c) {
    weight += s.weight_[c];
    seen[c] += s.weight_[c];
    const bool lost = seen[c] == 0 && !rescued && s.farthest_ > 0;
    rescued = rescued || lost;
    double* const center = centers.values.data() + c * d;
    if (lost) {
      std::copy_n(s.farthest_row_.begin(), d, center);
    } else if (s.weight_[c] > 0) {
      add_shares(s.sum_.data() + c * d, s.sparse_ ? s.weight_[c] : 0, seen[c], d, center);
    }
  }
  nearest_ = NearestCentres(centers, nearest_);
  return s.objective() / weight;
}

// The statistics of a pass. How rows are added to them: kmeans_block.cc.

namespace {

// Calls f with the table as the model sees it.
template <class F>
decltype(auto) with_rows(const KMeans& model, Source& x, const F& f) {
  check_columns(x, model.columns());
  if (model.metric() == KMeans::Metric::kEuclidean) return f(x);
  UnitRows rows(x);
  return f(rows);
}

}  // namespace

KMeans::Statistics KMeans::statistics() const { return Statistics(*this); }

KMeans::Statistics KMeans::statistics(Source& table, const Exec& exec) const {
  return with_rows(*this, table, [&](Source& x) {
    check_start("the model", centers(), check_table(x, exec, Takes::kSparseToo));
    return fold(x, statistics(), exec);
  });
}

KMeans::Statistics::Statistics(const KMeans& model, RowBounds* bounds, Pass pass,
                               const KMeansFrame* frame)
    : model_(&model),
      bounds_(bounds),
      pass_(pass),
      frame_(frame),
      share_(model.metric_ == Metric::kCosine ? 0.5 : 1),
      farthest_row_(usize(model.columns())) {
  CRATON_ASSERT(frame == nullptr || bounds != nullptr);
  if (frame != nullptr) {
    moved_ = frame->sums.zero();
  } else {
    weight_.resize(usize(model.classes()));
    sum_.resize(model.centers().values.size());
  }
}

double KMeans::Statistics::weight(std::size_t c) const {
  return frame_ != nullptr ? frame_->sums.weight(moved_, c) : weight_[c];
}

std::vector<double> KMeans::Statistics::weights() const {
  if (frame_ == nullptr) return weight_;
  std::vector<double> result;
  for (std::size_t c = 0; c < usize(frame_->sums.size()); ++c) result.push_back(weight(c));
  return result;
}

// The sum of w (x - centre) in column j of cluster c.
double KMeans::Statistics::sum_about_centre(std::size_t c, std::size_t j) const {
  const std::size_t at = c * usize(model_->columns()) + j;
  const double center = model_->centers().values[at];
  if (frame_ != nullptr) {
    return frame_->sums.sum(moved_, c, j) - weight(c) * (center - frame_->sums.origin()[j]);
  }
  return sparse_ ? sum_[at] - weight_[c] * center : sum_[at];
}

double KMeans::Statistics::objective() const {
  if (frame_ == nullptr) return -share_ * inertia_;
  const std::size_t d = usize(model_->columns());
  double explained = 0;
  for (std::size_t c = 0; c < usize(model_->classes()); ++c) {
    const double w = weight(c);
    double sum = 0;
    for (std::size_t j = 0; j < d; ++j) {
      const double delta = model_->centers().values[c * d + j] - frame_->sums.origin()[j];
      sum += delta * (2 * frame_->sums.sum(moved_, c, j) - w * delta);
    }
    explained += sum;
  }
  return -share_ * std::max(0.0, frame_->scatter - explained);
}

void KMeans::Statistics::merge(const Statistics& next) {
  moved_.merge(next.moved_);
  for (std::size_t c = 0; c < weight_.size(); ++c) weight_[c] += next.weight_[c];
  for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += next.sum_[i];
  sparse_ = sparse_ || next.sparse_;
  inertia_ += next.inertia_;
  changed_ += next.changed_;
  asked_ += next.asked_;
  spared_ += next.spared_;
  if (next.farthest_ > farthest_) {
    farthest_ = next.farthest_;
    farthest_row_ = next.farthest_row_;
  }
}

void KMeans::Statistics::write(Writer& writer) const {
  moved_.write(writer);
  for (const auto* values : {&weight_, &sum_, &farthest_row_}) writer.put(*values);
  for (const double value : {inertia_, farthest_}) writer.put(value);
  for (const Index count : {changed_, asked_, spared_, Index{sparse_}}) writer.put(count);
}

void KMeans::Statistics::read(Reader& reader) {
  moved_.read(reader);
  for (auto* values : {&weight_, &sum_, &farthest_row_}) reader.get(*values);
  for (double* value : {&inertia_, &farthest_}) reader.get(*value);
  Index sparse = 0;
  for (Index* count : {&changed_, &asked_, &spared_, &sparse}) reader.get(*count);
  sparse_ = sparse != 0;
}

Index KMeans::Statistics::words() const {
  return moved_.words() + std::ssize(weight_) + std::ssize(sum_) + std::ssize(farthest_row_) + 6;
}

// New rows.

namespace {

// Calls f(rows, number of the first) for blocks of checked rows of new data.
template <class F>
void for_blocks(Source& x, const Exec& exec, const F& f) {
  for_rows(x, exec, [&](const Chunk& chunk) {
    check_finite(chunk, x);
    const auto visit = [&](const auto& view) {
      using Row = decltype(row_of(view, 0));
      std::vector<Row> rows;
      for (Index i = 0; i < view.rows; ++i) rows.push_back(row_of(view, i));
      f(std::span<const Row>(rows), chunk.first_row);
    };
    std::visit(visit, chunk.x);
  });
}

template <class T>
void squared_distances_from(const T* row, const NearestCentres& to, std::span<double> out) {
  squared_distances(row, to.centres().values.data(), std::ssize(out), to.centres().cols(),
                    out.data());
}
template <class T>
void squared_distances_from(const RowEntries<T>& row, const NearestCentres& to,
                            std::span<double> out) {
  for (std::size_t c = 0; c < out.size(); ++c) {
    out[c] = squared_distance(row, to.centres().view().row(static_cast<Index>(c)),
                              to.squared_norms()[c], to.centres().cols());
  }
}

}  // namespace

void KMeans::predict(Source& table, std::span<std::int32_t> labels, const Exec& exec) const {
  with_rows(*this, table, [&](Source& x) {
    for_blocks(x, exec, [&](const auto& rows, Index first) {
      nearest_.find(rows, &labels[usize(first)], nullptr);
      for (Index i = first; i < first + std::ssize(rows); ++i) {
        if (labels[usize(i)] < 0) fail_too_far(x, i);
      }
    });
  });
}

void KMeans::transform(Source& table, std::span<double> distances, const Exec& exec) const {
  const Index k = classes();
  with_rows(*this, table, [&](Source& x) {
    for_blocks(x, exec, [&](const auto& rows, Index first) {
      for (Index i = 0; i < std::ssize(rows); ++i) {
        const std::span<double> out = distances.subspan(usize((first + i) * k), usize(k));
        squared_distances_from(rows[usize(i)], nearest_, out);
        for (double& v : out) v = metric_ == Metric::kCosine ? v / 2 : std::sqrt(v);
        if (!std::isfinite(*std::max_element(out.begin(), out.end()))) fail_too_far(x, first + i);
      }
    });
  });
}

void KMeans::diagnose(Source& table, ResultTable& result, const Exec& exec) const {
  ResultColumn::Numbers distances(usize(table.shape().rows));
  with_rows(*this, table, [&](Source& x) {
    for_blocks(x, exec, [&](const auto& rows, Index first) {
      std::vector<double> squares(usize(classes()));
      for (Index i = 0; i < std::ssize(rows); ++i) {
        squared_distances_from(rows[usize(i)], nearest_, squares);
        const double least = *std::min_element(squares.begin(), squares.end());
        if (!std::isfinite(least)) fail_too_far(x, first + i);
        distances[usize(first + i)] = metric_ == Metric::kCosine ? least / 2 : std::sqrt(least);
      }
    });
  });
  result.add_numbers("distance", std::move(distances));
}

std::int32_t KMeans::predict_row(const double* row, double* work) const {
  const std::size_t k = usize(classes()), d = usize(columns());
  if (metric_ == Metric::kCosine) {
    std::copy_n(row, d, work + k);
    if (!make_unit({work + k, d})) return -1;
    row = work + k;
  }
  squared_distances_from(row, nearest_, {work, k});
  const double* const best = std::min_element(work, work + k);  // the lower index on ties
  // Squares that vanish do not tell which centre is nearer: the long way does.
  constexpr double kVanishing = 1e-290;
  const auto vanishes = [](double square) { return square < kVanishing; };
  if (*best < kVanishing && std::count_if(work, work + k, vanishes) > 1) return -1;
  return std::isfinite(*best) ? static_cast<std::int32_t>(best - work) : -1;
}

double KMeans::score(Source& x, const Exec& exec) const { return statistics(x, exec).objective(); }

// Model files, and tables for people.

namespace {

constexpr const char* kUnitLength = "unit_length";

void check_unit_length(const ParameterList& parameters, const ArrayView& centers) {
  if (parameters.number(kUnitLength) != 1) fail_parameters("unit_length is not 1");
  for (Index c = 0; c < centers.rows(); ++c) {
    double square = 0;
    for (Index j = 0; j < centers.cols(); ++j) {
      square += centers.view().row(c)[j] * centers.view().row(c)[j];
    }
    if (!(std::abs(square - 1) < 1e-9)) fail_parameters("a cluster centre is not of length 1");
  }
}

}  // namespace

// That the metric is the cosine is a parameter of its own: Euclidean models have none.
void KMeans::visit_parameters(ParameterVisitor& v) const {
  v.doubles("cluster_centers", "the centres, one a row", centers());
  v.doubles("cluster_weights", "the summed weight of the rows of each cluster", weights_);
  if (metric_ == Metric::kCosine) {
    v.number(kUnitLength, "rows and centres count by their directions", 1);
  }
}

KMeans KMeans::from_parameters(const ParameterList& parameters) {
  const ArrayView centers = parameters.doubles("cluster_centers", {-1, -1});
  const ArrayView weights = parameters.doubles("cluster_weights", {centers.rows()});
  const auto finite = [](double v) { return std::isfinite(v); };
  const auto valid_weight = [](double v) { return std::isfinite(v) && v >= 0; };
  if (centers.empty() || !std::all_of(centers.values.begin(), centers.values.end(), finite)) {
    fail_parameters("the cluster centres are not finite numbers");
  }
  for (Index j = 0; j < centers.cols(); ++j) {
    double low = centers.values[usize(j)], high = low;
    for (Index c = 0; c < centers.rows(); ++c) {
      low = std::min(low, centers.view().row(c)[j]);
      high = std::max(high, centers.view().row(c)[j]);
    }
    if (!(high - low <= kWidest)) fail_parameters("the cluster centres lie too far apart");
  }
  if (!std::all_of(weights.values.begin(), weights.values.end(), valid_weight)) {
    fail_parameters("the cluster weights are not finite and positive");
  }
  const bool cosine = parameters.has(kUnitLength);
  if (cosine) check_unit_length(parameters, centers);
  KMeans model(centers.copy(), cosine ? Metric::kCosine : Metric::kEuclidean);
  model.weights_ = weights.copy();
  return model;
}

std::vector<ResultTable> KMeans::tables(const Schema& schema) const {
  ResultTable table{"centres", "centres"};
  table.add_count("cluster", classes());
  table.add_numbers("weight", weights_.values);
  for (Index j = 0; j < columns(); ++j) {
    ResultColumn::Numbers values;
    for (Index c = 0; c < classes(); ++c) values.push_back(centers().view().row(c)[j]);
    table.add_values(schema.name(j), j, std::move(values));
  }
  return {table};
}

const Usage KMeans::kUsage{.example = "examples/data/islands.csv --n-clusters 4 -o islands.craton",
                           .python = R"(
>>> from craton import KMeans
>>> X = [[1, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]]
>>> model = KMeans(n_clusters=2).fit(X)
>>> sorted(model.cluster_centers_.tolist())
[[1.0, 2.0], [10.0, 2.0]]
>>> left, right = model.predict([[0, 0], [12, 3]])
>>> bool(left == right)
False
)",
                           .small = "n_clusters=3; max_iter=12",
                           .positional = 1,
                           .sklearn = "cluster.KMeans"};

template ModelInfo registered<KMeans>();

}  // namespace craton
