"""Bands of training frequency: the categories split by how many training documents they have."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import Any, Literal, NamedTuple

import numpy as np

from rubricate._tables import frame_of, html_of
from rubricate._version import __version__
from rubricate.errors import InvalidInput, UnknownName
from rubricate.hierarchy import Hierarchy
from rubricate.measures import Similarity, placed
from rubricate.measures.definition import undefined_value
from rubricate.significance.corrections import ADJUSTMENTS, adjusted
from rubricate.significance.definition import (
    YL99,
    ChosenTest,
    Subject,
    baseline_tests,
    hierarchical_tests,
    options_for,
    parse_tests,
)
from rubricate.significance.system import PROPORTIONS, System
from rubricate.significance.systems import gather, same_categories
from rubricate.significance.verdict import mark
from rubricate.types import Bools, Edges, Ints, Significance, Undefined

__all__ = [
    "DETAILS",
    "Comparison",
    "ResultTable",
    "Task",
    "bands",
    "compare",
    "details",
    "marks",
    "plan",
    "run_all",
    "tasks",
    "text",
]


def bands(train_counts: Ints, how: int | Sequence[int]) -> list[tuple[str, Bools]]:
    """Return label and categories of each band that has any, rarest first. yangliu1999, section 6, figures 4 and 5.

    A number asks for that many intervals of equal width from 1 to the largest frequency, widths being whole numbers
    of documents, so that the last may end beyond it; a list of edges e₀ < e₁ < … for the bands e₀+1 … e₁, e₁+1 … e₂,
    and so on. Categories outside the bands, such as those without a training document, belong to none.

    >>> [(label, chosen.tolist()) for label, chosen in bands(np.array([3, 60, 100]), [0, 60, 120])]
    [('1–60', [True, True, False]), ('61–120', [False, False, True])]
    >>> [label for label, _ in bands(np.array([1, 2, 40]), 2)]
    ['1–20', '21–40']
    """
    banded = []
    for low, high in pairwise(_edges(np.asarray(train_counts), how)):
        chosen = (train_counts > low) & (train_counts <= high)
        if chosen.any():
            banded.append((f"{low + 1}–{high}", chosen))
    if not banded:
        raise InvalidInput("no category has a training frequency within the bands; give other edges")
    return banded


def _edges(train_counts: Ints, how: int | Sequence[int]) -> list[int]:
    if isinstance(how, (int, np.integer)):
        if how < 1:
            raise InvalidInput(f"{how} bands of training frequency; give 1 or more")
        most = max(int(train_counts.max(initial=1)), 1)
        width = -(-most // int(how))
        return list(range(0, most + width, width))
    edges = [int(edge) for edge in how]
    if len(edges) < 2 or edges != sorted(set(edges)) or edges[0] < 0:
        raise InvalidInput(f"edges of training frequency must rise from 0 or more, got {list(how)}")
    return edges


class Task(NamedTuple):
    """One test on one pair; `others` are the remaining systems, for tests of several."""

    choice: ChosenTest
    a: System
    b: System
    others: tuple[System, ...]
    options: Mapping[str, Any]

    def run(self) -> Significance:
        """Run the test."""
        return self.choice.test(self.a, self.b, *self.others, **self.options)


def plan(
    systems: Sequence[System],
    tests: str | Sequence[str] | None,
    *,
    baseline: str | None = None,
    hierarchical: bool = False,
    similar: bool = False,
) -> tuple[list[ChosenTest], list[str]]:
    """Choose the tests to run; the second value are notes on what was left out.

    Without `tests` these are those that hold their level on the data, as far as every system offers what they need;
    "paper" gives the five of YL99. Also the indirect
    comparison when there is a baseline, and the tests on hierarchical measures when there is a hierarchy, by similarity
    too where there are similarities (`similar`).
    """
    if tests is not None:
        return parse_tests(YL99 if tests in ("paper", ["paper"], ("paper",)) else tests), []
    more = (baseline_tests() if baseline else ()) + (hierarchical_tests() if hierarchical else ())
    more += hierarchical_tests(by_similarity=True) if similar else ()
    chosen, why = _that_hold(systems)
    wanted = parse_tests((*chosen, *more))
    offered = frozenset.intersection(*(system.offers for system in systems))
    kept = [choice for choice in wanted if choice.test.needs in offered]
    if not kept:
        poor = next((s for s in systems if not s.offers - {"scores"}), systems[0])
        raise InvalidInput(
            f"system {poor.name!r} has no decisions to test; cut its scores (thresholds.decide, or --cut), "
            "or ask for ranking tests such as ranking_t"
        )
    left = [f"{choice.test.symbol} (needs {choice.test.needs})" for choice in wanted if choice not in kept]
    listed = ", ".join(dict.fromkeys(left))
    return kept, [*why, *([f"Left out, for not every system offers what they need: {listed}."] if left else [])]


def _that_hold(systems: Sequence[System]) -> tuple[tuple[str, ...], list[str]]:
    """Return the tests that hold their level on the data at hand, and a sentence that says why.

    Documents are the units of the permutation tests, which reject 3.5–5.6 % of true nulls at .05 in all of our
    simulated worlds; the tests of the paper, whose units are decisions or categories, reject up to 10.7 % with one
    label per document and up to 22 % where errors of a document come together (docs/methods/significance.md). Systems
    known by counts or figures, or of several collections, have no documents in common: there the paper's are all there
    is.
    """
    whole = all("decisions" in system.offers for system in systems)
    if not whole or len({system.collection for system in systems}) > 1:
        return YL99, []
    truth = systems[0].truth
    if truth is not None and truth.shape[0] and bool((np.diff(truth.indptr) == 1).all()):
        return ("permutation:accuracy", "permutation:macro_f1"), [
            "One label per document: permutation tests of accuracy and macro-F1, whose units are documents. The tests "
            "of the paper (--tests paper) reject about twice too often here."
        ]
    return ("permutation:micro_f1", "permutation:macro_f1"), [
        "Several labels per document: permutation tests of micro-F1 and macro-F1, whose units are documents. The tests "
        "of the paper (--tests paper) reject too often where a document's errors come together."
    ]


def run_all(scheduled: Sequence[Task], *, advance: Callable[[int], None] = lambda steps: None) -> list[Significance]:
    """Run the tests; all pairs at once where the test adapts its draws to their number and no number is given."""
    first = scheduled[0] if scheduled else None
    family = None if first is None else first.choice.test.family
    if first is None or family is None or first.options.get("samples") is not None:
        outcomes = []
        for task in scheduled:
            outcomes.append(task.run())
            advance(1)
        return outcomes
    taken = inspect.signature(family).parameters
    options = {name: value for name, value in first.options.items() if name in taken}
    outcomes = family([(task.a, task.b) for task in scheduled], **options, advance=advance)
    return [replace(outcome, a=task.a.name, b=task.b.name) for task, outcome in zip(scheduled, outcomes, strict=True)]


def tasks(
    systems: Sequence[System], choice: ChosenTest, options: Mapping[str, Any], *, baseline: str | None = None
) -> list[Task]:
    """Return one test on every pair that allows it.

    Within a collection these are all tests but those through a baseline, across collections only tests of proportions.
    """
    scheduled = []
    for a, b in combinations(systems, 2):
        same = a.collection == b.collection
        if (same and choice.test.needs_baseline) or not (same or choice.test.needs == "proportions"):
            continue
        own = options_for(choice, options)
        if choice.test.needs_baseline:
            shared = [_baseline(systems, s.collection, baseline) for s in (a, b)]
            if a is shared[0] or b is shared[1]:
                continue
            own |= {"baseline_a": shared[0], "baseline_b": shared[1]}
        rest = tuple(s for s in systems if s is not a and s is not b and s.collection == a.collection)
        scheduled.append(Task(choice, a, b, rest if choice.test.several else (), own))
    return scheduled


def _baseline(systems: Sequence[System], collection: str, name: str | None) -> System:
    if name is None:
        raise InvalidInput("the indirect comparison needs baseline=, a system that every collection has (--baseline)")
    here = [system for system in systems if system.collection == collection]
    for system in here:
        if system.name in (name, f"{name} [{collection}]"):
            return system
    raise UnknownName(f"baseline in collection {collection!r}", name, [system.name for system in here])


DETAILS = ("a", "b", "test", "measure", "n", "statistic", "p", "adjusted p", "mark", "better", "effect", "method")
_LEGEND = (
    ">> or << means P-value <= .01; > or < means .01 < P-value <= .05; ~ means P-value > .05.",
    "The marks compare values: less error is better.",
)


class ResultTable(NamedTuple):
    """A titled table of cells with notes below."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | float | int]]
    notes: Sequence[str] = ()


