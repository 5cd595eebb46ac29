"""Table 6: all systems, micro break-even points by the way of cutting that the paper names; and what follows from it.

The paper has 23 figures for 14 systems on 4 versions; the empty places of v2 to v4 are filled here, and
the other ways of cutting, which section 5.4 misses, are added.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import clone

from rubricate.corpora import load
from rubricate.engines import run_tasks
from rubricate.experiments.tuning import best_of, search
from rubricate.folds import assign_folds, score_matrix
from rubricate.measures import micro, rejector
from rubricate.papers.figures import Drawing, Figure, Series
from rubricate.papers.reproduction import Value
from rubricate.papers.yang_1999_study import (
    MANY,
    WAYS,
    OurFigures,
    ScoredSystem,
    VersionStudy,
    break_even,
    decide,
    eleven_points,
    labelled_share,
    micro_f1,
)
from rubricate.significance import published
from rubricate.significance.proportions import indirect, proportions
from rubricate.svg import Svg, box, line, text
from rubricate.text.analyzer import Analyzer
from rubricate.text.vectors import Vectors
from rubricate.training.cache import Once
from rubricate.training.data import TrainingData
from rubricate.training.plan import Step
from rubricate.types import Corpus, Documents, Significance

__all__ = [
    "BASELINE",
    "SystemComparison",
    "Tuning",
    "gains",
    "grouped",
    "indirect_comparisons",
    "link",
    "order",
    "order_drawing",
    "ordered_rows",
    "table_4",
    "table_6",
    "text_numbers",
    "times",
    "way_of",
    "ways_of_cutting",
]

TEN = 10


def way_of(study: VersionStudy, system: str, version: str) -> str:
    """Return the way of cutting behind a cell: the one in brackets, else the usual one of the system."""
    named = study.options["ways"]
    by_version = named.get(system, {})
    return by_version.get(version, by_version.get("*", named["*"]))


def cell(study: VersionStudy, system: str, version: str) -> float:
    """Return one cell of table 6."""
    return point(study, system, version, way_of(study, system, version))


def point(study: VersionStudy, system: str, version: str, way: str) -> float:
    """Return the micro break-even point of a system on a version by a way of cutting; computed once."""
    return study.points.get((system, version, way), lambda: break_even(study.scored(system, version), way))


def table_6(study: VersionStudy) -> OurFigures:
    """Measure every system on its versions, and the forms of NNets.PARC on the ten most common categories of v4."""
    places = [(system, version) for system, versions in study.options["table6"].items() for version in versions]
    few = [(row, "v4") for row in study.options["ten_topics"]]

    def value(place: tuple[str, str]) -> float:
        if place in few:
            return break_even(study.scored(study.options["ten_topics"][place[0]], "v4", topics=TEN), "Pcut")
        return cell(study, *place)

    return dict(zip([*places, *few], run_tasks(value, [*places, *few], engine="threads"), strict=True))


def ways_of_cutting(study: VersionStudy) -> OurFigures:
    """Return break-even points of every system on v3 by each way of cutting."""
    systems = [system for system, versions in study.options["table6"].items() if "v3" in versions]
    ways = [way for way in WAYS if way not in ("own decisions", "F1")]
    rows = run_tasks(lambda system: [point(study, system, "v3", way) for way in ways], systems, engine="threads")
    return {
        (system, way): value
        for system, row in zip(systems, rows, strict=True)
        for way, value in zip(ways, row, strict=True)
    }


def gains(study: VersionStudy) -> OurFigures:
    """Return what each system gains when the unlabelled documents go, from v2 to v3 (section 5.3)."""
    known = [system for system, versions in study.options["table6"].items() if {"v2", "v3"} <= {*versions}]
    return {(system, "gain"): cell(study, system, "v3") - cell(study, system, "v2") for system in known}


def indirect_comparisons(study: VersionStudy) -> OurFigures:
    """Compare two systems on different versions by what each gains on kNN there (section 5.3).

    The mark is that of the p-test on the difference of the gains in recall, at the break-even points; the mark of the
    published figures is made the same way.
    """
    figures: OurFigures = {}
    for row in study.reproduction.tables["indirect"].rows:
        ours = _through_knn(study, row, lambda system, version: cell(study, system, version))
        theirs = _through_knn(study, row, lambda system, version: _printed(study, system, version))
        figures[row, "difference of the gains on kNN"] = ours.effect
        figures[row, "mark"] = ours.symbol
        figures[row, "mark of the published figures"] = theirs.symbol
    return figures


def order(study: VersionStudy) -> OurFigures:
    """Order and group all systems, by the published figures and by ours; keep what the drawings need."""
    printed = {
        name: {version: float(value) for version, value in row.items() if value is not None}
        for name, row in study.reproduction.tables["6"].rows.items()
    }
    ours = {
        name: {version: cell(study, name, version) for version in versions}
        for name, versions in study.options["table6"].items()
    }
    rows: OurFigures = {}
    for what, figures in (("published figures", printed), ("our figures", ours)):
        versions = {version for row in figures.values() for version in row}
        labels = {version: study.corpus(version).test.labels.nnz for version in versions}
        groups, links = grouped(figures, labels)
        rows |= ordered_rows(what, groups, links)
        study.drawings.append(order_drawing(what, groups, links))
    return rows


def _through_knn(study: VersionStudy, row: str, value: Callable[[str, str], float]) -> Significance:
    """Compare `A on v4 against B on v3` by the value of each and of kNN beside it."""
    sides = []
    for side in row.split(" against "):
        name, version = side.rsplit(" on ", 1)
        true = study.corpus(version).test.labels.nnz
        sides += [published(each, recall=value(each, version), true=true, collection=version) for each in (name, "kNN")]
    return indirect(sides[0], sides[2], baseline_a=sides[1], baseline_b=sides[3])


def _printed(study: VersionStudy, system: str, version: str) -> float:
    return float(study.reproduction.tables["6"].rows[system][version])  # type: ignore[arg-type]


BASELINE = "kNN"
CLEANEST = ("v3", "v4", "v2", "v1")
"""Versions in the order in which they are trusted (section 5.4)."""
LEVEL = 0.05


@dataclass(frozen=True)
class SystemComparison:
    """A comparison of two systems: `gain` of a over b, its p-value, and whether it went through the baseline."""

    a: str
    b: str
    gain: float
    p_value: float
    direct: bool
    versions: tuple[str, ...]


def link(
    a: str, b: str, figures: Mapping[str, Mapping[str, float]], labels: Mapping[str, int]
) -> SystemComparison | None:
    """Compare two systems by their break-even points; `labels` are the true labels of each version's test documents.

    None where there is no version with both, and none with one of them and the baseline.
    """
    shared = [version for version in CLEANEST if version in figures[a] and version in figures[b]]
    if shared:
        version = shared[0]
        pair = [published(name, recall=figures[name][version], true=labels[version]) for name in (a, b)]
        result = proportions(*pair, measure="recall")
        return _made(a, b, figures[a][version] - figures[b][version], result, direct=True, versions=(version,))
    sides = [_beside_baseline(name, figures) for name in (a, b)]
    if None in sides:
        return None
    four = [
        published(each, recall=figures[each][version], true=labels[version], collection=version)
        for name, version in zip((a, b), sides, strict=True)
        for each in (name, BASELINE)
        if version is not None
    ]
    result = indirect(four[0], four[2], baseline_a=four[1], baseline_b=four[3])
    return _made(a, b, float(result.effect or 0.0), result, direct=False, versions=tuple(map(str, sides)))


def _beside_baseline(name: str, figures: Mapping[str, Mapping[str, float]]) -> str | None:
    return next((v for v in CLEANEST if v in figures[name] and v in figures[BASELINE]), None)


def _made(
    a: str, b: str, gain: float, result: Significance, *, direct: bool, versions: tuple[str, ...]
) -> SystemComparison:
    return SystemComparison(a, b, gain, result.p_value, direct, versions)


def grouped(
    figures: Mapping[str, Mapping[str, float]], labels: Mapping[str, int]
) -> tuple[list[list[str]], list[SystemComparison]]:
    """Return groups of systems, the best first, and all comparisons; what cannot be compared is left out."""
    gains = {}
    for name in figures:
        version = _beside_baseline(name, figures)
        if version is not None:
            gains[name] = figures[name][version] - figures[BASELINE][version]
    order = sorted(gains, key=lambda name: -gains[name])
    links = [link(a, b, figures, labels) for k, a in enumerate(order) for b in order[k + 1 :]]
    known = {(each.a, each.b): each for each in links if each is not None}
    groups: list[list[str]] = []
    for name in order:
        first = groups[-1][0] if groups else None
        worse = first is None or (known[first, name].gain > 0 and known[first, name].p_value <= LEVEL)
        if worse:
            groups.append([])
        groups[-1].append(name)
    return groups, list(known.values())


def ordered_rows(what: str, groups: Sequence[Sequence[str]], links: Sequence[SystemComparison]) -> OurFigures:
    """Return the group of each system, its gain on kNN, and how many of its comparisons are direct."""
    rows: OurFigures = {}
    for number, group in enumerate(groups, 1):
        for name in group:
            own = [each for each in links if name in (each.a, each.b)]
            rows[name, f"group, {what}"] = number
            rows[name, f"gain on kNN, {what}"] = _gain(name, own)
            rows[name, f"direct comparisons, {what}"] = sum(each.direct for each in own)
    return rows


def _gain(name: str, links: Sequence[SystemComparison]) -> float:
    beside = [each for each in links if BASELINE in (each.a, each.b)]
    return 0.0 if name == BASELINE else next((each.gain if each.a == name else -each.gain) + 0.0 for each in beside)


WIDE, HIGH, GAP = 150, 30, 46


def order_drawing(what: str, groups: Sequence[Sequence[str]], links: Sequence[SystemComparison]) -> Drawing:
    """Draw the groups as rows, the best on top; lines lead to what a system is significantly better than in the next.

    A full line is a direct comparison, a dashed one goes through kNN.
    """
    most = max(len(group) for group in groups)
    width, height = most * WIDE + 20, len(groups) * (HIGH + GAP) + 10
    places = {
        name: (10 + WIDE * (k + (most - len(group)) / 2), 10 + row * (HIGH + GAP))
        for row, group in enumerate(groups)
        for k, name in enumerate(group)
    }
    after = {name: row for row, group in enumerate(groups) for name in group}
    lines = [
        _line(places[each.a], places[each.b], dashed=not each.direct)
        for each in links
        if after[each.b] == after[each.a] + 1 and each.p_value <= LEVEL and each.gain > 0
    ]
    boxes = [_box(name, *place) for name, place in places.items()]
    title = f"Section 5.3: order and grouping of all systems, {what}; full lines direct, dashed ones through kNN"
    return Drawing(f"order-{what.split()[0]}", title, Svg(width, height, title, [*lines, *boxes]).file())


def _line(a: tuple[float, float], b: tuple[float, float], *, dashed: bool) -> str:
    middle, dash = (WIDE - 10) / 2, "5 4" if dashed else None
    return line(a[0] + middle, a[1] + HIGH, b[0] + middle, b[1], stroke="var(--soft)", stroke_dasharray=dash)


def _box(name: str, x: float, y: float) -> str:
    frame = box(x, y, WIDE - 10, HIGH, rx="5", fill="var(--panel)", stroke="var(--rubric)")
    return frame + text(x + (WIDE - 10) / 2, y + 20, name, text_anchor="middle")


COLUMNS = ("training, s", "all test documents, s", "a test document, s")


def times(study: VersionStudy) -> OurFigures:
    """Measure training, scoring all test documents of v3 and one on average; and kNN on as many as OHSUMED has."""
    figures: OurFigures = {}
    for system in ("WORD", "LLSF", "kNN"):
        training, response, documents = _spent(study.scored(system, "v3"))
        spent = training, response, response / documents
        figures |= {(system, column): seconds for column, seconds in zip(COLUMNS, spent, strict=True)}
    indexing, response = _large(study)
    row = study.options["large"]["row"]
    return {**figures, (row, "training, s"): indexing, (row, "a test document, s"): response}


def _spent(scored: ScoredSystem) -> tuple[float, float, int]:
    """Measure CPU seconds of training and of scoring all test documents; return them with the number of documents."""
    parts, classifier = scored.shaped(Step(0, None)), clone(scored.classifiers[0])
    began = time.process_time()
    classifier.fit(parts.X, parts.labels)
    trained = time.process_time()
    score_matrix(classifier, parts.Z)
    return trained - began, time.process_time() - trained, parts.Z.shape[0]


def _large(study: VersionStudy) -> tuple[float, float]:
    """Time kNN on the embedded corpus: indexing, reading included, and the mean for a test document.

    OHSUMED is not at hand; these stories have 37 distinct terms on average.
    """
    options = study.options["large"]
    study.say(f"kNN, {options['training']:,} documents")
    corpus = load("newswire", documents=options["training"] + options["training"] // 2 + 2)
    began = time.process_time()
    vectors = Vectors(weights="ltc")
    kept = corpus.train.take(np.arange(options["training"]))
    model = study.reproduction.systems["kNN"].classifier().fit(vectors.fit_transform(kept), kept.labels)
    indexed = time.process_time()
    new = vectors.transform(corpus.test.take(np.arange(options["test"])))
    before = time.process_time()
    model.decision_function(new)
    return indexed - began, (time.process_time() - before) / options["test"]


MEASURES = ("11-pt", "miF1")


class Tuning:
    """Points of the search, each a value for every parameter, judged on the validation part."""

    def __init__(self, study: VersionStudy) -> None:
        self.study, self.options = study, study.options["tuning"]
        self._scored, self._judged, self.made = Once(MANY), Once(MANY), False

    @cached_property
    def corpus(self) -> Corpus:
        """Training documents of v3, a third of them in the place of the test documents."""
        whole = self.study.corpus("v3")
        held = assign_folds(whole.train.labels, 3, seed=0) == 0
        kept, out = (whole.train.take(np.flatnonzero(rows)) for rows in (~held, held))
        return replace(whole, train=kept, test=out)

    @cached_property
    def material(self) -> TrainingData:
        """Return the same documents, read once for all points."""
        return TrainingData(self.corpus, test=self.corpus.test)

    def judged(self, system: str, point: Mapping[str, Any]) -> tuple[float, float]:
        """Return 11-point average precision and micro-F1 at a point."""

        def make() -> tuple[float, float]:
            scored = self._scores(system, point)
            decided = decide(scored, point["cut"], point["TR"])
            return eleven_points(scored, point["TR"]), micro_f1(scored.truth, decided)

        return self._judged.get((system, *sorted(point.items())), make)

    def _scores(self, system: str, point: Mapping[str, Any]) -> ScoredSystem:
        changes = {"weights": point["TW"]} | {name: point[name] for name in ("k", "p") if name in point}
        if "FT" in point:
            changes["select"] = f"chi2:{point['FT']}"

        def make() -> ScoredSystem:
            self.study.say(f"tuning {system}: " + ", ".join(f"{name} = {value}" for name, value in changes.items()))
            varied = self.study.reproduction.systems[system].varied(**changes)
            return ScoredSystem(varied, self.corpus, material=self.material)

        return self._scored.get((system, *sorted(changes.items())), make)

    def table_3(self) -> OurFigures:
        """Return the rows of the paper, others fixed as printed there; then our own searches to the end."""
        figures: OurFigures = {}
        self.made = True
        self._judge_all([(row["system"], point) for row in self.options["rows"] for point in _points(row).values()])
        for row in self.options["rows"]:
            figures |= self._row(row)
        for system, grid in self.options["greedy"].items():
            figures |= self._greedy(system, grid)
        return figures

    def _judge_all(self, points: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        """Judge points on all cores: first the scores, each once, then what is decided by them."""
        scored = {id(each): each for each in (self._scores(*point) for point in points)}
        run_tasks(lambda each: each.out_of_fold, scored.values(), engine="threads")
        run_tasks(lambda point: self.judged(*point), points, engine="threads")

    def _row(self, row: Mapping[str, Any]) -> OurFigures:
        """Return our best value of one parameter, and the range of both measures over those the paper calls best."""
        by = MEASURES.index(row["by"])
        values = {value: self.judged(row["system"], point) for value, point in _points(row).items()}
        chosen = max(values, key=lambda value: values[value][by])
        figures: OurFigures = {
            (row["row"], "best choice"): row["printed"] if chosen in row["best"] else str(chosen),
            (row["row"], "our best"): chosen,
        }
        for number, measure in enumerate(MEASURES):
            among = [values[value][number] for value in row["best"]]
            figures[row["row"], f"{measure}, lowest of the best"] = min(among)
            figures[row["row"], f"{measure}, highest of the best"] = max(among)
        return figures

    def _greedy(self, system: str, grid: Mapping[str, Sequence[Any]]) -> OurFigures:
        """Search all parameters in the paper's order by micro-F1; return what is chosen, and how much was tried."""

        def judge(points: Sequence[Mapping[str, Any]]) -> list[float]:
            self._judge_all([(system, point) for point in points])
            return [self.judged(system, point)[1] for point in points]

        tried = search(grid, judge, greedy=True)
        best = best_of(tried, lambda a, b: a > b)
        row = f"{system}, greedy"
        said = ", ".join(f"{name}={value}" for name, value in best.values.items())
        ranking, f1 = self.judged(system, best.values)
        every = int(np.prod([len(candidates) for candidates in grid.values()]))
        return {
            (row, "our best"): f"{said}; {len(tried)} of {every} tried",
            (row, "11-pt, highest of the best"): ranking,
            (row, "miF1, highest of the best"): f1,
        }

    def figures(self) -> tuple[Figure, ...]:
        """Draw the rows that are marked for it; nothing when table 3 was not made."""
        rows = [row for row in self.options["rows"] if row.get("figure")]
        return tuple(self._curve(row) for row in rows) if self.made else ()

    def _curve(self, row: Mapping[str, Any]) -> Figure:
        name, values = row["parameter"], row["candidates"]
        judged = [self.judged(row["system"], {**row["fixed"], name: value}) for value in values]
        series = tuple(Series(measure, values, [pair[i] for pair in judged]) for i, measure in enumerate(MEASURES))
        title = f"{row['system']} on the validation part of v3 by {name}"
        return Figure(f"{row['system'].lower()}-{name.lower()}", title, name, "11-pt and micro-F1", series)


