"""Make the pictures of docs/tutorials/tour.md: the pages in a real browser, from an unlabelled file to a model in use.

python -m tools.tour [FOLDER]      default: docs/images; needs Chromium with its driver and Pillow

Stories of the synthetic corpus stand for a user's file, and its true labels for a person who labels; two labels are
wrong on purpose. Everything goes through `rubricate label` and its pages.
"""

from __future__ import annotations

import csv
import io
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.annotating import Client
from PIL import Image
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from tests.reports.browser import Browser, browser

import rubricate as rb

STORIES, TOPICS, BY_KEY, LABELS, WRONG = 450, 8, 6, 160, 2
WIDTH, HEIGHT, COLOURS = 1000, 720, 48
NAME = "stories"


class TrainingData:
    """Stories of the most frequent topics, and their labels."""

    def __init__(self) -> None:
        documents = rb.load("newswire", documents=3_000).train
        counts = np.bincount(documents.labels.indices, minlength=len(documents.categories))
        chosen = np.argsort(-counts, kind="stable")[:TOPICS].tolist()
        self.categories = [documents.categories[column] for column in chosen]
        self.rows: list[dict[str, str]] = []
        self.truth: dict[str, list[str]] = {}
        for row in range(len(documents)):
            labels = documents.labels.indices[documents.labels.indptr[row] : documents.labels.indptr[row + 1]]
            names = [documents.categories[column] for column in labels.tolist() if column in chosen]
            if names and len(self.rows) < STORIES:
                name = documents.ids[row].replace("newswire-", "s")
                titles = documents.titles or []
                self.rows.append({"id": name, "title": titles[row], "text": documents.bodies[row]})
                self.truth[name] = names

    def write(self, path: Path) -> None:
        """Write the stories without their labels."""
        with path.open("w", newline="", encoding="utf-8") as file:
            rows = csv.DictWriter(file, ["id", "title", "text"])
            rows.writeheader()
            rows.writerows(self.rows)


@contextmanager
def labelling(path: Path, workspace: Path, categories: list[str]) -> Iterator[int]:
    """Run `rubricate label`; yield the port."""
    command = [sys.executable, "-c", "from rubricate.cli import main; main()", "label", str(path), "--no-open"]
    command += ["--workspace", str(workspace), "--title", "title"]
    command += [part for name in categories for part in ("--category", name)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        found = None
        while found is None:
            line = process.stderr.readline()
            assert line, "rubricate label ended"
            found = re.search(r"serving on http://127\.0\.0\.1:(\d+)", line)
        threading.Thread(target=process.stderr.read, daemon=True).start()
        yield int(found[1])
    finally:
        process.terminate()
        process.wait()


class Tour:
    """A browser on its way through the pages."""

    def __init__(self, window: Browser, port: int, folder: Path) -> None:
        self.window, self.site, self._folder = window, f"http://127.0.0.1:{port}", folder
        window.look(width=WIDTH, height=HEIGHT)

    def open(self, path: str) -> None:
        self.window.get(self.site + path)

    def picture(self, name: str, *, dark: bool = False, phone: bool = False, height: int = HEIGHT) -> None:
        """Keep what the window shows, with few colours."""
        self.window.look(width=390 if phone else WIDTH, height=height, dark=dark)
        time.sleep(0.4)
        image = Image.open(io.BytesIO(self.window.get_screenshot_as_png())).convert("RGB")
        image.quantize(COLOURS).save(self._folder / f"tour-{name}.png", optimize=True)
        self.window.look(width=WIDTH, height=HEIGHT)
        print(f"tour-{name}.png", file=sys.stderr, flush=True)

    def text(self, name: str) -> str:
        return self.window.find_element(By.ID, name).text

    def until(self, condition: Callable[[], Any], seconds: float = 120) -> None:
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, "waited too long"
            time.sleep(0.1)

    def to_label(self, *, suggest: bool = False) -> None:
        self.open(f"/p/{NAME}/label")
        field = self.window.find_element(By.ID, "annotator")
        field.clear()
        field.send_keys("ann", Keys.TAB)
        if suggest:
            self.window.find_element(By.ID, "suggest").click()
        self.window.run("document.activeElement.blur()")
        self.until(lambda: self.window.find_element(By.ID, "work").is_displayed())

    def label(self, labels: list[str]) -> None:
        """Choose labels by their keys, or by searching, and save."""
        document = self.text("id")
        for name in labels:
            self.window.find_element(By.CSS_SELECTOR, f'#categories button[data-name="{name}"]').click()
        self.window.run("document.activeElement.blur()")
        self.window.press(Keys.ENTER)
        self.until(lambda: self.text("id") != document)


def walk(tour: Tour, call: Client, material: TrainingData) -> None:
    """Go through all pages and take the pictures."""
    tour.to_label()
    tour.picture("label")
    for _ in range(BY_KEY):
        tour.label(material.truth[tour.text("id")])
    tour.until(lambda: "Saved" in tour.text("saved"))
    tour.picture("label-phone", phone=True)
    answer = call("POST", f"/projects/{NAME}/queue", {"order": "random", "n": 200, "annotator": "ann"})
    wrong: set[str] = set()
    for place, document in enumerate(answer["documents"][: LABELS - BY_KEY]):
        labels = material.truth[document["id"]]
        if place < WRONG:
            wrong.add(document["id"])
            labels = [next(name for name in material.categories if name not in labels)]
        call("POST", f"/projects/{NAME}/labels", {"document": document["id"], "labels": labels, "annotator": "ann"})
    tour.open(f"/p/{NAME}/model")
    tour.window.find_element(By.ID, "train").click()
    tour.until(lambda: "steps" in tour.text("message"))
    tour.picture("training", height=420)
    tour.until(lambda: tour.window.find_elements(By.ID, "models"), 400)
    tour.picture("model", height=1_180)
    tour.until(lambda: call("GET", "/models")["models"])
    tour.to_label(suggest=True)
    tour.picture("suggestion")
    tour.open(f"/try?model={NAME}")
    story = next(row for row in material.rows[::-1] if len(material.truth[row["id"]]) > 1)
    tour.window.find_element(By.ID, "text").send_keys(f"{story['title']}. {story['text']}")
    tour.window.find_element(By.CSS_SELECTOR, "#try button").click()
    tour.until(lambda: tour.window.find_elements(By.CSS_SELECTOR, "#marked mark"))
    tour.window.run("document.getElementById('result').scrollIntoView()")
    tour.picture("try")
    tour.picture("try-dark", dark=True)
    found = call("GET", f"/projects/{NAME}/documents?disagreement=true&n=200")["documents"]
    assert wrong <= {document["id"] for document in found}, "the page says that the wrong labels are in the list"
    tour.open(f"/p/{NAME}/documents?state=disagreement")
    tour.picture("disagreement")
    tour.open("/judge")
    tour.picture("compare", height=560)


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images")
    folder.mkdir(parents=True, exist_ok=True)
    material = TrainingData()
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / f"{NAME}.csv"
        material.write(path)
        with labelling(path, Path(name) / "workspace", material.categories) as port, browser() as window:
            walk(Tour(window, port, folder), Client(port), material)


if __name__ == "__main__":
    main()
