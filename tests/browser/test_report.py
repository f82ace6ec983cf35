"""Reports in a real browser: they sort, filter, tell values, print, and ask for nothing from anywhere."""

import base64
import hashlib
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CRATON = ROOT / "build" / "release" / "cli" / "craton"
DATA = ROOT / "examples" / "data"
CHROMIUM = pathlib.Path("/usr/bin/chromium")

playwright = pytest.importorskip("playwright.sync_api", reason="tools/setup --browser installs it")
pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason="tools/setup --browser installs chromium")

HOSTILE = [
    "<script>window.hit=1</script>",
    '"><img src=x onerror=window.hit=1>',
    "</style><svg onload=window.hit=1>",
    "javascript:window.hit=1",
]


def report(folder, table, *words):
    page = folder / "page.html"
    page.unlink(missing_ok=True)
    done = subprocess.run([CRATON, "report", table, *words, "-o", page], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return page


@pytest.fixture(scope="session")
def browser():
    with playwright.sync_playwright() as p:
        with p.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"]) as chromium:
            yield chromium


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    made = {}
    for name, table, words in [
        ("classes", DATA / "birds.csv", ["--target", "kind"]),
        ("numbers", DATA / "people.csv", ["--target", "weight_kg"]),
        ("groups", DATA / "islands.csv", []),
    ]:
        (folder / name).mkdir()
        made[name] = report(folder / name, table, *words)
    return made


class Opened:
    """A page that is open, and all that it said or asked for."""

    def __init__(self, browser, path, width=1100, dark=False):
        scheme = "dark" if dark else "light"
        self.page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
        self.said, self.asked = [], []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.url = path.as_uri()
        self.page.goto(self.url)

    def quiet(self):
        return not self.said and self.asked == [self.url]


@pytest.mark.parametrize("name", ["classes", "numbers", "groups"])
@pytest.mark.parametrize("width", [1400, 380])
@pytest.mark.parametrize("dark", [False, True])
def test_a_page_fits_asks_for_nothing_and_says_nothing(browser, pages, name, width, dark):
    opened = Opened(browser, pages[name], width, dark)
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    colour = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
    light = sum(int(part) for part in re.findall(r"\d+", colour)[:3])
    assert (light < 200) == dark
    assert opened.quiet(), (opened.said, opened.asked)


@pytest.mark.parametrize("name", ["classes", "numbers", "groups"])
def test_tables_sort_by_numbers_both_ways(browser, pages, name):
    opened = Opened(browser, pages[name])
    tables = opened.page.locator("figure.table table")
    sorted_tables = 0
    for i in range(tables.count()):
        table = tables.nth(i)
        cells = table.locator("tbody tr td.n[data-v]")
        if cells.count() < 4 or not table.is_visible():
            continue
        column = cells.first.evaluate("cell => cell.cellIndex")
        read = f"t => [...t.tBodies[0].rows].map(r => r.cells[{column}].dataset.v).filter(v => v !== undefined).map(Number)"
        before = table.evaluate(read)
        button = table.locator("thead button").nth(column)
        button.click()
        once = table.evaluate(read)
        button.click()
        twice = table.evaluate(read)
        assert sorted([once, twice]) == sorted([sorted(before), sorted(before, reverse=True)])
        sorted_tables += 1
    assert sorted_tables >= 2
    assert opened.quiet()


def test_tables_filter_by_what_is_typed(browser, pages):
    opened = Opened(browser, pages["classes"])
    figure = opened.page.locator("figure.table:has(input[type=search])").last
    rows = figure.locator("tbody tr")
    word = rows.first.locator("td").nth(1).inner_text()
    matching = [rows.nth(i).inner_text() for i in range(rows.count())]
    figure.locator("input").fill(word)
    shown = [rows.nth(i).inner_text() for i in range(rows.count()) if rows.nth(i).is_visible()]
    assert shown == [text for text in matching if word.lower() in text.lower()]
    assert 0 < len(shown)
    figure.locator("input").fill("no such words")
    assert not any(rows.nth(i).is_visible() for i in range(rows.count()))


@pytest.mark.parametrize("name", ["classes", "numbers", "groups"])
def test_a_mark_tells_its_values(browser, pages, name):
    opened = Opened(browser, pages[name])
    marks = opened.page.locator("figure.picture svg [data-tip]")
    assert marks.count() > 3
    mark = marks.nth(marks.count() // 2)
    mark.scroll_into_view_if_needed()
    mark.dispatch_event("pointermove", {"clientX": 50, "clientY": 50, "bubbles": True})
    tip = opened.page.locator("#tip")
    assert tip.is_visible()
    assert tip.inner_text() == mark.get_attribute("data-tip").strip() != ""


@pytest.mark.parametrize("name", ["classes", "numbers", "groups"])
def test_a_page_prints(browser, pages, name):
    pdf = Opened(browser, pages[name]).page.pdf()
    assert pdf.startswith(b"%PDF") and len(pdf) > 20_000


def test_hostile_names_stay_text(browser, tmp_path):
    rows = [",".join(f'"{name.replace(chr(34), chr(34) * 2)}"' for name in HOSTILE)]
    for i in range(60):
        label = HOSTILE[i % 2].replace('"', '""')
        rows.append(f'{i % 7},{(i * 37) % 11},{(i % 2) * 3 + i % 5},"{label}"')
    table = tmp_path / "rows.csv"
    table.write_text("\n".join(rows) + "\n")
    opened = Opened(browser, report(tmp_path, table, "--target", HOSTILE[3], "--quiet"))
    assert opened.page.evaluate("window.hit") is None
    assert opened.page.locator("img").count() == 0
    assert opened.page.locator("script").count() == 1
    assert HOSTILE[0] in opened.page.inner_text("main")
    assert opened.quiet(), (opened.said, opened.asked)


def test_the_policy_lets_the_own_script_run_alone(pages):
    text = pages["groups"].read_text()
    script = re.search(r"<script>(.*?)</script>", text, re.DOTALL).group(1)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in text
    assert "default-src 'none'" in text
    assert len(text.encode()) < 3_000_000
