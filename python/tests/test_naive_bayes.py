"""Naive Bayes of counts: scikit-learn's numbers, labels of every kind, and learning on."""

import pickle

import craton
import numpy as np
import pytest
import scipy.sparse
import sklearn.naive_bayes
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

NAMES = ["MultinomialNB", "BernoulliNB", "ComplementNB"]


def documents(n_documents=400, n_words=3000, n_classes=7):
    """Counts of words, Zipf-like, with a few words of its own for each class."""
    random = np.random.RandomState(0)
    labels = random.randint(n_classes, size=n_documents)
    common = 1 / np.arange(1, n_words + 1)
    rows = []
    for label in labels:
        p = common.copy()
        p[label::n_classes] *= 3
        rows.append(random.multinomial(random.randint(5, 200), p / p.sum()))
    return scipy.sparse.csr_matrix(np.array(rows, dtype=float)), labels


TABLES = {
    "iris": lambda: load_iris(return_X_y=True),
    "wine": lambda: load_wine(return_X_y=True),
    "digits": lambda: load_digits(return_X_y=True),
    "breast cancer": lambda: load_breast_cancer(return_X_y=True),
    "documents": documents,
}
OPTIONS = [{}, {"alpha": 0.01}, {"fit_prior": False}]


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("name", NAMES)
def test_log_probabilities_are_those_of_scikit_learn(name, table):
    X, y = TABLES[table]()
    weights = np.random.RandomState(1).randint(0, 4, size=len(y)) * 0.75
    more = {"BernoulliNB": [{"binarize": 3.0}], "ComplementNB": [{"norm": True}]}.get(name, [])
    for options in OPTIONS + more:
        for sample_weight in (None, weights):
            ours = getattr(craton, name)(**options).fit(X, y, sample_weight)
            theirs = getattr(sklearn.naive_bayes, name)(**options).fit(X, y, sample_weight)
            expected = theirs.predict_log_proba(X)
            scale = np.maximum(1, np.abs(theirs.predict_joint_log_proba(X)).max(1, keepdims=True))
            assert np.abs((ours.predict_log_proba(X) - expected) / scale).max() < 1e-12
            assert np.array_equal(ours.classes_, theirs.classes_)
            agree = ours.predict(X) == theirs.predict(X)
            top = np.sort(expected, axis=1)
            assert agree[top[:, -1] - top[:, -2] > 1e-9].all()
            for attribute in ("feature_log_prob_", "feature_count_", "class_count_"):
                assert np.allclose(getattr(ours, attribute), getattr(theirs, attribute), 1e-12, 0)
            assert np.allclose(ours.class_log_prior_, theirs.class_log_prior_, 1e-12, 1e-15)


@pytest.mark.parametrize("name", NAMES)
def test_batches_merging_and_unlearning(name):
    X, y = documents()
    whole = getattr(craton, name)().fit(X, y)
    batches = getattr(craton, name)()
    for first in range(0, 400, 90):
        batches.partial_fit(X[first : first + 90], y[first : first + 90], classes=np.unique(y))
    assert batches.digest_ == whole.digest_
    left = getattr(craton, name)().fit(X[:250], y[:250])
    right = getattr(craton, name)().fit(X[250:], y[250:])
    assert getattr(craton, name)().fit(X[:250], y[:250]).merge(right).digest_ == whole.digest_
    assert batches.unlearn(X[250:], y[250:]).digest_ == left.digest_
    with pytest.raises(craton.InputError, match="has not seen all of these rows"):
        left.unlearn(X, y)


@pytest.mark.parametrize(
    "labels", [[5, -3, 5, 2], ["b", "a", "b", "long"], [True, False, True, True], [2.0, 1.0, 2.0, 7]]
)
def test_labels_come_back_as_they_were(labels, tmp_path):
    X = np.array([[3, 0, 1], [0, 2, 0], [4, 1, 0], [0, 0, 5]])
    model = craton.MultinomialNB().fit(X, labels)
    assert model.predict(X).tolist() == labels
    again = pickle.loads(pickle.dumps(model))
    assert again.classes_.dtype == model.classes_.dtype
    model.save(tmp_path / "m.craton")
    loaded = craton.load(tmp_path / "m.craton")
    if isinstance(labels[0], bool):
        labels = [str(label) for label in labels]
    assert loaded.predict(X).tolist() == labels


def test_digest_is_the_same_on_any_number_of_threads():
    X, y = documents(5000)
    digests = {craton.MultinomialNB(n_jobs=n).fit(X, y).digest_ for n in (1, 2, 7)}
    digests |= {craton.MultinomialNB(n_jobs=n).fit(X.astype(np.float32), y).digest_ for n in (1, 2)}
    assert len(digests) == 1


