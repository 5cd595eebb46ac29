"""`compare`: the chosen tests on all pairs of systems, corrected for their number."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from rubricate._tables import frame_of, html_of
from rubricate._version import __version__
from rubricate.errors import InvalidInput, UnknownName
from rubricate.hierarchy import Hierarchy
from rubricate.measures import Similarity, placed
from rubricate.measures.definition.ratio import undefined_value
from rubricate.significance.comparing.bands import bands
from rubricate.significance.comparing.corrections import ADJUSTMENTS, adjusted
from rubricate.significance.comparing.layout import ResultTable, details, marks, text
from rubricate.significance.comparing.schedule import plan, run_all, tasks
from rubricate.significance.definition.catalogue import YL99, ChosenTest
from rubricate.significance.definition.test import Subject
from rubricate.significance.definition.verdict import mark
from rubricate.significance.systems.inputs import gather
from rubricate.significance.systems.pair import same_categories
from rubricate.significance.systems.system import System
from rubricate.types import Edges, Significance, Undefined

__all__ = ["Comparison", "compare"]

LEVEL = 0.05
SHOWN = 200
"""Rows of a comparison in a notebook."""


@dataclass(frozen=True)
class Comparison:
    """The outcomes of all tests on all pairs; prints as the tables 2 and 3 of yangliu1999.

    `notes` say what was left out and why, `hierarchy` says what the hierarchical tests are based on.
    """

    systems: tuple[str, ...]
    results: tuple[Significance, ...]
    adjust: str
    undefined: Undefined
    seed: int = 0
    notes: tuple[str, ...] = ()
    hierarchy: str = ""
    policies: str = ""

    def __iter__(self) -> Iterator[Significance]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __str__(self) -> str:
        return "\n\n".join([*(text(grid) for grid in self.tables()), *self.notes, self.signature])

    def __repr__(self) -> str:
        """Return how many systems and tests there are, and how many pairs differ."""
        real = sum(result.better is not None for result in self.results)
        return f"<comparison of {len(self.systems)} systems: {len(self.results):,} tests, {real:,} find a difference>"

    def to_frame(self) -> Any:
        """Return one row per test and pair as a data frame."""
        rows = [list(_plain(outcome).values()) for outcome in self.results]
        return frame_of((*_KEYS, *_MORE), rows)

    def _repr_html_(self) -> str:
        """Return the tests for notebooks; a long list is cut."""
        grid = self.details(rounded=True)
        return html_of(grid.columns, grid.rows[:SHOWN], repr(self)[1:-1])

    @property
    def signature(self) -> str:
        """Return what every number here depends on besides the runs."""
        tree = f"|hierarchy:{self.hierarchy}" if self.hierarchy else ""
        policies = f"{self.policies}|" if self.policies else ""
        return f"{policies}adjust:{self.adjust}|undefined:{self.undefined}|seed:{self.seed}{tree}|version:{__version__}"

    def tables(self) -> list[ResultTable]:
        """Return the tables of marks: for s, S, T, T'; for p; for the other tests; each again for each band."""
        return marks(self.results, self.adjust)

    def details(self, *, rounded: bool = False) -> ResultTable:
        """Return every number in one table, one row per result; `rounded` gives p-values three digits."""
        return details(self.results, rounded=rounded)

    def to_dict(self) -> dict[str, Any]:
        """Return `{"comparisons": [{"a", "b", "test", "measure", "p_value", …}], …}`; NaN and ∞ become None."""
        return {
            "comparisons": [_plain(outcome) for outcome in self.results],
            "systems": list(self.systems),
            "adjust": self.adjust,
            "convention": {"undefined": self.undefined},
            "notes": list(self.notes),
            "signature": self.signature,
        }


_KEYS = ("a", "b", "test", "measure", "statistic", "p_value", "adjusted_p", "n", "symbol", "better")
_MORE = ("direction", "sides", "effect", "effect_name", "method", "interval", "band", "note")


def _plain(outcome: Significance) -> dict[str, Any]:
    values = {key: getattr(outcome, key) for key in (*_KEYS, *_MORE)}
    return {key: _finite(value) for key, value in values.items()}


