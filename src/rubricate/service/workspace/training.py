"""The program of a training job: `python -m rubricate.service.workspace.training JOB`.

It reads the labelled documents of a project, trains, judges by cross-validation, compares with the model in use, and
keeps the model with what it says of every document, out of fold where it was trained on it. A second thread sends
heartbeats and ends the process when the job is cancelled.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlalchemy import select, update

from rubricate.engines import run_counted
from rubricate.errors import InvalidInput, RubricateError
from rubricate.labels import label_matrix
from rubricate.measures.evaluation import evaluate
from rubricate.service.workspace import database as tables
from rubricate.service.workspace.comparisons import changes, curve_of
from rubricate.service.workspace.database import Database
from rubricate.service.workspace.documents import DocumentFilter, DocumentStore
from rubricate.service.workspace.labels import LabelStore, consensus
from rubricate.service.workspace.models import ProjectModels, put_into_use
from rubricate.service.workspace.predictions import predict_all
from rubricate.service.workspace.projects import Project, find_project
from rubricate.training.categorizer import Categorizer, configured
from rubricate.types import Documents

__all__ = ["main", "train_project"]

HEARTBEAT_SECONDS = 1.0
RESAMPLES = 1000
PAGE = 500


class _Progress:
    """The progress of a job in the database, written by a thread of its own."""

    def __init__(self, database: Database, job: int) -> None:
        self._database, self._job = database, job
        self.done = self.total = 0
        self.message = "reading"
        self._lock = threading.Lock()

    def __call__(self, steps: int = 0, *, total: int | None = None, text: str | None = None) -> None:
        with self._lock:
            self.done, self.total = self.done + steps, self.total + (total or 0)
            self.message = self.message if text is None else text

    def engine(self, function: Callable[[Any], Any], tasks: Iterable[Any]) -> list[Any]:
        """Run tasks on threads and count them."""
        return run_counted(function, tasks, engine="threads", progress=self, text="training")

    def beat(self) -> None:
        """Write progress until the process ends; end it when the job is cancelled."""
        j = tables.jobs.c
        while True:
            with contextlib.suppress(RubricateError), self._database.write() as connection:
                state = connection.execute(select(j.cancel, j.state).where(j.id == self._job)).first()
                if state is None or state.state != "running":
                    os._exit(0)
                values: dict[str, Any] = {"heartbeat": time.time(), "done": self.done, "total": self.total}
                values["message"] = self.message
                if state.cancel:
                    values |= {"state": "cancelled", "ended": time.time(), "message": "cancelled"}
                connection.execute(update(tables.jobs).where(j.id == self._job).values(values))
            time.sleep(HEARTBEAT_SECONDS)


def main() -> None:
    """Do one job and keep its end in the database."""
    options, job = json.load(sys.stdin), int(sys.argv[1])
    database = Database(options["url"])
    progress = _Progress(database, job)
    threading.Thread(target=progress.beat, daemon=True).start()
    j, p = tables.jobs.c, tables.projects.c
    with database.read() as connection:
        row = connection.execute(
            select(j.data, p.name).join(tables.projects, p.id == j.project).where(j.id == job)
        ).one()
        project = find_project(connection, row.name)
    data = json.loads(row.data)
    values: dict[str, Any] = {"state": "done", "message": "done"}
    try:
        data["result"] = train_project(database, project, Path(options["folder"]), progress=progress, data=data)
    except RubricateError as error:
        values = {"state": "failed", "message": str(error)}
    except MemoryError:
        values = {"state": "failed", "message": "not enough memory to train on these documents"}
    except OSError as error:  # such as a full disk
        values = {"state": "failed", "message": f"the model cannot be kept: {error.strerror or error}"}
    except Exception as error:
        traceback.print_exc()
        values = {"state": "failed", "message": f"an error of the program ({type(error).__name__}); its log says more"}
    values |= {"done": progress.done, "total": progress.total, "ended": time.time(), "data": json.dumps(data)}
    with database.write() as connection:
        connection.execute(update(tables.jobs).where(j.id == job, j.state == "running").values(values))


def train_project(
    database: Database, project: Project, folder: Path, *, progress: _Progress, data: dict[str, Any]
) -> dict[str, Any]:
    """Train on the labels that stand, keep the model, and return its number and summary."""
    store, models = DocumentStore(database), ProjectModels(database, folder)
    given = {name: consensus(predictions) for name, predictions in LabelStore(database).standing(project).items()}
    texts = _labelled(store, project, given)
    _check(project, list(given.values()))
    progress(text="training")
    meant = None if all(given.values()) else "micro_macro"  # who labels a document with nothing means it
    model = configured({"classifier": data.get("classifier"), "cut": meant, "engine": progress.engine}).fit(texts)
    progress(text="judging")
    summary = _summary(model) | {"changes": changes(database, project, model, given)}
    progress(text="looking ahead")
    model.set_params(engine="threads")  # the one that counts belongs to this process
    summary["curve"] = curve_of(model, texts)
    claimed = models.claim(project)
    model.save(claimed.path)
    predictions = predict_all(store, project, model, labelled=texts, progress=progress)
    models.add(claimed, summary=summary, predictions=predictions)
    if data.get("use", True):
        with database.write() as connection:
            put_into_use(connection, project, claimed.key, number=claimed.number, who=data.get("who", ""))
    return {"model": claimed.number, **summary}


def _labelled(store: DocumentStore, project: Project, given: dict[str, tuple[str, ...]]) -> Documents:
    """Return the labelled documents, in the order they were added."""
    names: list[str] = []
    bodies: list[str] = []
    titles: list[str] = []
    for document in _all(store, project, DocumentFilter(labelled=True)):
        names.append(document["id"])
        bodies.append(document["text"])
        titles.append(document["title"] or "")
    used = {label for labels in given.values() for label in labels}
    categories = tuple(name for name in project.categories if name in used)
    labels, _ = label_matrix([given[name] for name in names], categories)
    return Documents(names, bodies, labels, categories, titles=titles if any(titles) else None)


def _check(project: Project, given: Sequence[tuple[str, ...]]) -> None:
    used = {label for labels in given for label in labels}
    if len(given) < 4 or not used or (project.kind == "single" and len(used) < 2):
        raise InvalidInput(
            f"{len(given)} documents with labels of {len(used)} categories are too few to learn from; label some more"
        )


def _all(store: DocumentStore, project: Project, which: DocumentFilter) -> Iterator[dict[str, Any]]:
    after: int | None = 0
    while after is not None:
        documents, after = store.find(project, which, after=after, n=PAGE)
        yield from documents


def _summary(model: Categorizer) -> dict[str, Any]:
    """Return the cross-validated figures with intervals, and those of each category."""
    result = evaluate(replace(model.out_of_fold_run(), scores=None), bootstrap=RESAMPLES)
    figures: dict[str, Any] = {"documents": result.documents, "categories": len(result.categories)}
    for average, values in (("micro", result.micro), ("macro", result.macro)):
        intervals = result.intervals[f"{average}.f1"]
        interval = next((each for each in intervals if each.method != "wilson"), intervals[0])
        figures[f"{average}_f1"] = float(values["f1"])
        figures[f"{average}_f1_interval"] = [float(interval.low), float(interval.high)]
    f1 = result.per_category["f1"].tolist()
    counts = model.train_counts_.tolist()
    figures["per_category"] = [
        {"category": name, "documents": count, "f1": None if value != value else value}
        for name, count, value in zip(result.categories, counts, f1, strict=True)
    ]
    return figures | {"signature": str(model.signature())}


if __name__ == "__main__":
    main()
