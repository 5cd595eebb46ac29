"""How much further labels would help: the learning curve of a project's model, as its page shows it."""

from __future__ import annotations

from typing import Any

from rubricate.categorizer import Categorizer
from rubricate.errors import RubricateError
from rubricate.estimation import learning_curve
from rubricate.estimation.systems.subject import machine_parts
from rubricate.types import Documents

__all__ = ["curve_of"]

LEAST = 32
"""With fewer documents there are too few sizes for a law."""
MOST = 4_000
"""A curve of more documents is made of so many, drawn at random: it costs six trainings."""
GAIN = 0.02


def curve_of(model: Categorizer, documents: Documents) -> dict[str, Any] | None:
    """Return sizes and estimates (xi-alpha), and how many more labels promise .02; None where there is no curve."""
    if len(documents) < LEAST:
        return None
    try:
        svm, vectors, labels, options = machine_parts(model, documents)
    except RubricateError:  # not an SVM, or one whose scores are not those of an SVM alone
        return None
    n = len(documents)
    sizes = sorted({size for size in (n >> k for k in range(6)) if 8 <= size <= MOST} | {min(n, MOST)})
    if len(sizes) < 3:
        return None
    curve = learning_curve(svm, vectors, labels, sizes=sizes, **options)
    ahead = curve.at(2 * n)
    needed = curve.needed(GAIN)
    return {
        "measure": "accuracy" if options["single"] else "micro-F1",
        "sizes": curve.sizes.tolist(),
        "values": [round(value, 4) for value in curve.mean("f1").tolist()],
        "gain": GAIN,
        "more": None if needed is None else max(1, needed - n),
        "double": [round(value, 4) for value in (ahead.value, ahead.low, ahead.high)],
    }