def _column(outcome: Significance) -> str:
    if outcome.test == "p":
        return PROPORTIONS.get(outcome.measure, outcome.measure)
    return f"{outcome.test}-test" if len(outcome.test) <= 2 else f"{outcome.test} {outcome.measure}".strip()


def _mark(outcome: Significance) -> str:
    """Return the mark of the p-value, in brackets where the corrected one is above .05."""
    lost = outcome.symbol != "~" and outcome.adjusted_p is not None and outcome.adjusted_p > 0.05
    return f"({outcome.symbol})" if lost else outcome.symbol


def _table(title: str, results: Sequence[Significance]) -> ResultTable:
    columns = list(dict.fromkeys(_column(outcome) for outcome in results))
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for outcome in results:
        rows.setdefault((outcome.a, outcome.b), {})[_column(outcome)] = _mark(outcome)
    body = [[a, b, *(cells.get(name, "") for name in columns)] for (a, b), cells in rows.items()]
    return ResultTable(title, ["sysA", "sysB", *columns], body)


def marks(results: Sequence[Significance], adjust: str) -> list[ResultTable]:
    """Return one table for the tests of YL99's table 2, one for the p-test (table 3), one for the others; by band.

    The last outcome has the notes that explain the marks.
    """
    kinds: tuple[tuple[str, Callable[[Significance], bool]], ...] = (
        ("Statistical significance test results", lambda outcome: outcome.test in ("s", "S", "T", "T'")),
        ("p-test applied to multiple measures", lambda outcome: outcome.test == "p"),
        ("Other tests", lambda outcome: outcome.test not in ("s", "S", "T", "T'", "p")),
    )
    notes = list(_LEGEND)
    if adjust != "none":
        name = {"holm": "Holm", "bh": "Benjamini–Hochberg"}.get(adjust, adjust)
        notes.append(f"(>) in brackets: not below .05 once corrected by {name} over the pairs of the column.")
    tables = []
    for band in dict.fromkeys(outcome.band for outcome in results):
        for title, belongs in kinds:
            chosen = [outcome for outcome in results if outcome.band == band and belongs(outcome)]
            if chosen:
                where = f", training frequency {band}" if band else ""
                tables.append(_table(title + where, chosen))
    return [*tables[:-1], tables[-1]._replace(notes=notes)] if tables else []


