"""Agreement and quantification beside the packages people use for them.

python -m benchmarks.labelling --json     ids agreement-alpha, agreement-sparse, quantify-pacc, quantify-em

agreement-sparse everything of `rubricate agree` for two annotators, 100,000 documents × 1,000 categories with three
                 labels each, beside krippendorff's alpha of the thousand categories (timed on 10, and multiplied)
agreement-alpha  Krippendorff's alpha, nominal, 100,000 documents × 3 annotators with gaps, beside krippendorff
quantify-pacc    shares of 20 classes among 6,000 documents by adjusted probabilities, beside QuaPy
quantify-em      the same by expectation maximization, beside QuaPy
"""

from __future__ import annotations

import krippendorff
import numpy as np
from quapy.method.aggregative import ACC, EMQ, PACC
from scipy import sparse

from benchmarks._timing import Row, measure, publish, side_by_side
from rubricate.labelling import agreement, class_shares
from rubricate.labelling.agreements import Ratings, nominal_coefficients
from rubricate.types import Decisions


def agreement_row() -> Row:
    rng = np.random.default_rng(1)
    same = rng.integers(0, 20, (100_000, 1))
    said = np.where(rng.random((100_000, 3)) < 0.3, rng.integers(0, 20, (100_000, 3)), same)
    said[rng.random(said.shape) < 0.2] = -1
    table = np.where(said < 0, np.nan, said).T
    return side_by_side(
        lambda: float(nominal_coefficients(Ratings(said, 20), np.ones((1, len(said))))["alpha"][0]),
        lambda: krippendorff.alpha(table, level_of_measurement="nominal"),
        id="agreement-alpha",
        work="nominal alpha (ours with percent, kappa and AC1), 100,000 documents × 3 annotators, 20 % missing",
        peer_name="krippendorff.alpha",
        same=lambda ours, peer: abs(ours - peer) < 1e-12,
        repeats=3,
    )


def sparse_row() -> Row:
    rng = np.random.default_rng(2)
    documents, categories = 100_000, 1_000
    prior = 1 / np.arange(1, categories + 1)
    first = rng.choice(categories, (documents, 3), p=prior / prior.sum())
    other = rng.choice(categories, first.shape, p=prior / prior.sum())
    second = np.where(rng.random(first.shape) < 0.2, other, first)
    rows = np.repeat(np.arange(documents), 3)
    labels = [
        sparse.csr_array((np.ones(len(rows)), (rows, part.ravel())), shape=(documents, categories)) > 0
        for part in (first, second)
    ]
    names, ids = tuple(f"c{c:03}" for c in range(categories)), tuple(map(str, range(documents)))
    agreement([part[:100] for part in labels], draws=10)  # compile
    said = [Decisions(sparse.csr_array(part), names, ids) for part in labels]
    seconds, found = measure(lambda: agreement(said))
    few = [0, 1, 2, 5, 10, 20, 50, 100, 300, 900]
    tables = [np.vstack([part[:, [c]].toarray().ravel() for part in labels]).astype(float) for c in few]
    once, alphas = measure(lambda: [krippendorff.alpha(t, level_of_measurement="nominal") for t in tables])
    same = np.abs(np.array(alphas) - [found.categories[c].alpha for c in few]).max() < 1e-12
    work = "all coefficients with intervals, 2 annotators × 100,000 documents × 1,000 categories"
    peer, whole = "krippendorff.alpha by category, no intervals", once / len(few) * categories
    return Row("agreement-sparse", work, peer, seconds, whole, whole / seconds, bool(same), 1)


def quantify_rows() -> list[Row]:
    rng = np.random.default_rng(0)
    raw = rng.dirichlet(np.ones(20), 12_000)
    labels = np.array([rng.choice(20, p=row) for row in raw])
    held, own, known, classes = raw[:6000], raw[6000:], labels[:6000], np.arange(20)

    def pacc() -> object:
        rates = PACC.getPteCondEstim(classes, known, held)
        return ACC.solve_adjustment(rates, own.mean(axis=0), method="inversion", solver="minimize")

    peers = {"pacc": pacc, "em": lambda: EMQ.EM(np.bincount(known, minlength=20) / len(known), own)[0]}
    return [
        side_by_side(
            lambda method=method: class_shares(own, held_chances=held, held_labels=known, method=method),
            peers[method],
            id=f"quantify-{method}",
            work="shares of 20 classes among 6,000 documents, from 6,000 labelled ones",
            peer_name=f"QuaPy's {name}",
            same=lambda ours, peer: bool(np.abs(ours - np.asarray(peer)).max() < 5e-4),
            repeats=3,
        )
        for method, name in (("pacc", "PACC"), ("em", "EMQ"))
    ]


if __name__ == "__main__":
    publish([agreement_row(), sparse_row(), *quantify_rows()], __doc__ or "")
