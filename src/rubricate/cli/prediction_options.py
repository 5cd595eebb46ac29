"""Predictions without a truth: the documents of a population, cut into decisions where asked."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from rubricate.cli.output import progress
from rubricate.errors import InvalidFile, InvalidInput

if TYPE_CHECKING:
    from rubricate.io.predictions import Problem, Topic
    from rubricate.significance import System
    from rubricate.types import Decisions, Run, Sparse

__all__ = ["Cut", "Level", "PredictionOptions", "Runs", "Seed", "Truth", "read_population", "read_systems"]

Cut = Annotated[str | None, typer.Option(help="Turn scores into decisions: 0.5 or rcut:1.")]
Level = Annotated[float, typer.Option(help="The confidence of the intervals.")]
Seed = Annotated[int, typer.Option(help="The seed of the draws.", min=0)]


def read_population(path: Path, *, cut: str | None = None, need_decisions: bool = True) -> Run:
    """Read the predictions of a file over its own documents and categories.

    Scores without decisions are cut at `cut`; probabilities without a cut at .5, with a word on standard error.
    """
    from scipy import sparse

    from rubricate.labelling.runs import cut_run, read_predictions

    run = read_predictions(path)
    if cut is not None:
        return cut_run(run, cut)
    if run.decisions is None and need_decisions:
        values: Any = run.scores.values if run.scores is not None else None
        stored = values.data if sparse.issparse(values) else values
        if stored is None or float(stored.min(initial=0)) < 0 or float(stored.max(initial=0)) > 1:
            raise InvalidInput(f"{path} has scores but no decisions; give a cut, such as --cut 0.5 or --cut rcut:1")
        typer.echo(f"rubricate: {path} has probabilities but no decisions; cut at .5 (--cut changes it)", err=True)
        return cut_run(run, "0.5")
    return run


Truth = Annotated[Path, typer.Argument(help="The true labels.")]
Runs = Annotated[list[Path], typer.Argument(help="The predictions of each system, named by its file.")]
_NewCategories = typer.Option("--new-categories", help="Deprecated: --unknown wrong.", hidden=True)
_Intersection = typer.Option("--intersection", help="Deprecated: --missing drop.", hidden=True)
_Missing = typer.Option(help="A document of the truth that a run lacks: error, wrong, or drop (for all runs).")
_Unknown = typer.Option(help="A label that is not a category of the truth: error, or wrong.")
_Duplicates = typer.Option(help="A document or pair that occurs twice: error, or first.")
_Id = typer.Option("--id", help="The column that names the documents.", metavar="NAME")


@dataclass(frozen=True)
class PredictionOptions:
    """How to read and cut the runs. `held_out_run` has the same systems' scores of the documents in `held_out`."""

    cut: Annotated[str | None, "Turn scores into decisions: 0.5, rcut:1, pcut:1.2, scut, micro_macro."] = None
    train: Annotated[Path | None, "Training labels, for pcut and results by frequency."] = None
    train_counts: Annotated[
        Path | None, "Training documents by category (CSV category,count), for results by frequency."
    ] = None
    held_out: Annotated[Path | None, "Truth of held-out documents, for cuts that learn from scores."] = None
    held_out_run: Annotated[
        list[Path] | None, "The same system's scores of those documents; once for each run, in order."
    ] = None
    categories: Annotated[
        Path | None, "All categories, if the truth lacks some: a file with one per line, or the model that decided."
    ] = None
    missing: Annotated[str, _Missing] = "error"
    unknown: Annotated[str, _Unknown] = "error"
    duplicates: Annotated[str, _Duplicates] = "error"
    id_column: Annotated[str | None, _Id] = None
    encoding: Annotated[str, "The encoding of text files."] = "utf-8"
    new_categories: Annotated[bool, _NewCategories] = False
    intersection: Annotated[bool, _Intersection] = False
    topic: Annotated[str, "What the topics of TREC files are: document or category."] = "document"

    def __post_init__(self) -> None:
        _ = self.policies  # refuse an unknown policy before any file is read

    @property
    def topics(self) -> Topic:
        """What the topics of TREC files are; the readers check it."""
        return cast(Any, self.topic)

    @property
    def policies(self) -> dict[str, Any]:
        """Return the policies as options of `read_runs`; the deprecated options are said to be so."""
        from rubricate.io.alignment import Policies

        missing, unknown = self.missing, self.unknown
        if self.intersection:
            missing = "drop"
        if self.new_categories:
            unknown = "wrong"
        policies = Policies(cast(Any, missing), cast(Any, unknown), cast(Any, self.duplicates))
        if policies.unknown == "new":
            raise InvalidInput("--unknown 'new'; give error or wrong")
        return {"missing": policies.missing, "unknown": policies.unknown, "duplicates": policies.duplicates}

    def need_frequencies(self) -> None:
        """Refuse to go on without training documents per category, which results by frequency need."""
        if self.train is None and self.train_counts is None:
            raise InvalidInput(
                "--by-frequency needs the training documents per category; give --train or --train-counts"
            )

    def read(self, truth: Path, runs: Sequence[Path]) -> list[Run]:
        """Read the runs over the documents and categories of the truth.

        `cut` decides where there are scores, also in place of decisions in the file; a run without scores keeps its
        own decisions.
        """
        from rubricate.io.predictions import read_runs, read_truth

        self._say_deprecated()
        labels = None
        if self.train is not None:
            labels = read_truth(self.train, topic=self.topics, encoding=self.encoding)
        train = self._train(labels)
        try:
            with progress("reading", len(runs)) as advance:
                read = read_runs(
                    truth,
                    runs,
                    categories=self.known_categories(),
                    train=train,
                    **self.policies,
                    topic=self.topics,
                    id_column=self.id_column,
                    encoding=self.encoding,
                    advance=advance,
                )
        except InvalidFile as problem:
            known = [*self.known_categories(), *(train.categories if train is not None else ())]
            raise self._every_problem(truth, runs, known, problem) from None
        if self.cut is None:
            return read
        if all(run.scores is None for run in read):
            raise InvalidInput("no run has scores for --cut to work on; leave out --cut")
        return [run if run.scores is None else self._cut(run, place, labels) for place, run in enumerate(read)]

    def known_categories(self) -> list[str]:
        """Return the categories that --categories lists, or those of the model that it names."""
        from rubricate.io.predictions import WORKBOOK, read_categories

        if self.categories is None:
            return []
        with contextlib.suppress(OSError), self.categories.open("rb") as raw:
            if raw.read(len(WORKBOOK)) == WORKBOOK:
                from rubricate.training.categorizer import Categorizer

                return [str(name) for name in Categorizer.open(self.categories).categories_]
        return read_categories(self.categories, self.encoding)

    def _say_deprecated(self) -> None:
        for old, new in (("intersection", "--missing drop"), ("new_categories", "--unknown wrong")):
            if getattr(self, old):
                print(f"rubricate: --{old.replace('_', '-')} is deprecated; use {new}", file=sys.stderr)

    def check(self, truth: Path, runs: Sequence[Path], known: Sequence[str] = ()) -> list[Problem]:
        """Return every problem of every file."""
        from rubricate.io.prediction_checks import check_files

        with progress("checking", len(runs)) as advance:
            return check_files(
                truth,
                runs,
                categories=[*self.known_categories(), *known],
                topic=self.topics,
                id_column=self.id_column,
                encoding=self.encoding,
                advance=advance,
                **self.policies,
            )

    def _every_problem(
        self, truth: Path, runs: Sequence[Path], known: Sequence[str], problem: InvalidFile
    ) -> InvalidInput:
        """Return the error of all problems at once; the one at hand where there is no other."""
        problems = [each for each in self.check(truth, runs, known) if each.stops]
        if len(problems) < 2:
            return problem
        return InvalidInput("\n".join([f"{len(problems)} problems in the files:", *map(str, problems)]))

    def _train(self, labels: Decisions | None) -> Any:
        from rubricate.io.train_counts import TrainCounts, read_train_counts

        if labels is not None and self.train_counts is not None:
            raise InvalidInput("--train and --train-counts say the same; give one of them")
        if self.train_counts is not None:
            return read_train_counts(self.train_counts, self.encoding)
        return None if labels is None else TrainCounts.of(labels)

    def _cut(self, run: Run, place: int, train: Decisions | None) -> Run:
        """Return the run with the decisions of the cut."""
        from rubricate.io.alignment import labels_over
        from rubricate.thresholds import resolve
        from rubricate.types import Decisions

        cut = self.cut or ""
        threshold = resolve(cut)
        if threshold.needs_scores:
            threshold.fit(*self._held_out(run, place))
        elif train is not None:
            threshold.fit(None, labels_over(train, run.categories))
        decisions = Decisions(_decide(threshold, run, cut), run.categories, run.documents)
        return replace(run, decisions=decisions, signature=replace(run.signature, cut=cut))

    def _held_out(self, run: Run, place: int) -> tuple[Any, Sparse]:
        """Return scores and truth of the held-out documents over the categories of the run."""
        from rubricate.io.predictions import read_run
        from rubricate.types import Scores

        runs = self.held_out_run or []
        if self.held_out is None or place >= len(runs):
            raise InvalidInput(
                f"the cut {self.cut!r} learns from held-out scores; give --held-out TRUTH and, for each run in order, "
                "--held-out-run FILE with the same system's scores of those documents"
            )
        held = read_run(
            self.held_out,
            runs[place],
            categories=run.categories,
            **self.policies,
            topic=self.topics,
            id_column=self.id_column,
            encoding=self.encoding,
        )
        if held.scores is None or held.truth is None:
            raise InvalidInput(f"{runs[place]} has no scores to learn the cut from; give a file with scores")
        columns = [held.categories.index(name) for name in run.categories]
        scores = Scores(held.scores.values[:, columns], run.categories, held.documents, floor=held.scores.floor)
        return scores, held.truth[:, columns]


