"""`rubricate estimate`: what to expect on new documents, from labelled documents alone."""

from __future__ import annotations

import inspect
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rubricate import registry
from rubricate.cli import document_options as inputs
from rubricate.cli.options import Json
from rubricate.cli.training_options import HierarchyFile, with_hierarchy
from rubricate.errors import InvalidInput
from rubricate.registry import command

if TYPE_CHECKING:
    from rubricate.types import Documents

__all__ = ["estimate"]

_Data = Annotated[str, typer.Argument(help="Training documents: a corpus, a file or folder, or - for standard input.")]
_Model = Annotated[Path | None, typer.Option(help="A model file trained on these documents, instead of settings.")]
_Method = Annotated[
    str | None,
    typer.Option(
        help="xi-alpha (SVMs), leave-one-out, cross-validation, holdout, bootstrap, jackknife, training-error."
    ),
]
_Option = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="NAME=VALUE", help="Set an option of the method: rho=2, folds=5, …"),
]
_Classifier = Annotated[
    str | None, typer.Option(help="svm, knn, nb, …; by default an SVM on the representation that 'train' would choose.")
]
_Set = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A parameter: C=2, select=chi2:2000.")
]
_Suspects = Annotated[
    int, typer.Option(help="Also list this many documents whose labels look wrong, as suspects does.", min=0)
]
_Seed = Annotated[int, typer.Option(help="The seed of folds and samples.", min=0)]


@dataclass(frozen=True)
class CurveOptions:
    """The learning curve of xi-alpha estimates."""

    curve: Annotated[bool, typer.Option("--curve", help="Estimate at growing sizes: are there enough documents?")] = (
        False
    )
    ahead: Annotated[int | None, "With --curve: forecast for this many documents (default: double)."] = None
    category: Annotated[list[str] | None, "With --curve: also this category; may be repeated."] = None

    def check(self, others: dict[str, bool]) -> None:
        """Refuse options that would have no effect; `others` are those that do not go with --curve."""
        idle = others if self.curve else {"--ahead": self.ahead is not None, "--category": bool(self.category)}
        problem = (
            "does not go with --curve; leave one of them out" if self.curve else "goes only with --curve; add --curve"
        )
        for name, used in idle.items():
            if used:
                raise InvalidInput(f"{name} {problem}")

    def estimate(self, system: Any, documents: Documents, *, seed: int) -> dict[str, Any]:
        """Estimate at growing sizes and forecast."""
        from rubricate.estimation import learning_curve
        from rubricate.estimation.estimating import machine_parts

        svm, vectors, labels, options = machine_parts(system, documents)
        learned = learning_curve(svm, vectors, labels, seed=seed, **options)
        target = 2 * len(documents) if self.ahead is None else self.ahead
        if target < 2:
            raise InvalidInput(f"--ahead {target}; give a number of documents, at least 2")
        curves = {}
        for category in (None, *(self.category or ())):
            forecasts = {measure: learned.at(target, measure=measure, category=category) for measure in ("f1", "error")}
            curves[category or "micro"] = {
                "sizes": learned.sizes.tolist(),
                "f1": learned.mean("f1", category).tolist(),
                "error": learned.mean("error", category).tolist(),
                "documents": target,
                **{f"{name}_forecast": [value.value, value.low, value.high] for name, value in forecasts.items()},
            }
            if options["single"] and category is None:
                curves["micro"]["accuracy"] = curves["micro"]["f1"]
                curves["micro"]["accuracy_forecast"] = curves["micro"]["f1_forecast"]
        single = {"single_label": True} if options["single"] else {}
        return {"method": "xi_alpha", **single, "curves": curves}


