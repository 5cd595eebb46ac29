"""The documents that the record is made from, and the names of the package that have more than one home."""

from __future__ import annotations

import importlib
import json
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import rubricate as rb

SYSTEMS_OF_WORDS = """
crude if oil and (barrel* or crude);
wheat if wheat or (grain* and not corn);
corn if corn;
interest-rates if rate* and bank*;
earnings if profit* or earn*;
gold if gold and ounce*;
"""
"""Rules for `construe`; their categories are in `newswire` and, but for two, in Reuters."""

REUTERS_TREE = (
    ("agriculture", "grain"), ("agriculture", "oilseed"), ("agriculture", "coffee"), ("agriculture", "sugar"),
    ("agriculture", "livestock"), ("grain", "wheat"), ("grain", "corn"), ("grain", "rice"), ("grain", "barley"),
    ("oilseed", "soybean"), ("livestock", "hog"), ("energy", "crude"), ("energy", "nat-gas"), ("energy", "gas"),
    ("money", "money-fx"), ("money", "interest"), ("money-fx", "dlr"), ("money-fx", "yen"), ("companies", "earn"),
    ("companies", "acq"), ("metals", "gold"), ("metals", "copper"), ("economy", "trade"), ("economy", "cpi"),
)  # fmt: skip
"""A hierarchy of our own over some categories of Reuters, for the hierarchical classifiers."""


@cache
def newswire() -> Any:
    """Return 600 training and 300 test stories of 60 topics."""
    return rb.load("newswire", documents=900, categories=60)


@cache
def whole_reuters() -> Any:
    """Return ApteMod with all its training documents and the first 500 for testing."""
    corpus = rb.load("reuters21578", split="aptemod")
    return replace(corpus, test=corpus.test.take(range(500)))


@cache
def reuters() -> Any:
    """Return the first 1,500 training and 500 test documents of ApteMod under `REUTERS_TREE`, others under a node."""
    corpus = whole_reuters()
    others = sorted({*corpus.categories} - {name for edge in REUTERS_TREE for name in edge})
    edges = (*REUTERS_TREE, *(("other", name) for name in others))
    return replace(corpus, train=corpus.train.take(range(1_500)), taxonomy=edges)


@cache
def small_newswire() -> Any:
    """Return 150 training and 50 test stories with the 12 most frequent topics, for small model files."""
    corpus = rb.load("newswire", documents=500, categories=60)
    counts = np.bincount(corpus.train.labels.indices, minlength=len(corpus.categories))
    columns = np.sort(np.argsort(-counts, kind="stable")[:12])
    names = tuple(corpus.categories[c] for c in columns)
    parts = {
        name: replace(documents.take(range(size)), labels=documents.labels[:size][:, columns], categories=names)
        for name, documents, size in (("train", corpus.train, 150), ("test", corpus.test, 50))
    }
    return replace(corpus, **parts)


def rules_for(categories: tuple[str, ...]) -> str:
    """Return the rules of those categories that are among these."""
    rules = (rule.strip() for rule in SYSTEMS_OF_WORDS.strip().split("\n"))
    return "\n".join(rule for rule in rules if rule.split()[0] in categories)


HOMES = {
    "Analyzer": "text",
    "Select": "text",
    "Vectors": "text",
    "Thresholded": "thresholds",
    "calibrate": "estimation",
}


def public(name: str) -> Any:
    """Return a public name of the package from its folder, or from the top where the folder does not have it."""
    try:
        return getattr(importlib.import_module(f"rubricate.{HOMES[name]}"), name)
    except (ImportError, AttributeError):
        return getattr(rb, name)


@cache
def workspace() -> tempfile.TemporaryDirectory[str]:
    """Return a folder for the files of commands; it goes when the process ends."""
    return tempfile.TemporaryDirectory(prefix="rubricate-record-")


@cache
def documents_file(corpus: Any) -> Path:
    """Write a corpus as JSON lines with the columns id, title, text, labels and split, and return the path."""
    path = Path(workspace().name) / f"{corpus.name}.jsonl"
    with path.open("w", encoding="utf-8") as stream:
        for split, documents in (("train", corpus.train), ("test", corpus.test)):
            for row, (name, body) in enumerate(zip(documents.ids, documents.bodies, strict=True)):
                labels = [documents.categories[c] for c in documents.labels[[row]].indices]
                title = documents.titles[row] if documents.titles is not None else ""
                line = {"id": name, "title": title, "text": body, "labels": labels, "split": split}
                stream.write(json.dumps(line, ensure_ascii=False) + "\n")
    return path
