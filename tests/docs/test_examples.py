"""Every example in Python runs, and says what it should."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(folder, *words):
    path = f"{ROOT / 'build/release/python'}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    done = subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_a_picture_in_few_colours(tmp_path):
    first = run(tmp_path, ROOT / "examples/colours.py")
    assert "colours became 8; off by" in first
    # Its own result has 8 colours, which 8 clusters keep as they are.
    again = run(tmp_path, ROOT / "examples/colours.py", "few-colours.ppm", "8", "again.ppm")
    assert "8 colours became 8; off by 0.0 of 255" in again
    pixels = [(tmp_path / name).read_bytes() for name in ("few-colours.ppm", "again.ppm")]
    assert pixels[0] == pixels[1]


def run_script(folder, name):
    command = [ROOT / "examples" / name, ROOT / "build/release/cli/craton"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def test_height_and_sex(tmp_path):
    said = run_script(tmp_path, "height_and_sex.sh")
    assert "female" in said and "accuracy" in said
    for name in ("height", "both", "line"):
        picture = (tmp_path / "height-and-sex" / f"{name}.svg").read_text()
        assert picture.startswith("<svg") and ">female<" in picture


def test_discriminant(tmp_path):
    said = run_script(tmp_path, "discriminant.sh")
    assert "ellipse" in said and "<- best" in said
    for name in ("height", "line", "conic"):
        picture = (tmp_path / "discriminant" / f"{name}.svg").read_text()
        assert "stroke-dasharray" in picture or 'stroke-linecap="round"' in picture


def test_old_faithful(tmp_path):
    said = run_script(tmp_path, "old_faithful.sh")
    assert "sj-ste" in said and "rows_around" in said
    for name in ("density", "bandwidths", "bars", "contours", "wait"):
        picture = (tmp_path / "old-faithful" / f"{name}.svg").read_text()
        assert picture.startswith("<svg") and ">eruptions<" in picture


def test_irises(tmp_path):
    said = run(tmp_path, ROOT / "examples/iris.py")
    assert said.count("accuracy 0.9") == 3 and "because of" in said


def test_mixtures(tmp_path):
    said = run(tmp_path, ROOT / "examples/mixtures.py")
    assert "have 25" in said and "lognormal, poisson" in said and "260 names: 0.9" in said


def test_bayes_or_logistic(tmp_path):
    said = run(tmp_path, ROOT / "examples/bayes_or_logistic.py")
    gaussian, skewed = (part.splitlines() for part in said.split("Skewed"))
    few, many = (
        [float(word.strip("*")) for word in line.split()[1:]] for line in (gaussian[3], skewed[-1])
    )
    assert few[1] < few[2]  # LDA learns first
    assert many[2] < min(many[:2])  # and is wrong for ever where classes are no Gaussians


def test_adult(tmp_path):
    line = "{}, Private, {}, HS-grad, 9, {}, Sales, Husband, White, Male, 0, 0, 40, ?, {}\n"
    rows = [line.format(20 + i % 40, 1000 * i, "Divorced" if i % 3 else "Widowed",
                        ">50K" if i % 40 > 20 else "<=50K") for i in range(200)]
    (tmp_path / "adult-train.csv").write_text("".join(rows))
    (tmp_path / "adult-test.csv").write_text("".join(rows).replace("50K\n", "50K.\n"))
    script = [ROOT / "examples/adult.sh", tmp_path, ROOT / "build/release/cli/craton"]
    done = subprocess.run(script, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.count("accuracy") >= 2 and "because" in done.stdout


def test_spam_filter(tmp_path):
    said = run_script(tmp_path, "spam_filter.sh")
    assert "\nspam,0.9" in said and "\nham,0.9" in said and "customer=1: +" in said
    assert "cryptocurrency=1: +" in said  # a word that it has learned later
    assert ">spam<" in (tmp_path / "spam-filter/words.svg").read_text()


def test_news(tmp_path):
    said = run_script(tmp_path, "news.sh")
    assert "sport,0.9" in said and "240 rows" in said and "ari     0.8" in said
    assert ">weather<" in (tmp_path / "news-desk/words.svg").read_text()
    assert ">cluster 3<" in (tmp_path / "news-desk/groups.svg").read_text()
