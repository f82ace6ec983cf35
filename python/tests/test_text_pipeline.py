"""Pipelines of texts: one fit, one file, the same model from Python, the shell and a folder."""

import copy
import pathlib
import pickle
import subprocess

import craton
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier, is_clusterer
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction import text as sklearn_text
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

ROOT = pathlib.Path(__file__).parents[2]
CRATON = ROOT / "build" / "release" / "cli" / "craton"
MAIL = pd.read_csv(ROOT / "examples" / "data" / "mail.csv")
TEXTS, LABELS = MAIL["body"].tolist(), MAIL["label"].to_numpy()
MODELS = ["MultinomialNB", "BernoulliNB", "ComplementNB"]


def spam_filter(**options):
    return craton.make_pipeline(craton.CountVectorizer(**options), craton.MultinomialNB())


def shell(*words, cwd=None):
    done = subprocess.run([CRATON, *map(str, words)], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def digest(path):
    return craton.load(path).digest_


@pytest.mark.parametrize("vectorizer, words", [
    (craton.CountVectorizer(), []),
    (craton.CountVectorizer(ngram_range=(1, 2), min_df=2), ["--ngram-max", 2, "--min-df", 2]),
    (craton.CountVectorizer(binary=True, stop_words="english"), ["--tf", "presence", "--stop-words", "english"]),
    (craton.CountVectorizer(stop_words=["the", "a"]), ["--stop-words", "the a "]),
    (craton.TfidfVectorizer(), ["--idf", "smooth", "--text-norm", "l2"]),
    (craton.TfidfVectorizer(tf="bm25", idf="bm25", norm=None), ["--tf", "bm25", "--idf", "bm25"]),
    (craton.HashingVectorizer(n_features=1000, alternate_sign=False), ["--hashed", 1000, "--alternate-sign", "false", "--text-norm", "l2"]),
    (craton.CountVectorizer(analyzer="char_wb", ngram_range=(2, 3)), ["--analyzer", "char_wb", "--ngram-min", 2, "--ngram-max", 3]),
    (craton.CountVectorizer(words="unicode", stemmer="english", max_features=50), ["--words", "unicode", "--stemmer", "english", "--max-features", 50]),
], ids=str)
def test_digests_are_the_same_from_python_shell_and_folder(vectorizer, words, tmp_path):
    ours = craton.make_pipeline(vectorizer, craton.MultinomialNB()).fit(TEXTS, LABELS)
    csv = ROOT / "examples" / "data" / "mail.csv"
    shell("fit", "multinomial-nb", csv, "--text", "body", "--target", "label", *words, "-o", tmp_path / "csv.craton")
    for row, (text, label) in enumerate(zip(TEXTS, LABELS)):
        (tmp_path / "mail" / label).mkdir(parents=True, exist_ok=True)
        (tmp_path / "mail" / label / f"{row}.txt").write_text(text)
    shell("fit", "multinomial-nb", tmp_path / "mail", "--target", "label", *words, "-o", tmp_path / "folder.craton")
    assert ours.digest_ == digest(tmp_path / "csv.craton") == digest(tmp_path / "folder.craton")
    loaded = craton.load(tmp_path / "csv.craton")  # asks for what it was asked for
    assert type(loaded[0]) is type(vectorizer)
    assert clone(loaded).fit(TEXTS, LABELS).digest_ == ours.digest_
    assert np.array_equal(loaded.predict(TEXTS), ours.predict(TEXTS))


def test_the_shell_reads_what_python_wrote(tmp_path):
    ours = spam_filter().fit(MAIL["body"], MAIL["label"])
    ours.save(tmp_path / "spam.craton")
    said = shell("predict", tmp_path / "spam.craton", ROOT / "examples" / "data" / "mail.csv")
    labels = [line.split(",")[0] for line in said.splitlines()[1:]]
    assert labels == ours.predict(TEXTS).tolist()
    assert "text       body" in shell("describe", tmp_path / "spam.craton")
    assert shell("describe", tmp_path / "spam.craton").strip() == ours.describe().strip()


def test_words_by_position_come_from_the_shell_too(tmp_path):
    csv, path = ROOT / "examples" / "data" / "mail.csv", tmp_path / "words.craton"
    shell("fit", "positional-nb", csv, "--text", "body", "--target", "label", "-o", path)
    ours = craton.make_pipeline(craton.CountVectorizer(), craton.PositionalNB()).fit(TEXTS, LABELS)
    assert craton.load(path).digest_ == ours.digest_
    assert np.array_equal(craton.load(path).predict(TEXTS), ours.predict(TEXTS))


@pytest.mark.parametrize("name", MODELS)
def test_predictions_are_those_of_the_steps_alone(name):
    ours = craton.make_pipeline(craton.TfidfVectorizer(), getattr(craton, name)()).fit(TEXTS, LABELS)
    rows = craton.TfidfVectorizer().fit_transform(TEXTS)
    alone = getattr(craton, name)().fit(rows, LABELS)
    assert np.array_equal(ours.predict(TEXTS), alone.predict(rows))
    assert np.array_equal(ours.predict_log_proba(TEXTS), alone.predict_log_proba(rows))
    assert ours.score(TEXTS, LABELS) == alone.score(rows, LABELS)
    assert np.array_equal(ours[-1].feature_log_prob_, alone.feature_log_prob_)
    assert np.array_equal(ours.classes_, alone.classes_)
    assert ours[-1].n_features_in_ == rows.shape[1]
    ours.fit(TEXTS, LABELS, sample_weight=np.arange(len(TEXTS)))
    alone.fit(rows, LABELS, sample_weight=np.arange(len(TEXTS)))
    assert np.array_equal(ours.predict_proba(TEXTS), alone.predict_proba(rows))
    if name == "MultinomialNB":
        assert np.array_equal(ours[-1].coef_, alone.coef_)


@pytest.mark.parametrize("model", [
    craton.MultinomialNB(), craton.BernoulliNB(), craton.ComplementNB(), craton.LogisticRegression(),
    craton.MultinomialNB(scale="max_abs"), craton.MultinomialNB(calibrate="leave-one-out"),
], ids=repr)
def test_one_text_has_the_label_it_has_among_many(model):
    ours = craton.make_pipeline(craton.CountVectorizer(), model).fit(TEXTS, LABELS)
    texts = [*TEXTS[:50], "", "unheard-of", "naïve ☃", "half \ud800 a pair"]
    many = ours.predict(texts)
    proba = ours.predict_proba(texts)
    for row, text in enumerate(texts):
        one = ours.predict([text])
        assert one.shape == (1,) and one.dtype == many.dtype and one[0] == many[row]
        assert np.array_equal(ours.predict_proba([text]), proba[row : row + 1])
    before = ours.predict([TEXTS[0]])[0]
    ours.fit(TEXTS, np.where(LABELS == "spam", "ham", "spam"))  # the short way follows
    assert ours.predict([TEXTS[0]])[0] != before


def test_numbers_clusters_and_new_columns():
    length = [float(len(text)) for text in TEXTS]
    ridge = craton.make_pipeline(craton.CountVectorizer(), craton.Ridge()).fit(TEXTS, length)
    rows = craton.CountVectorizer().fit_transform(TEXTS)
    alone = craton.Ridge().fit(rows, length)
    np.testing.assert_allclose(ridge.predict(TEXTS), alone.predict(rows), rtol=1e-9)
    assert ridge.predict([TEXTS[0]]).shape == (1,)
    assert ridge.score(TEXTS, length) > 0.5
    clusters = craton.make_pipeline(craton.TfidfVectorizer(), craton.KMeans(3, random_state=1))
    labels = clusters.fit_predict(TEXTS)
    assert np.array_equal(labels, clusters.labels_) and np.array_equal(labels, clusters.predict(TEXTS))
    assert np.array_equal(labels[:1], clusters.predict(TEXTS[:1]))
    assert clusters.transform(pd.Series(TEXTS)).shape == (len(TEXTS), 3)
    clusters.set_output(transform="pandas")
    assert list(clusters.transform(pd.Series(TEXTS, name="body")).columns) == ["kmeans0", "kmeans1", "kmeans2"]
    assert is_clusterer(clusters) and is_classifier(spam_filter())
    assert not hasattr(clusters, "predict_proba") and hasattr(spam_filter(), "predict_proba")


def test_words_are_drawn():
    model = spam_filter().fit(TEXTS, LABELS)
    svg = craton.plot(model, picture="words").svg
    assert ">free<" in svg and ">ham<" in svg
    assert craton.plot(model).svg == svg
    words = model.tables()["words"]
    assert words["class"].tolist().count("spam") == 10 and words["weight"].min() > 0
    hashed = craton.make_pipeline(
        craton.HashingVectorizer(n_features=64, alternate_sign=False, norm=None),
        craton.MultinomialNB(),
    )
    with pytest.raises(craton.InputError, match="no picture 'words' of multinomial-nb"):
        craton.plot(hashed.fit(TEXTS, LABELS))


def test_words_explain_labels():
    ours = spam_filter().fit(TEXTS, LABELS)
    why = ours.explain(TEXTS[:20])
    rows = ours["countvectorizer"].transform(TEXTS[:20]).toarray()
    weights = np.diff(ours[-1].coef_[::-1], axis=0)[0]  # the first class less the second
    signs = np.where(why.label == ours.classes_[0], 1, -1)
    np.testing.assert_allclose(why.log_odds.toarray(), rows * weights * signs[:, None], atol=1e-12)
    word, _ = why.loudest(0)[0]
    assert word in TEXTS[0].lower()
    np.testing.assert_array_equal(ours.explain(X=TEXTS[:20], other="spam").other, ["spam"] * 20)
    diagnosed = ours.diagnose(TEXTS[:5])
    assert diagnosed["label"].tolist() == ours.predict(TEXTS[:5]).tolist()
    assert "classes" in ours.tables()


@pytest.mark.parametrize("name", MODELS)
def test_parts_learned_and_merged_are_the_whole(name):
    def fresh():
        vectorizer = craton.CountVectorizer(ngram_range=(1, 2), strip_accents="unicode")
        return craton.make_pipeline(vectorizer, getattr(craton, name)())

    texts, labels = [*TEXTS, "ünheard words"], [*LABELS, "ham"]
    whole, half = fresh().fit(texts, labels), len(texts) // 2
    parts = fresh().partial_fit(texts[:half], labels[:half], classes=["ham", "spam"])
    first = copy.deepcopy(parts)
    assert parts.partial_fit(texts[half:], labels[half:]) is parts
    assert parts.digest_ == whole.digest_
    assert parts[0].vocabulary_ == whole[0].vocabulary_
    merged = first.merge(fresh().fit(texts[half:], labels[half:]))
    assert merged is first and merged.digest_ == whole.digest_
    assert merged[0].vocabulary_ == whole[0].vocabulary_
    for learned in (parts, merged):
        assert learned[-1]._model.options() == whole[-1]._model.options()
    cut = craton.make_pipeline(craton.CountVectorizer(min_df=2), getattr(craton, name)())
    cut.fit(TEXTS, LABELS)
    with pytest.warns(craton.FitWarning, match="not among the"):
        cut.partial_fit(["entirely unheard words"], ["ham"])
    with pytest.raises(craton.InputError, match="chosen"):
        cut.merge(copy.deepcopy(cut))


def test_scikit_learn_searches_clones_and_pickles(tmp_path):
    ours = spam_filter()
    grid = {"countvectorizer__ngram_range": [(1, 1), (1, 2)], "multinomialnb__alpha": [0.1, 1]}
    search = GridSearchCV(ours, grid, cv=3, n_jobs=2).fit(TEXTS, LABELS)
    theirs = make_pipeline(sklearn_text.CountVectorizer(), MultinomialNB())
    expected = GridSearchCV(theirs, grid, cv=3).fit(TEXTS, LABELS)
    means = [s.cv_results_["mean_test_score"] for s in (search, expected)]
    np.testing.assert_allclose(*means, rtol=1e-12)
    assert search.best_params_ == expected.best_params_
    assert cross_val_score(ours, TEXTS, LABELS, cv=3).mean() > 0.8
    assert not ours.__sklearn_is_fitted__()
    ours.fit(TEXTS, LABELS)
    twin = pickle.loads(pickle.dumps(ours))
    assert twin.digest_ == ours.digest_ and twin[0].vocabulary_ == ours[0].vocabulary_
    assert np.array_equal(twin.predict(TEXTS), ours.predict(TEXTS))
    alone = pickle.loads(pickle.dumps(ours[-1]))
    assert alone.digest_ == ours.digest_


def test_parameters_have_the_names_of_their_steps():
    ours = spam_filter(min_df=2)
    params = ours.get_params()
    assert params["countvectorizer__min_df"] == 2 and params["multinomialnb__alpha"] == 1
    assert list(ours.get_params(deep=False)) == ["steps"]
    ours.set_params(countvectorizer__min_df=1, multinomialnb=craton.ComplementNB())
    assert ours[0].min_df == 1 and isinstance(ours[-1], craton.ComplementNB)
    assert len(ours) == 2 and ours.named_steps["countvectorizer"] is ours[0]
    assert repr(spam_filter()) == "make_pipeline(CountVectorizer(), MultinomialNB())"
    named = craton.TextPipeline([("words", craton.CountVectorizer()), ("bayes", craton.MultinomialNB())])
    assert repr(clone(named)) == repr(named) and "'words'" in repr(named)
    for wrong in ("other", "other__min_df"):
        with pytest.raises(ValueError, match="Invalid parameter"):
            ours.set_params(**{wrong: 1})


def test_measuring_learns_the_words_of_every_fold():
    ours = spam_filter()
    folds = craton.select.StratifiedKFold(4, random_state=3)
    measured = craton.select.cross_validate(ours, TEXTS, LABELS, cv=folds, return_predictions=True)
    scores = cross_val_score(ours, TEXTS, LABELS, cv=folds)
    np.testing.assert_allclose(measured.values["accuracy"], scores, rtol=1e-12)
    assert measured.predictions.labels.shape == (len(TEXTS),)
    space = {"countvectorizer__binary": [False, True], "multinomialnb__alpha": "0.1,1"}
    found = craton.select.search(ours, TEXTS, LABELS, space, cv=folds)
    assert len(found.params) == 4 and set(found.best_params) == set(space)
    drawn = craton.select.search(
        ours, TEXTS, LABELS, {**space, "multinomialnb__alpha": "0.1..1:log"}, n_iter=3, cv=folds
    )
    assert len(drawn.params) == 3
    compared = craton.select.compare([ours, craton.make_pipeline(craton.TfidfVectorizer(), craton.ComplementNB())], TEXTS, LABELS, cv=folds)
    assert "TfidfVectorizer" in repr(compared)
    ridge = craton.make_pipeline(craton.CountVectorizer(), craton.Ridge())
    assert "r2" in craton.select.cross_validate(ridge, TEXTS, [float(len(t)) for t in TEXTS]).mean
    with pytest.raises(craton.InputError, match="function of Python"):
        craton.select.cross_validate(spam_filter(tokenizer=str.split), TEXTS, LABELS)
    with pytest.raises(TypeError, match="names no values"):
        craton.select.search(ours, TEXTS, LABELS, {"countvectorizer__binary": True})
    with pytest.raises(ValueError, match="Invalid parameter"):
        craton.select.search(ours, TEXTS, LABELS, {"countvectorizer__other": [1]})
    with pytest.raises(TypeError, match="no pipeline"):
        craton.select.sweep(craton.make_pipeline(craton.CountVectorizer(), craton.KMeans()), TEXTS)


@pytest.mark.parametrize("options", [
    {"tokenizer": str.split}, {"preprocessor": str.lower}, {"analyzer": str.split},
    {"token_pattern": r"[a-z]+"}, {"vocabulary": ["free", "you", "meeting"]}, {"strip_accents": str.upper},
], ids=str)
def test_what_runs_in_python_works_and_is_not_saved(options, tmp_path):
    ours = spam_filter(**options).fit(TEXTS, LABELS)
    theirs = make_pipeline(sklearn_text.CountVectorizer(**options), MultinomialNB()).fit(TEXTS, LABELS)
    assert np.array_equal(ours.predict(TEXTS), theirs.predict(TEXTS))
    assert ours.predict([TEXTS[0]]) == theirs.predict([TEXTS[0]])
    with pytest.raises(craton.InputError, match="cannot be saved in a model file"):
        ours.save(tmp_path / "spam.craton")
    twin = pickle.loads(pickle.dumps(ours))
    assert np.array_equal(twin.predict(TEXTS), ours.predict(TEXTS))


def test_misuse_is_said(tmp_path):
    with pytest.raises(craton.InputError, match="make_pipeline.craton.CountVectorizer"):
        craton.MultinomialNB().fit(TEXTS, LABELS)
    for texts in (np.array(TEXTS), pd.Series(TEXTS), tuple(TEXTS)):
        with pytest.raises(craton.InputError, match="X holds texts"):
            craton.KMeans().fit(texts)
    with pytest.raises(craton.InputError, match="CountVectorizer counts their words"):
        craton.GaussianMixture().fit(TEXTS)
    with pytest.raises(TypeError, match="Give a vectoriser"):
        craton.make_pipeline(craton.MultinomialNB(), craton.CountVectorizer())
    with pytest.raises(TypeError, match="such as craton.MultinomialNB"):
        craton.make_pipeline(craton.CountVectorizer(), MultinomialNB())
    with pytest.raises(TypeError, match="two steps"):
        craton.TextPipeline([("one", craton.CountVectorizer())]).fit(TEXTS)
    with pytest.raises(craton.InputError, match="does not take the counts of words(.|\n)*MultinomialNB"):
        craton.make_pipeline(craton.CountVectorizer(), craton.GaussianMixture())
    ours = spam_filter()
    for use in (lambda: ours.predict(TEXTS), lambda: ours.predict(TEXTS[:1]), lambda: ours.save(tmp_path / "x"), lambda: ours.classes_):
        with pytest.raises(NotFittedError):
            use()
    ours.fit(TEXTS, LABELS)
    with pytest.raises(craton.InputError, match="string object received"):
        ours.predict(TEXTS[0])
    for missing in ([None], ["a", None]):
        with pytest.raises(craton.InputError, match="is missing"):
            ours.predict(missing)
    with pytest.raises(craton.InputError, match="fitted on texts, and is given rows of numbers"):
        ours[-1].predict(ours[0].transform(TEXTS))
    with pytest.raises(craton.InputError, match="inconsistent numbers of samples"):
        ours.fit(TEXTS, LABELS[:-1])
    with pytest.raises(AttributeError):
        ours.no_such_thing
    ours[-1].fit(ours[0].transform(TEXTS), LABELS)  # the step alone, of rows
    with pytest.raises(craton.InputError, match="fitted on rows of numbers, and is given texts"):
        ours.predict(TEXTS)
    assert ours.predict_proba is not None
