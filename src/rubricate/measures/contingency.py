"""Measures of contingency tables, by category and by document: precision, recall, F1 and their relatives."""

from __future__ import annotations

import math

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.measures.definition import measure, ratio
from rubricate.types import Counts, Floats, Undefined

__all__ = [
    "accuracy",
    "e_beta",
    "error",
    "example_f1",
    "example_precision",
    "example_recall",
    "f1",
    "f_beta",
    "fallout",
    "hamming_loss",
    "kappa",
    "mcc",
    "precision",
    "recall",
    "subset_accuracy",
]


@measure("accuracy", "counts", "acc")
def accuracy(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return (TP + TN) / n of each entry; 0/0 when there is no document. yang1999, section 3.2.

    Insensitive where categories are rare: the trivial rejector comes near 1 (section 3.4).
    """
    return ratio(counts.tp + counts.tn, counts.tp + counts.fp + counts.fn + counts.tn, undefined)


@measure("error", "counts", "err", greater_is_better=False)
def error(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return (FP + FN) / n of each entry; 0/0 when there is no document. yang1999, section 3.2.

    Insensitive where categories are rare: the trivial rejector has 1.3 % on Reuters v3 (section 3.4).
    """
    return ratio(counts.fp + counts.fn, counts.tp + counts.fp + counts.fn + counts.tn, undefined)


@measure("precision", "counts", "P")
def precision(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return TP / (TP + FP) of each entry; 0/0 when nothing is assigned. yang1999, section 3.2."""
    return ratio(counts.tp, counts.tp + counts.fp, undefined)


@measure("recall", "counts", "R")
def recall(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return TP / (TP + FN) of each entry; 0/0 when nothing is true. yang1999, section 3.2."""
    return ratio(counts.tp, counts.tp + counts.fn, undefined)


@measure("fallout", "counts", "fallout", greater_is_better=False)
def fallout(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return FP / (FP + TN) of each entry; 0/0 when every document has the category. yang1999, section 3.2."""
    return ratio(counts.fp, counts.fp + counts.tn, undefined)


@measure("f1", "counts", "F1")
def f1(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return 2TP / (2TP + FP + FN) of each entry; 0/0 when nothing is true and nothing assigned. yang1999, section 3.3.

    Equal to 2PR / (P + R) where both are defined, and 0 where one of them is 0/0 and the other not.
    (joachims2000 calls it a geometric mean; it is the harmonic one.)
    """
    return ratio(2 * counts.tp, 2 * counts.tp + counts.fp + counts.fn, undefined)


@measure("f_beta", "counts", "Fβ", parameter="beta")
def f_beta(counts: Counts, *, beta: float = 1.0, undefined: Undefined = "zero") -> Floats:
    """Return (β² + 1)TP / ((β² + 1)TP + FP + β²FN) of each entry. evaluation2011, section 5; yang1999, section 3.3.

    The same as (β² + 1)PR / (β²P + R) where P and R are defined, and 0 where one of them is 0/0 and the other not.
    β = 0 is precision, β = ∞ recall. 0/0 when nothing is true and nothing assigned (and with precision and recall
    at the two ends).
    """
    if not beta >= 0:
        raise InvalidInput(f"β must be a number from 0 to ∞, got {beta}; 1 weighs precision and recall alike")
    if math.isinf(beta):
        return ratio(counts.tp, counts.tp + counts.fn, undefined)
    weight = beta * beta
    if math.isinf(1 + weight):
        raise InvalidInput(f"β = {beta} is too large to square; use ∞ for recall")
    weighted_hits = (1 + weight) * counts.tp
    return ratio(weighted_hits, weighted_hits + counts.fp + weight * counts.fn, undefined)


@measure("e_beta", "counts", "Eβ", greater_is_better=False, parameter="beta")
def e_beta(counts: Counts, *, beta: float = 1.0, undefined: Undefined = "zero") -> Floats:
    """Return 1 − F_β of each entry; E_1 = (FP + FN) / (2TP + FP + FN). evaluation2011, section 5.

    evaluation2011 prints (FN + TP) in the numerator and loses the "1 −" at the end of its chain; the formula here
    is |A Δ B| / (|A| + |B|), its own definition. 0/0 is decided for F_β: `undefined="zero"` gives F = 0, so E = 1.
    """
    return 1.0 - f_beta(counts, beta=beta, undefined=undefined)


@measure("kappa", "counts", "kappa")
def kappa(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return 2(TP·TN − FP·FN) / ((TP+FP)(FP+TN) + (TP+FN)(FN+TN)) of each entry. cohen1960.

    0/0 where truth and decisions are the same constant. Agrees with scikit-learn's `cohen_kappa_score` of each
    category; kappa of K classes at once (single-label data) is `summaries.kappa` of an evaluation.
    """
    tp, fp, fn, tn = (np.asarray(part, np.float64) for part in (counts.tp, counts.fp, counts.fn, counts.tn))
    return ratio(2 * (tp * tn - fp * fn), (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn), undefined)


@measure("mcc", "counts", "MCC")
def mcc(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return (TP·TN − FP·FN) / √((TP+FP)(TP+FN)(TN+FP)(TN+FN)) of each entry. matthews1975.

    0/0 where truth or decisions are constant. Agrees with scikit-learn's `matthews_corrcoef` of each category; the
    coefficient of K classes at once (single-label data) is `summaries.mcc` of an evaluation.
    """
    tp, fp, fn, tn = (np.asarray(part, np.float64) for part in (counts.tp, counts.fp, counts.fn, counts.tn))
    spread = np.sqrt(tp + fp) * np.sqrt(tp + fn) * np.sqrt(tn + fp) * np.sqrt(tn + fn)
    return ratio(tp * tn - fp * fn, spread, undefined)


@measure("example_precision", "documents", "exP")
def example_precision(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return the precision of each document. tsoumakas2010. Its mean is scikit-learn's `average="samples"`."""
    return precision(counts, undefined=undefined)


@measure("example_recall", "documents", "exR")
def example_recall(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return the recall of each document. tsoumakas2010. Its mean is scikit-learn's `average="samples"`."""
    return recall(counts, undefined=undefined)


@measure("example_f1", "documents", "exF1")
def example_f1(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return 2TP / (2TP + FP + FN) of each document. tsoumakas2010, evaluation measures.

    0/0 for a document without labels that is assigned none. Its mean is scikit-learn's `average="samples"`.
    """
    return f1(counts, undefined=undefined)


@measure("subset_accuracy", "documents", "exact")
def subset_accuracy(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return 1 where the assigned set of a document is the true one, else 0. Never 0/0. tsoumakas2010."""
    return np.where((counts.fp == 0) & (counts.fn == 0), 1.0, 0.0)


@measure("hamming_loss", "documents", "hamming", greater_is_better=False)
def hamming_loss(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return (FP + FN) / categories of each document; its mean is the micro error. tsoumakas2010."""
    return error(counts, undefined=undefined)
