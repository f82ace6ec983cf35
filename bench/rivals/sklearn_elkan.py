"""scikit-learn's k-means with Elkan's bounds."""
from . import sklearn
from .sklearn import threads, version  # noqa: F401


def kmeans(*given, **options):
    return sklearn.kmeans(*given, **options, algorithm="elkan")
