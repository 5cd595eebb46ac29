"""Bad input in a real browser: long and empty documents, odd names, cycles, a full disk; a workbook is uploaded."""

from __future__ import annotations

import json
import urllib.request

import pytest
from selenium.webdriver.common.by import By
from sqlalchemy import event
from tests.io.test_formats_read import workbook
from tests.reports.browser import browser, may_skip
from tests.service.live import live_service
from tests.service.test_page_browser import HOSTILE, _get, _shot, _until, _violations_here

from rubricate.service.workspace import database
from rubricate.service.workspace.documents import NewDocument
from rubricate.service.workspace.workspace import Workspace

pytestmark = [pytest.mark.proof, pytest.mark.skipif(may_skip(), reason="no Chromium with its driver")]


@pytest.fixture(scope="module")
def window():
    with browser() as opened:
        opened.look()
        yield opened


def _begin(window, site, project, name="ann"):
    """Open the page Label as somebody."""
    window.get(f"{site}/try")
    window.run("localStorage.setItem('annotator', arguments[0])", name)
    window.get(f"{site}/p/{project}/label")
    _until(lambda: window.find_element(By.ID, "work").is_displayed())
    window.run("document.activeElement.blur()")


def test_a_document_of_5_mb_and_one_without_text_are_labelled(window, tmp_path):
    workspace = Workspace(tmp_path)
    project = workspace.projects.create("p", ["a", HOSTILE], kind="single")
    workspace.documents.add(project, [NewDocument("long", "word " * 1_000_000), NewDocument("none", "")])
    workspace.close()
    with live_service(workspace=tmp_path) as site:
        _begin(window, site, "p")
        seen = {}
        for left in (1, 0):
            name = window.find_element(By.ID, "id").text
            seen[name] = window.run("return document.getElementById('text').textContent")
            assert HOSTILE in window.find_element(By.ID, "categories").text
            window.press("2")
            _until(lambda left=left: _get(site, "/projects/p")["labelled"] == 2 - left)
        assert (len(seen["long"]), seen["none"]) == (5_000_000, "(This document has no text.)")
        _until(lambda: "No document is left" in window.find_element(By.TAG_NAME, "main").text)
        documents = _get(site, "/projects/p/documents")["documents"]
        assert [each["annotations"][0]["labels"] for each in documents] == [[HOSTILE]] * 2
        window.get(f"{site}/p/p/documents")
        assert "(no text)" in window.find_element(By.ID, "documents").text
    assert window.log() == []


def test_a_taxonomy_with_a_cycle_is_said_on_the_page_and_a_sound_one_is_a_tree(window, tmp_path):
    with live_service(workspace=tmp_path) as site:
        window.get(site)
        window.find_element(By.ID, "name").send_keys("places")
        field = window.find_element(By.ID, "categories")
        field.send_keys("world > Africa\nAfrica > world")
        window.find_element(By.CSS_SELECTOR, "#create button").click()
        _until(lambda: "the taxonomy has a cycle" in window.find_element(By.ID, "message").text)
        assert _violations_here_or_skip(window) == []
        _shot(window, "cycle")
        assert _get(site, "/projects")["projects"] == []
        field.clear()
        window.run("arguments[0].value = arguments[1]", field, "world > Africa > Ghana 😀")  # no key types an emoji
        window.find_element(By.CSS_SELECTOR, "#create button").click()
        _until(lambda: window.current_url.endswith("/p/places/documents"))
        assert _get(site, "/projects/places")["taxonomy"] == [["Africa", "Ghana 😀"], ["world", "Africa"]]
    assert [each for each in window.log() if "422" not in each["message"]] == []


def _violations_here_or_skip(window):
    """Return serious findings; the policy of the page keeps foreign scripts out, so that it has to be set aside."""
    window.execute_cdp_cmd("Page.setBypassCSP", {"enabled": True})
    found = _violations_here(window)
    window.execute_cdp_cmd("Page.setBypassCSP", {"enabled": False})
    return found