def details(results: Sequence[Significance], *, rounded: bool = False) -> ResultTable:
    """Return every number of every result, one row each; with a column `band` where there are bands.

    `rounded` turns p-values into text of three digits, so that small ones do not become 0.
    """

    def chance(p: float) -> float | str:
        return ("< 1e-10" if p < 1e-10 else f"{p:.3g}") if rounded else p

    banded = any(outcome.band for outcome in results)
    rows: list[list[str | float | int]] = [
        [
            *([outcome.band] if banded else []),
            outcome.a,
            outcome.b,
            outcome.test,
            outcome.measure,
            outcome.n,
            outcome.statistic,
            chance(outcome.p_value),
            chance(outcome.p_value if outcome.adjusted_p is None else outcome.adjusted_p),
            outcome.symbol,
            {"a": outcome.a, "b": outcome.b}.get(outcome.better or "", ""),
            outcome.effect,
            outcome.method,
        ]
        for outcome in results
    ]
    return ResultTable("Significance tests", ["band", *DETAILS] if banded else DETAILS, rows)


def text(grid: ResultTable) -> str:
    """Align the columns, with the notes below."""
    cells = [[str(cell) for cell in row] for row in (grid.columns, *grid.rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(grid.columns))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    lines.insert(1, "-" * max(map(len, lines)))
    return "\n".join([grid.title, "", *lines, "", *grid.notes]).rstrip()


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
