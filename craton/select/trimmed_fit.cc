#include "craton/select/trimmed_fit.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "craton/base/error.h"
#include "craton/base/random.h"
#include "craton/tables/view.h"

namespace craton {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr Index kOwnDraws = 10'000, kFewestDrawn = 500;  // rows
constexpr Index kMostDrawn = Index{1} << 23;             // values
constexpr Index kMostSteps = 30;                         // of concentration, at most, and of growth
constexpr Index kMostStarts = 200;  // of one component; a tenth of these of several
constexpr Index kFewestStarts = 4;
constexpr double kStartWork = 2e9;   // what all starts may cost, about: rows x columns^2
constexpr Index kStartRows = 1000;   // that starts look at
constexpr Index kBestStarts = 5;     // to be gone on with
constexpr Index kLeastRows = 5;      // for each parameter of a mean, where there are components
constexpr double kSmallGroup = 0.2;  // of the largest component
constexpr Index kFewestRows = 5;     // of which one may be said to be strange
constexpr Index kPerColumn = 2;      // rows for each column of a full covariance, at least

using RowNumbers = std::vector<Index>;  // ascending

// Many small fits show no progress, but can be stopped.
class Unseen final : public Progress {
 public:
  explicit Unseen(Progress* shown) : shown_(shown) {}
  bool keep_going() override { return shown_ == nullptr || shown_->keep_going(); }

 private:
  Progress* shown_;
};

// The rows that are looked at, and the model to be fitted to some of them.
struct TrimProblem {
  const ModelInfo* model = nullptr;
  Schema schema = {};
  Array x = {};
  std::vector<NamedOption> options = {};
  double log_box = 0;  // of the box around the rows
  TrimOptions trim = {};
  Exec exec = {};

  Index rows() const { return x.rows(); }
  Index columns() const { return x.cols(); }

