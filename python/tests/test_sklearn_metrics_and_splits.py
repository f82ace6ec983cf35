"""Parameters of scikit-learn's metrics and splitters that programs bring along, beside its values."""

import warnings

import craton
import numpy as np
import pytest
import sklearn.metrics
import sklearn.model_selection
from craton import metrics, select
from scipy.sparse import csr_matrix

RNG = np.random.default_rng(5)
X, CLUSTERS = RNG.normal(size=(80, 5)), RNG.integers(0, 4, 80)
CLUSTERS[0] = 9  # alone
TRUTH, GUESS = RNG.integers(0, 2, (60, 4)), RNG.integers(0, 2, (60, 4))
TRUTH[0] = GUESS[0] = 0
SCORES, WEIGHTS = RNG.random((60, 4)), RNG.random(60)


# ---- silhouettes


@pytest.mark.parametrize("metric", ["manhattan", "l1", "cityblock", "cosine", "l2", "euclidean"])
@pytest.mark.parametrize("container", [np.asarray, csr_matrix])
def test_silhouettes_by_other_distances(metric, container):
    rows = X.copy()
    rows[3] = rows[4] = 0  # which has no direction
    rows[rows < -1] = 0
    expected = sklearn.metrics.silhouette_samples(rows, CLUSTERS, metric=metric)
    ours = metrics.silhouette_samples(container(rows), CLUSTERS, metric=metric)
    assert np.abs(ours - expected).max() < 1e-12


def test_manhattan_silhouettes_far_from_zero():
    ours = metrics.silhouette_samples(X + 1e8, CLUSTERS, metric="manhattan")
    shifted = (X + 1e8) - 1e8  # what is left of the rows
    assert np.abs(ours - sklearn.metrics.silhouette_samples(shifted, CLUSTERS, metric="manhattan")).max() < 1e-7


@pytest.mark.parametrize("container", [np.asarray, csr_matrix])
def test_silhouettes_of_given_distances(container):
    distances = sklearn.metrics.pairwise_distances(X, metric="chebyshev")
    expected = sklearn.metrics.silhouette_samples(distances, CLUSTERS, metric="precomputed")
    ours = metrics.silhouette_samples(container(distances), CLUSTERS, metric="precomputed")
    assert np.abs(ours - expected).max() < 1e-12
    some = metrics.silhouette_score(
        distances, CLUSTERS, metric="precomputed", sample_size=40, random_state=2
    )
    expected = sklearn.metrics.silhouette_score(
        distances, CLUSTERS, metric="precomputed", sample_size=40, random_state=2
    )
    assert some == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "rows, metric, said",
    [
        (X, "chebyshev", "metric='precomputed'"),
        (X, len, "metric='precomputed'"),
        (X @ X.T, "precomputed", "diagonal"),
        (X, "precomputed", "one for each pair"),
    ],
)
def test_silhouettes_that_are_not_there(rows, metric, said):
    with pytest.raises(craton.InputError, match=said):
        metrics.silhouette_score(rows, CLUSTERS, metric=metric)


# ---- clusters and classes


def test_contingency_matrices():
    a, b = RNG.integers(0, 3, 50), RNG.integers(0, 4, 50)
    expected = sklearn.metrics.cluster.contingency_matrix(a, b, eps=0.5)
    assert np.array_equal(metrics.contingency_matrix(a, b, eps=0.5), expected)
    sparse = metrics.contingency_matrix(a, b, sparse=True, dtype=np.float32)
    assert sparse.dtype == np.float32 and np.array_equal(sparse.toarray() + 0.5, expected)
    with pytest.raises(craton.InputError, match="'eps' when sparse"):
        metrics.contingency_matrix(a, b, eps=1, sparse=True)
    shared = metrics.mutual_info_score(None, None, contingency=sparse)
    assert shared == pytest.approx(metrics.mutual_info_score(a, b), rel=1e-12)


