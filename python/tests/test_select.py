"""craton.select: splitters in scikit-learn's tools, and the engine against scikit-learn's loop."""

import numpy as np
import pytest
import sklearn.model_selection as theirs
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, make_scorer, precision_score, recall_score

import craton
from craton import select


def labelled(seed=0, rows=240, classes=3, columns=4):
    rng = np.random.default_rng(seed)
    y = rng.integers(classes, size=rows)
    return rng.normal(size=(rows, columns)) + y[:, None] * 0.7, y, rng.integers(24, size=rows)


SPLITTERS = {
    "KFold": (select.KFold(4), 4),
    "StratifiedKFold": (select.StratifiedKFold(4, random_state=3), 4),
    "GroupKFold": (select.GroupKFold(4), 4),
    "StratifiedGroupKFold": (select.StratifiedGroupKFold(4), 4),
    "RepeatedKFold": (select.RepeatedKFold(n_splits=4, n_repeats=3), 12),
    "RepeatedStratifiedKFold": (select.RepeatedStratifiedKFold(n_splits=4, n_repeats=2), 8),
    "TimeSeriesSplit": (select.TimeSeriesSplit(4), 4),
}


# ---- splitters


@pytest.mark.parametrize("name", SPLITTERS)
def test_splitters_follow_the_protocol(name):
    cv, folds = SPLITTERS[name]
    X, y, groups = labelled()
    pairs = list(cv.split(X, y, groups))
    assert len(pairs) == cv.get_n_splits(X, y, groups) == folds == cv.get_n_splits()
    again = list(cv.split(X.tolist(), y.tolist(), groups.tolist()))
    for (train, test), (train2, test2) in zip(pairs, again):
        assert (np.diff(train) > 0).all() and (np.diff(test) > 0).all()
        np.testing.assert_array_equal(train, train2)
        np.testing.assert_array_equal(test, test2)
        assert not set(train) & set(test)
    tested = np.bincount(np.concatenate([test for _, test in pairs]), minlength=len(X))
    if name == "TimeSeriesSplit":
        assert all(train.max() < test.min() for train, test in pairs)
        assert tested.max() == 1
    else:
        assert (tested == folds // 4).all()
        assert all(len(train) + len(test) == len(X) for train, test in pairs)
    if "Group" in name:
        assert not any(set(groups[train]) & set(groups[test]) for train, test in pairs)
    if "Stratified" in name and "Group" not in name:
        for c in range(3):
            counts = [np.count_nonzero(y[test] == c) for _, test in pairs]
            assert max(counts) - min(counts) <= 1
    assert eval(repr(cv), vars(select)).get_n_splits() == folds


def test_time_runs_as_in_scikit_learn():
    X = np.zeros((103, 1))
    for ours, other in zip(select.TimeSeriesSplit(5).split(X), theirs.TimeSeriesSplit(5).split(X)):
        for a, b in zip(ours, other):
            np.testing.assert_array_equal(a, b)
    order = np.random.default_rng(1).permutation(103)
    for train, test in select.TimeSeriesSplit(5, times=order).split(X):
        assert order[train].max() < order[test].min()


def test_the_seed_decides_and_none_is_0():
    X, y, groups = labelled()

    def tests(cv):
        return [tuple(test) for _, test in cv.split(X, y, groups)]

    for kind in (select.KFold, select.StratifiedKFold, select.GroupKFold, select.StratifiedGroupKFold):
        assert tests(kind(5)) == tests(kind(5, random_state=0)) != tests(kind(5, random_state=1))
    repeated = tests(select.RepeatedKFold(n_splits=2, n_repeats=2))
    assert set(repeated[:2]) != set(repeated[2:])


@pytest.mark.parametrize("name", SPLITTERS)
def test_splitters_go_into_the_tools_of_scikit_learn(name):
    cv, folds = SPLITTERS[name]
    X, y, groups = labelled()
    search = theirs.GridSearchCV(craton.GaussianNB(), {"var_smoothing": [1e-9, 0.1]}, cv=cv)
    search.fit(X, y, groups=groups)
    assert search.n_splits_ == folds
    scores = theirs.cross_val_score(LogisticRegression(), X, y, groups=groups, cv=cv)
    assert len(scores) == folds


def unevenness(y, tests):
    """scikit-learn's own measure: the mean over classes of the deviation of n_cf / n_c over folds."""
    return np.mean([np.std([np.mean(np.isin(np.flatnonzero(y == c), t)) for t in tests]) for c in np.unique(y)])


def test_stratified_groups_are_as_even_as_those_of_scikit_learn(capsys):
    better = same = worse = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        rows, count, classes = rng.integers(60, 600), rng.integers(8, 60), rng.integers(2, 6)
        groups = rng.choice(count, size=rows, p=rng.dirichlet(np.full(count, 0.7)))
        lean = rng.integers(classes, size=count)
        y = np.where(rng.random(rows) < 0.5, lean[groups], rng.integers(classes, size=rows))
        X, k = np.zeros((rows, 1)), min(5, len(np.unique(groups)))
        ours = unevenness(y, [t for _, t in select.StratifiedGroupKFold(k).split(X, y, groups)])
        other = theirs.StratifiedGroupKFold(k, shuffle=True, random_state=0)
        other = unevenness(y, [t for _, t in other.split(X, y, groups)])
        better += ours < other - 1e-12
        same += abs(ours - other) <= 1e-12
        worse += ours > other + 1e-12
    with capsys.disabled():
        print(f"\nstratified groups: {better} more even than scikit-learn's, {same} as even, {worse} less")
    assert better + same >= 80


# ---- the engine against scikit-learn's loop


SCORING = {
    "accuracy": "accuracy",
    "balanced-accuracy": "balanced_accuracy",
    "mcc": "matthews_corrcoef",
    "log-loss": "neg_log_loss",
    "f1": "f1_macro",
    "precision": "precision_macro",
    "recall": "recall_macro",
    "roc-auc": "roc_auc_ovr",
    "roc-auc-ovo": "roc_auc_ovo",
}


@pytest.mark.parametrize("name", SPLITTERS)
@pytest.mark.parametrize("model", ["GaussianNB", "QuadraticDiscriminantAnalysis"])
def test_every_fold_is_that_of_cross_val_score(name, model):
    X, y, groups = labelled(seed=5)
    cv = SPLITTERS[name][0]
    estimator = getattr(craton, model)()
    pairs = list(cv.split(X, y, groups))
    ours = select.cross_validate(estimator, X, y, groups=groups, cv=cv, scoring=list(SCORING))
    other = theirs.cross_validate(estimator, X, y, cv=pairs, scoring=list(SCORING.values()))
    for metric, scorer in SCORING.items():
        sign = -1 if scorer.startswith("neg_") else 1
        np.testing.assert_allclose(ours.values[metric], sign * other["test_" + scorer], rtol=1e-12, atol=1e-12)
    if "Group" not in name:
        scores = theirs.cross_val_score(estimator, X, y, cv=cv)
        np.testing.assert_allclose(ours.values["accuracy"], scores, rtol=1e-12)


def test_folds_of_others_give_what_they_give():
    X, y, _ = labelled(seed=6)
    for cv in (theirs.KFold(4), theirs.ShuffleSplit(3, random_state=0), theirs.RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=1)):
        ours = select.cross_validate(craton.GaussianNB(), X, y, cv=cv, scoring="accuracy")
        np.testing.assert_allclose(ours.values["accuracy"], theirs.cross_val_score(craton.GaussianNB(), X, y, cv=cv), rtol=1e-12)
    flags = np.arange(len(X)) < 50
    ours = select.cross_validate(craton.GaussianNB(), X, y, cv=[(~flags, flags)], scoring="accuracy")
    assert ours.values["accuracy"][0] == craton.GaussianNB().fit(X[~flags], y[~flags]).score(X[flags], y[flags])
    assert np.isnan(ours.error["accuracy"])


