"""The whole of table 1 of Yang and Liu 1999, thresholds included, against the same steps from scikit-learn.

Same figures: micro-F1 of SVM, kNN, LLSF and NB within .01 of each other; NNet's within .02, for both start from
random weights. Texts, folds and holdings-out are the same; the peer has one dealing of folds, and so have we here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks._table1_peer import Peer, micro_macro
from benchmarks._timing import Row, measure, publish
from rubricate.corpora import load
from rubricate.papers.reproduction import load_reproduction
from rubricate.papers.systems import PaperSystem, SystemExecution
from rubricate.types import Corpus

NEAR = {"SVM": 0.01, "kNN": 0.01, "LLSF": 0.01, "NNet": 0.02, "NB": 0.01}


def ours(corpus: Corpus, systems: list[PaperSystem]) -> dict[str, Any]:
    """Decisions of every row."""
    return {system.name: SystemExecution(system, corpus).run().decisions.values.toarray() for system in systems}  # type: ignore[union-attr]


def main() -> None:
    """Time both once, the peer being slow; ours was called before."""
    corpus, found = load("reuters21578", split="aptemod"), load_reproduction("yang-liu-1999")
    systems = [found.systems[name].varied(seeds=1) for name in NEAR]
    truth = corpus.test.labels.toarray().astype(np.int64)

    def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
        pairs = {name: (micro_macro(truth, one[name]), micro_macro(truth, other[name])) for name in NEAR}
        return all(abs(a[0] - b[0]) <= NEAR[name] for name, (a, b) in pairs.items())

    ours(corpus, systems)  # compiles
    ours_s, mine = measure(lambda: ours(corpus, systems))
    peer_s, theirs = measure(lambda: Peer(corpus).table())
    work = "table 1 of Yang and Liu 1999, thresholds included"
    publish(
        [Row("table1", work, "scikit-learn", ours_s, peer_s, peer_s / ours_s, same(mine, theirs), 1)], __doc__ or ""
    )


if __name__ == "__main__":
    main()
