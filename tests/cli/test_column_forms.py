"""Columns as people write them, beside pandas with the right options: the same values, or a refusal that
names the readings and the flag. Never another number."""

import io
import json
import pathlib
import subprocess

import numpy as np
import pandas as pd
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CRATON = ROOT / "build" / "release" / "cli" / "craton"
ROWS = 60


def run(*arguments):
    return subprocess.run([CRATON, *map(str, arguments)], capture_output=True, text=True, timeout=60)


# ---- What pandas makes of the cells


def numbers(decimal=".", thousands=None, strip=""):
    """By read_csv, after the letters of a unit are taken off."""

    def read(cells):
        signs = strip + (thousands if thousands and not thousands.isascii() else "")  # read_csv takes no such
        bare = [c.translate({ord(letter): None for letter in signs}).strip() for c in cells]
        text = "x\n" + "\n".join(f'"{c}"' for c in bare) + "\n"
        ascii = thousands if thousands and thousands.isascii() else None
        frame = pd.read_csv(io.StringIO(text), decimal=decimal, thousands=ascii, skip_blank_lines=False)
        return frame["x"].to_numpy(dtype=float)

    return read


def dates(pattern, utc=False):
    def read(cells):
        times = pd.to_datetime(pd.Series(cells), format=pattern, utc=utc)
        times = times.dt.tz_localize(None) if utc else times
        return ((times - pd.Timestamp(0)) / pd.Timedelta(1, "s")).to_numpy() / 86400

    return read


def days(random, n=ROWS, first="1950-01-01", last="2039-12-31"):
    span = (pd.Timestamp(last) - pd.Timestamp(first)).days
    return [pd.Timestamp(first) + pd.Timedelta(int(d), "D") for d in random.integers(0, span, n)]


def times(random, unit):
    return [day + pd.Timedelta(int(random.integers(0, 86400)), "s").floor(unit) for day in days(random)]


def grouped(values, part, mark, places=2):
    return [f"{v:,.{places}f}".replace(",", "_").replace(".", mark).replace("_", part) for v in values]


def amounts(random, n=ROWS):
    return np.round(random.lognormal(6, 3, n), 2) * random.choice([1, 1, 1, -1], n)


