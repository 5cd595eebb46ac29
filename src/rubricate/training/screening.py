"""The choice of a representation on a sample of the training documents, before anything is trained on all of them.

Each candidate is cross-validated in three folds with a linear SVM, C = the number of its blocks (so that C = 1 for
each block of length 1). The simplest one (the fewest entries per document) is taken among those that come within
`MARGIN` of the best. The better of the narrow ones is also tried with a smoothed idf and with none; where one of them
is clearly better, the wide ones are tried with that. With an encoder, its vectors join the candidates, and so does the
best of the others beside vectors, with each of `WEIGHTS`.

Three folds of few documents say little, and all of them cost little: there the mixed representation with a smoothed
idf, which is never far from the best, is taken unless another one is better by more than `noise`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.engines import Engine, run_tasks
from rubricate.errors import InvalidInput
from rubricate.folds import assign_folds
from rubricate.measures import counts, macro, micro
from rubricate.text.embeddings import Embeddings
from rubricate.text.representation import Representation
from rubricate.thresholds import Threshold
from rubricate.training.cache import Entry
from rubricate.training.candidates import candidates_for, costs_for, start_among, usual_cost
from rubricate.training.choosing import MACRO_SHARE, choose
from rubricate.training.data import TrainingData
from rubricate.training.memory import document_texts
from rubricate.training.plan import Step, TrainingPlan
from rubricate.training.representations import (
    HYBRID,
    MIXED,
    VECTORS,
    AnyRepresentation,
    has_vectors,
    hybrid,
    vector_representation,
    weighed,
)
from rubricate.training.run import TrainingRun
from rubricate.training.scoring import limit_for

__all__ = ["Screened", "Screening", "screen"]

FOLDS = 3
TOL = 0.03
"""The duality gap of the SVMs of these folds, as a share of the primal.

On fifteen samples of four corpora the same representation and costs are chosen as with a gap of .001; worths of single
representations differ by .001 on average, those of 500 documents by up to .01."""
SHARES = 4
"""The sample is one of so many parts: 25 % of the documents."""
FEWEST = 3000
"""Documents that a sample has at least, where there are as many: fewer make the choice a matter of luck."""
SMOOTHED = "s"
IDF = {SMOOTHED: "smoothed idf", "n": "no idf"}
"""Weights of the document frequency that are tried beside the full one, and what they are called."""
MOST_DOCUMENTS, MOST_CHARACTERS = 12_000, 4 << 20
"""What a sample holds at most, about; more would cost as much as the training that it saves."""
MOST_ENTRIES = 1 << 24
"""Entries of all training documents up to which a representation is tried.

They cost 12 bytes each, several times over, and training time in proportion: character n-grams of 20 Newsgroups (26
million entries) cost ten times the terms and gain nothing."""
MOST_NUMBERS = 1 << 27
"""The same for representations with vectors, whose numbers come without gaps: 1 GB."""
WEIGHTS = (0.5, 1.0, 2.0)
"""Weights of vectors beside terms of length 1 that are tried: short texts want 1 or 2, long ones .5 or 1."""
MARGIN = 0.004
"""What a wider representation must gain: the noise of the sample. Twice as much gives away gains on short texts."""

NOISE = 0.15
"""What a representation must gain on n < `FEWEST` documents, times √n: about .7 standard errors of the difference.

Four draws of 60 to 300 documents from each of six corpora, judged on 600 others: mixed with a smoothed idf is at most
.009 below the best of 15 (.028 on WebKB, which wants no idf), terms up to .12, characters up to .024 (.048)."""
CHEAP = 1 << 21
"""Entries of all documents up to which the mixed representation is taken for its safety; more would cost minutes."""


@dataclass(frozen=True)
class Screened:
    """How a candidate did on the sample; `left_out` says why it was not tried."""

    name: str
    micro_f1: float | None = None
    macro_f1: float | None = None
    entries: float | None = None
    left_out: str = ""

    @property
    def selection_score(self) -> float:
        """Micro-F1 + ¼ macro-F1, as options are compared elsewhere; -inf for what was not tried."""
        if self.micro_f1 is None or self.macro_f1 is None:
            return -np.inf
        return self.micro_f1 + MACRO_SHARE * self.macro_f1


@dataclass(frozen=True)
class Screening:
    """The name of the chosen representation, the size of the sample, how each candidate did, and the chosen one.

    `costs` are the two C that do best on the sample; empty where the sample is all documents, whose folds say more.
    """

    chosen: str
    documents: int
    tried: tuple[Screened, ...]
    representation: Any = field(default=None, compare=False, repr=False)
    costs: tuple[float, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for a summary and a model file."""
        return {"chosen": self.chosen, "documents": self.documents, "tried": [asdict(each) for each in self.tried]}


