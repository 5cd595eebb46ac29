"""Start labelling some documents: a project of them in a workspace, the service, and the page in a browser."""

from __future__ import annotations

import sys
import threading
import webbrowser
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from rubricate.errors import InvalidFile, InvalidInput, UnknownName
from rubricate.io.reader import InputFile
from rubricate.io.reading import Reading
from rubricate.io.user_files import stream
from rubricate.service.pages import address
from rubricate.service.running import run
from rubricate.service.settings import ServiceSettings
from rubricate.service.workspace.documents import NewDocument
from rubricate.service.workspace.predictions import predict_all
from rubricate.service.workspace.projects import Project
from rubricate.service.workspace.workspace import Workspace
from rubricate.training.categorizer import Categorizer

__all__ = ["bring_model", "fill_workspace", "start_labelling"]

CHUNK = 2_000


def start_labelling(
    docs: str,
    folder: Path,
    *,
    reading: Reading,
    model: Path | None,
    categories: Sequence[str],
    single: bool,
    port: int,
    browser: bool,
) -> None:
    """Fill the workspace, say where it is, and serve it until interrupted."""
    name = fill_workspace(Path(docs), folder, reading=reading, model=model, categories=categories, single=single)
    print(f"rubricate: the labels are kept in {folder}", file=sys.stderr)
    settings = ServiceSettings(models=() if model is None else (model,), workspace=folder, port=port)

    def ready(url: str) -> None:
        target = url.rstrip("/") + address("p", name, "label")
        print(f"rubricate: label at {target}", file=sys.stderr, flush=True)
        if browser:
            threading.Timer(1.0, webbrowser.open, [target]).start()

    run(settings, announce=ready)


def fill_workspace(
    path: Path, folder: Path, *, reading: Reading, model: Path | None, categories: Sequence[str], single: bool
) -> str:
    """Put documents into a project named after their file; return its name. Documents that are there are left."""
    reading = _readable(path, reading)
    name = path.resolve().stem.replace("/", " ") or "documents"
    workspace = Workspace(folder)
    try:
        project = _project(workspace, name, path, reading=reading, model=model, categories=categories, single=single)
        records = stream(InputFile(path, reading))
        while chunk := list(islice(records, CHUNK)):
            documents = [
                NewDocument(record.id, record.text.replace("\x00", "\ufffd"), record.title, record.labels or None)
                for record in chunk
            ]
            workspace.documents.add(project, documents, "label")
        if model is not None:
            bring_model(workspace, project, model)
        return project.name
    finally:
        workspace.close()


def bring_model(workspace: Workspace, project: Project, path: Path) -> None:
    """Put a model file into use in a project that has none, with what it says of every document."""
    if workspace.models.all(project):
        return
    model = Categorizer.open(path)
    strange = [name for name in model.categories_ if name not in project.categories]
    if strange:
        raise InvalidInput(
            f"the model {path.name} gives categories that the project {project.name!r} does not have, such as "
            f"{strange[0]!r}; Fix: another model, or a new --workspace"
        )
    claimed = workspace.models.claim(project)
    model.save(claimed.path)
    figures = dict(model.cross_validation_ or {})
    summary: dict[str, Any] = {
        "documents": len(model.ids_),
        "categories": len(model.categories_),
        "micro_f1": figures.get("micro_f1"),
        "macro_f1": figures.get("macro_f1"),
        "per_category": [],
        "signature": str(model.signature()),
    }
    predictions = predict_all(workspace.documents, project, model, labelled=None, progress=None)
    workspace.models.add(claimed, summary=summary, predictions=predictions)
    workspace.models.use(project, claimed.number, who="label")


def _readable(path: Path, reading: Reading) -> Reading:
    """Return a reading without the labels where the file has none."""
    try:
        next(stream(InputFile(path, reading)), None)
    except InvalidFile as error:
        if "no column 'labels'" not in str(error):
            raise
        return replace(reading, labels=None)
    return reading


def _project(
    workspace: Workspace,
    name: str,
    path: Path,
    *,
    reading: Reading,
    model: Path | None,
    categories: Sequence[str],
    single: bool,
) -> Project:
    try:
        return workspace.projects.get(name)
    except UnknownName:
        pass
    names = list(categories)
    kind = single
    if model is not None:
        opened = Categorizer.open(model)
        names += opened.categories_
        kind = kind or bool(opened.single_label_)
    if reading.labels:
        names += sorted({label for record in stream(InputFile(path, reading)) for label in record.labels})
    names = list(dict.fromkeys(names))
    if not names:
        raise InvalidInput(
            f"{path} has no labels, so that no category is known. Fix: give --category NAME for each, or --model MODEL"
        )
    return workspace.projects.create(name, names, kind="single" if kind else "multi", who="label")