def columns():
    """(name, cells, how pandas reads them, the kind to say for that or "", what is seen without)"""
    random = np.random.default_rng(21)
    money, dots = amounts(random), numbers(thousands=",")
    commas = numbers(decimal=",", thousands=".")
    whole = [int(v) for v in np.abs(money) * 37]
    yield "points and commas", grouped(money, ",", "."), dots, ""
    yield "whole with commas", [f"{v:,}" for v in [*whole, 1234567]], dots, ""
    yield "dollars", [f"${v}" for v in grouped(np.abs(money), ",", ".")], numbers(thousands=",", strip="$"), ""
    yield "minus dollars", [f"-${v}" for v in grouped(np.abs(money), ",", ".")], numbers(thousands=",", strip="$"), ""
    yield "dollars minus", ["$" + v for v in grouped(money, ",", ".")], numbers(thousands=",", strip="$"), ""
    yield "euros behind", [f"{v} €" for v in grouped(money, ".", ",")], numbers(",", ".", "€"), ""
    yield "EUR before", [f"EUR {v}" for v in grouped(np.abs(money), ".", ",")], numbers(",", ".", "EUR"), ""
    yield "swiss francs", [f"CHF {v}" for v in grouped(np.abs(money), "'", ".")], numbers(".", "'", "CHF"), ""
    yield "decimal commas", [f"{v:.2f}".replace(".", ",") for v in money], numbers(","), ""
    yield "decimal commas grouped", grouped(money, ".", ","), commas, ""
    yield "blanks and commas", grouped(money, " ", ","), numbers(",", " "), ""
    yield "narrow blanks", grouped(money, "\u202f", ","), numbers(",", "\u202f"), ""
    yield "hard blanks", grouped(money, "\u00a0", "."), numbers(".", "\u00a0"), ""
    yield "apostrophes", grouped(money, "'", "."), numbers(".", "'"), ""
    yield "percent", [f"{v:.1f} %" for v in random.uniform(0, 100, ROWS)], numbers(strip="%"), ""
    yield "percent joined", [f"{v:.1f}%" for v in random.uniform(0, 100, ROWS)], numbers(strip="%"), ""
    yield "percent with commas", [f"{v:.1f}%".replace(".", ",") for v in random.uniform(0, 100, ROWS)], numbers(",", strip="%"), ""
    yield "kilograms", [f"{v:.1f} kg" for v in random.normal(70, 9, ROWS)], numbers(strip="kg"), ""
    yield "kilograms joined", [f"{v:.2f}kg" for v in random.normal(70, 9, ROWS)], numbers(strip="kg"), ""
    yield "some without unit", [f"{v:.2f} km" if i % 3 else f"{v:.2f}" for i, v in enumerate(random.normal(7, 2, ROWS))], numbers(strip="km"), ""
    yield "exponents", [f"{v:.3e}".replace(".", ",") for v in money], numbers(","), ""
    yield "missing", [v if i % 4 else "NA" for i, v in enumerate(grouped(money, ",", "."))], dots, ""
    yield "few thousands", ["1,234", "5,678", "12,345"] * 9, dots, "decimal-point"
    yield "few fractions", ["1,234", "5,678", "12,345"] * 9, numbers(","), "decimal-comma"
    yield "dollars with three", ["$1.234", "$5.678"] * 9, numbers(strip="$"), "decimal-point"
    yield "euros with three", ["1.234 €", "5.678 €"] * 9, numbers(",", ".", "€"), "decimal-comma"
    for name, pattern in {
        "iso": "%Y-%m-%d",
        "slashed iso": "%Y/%m/%d",
        "american": "%m/%d/%Y",
        "british": "%d/%m/%Y",
        "german": "%d.%m.%Y",
        "dutch": "%d-%m-%Y",
        "short months": "%d %b %Y",
        "oracle": "%d-%b-%Y",
        "letters": "%B %d, %Y",
        "day and month": "%d %B %Y",
    }.items():
        yield name, [day.strftime(pattern) for day in days(random)], dates(pattern), ""
    yield "before 1900", [d.strftime("%Y-%m-%d") for d in days(random, first="1700-01-01", last="1899-12-31")], dates("%Y-%m-%d"), ""
    minutes, seconds = times(random, "min"), times(random, "s")
    yield "iso minutes", [t.strftime("%Y-%m-%dT%H:%M") for t in minutes], dates("%Y-%m-%dT%H:%M"), ""
    yield "iso seconds", [t.strftime("%Y-%m-%d %H:%M:%S") for t in seconds], dates("%Y-%m-%d %H:%M:%S"), ""
    yield "twelve hours", [t.strftime("%m/%d/%Y %I:%M %p") for t in minutes], dates("%m/%d/%Y %I:%M %p"), ""
    yield "german minutes", [t.strftime("%d.%m.%Y %H:%M") for t in minutes], dates("%d.%m.%Y %H:%M"), ""
    yield "universal", [t.strftime("%Y-%m-%dT%H:%M:%SZ") for t in seconds], dates("%Y-%m-%dT%H:%M:%S%z", utc=True), ""
    yield "offsets", [t.strftime("%Y-%m-%dT%H:%M:%S") + f"{o:+03d}:30" for t, o in zip(seconds, random.integers(-11, 12, ROWS))], dates("%Y-%m-%dT%H:%M:%S%z", utc=True), ""
    early = [f"{d:02}/{m:02}/2024" for d, m in random.integers(1, 13, (ROWS, 2))]
    yield "day or month, day", early, dates("%d/%m/%Y"), "date-dmy"
    yield "day or month, month", early, dates("%m/%d/%Y"), "date-mdy"
    yield "missing dates", [d.strftime("%d/%m/%Y") if i % 5 else "" for i, d in enumerate(days(random))], dates("%d/%m/%Y"), ""


CASES = list(columns())