@pytest.mark.parametrize("bad", [[0, np.nan, 1], [0, np.inf, 1], ["a", None, "b"], [0, float("nan"), None]])
def test_labels_that_are_missing_are_refused(bad):
    for function in (metrics.adjusted_rand_score, metrics.mutual_info_score):
        with pytest.raises(craton.InputError, match="labels_true contains NaN"):
            function(np.array(bad, dtype=object), [0, 1, 1])
        with pytest.raises(craton.InputError, match="labels_pred contains NaN"):
            function([0, 1, 1], bad)
    with pytest.raises(craton.InputError, match="labels contains NaN"):
        metrics.silhouette_score([[1.0], [2.0], [4.0]], bad)


@pytest.mark.parametrize("label", [0, 1])
def test_one_label_alone_has_no_correlation(label):
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y, weights = rng.integers(0, 2, 30), rng.random(30) * 10.0 ** rng.integers(-9, 9, 30)
        assert metrics.matthews_corrcoef(y, np.full(30, label), sample_weight=weights) == 0
        assert metrics.matthews_corrcoef(np.full(30, label), y, sample_weight=weights) == 0


def test_complex_weights_are_refused():
    weights = np.ones(60) + 1j
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(craton.InputError, match="sample_weight holds complex numbers"):
            metrics.accuracy_score(TRUTH[:, 0], GUESS[:, 0], sample_weight=weights)
        with pytest.raises(craton.InputError, match="(?i)complex"):
            craton.KMeans(2).fit(SCORES, sample_weight=weights)


def test_whole_weights_do_not_wrap_around():
    weights = np.array([2**62, 2**62, 2**62])
    matrix = metrics.confusion_matrix([0, 0, 1], [0, 0, 0], sample_weight=weights)
    assert matrix.tolist() == [[2**63 - 1, 0], [2**62, 0]]


# ---- several labels for each row


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("container", [np.asarray, csr_matrix])
def test_several_labels_for_each_row(weights, container):
    both = container(TRUTH), container(GUESS)
    for average in (None, "micro", "macro", "weighted", "samples"):
        how = dict(average=average, sample_weight=weights, zero_division=0)
        ours = metrics.precision_recall_fscore_support(*both, **how)
        theirs = sklearn.metrics.precision_recall_fscore_support(*both, **how)
        for a, b in zip(ours, theirs):
            assert (a is None and b is None) or np.allclose(a, b, rtol=1e-12)
        some = metrics.f1_score(*both, labels=[2, 0], **how)
        assert np.allclose(some, sklearn.metrics.f1_score(*both, labels=[2, 0], **how))
    for normalize in (True, False):
        how = dict(normalize=normalize, sample_weight=weights)
        expected = sklearn.metrics.accuracy_score(*both, **how)
        assert metrics.accuracy_score(*both, **how) == pytest.approx(expected)


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("average", [None, "micro", "macro", "weighted", "samples"])
@pytest.mark.parametrize("name", ["roc_auc_score", "average_precision_score"])
def test_scores_of_several_labels(name, average, weights):
    truth = TRUTH.copy()
    truth[:, 0], truth[:, 1] = 0, 1  # every row has both
    truth[:30, 0], truth[10:40, 1] = 1, 0
    keep = (truth.min(axis=1) == 0) & (truth.max(axis=1) == 1)
    how = dict(average=average, sample_weight=None if weights is None else weights[keep])
    ours = getattr(metrics, name)(truth[keep], SCORES[keep], **how)
    assert np.allclose(ours, getattr(sklearn.metrics, name)(truth[keep], SCORES[keep], **how))


