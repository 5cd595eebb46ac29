"""The page: one file, nothing fetched, nothing injected; and the files beside it."""

import base64
import csv
import hashlib
import html.parser
import re
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
from tests.reports.studies import HOSTILE, full_study, hostile_study, small_study

from rubricate.errors import InvalidFile, MissingExtra
from rubricate.papers.figures import Figure
from rubricate.reports.charts import WIDE, draw
from rubricate.reports.figures import precision_recall, report_figures
from rubricate.reports.page import render_page
from rubricate.reports.report import write_report
from rubricate.reports.results import results_of

pytestmark = pytest.mark.slow


class Reader(html.parser.HTMLParser):
    """Elements, attributes and texts of a page."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.texts, self.stack = [], [], []
        self.feed(page)

    def handle_starttag(self, name, attributes):
        self.elements.append((name, dict(attributes)))
        if name not in ("meta", "br", "input", "col", "hr"):
            self.stack.append(name)

    def handle_endtag(self, name):
        assert self.stack.pop() == name

    def handle_data(self, text):
        self.texts.append((self.stack[-1] if self.stack else "", text))


@pytest.fixture(scope="module")
def page():
    return render_page(results_of(full_study()))


@pytest.fixture(scope="module")
def hostile():
    return render_page(results_of(hostile_study()))


def test_elements_are_balanced_and_the_language_is_said(page, hostile):
    for text in (page, hostile):
        reader = Reader(text)
        assert reader.stack == []
        assert ("html", {"lang": "en"}) in reader.elements


def test_nothing_is_fetched_and_no_attribute_runs(page, hostile):
    for text in (page, hostile):
        for name, attributes in Reader(text).elements:
            assert name not in ("link", "iframe", "img", "object", "embed", "base", "form")
            assert not any(key.startswith("on") or key in ("src", "style", "srcdoc") for key in attributes)
            assert attributes.get("href", "#").startswith("#")
    assert not re.search(r"(?i)url\(|@import|https?://(?!www\.w3\.org/2000/svg)", page)


def test_hostile_names_are_shown_and_add_no_element(hostile):
    reader = Reader(hostile)
    scripts = [attributes for name, attributes in reader.elements if name == "script"]
    assert [one for one in scripts if one.get("type") != "application/json"] == [{}]
    shown = "".join(text for where, text in reader.texts if where not in ("script", "style"))
    assert HOSTILE[0] in shown
    named = "".join(text for where, text in reader.texts if where not in ("script", "style", "code"))
    assert "x" * 1000 not in named
    assert "\x00" not in hostile
    hostile.encode("utf-8")


def test_the_guard_of_the_browser_allows_this_style_and_this_script_alone(page):
    policy = next(a["content"] for n, a in Reader(page).elements if a.get("http-equiv") == "Content-Security-Policy")
    for name in ("style", "script"):
        content = re.search(rf"<{name}>(.*?)</{name}>", page, re.DOTALL).group(1)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy


def test_tables_have_headings_with_scope_and_figures_a_label(page):
    elements = Reader(page).elements
    assert all(attributes.get("scope") in ("col", "row") for name, attributes in elements if name == "th")
    assert all(attributes.get("data-label") for name, attributes in elements if name == "figure")
    headings = [name for name, _ in elements if re.fullmatch("h[1-6]", name)]
    assert headings[0] == "h1"
    assert headings.count("h1") == 1


def luminance(colour):
    parts = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize("theme", [0, 1])
def test_every_colour_of_text_can_be_read(page, theme):
    colours = {n: pair[theme] for n, *pair in re.findall(r"--([\w]+): light-dark\((#\w{6}), (#\w{6})\)", page)}
    texts = ["ink", "soft", "rubric", *(f"c{k}" for k in range(8))]
    for text in texts:
        for ground in ("paper", "panel", *(("for", "against") if text == "ink" else ())):
            high, low = sorted((luminance(colours[text]), luminance(colours[ground])), reverse=True)
            assert (high + 0.05) / (low + 0.05) >= 4.5, (text, ground)


@pytest.mark.proof
def test_a_page_of_the_size_of_reuters_is_small():
    categories = tuple(f"category {c}" for c in range(90))
    names = [f"system {k}" for k in range(5)]
    data = small_study(
        noises=(0.36, 0.38, 0.4, 0.42, 0.44), names=names, categories=categories, documents=3019, text="word " * 200
    )
    assert len(render_page(results_of(data)).encode()) < 500_000


def test_many_categories_are_capped_and_the_files_have_them_all(tmp_path):
    names, noises = ("SVM", "kNN"), (0.3, 0.4)
    categories = [f"c{k}" for k in range(1100)]
    data = small_study(noises=noises, names=names, categories=categories, documents=60, resamples=0)
    written = write_report(data, tmp_path, figures=False)
    text = written.page.read_text(encoding="utf-8")
    assert "100 more categories" in text
    assert len(text.encode()) < 1_500_000
    with (tmp_path / "tables" / "categories.csv").open(newline="", encoding="utf-8") as file:
        assert len(list(csv.reader(file))) == 1 + 2 * 1100


def test_a_folder_gets_page_tables_and_figures(tmp_path):
    written = write_report(full_study(), tmp_path / "new" / "report")
    assert written.page == tmp_path / "new" / "report" / "report.html"
    assert written.findings[0].startswith("SVM has the highest micro-F1")
    stems = {path.relative_to(written.page.parent).as_posix() for path in written.files}
    for stem in ("systems", "categories", "tests", "frequency-rare", "suspects", "confusions", "errors", "intervals"):
        assert f"tables/{stem}.csv" in stems
    for stem in ("systems", "frequency-full", "precision-recall", "coverage", "learning-mif1", "confusion"):
        assert {f"figures/{stem}.svg", f"figures/{stem}.png", f"figures/{stem}.pdf"} <= stems
    assert all(path.stat().st_size > 40 for path in written.files)
    assert not list(tmp_path.rglob("*.part"))
    assert "SVM" in (written.page.parent / "tables" / "systems.tex").read_text(encoding="utf-8")


def test_a_path_with_html_is_the_page_alone(tmp_path):
    written = write_report(small_study(), tmp_path / "one.html")
    assert list(tmp_path.iterdir()) == [written.page]
    assert written.files == ()


def test_files_of_a_hostile_study(tmp_path):
    written = write_report(hostile_study(), tmp_path)
    for path in written.files:
        if path.suffix == ".svg":
            names = {element.tag.rpartition("}")[2] for element in ElementTree.parse(path).iter()}
            assert not names & {"script", "image", "foreignObject", "img"}
        if path.suffix == ".csv":
            with path.open(newline="", encoding="utf-8") as file:
                assert not any(cell.startswith("=") for row in csv.reader(file) for cell in row)
        assert path.resolve().is_relative_to(tmp_path.resolve())


def test_without_the_extra_the_page_and_tables_are_written(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    written = write_report(small_study(resamples=0), tmp_path)
    assert written.page.exists()
    assert "rubricate[report]" in written.notes[0]
    assert {path.suffix for path in written.files if path.parent.name == "figures"} == {".svg"}
    with pytest.raises(MissingExtra):
        write_report(small_study(resamples=0), tmp_path, figures=True)


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(InvalidFile, match="choose a folder that you may write"):
        write_report(small_study(resamples=0), tmp_path / "file" / "report")


def test_figures_of_a_report_name_systems_and_axes():
    figures = {figure.name: figure for figure in report_figures(results_of(full_study()))}
    text = "".join(ElementTree.fromstring(draw(figures["frequency-doubling"]).file()).itertext())
    for words in ("SVM", "kNN", "NB", "mean F1", "training documents of the category"):
        assert words in text


def test_the_page_and_the_files_draw_the_same_charts(page):
    results = results_of(full_study())
    for figure in report_figures(results):
        if isinstance(figure, Figure) and figure.name != "precision-recall":  # of all categories: a file alone
            assert draw(figure, width=WIDE, readable=True).inline("wide", focus=True) in page


def test_precision_and_recall_of_all_and_of_one_category():
    results = results_of(small_study(resamples=0))
    for category in (None, 0):
        curve = next(one for one in precision_recall(results, category).series if one.name == "SVM")
        assert list(curve.x) == sorted(curve.x)
        assert curve.x[-1] == 1.0
        assert len(curve.x) <= 200
    assert 0 < precision_recall(results, 0).series[-1].y[-1] <= 1
