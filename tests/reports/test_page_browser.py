"""The page in a real browser: no complaint, light and dark, sorting, filtering, choosing, on a phone, on paper."""

import io

import pytest
from PIL import Image, ImageStat
from tests.reports.browser import browser, may_skip
from tests.reports.studies import full_study, hostile_study

from rubricate.reports.page import render_page
from rubricate.reports.report import write_report
from rubricate.reports.results import results_of

SET = "const e = document.querySelector(arguments[0]); e.value = arguments[1]; e.dispatchEvent(new Event(arguments[2]))"
"""Give a field a value as a reader would."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(may_skip(), reason="no Chromium with ChromeDriver on this machine"),
]


@pytest.fixture(scope="module")
def window():
    with browser() as one:
        yield one


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return write_report(full_study(), tmp_path_factory.mktemp("report") / "report.html").page


@pytest.fixture
def opened(window, page):
    window.look()
    window.open(page)
    return window


def brightness(picture: bytes) -> tuple[float, int]:
    """Return the mean brightness of a PNG picture (0 to 255) and the number of its different colours."""
    with Image.open(io.BytesIO(picture)) as image:
        colours = image.convert("RGB").getcolors(maxcolors=1 << 24)
        return ImageStat.Stat(image.convert("L")).mean[0], len(colours)


def texts(window, selector):
    return window.run("return [...document.querySelectorAll(arguments[0])].map(e => e.textContent.trim())", selector)


def test_the_console_says_nothing_and_every_figure_is_drawn(opened):
    assert opened.log() == []
    drawn = "return [...document.querySelectorAll('figure')].map(f => f.querySelectorAll('svg, select').length)"
    assert all(count > 0 for count in opened.run(drawn))
    assert len(texts(opened, "section h2")) >= 12


@pytest.mark.parametrize("dark", [False, True])
def test_light_and_dark_pictures_are_not_blank(window, page, dark):
    window.look(dark=dark, width=320, height=240)
    window.open(page)
    bright, colours = brightness(window.get_screenshot_as_png())
    assert colours > 20
    assert (bright < 90) if dark else (bright > 180)
    window.run("document.querySelector('.theme').click()")
    turned, _ = brightness(window.get_screenshot_as_png())
    assert (turned > 180) if dark else (turned < 90)
    window.run("localStorage.clear()")


def test_a_click_sorts_and_a_second_one_turns_round(opened):
    rows = "#category-table tbody tr:not([hidden])"
    opened.run("document.querySelectorAll('#category-table thead button')[3].click()")
    values = [float(text) for text in texts(opened, f"{rows} td:nth-child(4)")]
    assert values == sorted(values, reverse=True)
    opened.run("document.querySelectorAll('#category-table thead button')[3].click()")
    assert [float(text) for text in texts(opened, f"{rows} td:nth-child(4)")] == sorted(values)
    state = "return document.querySelectorAll('#category-table th')[3].getAttribute('aria-sort')"
    assert opened.run(state) == "ascending"
    opened.run("document.querySelectorAll('#category-table thead button')[0].click()")
    names = texts(opened, f"{rows} th")
    assert names == sorted(names)


def typed(window, text):
    window.run(SET, "#categories input", text, "input")
    return texts(window, "#category-table tbody tr:not([hidden]) th")


def test_words_and_conditions_filter(opened):
    every = typed(opened, "")
    assert len(every) == 8
    assert typed(opened, "TOPIC 3") == ["topic 3"]
    assert texts(opened, "#categories .count") == ["1 of 8"]
    train = {
        name: int(n.replace(",", ""))
        for name, n in zip(every, texts(opened, "#category-table td:nth-child(2)"), strict=True)
    }
    assert set(typed(opened, "train>=100")) == {name for name, n in train.items() if n >= 100}
    assert typed(opened, "no such category") == []


def test_the_measure_of_the_table_can_be_chosen(opened):
    before = texts(opened, "#category-table tbody td:nth-child(4)")
    opened.run(SET, "#categories select", 2, "change")
    recall = texts(opened, "#category-table tbody td:nth-child(4)")
    results = results_of(full_study())
    order = sorted(range(8), key=lambda c: -results.test_counts[c])
    expected = [results.evaluations[0].per_category["recall"][c] for c in order]
    assert [float(text) for text in recall] == pytest.approx(expected, abs=5e-4)
    assert recall != before


def test_a_category_and_a_test_can_be_chosen(opened):
    line = "return document.querySelector('#curves .legend ~ div path.series').getAttribute('d')"
    before = opened.run(line)
    opened.run(SET, "#curves select", 6, "change")
    assert opened.run(line) != before
    panels = "[...document.querySelectorAll('#significance [data-panel]')]"
    seen = f"return {panels}.filter(p => !p.hidden).map(p => p.dataset.panel)"
    assert len(opened.run(seen)) == 1
    opened.run(SET, "#significance select", 2, "change")
    assert opened.run(seen) == ["s-test: sign test on all single decisions"]


def test_the_keyboard_reads_a_figure(opened):
    opened.run("document.querySelector('#frequency svg[tabindex]').focus()")
    opened.press("\ue014")
    said = texts(opened, "#frequency .readout")[0]
    assert "training documents" in said
    assert "SVM" in said


def test_a_system_can_be_hidden(opened):
    lines = "return document.querySelectorAll('#frequency figure > div svg.wide g:not([hidden]) > path.series').length"
    before = opened.run(lines)
    opened.run("document.querySelector('#frequency .legend button').click()")
    assert opened.run(lines) == before - before // 3  # in all three charts of the section
    pressed = "return document.querySelector('#frequency .legend button').getAttribute('aria-pressed')"
    assert opened.run(pressed) == "false"


def overflow(window):
    return window.run("return document.documentElement.scrollWidth - window.innerWidth")


def test_nothing_runs_over_the_edge_of_a_phone(window, page):
    window.look(width=375, height=812)
    window.open(page)
    assert overflow(window) <= 0
    edges = "[...document.querySelectorAll('svg')].map(s => s.getBoundingClientRect().right)"
    wide = f"return {edges}.filter(right => right > innerWidth + 1).length"
    assert window.run(wide) == 0


def test_on_paper_the_controls_are_gone_and_the_table_is_whole(window, page):
    window.look(print_=True, dark=True)
    window.open(page)
    shown = "s => getComputedStyle(document.querySelector(s)).display"
    hidden = f"return ['.theme', '.contents', '.controls'].map({shown}).every(d => d === 'none')"
    assert window.run(hidden)
    assert window.run("return getComputedStyle(document.querySelector('.tall')).maxHeight") == "none"
    assert window.run("return getComputedStyle(document.documentElement).colorScheme") == "light"


def test_hostile_names_run_nothing_and_stay_inside(window, tmp_path):
    page = tmp_path / "hostile.html"
    page.write_bytes(render_page(results_of(hostile_study())).encode("utf-8", "replace"))
    for width in (1280, 375):
        window.look(width=width)
        window.open(page)
        assert window.log() == []
        assert window.run("return window.hacked === undefined && document.querySelectorAll('img, iframe').length === 0")
        assert overflow(window) <= 0
