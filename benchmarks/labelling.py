"""Agreement and quantification beside the packages people use for them.

python -m benchmarks.labelling --json     ids agreement-alpha, quantify-pacc, quantify-em

agreement-alpha  Krippendorff's alpha, nominal, 100,000 documents × 3 annotators with gaps, beside krippendorff
quantify-pacc    shares of 20 classes among 6,000 documents by adjusted probabilities, beside QuaPy
quantify-em      the same by expectation maximization, beside QuaPy
"""

from __future__ import annotations

import krippendorff
import numpy as np
from quapy.method.aggregative import ACC, EMQ, PACC

from benchmarks._timing import Row, publish, side_by_side
from rubricate.labelling import class_shares
from rubricate.labelling.agreement.label_sets import Ratings, nominal_coefficients


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
    publish([agreement_row(), *quantify_rows()], __doc__ or "")
