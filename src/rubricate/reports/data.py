"""The data of a report: runs with their truth, and whatever else is known of the study. Nothing is computed here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from rubricate.errors import InvalidInput
from rubricate.measures import Abstention
from rubricate.text.analyzer import Analyzer
from rubricate.types import Documents, Evidence, Run, Undefined

__all__ = ["Explain", "ReportData", "RunLearningCurve", "SuspectLabel"]

Explain: TypeAlias = Callable[[str, int, str], Sequence[Evidence]]
"""`explain(run name, row of the document, category)`: evidence for and against. Called only for errors on the page."""


@dataclass(frozen=True)
class RunLearningCurve:
    """A measure of one system against the number of training documents; `low` and `high` enclose it where known."""

    run: str
    sizes: Sequence[int]
    values: Sequence[float]
    measure: str = "miF1"
    low: Sequence[float] = ()
    high: Sequence[float] = ()

    def __post_init__(self) -> None:
        lengths = {len(self.sizes), len(self.values)} | {len(part) for part in (self.low, self.high) if len(part)}
        if len(lengths) > 1:
            raise InvalidInput(f"learning curve of {self.run!r}: parts of different length; give one entry per size")


@dataclass(frozen=True)
class SuspectLabel:
    """A document whose label looks wrong.

    `given` tells whether the document has the category now; `against` of `systems` say the opposite. `confidence` is
    any number that grows with the clarity of the case; the report sorts by `against / systems`, then by `confidence`.
    """

    document: str
    category: str
    given: bool
    against: int
    systems: int
    confidence: float = 0.0
    text: str = ""


@dataclass(frozen=True, eq=False)
class ReportData:
    """Everything that a report shows. Only `runs` is required; a section without data is left out.

    Parameters
    ----------
    runs : sequence of Run
        The predictions of each system for the same documents, with truth; names must differ.
    title : str
        The heading of the page.
    documents : Documents, optional
        The test documents, in the order of the runs; needed to show the texts of errors.
    corpus_note : str
        A sentence on the source and the licence of the documents; it says so if they are synthetic.
    commands : sequence of str
        The exact commands that repeat the study.
    explain : Explain, optional
        Returns evidence for the decisions that the report shows.
    analyzer : Analyzer, optional
        Turns words into terms as the systems did, so that evidence is found in the text; None: the default.
    learning : sequence of RunLearningCurve
        Learning curves.
    abstentions : mapping
        Coverage–error curves by run name; otherwise those of the best category of each document.
    suspects : sequence of SuspectLabel, optional
        Likely mislabelled documents; otherwise the test documents that the systems contradict.
    seconds : mapping
        Time by run name and step, such as {"svm": {"fit": 1.2, "score": 0.1}}.
    extras : mapping
        Data of further sections by their name.
    undefined : "zero" or another convention
        The value of 0/0.
    resamples : int
        Draws of the document bootstrap for intervals of `level`; 0: only Wilson's intervals.
    level : float
        The confidence of the intervals.
    seed : int
        The seed of the bootstrap and of the permutation tests.
    """

    runs: Sequence[Run]
    title: str = "Text categorization report"
    documents: Documents | None = None
    corpus_note: str = ""
    commands: Sequence[str] = ()
    explain: Explain | None = None
    analyzer: Analyzer | None = None
    learning: Sequence[RunLearningCurve] = ()
    abstentions: Mapping[str, Abstention] = field(default_factory=dict)
    suspects: Sequence[SuspectLabel] | None = None
    seconds: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    extras: Mapping[str, Any] = field(default_factory=dict)
    undefined: Undefined = "zero"
    resamples: int = 1000
    level: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.runs:
            raise InvalidInput("a report needs at least one run; give the runs of the systems, with their truth")
        first, names = self.runs[0], [run.name for run in self.runs]
        if len(set(names)) < len(names):
            raise InvalidInput(f"runs must have different names, got {', '.join(names)}")
        for run in self.runs:
            self._check(run, first)
        if self.documents is not None and list(self.documents.ids) != list(first.documents):
            raise InvalidInput("the documents must be those of the runs, in the same order; compare their ids")

    def _check(self, run: Run, first: Run) -> None:
        if run.truth is None:
            raise InvalidInput(f"run {run.name!r} has no truth; give the true labels")
        if run.decisions is None:
            raise InvalidInput(
                f"run {run.name!r} has scores but no decisions; cut the scores first (rubricate.thresholds)"
            )
        if run.categories != first.categories or list(run.documents) != list(first.documents):
            raise InvalidInput(
                f"runs {first.name!r} and {run.name!r} are over different documents or categories; "
                "give runs over the same ones, in the same order"
            )
        if run.truth is not first.truth and (run.truth != first.truth).nnz:
            raise InvalidInput(
                f"runs {first.name!r} and {run.name!r} have different true labels; give both the same truth"
            )