def test_a_full_disk_is_said_on_the_page_and_loses_no_label(window, tmp_path, monkeypatch):
    """SQLite may take no further page of the disk; then there is room again."""
    made, disk = database._sqlite, {"full": False, "engines": []}

    def limited(url):
        engine = made(url)
        disk["engines"].append(engine)

        @event.listens_for(engine, "connect")
        def limit(connection, _):
            if disk["full"]:
                pages = connection.execute("PRAGMA page_count").fetchone()[0]
                connection.execute(f"PRAGMA max_page_count = {pages}")

        return engine

    monkeypatch.setattr(database, "_sqlite", limited)
    workspace = Workspace(tmp_path)
    name = "a" * 900  # a label that soon needs a further page of the disk
    project = workspace.projects.create("p", [name, "b"], kind="single")
    workspace.documents.add(project, [NewDocument(f"d{i:03}", f"text {i}") for i in range(30)])
    workspace.close()
    with live_service(workspace=tmp_path) as site:
        _begin(window, site, "p")
        disk["full"] = True
        disk["engines"][-1].dispose()
        saved = []
        for _ in range(9):
            document = window.find_element(By.ID, "id").text
            window.press("1")
            _until(lambda d=document: d in _said(window))
            if "Not saved" in _said(window):
                break
            saved.append(document)
        assert f"Not saved: {document}" in _said(window)
        assert "full" in _said(window)
        _shot(window, "full-disk")
        disk["full"] = False
        disk["engines"][-1].dispose()
        seen = set()
        while document not in seen:  # it comes again
            _until(lambda: window.find_element(By.ID, "id").text not in {"", *seen})
            shown = window.find_element(By.ID, "id").text
            seen.add(shown)
            window.press("1")
            _until(lambda shown=shown: f"Saved: {shown}" in _said(window))
        with urllib.request.urlopen(f"{site}/projects/p/export", timeout=60) as answer:
            rows = [json.loads(line) for line in answer.read().splitlines()]
        labelled = {row["id"] for row in rows if row["labels"] == [name]}
        assert {*saved, *seen} == labelled
    assert [each for each in window.log() if "503" not in each["message"]] == []


def _said(window):
    return window.find_element(By.ID, "saved").text + " " + window.find_element(By.ID, "message").text


def _sheet(rows):
    """Return a sheet with texts in its cells."""
    cell = '<c r="{}{}" t="inlineStr"><is><t>{}</t></is></c>'
    lines = []
    for number, row in enumerate(rows, 1):
        cells = [cell.format(column, number, text) for column, text in zip("ABCD", row, strict=True)]
        lines.append(f'<row r="{number}">{"".join(cells)}</row>')
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    return f'<worksheet xmlns="{main}"><sheetData>{"".join(lines)}</sheetData></worksheet>'


def test_a_workbook_is_uploaded_with_a_progress_bar(window, tmp_path):
    rows = [("id", "title", "text", "labels"), *((f"r{i}", "T", f"zebra {i}", "a") for i in range(500))]
    workbook(tmp_path / "book.xlsx", **{"worksheets/sheet1": _sheet(rows)})
    (tmp_path / "broken.xlsx").write_bytes(b"PK\x03\x04broken")
    with live_service(workspace=tmp_path / "w") as site:
        body = json.dumps({"name": "p", "categories": ["a"]}).encode()
        request = urllib.request.Request(f"{site}/projects", body, {"content-type": "application/json"})
        urllib.request.urlopen(request, timeout=30).close()
        window.get(f"{site}/p/p/documents")
        bar = window.find_element(By.ID, "progress")
        assert not bar.is_displayed()
        window.find_element(By.ID, "file").send_keys(str(tmp_path / "broken.xlsx"))
        window.find_element(By.CSS_SELECTOR, "#upload button").click()
        _until(lambda: "bad" in window.find_element(By.ID, "message").get_attribute("class"))
        assert "not a workbook" in window.find_element(By.ID, "message").text
        _shot(window, "upload-broken")
        window.get(f"{site}/p/p/documents")
        window.run(
            "new MutationObserver(() => { if (!document.getElementById('progress').hidden) "
            "sessionStorage.setItem('bar', 'shown'); }).observe(document.getElementById('progress'), "
            "{ attributes: true })"
        )
        window.find_element(By.ID, "file").send_keys(str(tmp_path / "book.xlsx"))
        window.find_element(By.CSS_SELECTOR, "#upload button").click()
        _until(lambda: "500 documents added" in window.find_element(By.ID, "message").text)
        assert window.run("return sessionStorage.getItem('bar')") == "shown"
        assert "500 documents, 500 of them labelled" in window.find_element(By.TAG_NAME, "main").text
        _shot(window, "upload")
    assert [each for each in window.log() if "422" not in each["message"]] == []
