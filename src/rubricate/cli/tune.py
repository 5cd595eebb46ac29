"""`rubricate tune`: candidates for any parameters → the best by cross-validation, as a command for `train`."""

from __future__ import annotations

import json
import shlex
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rubricate.cli import _given_documents as given
from rubricate.cli import _options as options
from rubricate.cli import _stores as stores
from rubricate.cli._given_hierarchy import TaxonomyFile, in_taxonomy
from rubricate.errors import InvalidInput

if TYPE_CHECKING:
    from rubricate.experiments.tuning import Tuned

__all__ = ["tune"]

_Data = Annotated[str, typer.Argument(help="A corpus, a file or folder of your own, or - for standard input.")]
_Grid = Annotated[
    list[str],
    typer.Option("--grid", metavar="NAME=A,B,…", help="A parameter and its candidates; the first is where it starts."),
]
_Set = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A parameter that all trials share.")
]
_Classifier = Annotated[str | None, typer.Option(help="svm, knn, nb, …")]
_Criterion = Annotated[str, typer.Option(help="micro_f1, macro_f1, micro_f_beta:0.5, micro_error, eleven_point, …")]
_Greedy = Annotated[bool, typer.Option("--greedy", help="One parameter after the other instead of all combinations.")]
_Stop = Annotated[
    int | None, typer.Option(help="Greedy: end with a parameter after so many candidates not better.", min=1)
]
_Passes = Annotated[int, typer.Option(help="Greedy: rounds over the parameters, at most.", min=1)]
_By = Annotated[
    str, typer.Option(help="cross-validation, validation (one part), or xi-alpha (SVMs, one training each).")
]
_Folds = Annotated[int, typer.Option(help="Stratified folds.", min=2)]
_Share = Annotated[float, typer.Option(help="The size of the validation part.")]
_Seed = Annotated[int, typer.Option(help="The seed of the folds.", min=0)]


def tune(
    data: _Data,
    grid: _Grid,
    *,
    setting: _Set = None,
    classifier: _Classifier = None,
    hierarchy: TaxonomyFile = None,
    criterion: _Criterion = "micro_f1",
    greedy: _Greedy = False,
    stop: _Stop = None,
    passes: _Passes = 1,
    by: _By = "cross-validation",
    folds: _Folds = 5,
    share: _Share = 0.3,
    seed: _Seed = 0,
    undefined: options.Undefined = "zero",
    read: given.Labelled,
    store: stores.StoreFolder = None,
    fresh: stores.Fresh = False,
    engine: stores.EngineName = "threads",
    as_json: options.Json = False,
) -> None:
    """Choose parameters by cross-validation on the training documents; test documents are never looked at.

    All combinations of the candidates, or with --greedy one parameter after the other (Yang 1999, section 4.3), in
    the order given. Every training is kept in the store, so that a search that was interrupted, or is widened, goes
    on from what is there. The last line is the command that trains with the best.
    """
    from rubricate.categorizer.settings import read_setting
    from rubricate.cli._progress import progress
    from rubricate.experiments import tuning
    from rubricate.experiments.store import Store

    shared = dict(map(read_setting, setting or ())) | ({"classifier": classifier} if classifier else {})
    candidates, kept = _candidates(grid), Store(store, fresh=fresh)
    if stop is not None and not greedy:
        raise InvalidInput("--stop goes with --greedy; all combinations are tried without it")
    corpus = in_taxonomy(read.corpus(data, seed=seed), hierarchy, shared.get("classifier"))
    with stores.keeping(kept.folder):
        found = tuning.tune(
            corpus,
            candidates,
            settings=shared,
            criterion=criterion,
            greedy=greedy,
            stop=stop,
            passes=passes,
            by=by,
            folds=folds,
            share=share,
            seed=seed,
            undefined=undefined,  # type: ignore[arg-type]
            store=kept,
            engine=engine,
            progress=progress,
        )
    command = _command(data, found, asdict(read) | {"folds": folds, "seed": seed, "hierarchy": hierarchy})
    if as_json:
        whole = found.to_dict() | {"command": command, "store": str(kept.folder)}
        typer.echo(json.dumps(whole, ensure_ascii=False, indent=2))
        return
    typer.echo("\n".join([*_table(found), "", command]))


def _candidates(grid: list[str]) -> dict[str, list[Any]]:
    """NAME=A,B,… by name; a candidate that reads as JSON (a number, null) is that.

    >>> _candidates(["C=0.1,1", "select=chi2:2000,null"])
    {'C': [0.1, 1], 'select': ['chi2:2000', None]}
    """
    from rubricate.categorizer.settings import read_setting

    found: dict[str, list[Any]] = {}
    for pair in grid:
        name, equals, values = pair.partition("=")
        if not equals or not name.strip() or not values.strip():
            raise InvalidInput(f"expected --grid NAME=A,B,…, such as C=0.1,1,10, got {pair!r}")
        if name.strip() in found:
            raise InvalidInput(f"--grid {name.strip()} twice; give all candidates in one, commas between")
        found[name.strip()] = [read_setting(f"{name}={value.strip()}")[1] for value in values.split(",")]
    return found


def _table(found: Tuned) -> list[str]:
    """The trials in the order they were made, the best marked."""
    names = list(found.best.values)
    rows = [[_shown(one.values[name]) for name in names] + [f"{one.value:.4f}"] for one in found.tried]
    heads = [*names, found.criterion]
    wide = [max(len(row[i]) for row in [heads, *rows]) for i in range(len(heads))]
    lines = ["  ".join(f"{cell:>{w}}" for cell, w in zip(row, wide, strict=True)) for row in [heads, *rows]]
    marks = [""] + ["  best" if one is found.best else "" for one in found.tried]
    said = f"{len(found.tried)} of {found.combinations} combinations tried, by {found.by}"
    return [line + mark for line, mark in zip(lines, marks, strict=True)] + [said]


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _command(data: str, found: Tuned, reads: dict[str, Any]) -> str:
    parts = ["rubricate", "train", data, "-o", "model.rubric"]
    usual = asdict(given.Labelled()) | {"folds": 5, "seed": 0, "hierarchy": None}
    for name, value in reads.items():
        if value != usual[name]:
            parts += [f"--{name}", str(value)]
    for name, value in {**found.settings, **found.best.values}.items():
        parts += ["--set", f"{name}={_shown(value)}"]
    return " ".join(map(shlex.quote, parts))
