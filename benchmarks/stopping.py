"""Does the stopping rule keep its promise? 1,000 searches for the documents of one category.

python -m benchmarks.stopping [SEARCHES]     a Markdown table on standard output; not a timing
Populations of benchmarks/_populations.py (test documents, scores of a system that never saw them); a category with at
least 60 documents is drawn at random for each search, the control sample anew, and documents are read 50 at a time.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from benchmarks._populations import population
from rubricate.labelling.stopping import controls_needed, stopping_rule


def search(truth: Any, scores: Any, recall: float, rng: np.random.Generator) -> tuple[float, float]:
    """Return recall and share of documents read; the same rule as `next_to_read`, without its bookkeeping."""
    order = rng.permutation(len(truth))
    ends = np.flatnonzero(np.cumsum(truth[order]) >= controls_needed(recall))
    last = int(ends[0]) if len(ends) else len(order) - 1
    last = min(len(order) - 1, (last // 50) * 50 + 49)
    control = np.zeros(len(truth), bool)
    control[order[: last + 1]] = True
    if control.all():
        return 1.0, 1.0
    needed = stopping_rule(recall, int((control & truth).sum())).needed or 1 << 60
    ranked = np.argsort(-scores, kind="stable")
    found = np.cumsum((control & truth)[ranked])
    at = np.flatnonzero(found >= needed)
    place = int(at[0]) if len(at) else len(ranked) - 1
    rest = np.flatnonzero(~control[ranked])
    read_to = rest[min(len(rest) - 1, (int((rest <= place).sum()) // 50) * 50 + 49)]
    read = control.copy()
    read[ranked[: max(place, read_to) + 1]] = True
    return float((read & truth).sum() / truth.sum()), float(read.mean())


def main() -> None:
    searches = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print("| population | recall asked | searches | reached | mean recall | read |")
    print("|---|--:|--:|--:|--:|--:|")
    for name in ("litcovid", "reuters", "goemotions"):
        found = population(name)
        common = np.flatnonzero(found.truth.sum(axis=0) >= 60)
        for recall in (0.8, 0.9):
            rng = np.random.default_rng(1)
            rows = []
            for _ in range(searches):
                c = int(rng.choice(common))
                rows.append(search(found.truth[:, c], found.scores[:, c], recall, rng))
            reached, read = np.array(rows).T
            print(
                f"| {name} | {recall} | {searches} | {(reached >= recall - 1e-12).mean():.3f} | {reached.mean():.3f} "
                f"| {read.mean():.2f} |"
            )


if __name__ == "__main__":
    main()