def screen(
    candidates: Mapping[str, AnyRepresentation],
    material: TrainingData,
    *,
    cut: Threshold,
    seed: int = 0,
    engine: Engine | str = "threads",
    encoder: Embeddings | None = None,
    only: str | None = None,
    tuned: bool = False,
) -> Screening:
    """Choose among representations by out-of-fold scores on a stratified sample.

    A candidate that cannot be learned (no term in it) is left out; where none can, the first error is raised. With an
    `encoder`, vectors and hybrids are tried too; `only` = "hybrid" chooses among hybrids. With `tuned`, a sample also
    says which C are worth trying on all documents.
    """
    sample = _sample(material, seed)
    trials = _Trials(sample, total=len(material.ids), cut=cut, seed=seed, engine=engine)
    tried, known = trials.tried, trials.known
    narrow = {name: each for name, each in candidates.items() if isinstance(each, Representation)}
    trials.attempt(narrow)
    few = sample is material and len(sample.ids) < FEWEST
    letter = _idf(trials, margin=noise(len(sample.ids)) if few else 0.0)
    wide: dict[str, AnyRepresentation] = {}
    for name, representation in candidates.items():
        if name not in narrow:
            other = None if letter not in IDF else weighed(representation, letter)
            wide[name if other is None else f"{name}, {IDF[letter]}"] = representation if other is None else other
    trials.attempt(wide)
    if encoder is not None and len(trials.errors) < len(tried):
        base = _preferred(tried, len(sample.ids)) if few else _simplest(tried)
        beside = {f"{HYBRID} of {base.name} and vectors × {weight:g}": weight for weight in WEIGHTS}
        hybrids = {name: hybrid(known[base.name], encoder, weight) for name, weight in beside.items()}
        trials.attempt({VECTORS: vector_representation(encoder), **hybrids})
    if len(trials.errors) == len(tried):
        raise trials.errors[0]
    safe = few and encoder is None
    open_ = [each for each in tried if only is None or each.name.startswith(only)]
    chosen = _preferred(open_, len(sample.ids)) if safe else _simplest(open_)
    costs: tuple[float, ...] = ()
    if tuned and sample is not material:
        costs = _costs(known[chosen.name], sample, cut=cut, seed=seed, engine=engine)
    return Screening(chosen.name, len(sample.ids), tuple(tried), known[chosen.name], costs)


def noise(documents: int) -> float:
    """Return what a representation must gain to be taken for better on so few documents.

    >>> noise(100), noise(1_000_000)
    (0.015, 0.004)
    """
    return max(MARGIN, NOISE / documents**0.5)


def _idf(trials: _Trials, *, margin: float) -> str:
    """Try the better of the narrow representations with less idf; return the letter for the wide ones.

    Where few categories share most of their words, as the pages of WebKB do, idf costs five points; on short texts the
    smoothed one gains a point; on long ones of many categories the full one is best. With a `margin`, that of few
    documents, the smoothed one stands unless another is better by more than that; else the full one.
    """
    best = max(trials.tried, key=lambda each: each.selection_score, default=None)
    letters = {"t": -np.inf if best is None else best.selection_score - margin}
    if best is None or best.micro_f1 is None:
        return "t"
    others = {letter: weighed(trials.known[best.name], letter) for letter in IDF}
    found = trials.attempt({f"{best.name}, {IDF[letter]}": each for letter, each in others.items() if each is not None})
    for letter in IDF:
        if others[letter] is not None:
            handicap = (0.0 if letter == SMOOTHED else margin) if margin else MARGIN
            letters[letter] = found[f"{best.name}, {IDF[letter]}"].selection_score - handicap
    return max(letters, key=lambda letter: letters[letter])


def _preferred(tried: Sequence[Screened], documents: int) -> Screened:
    """Return the mixed representation unless another is better by more than the noise, or it is too large."""

    def value(each: Screened) -> float:
        mixed = each.name.partition(",")[0] == MIXED and (each.entries or 0.0) * documents <= CHEAP
        return each.selection_score if mixed else each.selection_score - noise(documents)

    best = max(tried, key=value)
    return best if best.name.partition(",")[0] == MIXED else _simplest(tried)


def _simplest(tried: Sequence[Screened]) -> Screened:
    """Return the candidate with the fewest entries among those that are not clearly worse than the best.

    Hybrids have the same entries whatever the weight of vectors: of these the best.
    """
    best = max(each.selection_score for each in tried)
    near = [each for each in tried if each.selection_score >= best - MARGIN]
    return min(
        near, key=lambda each: (each.entries or 0.0, -each.selection_score if each.name.startswith(HYBRID) else 0.0)
    )