def write(path, cells, delimiter=","):
    lines = [f"n{delimiter}x"] + [f'{i * 7 % 11}{delimiter}"{cell}"' for i, cell in enumerate(cells)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_there_are_forty():
    assert len(CASES) >= 40


@pytest.mark.parametrize("name, cells, read, schema", CASES, ids=[case[0] for case in CASES])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"], ids=["comma", "semicolon", "tab"])
def test_values_are_those_of_pandas(tmp_path, name, cells, read, schema, delimiter):
    write(tmp_path / "t.csv", cells, delimiter)
    expected = read([c if c not in ("NA",) else "" for c in cells])
    if schema:  # two readings: refused with both, and the flags
        refused = run("convert", tmp_path / "t.csv", tmp_path / "t.npy")
        assert refused.returncode == 2 and "fits two readings" in refused.stderr
        assert f"--schema 'x={schema}'" in refused.stderr and "t.csv:2: column 'x'" in refused.stderr
        assert not (tmp_path / "t.npy").exists()
    given = ["--schema", f"x={schema}"] if schema else []
    done = run("convert", tmp_path / "t.csv", tmp_path / "t.npy", *given)
    assert done.returncode == 0, done.stderr
    values = np.load(tmp_path / "t.npy")
    assert values.shape == (len(cells), 2)
    np.testing.assert_array_equal(np.isnan(values[:, 1]), np.isnan(expected))
    if name in ("iso minutes", "iso seconds", "twelve hours", "german minutes", "universal", "offsets"):
        np.testing.assert_allclose(values[:, 1], expected, rtol=0, atol=1e-10)  # a tenth of a microsecond
    else:
        np.testing.assert_array_equal(values[:, 1], expected)


KEPT_AS_WORDS = {
    "rooms": ["3a", "3b", "12A"] * 9,
    "versions": ["1.2.3", "1.2.4", "2.0.0"] * 9,
    "two marks": ["1.5", "1,5", "2,5"] * 9,
    "two orders": ["13/04/2024", "04/13/2024"] * 9,
    "iso and german": ["2024-04-13", "13.04.2024"] * 9,
    "short years": ["03/04/24", "05/06/24"] * 9,
    "no such day": ["31/02/2024", "30/02/2024"] * 9,
    "ranges": ["1-2", "3-4"] * 9,
    "addresses": ["10.0.0.1", "10.0.0.2"] * 9,
    "groups of two": ["12,34", "1,2345,6"] * 9,
    "brackets": ["(5.00)", "(6.00)"] * 9,
    "yes and no": ["yes", "no"] * 9,
    "clock": ["14:30", "15:45"] * 9,
}


@pytest.mark.parametrize("name", KEPT_AS_WORDS)
def test_what_has_no_form_stays_words(tmp_path, name):
    write(tmp_path / "t.csv", KEPT_AS_WORDS[name], ";")
    said = json.loads(run("describe", tmp_path / "t.csv", "--json").stdout)
    column = said["columns"][1]
    assert column["kind"] == "category"
    assert {level["level"] for level in column["levels"]} == set(KEPT_AS_WORDS[name])


def test_a_cell_of_another_form_is_refused_where_it_is(tmp_path):
    for cells, odd in (
        ([f"${v:,}" for v in range(1000, 1300)], "1.5 kg"),
        ([f"{v % 28 + 1}/{v % 12 + 1}/2024" for v in range(300)], "2/30/2024"),
        ([f"{v},5" for v in range(300)], "7.5"),
    ):
        cells[200] = odd
        write(tmp_path / "t.csv", cells)
        refused = run("convert", tmp_path / "t.csv", tmp_path / "t.npy")
        assert refused.returncode == 2, odd
        assert "t.csv:202: column 'x'" in refused.stderr and f"'{odd}'" in refused.stderr


def test_units_that_differ_are_named(tmp_path):
    write(tmp_path / "t.csv", [f"{v} kg" if v % 5 else f"{v} lb" for v in range(1, 60)])
    refused = run("describe", tmp_path / "t.csv")
    assert refused.returncode == 2
    assert "t.csv:6: column 'x': '5 lb' is of another unit than '1 kg' on line 2" in refused.stderr
    assert run("describe", tmp_path / "t.csv", "--schema", "x=category").returncode == 0


def test_other_columns_tell_the_decimal_mark(tmp_path):
    thousands = ["1,234", "5,678"] * 9
    lines = ["a;b"] + [f"{v};{0.5 + i}" for i, v in enumerate(thousands)]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    assert run("convert", tmp_path / "t.csv", tmp_path / "t.npy").returncode == 0
    assert np.load(tmp_path / "t.npy")[0, 0] == 1234
    lines = ["a;b"] + [f"{v};{i},5" for i, v in enumerate(thousands)]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    assert run("convert", tmp_path / "t.csv", tmp_path / "t.npy").returncode == 0
    assert np.load(tmp_path / "t.npy")[0, 0] == 1.234
    # 1.234 is no plain number there for certain
    lines = ["a;b"] + [f"{i + 1}.234;{i},5" for i in range(18)]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    refused = run("convert", tmp_path / "t.csv", tmp_path / "t.npy")
    assert refused.returncode == 2 and "fits two readings" in refused.stderr


def test_a_model_reads_new_files_as_it_read_its_own(tmp_path):
    random = np.random.default_rng(5)
    when = pd.to_datetime("2024-01-01") + pd.to_timedelta(random.integers(0, 300, 80), "D")
    price = np.round(random.lognormal(7, 1, 80), 2)
    frame = pd.DataFrame({"when": when.strftime("%d/%m/%Y"), "price": grouped(price, ".", ","), "size": random.normal(size=80).round(3)})
    frame["price"] += " €"
    frame.to_csv(tmp_path / "t.csv", index=False, sep=";")
    model = tmp_path / "m.craton"
    fit = run("fit", "linear", tmp_path / "t.csv", "--target", "size", "-o", model)
    assert fit.returncode == 0, fit.stderr
    assert "read the column 'when' as dates, the day first" in fit.stderr
    # New rows alone would be refused, or read otherwise.
    frame = frame[(when.day <= 12)][["price", "when"]].head(3)
    frame.to_csv(tmp_path / "new.csv", index=False, sep=";")
    assert run("describe", tmp_path / "new.csv").returncode == 2
    new = run("predict", model, tmp_path / "new.csv", "--keep", "when,price")
    assert new.returncode == 0, new.stderr
    all_rows = run("predict", model, tmp_path / "t.csv", "--keep", "when,price").stdout.splitlines()
    told = new.stdout.splitlines()
    assert told[0] == "when,price,prediction" and set(told) <= set(all_rows)
    cells = [line.rsplit(",", 1)[0] for line in told[1:]]
    assert cells == [f'{w},"{p}"' for w, p in zip(frame["when"], frame["price"])]
    # A cell of another form, or unit, is refused.
    for cell in ("2024-13-40", "03/13/2024"):
        frame.assign(when=cell).to_csv(tmp_path / "new.csv", index=False, sep=";")
        assert run("predict", model, tmp_path / "new.csv").returncode == 2


def test_dates_are_written_as_dates_and_have_parts(tmp_path):
    (tmp_path / "t.csv").write_text("when,x\n3/31/2024 18:30,1\n12/1/1969,2\n,3\n")
    done = run("convert", tmp_path / "t.csv", "-", "--to", "csv", "--date-parts", "year,month,day,weekday,hour")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "when,when.year,when.month,when.day,when.weekday,when.hour,x",
        "2024-03-31T18:30:00,2024,3,31,7,18.5,1",
        "1969-12-01,1969,12,1,1,0,2",
        "NaN,NaN,NaN,NaN,NaN,NaN,3",
    ]