def test_densities_and_clusters():
    X, y, _ = labelled(seed=7)
    cv = select.KFold(3)
    ours = select.cross_validate(craton.GaussianMixture(2), X, cv=cv)
    assert list(ours.values) == ["log-likelihood"]
    np.testing.assert_allclose(
        ours.values["log-likelihood"], theirs.cross_val_score(craton.GaussianMixture(2), X, cv=cv), rtol=1e-12
    )
    ours = select.cross_validate(craton.KMeans(3), X, y, cv=cv, scoring=["ari", "silhouette"])
    for (train, test), ari in zip(cv.split(X), ours.values["ari"]):
        labels = craton.KMeans(3).fit(X[train]).predict(X[test])
        assert ari == pytest.approx(craton.metrics.adjusted_rand_score(y[test], labels), abs=1e-12)


def test_weights_count_in_fits_and_metrics():
    X, y, _ = labelled(seed=8)
    weights = np.random.default_rng(0).integers(1, 4, size=len(y))
    cv = select.StratifiedKFold(3)
    ours = select.cross_validate(craton.GaussianNB(), X, y, cv=cv, sample_weight=weights, scoring="accuracy")
    for (train, test), value in zip(cv.split(X, y), ours.values["accuracy"]):
        model = craton.GaussianNB().fit(X[train], y[train], sample_weight=weights[train])
        assert value == pytest.approx(model.score(X[test], y[test], sample_weight=weights[test]), abs=1e-12)