def test_wrong_labels_are_named():
    X = np.ones((4, 2))
    model = craton.MultinomialNB()
    with pytest.raises(craton.InputError, match="requires y") as caught:
        model.fit(X)
    assert caught.value.code == "bad-target"
    with pytest.raises(craton.InputError, match="contains NaN"):
        model.fit(X, [0, 1, np.nan, 1])
    with pytest.raises(craton.InputError, match="Unknown label type"):
        model.fit(X, [0, 1, 0.5, 1])
    with pytest.raises(craton.InputError, match="classes must be passed"):
        model.partial_fit(X, [0, 1, 0, 1])
    with pytest.raises(craton.InputError, match="row 1") as caught:
        model.fit([[1, 2], [3, -4]], [0, 1])
    assert caught.value.code == "outside-support"
    model.fit(X, [0, 1, 0, 1])
    with pytest.raises(craton.InputError, match="do not exist in the initial classes"):
        model.partial_fit(X, [0, 1, 2, 1])


@pytest.mark.parametrize("name", NAMES)
def test_explanations_sum_to_the_log_odds_of_the_labels(name):
    X, y = documents()
    labels = np.array([f"topic {label}" for label in y])
    model = getattr(craton, name)(n_jobs=2).fit(X, labels)
    log_p, row = model.predict_log_proba(X), np.arange(len(y))
    place = {label: c for c, label in enumerate(model.classes_)}
    for rows, other in ((X, None), (X.toarray(), None), (X, "topic 3")):
        why = model.explain(rows, other)
        assert (why.label == model.predict(X)).all()
        if other is None:  # the second largest
            assert np.array_equal(log_p[row, [place[c] for c in why.other]], np.sort(log_p)[:, -2])
        else:
            assert set(why.other) == {other}
        odds = log_p[row, [place[c] for c in why.label]] - log_p[row, [place[c] for c in why.other]]
        size = 1 + np.asarray(abs(why.log_odds).sum(1)).ravel()
        total = np.asarray(why.log_odds.sum(1)).ravel() + why.prior
        assert np.abs((total - odds) / size).max() < 1e-12
        assert scipy.sparse.issparse(why.log_odds) == scipy.sparse.issparse(rows)
    with pytest.raises(craton.InputError, match="do not exist in the initial classes"):
        model.explain(X, "topic 30")


def test_explanations_of_wide_sparse_rows_stay_sparse():
    random = np.random.RandomState(2)
    X = scipy.sparse.random(50, 130_000, 0.001, "csr", random_state=random)
    model = craton.MultinomialNB().fit(X, np.arange(50) % 3)
    why = model.explain(X)
    assert why.log_odds.shape == X.shape and why.log_odds.nnz <= X.nnz


@pytest.mark.parametrize("name", NAMES)
def test_softmax_of_the_linear_form_is_the_posterior(name):
    X, y = documents()
    X = (X > 0).astype(float)
    model = getattr(craton, name)(alpha=0.1).fit(X, y)
    score = X @ model.coef_.T + model.intercept_
    score -= score.max(1, keepdims=True)
    p = np.exp(score) / np.exp(score).sum(1, keepdims=True)
    assert np.abs(p - model.predict_proba(X)).max() < 1e-12


def test_no_linear_form_has_what_is_impossible():
    model = craton.MultinomialNB(alpha=0).fit([[1, 0], [0, 1]], [0, 1])
    with pytest.raises(craton.InputError, match="no weight for what is impossible") as caught:
        model.coef_
    assert caught.value.code == "not-able"


def test_m_estimates_are_pseudo_counts():
    X, y = documents()
    p = np.random.RandomState(3).dirichlet(np.ones(X.shape[1]))
    ours = craton.MultinomialNB(m=40, prior_p=p).fit(X, y)
    theirs = sklearn.naive_bayes.MultinomialNB(alpha=40 * p).fit(X, y)
    assert np.allclose(ours.feature_log_prob_, theirs.feature_log_prob_, 1e-12, 0)
    there = np.linspace(0, 1, X.shape[1])
    ours = craton.BernoulliNB(m=10, prior_p=there).fit(X, y)
    for c in range(7):
        expected = ((X[y == c] > 0).sum(0).A1 + 10 * there) / ((y == c).sum() + 10)
        assert np.allclose(np.exp(ours.feature_log_prob_[c]), expected, 1e-12, 0)