def _decide(threshold: Any, run: Run, cut: str) -> Sparse:
    from sklearn.exceptions import NotFittedError

    try:
        return threshold.decide(run.scores)
    except NotFittedError:
        raise InvalidInput(f"the cut {cut!r} learns from training labels; give them with --train FILE") from None


def read_systems(
    truth: Path | None,
    runs: Sequence[Path],
    options: PredictionOptions,
    *,
    truth_b: Path | None = None,
    counts: Path | None = None,
) -> list[System]:
    """Read the systems of the counts file, then the runs on the truth, then those on the second truth."""
    from rubricate.significance import read_counts

    systems = read_counts(counts) if counts is not None else []
    if truth is None and counts is None:
        raise InvalidInput("nothing to compare; give TRUTH and two runs or more, or --counts FILE")
    if truth is not None and not runs:
        raise InvalidInput(f"{truth} is given without runs; give TRUTH and then the files of the systems")
    if truth_b is not None and options.held_out is not None:
        raise InvalidInput(
            "--held-out belongs to one collection; with --truth-b give decisions, or a cut that needs none"
        )
    if truth is None or truth_b is None:
        return systems + (_read(truth, runs, options) if truth is not None else [])
    truths = (truth, truth_b)
    for home, part in zip(truths, _assigned(truths, runs, options), strict=True):
        systems += _read(home, part, options, collection=home.stem)
    return systems


