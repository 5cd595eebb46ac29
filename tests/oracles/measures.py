"""Slow, obvious twins of the measures: loops over sets, thresholds tried one by one, exact fractions."""

from __future__ import annotations

import math
from fractions import Fraction


def table(truth, decided):
    """(tp, fp, fn, tn) of each category of two lists of lists of 0 and 1."""
    categories = range(len(truth[0]) if len(truth) else 0)
    found = []
    for c in categories:
        cells = [0, 0, 0, 0]
        for true, yes in zip(truth, decided, strict=True):
            cells[{(1, 1): 0, (0, 1): 1, (1, 0): 2, (0, 0): 3}[int(true[c]), int(yes[c])]] += 1
        found.append(tuple(cells))
    return found


def fraction(above, below):
    """A fraction, or None for 0/0."""
    return Fraction(above, below) if below else None


def measure(name, tp, fp, fn, tn):
    """A measure of one table as an exact fraction, None for 0/0."""
    n = tp + fp + fn + tn
    if name == "f1":
        p, r = fraction(tp, tp + fp), fraction(tp, tp + fn)
        if p is None and r is None:
            return None
        return Fraction(0) if not p or not r else 2 * p * r / (p + r)
    return {
        "recall": lambda: fraction(tp, tp + fn),
        "precision": lambda: fraction(tp, tp + fp),
        "accuracy": lambda: fraction(tp + tn, n),
        "error": lambda: fraction(fp + fn, n),
        "fallout": lambda: fraction(fp, fp + tn),
        "kappa": lambda: fraction(2 * (tp * tn - fp * fn), (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)),
    }[name]()


def settle(value, undefined):
    """The value of 0/0 under a convention."""
    return value if value is not None else {"zero": Fraction(0), "one": Fraction(1), "omit": None}[undefined]


def macro(name, tables, undefined):
    """The mean over the tables as an exact fraction, None when nothing is left."""
    values = [settle(measure(name, *cells), undefined) for cells in tables]
    kept = [value for value in values if value is not None]
    return sum(kept) / len(kept) if kept else None


def thresholds(scores):
    """The distinct scores that can be a threshold, descending."""
    return sorted({s for s in scores if s > -math.inf}, reverse=True)


def cuts(scores, true):
    """(tp, fp, fn, tn) at each threshold."""
    found = []
    for cut in thresholds(scores):
        yes = [s >= cut for s in scores]
        found.append(table([[t] for t in true], [[y] for y in yes])[0])
    return found


def points(scores, true):
    """(recall, precision) at the threshold of each true item that is ranked; exact."""
    found = []
    for s, t in zip(scores, true, strict=True):
        if t and s > -math.inf:
            above = [u >= s for u in scores]
            tp = sum(1 for a, u in zip(above, true, strict=True) if a and u)
            found.append((Fraction(tp, sum(true)), Fraction(tp, sum(above))))
    return found


def average_precision(scores, true):
    return None if not sum(true) else sum(p for _, p in points(scores, true)) / Fraction(sum(true))


def eleven(scores, true, limit=None):
    """The 11 interpolated precisions of one ranking, step by step in fractions; None without a true item."""
    if not sum(true):
        return None
    seen = points(scores, true)
    if limit is not None:
        kept = []
        for s, t in zip(scores, true, strict=True):
            if t and s > -math.inf:
                rank = sum(u >= s for u in scores)
                kept.append(rank <= limit)
        seen = [point for point, keep in zip(seen, kept, strict=True) if keep]
    representative = []
    for i in range(10):
        low, high = Fraction(i, 10), Fraction(i + 1, 10)
        representative.append(max([p for r, p in seen if low <= r < high], default=Fraction(0)))
    nearest = max(seen, default=(Fraction(0), Fraction(0)))
    representative.append(nearest[1])
    return [max(representative[i:]) for i in range(11)]


def r_precision(scores, true):
    """The expected precision at rank R over all orders of ties; -inf is never inside. By the shares of each tie."""
    r = sum(true)
    if not r:
        return None
    left, hits = r, Fraction(0)
    for cut in thresholds(scores):
        group = [t for s, t in zip(scores, true, strict=True) if s == cut]
        taken = min(left, len(group))
        hits += Fraction(taken * sum(group), len(group))
        left -= taken
    return hits / r


def coverage_error(scores, true):
    lowest = [s for s, t in zip(scores, true, strict=True) if t]
    return sum(s >= min(lowest) for s in scores) if lowest else 0


def ranking_loss(scores, true):
    pairs = [(s, u) for s, t in zip(scores, true, strict=True) if t for u, v in zip(scores, true, strict=True) if not v]
    return Fraction(sum(u >= s for s, u in pairs), len(pairs)) if pairs else Fraction(0)


def break_even(tables):
    """(value, interpolated) by trying every cut; None when nothing is true."""
    if not tables or not any(tp + fn for tp, _, fn, _ in tables):
        return None
    exact = [Fraction(tp, tp + fn) for tp, fp, fn, _ in tables if fp == fn and tp + fn]
    if exact:
        return max(exact), False
    pairs = [(Fraction(tp, tp + fp), Fraction(tp, tp + fn)) for tp, fp, fn, _ in tables if tp]
    if not pairs:
        return Fraction(0), True
    p, r = min(pairs, key=lambda one: (abs(one[0] - one[1]), -(one[0] + one[1])))
    return (p + r) / 2, True


def optimal_f1(tables):
    values = [measure("f1", *cells) for cells in tables]
    return max((value for value in values if value is not None), default=None)


def brier(probabilities, true):
    return math.fsum((p - t) ** 2 for p, t in zip(probabilities, true, strict=True)) / len(true)


def calibration_error(probabilities, true, bins):
    """Bins are (k/bins, (k+1)/bins], the first with 0, at the edges that floats give."""
    import numpy as np

    edges = np.linspace(0.0, 1.0, bins + 1)
    total = 0.0
    for k in range(bins):
        inside = [
            (p, t)
            for p, t in zip(probabilities, true, strict=True)
            if (edges[k] < p <= edges[k + 1]) or (k == 0 and p == 0)
        ]
        if inside:
            mean_p = math.fsum(p for p, _ in inside) / len(inside)
            mean_t = math.fsum(t for _, t in inside) / len(inside)
            total += len(inside) * abs(mean_p - mean_t)
    return total / len(true)


def abstention(confidence, wrong):
    """(threshold, coverage, error) at each distinct confidence, descending."""
    found = []
    for cut in sorted(set(confidence), reverse=True):
        loss = [w for c, w in zip(confidence, wrong, strict=True) if c >= cut]
        found.append((cut, len(loss) / len(wrong), math.fsum(loss) / len(loss)))
    return found
