"""`rubricate tune`: candidates for any parameters → the best by cross-validation, as a command for `train`."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rubricate.cli import document_options as inputs
from rubricate.cli import training_options as stores
from rubricate.cli.options import Json, Undefined
from rubricate.cli.training_options import HierarchyFile, with_hierarchy
from rubricate.errors import InvalidInput
from rubricate.registry import command

if TYPE_CHECKING:
    from rubricate.experiments.tuning import Tuned

__all__ = ["tune"]

COMMAS = re.compile(r",(?![^\[]*\])")
"""The commas between candidates; those within brackets, as in 1,[1,2], belong to a candidate."""

_Grid = Annotated[
    list[str],
    typer.Option("--grid", metavar="NAME=A,B,…", help="A parameter and its candidates, the starting value first."),
]
_Set = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A parameter that all trials share.")
]
_Classifier = Annotated[str | None, typer.Option(help="svm, knn, nb, …")]
_Criterion = Annotated[str, typer.Option(help="micro_f1, macro_f1, micro_f_beta:0.5, micro_error, eleven_point, …")]
_Greedy = Annotated[bool, typer.Option("--greedy", help="One parameter after the other instead of all combinations.")]
_Stop = Annotated[
    int | None, typer.Option(help="Greedy: leave a parameter after this many candidates that are not better.", min=1)
]
_Passes = Annotated[int, typer.Option(help="Greedy: at most this many rounds over the parameters.", min=1)]
_By = Annotated[
    str, typer.Option(help="cross_validation, validation (one part), or xi_alpha (SVMs, one training each).")
]
_Folds = Annotated[int, typer.Option(help="Stratified folds.", min=2)]
_Share = Annotated[float, typer.Option(help="The size of the validation part.")]
_Seed = Annotated[int, typer.Option(help="The seed of the folds.", min=0)]


@dataclass(frozen=True)
class _SearchOptions:
    """How candidates are tried and judged: the options that `tuning.tune` takes under the same names."""

    criterion: _Criterion = "micro_f1"
    greedy: _Greedy = False
    stop: _Stop = None
    passes: _Passes = 1
    by: _By = "cross_validation"
    folds: _Folds = 5
    share: _Share = 0.3
    seed: _Seed = 0
    undefined: Undefined = "zero"

    def arguments(self) -> dict[str, Any]:
        """Return the keyword arguments of `tuning.tune`; --stop without --greedy is an error."""
        if self.stop is not None and not self.greedy:
            raise InvalidInput("--stop goes with --greedy; all combinations are tried without it")
        return asdict(self) | {"by": self.by.replace("-", "_")}


@command("tune")
def tune(
    data: inputs.Data,
    grid: _Grid,
    *,
    setting: _Set = None,
    classifier: _Classifier = None,
    hierarchy: HierarchyFile = None,
    search: _SearchOptions,
    reading: inputs.Reading,
    store: stores.StoreFolder = None,
    fresh: stores.Fresh = False,
    engine: stores.EngineName = "threads",
    as_json: Json = False,
) -> None:
    """Choose parameters by cross-validation on the training documents; test documents are never used.

    All combinations of the candidates, or with --greedy one parameter after the other (Yang 1999, section 4.3), in
    the order given. Every training is kept in the store, so a search that was interrupted, or is widened,
    resumes from there. The last line is the command that trains with the best parameters.
    """
    from rubricate.cli.output import progress
    from rubricate.experiments import tuning
    from rubricate.experiments.store import Store
    from rubricate.training.config import read_setting

    shared = dict(map(read_setting, setting or ())) | ({"classifier": classifier} if classifier else {})
    candidates, kept = _candidates(grid), Store(store, fresh=fresh)
    arguments = search.arguments()
    corpus = with_hierarchy(inputs.corpus_of(data, reading, seed=search.seed), hierarchy, shared.get("classifier"))
    with stores.keeping(kept.folder), progress() as show:
        tuned = tuning.tune(corpus, candidates, settings=shared, store=kept, engine=engine, progress=show, **arguments)
    again = asdict(reading) | {"folds": search.folds, "seed": search.seed, "hierarchy": hierarchy}
    command = _command(data, tuned, again)
    if as_json:
        whole = tuned.to_dict() | {"command": command, "store": str(kept.folder)}
        typer.echo(json.dumps(whole, ensure_ascii=False, indent=2))
        return
    typer.echo("\n".join([*_table(tuned), "", command]))


def _candidates(grid: list[str]) -> dict[str, list[Any]]:
    """Parse NAME=A,B,… into candidates by name; one that is JSON (a number, null) is read as JSON.

    >>> _candidates(["C=0.1,1", "select=chi2:2000,null"])
    {'C': [0.1, 1], 'select': ['chi2:2000', None]}
    >>> _candidates(["ngrams=1,[1,2]", "stop=smart,none"])
    {'ngrams': [1, [1, 2]], 'stop': ['smart', 'none']}
    """
    from rubricate.training.config import read_setting

    candidates: dict[str, list[Any]] = {}
    for pair in grid:
        name, equals, values = pair.partition("=")
        if not equals or not name.strip() or not values.strip():
            raise InvalidInput(f"expected --grid NAME=A,B,…, such as C=0.1,1,10, got {pair!r}")
        if name.strip() in candidates:
            raise InvalidInput(f"--grid {name.strip()} twice; give all candidates in one option, separated by commas")
        listed = COMMAS.split(values)
        candidates[name.strip()] = [read_setting(f"{name}={value.strip()}")[1] for value in listed]
    return candidates


def _table(tuned: Tuned) -> list[str]:
    """Return a table of the trials in the order they were run, with the best one marked."""
    names = list(tuned.best.values)
    rows = [[_shown(trial.values[name]) for name in names] + [f"{trial.value:.4f}"] for trial in tuned.tried]
    heads = [*names, tuned.criterion]
    wide = [max(len(row[i]) for row in [heads, *rows]) for i in range(len(heads))]
    lines = ["  ".join(f"{cell:>{w}}" for cell, w in zip(row, wide, strict=True)) for row in [heads, *rows]]
    marks = [""] + ["  best" if trial is tuned.best else "" for trial in tuned.tried]
    counts = f"{len(tuned.tried)} of {tuned.combinations} combinations tried, by {tuned.by}"
    return [line + mark for line, mark in zip(lines, marks, strict=True)] + [counts]


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _command(data: str, tuned: Tuned, reads: dict[str, Any]) -> str:
    parts = ["rubricate", "train", data, "-o", "model.rubric"]
    usual = asdict(inputs.Reading()) | {"folds": 5, "seed": 0, "hierarchy": None}
    for name, value in reads.items():
        if value != usual[name]:
            parts += [f"--{name}", str(value)]
    for name, value in {**tuned.settings, **tuned.best.values}.items():
        parts += ["--set", f"{name}={_shown(value)}"]
    return " ".join(map(shlex.quote, parts))
