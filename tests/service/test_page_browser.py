"""The pages in a real browser: every page, keyboard, undo, training, two people, hostile names, axe-core."""

from __future__ import annotations

import json
import os
import time
import urllib.request
from contextlib import ExitStack, suppress
from importlib.resources import files
from pathlib import Path

import pytest
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from tests.reports.browser import browser, browser_paths
from tests.service.live import live_service

from rubricate.service.workspace.documents import NewDocument
from rubricate.service.workspace.workspace import Workspace

pytestmark = [
    pytest.mark.proof,
    pytest.mark.skipif(
        browser_paths() is None and not os.environ.get("RUBRICATE_REQUIRE_BROWSER"),
        reason="no Chromium with its driver",
    ),
]
SHOTS = Path("build/page")
HOSTILE = "<img src=x onerror=alert(1)> 😀"
WORDS = {"grain": "wheat corn harvest maize", "fuel": "oil gas crude pipeline", "metals": "gold silver copper mine"}
SERIOUS = ("serious", "critical")


def _texts(n):
    names = list(WORDS)
    for i in range(n):
        name = names[i % 3]
        words = WORDS[name].split()
        yield name, " ".join([words[i % 4], words[(i // 3) % 4], f"number {i}", words[(i // 7) % 4]])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    workspace = Workspace(folder / "w")
    project = workspace.projects.create("news", [*WORDS, HOSTILE], kind="multi")
    rows = [
        NewDocument(f"d{i:03}", text, f"Story {i}", (name,) if i < 45 else None)
        for i, (name, text) in enumerate(_texts(200))
    ]
    workspace.documents.add(project, [*rows, NewDocument(HOSTILE, HOSTILE, HOSTILE), NewDocument("empty", "")])
    single = workspace.projects.create("many", [f"category {i}" for i in range(3000)], kind="single")
    workspace.documents.add(single, [NewDocument("long", "word " * 1_000_000), NewDocument("short", "x")])
    pairs = (("world", "Africa"), ("world", "Asia"), ("Africa", "Ghana"), ("Africa", "<i>Mali</i>"), ("Asia", "Japan"))
    tree = workspace.projects.create("tree", [], kind="multi", taxonomy=pairs)
    workspace.documents.add(tree, [NewDocument("t1", "Accra"), NewDocument("t2", "Tokyo")])
    workspace.close()
    with live_service(workspace=folder / "w") as address:
        yield address


@pytest.fixture(scope="module")
def window(site):
    with browser() as opened:
        opened.set_script_timeout(120)
        opened.look()
        yield opened


def _get(site, path):
    with urllib.request.urlopen(site + path, timeout=60) as answer:
        return json.load(answer)


def _until(condition, seconds=120):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with suppress(WebDriverException):  # the page is being loaded anew: no element, an old one, or neither
            if condition():
                return
        time.sleep(0.05)
    raise AssertionError("waited too long")


def _violations(window):
    window.execute_cdp_cmd("Page.setBypassCSP", {"enabled": True})
    window.refresh()
    time.sleep(1)
    found = _violations_here(window)
    window.execute_cdp_cmd("Page.setBypassCSP", {"enabled": False})
    return found


def _violations_here(window):
    script = files("axe_selenium_python").joinpath("node_modules", "axe-core", "axe.min.js")
    window.execute_script(script.read_text(encoding="utf-8"))
    found = window.execute_async_script("axe.run().then(arguments[arguments.length - 1])")["violations"]
    return [(each["id"], each["nodes"][0]["html"]) for each in found if each["impact"] in SERIOUS]


def _shot(window, name):
    SHOTS.mkdir(parents=True, exist_ok=True)
    window.run("scrollTo(0, 0)")
    window.save_screenshot(str(SHOTS / f"{name}.png"))


def _label_page(window, site, name, project="news"):
    """Open the page as somebody. The browser remembers the last name, for which documents would be set aside."""
    window.get(f"{site}/try")
    window.run(f"localStorage.setItem('annotator', '{name if project != 'news' else ''}')")
    window.get(f"{site}/p/{project}/label")
    if project == "news":
        field = window.find_element(By.ID, "annotator")
        field.clear()
        field.send_keys(name, Keys.TAB)
    window.run("document.activeElement.blur()")
    _until(lambda: window.find_element(By.ID, "work").is_displayed())


PAGES = ["/", "/try", "/judge", "/p/news/documents", "/p/news/label", "/p/news/model", "/p/news/history"]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_accessible_quiet_and_fits_a_phone(window, site, path, dark):
    window.look(dark=dark)
    window.get(site + path)
    time.sleep(0.5)
    assert window.log() == []
    foreign = (
        "return performance.getEntriesByType('resource').map(e => e.name).filter(n => !n.startsWith(arguments[0]))"
    )
    assert window.run(foreign, site) == []
    assert _violations(window) == []
    _shot(window, f"{path.strip('/').replace('/', '-') or 'start'}-{'dark' if dark else 'light'}")
    window.look(width=390, height=844, dark=dark)
    assert window.run("return document.documentElement.scrollWidth") <= 390
    _shot(window, f"{path.strip('/').replace('/', '-') or 'start'}-phone-{'dark' if dark else 'light'}")
    window.look()


def test_fifty_documents_are_labelled_by_keyboard_and_one_is_undone(window, site):
    before = _get(site, "/projects/news")["labelled"]
    _label_page(window, site, "ann")
    for _ in range(50):
        document = window.find_element(By.ID, "id").text
        window.press("1" + Keys.ENTER)
        _until(lambda document=document: window.find_element(By.ID, "id").text != document)
    _until(lambda: _get(site, "/projects/news")["labelled"] == before + 50)
    _until(lambda: "Saved" in window.find_element(By.ID, "saved").text)
    window.press("u")
    _until(lambda: "Undone" in window.find_element(By.ID, "saved").text)
    assert _get(site, "/projects/news")["labelled"] == before + 49
    assert window.log() == []


def test_two_people_on_one_queue_get_different_documents(window, site):
    before = _get(site, "/projects/news")["labelled"]
    seen = []
    with ExitStack() as stack:
        other = stack.enter_context(browser())
        windows = {"bob": window, "eve": other}
        for name, each in windows.items():
            _label_page(each, site, name)
        for _ in range(8):
            for each in windows.values():
                document = each.find_element(By.ID, "id").text
                seen.append(document)
                each.press("2" + Keys.ENTER)
                _until(lambda each=each, document=document: each.find_element(By.ID, "id").text != document)
        _until(lambda: _get(site, "/projects/news")["labelled"] == before + 16)
    assert len(set(seen)) == 16


def test_training_shows_progress_can_be_cancelled_and_gives_a_model(window, site):
    window.get(f"{site}/p/news/model")
    window.find_element(By.ID, "train").click()
    _until(lambda: window.find_element(By.ID, "cancel").is_displayed())
    window.find_element(By.ID, "cancel").click()
    _until(lambda: "Cancelled" in window.find_element(By.ID, "message").text)
    window.find_element(By.ID, "train").click()
    _until(lambda: window.find_element(By.ID, "progress").is_displayed())
    _until(lambda: window.find_elements(By.ID, "models"), 400)
    assert "in use" in window.find_element(By.ID, "models").text
    assert _violations_here(window) == []
    _shot(window, "model-trained")
    _until(lambda: [each["name"] for each in _get(site, "/models")["models"]] == ["news"])
    window.get(f"{site}/try?model=news")
    window.find_element(By.ID, "text").send_keys("Wheat and corn and <b>oil</b>")
    window.find_element(By.CSS_SELECTOR, "#try button").click()
    _until(lambda: window.find_elements(By.CSS_SELECTOR, "#marked mark"))
    assert _violations_here(window) == []
    _shot(window, "try-answer")
    window.look(width=390, height=844, dark=True)
    assert window.run("return document.documentElement.scrollWidth") <= 390
    _shot(window, "try-answer-phone-dark")
    window.get(f"{site}/p/news/model")
    assert window.run("return document.documentElement.scrollWidth") <= 390
    _shot(window, "model-trained-phone-dark")
    window.look()
    assert window.log() == []
    window.get(f"{site}/p/news/documents?state=disagreement")
    assert window.find_elements(By.CSS_SELECTOR, "#documents tbody tr, main p.quiet")
    assert _violations_here(window) == []
    window.get(f"{site}/p/news/model")
    window.find_element(By.LINK_TEXT, "Label what is needed to measure").click()
    _until(lambda: window.find_element(By.ID, "order").get_attribute("value") == "measure")


def test_many_categories_long_texts_and_empty_ones_are_fine(window, site):
    _label_page(window, site, "joe", project="many")
    assert "2,970 further categories" in window.find_element(By.ID, "rest").text
    document = window.find_element(By.ID, "id").text
    window.press("/")
    window.press("2999")
    _until(lambda: len(window.find_elements(By.CSS_SELECTOR, "#categories button")) == 1)
    window.press(Keys.ENTER)
    _until(lambda: window.find_element(By.ID, "id").text != document)
    assert window.log() == []


def test_a_hostile_file_is_uploaded_as_text(window, site, tmp_path):
    path = tmp_path / "<b>hostile.csv"
    path.write_text('id,text\n<script>alert(1)</script>,"<svg onload=alert(1)>zebra"\n', encoding="utf-8")
    window.get(f"{site}/p/news/documents")
    window.find_element(By.ID, "file").send_keys(str(path))
    window.find_element(By.CSS_SELECTOR, "#upload button").click()
    _until(lambda: "1 documents added" in window.find_element(By.ID, "message").text)
    window.get(f"{site}/p/news/documents?query=zebra")
    assert "<svg onload=alert(1)>zebra" in window.find_element(By.ID, "documents").text
    assert window.log() == []


def test_files_of_predictions_become_a_report(window, site, tmp_path):
    for name, rows in {"truth": "1,a\n2,b\n3,a", "one": "1,a\n2,b\n3,b", "two": "1,b\n2,b\n3,b"}.items():
        (tmp_path / f"{name}.csv").write_text(f"document,labels\n{rows}\n", encoding="utf-8")
    window.get(f"{site}/judge")
    window.find_element(By.ID, "truth").send_keys(str(tmp_path / "truth.csv"))
    window.find_element(By.ID, "runs").send_keys(f"{tmp_path / 'one.csv'}\n{tmp_path / 'two.csv'}")
    own = window.current_window_handle
    window.find_element(By.CSS_SELECTOR, "#compare button").click()
    _until(lambda: len(window.window_handles) == 2)
    window.switch_to.window(next(handle for handle in window.window_handles if handle != own))
    _until(lambda: "one, two" in window.title)
    assert window.find_elements(By.ID, "systems")
    _shot(window, "report")
    window.close()
    window.switch_to.window(own)


def test_a_hierarchy_is_a_tree_that_opens(window, site):
    _label_page(window, site, "kim", project="tree")
    tree = window.find_element(By.ID, "tree")
    assert "Ghana" not in tree.text
    window.find_element(By.CSS_SELECTOR, '#tree [aria-label="What is under Africa"]').click()
    assert "<i>Mali</i>" in window.find_element(By.ID, "tree").text
    window.find_element(By.CSS_SELECTOR, '#tree button[data-name="Ghana"][aria-pressed]').click()
    assert _violations_here(window) == []
    _shot(window, "label-tree")
    document = window.find_element(By.ID, "id").text
    window.run("document.activeElement.blur()")
    window.press(Keys.ENTER)
    _until(lambda: window.find_element(By.ID, "id").text != document)
    _until(lambda: _get(site, f"/projects/tree/documents/{document}")["annotations"])
    assert _get(site, f"/projects/tree/documents/{document}")["annotations"][0]["labels"] == ["Ghana"]
    assert window.log() == []


def test_who_labels_while_the_service_restarts_loses_nothing(window, tmp_path):
    workspace = Workspace(tmp_path)
    project = workspace.projects.create("news", ["a", "b"], kind="single")
    workspace.documents.add(project, [NewDocument(f"d{i}", f"text {i}") for i in range(20)])
    workspace.close()
    with live_service(workspace=tmp_path) as address:
        port = int(address.rpartition(":")[2])
        _label_page(window, address, "ann")
        window.press("1")
        _until(lambda: _get(address, "/projects/news")["labelled"] == 1)
    document = window.find_element(By.ID, "id").text
    window.press("2")
    _until(lambda: "Not saved" in window.find_element(By.ID, "message").text)
    assert "does not answer" in window.find_element(By.ID, "message").text
    _shot(window, "restarted")
    with live_service(port=port, workspace=tmp_path) as address:
        seen = set()
        while len(seen) < 19:  # the document that was not saved comes again
            seen.add(window.find_element(By.ID, "id").text)
            count = len(seen)
            window.press("1")
            _until(lambda count=count: _get(address, "/projects/news")["labelled"] == 1 + count)
        assert document in seen
    window.log()  # the browser itself reports the refused connection