def _points(row: Mapping[str, Any]) -> dict[Any, dict[str, Any]]:
    """Return the points of a row of the paper by the value of its parameter."""
    return {value: {**row["fixed"], row["parameter"]: value} for value in row["candidates"]}


def table_4(study: VersionStudy) -> OurFigures:
    """Measure the test set of v3 with the printed parameters, TR = 10."""
    figures: OurFigures = {}
    limit = study.options["table4"]["TR"]
    for system, cuts in study.options["table4"]["cuts"].items():
        scored = study.scored(system, "v3")
        figures[system, "11-pt"] = eleven_points(scored, limit)
        for column, cut in cuts.items():
            figures[system, column] = micro_f1(scored.truth, decide(scored, cut, limit))
    return figures


def text_numbers(study: VersionStudy) -> OurFigures:
    """Return the numbers of sections 2.2, 3.4, 4.1, 5.2 to 5.4."""
    figures = {**_corpus_claims(study), **_selection(study), **_unlabelled(study), **_rankings(study)}
    return {(item, "value"): value for item, value in figures.items()}


def _corpus_claims(study: VersionStudy) -> dict[str, Value]:
    v2, v3 = study.corpus("v2"), study.corpus("v3")
    refused = rejector(v3.test.labels)
    ohsumed = study.options["ohsumed"]
    return {
        "unlabelled training documents of v2": 1 - labelled_share(v2.train),
        "unlabelled test documents of v2": 1 - labelled_share(v2.test),
        "categories per document of v3": v3.test.labels.nnz / len(v3.test),
        "error of the trivial rejector on v3": micro("error", refused),
        "accuracy of the trivial rejector on v3": micro("accuracy", refused),
        "error of the trivial rejector on OHSUMED": ohsumed["categories_per_document"] / ohsumed["categories"],
        "unique words in the training documents of v3": len(_unstemmed(v3.train)),
    }


