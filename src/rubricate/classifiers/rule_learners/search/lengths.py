"""The bits that it takes to send a set of rules and the documents that it gets wrong. quinlan1995; cohen1995."""

from __future__ import annotations

from math import log2

__all__ = ["exception_bits", "rule_bits", "subset_bits"]


def subset_bits(n: float, k: float, p: float) -> float:
    """Return S(n, k, p) = k log2 1/p + (n − k) log2 1/(1 − p): which k of n, each expected with chance p.

    0 · log2 1/0 is 0; k > 0 where p = 0 (or k < n where p = 1) takes infinitely many bits and does not occur here.

    >>> subset_bits(8, 4, 0.5), subset_bits(8, 0, 0.0)
    (8.0, 0.0)
    """
    some = k * -log2(p) if k > 0 else 0.0
    rest = (n - k) * -log2(1 - p) if n > k else 0.0
    return some + rest


def rule_bits(conditions: int, choices: int) -> float:
    """Return ½ (‖k‖ + S(n, k, k/n)) for k conditions of n possible ones; ½ allows for what they have in common.

    ‖k‖, the bits of the number k, is log2 k + 2 log2 log2 k (the second only from k = 2 on). No condition: 0.

    >>> round(rule_bits(1, 1024), 3)
    5.721
    """
    if conditions == 0:
        return 0.0
    number = log2(conditions)
    if conditions > 1:
        number += 2 * log2(number)
    return (number + subset_bits(choices, conditions, conditions / choices)) / 2


def exception_bits(*, covered: float, uncovered: float, false_positives: float, false_negatives: float) -> float:
    """Return log2(C + U + 1), plus the bits of which of the C covered and U uncovered documents are wrong.

    Half of the errors e are expected among the larger of the two, with chance e / 2C (or e / 2U); the other part is
    sent with its own rate, fn / U (or fp / C). Half of the errors are more than a part holds only where C or U is
    under e / 2; the chance is then held to 1 − 1 / (2C + 2), and likewise to at least 1 / (2C + 2) where errors exist.
    """
    bits = log2(covered + uncovered + 1)
    half = (false_positives + false_negatives) / 2
    if covered > uncovered:
        return bits + _expected(covered, false_positives, half) + _own_rate(uncovered, false_negatives)
    return bits + _own_rate(covered, false_positives) + _expected(uncovered, false_negatives, half)


def _own_rate(n: float, k: float) -> float:
    return subset_bits(n, k, k / n) if n > 0 else 0.0


def _expected(n: float, k: float, half: float) -> float:
    if n <= 0 or half <= 0:
        return 0.0
    least = 1 / (2 * n + 2)
    return subset_bits(n, k, min(max(half / n, least), 1 - least))