def test_a_model_of_parts_of_dates_makes_them_again(tmp_path):
    days_ = pd.date_range("2024-01-01", periods=90)
    frame = pd.DataFrame({"when": days_.strftime("%m/%d/%Y"), "y": days_.month * 10.0})
    frame.to_csv(tmp_path / "t.csv", index=False)
    model = tmp_path / "m.craton"
    fit = run("fit", "linear", tmp_path / "t.csv", "--target", "y", "--date-parts", "month", "--drop", "when", "-o", model)
    assert fit.returncode == 0, fit.stderr
    frame.head(5).to_csv(tmp_path / "new.csv", index=False)
    told = run("predict", model, tmp_path / "new.csv")
    assert told.returncode == 0, told.stderr
    np.testing.assert_allclose([float(v) for v in told.stdout.split()[1:]], 10, rtol=1e-9)


def test_time_of_splits_takes_dates(tmp_path):
    random = np.random.default_rng(8)
    frame = pd.DataFrame({"when": [d.strftime("%d.%m.%Y") for d in days(random)], "x": random.normal(size=ROWS)})
    frame["y"] = 2 * frame["x"]
    frame.to_csv(tmp_path / "t.csv", index=False)
    done = run("cv", "linear", tmp_path / "t.csv", "--target", "y", "--split", "time", "--time", "when")
    assert done.returncode == 0, done.stderr


def test_yes_and_no_are_words_unless_asked_for(tmp_path):
    write(tmp_path / "t.csv", ["yes", "No", "TRUE", "f", ""] * 4)
    done = run("convert", tmp_path / "t.csv", tmp_path / "t.npy", "--schema", "x=yes-no")
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(np.load(tmp_path / "t.npy")[:5, 1], [1, 0, 1, 0, np.nan])