def _finite(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def compare(
    runs: Iterable[Subject] | Mapping[str, Any],
    *,
    tests: str | Sequence[str] | None = None,
    adjust: Literal["holm", "bh", "none"] = "holm",
    undefined: Undefined = "zero",
    truth: Any = None,
    categories: Sequence[str] | None = None,
    exact: bool = False,
    mid_p: bool = False,
    by_frequency: int | Sequence[int] | None = None,
    baseline: str | None = None,
    samples: int | None = None,
    seed: int = 0,
    advance: Callable[[int], None] = lambda steps: None,
    hierarchy: Hierarchy | Edges | None = None,
    acceptable: float = 2.0,
    similarity: Similarity | None = None,
) -> Comparison:
    """Test every pair of systems, in the order given, with every test.

    Parameters
    ----------
    runs : iterable of Run or System, or mapping of names to decisions
        The systems. A mapping needs `truth`, the true labels, and takes `categories`, the names of the columns.
    tests : sequence of str, optional
        Symbols or names, with a measure behind a colon (`"p:accuracy"`), or "paper" for s, S, T, T' and p. By default
        those that hold their level on the data at hand; a note says which and why. Systems of different collections are
        compared only by the tests of proportions.
    adjust : "holm", "bh" or "none"
        Corrects the p-values of each test and measure (and band) over the pairs. `better` and the marks follow the
        corrected p-values; only s, S, T, T' and p keep the marks of their own, as the paper prints them.
    undefined : "zero", "one" or "omit"
        What 0/0 counts as.
    exact, mid_p : bool
        Exact distributions instead of approximations; mid-p counts half of the observed outcome.
    by_frequency : int or sequence of int, optional
        Confines the tests to bands of training frequency: a number of equal intervals, or edges.
    baseline : str, optional
        A system that every collection has; adds the indirect comparison through it.
    samples, seed : int, optional
        Plain draws of the tests that resample, and their seed; by default their tails adapt to the correction.
    advance : callable
        Called with the number of pairs just done.
    hierarchy, acceptable, similarity : optional
        As in `rubricate.evaluate`: adds tests on hierarchical measures to the default ones; by similarity where given.

    >>> comparison = compare({"svm": [{"a"}, {"b"}], "knn": [{"a"}, {"a"}]}, truth=[{"a"}, {"b"}], tests=["s"])
    >>> comparison.results[0].n, comparison.results[0].p_value
    (2, 0.25)
    """
    if adjust not in ADJUSTMENTS:
        raise UnknownName("correction", adjust, ADJUSTMENTS)
    undefined_value(undefined)
    systems = gather(runs, truth=truth, categories=categories)
    tree = _tree_over(systems[0].categories, hierarchy, similarity)
    choices, notes = plan(
        systems, tests, baseline=baseline, hierarchical=tree is not None, similar=similarity is not None
    )
    options: dict[str, Any] = {"undefined": undefined, "exact": exact, "mid_p": mid_p, "samples": samples, "seed": seed}
    options |= {"hierarchy": tree, "acceptable": acceptable, "similarity": similarity}
    results = []
    for band, confined in _banded(systems, by_frequency):
        for choice in choices:
            outcomes = run_all(tasks(confined, choice, options, baseline=baseline), advance=advance)
            results += [replace(outcome, band=band) for outcome in _corrected(outcomes, choice, adjust)]
    if not results:
        raise InvalidInput("no test applies to any pair: across collections use 'p', or 'indirect' with a baseline")
    where = "" if tree is None else _described(tree, acceptable, similarity)
    names, policies = tuple(s.name for s in systems), next((s.policies for s in systems if s.policies), "")
    return Comparison(names, tuple(results), adjust, undefined, seed, tuple(notes), where, policies)


def _tree_over(
    categories: Sequence[str], hierarchy: Hierarchy | Edges | None, similarity: Similarity | None
) -> Hierarchy | None:
    """Return the hierarchy, if there is one; raise where it has none of the categories, or similarity comes alone."""
    tree = hierarchy if hierarchy is None or isinstance(hierarchy, Hierarchy) else Hierarchy.from_edges(hierarchy)
    if tree is not None and categories:
        placed(tree, categories)
    if similarity is not None and tree is None:
        raise InvalidInput("similarity= is for hierarchical measures; give hierarchy= too (--hierarchy FILE)")
    return tree


def _described(tree: Hierarchy, acceptable: float, similarity: Similarity | None) -> str:
    """Return what the numbers of hierarchical tests depend on."""
    size = f"{len(tree) - tree.virtual_root} nodes, acceptable {acceptable:g}"
    return size if similarity is None else f"{size}, acs {similarity.within(tree.names).average:.6g}"


def _corrected(outcomes: Sequence[Significance], choice: ChosenTest, adjust: str) -> list[Significance]:
    values = [outcome.p_value for outcome in outcomes]
    corrected = values if choice.test.several else adjusted(values, adjust).tolist()
    paper = choice.test.symbol in YL99
    return [_restated(outcome, p, paper=paper) for outcome, p in zip(outcomes, corrected, strict=True)]


def _restated(outcome: Significance, p: float, *, paper: bool) -> Significance:
    """Return the outcome with its corrected p-value, and what follows from it.

    The tests of the paper keep the mark of their own p-value, as the paper prints it; `better` is corrected for all.
    """
    symbol = outcome.symbol if paper else mark(outcome.direction, p)
    return replace(outcome, adjusted_p=p, symbol=symbol, better=outcome.better if p <= LEVEL else None)


def _banded(systems: Sequence[System], how: int | Sequence[int] | None) -> Iterator[tuple[str, Sequence[System]]]:
    """Yield the systems as they are, or confined to each band of the training frequencies that they share."""
    if how is None:
        yield "", systems
        return
    frequency = next((system.train_counts for system in systems if system.train_counts is not None), None)
    if frequency is None:
        raise InvalidInput("tests by frequency need the training documents of each category: train_counts of a run")
    same_categories(*systems)
    for label, chosen in bands(frequency, how):
        yield label, [system.within(chosen) for system in systems]