@pytest.mark.parametrize("names", [["no", "yes"], [0, 1]])
def test_the_positive_label_is_the_one_that_is_named(names):
    X, codes, _ = labelled(seed=9, classes=2)
    y = np.array(names)[codes]
    cv = select.StratifiedKFold(4)
    for positive in names:
        ours = select.cross_validate(
            craton.GaussianNB(), X, y, cv=cv, scoring=["f1", "precision", "recall"], positive=positive
        )
        for name, score in (("f1", f1_score), ("precision", precision_score), ("recall", recall_score)):
            scorer = make_scorer(score, pos_label=positive)
            np.testing.assert_allclose(
                ours.values[name], theirs.cross_val_score(craton.GaussianNB(), X, y, cv=cv, scoring=scorer), rtol=1e-12
            )
    usual = select.cross_validate(craton.GaussianNB(), X, y, cv=cv, scoring="f1")
    np.testing.assert_array_equal(usual.values["f1"], ours.values["f1"])  # the second


def test_predictions_are_those_of_cross_val_predict():
    X, y, _ = labelled(seed=10)
    names = np.array(["a", "b", "c"])[y]
    cv = select.StratifiedKFold(5)
    kept = select.cross_validate(craton.GaussianNB(), X, names, cv=cv, return_predictions=True).predictions
    np.testing.assert_array_equal(kept.rows, np.arange(len(X)))
    np.testing.assert_array_equal(kept.labels, theirs.cross_val_predict(craton.GaussianNB(), X, names, cv=cv))
    proba = theirs.cross_val_predict(craton.GaussianNB(), X, names, cv=cv, method="predict_proba")
    np.testing.assert_allclose(kept.proba, proba, rtol=1e-12)
    np.testing.assert_array_equal(kept.classes, ["a", "b", "c"])
    for fold, (_, test) in enumerate(cv.split(X, names)):
        assert (kept.fold[test] == fold).all()
    later = select.cross_validate(
        craton.KMeans(2), X, cv=select.TimeSeriesSplit(3), return_predictions=True
    ).predictions
    assert later.rows[0] == 60 and later.proba is None and set(later.labels) == {0, 1}


def test_a_model_that_may_learn_labels_does_so_when_they_are_measured():
    X, y, _ = labelled(seed=11, classes=2)
    some = y.astype(float)
    some[::7] = np.nan
    model = craton.Mixture(2)
    ours = select.cross_validate(model, X, some, scoring="accuracy", cv=3, return_predictions=True)
    kept = ours.predictions
    right = [np.mean(some[kept.rows][kept.fold == f] == kept.labels[kept.fold == f]) for f in range(3)]
    np.testing.assert_allclose(ours.values["accuracy"], right, rtol=1e-12)
    assert ours.mean["accuracy"] > 0.6
    assert not set(ours.predictions.rows) & set(range(0, len(y), 7))  # without a label, never held out
    assert set(ours.predictions.labels) == {0, 1}


def test_threads_do_not_change_a_bit():
    X, y, _ = labelled(rows=3000)
    values = [
        select.cross_validate(craton.LinearDiscriminantAnalysis(n_jobs=n), X, y).values["log-loss"] for n in (1, 2, 5)
    ]
    np.testing.assert_array_equal(values[0], values[1])
    np.testing.assert_array_equal(values[0], values[2])