@pytest.mark.parametrize(
    "y_true, y_pred, how, said",
    [
        (TRUTH, GUESS, {}, "multilabel-indicator but average='binary'"),
        (TRUTH, GUESS[:, 0], {"average": "macro"}, "Give both alike"),
        (TRUTH + 1, GUESS, {"average": "macro"}, "0 and 1"),
        (TRUTH, GUESS[:, :3], {"average": "macro"}, "4 columns, y_pred 3"),
        (TRUTH, GUESS, {"average": "macro", "labels": [7]}, "4 columns"),
        (TRUTH[:, 0], GUESS[:, 0], {"average": "samples"}, "matrices of 0 and 1"),
    ],
)
def test_several_labels_are_checked(y_true, y_pred, how, said):
    with pytest.raises(craton.InputError, match=said):
        metrics.f1_score(y_true, y_pred, **how)


# ---- splits


def pairs(splitter, *data):
    return [(a.tolist(), b.tolist()) for a, b in splitter.split(*data)]


@pytest.mark.parametrize("rows, folds", [(10, 3), (12, 4), (23, 5)])
def test_parts_without_a_shuffle_are_scikit_learns(rows, folds):
    data = np.zeros((rows, 1)), np.arange(rows) * 7 % 5 // 3
    for name in ("KFold", "StratifiedKFold"):
        ours = getattr(select, name)(folds, shuffle=False)
        assert pairs(ours, *data) == pairs(getattr(sklearn.model_selection, name)(folds), *data)


def test_groups_without_a_shuffle_are_as_even_as_scikit_learns():
    groups = RNG.integers(0, 12, 100)
    ours = select.GroupKFold(4, shuffle=False)
    theirs = sklearn.model_selection.GroupKFold(4)
    data = np.zeros((100, 1)), None, groups
    sizes = [len(b) for _, b in ours.split(*data)]
    expected = [len(b) for _, b in theirs.split(*data)]
    assert max(sizes) - min(sizes) <= max(expected) - min(expected)
    assert pairs(ours, *data) == pairs(select.GroupKFold(4, shuffle=False), *data)


@pytest.mark.parametrize("gap", [0, 2])
@pytest.mark.parametrize("test_size", [None, 3])
@pytest.mark.parametrize("max_train_size", [None, 4])
def test_time_series_splits_are_scikit_learns(gap, test_size, max_train_size):
    how = dict(n_splits=3, gap=gap, test_size=test_size, max_train_size=max_train_size)
    data = (np.zeros((20, 1)),)
    expected = pairs(sklearn.model_selection.TimeSeriesSplit(**how), *data)
    assert pairs(select.TimeSeriesSplit(**how), *data) == expected
    order = np.random.default_rng(1).permutation(20)
    mixed = pairs(select.TimeSeriesSplit(**how, times=np.argsort(order)), *data)
    assert mixed == [(sorted(order[a]), sorted(order[b])) for a, b in expected]


def test_a_gap_counts_in_cross_validation():
    y = np.arange(80) % 2
    cv = select.TimeSeriesSplit(4, gap=3, max_train_size=20)
    result = select.cross_validate(craton.GaussianNB(), X, y, cv=cv)
    assert result.train_rows.tolist() == [13, 20, 20, 20] and result.test_rows.tolist() == [16] * 4


def test_groups_that_are_not_looked_at_are_said_to_be_so():
    groups = np.arange(80) // 4
    with pytest.warns(UserWarning, match="groups parameter is ignored by KFold"):
        select.KFold(4).split(X, None, groups)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(list(select.GroupKFold(4).split(X, None, groups))) == 4


@pytest.mark.parametrize(
    "made, said",
    [
        (lambda: select.KFold(3, shuffle="yes"), "shuffle must be True or False"),
        (lambda: select.KFold(3, shuffle=False, random_state=1), "random_state has no effect"),
        (lambda: select.TimeSeriesSplit(3, gap=-1), "gap = -1"),
        (lambda: select.TimeSeriesSplit(3, test_size=0), "test_size = 0"),
        (lambda: select.TimeSeriesSplit(3, test_size=30), "too few for 3 folds of 30"),
    ],
)
def test_what_splitters_refuse(made, said):
    with pytest.raises(craton.InputError, match=said):
        list(made().split(X))