def _unstemmed(documents: Documents) -> Sequence[str]:
    """Return the words without stop words, not stemmed; stemmed they are 17,956."""
    return Vectors(Analyzer(stem=None), weights="nnn").fit(documents).vocabulary_


def _selection(study: VersionStudy) -> dict[str, Value]:
    """Measure kNN with 2,485 terms chosen by χ² and with all of them (section 4.1)."""
    figures: dict[str, Value] = {}
    for terms, select in (("all terms", None), ("2,485 terms", "chi2:2485")):
        scored = study.scored("kNN", "v3", select=select)
        figures[f"11-pt of kNN with {terms}"] = eleven_points(scored)
        figures[f"miF1 of kNN with {terms}"] = micro_f1(scored.truth, decide(scored, "scut"))
    return figures


def _unlabelled(study: VersionStudy) -> dict[str, Value]:
    """Count the seeming errors of section 5.2: if unlabelled documents had labels, a perfect system would seem to err.

    Also the rise of both rankings from v2 to v2.2, where unlabelled documents have a category of their own in v2.
    """
    v2 = study.corpus("v2")
    figures: dict[str, Value] = {
        "seeming error of a perfect system on v2": 1 - labelled_share(v2.test),
        "seeming error of the trivial rejector on v2": labelled_share(v2.test),
    }
    for system in ("kNN", "WORD"):
        rise = eleven_points(study.scored(system, "v2.2")) - eleven_points(study.scored(system, "v2", unlabelled=True))
        figures[f"rise of {system} from v2 to v2.2 in 11-pt"] = rise
    return figures


