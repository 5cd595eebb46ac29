"""The default and each fixed representation beside ten lines of scikit-learn and fastText, on every corpus at hand.

python -m benchmarks.strangers [CORPUS …] [--json] [--full] [--no-fixed] [--development] [--vectors FOLDER]
                               [--only SYSTEM] [--kept FILE]

Everything is chosen on training documents, and each system scores the test documents once. `same_result` is true where
the default is not below any peer by more than .005 in micro- or macro-F1. Times are CPU seconds of all threads, since
a run takes long enough to be disturbed, and include all choices (ours: the representation and C; peers: C).

So that all of it takes minutes, large corpora are learned from stratified samples (`SAMPLES`); --full learns from all
training documents, which takes the peers an hour on the long ones. A fixed representation that the default leaves out
as too large is left out here too; --no-fixed leaves out all of them. --development leaves the test documents alone: a
fifth of the training documents stands in for them, and everything is learned from the rest. Any corpus may be named,
and so may any folder with train.csv and test.csv among the data. `wikivitals` is flat here: the 11 topics at its top.

--kept writes the figures of each system to a file as it ends and computes nothing that is in it; with --only, one
system is run for it and no row is made. --vectors adds a row `hybrid-CORPUS`: the default with this encoder beside the
default without (the peer), encoding included unless the vectors are in the store.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import rubricate as rb
from benchmarks._stranger_peers import PEERS
from benchmarks._timing import Row, publish
from rubricate.folds import assign_folds, take_rows
from rubricate.measures import counts, macro, micro
from rubricate.types import Corpus, Sparse

CORPORA = (
    "banking77", "goemotions", "newsgroups20", "newswire", "ohsumed", "reuters21578", "webkb", "wikivitals"
)  # fmt: skip
OPTIONS: dict[str, dict[str, Any]] = {"reuters21578": {"split": "aptemod"}, "wikivitals": {"path": True}}
SAMPLES = {"goemotions": 2500, "newswire": 1000} | dict.fromkeys(
    ("newsgroups20", "ohsumed", "reuters21578", "webkb", "wikivitals"), 700
)
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
        held = assign_folds(corpus.train.labels, 5, seed=7) == 0
        train, test = (take_rows(corpus.train, np.flatnonzero(rows)) for rows in (~held, held))
        corpus = replace(corpus, train=train, test=test)
    parts = len(corpus.train) // SAMPLES.get(name, len(corpus.train))
    if full or parts < 2:
        return corpus
    sample = np.flatnonzero(assign_folds(corpus.train.labels, parts, seed=0) == 0)
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


def ours(corpus: Corpus, **options: Any) -> tuple[Sparse, str, tuple[str, ...]]:
    """Decide by our categorizer; also return what it chose and expected, and the representations too large for it."""
    model = rb.Categorizer(**options).fit(corpus)
    expected = model.cross_validation_ or {}
    screening = model.screening_ or {}
    left_out = {each["name"].partition(",")[0] for each in screening.get("tried", ()) if each["left_out"]}
    chosen = screening.get("chosen", options.get("representation"))
    note = f"{chosen}, C={model.classifier_.C:g}, cv {expected['micro_f1']:.4f} / {expected['macro_f1']:.4f}"
    run = model.run(corpus.test)
    assert run.decisions is not None
    return run.decisions.values[:, : len(corpus.categories)], note, tuple(sorted(left_out))


@dataclass(frozen=True)
class Figures:
    """How a system did on the test documents of a corpus, what that cost, and what it chose."""

    corpus: str
    system: str
    documents: int
    micro: float
    macro: float
    seconds: float
    note: str
    left_out: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.system} {self.micro:.4f} / {self.macro:.4f} ({self.seconds:.1f} s)"


@dataclass(frozen=True)
class Bench:
    """Runs systems on a corpus, each once; `kept` names a file that remembers their figures."""

    name: str
    corpus: Corpus
    kept: Path | None = None

    def figures(self, system: str, decide: Callable[[], Any]) -> Figures:
        """Return the figures of a system: those in the file, else new ones."""
        for line in self.kept.read_text(encoding="utf-8").splitlines() if self.kept and self.kept.exists() else ():
            known = Figures(**json.loads(line))
            if (known.corpus, known.system, known.documents) == (self.name, system, len(self.corpus.train)):
                return known
        began = time.process_time()
        decided, note, *more = decide()
        seconds = time.process_time() - began
        table = counts(self.corpus.test.labels, decided)
        values = micro("f1", table), macro("f1", table), seconds, note
        made = Figures(self.name, system, len(self.corpus.train), *values, tuple(*more))
        print(f"{self.name:14} {made}  {note}", file=sys.stderr, flush=True)
        if self.kept is not None:
            with self.kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(made)) + "\n")
        return made

    def default(self) -> Figures:
        """Return the figures of the default."""
        return self.figures("default", lambda: ours(self.corpus))

    def fixed(self, representation: str) -> Figures:
        """Return the figures of a fixed representation."""
        return self.figures(representation, lambda: ours(self.corpus, representation=representation))

    def peer(self, label: str) -> Figures:
        """Return the figures of a peer."""
        return self.figures(label, lambda: PEERS[label](self.corpus))

    def only(self, system: str) -> Figures:
        """Return the figures of a system by its name."""
        if system in PEERS:
            return self.peer(system)
        return self.default() if system == "default" else self.fixed(system)


def compare(bench: Bench, *, fixed: bool) -> Row:
    """Return the row of a corpus."""
    default = bench.default()
    own = [bench.fixed(each) for each in FIXED if fixed and each not in default.left_out]
    peers = [bench.peer(label) for label in PEERS]
    best = max(peers, key=lambda each: each.micro)
    level = all(default.micro >= each.micro - SLACK and default.macro >= each.macro - SLACK for each in peers)
    shown = ", ".join(map(str, [default, *own, *peers]))
    work = f"{bench.name}, {default.documents:,} documents, micro / macro-F1: {shown}; default: {default.note}"
    ratio = best.seconds / default.seconds
    return Row(f"strangers-{bench.name}", work, best.system, default.seconds, best.seconds, ratio, level, 2)


def hybrid_row(bench: Bench, encoder: str) -> Row:
    """Return the row of the default with an encoder beside the default without."""
    hybrid = bench.figures("default with vectors", lambda: ours(bench.corpus, vectors=encoder))
    plain = bench.default()
    level = hybrid.micro >= plain.micro - SLACK and hybrid.macro >= plain.macro - SLACK
    work = f"{bench.name}, micro / macro-F1: {hybrid}, {plain}"
    ratio = plain.seconds / hybrid.seconds
    return Row(f"hybrid-{bench.name}", work, "our default", hybrid.seconds, plain.seconds, ratio, level, 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", nargs="*", default=list(CORPORA))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--no-fixed", action="store_true")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--development", action="store_true")
    parser.add_argument("--vectors", metavar="FOLDER")
    parser.add_argument("--only", metavar="SYSTEM", choices=["default", *FIXED, *PEERS])
    parser.add_argument("--kept", metavar="FILE", type=Path)
    given = parser.parse_args()
    sys.argv = [sys.argv[0], *(["--json"] if given.json else [])]
    made: list[Row] = []
    for name in given.corpus:
        bench = Bench(name, corpus_named(name, development=given.development, full=given.full), given.kept)
        if given.only is not None:
            bench.only(given.only)
            continue
        made.append(compare(bench, fixed=not given.no_fixed))
        if given.vectors is not None:
            made.append(hybrid_row(bench, given.vectors))
    publish(made, __doc__ or "")


if __name__ == "__main__":
    main()
