"""Models of one discrete class, seen or hidden, beside naive Bayes (nb.py) and Gaussians (gmm.py)."""
from suites import discriminant

PARTS = (discriminant,)


def cases(data, quick):
    return [case for part in PARTS for case in part.cases(data, quick)]