def test_frames_sparse_rows_and_words_are_taken():
    pandas = pytest.importorskip("pandas")
    sparse = pytest.importorskip("scipy.sparse")
    X, y, _ = labelled()
    frame = pandas.DataFrame({"word": np.array(["x", "y", "z"])[y], "a": X[:, 0]})
    assert select.cross_validate(craton.NaiveBayes(), frame, y).mean["accuracy"] == 1
    counts = np.random.default_rng(0).poisson(1 + 2 * (y[:, None] == np.arange(3)))
    for rows in (counts, sparse.csr_matrix(counts)):
        result = select.cross_validate(craton.MultinomialNB(), rows, y, scoring="log-loss")
        assert result.mean["log-loss"] == pytest.approx(
            -theirs.cross_val_score(craton.MultinomialNB(), rows, y, cv=select.StratifiedKFold(5), scoring="neg_log_loss").mean(), rel=1e-12
        )


# ---- comparing and searching


def test_differences_and_their_errors():
    X, y, _ = labelled(seed=12)
    models = {"bayes": craton.GaussianNB(), "linear": craton.LinearDiscriminantAnalysis(), "poor": craton.GaussianNB(var_smoothing=100)}
    ours = select.compare(models, X, y, scoring=["log-loss", "accuracy"])
    losses = np.array([r.values["log-loss"] for r in ours.results])
    assert ours.best == losses.mean(axis=1).argmin() and ours.names == list(models)
    less = losses - losses[ours.best]
    np.testing.assert_allclose(ours.difference["log-loss"], less.mean(axis=1), atol=1e-14)
    error = less.std(axis=1, ddof=1) * np.sqrt(1 / 5 + 1 / 4)
    np.testing.assert_allclose(ours.difference_error["log-loss"], error, rtol=1e-12)
    alone = select.cross_validate(models["poor"], X, y, scoring=["log-loss", "accuracy"])
    np.testing.assert_array_equal(ours.results[2].values["accuracy"], alone.values["accuracy"])
    assert "<- best" in repr(ours) and "less the best's" in repr(ours)


def test_a_search_is_that_of_grid_search():
    X, y, _ = labelled(seed=13)
    space = {"var_smoothing": [1e-9, 0.1, 1.0]}
    cv = select.StratifiedKFold(4)
    ours = select.search(craton.GaussianNB(), X, y, space, cv=cv, scoring="accuracy")
    other = theirs.GridSearchCV(craton.GaussianNB(), space, cv=cv).fit(X, y)
    np.testing.assert_allclose(ours.mean["accuracy"], other.cv_results_["mean_test_score"], rtol=1e-12)
    assert ours.best_params == other.best_params_ == ours.params[ours.best]
    assert ours.best_estimator.get_params() == other.best_estimator_.get_params()
    with pytest.raises(craton.NotFittedError):
        ours.best_estimator.predict(X)
    assert repr(ours).count("\n") == 4


def test_points_are_drawn_from_ranges():
    X, y, _ = labelled(seed=14)
    ours = select.search(
        craton.GaussianNB(), X, y, {"var_smoothing": "1e-9..1:log"}, n_iter=6, random_state=4, scoring="log-loss"
    )
    drawn = [point["var_smoothing"] for point in ours.params]
    assert len(set(drawn)) == 6 and all(1e-9 <= v <= 1 for v in drawn)
    again = select.search(craton.GaussianNB(), X, y, {"var_smoothing": "1e-9..1:log"}, n_iter=6, random_state=4, scoring="log-loss")
    assert again.params == ours.params
    whole = select.search(craton.GaussianMixture(), X, space={"n_components": "1..3"})
    assert [point["n_components"] for point in whole.params] == [1, 2, 3]


def test_points_that_rows_do_not_allow_are_left_out():
    X, _, _ = labelled(rows=30)
    with pytest.warns(craton.FitWarning, match="too few rows in a fold for 1 of 2 points"):
        ours = select.search(craton.KMeans(), X, space={"n_clusters": [2, 28]}, cv=3, scoring="silhouette")
    assert ours.left_out == [{"n_clusters": 28}] and ours.best_params == {"n_clusters": 2}


