"""Coverage and width of intervals from few labels: 2,000 uniform samples of 100, 200 and 500 documents.

python -m benchmarks.few_labels [DRAWS] [POPULATION[:SIZE]…]     a Markdown table on standard output
`numbered` is the coverage of the intervals that come with a number: five labelled documents of the category or more.
Populations: litcovid, reuters, goemotions (benchmarks/_populations.py). Not a timing: `make bench` leaves it out.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks._populations import population
from rubricate.labelling import LabelledSample, population_estimates

BANDS = ((0.05, "≥ 5 %"), (0.01, "1–5 %"), (0.003, ".3–1 %"), (0.0, "< .3 %"))
SIZES = (100, 200, 500)


def divide(a: Any, b: Any) -> Any:
    return np.divide(a, b, out=np.zeros(np.shape(a)), where=np.asarray(b) > 0)


def targets(truth: Any, decided: Any) -> tuple[dict[str, Any], dict[str, float]]:
    both, d, t = (truth & decided).sum(axis=0) * 1.0, decided.sum(axis=0), truth.sum(axis=0)
    each = {"prevalence": truth.mean(axis=0), "precision": divide(both, d), "recall": divide(both, t)}
    each["f1"] = divide(2 * both, d + t)
    micro = {"precision": both.sum() / d.sum(), "recall": both.sum() / t.sum()}
    return each, micro | {"f1": 2 * both.sum() / (d + t).sum()}


def band_of(share: float) -> str:
    return next(name for least, name in BANDS if share >= least)


def simulate(name: str, n: int, draws: int) -> dict[tuple[str, str], Any]:
    """Return for each measure and band: intervals, hits and widths with predictions, and the same of labels alone."""
    found = population(name)
    run, labels, rng = found.run(), sparse.csr_array(found.truth), np.random.default_rng([4, n])
    each, micro = targets(found.truth, found.decided)
    tally: dict[tuple[str, str], Any] = {}
    for _ in range(draws):
        rows = np.sort(rng.choice(len(found.truth), n, replace=False))
        sample = LabelledSample(rows, np.zeros(n, np.int64), np.array([len(found.truth)]), labels[rows])
        for alone in (False, True):
            result = population_estimates(sample, run, labels_alone=alone)
            seen = found.truth[rows].sum(axis=0)
            enough = {"precision": np.minimum(seen, found.decided[rows].sum(axis=0))}
            for row in result.estimates:
                measure, _, rest = row.measure.partition("_")
                if row.category is not None:
                    c = run.categories.index(row.category)
                    key, true = (row.measure, band_of(each["prevalence"][c])), each[row.measure][c]
                elif measure == "micro":
                    key, true = (row.measure, "all"), micro[rest]
                else:
                    base = rest.removesuffix("_labelled")
                    known = enough.get(base, seen) >= 5 if "labelled" in rest else slice(None)
                    key, true = (row.measure, "all"), each[base][known].mean()
                hit = row.low - 1e-9 <= true <= row.high + 1e-9
                number = row.estimate == row.estimate
                tally.setdefault(key, np.zeros((2, 5)))[int(alone)] += (
                    1,
                    hit,
                    row.high - row.low,
                    number,
                    hit * number,
                )
    return tally


def main() -> None:
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print(
        "| population | n | measure | band | coverage | labels alone | width | ratio of widths | numbered | of them |"
    )
    print("|---|--:|---|---|--:|--:|--:|--:|--:|--:|")
    for chosen in sys.argv[2:] or ("litcovid", "reuters", "goemotions"):
        name, _, size = chosen.partition(":")
        for n in (int(size),) if size else SIZES:
            for (measure, band), cells in sorted(simulate(name, n, draws).items()):
                ours, alone = cells / cells[:, :1]
                numbered = f"{ours[4] / ours[3]:.3f}" if ours[3] else "–"
                print(
                    f"| {name} | {n} | {measure} | {band} | {ours[1]:.3f} | {alone[1]:.3f} | {ours[2]:.4f} "
                    f"| {ours[2] / alone[2]:.2f} | {numbered} | {ours[3]:.2f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