@pytest.mark.parametrize("name", NAMES)
def test_calibration_makes_probabilities_honest(name):
    X, y = documents(1500, 800)
    train, test = slice(0, 1000), slice(1000, 1500)
    plain = getattr(craton, name)(alpha=0.1).fit(X[train], y[train])
    model = getattr(craton, name)(alpha=0.1, calibrate="leave-one-out").fit(X[train], y[train])
    assert (model.predict(X) == plain.predict(X)).all()
    loss = {
        which: -which.predict_log_proba(X[test])[np.arange(500), y[test]].mean()
        for which in (plain, model)
    }
    assert loss[model] < loss[plain]
    assert abs(loss[model] - model.leave_one_out_["calibrated_log_loss"]) < 0.15
    assert np.allclose(model.predict_proba(X).sum(1), 1)
    assert plain.calibration_ is None and set(model.calibration_) == {"scale", "length_exponent"}
    again = pickle.loads(pickle.dumps(model))
    assert again.digest_ == model.digest_ and again.calibration_ == model.calibration_
    with pytest.raises(craton.InputError, match="cannot learn on"):
        model.partial_fit(X, y)


def em_by_numpy(X, y, weight, iterations, binary):
    """Nigam et al. (2000), alpha = 1, dense and slow; y = -1 where there is no label."""
    X = (X > 0).astype(float) if binary else X
    R = np.zeros((len(y), y.max() + 1))
    R[y >= 0, y[y >= 0]] = 1
    trace = []
    for step in range(iterations + 1):
        N, rows = R.T @ X, R.sum(0)
        log_prior = np.log(rows / rows.sum())
        p = (N + 1) / (rows + 2)[:, None] if binary else (N + 1) / (N + 1).sum(1, keepdims=True)
        joint = X @ np.log(p).T + log_prior
        penalty = np.log(p).sum()
        if binary:
            joint += (1 - X) @ np.log(1 - p).T
            penalty += np.log(1 - p).sum()
        marginal = np.logaddexp.reduce(joint, axis=1)
        total = joint[y >= 0, y[y >= 0]].sum() + weight * marginal[y < 0].sum() + penalty
        trace.append(total / ((y >= 0).sum() + weight * (y < 0).sum()))
        if step < iterations:
            R[y < 0] = weight * np.exp(joint - marginal[:, None])[y < 0]
    return np.log(p), log_prior, trace


@pytest.mark.parametrize("name", ["MultinomialNB", "BernoulliNB"])
@pytest.mark.parametrize("weight", [1, 0.3])
def test_rows_without_labels_join_by_em(name, weight):
    X, y = documents(600, 300, 4)
    some = np.where(np.arange(600) < 60, y, -1)
    model = getattr(craton, name)(
        unlabelled="em", unlabelled_weight=weight, max_iter=7, tol=0
    )
    with pytest.warns(craton.ConvergenceWarning):
        model.fit(X, some)
    table, prior, trace = em_by_numpy(X.toarray(), some, weight, 7, name == "BernoulliNB")
    assert np.allclose(model.feature_log_prob_, table, 1e-9, 0)
    assert np.allclose(model.class_log_prior_, prior, 1e-9, 0)
    assert np.allclose(model.report_.trace, trace, 1e-11, 0)
    assert model.n_iter_ == 7


def test_no_label_is_none_or_nan_or_minus_one():
    X, y = documents(200, 50, 3)
    whole = craton.MultinomialNB(unlabelled="em")
    marks = [
        np.where(y == 2, -1, y),
        np.where(y == 2, np.nan, y.astype(float)),
        np.array([None if label == 2 else int(label) for label in y], dtype=object),
        np.array([None if label == 2 else "ab"[label] for label in y], dtype=object),
    ]
    digests = [whole.fit(X, labels).feature_log_prob_.tobytes() for labels in marks]
    assert len(set(digests)) == 1
    assert whole.classes_.tolist() == ["a", "b"]
    with pytest.raises(craton.InputError, match="contains NaN"):
        craton.MultinomialNB().fit(X, marks[1])
    assert craton.MultinomialNB().fit(X, marks[0]).classes_.tolist() == [-1, 0, 1]
    for labels in (np.where(y == 0, 1, -1), np.full(200, -1)):
        with pytest.raises(craton.InputError, match="fewer than two classes") as caught:
            craton.MultinomialNB(unlabelled="em").fit(X, labels)
        assert caught.value.code == "bad-target"
    with pytest.raises(craton.InputError, match="unlabelled = em needs all rows at once"):
        whole.partial_fit(X, np.array(["a", "b"])[y % 2])


@pytest.mark.parametrize("name", ["MultinomialNB", "BernoulliNB"])
def test_a_fit_on_drawn_rows_is_the_model_again(name):
    X, y = documents(2000, 20, 3)
    labels = np.array(["a", "b", "c"])[y]
    model = getattr(craton, name)(random_state=4).fit(X, labels)
    drawn, kinds = model.sample(40_000)
    assert set(kinds) == {"a", "b", "c"} and np.array_equal(drawn, model.sample(40_000)[0])
    again = getattr(craton, name)().fit(drawn, kinds)
    assert np.abs(np.exp(again.feature_log_prob_) - np.exp(model.feature_log_prob_)).max() < 0.03
    assert np.abs(np.exp(again.class_log_prior_) - np.exp(model.class_log_prior_)).max() < 0.01
    if name == "MultinomialNB":
        assert np.allclose(again.mean_length_, model.mean_length_, 0.01)