def test_fits_that_do_not_converge_are_counted():
    X, _, _ = labelled(rows=500)
    with pytest.warns(craton.ConvergenceWarning, match="3 of 3 fits did not converge"):
        select.cross_validate(craton.GaussianMixture(3, max_iter=1, tol=0), X, cv=3)


def test_compare_says_which_models_cannot_and_goes_on():
    X, y = load_iris(return_X_y=True)
    X = X.copy()
    X[3, 1] = np.nan
    models = [craton.KMeans(n_clusters=2), craton.NaiveBayes(), craton.GaussianNB(), craton.LinearDiscriminantAnalysis()]
    found = select.compare(models[1:], X, y)
    assert len(found.names) + len(found.failed) == 3
    assert list(found.failed) == [repr(models[3])]
    assert "NaN" in str(found.failed[repr(models[3])])
    assert "could not be measured" in repr(found)
    with pytest.raises(craton.InputError, match="NaN"):
        select.compare([models[3]], X, y)
    found = select.compare(models[:2], X[4:], y[4:], scoring="accuracy")
    assert list(found.failed) == [repr(models[0])] and len(found.results) == 1


def test_guessing_is_measured_on_the_same_folds_as_scikit_learns_dummy():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(90, 2)), rng.choice(["a", "b", "c"], p=[0.5, 0.3, 0.2], size=90)
    cv = select.StratifiedKFold(n_splits=5, random_state=3)
    found = select.cross_validate(
        craton.GaussianNB(), X, y, cv=cv, scoring=["accuracy", "log-loss", "f1", "roc-auc"])
    dummy = theirs.cross_validate(
        DummyClassifier(strategy="prior"), X, y, cv=cv,
        scoring=["accuracy", "neg_log_loss", "f1_macro", "roc_auc_ovr"])
    for name, other in [("accuracy", "accuracy"), ("f1", "f1_macro"), ("roc-auc", "roc_auc_ovr")]:
        assert found.guessing[name] == pytest.approx(dummy[f"test_{other}"].mean(), abs=1e-12)
    assert found.guessing["log-loss"] == pytest.approx(-dummy["test_neg_log_loss"].mean(), abs=1e-12)
    numbers = select.cross_validate(craton.LinearRegression(), X, X[:, 0] ** 2, cv=select.KFold(4), scoring=["mse", "r2"])
    dummy = theirs.cross_validate(
        DummyRegressor(), X, X[:, 0] ** 2, cv=select.KFold(4), scoring=["neg_mean_squared_error", "r2"])
    assert numbers.guessing["mse"] == pytest.approx(-dummy["test_neg_mean_squared_error"].mean(), rel=1e-12)
    assert numbers.guessing["r2"] == pytest.approx(dummy["test_r2"].mean(), rel=1e-9)


def test_worse_than_guessing_is_said_first():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 3)), rng.integers(2, size=60)
    found = select.cross_validate(craton.GaussianNB(), X, y)
    worse = found.mean["accuracy"] <= found.guessing["accuracy"]
    assert found.worse_than_guessing == worse and worse
    assert "no better than guessing" in repr(found).splitlines()[0]
    clear = select.compare([craton.GaussianNB(), craton.NaiveBayes()], X + 5 * y[:, None], y)
    assert clear.worse_than_guessing == [] and "guessing" not in repr(clear)


def test_of_equal_accuracies_log_loss_decides_and_sure_errors_are_told():
    rng = np.random.default_rng(3)
    y = rng.integers(2, size=300)
    z = rng.normal(size=300) + 1.6 * y - 0.8
    X = z[:, None] + 0.1 * rng.normal(size=(300, 12))
    one = select.compare([craton.NaiveBayes(), craton.LogisticRegression()], X, y)
    assert one.misjudged == [0] and "not as good as its labels" in repr(one)
    twins = [craton.GaussianNB(var_smoothing=0.0), craton.GaussianNB(var_smoothing=0.3)]
    both = select.compare(twins, X[:, :1] * 1.0, y)
    if both.mean["accuracy"][0] == both.mean["accuracy"][1]:
        assert both.best == int(np.argmin(both.mean["log-loss"]))
