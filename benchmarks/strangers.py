"""The default beside ten lines of scikit-learn and fastText, on every corpus at hand.

python -m benchmarks.strangers [CORPUS …] [--json] [--fixed] [--development] [--vectors FOLDER]

Everything is chosen on training documents, and each system scores the test documents once. `same_result` is true where
the default is not below any peer by more than .005 in micro- or macro-F1. Times include all choices (ours: the
representation and C; peers: C). --fixed adds our fixed representations. --development leaves the test documents alone:
a fifth of the training documents stands in for them, and everything is learned from the rest. Any corpus may be named,
and so may any folder with train.csv and test.csv among the data. --vectors adds a row `hybrid-CORPUS`: the default with
this encoder beside the default without (the peer), encoding included unless the vectors are in the store.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import rubricate as rb
from benchmarks._stranger_peers import PEERS, Decided
from benchmarks._timing import Row, publish
from rubricate.folds import deal, take_rows
from rubricate.measures import counts, macro, micro
from rubricate.types import Corpus

CORPORA = ("banking77", "webkb", "newswire", "ohsumed", "goemotions", "reuters21578", "newsgroups20")
OPTIONS: dict[str, dict[str, Any]] = {"reuters21578": {"split": "aptemod"}}
FIXED = ("terms", "words", "characters", "mixed")
SLACK = 0.005


def corpus_named(name: str, *, development: bool = False) -> Corpus:
    """Load a corpus by name, or train.csv and test.csv of a folder of this name among the data."""
    folder = Path(os.environ.get("RUBRICATE_DATA", ".")) / name
    if (folder / "train.csv").is_file():
        corpus = rb.load(folder / "train.csv", test=folder / "test.csv")
    else:
        corpus = rb.load(name, **OPTIONS.get(name, {}))
    if not development:
        return corpus
    held = deal(corpus.train.labels, 5, seed=7) == 0
    train, test = (take_rows(corpus.train, np.flatnonzero(rows)) for rows in (~held, held))
    return replace(corpus, train=train, test=test)


def ours(corpus: Corpus, **options: Any) -> Decided:
    """Decide by our categorizer; also return what it chose and expected."""
    model = rb.Categorizer(**options).fit(corpus)
    expected = model.cross_validation_ or {}
    chosen = (model.screening_ or {}).get("chosen", options.get("representation"))
    said = f"{chosen}, C={model.classifier_.C:g}, cv {expected['micro_f1']:.4f} / {expected['macro_f1']:.4f}"
    run = model.run(corpus.test)
    assert run.decisions is not None
    return run.decisions.values[:, : len(corpus.categories)], said


def figures(name: str, label: str, corpus: Corpus, system: Callable[[], Decided]) -> dict[str, Any]:
    """Run a system once; return its micro- and macro-F1 on the test documents and its seconds."""
    began = time.perf_counter()
    decided, said = system()
    seconds = time.perf_counter() - began
    table = counts(corpus.test.labels, decided)
    result = {"name": label, "micro": micro("f1", table), "macro": macro("f1", table), "seconds": seconds}
    shown = f"{result['micro']:.4f} / {result['macro']:.4f}"
    print(f"{name:14} {label:30} {shown}  {seconds:7.1f} s  {said}", file=sys.stderr, flush=True)
    return result | {"shown": shown}


def compare(name: str, *, fixed: bool, development: bool) -> Row:
    """Return the row of a corpus."""
    corpus = corpus_named(name, development=development)
    default = figures(name, "default", corpus, lambda: ours(corpus))
    for each in FIXED if fixed else ():
        figures(name, each, corpus, lambda each=each: ours(corpus, representation=each))  # type: ignore[misc]
    peers = [
        figures(name, label, corpus, lambda decide=decide: decide(corpus))  # type: ignore[misc]
        for label, decide in PEERS.items()
    ]
    best = max(peers, key=lambda each: each["micro"])
    level = all(default[average] >= each[average] - SLACK for each in peers for average in ("micro", "macro"))
    said = ", ".join(f"{each['name']} {each['shown']}" for each in [default, *peers])
    ratio = best["seconds"] / default["seconds"]
    work = f"{name}, micro / macro-F1: {said}"
    return Row(f"strangers-{name}", work, best["name"], default["seconds"], best["seconds"], ratio, level, 2)


def hybrid_row(name: str, encoder: str, *, development: bool) -> Row:
    """Return the row of the default with an encoder beside the default without."""
    corpus = corpus_named(name, development=development)
    hybrid = figures(name, "default with vectors", corpus, lambda: ours(corpus, vectors=encoder))
    plain = figures(name, "default", corpus, lambda: ours(corpus))
    level = all(hybrid[average] >= plain[average] - SLACK for average in ("micro", "macro"))
    work = f"{name}, micro / macro-F1: with vectors {hybrid['shown']}, without {plain['shown']}"
    ratio = plain["seconds"] / hybrid["seconds"]
    return Row(f"hybrid-{name}", work, "our default", hybrid["seconds"], plain["seconds"], ratio, level, 2)


def rows(names: list[str], *, fixed: bool, development: bool, encoder: str | None = None) -> Iterator[Row]:
    for name in names:
        yield compare(name, fixed=fixed, development=development)
        if encoder is not None:
            yield hybrid_row(name, encoder, development=development)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", nargs="*", default=list(CORPORA))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--fixed", action="store_true")
    parser.add_argument("--development", action="store_true")
    parser.add_argument("--vectors", metavar="FOLDER")
    given = parser.parse_args()
    sys.argv = [sys.argv[0], *(["--json"] if given.json else [])]
    made = rows(given.corpus, fixed=given.fixed, development=given.development, encoder=given.vectors)
    publish(list(made), __doc__ or "")


if __name__ == "__main__":
    main()
