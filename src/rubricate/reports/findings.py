"""The findings of a study in words. Every sentence follows from a test or a count; none is written by hand.

A system is called better only where the permutation test (documents exchanged, two-sided) on the named measure has
p <= .05 after Holm's correction over the pairs; otherwise the systems are called not distinguishable.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rubricate.measures import mean
from rubricate.reports.evaluation_tables import confusions
from rubricate.reports.html import shorten
from rubricate.reports.mistakes import likely_mislabelled
from rubricate.reports.results import COLUMNS, ReportResults, outcome
from rubricate.reports.tables import shown
from rubricate.significance import Comparison
from rubricate.types import Bools, Significance

__all__ = ["findings", "listed", "p_text"]

LEVEL = 0.05


def p_text(p: float) -> str:
    """Format a p-value as papers print it.

    >>> p_text(0.3121), p_text(0.0042), p_text(0.00005)
    ('p = .31', 'p = .004', 'p < .001')
    """
    if p < 0.001:
        return "p < .001"
    return "p = " + (shown(p, 2 if p >= 0.095 else 3))


def listed(parts: Sequence[str]) -> str:
    """Join parts to a list in a sentence.

    >>> listed(["SVM", "kNN", "NB"]), listed(["SVM"])
    ('SVM, kNN and NB', 'SVM')
    """
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else "".join(parts)


def findings(results: ReportResults) -> list[str]:
    """Return the findings, most important first: leaders, rare categories, hard ones, confusions, odd labels."""
    sentences = [_leader(results, "micro-F1"), _leader(results, "macro-F1")]
    if results.by_band is not None and results.rare is not None:
        sentences += _banded(results, results.by_band, results.rare)
    sentences += [_unlearned(results), _confused(results), _odd_labels(results)]
    return [sentence for sentence in sentences if sentence]


def _name(text: str) -> str:
    return shorten(text, 40)


def _leader(results: ReportResults, column: str) -> str:
    """Say which system leads by a measure, which ones are not distinguishable from it, and which are below."""
    order = results.best_first(column)
    best = order[0]
    interval = results.interval(best, column)
    level = f"{interval.level:.0%} interval {shown(interval.low, 3)}–{shown(interval.high, 3)}" if interval else ""
    whole = f"{shown(results.value(best, column), 3)}" + (f" ({level})" if level else "")
    if len(order) == 1:
        return f"{_name(results.names[best])} reaches a {column} of {whole}."
    test, measure = COLUMNS[column][2:]
    outcomes = {
        k: outcome(results.comparison, (results.names[best], results.names[k]), test, measure=measure)
        for k in order[1:]
    }
    tied, below = _parted(results, outcomes)
    start = f"{_name(results.names[best])} has the highest {column}, {whole}"
    if not tied:
        return f"{start}, above every other system ({_worst(below)})."
    same = listed([f"{_name(results.names[k])} ({_p(outcomes[k])})" for k in tied])
    rest = f" It is above {listed([_name(results.names[k]) for k in below])} ({_worst(below)})." if below else ""
    return f"{start}, but is not distinguishable from {same}.{rest}"


def _parted(
    results: ReportResults, outcomes: dict[int, Significance | None]
) -> tuple[list[int], dict[int, Significance]]:
    tied = [k for k, result in outcomes.items() if result is None or _adjusted(result) > LEVEL]
    return tied, {k: result for k, result in outcomes.items() if result is not None and k not in tied}


def _adjusted(result: Significance) -> float:
    return result.p_value if result.adjusted_p is None else result.adjusted_p


def _p(result: Significance | None) -> str:
    return "not tested" if result is None else p_text(_adjusted(result))


def _worst(below: dict[int, Significance]) -> str:
    worst = max(_adjusted(result) for result in below.values())
    return p_text(worst) if len(below) == 1 or worst < 0.001 else f"each {p_text(worst).replace('=', '≤')}"


def _banded(results: ReportResults, by_band: Comparison, edge: int) -> list[str]:
    """Compare the two systems that lead by macro-F1 on rare and on frequent categories."""
    counts = results.train_counts
    if counts is None:
        return []
    low = next((result.band for result in by_band if result.band.startswith("1–")), "")
    bands = list(dict.fromkeys(result.band for result in by_band))
    sentences = []
    for band in bands:
        chosen = (counts > 0) & (counts <= edge) if band == low else counts > edge
        where = f"the {int(chosen.sum())} {'rare' if band == low else 'frequent'} categories"
        limits = f"at most {edge}" if band == low else f"more than {edge}"
        start = f"On {where} ({limits} training documents)"
        sentences.append(_in_band(results, band, chosen, start=start))
    return sentences


def _in_band(results: ReportResults, band: str, chosen: Bools, *, start: str) -> str:
    means = [mean(np.asarray(evaluation.per_category["f1"], np.float64)[chosen]) for evaluation in results.evaluations]
    first, second = sorted(range(len(means)), key=lambda k: -np.nan_to_num(means[k], nan=-1.0))[:2]
    names = [results.names[first], results.names[second]]
    result = outcome(results.by_band, (names[0], names[1]), "permutation", measure="macro_f1", band=band)
    values = f"mean F1 {shown(means[first], 3)} and {shown(means[second], 3)}"
    a, b = map(_name, names)
    if result is None or _adjusted(result) > LEVEL:
        return f"{start}, the two best, {a} and {b}, are not distinguishable ({values}, {_p(result)})."
    return f"{start}, {a} is better than the next best, {b} ({values}, {_p(result)})."


def _unlearned(results: ReportResults) -> str:
    """Say how many categories the best system never gets right."""
    best = results.order[0]
    table = results.evaluations[best].counts
    if table is None:
        return ""
    never = (table.tp == 0) & (results.test_counts > 0)
    if not never.any():
        return f"{_name(results.names[best])} gets every category right at least once."
    train = results.train_counts
    few = "" if train is None else f" (median: {int(np.median(train[never]))} training documents)"
    many = f"{int(never.sum())} of the {int((results.test_counts > 0).sum())} categories"
    return f"{_name(results.names[best])} gives no right label at all in {many} of the test documents{few}."


def _confused(results: ReportResults) -> str:
    best = results.order[0]
    top = confusions(results.truth, results.decided(best)).top(1)
    if not top or top[0][2] < 2:
        return ""
    missed, given = (_name(results.categories[c]) for c in top[0][:2])
    where = f"“{given}” given where “{missed}” was missed, in {top[0][2]} documents"
    return f"The commonest confusion of {_name(results.names[best])}: {where}."


def _odd_labels(results: ReportResults) -> str:
    suspects = [suspect for suspect in likely_mislabelled(results, limit=10**6) if suspect.against == suspect.systems]
    if results.data.suspects is None and len(results.runs) < 2:
        return ""
    if not suspects:
        return ""
    many = f"{len(suspects):,} labels" if len(suspects) > 1 else "1 label"
    return f"All systems contradict {many} of the test documents; the clearest cases are listed for checking."
