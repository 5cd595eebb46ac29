"""How often the forecast of a learning curve holds: the later half of real curves is hidden and forecast.

python -m benchmarks.forecasts [CORPUS…]     a Markdown table on standard output; not a timing
Curves of ξα estimates (three draws, n/32 to n) of linear SVMs on ltc vectors, for the micro-average and for categories
with at least 50 training documents; from n/32, n/16, n/8 to n/4, n/2 and n. The curves are kept in build/curves. A
curve has begun where no draw of n/8 is at zero; the widths of those are also shown alone.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

import rubricate as rb
from benchmarks._populations import corpus, data
from rubricate.estimation.learning_curves import _fit, _law, forecast

CORPORA = ("reuters", "newsgroups20", "webkb", "newswire", "banking77", "goemotions")
KEPT = Path(__file__).parents[1] / "build" / "curves"
LIMIT = 4000
"""Training documents of a curve, so that all corpora take minutes."""


def documents(name: str) -> tuple[Any, Any]:
    if name in ("reuters", "banking77", "goemotions"):
        (texts, labels), _, _ = corpus(name)
    else:
        train = rb.load(name, **({"documents": 4000} if name == "newswire" else {})).train
        texts, labels = train.texts, train.labels
    rows = np.sort(np.random.default_rng(0).permutation(len(texts))[:LIMIT])
    return [texts[row] for row in rows], labels[rows]


def curve_of(name: str) -> tuple[Any, Any, Any]:
    """Return sizes, F1 values (sizes × draws × categories, the micro-average last), and documents of each category."""
    place = KEPT / f"{name}.npz"
    if not place.exists():
        texts, labels = documents(name)
        X = rb.text.Vectors(weights="ltc").fit_transform(texts)
        curve = rb.estimation.learning_curve(rb.SVM(), X, labels)
        counts = np.append(np.asarray(labels.sum(axis=0)).ravel(), labels.nnz)
        place.parent.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(place, sizes=curve.sizes, f1=curve.values["f1"], counts=counts)
    with np.load(place) as kept:
        return kept["sizes"], kept["f1"], kept["counts"]


def law_alone(sizes: Any, points: Any, target: int) -> tuple[float, float]:
    """Return the residual bootstrap of the law, which forecasts had before: for comparison."""
    grid, flat = np.repeat(np.asarray(sizes, float), points.shape[1]), (1 - points).ravel()
    law = _fit(grid, flat)
    rest, rng = (flat - _law(grid, law)) * np.sqrt(grid), np.random.default_rng(0)
    drawn = [
        _law(target, _fit(grid, _law(grid, law) + rng.choice(rest, len(rest)) / np.sqrt(grid))) for _ in range(200)
    ]
    low, high = np.clip(np.percentile(drawn, [2.5, 97.5]), 0, 1)
    return 1 - high, 1 - low


def main() -> None:
    assert data()
    print("| corpus | curves | ahead | coverage | mean width | begun | their width | law alone | its width |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    for name in sys.argv[1:] or CORPORA:
        sizes, values, counts = curve_of(name)
        kept = np.flatnonzero(counts >= 50)
        for step in (1, 2, 3):
            rows = []
            for c in kept:
                points, target = values[:3, :, c], int(sizes[2 + step])
                reached = values[2 + step, :, c].mean()
                low, high = forecast(sizes[:3], points, target)[1:]
                least, most = law_alone(sizes[:3], points, target)
                begun = points[-1].min() > 0
                rows.append((low <= reached <= high, high - low, least <= reached <= most, most - least, begun))
            found = np.array(rows, float)
            share, begun = found.mean(axis=0), found[:, 4] > 0
            narrow = f"{found[begun, 1].mean():.3f}" if begun.any() else "–"
            print(
                f"| {name} | {len(kept)} | ×{2**step} | {share[0]:.2f} | {share[1]:.3f} | {begun.sum()} | {narrow} "
                f"| {share[2]:.2f} | {share[3]:.3f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
