"""Accuracy on adult-test of craton's mixed naive Bayes and of every way to use one of scikit-learn's.

    python tests/reference/adult_naive_bayes.py FOLDER     # with adult-train.csv and adult-test.csv

scikit-learn's classes take one kind of column each, so the others are recoded for them.
"""
import pathlib
import sys
import warnings

import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, OrdinalEncoder

import craton


def read(path):
    table = pd.read_csv(path, header=None, skipinitialspace=True)  # ? is a category
    return table.iloc[:, :14], table.iloc[:, 14].str.rstrip(".")


def main(folder):
    warnings.simplefilter("ignore")  # of bins that are too small
    x, y = read(folder / "adult-train.csv")
    new_x, new_y = read(folder / "adult-test.csv")
    numbers = [c for c in x if pd.api.types.is_numeric_dtype(x[c])]
    words = [c for c in x if c not in numbers]
    codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=29_999)
    ones = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    found = {}

    def try_out(name, recode, model):
        found[name] = make_pipeline(recode, model).fit(x, y).score(new_x, new_y)

    for model in (GaussianNB(), MultinomialNB(), ComplementNB(), BernoulliNB()):
        name = type(model).__name__
        for encoder in (codes, ones):
            how = type(encoder).__name__
            recode = make_column_transformer((encoder, words), ("passthrough", numbers))
            try_out(f"{name}, {how}", recode, model)
    for strategy in ("uniform", "quantile", "kmeans"):
        for bins in (5, 10, 20, 50):
            cut = KBinsDiscretizer(bins, encode="ordinal", strategy=strategy)
            mark = KBinsDiscretizer(bins, encode="onehot-dense", strategy=strategy)
            try_out(f"CategoricalNB, {bins} {strategy} bins",
                    make_column_transformer((codes, words), (cut, numbers)),
                    CategoricalNB(min_categories=60))
            try_out(f"BernoulliNB, {bins} {strategy} bins",
                    make_column_transformer((ones, words), (mark, numbers)), BernoulliNB())
    try_out("CategoricalNB, every number a category", codes, CategoricalNB(min_categories=30_000))
    for name, accuracy in sorted(found.items(), key=lambda item: item[1]):
        print(f"{accuracy:.5f}  scikit-learn {name}")
    ours = craton.NaiveBayes().fit(x.replace("?", None), y)
    print(f"{ours.score(new_x.replace('?', None), new_y):.5f}  craton NaiveBayes, all defaults")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
