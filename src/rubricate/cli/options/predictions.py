"""The predictions a command reads: runs of systems over a truth, cut into decisions where asked."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from rubricate.cli.output.progress import progress
from rubricate.errors import InvalidFile, InvalidInput

if TYPE_CHECKING:
    from rubricate.files.predictions.suspicions import Problem
    from rubricate.files.predictions.text_runs import Topic
    from rubricate.types import Decisions, Run, Sparse

__all__ = ["PredictionOptions", "Runs", "Truth"]

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
        from rubricate.files.predictions.policies import Policies

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
        from rubricate.files.predictions.reading import read_runs, read_truth

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
        from rubricate.files.predictions.reading import WORKBOOK, read_categories

        if self.categories is None:
            return []
        with contextlib.suppress(OSError), self.categories.open("rb") as raw:
            if raw.read(len(WORKBOOK)) == WORKBOOK:
                from rubricate.categorizer import Categorizer

                return [str(name) for name in Categorizer.open(self.categories).categories_]
        return read_categories(self.categories, self.encoding)

    def _say_deprecated(self) -> None:
        for old, new in (("intersection", "--missing drop"), ("new_categories", "--unknown wrong")):
            if getattr(self, old):
                print(f"rubricate: --{old.replace('_', '-')} is deprecated; use {new}", file=sys.stderr)

    def check(self, truth: Path, runs: Sequence[Path], known: Sequence[str] = ()) -> list[Problem]:
        """Return every problem of every file."""
        from rubricate.files.predictions.checking import check_files

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
        from rubricate.files.predictions.train_counts import TrainCounts, read_train_counts

        if labels is not None and self.train_counts is not None:
            raise InvalidInput("--train and --train-counts say the same; give one of them")
        if self.train_counts is not None:
            return read_train_counts(self.train_counts, self.encoding)
        return None if labels is None else TrainCounts.of(labels)

    def _cut(self, run: Run, place: int, train: Decisions | None) -> Run:
        """Return the run with the decisions of the cut."""
        from rubricate.files.predictions.alignment import labels_over
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
        from rubricate.files.predictions.reading import read_run
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