  Array some(const RowNumbers& rows) const {
    const Index d = columns();
    Array result{{ssize(rows), d}, {}};
    for (const Index row : rows) {
      const auto from = x.values.begin() + row * d;
      result.values.insert(result.values.end(), from, from + d);
    }
    return result;
  }
};

struct Trimmed {
  Fitted fitted;
  RowNumbers kept;
  double sum = 0;  // of log p over the kept rows
};

bool is_flat(const Fitted& fitted) {
  return std::ranges::any_of(fitted.report.notes,
                             [](const Note& note) { return note.code == "covariance-floor"; });
}

// None: these rows cannot be fitted.
std::optional<Fitted> fit_these(const TrimProblem& p, const RowNumbers& rows, Index components,
                                Index starts, std::uint64_t seed) {
  const Array values = p.some(rows);
  MemorySource x({.x = values.view()}, p.schema);
  std::vector<NamedOption> options = p.options;
  options.emplace_back("n_components", components);
  options.emplace_back("n_init", starts);
  options.emplace_back("random_state", static_cast<Index>(seed));
  try {
    return p.model->fit(x, options, p.exec);
  } catch (const InputError& error) {
    if (error.kind() != ErrorKind::kData) throw;
    return std::nullopt;
  }
}

// From where the last fit ended.
std::optional<Fitted> fit_on(const TrimProblem& p, const RowNumbers& rows, const Fitted& from) {
  const Array values = p.some(rows);
  MemorySource x({.x = values.view()}, p.schema);
  try {
    return p.model->fit_from(from, x, from.options, p.exec);
  } catch (const InputError& error) {
    if (error.kind() != ErrorKind::kData) throw;
    return std::nullopt;
  }
}

std::vector<double> log_densities(const TrimProblem& p, const Array& rows, const Fitted& fitted) {
  MemorySource x({.x = rows.view()}, p.schema);
  std::vector<double> result(usize(rows.rows()));
  fitted.model->score_samples(x, result, p.exec);
  return result;
}

// The `count` rows with the greatest log p, of equals the first.
RowNumbers greatest(std::span<const double> log_p, Index count) {
  RowNumbers order(log_p.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order,
                           [&](Index a, Index b) { return log_p[usize(a)] > log_p[usize(b)]; });
  order.resize(usize(count));
  std::ranges::sort(order);
  return order;
}

double sum_over(std::span<const double> log_p, const RowNumbers& rows) {
  double sum = 0;
  for (const Index row : rows) sum += log_p[usize(row)];
  return sum;
}

// The rows whose tail probability is at least `strange`.
RowNumbers ordinary(const TrimProblem& p, const Fitted& fitted, std::span<const double> log_p) {
  constexpr std::uint64_t kOwn = 0x7472'696D;
  const Index draws = std::clamp(kMostDrawn / p.columns(), kFewestDrawn, kOwnDraws);
  const Sample drawn = fitted.model->sample(draws, mix(p.trim.seed, kOwn));
  std::vector<double> own = log_densities(p, drawn.x, fitted);
  const auto at = own.begin() + static_cast<Index>(p.trim.strange * static_cast<double>(draws));
  std::ranges::nth_element(own, at);
  RowNumbers rows;
  for (Index i = 0; i < ssize(log_p); ++i) {
    if (log_p[usize(i)] >= *at) rows.push_back(i);
  }
  return rows;
}

// Concentration: each step raises the sum over the rows that are kept.
bool concentrate(const TrimProblem& p, Index count, Index steps, Trimmed& c) {
  for (Index step = 0; step < steps; ++step) {
    const std::vector<double> log_p = log_densities(p, p.x, c.fitted);
    RowNumbers kept = greatest(log_p, count);
    c.sum = sum_over(log_p, kept);
    if (kept == c.kept) return true;
    std::optional<Fitted> next = fit_on(p, kept, c.fitted);
    if (!next) return false;
    c.fitted = *std::move(next);
    c.kept = std::move(kept);
  }
  c.sum = sum_over(log_densities(p, p.x, c.fitted), c.kept);
  return true;
}

// RowNumbers that are not strange come back, and others leave.
void grow(const TrimProblem& p, Trimmed& c) {
  const std::size_t fewest = usize(p.rows() / 2);
  for (Index step = 0; step < kMostSteps; ++step) {
    const std::vector<double> log_p = log_densities(p, p.x, c.fitted);
    RowNumbers kept = ordinary(p, c.fitted, log_p);
    if (kept == c.kept || kept.size() < fewest) return;
    std::optional<Fitted> next = fit_on(p, kept, c.fitted);
    if (!next) return;
    c.fitted = *std::move(next);
    c.kept = std::move(kept);
  }
}

// A few rows to start from: their numbers by a permutation of each start's own.
RowNumbers start_rows(const TrimProblem& p, Index components, std::uint64_t start) {
  const Index n = p.rows();
  Random random(p.trim.seed, Purpose::kStart, static_cast<std::uint32_t>(components), start);
  RowNumbers order(usize(n));
  random.permutation(order);
  const Index few = components == 1 ? 2 * (p.columns() + 1)
                                    : std::max(n / 2, components * kLeastRows * (p.columns() + 1));
  order.resize(usize(std::min(few, n)));
  std::ranges::sort(order);
  return order;
}

// The same problem of fewer rows.
TrimProblem thinned(const TrimProblem& p, Index most) {
  const Index n = p.rows();
  if (n <= most) return p;
  RowNumbers rows;
  for (Index i = 0; i < most; ++i) rows.push_back(i * n / most);
  TrimProblem result = p;
  result.x = p.some(rows);
  return result;
}

Index kept_of(const TrimProblem& p) {
  return p.rows() - static_cast<Index>(p.trim.trim * static_cast<double>(p.rows()));
}

// The best of many starts; none: no start led anywhere.
std::optional<Trimmed> concentrated(const TrimProblem& p, Index components) {
  const TrimProblem first = thinned(p, kStartRows);
  const double a_start = static_cast<double>(first.rows() * p.columns() * p.columns());
  const Index most = components == 1 ? kMostStarts : kMostStarts / 10;
  const Index starts =
      std::clamp(static_cast<Index>(kStartWork / (a_start * 10)), kFewestStarts, most);
  std::vector<Trimmed> best;
  for (Index s = 0; s < starts; ++s) {
    const RowNumbers rows = start_rows(first, components, static_cast<std::uint64_t>(s));
    std::optional<Fitted> fitted =
        fit_these(first, rows, components, 1, static_cast<std::uint64_t>(s));
    if (!fitted) continue;
    Trimmed c{*std::move(fitted), {}};
    if (!concentrate(first, kept_of(first), 2, c) || !std::isfinite(c.sum)) continue;
    best.push_back(std::move(c));
    std::ranges::stable_sort(best,
                             [](const Trimmed& a, const Trimmed& b) { return a.sum > b.sum; });
    if (ssize(best) > kBestStarts) best.pop_back();
  }
  std::optional<Trimmed> found;
  for (Trimmed& c : best) {
    c.kept.clear();
    if (!concentrate(p, kept_of(p), kMostSteps, c) || !std::isfinite(c.sum)) continue;
    if (components > 1 && is_flat(c.fitted)) continue;
    if (!found || c.sum > found->sum) found = std::move(c);
  }
  return found;
}

// BIC of all rows, those left out drawn evenly from the box.
double bic_of(const TrimProblem& p, const Trimmed& c) {
  const double n = static_cast<double>(p.rows()), kept = static_cast<double>(c.kept.size());
  const double sum = sum_over(log_densities(p, p.x, c.fitted), c.kept), out = n - kept;
  double log_likelihood = sum + kept * std::log(kept / n);
  if (out > 0) log_likelihood += out * (std::log(out / n) - p.log_box);
  const Index free = c.fitted.model->free_parameters(c.fitted.options) + (out > 0 ? 1 : 0);
  return -2 * log_likelihood + static_cast<double>(free) * std::log(n);
}

// Takes away the components that hold a few rows only; none: there are none.
std::vector<Index> take_small_away(const TrimProblem& p, Trimmed& c) {
  const Index k = c.fitted.model->classes();
  if (k < 2) return {};
  MemorySource x({.x = p.x.view()}, p.schema);
  std::vector<std::int32_t> labels(usize(p.rows()));
  c.fitted.model->predict(x, labels, p.exec);
  std::vector<Index> sizes(usize(k));
  for (const Index row : c.kept) ++sizes[usize(labels[usize(row)])];
  const double largest = static_cast<double>(*std::ranges::max_element(sizes));
  std::vector<Index> apart;
  for (const Index size : sizes) {
    if (static_cast<double>(size) < kSmallGroup * largest && size > 0) apart.push_back(size);
  }
  const Index left = std::ranges::count_if(
      sizes, [&](Index size) { return static_cast<double>(size) >= kSmallGroup * largest; });
  if (left == k) return {};
  RowNumbers kept;
  for (const Index row : c.kept) {
    const Index size = sizes[usize(labels[usize(row)])];
    if (static_cast<double>(size) >= kSmallGroup * largest) kept.push_back(row);
  }
  constexpr Index kStarts = 5;
  std::optional<Fitted> next = fit_these(p, kept, left, kStarts, p.trim.seed);
  if (!next) return {};
  c.fitted = *std::move(next);
  c.kept = std::move(kept);
  return apart;
}

// ---- The table

Array sampled(Source& x, Index most) {
  const auto [n, d] = x.shape();
  const Index count = std::min(n, most);
  RowNumbers rows;
  for (Index i = 0; i < count; ++i) rows.push_back(i * n / count);
  Array result{{count, d}, std::vector<double>(usize(count * d))};
  x.gather(rows, result.values);
  return result;
}

std::vector<double> sorted_column(const Array& x, Index column) {
  std::vector<double> values;
  for (Index i = 0; i < x.rows(); ++i) {
    const double v = x.values[usize(i * x.cols() + column)];
    if (!std::isnan(v)) values.push_back(v);
  }
  std::ranges::sort(values);
  return values;
}

// The largest share of the rows that have one value.
double most_of_one(std::span<const double> sorted) {
  Index most = 0, run = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    run = i > 0 && sorted[i] == sorted[i - 1] ? run + 1 : 1;
    most = std::max(most, run);
  }
  return sorted.empty() ? 1 : static_cast<double>(most) / static_cast<double>(sorted.size());
}