def _read(truth: Path, runs: Sequence[Path], options: PredictionOptions, *, collection: str = "") -> list[System]:
    from rubricate.significance.system import as_system

    return [replace(as_system(run), collection=collection) for run in options.read(truth, runs)]


def _assigned(
    truths: tuple[Path, Path], runs: Sequence[Path], options: PredictionOptions
) -> tuple[list[Path], list[Path]]:
    """Assign each run to the truth with which it shares more documents; two runs that fit either are taken in order."""
    from rubricate.io.predictions import read_pairs, read_truth

    truth, truth_b = truths
    if truth.stem == truth_b.stem:
        raise InvalidInput(f"{truth} and {truth_b} have the same name; give the collections names that differ")
    reading: dict[str, Any] = {"topic": options.topics, "encoding": options.encoding}
    homes = [set(read_truth(path, **reading).documents) for path in truths]
    parts: tuple[list[Path], list[Path]] = ([], [])
    for place, run in enumerate(runs):
        documents = set(read_pairs(run, **reading).documents)
        shared = [len(documents & home) for home in homes]
        if shared[0] == shared[1] and len(runs) != 2:
            raise InvalidInput(f"{run} fits {truth} and {truth_b} equally; give ids that tell the collections apart")
        parts[place if shared[0] == shared[1] else shared.index(max(shared))].append(run)
    if not (parts[0] and parts[1]):
        raise InvalidInput(
            f"all runs belong to {truth if parts[0] else truth_b}; leave out --truth-b, or give runs for both"
        )
    return parts
