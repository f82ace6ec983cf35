#!/usr/bin/env python3
"""Accuracies on real texts, from a folder, a CSV file and Python, beside those that scikit-learn reaches.

    PYTHONPATH=build/release/python .venv/bin/python tests/reference/text_accuracies.py build/release/cli/craton FOLDER

FOLDER has 20news-bydate.tar.xz and SMSSpamCollection. One model of three origins has one digest. The figures
of 20 newsgroups are of the split by date, those of the messages of scikit-learn's ten stratified folds
(shuffled, seed 0), which the table has as a column: --groups fold.
"""
import csv
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile

import craton
import numpy as np
from sklearn.model_selection import StratifiedKFold

TF_IDF = {"idf": "smooth", "text-norm": "l2"}
MODELS = {"multinomial-nb": craton.MultinomialNB, "complement-nb": craton.ComplementNB,
          "bernoulli-nb": craton.BernoulliNB}
# (model, its alpha, TF-IDF?): what scikit-learn 1.2.1 gives, to four digits.
NEWS = {("multinomial-nb", 1, False): 0.7728, ("multinomial-nb", 0.01, False): 0.8039,
        ("multinomial-nb", 1, True): 0.7739, ("multinomial-nb", 0.01, True): 0.8352,
        ("complement-nb", 1, False): 0.8267, ("complement-nb", 0.1, False): 0.8182,
        ("complement-nb", 1, True): 0.8364, ("complement-nb", 0.1, True): 0.8314,
        ("bernoulli-nb", 1, False): 0.6308, ("bernoulli-nb", 0.01, False): 0.7521}
MESSAGES = {("multinomial-nb", 1, False): 0.9864, ("bernoulli-nb", 0.01, False): 0.9891,
            ("complement-nb", 1, False): 0.9808, ("multinomial-nb", 1, True): 0.9618,
            ("multinomial-nb", 0.1, True): 0.9858}


def run(command, *words):
    done = subprocess.run([command, *map(str, words), "--json"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{words}: {done.stderr}")
    return json.loads(done.stdout)


def flags(alpha, tf_idf):
    weights = [word for name, value in TF_IDF.items() if tf_idf for word in (f"--{name}", value)]
    return ["--alpha", alpha, *weights]


def write_csv(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


def read_news(folder):
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    texts = [path.read_bytes().decode("latin-1") for path in files]
    return texts, [path.parent.name for path in files]


def news(command, archive, work):
    with tarfile.open(archive) as tar:
        tar.extractall(work)
    tables = {}
    for part in ("train", "test"):
        tables[part] = read_news(work / f"20news-bydate-{part}")
        write_csv(work / f"{part}.csv", [("text", "label"), *zip(*tables[part])])
    wrong = 0
    for (model, alpha, tf_idf), expected in NEWS.items():
        scores, digests = [], set()
        for train, test, *how in (("20news-bydate-train", "20news-bydate-test", "--encoding", "latin-1"),
                                  ("train.csv", "test.csv")):
            fitted = run(command, "fit", model, work / train, "--target", "label", *how,
                         *flags(alpha, tf_idf), "-o", work / "m.craton")
            digests.add(fitted["digest"])
            scores.append(run(command, "score", work / "m.craton", work / test, *how)["accuracy"])
        vectorizer = craton.TfidfVectorizer() if tf_idf else craton.CountVectorizer()
        pipeline = craton.make_pipeline(vectorizer, MODELS[model](alpha=alpha)).fit(*tables["train"])
        digests.add(pipeline.digest_)
        scores.append(float(np.mean(pipeline.predict(tables["test"][0]) == np.array(tables["test"][1]))))
        fine = len(digests) == 1 and all(round(score, 4) == expected for score in scores)
        wrong += not fine
        print(f"{model} alpha={alpha} {'tf-idf' if tf_idf else 'counts'}: {expected} here"
              f" {', '.join(f'{score:.6f}' for score in scores)}, digests {', '.join(digests)}"
              f"{'' if fine else '  WRONG'}")
    return wrong


def messages(command, path, work):
    rows = [line.split("\t", 1) for line in path.read_text(encoding="utf-8").rstrip("\n").split("\n")]
    labels = [label for label, _ in rows]
    fold = np.empty(len(rows), int)
    splits = StratifiedKFold(10, shuffle=True, random_state=0).split(labels, labels)
    for number, (_, held_out) in enumerate(splits):
        fold[held_out] = number
    write_csv(work / "sms.csv", [("label", "text", "fold"),
                                 *((*row, f"f{number}") for row, number in zip(rows, fold))])
    wrong = 0
    for (model, alpha, tf_idf), expected in MESSAGES.items():
        found = run(command, "cv", model, work / "sms.csv", "--text", "text", "--target", "label",
                    "--groups", "fold", "--folds", 10, *flags(alpha, tf_idf))
        mean = found["best"]["metrics"]["accuracy"]["mean"]
        fine = round(mean, 4) == expected and found["validation"]["rows"] == 5572
        wrong += not fine
        print(f"messages: {model} alpha={alpha} {'tf-idf' if tf_idf else 'counts'}: {expected},"
              f" here {mean:.6f}{'' if fine else '  WRONG'}")
    return wrong


def main():
    command, data = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        sys.exit(news(command, data / "20news-bydate.tar.xz", work)
                 + messages(command, data / "SMSSpamCollection", work))


if __name__ == "__main__":
    main()
