"""The default and each fixed representation beside ten lines of scikit-learn and fastText, on every corpus at hand.

python -m benchmarks.strangers [CORPUS …] [--json] [--full] [--no-fixed] [--development] [--vectors FOLDER]

Everything is chosen on training documents, and each system scores the test documents once. `same_result` is true where
the default is not below any peer by more than .005 in micro- or macro-F1. Times include all choices (ours: the
representation and C; peers: C). So that all of it takes minutes, large corpora are learned from stratified samples
(`SAMPLES`); --full learns from all training documents, which takes the peers an hour on the long ones. A fixed
representation that the default leaves out as too large is left out here too; --no-fixed leaves out all of them.
--development leaves the test documents alone: a fifth of the training documents stands in for them, and everything is
learned from the rest. Any corpus may be named, and so may any folder with train.csv and test.csv among the data.
--vectors adds a row `hybrid-CORPUS`: the default with this encoder beside the default without (the peer), encoding
included unless the vectors are in the store. `wikivitals` is flat here: its 11 topics at the top.
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

CORPORA = (
    "banking77", "goemotions", "newsgroups20", "newswire", "ohsumed", "reuters21578", "webkb", "wikivitals"
)  # fmt: skip
OPTIONS: dict[str, dict[str, Any]] = {"reuters21578": {"split": "aptemod"}, "wikivitals": {"path": True}}
SAMPLES = {"goemotions": 4000, "newsgroups20": 1000, "ohsumed": 1000, "reuters21578": 1000, "webkb": 1000}
"""Training documents, about, that are learned from without --full; all of the other corpora."""
FIXED = ("terms", "words", "characters", "mixed")
SLACK = 0.005


def corpus_named(name: str, *, development: bool = False, full: bool = True) -> Corpus:
    """Load a corpus by name, or train.csv and test.csv of a folder of this name among the data."""
    folder = Path(os.environ.get("RUBRICATE_DATA", ".")) / name
    if (folder / "train.csv").is_file():
        corpus = rb.load(folder / "train.csv", test=folder / "test.csv")
    else:
        corpus = rb.load(name, **OPTIONS.get(name, {}))
    corpus = top_level(corpus) if name == "wikivitals" else corpus
    if development:
        held = deal(corpus.train.labels, 5, seed=7) == 0
        train, test = (take_rows(corpus.train, np.flatnonzero(rows)) for rows in (~held, held))
        corpus = replace(corpus, train=train, test=test)
    parts = len(corpus.train) // SAMPLES.get(name, len(corpus.train))
    if full or parts < 2:
        return corpus
    sample = np.flatnonzero(deal(corpus.train.labels, parts, seed=0) == 0)
    return replace(corpus, train=take_rows(corpus.train, sample))


def top_level(corpus: Corpus) -> Corpus:
    """Return a corpus with the categories right below the root alone, and without its taxonomy."""
    below = {child for _, child in corpus.taxonomy or ()}
    tops = [child for parent, child in corpus.taxonomy or () if parent not in below]
    columns = [corpus.categories.index(name) for name in tops]
    train, test = (
        replace(part, labels=part.labels[:, columns], categories=tuple(tops)) for part in (corpus.train, corpus.test)
    )
    return replace(corpus, train=train, test=test, taxonomy=None)


def ours(corpus: Corpus, said: dict[str, Any] | None = None, **options: Any) -> Decided:
    """Decide by our categorizer; also return what it chose and expected. `said` gets how candidates did."""
    model = rb.Categorizer(**options).fit(corpus)
    expected = model.cross_validation_ or {}
    screening = model.screening_ or {}
    if said is not None:
        said |= {each["name"]: each["left_out"] for each in screening.get("tried", ())}
    chosen = screening.get("chosen", options.get("representation"))
    note = f"{chosen}, C={model.classifier_.C:g}, cv {expected['micro_f1']:.4f} / {expected['macro_f1']:.4f}"
    run = model.run(corpus.test)
    assert run.decisions is not None
    return run.decisions.values[:, : len(corpus.categories)], note


def figures(name: str, label: str, corpus: Corpus, system: Callable[[], Decided]) -> dict[str, Any]:
    """Run a system once; return its micro- and macro-F1 on the test documents and its seconds."""
    began = time.perf_counter()
    decided, said = system()
    seconds = time.perf_counter() - began
    table = counts(corpus.test.labels, decided)
    result = {"name": label, "micro": micro("f1", table), "macro": macro("f1", table), "seconds": seconds}
    shown = f"{result['micro']:.4f} / {result['macro']:.4f}"
    print(f"{name:14} {label:30} {shown}  {seconds:7.1f} s  {said}", file=sys.stderr, flush=True)
    return result | {"shown": f"{shown} ({seconds:.1f} s)", "note": said}


def compare(name: str, *, fixed: bool, **options: Any) -> Row:
    """Return the row of a corpus."""
    corpus, said = corpus_named(name, **options), dict[str, Any]()
    default = figures(name, "default", corpus, lambda: ours(corpus, said))
    left_out = {each.partition(",")[0] for each, reason in said.items() if reason}
    chosen = [each for each in FIXED if fixed and each not in left_out]
    own = [figures(name, each, corpus, lambda each=each: ours(corpus, representation=each)) for each in chosen]  # type: ignore[misc]
    peers = [
        figures(name, label, corpus, lambda decide=decide: decide(corpus))  # type: ignore[misc]
        for label, decide in PEERS.items()
    ]
    best = max(peers, key=lambda each: each["micro"])
    level = all(default[average] >= each[average] - SLACK for each in peers for average in ("micro", "macro"))
    shown = ", ".join(f"{each['name']} {each['shown']}" for each in [default, *own, *peers])
    ratio = best["seconds"] / default["seconds"]
    work = f"{name}, {len(corpus.train):,} documents, micro / macro-F1: {shown}; default: {default['note']}"
    return Row(f"strangers-{name}", work, best["name"], default["seconds"], best["seconds"], ratio, level, 2)


def hybrid_row(name: str, encoder: str, **options: Any) -> Row:
    """Return the row of the default with an encoder beside the default without."""
    corpus = corpus_named(name, **options)
    hybrid = figures(name, "default with vectors", corpus, lambda: ours(corpus, vectors=encoder))
    plain = figures(name, "default", corpus, lambda: ours(corpus))
    level = all(hybrid[average] >= plain[average] - SLACK for average in ("micro", "macro"))
    work = f"{name}, micro / macro-F1: with vectors {hybrid['shown']}, without {plain['shown']}"
    ratio = plain["seconds"] / hybrid["seconds"]
    return Row(f"hybrid-{name}", work, "our default", hybrid["seconds"], plain["seconds"], ratio, level, 2)


def rows(names: list[str], *, fixed: bool, encoder: str | None = None, **options: Any) -> Iterator[Row]:
    """Compare on each corpus."""
    for name in names:
        yield compare(name, fixed=fixed, **options)
        if encoder is not None:
            yield hybrid_row(name, encoder, **options)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", nargs="*", default=list(CORPORA))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--no-fixed", action="store_true")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--development", action="store_true")
    parser.add_argument("--vectors", metavar="FOLDER")
    given = parser.parse_args()
    sys.argv = [sys.argv[0], *(["--json"] if given.json else [])]
    options = {"development": given.development, "full": given.full}
    made = rows(given.corpus, fixed=not given.no_fixed, encoder=given.vectors, **options)
    publish(list(made), __doc__ or "")


if __name__ == "__main__":
    main()
