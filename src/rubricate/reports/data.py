"""What a report is made of: runs with their truth, and what else is known of the study. Nothing is computed here."""

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
"""`explain(run name, row of the document, category)`: what spoke for and against it. Asked for shown errors only."""


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
            raise InvalidInput(f"learning curve of {self.run!r}: parts of different length; give one entry a size")


@dataclass(frozen=True)
class SuspectLabel:
    """A document whose label looks wrong.

    `given` says whether the document has the category now; `against` of `systems` say the opposite. `confidence` is
    any number that is larger for a clearer case; the report sorts by `against / systems`, then by it.
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
    """Everything a report shows. Only `runs` is needed; each section shows what there is and is left out else.

    runs            what each system said of the same documents, with truth; names must differ
    title           the heading of the page
    documents       the test documents, in the order of the runs: texts of errors
    corpus_note     a sentence on where the documents come from and under which licence; says so when synthetic
    commands        the exact commands that make the study again, one each
    explain         evidence for the decisions that the report shows (see `Explain`)
    analyzer        makes terms of words as the systems did, so that evidence is found in the text; None: the default
    learning        learning curves
    abstentions     coverage–error curves by run name, else those of the best category of each document
    suspects        likely mislabelled documents, else those of the test documents that the systems contradict
    seconds         time by run name and step, such as {"svm": {"fit": 1.2, "score": 0.1}}
    extras          data of further sections by their stem
    undefined       what 0/0 counts as
    resamples       draws of the document bootstrap for intervals of `level`; 0: those of Wilson only
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
            raise InvalidInput(f"runs must have different names to be told apart, got {', '.join(names)}")
        for run in self.runs:
            self._check(run, first)
        if self.documents is not None and list(self.documents.ids) != list(first.documents):
            raise InvalidInput("the documents must be those of the runs, in the same order; compare their ids")

    def _check(self, run: Run, first: Run) -> None:
        if run.truth is None:
            raise InvalidInput(f"run {run.name!r} has no truth to be measured against; give the true labels")
        if run.decisions is None:
            raise InvalidInput(f"run {run.name!r} has scores and no decisions; cut the scores first (thresholds)")
        if run.categories != first.categories or list(run.documents) != list(first.documents):
            raise InvalidInput(
                f"runs {first.name!r} and {run.name!r} are over different documents or categories; "
                "give runs over the same ones, in the same order"
            )
        if run.truth is not first.truth and (run.truth != first.truth).nnz:
            raise InvalidInput(
                f"runs {first.name!r} and {run.name!r} have different true labels; measure both against the same"
            )