TrimProblem pose(Source& x, const TrimOptions& options, TrimmedFit& result, const Exec& exec,
                 Progress& unseen) {
  constexpr Index kManyValues = 20'000;  // threads cost more than they save for fewer
  constexpr double kMostValues = 2e8;    // rows x columns^2 of one fit, about
  const auto [n, d] = x.shape();
  if (n == 0) {
    throw InputError(Code::kNoRows, {.file = x.name()}, "there is no row to look at",
                     "Give a table with rows; rows with missing values may have been left out.");
  }
  if (d == 0) {
    throw InputError(Code::kWrongColumns, {.file = x.name()}, "there is no column left to look at",
                     "All columns were left out: name some that hold numbers or categories.");
  }
  const Index most = std::clamp(static_cast<Index>(kMostValues / static_cast<double>(d * d)),
                                std::min<Index>(2000, options.most_rows), options.most_rows);
  const Array all = sampled(x, most);
  TrimProblem p{
      .trim = options,
      .exec = {.threads = all.rows() * d < kManyValues ? 1 : exec.threads, .progress = &unseen}};
  bool numbers = true, holes = false;
  for (Index j = 0; j < d; ++j) {
    const std::vector<double> values = sorted_column(all, j);
    const Column column = x.schema().column(j);
    const bool category = column.kind == ColumnKind::kCategory;
    const double one = most_of_one(values);
    if (one >= (category ? 1 : 1 - options.trim)) {
      result.same.push_back(column.name);
      continue;
    }
    numbers = numbers && !category;
    holes = holes || ssize(values) < all.rows();
    p.log_box += std::log(category ? static_cast<double>(column.levels.size())
                                   : values.back() - values.front());
    p.schema.columns.push_back(column);
    result.columns.push_back(j);
  }
  if (result.columns.empty()) {
    throw InputError(
        Code::kNoSpread, {.file = x.name()},
        "in every column the rows have one value, or nearly all of them: none stands out",
        "Give columns that vary.");
  }
  p.x = {{all.rows(), ssize(result.columns)}, {}};
  for (Index i = 0; i < all.rows(); ++i) {
    for (const Index j : result.columns) p.x.values.push_back(all.values[usize(i * d + j)]);
  }
  p.model = &find_model(numbers ? "gmm" : "mixture");
  if (holes) p.options.emplace_back("fill", std::string("median"));
  if (!numbers) p.options.emplace_back("family", std::string("gaussian"));
  if (numbers && kept_of(p) < kPerColumn * (p.columns() + 1)) {
    p.options.emplace_back("covariance_type", std::string("diag"));
  }
  return p;
}

}  // namespace