def test_the_tied_positional_model_is_the_multinomial_one_of_counts():
    random = np.random.RandomState(5)
    codes = random.randint(8, size=(300, 6)).astype(float)
    codes[random.rand(300, 6) < 0.3] = np.nan
    y = random.randint(3, size=300)
    counts = np.stack([np.bincount(row[~np.isnan(row)].astype(int), minlength=8) for row in codes])
    tied = craton.PositionalNB(tied=True).fit(codes, y)
    theirs = sklearn.naive_bayes.MultinomialNB().fit(counts, y)
    assert np.allclose(tied.predict_log_proba(codes), theirs.predict_log_proba(counts), 0, 1e-11)
    free = craton.PositionalNB(alpha=0.5, n_words=10).fit(codes, y)
    assert free.word_log_prob_.shape == (3, 6, 10)
    for c, t, w in ((0, 0, 0), (1, 3, 7), (2, 5, 9)):
        seen = codes[y == c, t]
        p = ((seen == w).sum() + 0.5) / ((~np.isnan(seen)).sum() + 5)
        assert abs(np.exp(free.word_log_prob_[c, t, w]) - p) < 1e-14
    words = np.array([[None if v != v else f"w{v:.0f}" for v in row] for row in codes], object)
    for rows in (words, np.where(codes == 3, 2.5, codes)):  # words, or numbers that are no codes
        named = craton.PositionalNB(tied=True).fit(rows, y)
        assert np.allclose(named.predict_log_proba(rows), tied.predict_log_proba(codes), 0, 1e-11)
    why = free.explain(codes)
    log_p = free.predict_log_proba(codes)
    odds = log_p[np.arange(300), why.label] - log_p[np.arange(300), why.other]
    assert np.abs(why.log_odds.sum(1) + why.prior - odds).max() < 1e-12
    assert (why.log_odds[np.isnan(codes)] == 0).all()


def test_input_that_makes_no_sense_is_named():
    X, y = np.array([[1, 0.5], [0, 2], [3, 1]]), [0, 1, 1]
    model = craton.MultinomialNB().fit(X, y)  # fractions, and a class of one row
    assert model.class_count_.tolist() == [1, 2]
    with pytest.raises(craton.InputError, match="class_prior sums to 0.9") as caught:
        craton.MultinomialNB(class_prior=[0.5, 0.4]).fit(X, y)
    assert caught.value.code == "bad-option"
    with pytest.raises(craton.InputError, match="3 values for 2 classes"):
        craton.BernoulliNB(class_prior=[0.5, 0.25, 0.25]).fit(X, y)
    with pytest.raises(craton.InputError, match="prior_p sums to 0.9"):
        craton.MultinomialNB(prior_p=[0.5, 0.4]).fit(X, y)
    with pytest.raises(craton.InputError, match="the value -1.0 is negative|the value -1 is negative"):
        craton.ComplementNB().fit(-X, y)
    with pytest.warns(craton.FitWarning, match="the class '7' has no rows"):
        craton.MultinomialNB().partial_fit(X, y, classes=[0, 1, 7])
    with pytest.raises(craton.InputError, match="infinite|infinity") as caught:
        craton.PositionalNB().fit([[1, 2], [np.inf, 1]], [0, 1])
    assert caught.value.code == "not-finite"


@pytest.mark.parametrize(
    ("make", "row"),
    [
        (craton.MultinomialNB, [-1e308] * 4),
        (craton.ComplementNB, [1e308] * 4),
    ],
)
def test_log_probabilities_that_overflow_are_refused_by_row(make, row):
    X = np.random.RandomState(0).poisson(3, (60, 4)).astype(float)
    model = make().fit(X, np.arange(60) % 3)
    for rows, number in (([row], 0), ([X[0], row, X[1]], 1)):
        for ask in (model.predict, model.predict_log_proba, model.predict_proba):
            with pytest.raises(craton.InputError, match=f"row {number} .*probabilities overflow"):
                ask(np.array(rows))


@pytest.mark.parametrize("family", ["poisson", "gaussian"])
@pytest.mark.parametrize("row", [[1e308] * 4, [1e200, -1e308, 0, 0]])
def test_where_no_class_is_possible_the_priors_decide(family, row):
    # Counts end at 2^53, and squares overflow.
    X = np.random.RandomState(0).poisson(3, (60, 4)).astype(float)
    model = craton.NaiveBayes(family=family).fit(X, np.arange(60) % 4 // 2)
    np.testing.assert_allclose(model.predict_proba([row]), [[0.5, 0.5]], rtol=1e-12)
