"""Rule and tree learners on Reuters.

python -m benchmarks.rules --json    ids ripper, tree (`_tree_row`)

ripper: rules for three categories from 600 documents of 150 words, beside wittgenstein's RIPPER, which is far too slow
for more. Both may ask for the presence and the absence of a word, and make two optimisation passes. The peer gets its
frame of categories "0" and "1" ready made. The same result: micro-F1 on 2,000 other training documents not lower than
the peer's by more than .02, one and a half standard errors there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import wittgenstein

import rubricate as rb
from benchmarks._timing import Row, publish, side_by_side
from benchmarks._tree_row import tree_row
from rubricate.measures import counts, micro

CATEGORIES, DOCUMENTS, HELD_OUT, WORDS = ("earn", "acq", "grain"), 600, 2_000, 150
NOISE = 0.02


def ripper_row(*, repeats: int = 3) -> Row:
    """Compare RIPPER with that of wittgenstein: fit and decide on a few documents, words and categories."""
    train = rb.load("reuters21578", split="aptemod").train
    X = rb.text.Vectors(weights="bnn", select=f"chi2:{WORDS}").fit_transform(train)
    labels = train.labels[:, [train.categories.index(name) for name in CATEGORIES]]
    seen, held = np.arange(DOCUMENTS), np.arange(DOCUMENTS, DOCUMENTS + HELD_OUT)
    known, new, truth = X[seen], X[held], labels[held]
    frame = pd.DataFrame((X[: DOCUMENTS + HELD_OUT].toarray() > 0).astype(int).astype(str))
    frame.columns = [f"word{t}" for t in range(WORDS)]
    columns = [
        pd.Series(labels[seen, k].toarray().ravel().astype(int), name="category") for k in range(len(CATEGORIES))
    ]

    def ours() -> Any:
        return rb.classifiers.RIPPER().fit(known, labels[seen]).predict(new)

    def theirs() -> Any:
        fitted = [wittgenstein.RIPPER(k=2, random_state=0) for _ in CATEGORIES]
        for model, y in zip(fitted, columns, strict=True):
            model.fit(frame.iloc[seen], y, pos_class=1)
        return np.column_stack([model.predict(frame.iloc[held]) for model in fitted])

    def f1(decided: Any) -> float:
        return micro("f1", counts(truth, decided))

    work = f"rules for {len(CATEGORIES)} categories, {DOCUMENTS} documents, {WORDS} words; decide on {HELD_OUT}"
    return side_by_side(
        ours,
        theirs,
        id="ripper",
        work=f"{work}: F1 {f1(ours()):.3f} (peer {f1(theirs()):.3f})",
        peer_name=f"wittgenstein RIPPER {wittgenstein.__version__}",
        same=lambda a, b: f1(a) >= f1(b) - NOISE,
        repeats=repeats,
    )


def main() -> None:
    publish([ripper_row(), tree_row()], __doc__ or "")


if __name__ == "__main__":
    main()