TrimmedFit fit_trimmed(Source& x, const TrimOptions& options, const Exec& exec) {
  CRATON_ASSERT(options.trim > 0 && options.trim < 0.5);
  TrimmedFit result;
  Unseen unseen(exec.progress);
  const TrimProblem p = pose(x, options, result, exec, unseen);
  std::optional<Trimmed> best;
  double lowest = 0;
  for (Index k = 1; k <= options.most_components; ++k) {
    result.bic.push_back(kNaN);
    if (k > 1 && kept_of(p) < kLeastRows * k * (p.columns() + 1)) continue;
    std::optional<Trimmed> found = concentrated(p, k);
    if (!found) continue;
    grow(p, *found);
    if (k > 1 && is_flat(found->fitted)) continue;
    const double bic = bic_of(p, *found);
    result.bic.back() = bic;
    if (best && !(bic < lowest)) continue;
    lowest = bic;
    best = std::move(found);
  }
  if (p.rows() < kFewestRows) best.reset();
  if (!best) {
    MemorySource all({.x = p.x.view()}, p.schema);
    p.model->fit(all, p.options, p.exec);  // says what is wrong with the rows, if something is
    throw InputError(Code::kTooFewRows, {.file = x.name()},
                     fmt::format("{} rows of {} columns are too few to tell which are strange",
                                 p.rows(), p.columns()),
                     "Give more rows, or fewer columns.");
  }
  result.apart = take_small_away(p, *best);
  if (!result.apart.empty()) grow(p, *best);
  result.rows = p.rows();
  result.left_out = p.rows() - ssize(best->kept);
  result.components = best->fitted.model->classes();
  result.fitted = std::move(best->fitted);
  return result;
}

}  // namespace craton
