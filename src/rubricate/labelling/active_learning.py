"""Strategies of active learning for several labels per document: how much each unlabelled document should teach.

ties         least gap between the chances of the two best categories, a softmax of the scores (luo2005)
uncertainty  least margin |score| over the categories: the one decision that is least sure (lewisgale1994)
margin       mean over categories of the closeness to the boundary, each on the scale of its own scores, so that rare
             categories with small scores are asked about too
reduction    expected reduction of the hinge loss of SVMs: Σ_c (1 − y_c f_c) / 2 for the label set that is most
             probable by the scores, with as many labels as the scores suggest (yangb2009, MMC)
random       the order of a seed
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from rubricate.errors import InvalidInput, UnknownName
from rubricate.labelling.stopping import StoppingRule, controls_needed, stopping_rule
from rubricate.types import Bools, FittedModel, Floats, Ints, Scores

__all__ = [
    "STRATEGIES",
    "NextDocument",
    "ReadingState",
    "boundary_scores",
    "category_scores",
    "choose",
    "next_documents",
    "next_to_read",
    "spread_out",
    "usefulness",
]


def _ties(scores: Floats, rng: np.random.Generator) -> Floats:
    if scores.shape[1] < 2:
        return _uncertainty(scores, rng)
    chances = np.exp(scores - scores.max(axis=1, keepdims=True))
    best = np.partition(chances, scores.shape[1] - 2, axis=1)[:, -2:]
    return np.asarray((best[:, 0] - best[:, 1]) / chances.sum(axis=1))


def _uncertainty(scores: Floats, rng: np.random.Generator) -> Floats:
    return np.asarray(-np.abs(scores).min(axis=1))


def _margin(scores: Floats, rng: np.random.Generator) -> Floats:
    scale = np.maximum(np.sqrt((scores**2).mean(axis=0)), 1e-12)
    near = np.exp(-np.abs(scores) / scale * 3)
    # The closest three decisions count: a sum over hundreds of categories would prefer documents about nothing.
    best = np.partition(near, max(near.shape[1] - 3, 0), axis=1)[:, -3:]
    return np.asarray(best.mean(axis=1))


def _reduction(scores: Floats, rng: np.random.Generator) -> Floats:
    ordered = -np.sort(-scores, axis=1)
    # As many labels as the largest gap between neighbouring scores leaves above it, at least one.
    gaps = ordered[:, :-1] - ordered[:, 1:] if scores.shape[1] > 1 else np.ones((len(scores), 1))
    count = np.argmax(gaps[:, : max(1, min(10, gaps.shape[1]))], axis=1) + 1
    last = ordered[np.arange(len(scores)), count - 1]
    y = np.where(scores >= last[:, None], 1.0, -1.0)
    return np.asarray(np.maximum(0.0, 1 - y * scores).sum(axis=1) / 2)


def _random(scores: Floats, rng: np.random.Generator) -> Floats:
    return rng.random(len(scores))


STRATEGIES: dict[str, Callable[[Floats, np.random.Generator], Floats]] = {
    "ties": _ties,
    "uncertainty": _uncertainty,
    "margin": _margin,
    "reduction": _reduction,
    "random": _random,
}
"""Usefulness of each document by its scores; higher is better."""


def usefulness(scores: Floats, strategy: str, *, seed: int = 0) -> Floats:
    """Return how much each document should teach, by a strategy; scores are 0 at the boundary of each category."""
    if strategy not in STRATEGIES:
        raise UnknownName("strategy", strategy, STRATEGIES)
    return STRATEGIES[strategy](scores, np.random.default_rng(seed))


def spread_out(vectors: object, order: Ints, n: int) -> Ints:
    """Return n of the documents in `order`, each unlike those chosen before it. sener2018 (greedy k-centre).

    The first is the most useful; then always the one whose greatest similarity to a chosen one is least, divided by its
    place in the order, so that useless documents are not taken for being odd. Vectors have unit length.
    """
    from scipy import sparse

    matrix = sparse.csr_array(vectors)[order]
    worth = np.linspace(1.0, 0.5, len(order))
    nearest = np.zeros(len(order))
    chosen: list[int] = []
    for _ in range(min(n, len(order))):
        gain = worth * (1 - np.clip(nearest, 0, 1))
        gain[chosen] = -1.0
        best = int(np.argmax(gain))
        chosen.append(best)
        nearest = np.maximum(nearest, np.asarray((matrix @ matrix[[best]].T).todense()).ravel())
    return order[chosen]


POOL = 5
"""Diversity chooses among this many times the documents asked for, the most useful ones."""


@dataclass(frozen=True)
class NextDocument:
    """A document to label next, how useful it is, and why it was chosen."""

    document: str
    score: float
    why: str


@dataclass(frozen=True, eq=False)
class ReadingState:
    """How the search for the documents of one category stands."""

    documents: tuple[NextDocument, ...]
    stop: bool
    found: int
    controls: int
    controls_found: int
    needed: int | None
    message: str


def next_documents(
    model: FittedModel,
    documents: Any,
    n: int = 50,
    *,
    strategy: str = "ties",
    diverse: bool = False,
    labelled: Sequence[str] = (),
    seed: int = 0,
) -> list[NextDocument]:
    """Choose the documents to label next.

    Parameters
    ----------
    model
        A trained `Categorizer`.
    documents : Documents
        Unlabelled documents.
    n : int
        How many.
    strategy : str
        ties, uncertainty, margin, reduction or random; see `strategies`.
    diverse : bool
        Choose among five times as many useful documents those that differ most from each other.
    labelled : sequence of str
        Ids of documents that are labelled already; they are left out.
    seed : int
        For random, and to break ties.
    """
    if n < 1:
        raise InvalidInput(f"{n} documents to label next; give at least 1")
    ids = [str(name) for name in documents.ids]
    known = set(map(str, labelled))
    open_ = np.array([row for row, name in enumerate(ids) if name not in known], np.int64)
    if not len(open_):
        raise InvalidInput("every document is labelled already; give documents without labels")
    rest = documents.take(open_)
    scores = boundary_scores(model, rest)
    chosen, useful = choose(
        scores, n, strategy=strategy, vectors=model.model_.vectors(rest) if diverse else None, seed=seed
    )
    return [NextDocument(ids[open_[row]], float(useful[row]), strategy) for row in chosen]


def choose(
    scores: Floats, n: int, *, strategy: str = "ties", vectors: Any = None, seed: int = 0
) -> tuple[Ints, Floats]:
    """Return the rows to label next, and the usefulness of all rows; diverse where vectors are given."""
    useful = usefulness(scores, strategy, seed=seed)
    order = np.argsort(-useful, kind="stable")
    if vectors is None or strategy == "random":
        return order[:n], useful
    return spread_out(vectors, order[: POOL * n], n), useful


def boundary_scores(model: FittedModel, documents: Any) -> Floats:
    """Return scores that are 0 where the model decides: less its cuts, where it has one per category."""
    values = _score_values(model, documents)
    scores = values.toarray() if hasattr(values, "toarray") else np.asarray(values, float)
    scores = np.where(np.isfinite(scores), scores, scores[np.isfinite(scores)].min(initial=0.0))
    cuts = getattr(model.cut_, "cuts_", None)
    return scores if cuts is None else scores - np.where(np.isfinite(cuts), cuts, 0.0)


def _score_values(model: FittedModel, documents: Any) -> Any:
    """Return the scores of documents as the model gives them, an array or a sparse matrix."""
    return cast(Scores, model.run(documents).scores).values


def next_to_read(
    ids: Sequence[str],
    scores: Floats,
    labels: Mapping[str, bool],
    *,
    control: Sequence[str],
    recall: float,
    n: int = 50,
    confidence: float = 0.95,
    seed: int = 0,
) -> ReadingState:
    """Return what to read next to find the documents of a category, or that it is time to stop.

    First a random control sample is read until it holds enough documents of the category for the promise; then the rest
    in the order of the scores, until the stopping rule says that recall is reached. Control documents count as found
    when the reading has passed their place in the order.

    Parameters
    ----------
    ids, scores : all documents, and their scores for the category.
    labels : by id, whether the documents read so far belong to the category.
    control : ids of the random sample, in the order it was drawn.
    recall, confidence : the promise.
    n : how many documents to read next.
    seed : for drawing further control documents.
    """
    place = {str(name): row for row, name in enumerate(ids)}
    lost = [name for name in (*labels, *control) if str(name) not in place]
    if lost:
        raise InvalidInput(f"labels outside the documents, such as {lost[0]}; give all documents")
    in_control = np.zeros(len(place), bool)
    in_control[[place[str(name)] for name in control]] = True
    read, yes = np.zeros(len(place), bool), np.zeros(len(place), bool)
    for name, label in labels.items():
        read[place[str(name)]], yes[place[str(name)]] = True, bool(label)
    unread = [str(name) for name in control if not read[place[str(name)]]]
    least = controls_needed(recall, confidence=confidence)
    positives = int((in_control & yes).sum())
    if positives < least and not (read | in_control).all():
        return _more_control(ids, (in_control, read, unread), positives, least, n=n, seed=seed, found=int(yes.sum()))
    rule = stopping_rule(recall, positives, confidence=confidence)
    return _ranked(ids, scores, (in_control, read, yes), rule, n)


def _more_control(
    ids: Sequence[str],
    state: tuple[Bools, Bools, list[str]],
    positives: int,
    least: int,
    *,
    n: int,
    seed: int,
    found: int,
) -> ReadingState:
    """Return further documents of the control sample: those drawn but not read, else new ones at random."""
    in_control, read, unread = state
    batch = unread[:n]
    if not batch:
        order = np.random.default_rng(seed).permutation(len(ids))
        fresh = [str(ids[row]) for row in order if not in_control[row] and not read[row]]
        batch = fresh[:n]
    message = f"control sample: {positives} of {least} documents of the category found; read on at random"
    chosen = tuple(NextDocument(name, float("nan"), "control") for name in batch)
    return ReadingState(chosen, False, found, positives, positives, None, message)


def _ranked(
    ids: Sequence[str], scores: Floats, state: tuple[Bools, Bools, Bools], rule: StoppingRule, n: int
) -> ReadingState:
    in_control, read, yes = state
    order = np.argsort(-np.asarray(scores, float), kind="stable")
    # The reading has passed everything down to the last document before the first one that is neither read nor control.
    waiting = np.flatnonzero(~(read | in_control)[order])
    front = int(waiting[0]) if len(waiting) else len(order)
    passed = order[:front]
    controls_found = int((in_control & yes)[passed].sum())
    found = int((yes & ~in_control).sum()) + controls_found
    stop = rule.stop(controls_found) or not len(waiting)
    promise = f"recall of at least {rule.recall:g} with {100 * rule.confidence:g} % confidence"
    message = (
        f"stop: {promise}"
        if stop
        else f"{controls_found} of {rule.needed} control documents reached; read on for {promise}"
    )
    batch = (
        () if stop else tuple(NextDocument(str(ids[row]), float(scores[row]), "ranked") for row in order[waiting[:n]])
    )
    return ReadingState(batch, stop, found, rule.controls, controls_found, rule.needed, message)


def category_scores(model: FittedModel, documents: Any, category: str) -> Floats:
    """Return the scores of documents for one category."""
    if category not in model.categories_:
        raise UnknownName("category", category, model.categories_)
    column = list(model.categories_).index(category)
    part = _score_values(model, documents)[:, [column]]
    return np.asarray(part.toarray() if hasattr(part, "toarray") else part, float).ravel()
