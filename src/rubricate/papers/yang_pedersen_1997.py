"""Yang and Pedersen 1997, which yang1999 builds on for selection: five criteria, kNN and LLSF, Reuters and OHSUMED."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from scipy import stats

from rubricate.corpora import load
from rubricate.engines import run_tasks
from rubricate.errors import CorpusMissing
from rubricate.folds import score_matrix
from rubricate.measures import mean, ranks
from rubricate.measures.rankings import eleven_point
from rubricate.papers.figures import Figure, Series
from rubricate.papers.reproduction import Place, Reproduction, Results, Say, Value
from rubricate.registry import reproduction
from rubricate.text.selection import term_scores
from rubricate.text.vectors import Vectors
from rubricate.text.weights import Weights
from rubricate.types import Corpus, Floats, Ints, Sparse

__all__ = ["yang_pedersen_1997"]

CRITERIA: dict[str, tuple[str, str | None]] = {
    "DF": ("document_frequency", None),
    "IG": ("information_gain", None),
    "MI": ("mutual_information", None),
    "χ²": ("chi2", None),
    "TS": ("term_strength", None),
    "χ²avg": ("chi2", "avg"),
}
"""Criteria by the names of the paper; χ² joins categories by their maximum, and by their average in the last."""
FIVE = ("DF", "IG", "MI", "χ²", "TS")
PAIRS = (("DF", "IG"), ("DF", "χ²"), ("IG", "χ²"))
AVERAGED = (("DF", "χ²avg"), ("IG", "χ²avg"))
Curves = Mapping[tuple[str, float], float]
"""11-point averages by criterion and share of terms removed."""


@reproduction("yang_pedersen_1997")
def yang_pedersen_1997(reproduction: Reproduction, tables: Sequence[str], say: Say) -> Results:
    """Return our figures of the wanted tables, and a figure for each classifier and corpus among them."""
    values: dict[Place, Value] = {}
    figures: list[Figure] = []
    studies = {name: SelectionStudy(name, reproduction, say) for name in reproduction.options["corpora"]}
    for table in tables:
        say(reproduction.tables[table].title)
        try:
            rows, drawn = _text(studies) if table == "text" else studies[table].table()
        except CorpusMissing as missing:
            say(str(missing))
            continue
        values |= {(table, *place): value for place, value in rows.items()}
        figures += drawn
    return Results(values, {(table, row): "ours" for table, row, _ in values}, figures)


class SelectionStudy:
    """A corpus whose terms are chosen by each criterion; what is not asked for is not computed."""

    def __init__(self, name: str, reproduction: Reproduction, say: Say) -> None:
        self.name, self.reproduction, self.say = name, reproduction, say
        self._curves: dict[str, Curves] = {}

    @cached_property
    def corpus(self) -> Corpus:
        place = self.reproduction.options["corpora"][self.name]
        return load(place["corpus"], split=place["split"])

    @cached_property
    def counts(self) -> tuple[Sparse, Sparse]:
        """Term counts of training and test documents."""
        vectors = Vectors(weights="nnn")
        return vectors.fit_transform(self.corpus.train), vectors.transform(self.corpus.test)

    @cached_property
    def scores(self) -> dict[str, Floats]:
        """The scores of all terms by each criterion, on the training documents."""
        counts, labels = self.counts[0], self.corpus.train.labels
        self.say(f"{self.name}: scores of {counts.shape[1]:,} terms")
        scores = run_tasks(
            lambda way: term_scores(way[0], counts, labels, by=way[1]), CRITERIA.values(), engine="threads"
        )
        return dict(zip(CRITERIA, scores, strict=True))

    def kept(self, criterion: str, removed: float) -> Ints:
        """Return the terms left when a share of them is removed; equal scores go to the term that sorts first."""
        terms = self.counts[0].shape[1]
        best = np.argsort(-self.scores[criterion], kind="stable")
        return np.sort(best[: max(1, round(terms * (1 - removed)))])

    def average_precision(self, system: str, terms: Ints) -> float:
        """Return the 11-point average precision of the category rankings with some of the terms."""
        weights, classifier = Weights("ltc"), self.reproduction.systems[system].classifier()
        train, test = (part[:, terms] for part in self.counts)
        classifier.fit(weights.fit_transform(train), self.corpus.train.labels)
        return float(
            mean(eleven_point(ranks(score_matrix(classifier, weights.transform(test)), self.corpus.test.labels)))
        )

    def curves(self, system: str) -> Curves:
        """Return the averages of a classifier; "all" stands for no selection."""
        if system not in self._curves:
            points = [(name, removed) for removed in self.shares(system) for name in CRITERIA]
            self.scores  # noqa: B018  # before the threads start
            self.say(f"{self.name}: {system}")
            values = run_tasks(
                lambda point: self.average_precision(system, self.kept(*point)), points, engine="threads"
            )
            self._curves[system] = dict(zip(points, values, strict=True))
            if self.reproduction.options["all_terms"].get(system):
                every = np.arange(self.counts[0].shape[1])
                self._curves[system] |= {("all", 0.0): self.average_precision(system, every)}  # type: ignore[operator]
        return self._curves[system]

    def shares(self, system: str) -> list[float]:
        """Return the shares of terms that are removed for a classifier."""
        return list(self.reproduction.options["removed"][system])

    def table(self) -> tuple[dict[tuple[str, str], Value], list[Figure]]:
        """Return rows such as `kNN, 90 % removed`, one column per criterion, and the curves."""
        rows: dict[tuple[str, str], Value] = {}
        for system in self.reproduction.options["removed"]:
            curves = self.curves(system)
            if ("all", 0.0) in curves:
                rows |= {(f"{system}, all terms", name): curves["all", 0.0] for name in CRITERIA}
            rows |= {
                (f"{system}, {removed:.0%} removed".replace("%", " %"), name): value
                for (name, removed), value in curves.items()
                if name in CRITERIA
            }
        return rows, [self.figure(system) for system in self.reproduction.options["removed"]]

    def figure(self, system: str) -> Figure:
        """Draw 11-point average precision by the number of terms kept."""
        terms, shares = self.counts[0].shape[1], sorted(self.shares(system), reverse=True)
        series = [
            Series(
                name,
                [round(terms * (1 - removed)) for removed in shares],
                [self.curves(system)[name, removed] for removed in shares],
            )
            for name in CRITERIA
        ]
        title = f"{system} on {self.name}: five criteria of selection"
        stem = f"{system}-{self.name}".lower()
        return Figure(stem, title, "terms kept", "11-pt average precision", tuple(series), log_x=True)


def _text(studies: Mapping[str, SelectionStudy]) -> tuple[dict[tuple[str, str], Value], list[Figure]]:
    """Judge the claims of the abstract, by kNN on Reuters."""
    study = studies["Reuters"]
    curves, shares = study.curves("kNN"), study.shares("kNN")
    high = [share for share in shares if share >= 0.9]
    over = {name: float(np.mean([curves[name, share] for share in high])) for name in FIVE}
    first_two = sorted(over, key=lambda name: -over[name])[:2]
    at_half = [curves[name, 0.5] for name in ("DF", "IG", "χ²")]
    near = study.reproduction.options["near"]
    claims: dict[str, Value] = {
        "IG and χ² are the most effective of the five": _yes({*first_two} == {"IG", "χ²"}),
        "98 % of the terms removed by IG: better than all terms": _yes(curves["IG", 0.98] > curves["all", 0.0]),
        "DF performs similarly to IG": _yes(all(abs(curves["DF", s] - curves["IG", s]) <= near for s in shares)),
        "TS compares favourably with 50 % removed": _yes(curves["TS", 0.5] >= min(at_half) - near),
        "TS is not competitive with 90 % removed or more": _yes(
            all(curves["TS", s] < min(curves[name, s] for name in ("DF", "IG", "χ²")) - near for s in high)
        ),
        "MI is poor: the last of the five with 90 % removed or more": _yes(min(over, key=lambda n: over[n]) == "MI"),
    }
    correlations = {f"rank correlation of {a} and {b}": _correlation(study, a, b) for a, b in PAIRS}
    strong = min(correlations.values()) >= study.reproduction.options["strong"]
    correlations |= {f"rank correlation of {a} and {b}": _correlation(study, a, b) for a, b in AVERAGED}
    claims |= {"values of DF, IG and χ² are strongly correlated": _yes(strong), **correlations}
    return {(claim, "value"): value for claim, value in claims.items()}, []


def _yes(holds: Any) -> str:
    return "yes" if holds else "no"


def _correlation(study: SelectionStudy, a: str, b: str) -> float:
    return float(stats.spearmanr(study.scores[a], study.scores[b]).statistic)
