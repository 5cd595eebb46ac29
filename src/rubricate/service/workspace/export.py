"""What was put in, given back: documents with their labels as JSON lines or CSV, in constant memory."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any, Literal

from rubricate.errors import InvalidInput
from rubricate.service.workspace.documents import DocumentFilter, DocumentStore
from rubricate.service.workspace.labels import consensus
from rubricate.service.workspace.projects import Project

__all__ = ["export"]

PAGE = 500


def export(
    store: DocumentStore, project: Project, form: Literal["jsonl", "csv"], *, separator: str = ";"
) -> Iterator[bytes]:
    """Yield all documents of a project: id, title, text, labels (null or empty without any), annotations.

    `labels` is what most annotators say (`consensus`); the JSON lines also have what each says. In CSV a document that
    was given no label on purpose looks like one that nobody labelled; the JSON lines tell them apart.
    """
    if form == "csv":
        odd = next((name for name in project.categories if separator in name), None)
        if odd is not None:
            raise InvalidInput(
                f"the category {odd!r} holds {separator!r}; Fix: give another separator, or format=jsonl"
            )
    return _csv(store, project, separator) if form == "csv" else _jsonl(store, project)


def _pages(store: DocumentStore, project: Project) -> Iterator[list[dict[str, Any]]]:
    after: int | None = 0
    while after is not None:
        documents, after = store.find(project, DocumentFilter(), after=after, n=PAGE)
        yield documents


def _labels(document: dict[str, Any]) -> list[str] | None:
    given = [(each["annotator"], tuple(each["labels"]), each["event"]) for each in document["annotations"]]
    return list(consensus(given)) if given else None


def _jsonl(store: DocumentStore, project: Project) -> Iterator[bytes]:
    for documents in _pages(store, project):
        lines = []
        for document in documents:
            row = {
                "id": document["id"],
                "title": document["title"],
                "text": document["text"],
                "labels": _labels(document),
                "annotations": document["annotations"],
            }
            lines.append(json.dumps(row, ensure_ascii=False) + "\n")
        yield "".join(lines).encode()


def _csv(store: DocumentStore, project: Project, separator: str) -> Iterator[bytes]:
    yield b"id,title,text,labels\r\n"
    for documents in _pages(store, project):
        target = io.StringIO()
        rows = csv.writer(target)  # lines end in \r\n, as RFC 4180 says: cells that hold one of both are quoted
        for document in documents:
            labels = separator.join(_labels(document) or ())
            rows.writerow([document["id"], document["title"] or "", document["text"], labels])
        yield target.getvalue().encode()
