"""Pictures of fits: what they are in Python, and what is refused."""

import xml.etree.ElementTree as xml

import numpy as np
import pytest

import craton


@pytest.fixture
def rows():
    rng = np.random.default_rng(1)
    return np.concatenate([rng.normal(size=(60, 3)), rng.normal(size=(40, 3)) + 6])


def test_a_picture_is_svg_that_notebooks_show_and_files_keep(rows, tmp_path):
    picture = craton.plot(craton.GaussianMixture(2).fit(rows), rows)
    assert xml.fromstring(picture.svg).tag.endswith("svg")
    assert picture._repr_svg_() == picture.svg
    picture.save(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text(encoding="utf-8") == picture.svg
    assert "svg" in repr(picture).lower() and len(repr(picture)) < 100
    with pytest.raises(craton.InputError, match="ends in .svg"):
        picture.save(tmp_path / "a.png")


def test_columns_are_chosen_by_number_or_name(rows):
    model = craton.GaussianMixture(2).fit(rows)
    assert craton.plot(model, rows, columns=(0, 1)).svg == model.plot(rows, columns=(0, 1)).svg
    assert craton.plot(model, rows, columns=(2, 0)).svg != craton.plot(model, rows).svg
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows, columns=["a", "b", "c"])
    named = craton.GaussianMixture(2).fit(frame)
    by_name = craton.plot(named, frame, columns=["c", "a"]).svg
    assert by_name == craton.plot(named, frame, columns=[2, 0]).svg and ">c<" in by_name
    with pytest.raises(craton.InputError, match="They are: a, b, c"):
        craton.plot(named, frame, columns=["c", "z"])
    for columns in ((0,), "ab", (0, 1, 2)):
        with pytest.raises(craton.InputError, match="a picture has two"):
            craton.plot(model, rows, columns=columns)
    with pytest.raises(craton.InputError, match="columns = 3"):
        craton.plot(model, rows, columns=(0, 3))


def test_classifiers_are_drawn_with_the_true_labels(rows):
    y = np.repeat(["x", "y"], [60, 40])
    model = craton.GaussianNB().fit(rows, y)
    assert "accuracy 1" in craton.plot(model, rows, y).svg
    assert "accuracy 0" in craton.plot(model, rows, np.where(y == "x", "y", "x")).svg
    with pytest.raises(craton.InputError, match="requires y"):
        craton.plot(model, rows)


def test_sparse_rows_are_drawn(rows):
    sparse = pytest.importorskip("scipy.sparse")
    model = craton.KMeans(2).fit(sparse.csr_matrix(rows))
    assert craton.plot(model, sparse.csr_matrix(rows)).svg == craton.plot(model, rows).svg


def test_what_has_no_picture(rows):
    with pytest.raises(craton.NotFittedError):
        craton.plot(craton.KMeans(2), rows)
    with pytest.raises(TypeError, match="no estimator of craton"):
        craton.plot(object(), rows)
    with pytest.raises(craton.InputError, match="no stages"):
        craton.plot_stages(craton.GaussianNB(), rows, np.arange(100) % 2)
    with pytest.raises(craton.InputError, match="updates = -1"):
        craton.plot_stages(craton.KMeans(2), rows, updates=[-1])


def test_stages_leave_the_estimator_as_it_is(rows):
    model = craton.KMeans(2, n_init=3)
    svg = craton.plot_stages(model, rows, updates=(0, 1)).svg
    assert "the start" in svg and not model.__sklearn_is_fitted__() and model.n_init == 3


def test_every_estimator_draws_itself(rows):
    y = np.repeat(["x", "y"], [60, 40])
    model = craton.GaussianNB().fit(rows, y)
    assert model.plot(rows, y).svg == craton.plot(model, rows, y).svg
    for picture in ("columns", "profiles", "pairs", "confusion", "roc", "precision-recall", "lift", "calibration"):
        assert xml.fromstring(model.plot(rows, y, picture=picture).svg).tag.endswith("svg")
    with pytest.raises(craton.InputError, match="there are: fit, columns"):
        model.plot(rows, y, picture="silhouette")


def test_a_picture_of_very_many_rows_says_how_many_it_shows():
    many = np.random.default_rng(0).normal(size=(30_000, 2))
    assert "20,000 of 30,000 rows" in craton.GaussianMixture(1).fit(many).plot(many).svg