class _Trials:
    """Cross-validations of representations on the sample, several at a time, which keeps all cores busy."""

    def __init__(self, sample: TrainingData, *, total: int, cut: Threshold, seed: int, engine: Engine | str) -> None:
        self.sample, self.total, self.cut, self.seed, self.engine = sample, total, cut, seed, engine
        self.tried: list[Screened] = []
        self.errors: list[InvalidInput] = []
        self.known: dict[str, AnyRepresentation] = {}

    def attempt(self, named: Mapping[str, AnyRepresentation]) -> dict[str, Screened]:
        """Try representations; return how each did, or why it was left out."""
        engine = self.engine if self.engine == "threads" else "serial"
        found = dict(
            zip(named, run_tasks(lambda name: self._sized(name, named[name]), named, engine=engine), strict=True)
        )
        ready = {name: self._execution(named[name]) for name, each in found.items() if not each.left_out}
        tasks = [(name, step) for name in ready for step in ready[name].procedure.steps(final=False)]
        results = run_tasks(_Steps(ready, tasks), range(len(tasks)), engine=self.engine)
        for (name, step), result in zip(tasks, results, strict=True):
            if isinstance(result, InvalidInput):
                found[name] = self._failed(name, result)
            else:
                ready[name].keep(step, result)
        for name in ready:
            found[name] = found[name] if found[name].left_out else self._judged(found[name], ready[name])
        self.known.update(named)
        self.tried += found.values()
        return found

    def _sized(self, name: str, representation: AnyRepresentation) -> Screened:
        """Return a candidate with its size, and whether that is too much."""
        try:
            X = self.sample.shaped(representation, None).X
        except InvalidInput as error:
            return self._failed(name, error)
        entries = float((X.nnz if sparse.issparse(X) else X.size) / len(self.sample.ids))
        most = MOST_NUMBERS if has_vectors(representation) else MOST_ENTRIES
        if name != "terms" and entries * self.total > most:
            reason = f"about {entries * self.total / 1e6:.0f} million entries; more than {most / 1e6:.0f} million"
            return Screened(name, entries=entries, left_out=f"{reason} cost more time and memory than they bring")
        return Screened(name, entries=entries)

    def _failed(self, name: str, error: InvalidInput) -> Screened:
        self.errors.append(error)
        return Screened(name, left_out=str(error))

    def _execution(self, representation: AnyRepresentation) -> TrainingRun:
        costs = (usual_cost(representation),)
        svms = tuple(svm.set_params(tol=TOL) for svm in candidates_for(None, tuned=True, costs=costs))
        procedure = _procedure(representation, svms, self.sample, cut=self.cut, seed=self.seed)
        return TrainingRun(procedure, self.sample, engine=self.engine)

    def _judged(self, sized: Screened, execution: TrainingRun) -> Screened:
        ((scores, labels),) = execution.held_out_scores()
        table = counts(labels, choose(self.cut, [scores], labels).cut.decide(scores))
        return replace(sized, micro_f1=float(micro("f1", table)), macro_f1=float(macro("f1", table)))


class _Steps:
    """Computes steps of several executions by number; a step that cannot be learned returns its error."""

    def __init__(self, executions: Mapping[str, TrainingRun], tasks: Sequence[tuple[str, Step]]) -> None:
        self.executions, self.tasks = executions, tasks

    def __call__(self, number: int) -> Entry | InvalidInput | None:
        """Compute a step."""
        name, step = self.tasks[number]
        try:
            return self.executions[name].task(step)
        except InvalidInput as error:
            return error


def _procedure(
    representation: AnyRepresentation,
    candidates: tuple[Any, ...],
    sample: TrainingData,
    *,
    cut: Threshold,
    seed: int,
    climbs_from: int | None = None,
) -> TrainingPlan:
    """Return the cross-validation of candidates on the sample."""
    return TrainingPlan(
        representations=(representation,),
        candidates=candidates,
        cut=cut,
        folds=min(FOLDS, len(sample.ids)),
        seed=seed,
        limit=limit_for(*sample.labels.shape),
        single_label=sample.single_label,
        climbs_from=climbs_from,
    )


def _costs(
    representation: AnyRepresentation, sample: TrainingData, *, cut: Threshold, seed: int, engine: Engine | str
) -> tuple[float, ...]:
    """Return the C that does best on the sample and the better of its neighbours."""
    costs = costs_for(representation)
    svms = candidates_for(None, tuned=True, costs=costs)
    start = start_among(costs, usual_cost(representation))
    procedure = _procedure(representation, svms, sample, cut=cut, seed=seed, climbs_from=start)
    execution = TrainingRun(procedure, sample, engine=engine)
    choice = execution.choice()
    selection_scores = dict(zip(execution.tried, choice.selection_scores, strict=True))
    near = max(
        (at for at in (choice.option - 1, choice.option + 1) if at in selection_scores),
        key=selection_scores.__getitem__,
    )
    return tuple(costs[at] for at in sorted((choice.option, near)))


def _sample(material: TrainingData, seed: int) -> TrainingData:
    """Return a stratified sample of the training documents; all of them where they are few."""
    documents = len(material.ids)
    characters = sum(len(text) for text in document_texts(material) if isinstance(text, str))
    parts = max(min(SHARES, documents // FEWEST), documents // MOST_DOCUMENTS, characters // MOST_CHARACTERS, 1)
    parts = min(parts, max(1, documents // (2 * FOLDS)))
    if parts == 1:
        return material
    return material.sample(np.flatnonzero(assign_folds(material.labels, parts, seed=seed) == 0))
