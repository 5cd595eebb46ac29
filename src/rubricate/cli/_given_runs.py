"""The runs that a command was given on its line: read, brought over the truth, and cut where asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from rubricate.cli import _options as options
from rubricate.errors import InvalidInput

if TYPE_CHECKING:
    from rubricate.files.predictions.text_runs import Topic
    from rubricate.types import Decisions, Run, Sparse

__all__ = ["Given", "given_runs"]


@dataclass(frozen=True)
class Given:
    """How to read and cut the runs. `held_out_run` has the same systems' scores of the documents in `held_out`."""

    cut: options.Cut = None
    train: options.Train = None
    train_counts: options.TrainCounts = None
    held_out: options.HeldOut = None
    held_out_run: options.HeldOutRun = None
    categories: options.Categories = None
    new_categories: options.NewCategories = False
    intersection: options.Intersection = False
    topic: options.Topic = "document"

    @property
    def topics(self) -> Topic:
        """The word as the readers know it; they refuse another."""
        return cast(Any, self.topic)

    def need_frequencies(self) -> None:
        """An error where the training documents of each category, which results by frequency need, are not given."""
        if self.train is None and self.train_counts is None:
            raise InvalidInput(
                "--by-frequency needs the training documents of each category; give --train or --train-counts"
            )


def given_runs(truth: Path, runs: Sequence[Path], given: Given) -> list[Run]:
    """The runs over the documents and categories of the truth.

    `given.cut` decides where there are scores, also in place of decisions that the file makes; a run without scores
    keeps its own.
    """
    from rubricate.files.predictions.reading import read_categories, read_runs, read_truth

    labels = read_truth(given.train, topic=given.topics) if given.train is not None else None
    found = read_runs(
        truth,
        runs,
        categories=read_categories(given.categories) if given.categories is not None else (),
        train=_train(labels, given),
        intersection=given.intersection,
        new_categories=given.new_categories,
        topic=given.topics,
    )
    if given.cut is None:
        return found
    if all(run.scores is None for run in found):
        raise InvalidInput("no run has scores for --cut to work on; leave --cut away")
    return [run if run.scores is None else _cut(run, place, labels, given) for place, run in enumerate(found)]


def _train(labels: Decisions | None, given: Given) -> Any:
    from rubricate.files.predictions.train_counts import TrainCounts, read_train_counts

    if labels is not None and given.train_counts is not None:
        raise InvalidInput("--train and --train-counts say the same; give one of them")
    if given.train_counts is not None:
        return read_train_counts(given.train_counts)
    return None if labels is None else TrainCounts.of(labels)


def _cut(run: Run, place: int, train: Decisions | None, given: Given) -> Run:
    """The run with the decisions of the cut."""
    from rubricate.files.predictions.alignment import labels_over
    from rubricate.thresholds import resolve
    from rubricate.types import Decisions

    cut = given.cut or ""
    threshold = resolve(cut)
    if threshold.needs_scores:
        threshold.fit(*_held_out(run, place, given))
    elif train is not None:
        threshold.fit(None, labels_over(train, run.categories))
    decisions = Decisions(_decide(threshold, run, cut), run.categories, run.documents)
    return replace(run, decisions=decisions, signature=replace(run.signature, cut=cut))


def _decide(threshold: Any, run: Run, cut: str) -> Sparse:
    from sklearn.exceptions import NotFittedError

    try:
        return threshold.decide(run.scores)
    except NotFittedError:
        raise InvalidInput(f"the cut {cut!r} learns from training labels; give them with --train FILE") from None


def _held_out(run: Run, place: int, given: Given) -> tuple[Any, Sparse]:
    """Scores and truth of the held-out documents over the categories of the run."""
    from rubricate.files.predictions.reading import read_run
    from rubricate.types import Scores

    runs = given.held_out_run or []
    if given.held_out is None or place >= len(runs):
        raise InvalidInput(
            f"the cut {given.cut!r} learns from held-out scores; give --held-out TRUTH and, for each run in turn, "
            "--held-out-run FILE with the same system's scores of those documents"
        )
    held = read_run(
        given.held_out,
        runs[place],
        categories=run.categories,
        intersection=given.intersection,
        new_categories=given.new_categories,
        topic=given.topics,
    )
    if held.scores is None or held.truth is None:
        raise InvalidInput(f"{runs[place]} has no scores to learn the cut from")
    columns = [held.categories.index(name) for name in run.categories]
    scores = Scores(held.scores.values[:, columns], run.categories, held.documents, floor=held.scores.floor)
    return scores, held.truth[:, columns]
