"""Design matrices by patsy (of terms against a reference) and by pandas.get_dummies (one-hot), for
craton/tables/design_test.cc:

    pip install patsy pandas
    python3 tests/reference/design.py > tests/reference/design.txt

A line `rows` of the file begins the table: a name, then a value for each row. A line
`terms coding intercept text` begins a design: its columns follow, under the names that craton gives.
"""
import re

import pandas as pd
import patsy

# The first level is the reference.
LEVELS = {
    "sex": ["male", "female"],
    "race": ["white", "black", "other"],
    "job": ["none", "some"],
}
TABLE = pd.DataFrame(
    {
        "age": [23, 31, 45, 52, 38, 27, 61, 44, 36, 58, 29, 40, 33, 47],
        "bmi": [21.5, 27.25, 30.5, 24, 22.75, 19.5, 28, 26.25, 25.5, 31, 23.5, 20.25, 29, 22],
        "sex": "m m f m f m m f f m m f m f".split(),
        "race": "w w b o w w o b w b w o b w".split(),
        "job": "n s n s n n s n s s n n n s".split(),
    }
)
for name, levels in LEVELS.items():
    words = {level[0]: level for level in levels}
    TABLE[name] = pd.Categorical(TABLE[name].map(words), categories=levels)

FORMULAS = [  # craton's, patsy's
    (".", "age + bmi + sex + race + job"),
    ("age, sex", "age + sex"),
    ("age, age^2, sex:age", "age + I(age**2) + sex:age"),
    ("sex:age", "sex:age"),
    ("sex:age^3:bmi", "sex:I(age**3):bmi"),
    ("sex:race", "sex:race"),
    ("sex * race", "sex * race"),
    ("sex:race, sex", "sex:race + sex"),
    ("sex:race:job", "sex:race:job"),
    ("sex * race * job", "sex * race * job"),
    ("(sex + race + job)^2", "(sex + race + job)**2"),
    ("sex, sex:race, job:race", "sex + sex:race + job:race"),
    ("sex:race:age", "sex:race:age"),
    ("age, sex:race:age", "age + sex:race:age"),
    ("age, sex:age, sex:race:age", "age + sex:age + sex:race:age"),
    (". - bmi - job + age:bmi", "age + sex + race + age:bmi"),
]


def craton_name(name):
    name = re.sub(r"I\((\w+) ?\*\* ?(\d)\)", r"\1^\2", name)
    return re.sub(r"\[(?:T\.)?(\w+)\]", r"=\1", name)


def show(name, values):
    print(name, *(repr(float(v)) for v in values))


def one_hot(terms):
    """Products of the columns of each factor, in all combinations."""
    for term in terms:
        columns = [("", 1)]
        for factor in term:
            if factor in LEVELS:
                dummies = pd.get_dummies(TABLE[factor], prefix=factor, prefix_sep="=").astype(float)
                parts = [(name, dummies[name]) for name in dummies]
            else:
                parts = [(factor, TABLE[factor])]
            columns = [(f"{a}:{b}".lstrip(":"), x * y) for a, x in columns for b, y in parts]
        yield from columns


print("rows")
for name in TABLE:
    print(name, *TABLE[name])
for intercept in (1, 0):
    for ours, theirs in FORMULAS:
        design = patsy.dmatrix(theirs if intercept else "0 + " + theirs, TABLE)
        print("terms reference", intercept, ours)
        for name, column in zip(design.design_info.column_names, design.T):
            if name != "Intercept":
                show(craton_name(name), column)
for terms in (["age"], ["sex"]), (["sex", "race"], ["job", "age"]):
    print("terms one_hot 1", ", ".join(":".join(term) for term in terms))
    for name, column in one_hot(terms):
        show(name, column)