@command("estimate")
def estimate(
    data: _Data,
    *,
    method: _Method = None,
    option: _Option = None,
    model: _Model = None,
    classifier: _Classifier = None,
    hierarchy: HierarchyFile = None,
    setting: _Set = None,
    curve: CurveOptions,
    suspects: _Suspects = 0,
    reading: inputs.Reading,
    vectors: inputs.ModelVectors = None,
    seed: _Seed = 0,
    as_json: Json = False,
) -> None:
    """Estimate error, recall, precision and F1 on new documents, without giving up any labelled one.

    The default for an SVM is xi-alpha: a single training (Joachims 2000); it is pessimistic, especially for rare
    categories. leave-one-out is exact; it takes seconds, or minutes where many documents are hard to tell apart. Where
    every document has one label, the best category is judged, and accuracy is given. Test documents of a corpus are
    not used.
    """
    from rubricate.cli.output import visible_engine
    from rubricate.estimation import estimate as make
    from rubricate.training.categorizer import Categorizer, configured
    from rubricate.training.config import read_setting

    method = None if method is None else method.replace("-", "_")
    plugin = None if method is None else registry.load("estimation", method)
    other = method not in (None, "xi_alpha")
    curve.check({"--method": other, "--option": bool(option), "--suspects": suspects > 0})
    vectors, encoder = inputs.encoder_in(vectors)
    corpus = inputs.corpus_of(data, reading, seed=seed, vectors=vectors)
    chosen = dict(map(read_setting, option or ()))
    if model is None:
        given = {"weights": "precomputed"} if inputs.has_vectors(data, reading, vectors) else {}
        base = {"classifier": classifier, "vectors": encoder} | given
        system = configured(base | dict(map(read_setting, setting or ())))
    else:
        system = Categorizer.open(model)
    corpus = with_hierarchy(corpus, hierarchy, system.classifier)
    if getattr(plugin, "seeded", False):
        chosen.setdefault("seed", seed)
    if plugin is not None and "engine" in inspect.signature(plugin).parameters:
        chosen.setdefault("engine", visible_engine("threads", "estimating"))
    if curve.curve:
        estimates = curve.estimate(system, corpus.train, seed=seed)
        typer.echo(json.dumps(estimates, ensure_ascii=False, indent=2) if as_json else _curve_text(estimates))
        return
    result = make(system, corpus, method=method, **chosen)
    listed = _suspects(corpus.train, suspects, seed) if suspects else []
    if as_json:
        whole = result.to_dict() | ({"suspects": listed} if suspects else {})
        typer.echo(json.dumps(whole, ensure_ascii=False, indent=2))
        return
    lines = [_suspect_line(suspect) for suspect in listed]
    typer.echo("\n".join([str(result), *(["", "labels that may be wrong:", *lines] if lines else [])]))


def _suspects(documents: Documents, limit: int, seed: int) -> list[dict[str, Any]]:
    from rubricate.labelling.label_suspects import suspects

    return [asdict(suspect) for suspect in suspects(documents, limit=limit, seed=seed)]


def _suspect_line(suspect: dict[str, Any]) -> str:
    return f"{suspect['document']} (surprise {suspect['score']:.2f})  {suspect['reason']}"


def _curve_text(estimates: dict[str, Any]) -> str:
    lines = []
    for name, curve in estimates["curves"].items():
        measure = "accuracy" if "accuracy" in curve else "f1"
        lines += [f"{'all' if measure == 'accuracy' else name:20}{'documents':>12}{measure:>10}{'error':>10}"]
        rows = zip(curve["sizes"], curve["f1"], curve["error"], strict=True)
        lines += [f"{'':20}{size:12,}{f1:10.4f}{error:10.4f}" for size, f1, error in rows]
        value, low, high = curve["f1_forecast"]
        miss, least, most = curve["error_forecast"]
        lines += [f"{'forecast':20}{curve['documents']:12,}{value:10.4f}{miss:10.4f}"]
        lines += [f"{'95 %':20}{'':12} {measure} [{low:.4f}, {high:.4f}]  error [{least:.4f}, {most:.4f}]", ""]
    return "\n".join([*lines, "estimates by xi-alpha (pessimistic); the forecast is a power law through them"])
