#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <optional>
#include <utility>

#include "craton/select/agreement.h"
#include "craton/select/class_metrics.h"
#include "craton/select/probability_metrics.h"
#include "craton/select/ranking.h"
#include "craton/select/regression_metrics.h"
#include "craton/select/silhouette.h"
#include "python/progress.h"
#include "python/rows.h"
#include "python/values.h"

// What craton.metrics is made of. Labels are codes, and that arrays are as long as each other is
// checked in Python.

namespace craton {

using Ints = Vector<std::int32_t>;
using Doubles = Vector<double>;
using MaybeDoubles = std::optional<Doubles>;
using Table2 = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> span_of(const Vector<T>& v) {
  return {v.data(), v.size()};
}
inline std::span<const double> span_of(const MaybeDoubles& v) {
  return v ? span_of(*v) : std::span<const double>();
}
inline Dense<double> view_of(const Table2& t) {
  const auto rows = static_cast<Index>(t.shape(0)), cols = static_cast<Index>(t.shape(1));
  return {t.data(), rows, cols, cols};
}
inline nb::object array_of(std::vector<double> values) {
  const Index size = std::ssize(values);
  return to_numpy(std::move(values), {size});
}

inline nb::tuple to_python(const Ranking& r) {
  return nb::make_tuple(array_of(r.others), array_of(r.positives), array_of(r.thresholds));
}

inline Ranking rank_arrays(const Ints& positive, const Doubles& score,
                           const MaybeDoubles& weights) {
  std::vector<ScoredRow> rows;
  rows.reserve(score.size());
  for (std::size_t i = 0; i < score.size(); ++i) {
    rows.push_back({score.data()[i], weights ? weights->data()[i] : 1.0, positive.data()[i] != 0});
  }
  return rank(std::move(rows));
}

inline double clustered(const nb::object& table, const Ints& labels, Index clusters,
                        double (*metric)(const ClusteredRows&, const Exec&)) {
  const Rows x(table);
  MemorySource source({.x = x.matrix()});
  double result = 0;
  work(0, nb::none(), [&](const Exec& exec) {
    result = metric({source, span_of(labels), clusters}, exec);
  });
  return result;
}

inline nb::object each_clustered(const nb::object& table, const Ints& labels, Index clusters,
                                 bool simplified, int n_jobs) {
  const Rows x(table);
  MemorySource source({.x = x.matrix()});
  std::vector<double> values(labels.size());
  work(n_jobs, nb::none(), [&](const Exec& exec) {
    (simplified ? simplified_silhouettes : silhouettes)({source, span_of(labels), clusters}, values,
                                                        exec);
  });
  return array_of(std::move(values));
}

inline void bind_class_metrics(nb::module_& m) {
  nb::class_<ClassTotals>(m, "ClassTotals")
      .def(
          "__init__",
          [](ClassTotals* self, const Ints& truth, const Ints& predicted, Index classes,
             const MaybeDoubles& weights) {
            new (self) ClassTotals(
                class_totals({span_of(truth), span_of(predicted), span_of(weights)}, classes));
          },
          nb::arg(), nb::arg(), nb::arg(), nb::arg().none())
      .def("first",
           [](const ClassTotals& t, std::size_t count) {  // of its classes
             ClassTotals some = t;
             for (auto* of : {&some.both, &some.truth, &some.predicted}) of->resize(count);
             return some;
           })
      .def("pooled", &pooled)
      .def("accuracy", &accuracy)
      .def("balanced_accuracy", &balanced_accuracy)
      .def("matthews", &matthews)
      .def("scores",
           [](const ClassTotals& t, double beta, double zero_division) {
             const ClassScores s = class_scores(t, beta, zero_division);
             return nb::make_tuple(array_of(s.precision), array_of(s.recall), array_of(s.f));
           })
      .def_prop_ro("truth", [](const ClassTotals& t) { return array_of(t.truth); })
      .def_prop_ro("predicted", [](const ClassTotals& t) { return array_of(t.predicted); });
  m.def(
      "mean_of",
      [](const Doubles& values, const MaybeDoubles& weights) {
        return mean_of(span_of(values), span_of(weights));
      },
      nb::arg(), nb::arg().none());
  m.def(
      "confusion_matrix",
      [](const Ints& truth, const Ints& predicted, Index classes, const MaybeDoubles& weights) {
        return to_python(
            confusion_matrix({span_of(truth), span_of(predicted), span_of(weights)}, classes));
      },
      nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
  m.def(
      "log_loss",
      [](const Ints& truth, const Table2& p, const MaybeDoubles& weights, double epsilon) {
        return log_loss({span_of(truth), view_of(p), span_of(weights)}, epsilon);
      },
      nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
  m.def(
      "brier",
      [](const Ints& truth, const Table2& p, const MaybeDoubles& weights) {
        return brier({span_of(truth), view_of(p), span_of(weights)});
      },
      nb::arg(), nb::arg(), nb::arg().none());
  m.def("calibration_curve", [](const Ints& positive, const Doubles& p, Index bins, bool uniform) {
    const std::vector<double> edges =
        uniform ? uniform_edges(bins) : quantile_edges(span_of(p), bins);
    const CalibrationCurve curve = calibration_curve(span_of(positive), span_of(p), edges);
    return nb::make_tuple(array_of(curve.positive), array_of(curve.predicted));
  });
}

inline void bind_ranking(nb::module_& m) {
  m.def(
      "ranking",
      [](const Ints& positive, const Doubles& score, const MaybeDoubles& weights,
         bool corners_only) {
        const Ranking ranking = rank_arrays(positive, score, weights);
        return to_python(corners_only ? corners(ranking) : ranking);
      },
      nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
  const auto binary = [&m](const char* name, RankingMetric metric) {
    m.def(
        name,
        [metric](const Ints& positive, const Doubles& score, const MaybeDoubles& weights) {
          return metric(rank_arrays(positive, score, weights));
        },
        nb::arg(), nb::arg(), nb::arg().none());
  };
  binary("roc_auc", &roc_auc);
  binary("average_precision", &average_precision);
  const auto against_rest = [&m](const char* name, RankingMetric metric) {
    m.def(
        name,
        [metric](const Ints& truth, const Table2& scores, const MaybeDoubles& weights,
                 std::optional<int> averaging) -> nb::object {
          const ClassScoring rows{span_of(truth), view_of(scores), span_of(weights)};
          if (!averaging) return array_of(one_vs_rest(rows, metric));
          return nb::cast(one_vs_rest(rows, metric, static_cast<Averaging>(*averaging)));
        },
        nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none());
  };
  against_rest("roc_auc_ovr", &roc_auc);
  against_rest("average_precision_ovr", &average_precision);
  m.def("roc_auc_ovo", [](const Ints& truth, const Table2& scores, bool weighted) {
    return roc_auc_one_vs_one({span_of(truth), view_of(scores), {}},
                              weighted ? Averaging::kWeighted : Averaging::kMacro);
  });
}

inline void bind_regression(nb::module_& m) {
  const auto bind = [&m](const char* name, auto metric) {
    m.def(
        name,
        [metric](const Doubles& y, const Doubles& f, const MaybeDoubles& weights) {
          return metric(NumberPairs{span_of(y), span_of(f), span_of(weights)});
        },
        nb::arg(), nb::arg(), nb::arg().none());
  };
  bind("mean_squared_error", [](const NumberPairs& rows) { return mean_squared_error(rows); });
  bind("mean_absolute_error", [](const NumberPairs& rows) { return mean_absolute_error(rows); });
  bind("median_absolute_error",
       [](const NumberPairs& rows) { return median_absolute_error(rows); });
  bind("explained", [](const NumberPairs& rows) {
    const Explained e = explained(rows);
    return nb::make_tuple(e.r2(), e.squared_errors, e.squares);
  });
  m.def(
      "mean_pinball_loss",
      [](const Doubles& y, const Doubles& f, const MaybeDoubles& weights, double alpha) {
        return mean_pinball_loss({span_of(y), span_of(f), span_of(weights)}, alpha);
      },
      nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
}

inline void bind_clusters(nb::module_& m) {
  nb::class_<Contingency>(m, "Contingency")
      .def("__init__",
           [](Contingency* self, const Ints& classes, const Ints& clusters) {
             new (self) Contingency(contingency(span_of(classes), span_of(clusters)));
           })
      .def("matrix",
           [](const Contingency& t) {
             std::vector<Index> cells(t.rows.size() * t.columns.size());
             for (const auto& cell : t.cells) {
               cells[usize(cell.row * std::ssize(t.columns) + cell.column)] = cell.count;
             }
             return to_numpy(std::move(cells), {std::ssize(t.rows), std::ssize(t.columns)});
           })
      .def("pairs",
           [](const Contingency& t) {
             const PairCounts p = count_pairs(t);
             return nb::make_tuple(p.apart, p.clusters_only, p.classes_only, p.together);
           })
      .def("rand", [](const Contingency& t) { return rand_index(count_pairs(t)); })
      .def("adjusted_rand",
           [](const Contingency& t) { return adjusted_rand_index(count_pairs(t)); })
      .def("fowlkes_mallows", &fowlkes_mallows)
      .def("mutual_information", &mutual_information)
      .def("normalised",
           [](const Contingency& t, int mean) {
             return normalised_mutual_information(t, static_cast<EntropyMean>(mean));
           })
      .def("adjusted",
           [](const Contingency& t, int mean) {
             return adjusted_mutual_information(t, static_cast<EntropyMean>(mean));
           })
      .def("v_measure", [](const Contingency& t, double beta) {
        const VMeasure v = v_measure(t, beta);
        return nb::make_tuple(v.homogeneity, v.completeness, v.v);
      });
  m.def("silhouettes", &each_clustered);
  m.def("calinski_harabasz", [](const nb::object& x, const Ints& labels, Index clusters) {
    return clustered(x, labels, clusters, &calinski_harabasz);
  });
  m.def("davies_bouldin", [](const nb::object& x, const Ints& labels, Index clusters) {
    return clustered(x, labels, clusters, &davies_bouldin);
  });
}

inline void bind_metrics(nb::module_& m) {
  bind_class_metrics(m);
  bind_ranking(m);
  bind_regression(m);
  bind_clusters(m);
}

}  // namespace craton