def _rankings(study: VersionStudy) -> dict[str, Value]:
    """Rank the systems: who gains from v2 to v3, who is first and last on v3 (sections 5.3 and 5.4)."""
    versions = study.options["table6"]
    learning = [name for name in versions if name not in ("WORD", "CONSTRUE")]
    on_v3 = {name: cell(study, name, "v3") for name in learning if "v3" in versions[name]}
    both = [name for name in on_v3 if "v2" in versions[name] and name != "EXPERTS"]
    smallest = min(on_v3[name] - cell(study, name, "v2") for name in both)
    figures: dict[str, Value] = {
        "smallest gain from v2 to v3 of a learning system but EXPERTS": smallest,
        "last of the learning systems on v3": min(on_v3, key=lambda name: on_v3[name]),
        "kNN and LLSF among the first three on v3": _among_first(on_v3),
        "every learning system is better than WORD on v3": "yes" if _all_above(study, on_v3) else "no",
    }
    if "EXPERTS" in on_v3 and "v2" in versions["EXPERTS"]:
        figures["gain of EXPERTS from v2 to v3"] = on_v3["EXPERTS"] - cell(study, "EXPERTS", "v2")
    return figures


def _among_first(on_v3: dict[str, float]) -> str:
    first = sorted(on_v3, key=lambda name: -on_v3[name])[:3]
    return "yes" if {"kNN", "LLSF"} <= {*first} else "no"


def _all_above(study: VersionStudy, on_v3: dict[str, float]) -> bool:
    return min(on_v3.values()) > cell(study, "WORD", "v3")
