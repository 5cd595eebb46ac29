"""`rubricate train`: labelled documents → a model file, and an honest summary of what to expect of it."""

from __future__ import annotations

import json
import time
import warnings
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rubricate.cli import document_options as inputs
from rubricate.cli.options import Json
from rubricate.cli.summaries import choice_lines, cut_lines, language_lines, rare_lines
from rubricate.cli.training_options import EngineName, HierarchyFile, TermOptions, check_engine, with_hierarchy
from rubricate.errors import InvalidInput
from rubricate.registry import command

if TYPE_CHECKING:
    from rubricate.training.categorizer import Categorizer
    from rubricate.types import Corpus

__all__ = ["train"]

RESAMPLES = 1000

_Output = Annotated[Path, typer.Option("--output", "-o", help="The model file to write.")]
_Test = Annotated[str | None, typer.Option(help="Test documents: a second file, or a share such as 0.2.")]
_Classifier = Annotated[str | None, typer.Option(help="svm, knn, nb, …; by default an SVM whose C is tuned.")]
_Unlabelled = Annotated[
    bool, typer.Option("--unlabelled", help="The documents have no labels; word and construe need none.")
]
_Weights = Annotated[str, typer.Option(help="A SMART triple: ltc, lnc, nnn, …")]
_Select = Annotated[str | None, typer.Option(help="Keep fewer terms: chi2:2415, information_gain:5000, …")]
_MinDf = Annotated[
    int, typer.Option("--min-df", help="Leave out terms that occur in fewer documents than this.", min=1)
]
_Cut = Annotated[str | None, typer.Option(help="scut, rcut:1, micro_macro, 0.0, …; by default chosen from the labels.")]
_Folds = Annotated[int | None, typer.Option(help="Folds for cuts and figures, 5 by default; 0 for none.")]
_Set = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A parameter: C=2, k=30, analyzer__stem=null.")
]
_Outside = Annotated[
    float | None,
    typer.Option(
        help="Assign one category or none. Documents without a label are outside; if all have one, refuse this share.",
        metavar="SHARE",
    ),
]
_Keep = Annotated[
    bool,
    typer.Option("--keep", help="Keep the documents in the model file, so that 'rubricate update' can add to them."),
]
_Seed = Annotated[int, typer.Option(help="The seed of folds and random splits.", min=0)]
_Memory = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE",
        help="Memory for texts and vectors, such as 4G; by default half of the free memory. What does not fit is kept "
        "in files in the folder for temporary files (TMPDIR).",
    ),
]


@dataclass(frozen=True)
class _TermWeights:
    """How terms are weighted, and which are kept; the fields are settings of a `Categorizer`."""

    weights: _Weights = "ltc"
    select: _Select = None
    min_df: _MinDf = 1


@dataclass(frozen=True)
class _Learning:
    """How cuts are learned, and further settings of a `Categorizer`."""

    cut: _Cut = None
    folds: _Folds = None
    setting: _Set = None
    seed: _Seed = 0
    outside: _Outside = None

    def settings(self) -> dict[str, Any]:
        """Return the settings without those of --set, which are read last and override all others."""
        return {"cut": _number(self.cut), "folds": self.folds, "seed": self.seed, "outside": self.outside}


@command("train")
def train(
    data: inputs.Data,
    output: _Output,
    *,
    reading: inputs.Reading,
    unlabelled: _Unlabelled = False,
    test: _Test = None,
    vectors: inputs.ModelVectors = None,
    test_vectors: inputs.TestVectors = None,
    classifier: _Classifier = None,
    hierarchy: HierarchyFile = None,
    weighting: _TermWeights,
    terms: TermOptions,
    learning: _Learning,
    keep: _Keep = False,
    memory: _Memory = None,
    engine: EngineName = "threads",
    as_json: Json = False,
) -> None:
    """Learn from labelled documents and write a model file.

    Without options: a linear SVM on ltc weights; the representation (terms, words, characters), C and the cuts are
    chosen by cross-validation. Where every document has exactly one label, the best category is assigned. The summary
    says what to expect on new documents: cross-validated F1 with 95 % intervals (the whole procedure, on documents it
    has not seen), and the test figures where the data have test documents. Ctrl-C leaves an older model file as it was.
    """
    began = time.perf_counter()
    _check_output(output)
    check_engine(engine)
    from rubricate.labels import MissingLabels
    from rubricate.training.categorizer import configured
    from rubricate.training.config import read_setting

    vectors, encoder = inputs.encoder_in(vectors)
    settings = {"classifier": classifier, "vectors": encoder, **asdict(weighting), **learning.settings()}
    if inputs.has_vectors(data, reading, vectors):
        settings["weights"] = "precomputed"
    model = configured(settings | terms.settings() | dict(map(read_setting, learning.setting or ())))
    if unlabelled:
        reading = replace(reading, labels=None)
    with inputs.within_memory(data, memory):
        corpus = inputs.corpus_of(
            data, reading, seed=learning.seed, test=test, vectors=vectors, test_vectors=test_vectors
        )
        corpus = with_hierarchy(corpus, hierarchy, model.classifier)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MissingLabels)  # the summary says it
            _fit(model, corpus, engine)
        if keep:
            model.keep(corpus)
        model.save(output)
        summary = _summary(model, corpus) | {"model": str(output), "seconds": round(time.perf_counter() - began, 2)}
    typer.echo(json.dumps(summary, ensure_ascii=False, indent=2) if as_json else _text(summary))


def _number(cut: str | None) -> str | float | None:
    try:
        return cut if cut is None else float(cut)
    except ValueError:
        return cut


def _check_output(output: Path) -> None:
    """Refuse a path that cannot be written before the work is done."""
    if output.is_dir() or not output.resolve().parent.is_dir():
        problem = "is a folder" if output.is_dir() else "is in a folder that does not exist"
        raise InvalidInput(f"-o {output} {problem}; name a file, such as topics.rubric")


def _fit(model: Categorizer, corpus: Corpus, engine: str) -> None:
    """Fit on an engine; the model does not keep it, as results do not depend on it."""
    from rubricate.cli.output import visible_encoding, visible_engine

    usual = model.engine
    far = engine.startswith("dask")  # a bar of progress cannot travel to other processes
    try:
        with visible_encoding():
            model.set_params(engine=engine if far else visible_engine(engine, "training")).fit(corpus)
    finally:
        model.set_params(engine=usual)


def _summary(model: Categorizer, corpus: Corpus) -> dict[str, Any]:
    documents, labels = len(model.ids_), corpus.train.labels
    best_only = model.single_label_ and " ".join(repr(model.cut_).split()) == "Rcut()"
    cross = None if model.cross_validated is None else _figures(model.out_of_fold_run(), best_only=best_only)
    curve = None if model.cross_validated is None else model.coverage()
    return {
        "documents": documents,
        "unlabelled": int((labels.sum(axis=1) == 0).sum()),
        "categories": len(model.categories_),
        "labels_per_document": round(labels.nnz / documents, 3),
        "single_label": model.single_label_,
        "classifier": model.signature().classifier,
        "representation": model.screening_,
        "language": model.language_,
        "rare_categories": rare_lines(_category_counts(model)),
        "cut": " ".join(repr(model.cut_).split()),
        "cross_validation": None if cross is None else cross | {"folds": (model.cross_validated or {})["folds"]},
        "test": _figures(model.run(corpus.test), best_only=best_only) if len(corpus.test) else None,
        "untested_categories": _untested(model, corpus),
        "coverage": None if curve is None else _coverage(curve),
        "signature": str(model.signature()),
    }


def _category_counts(model: Categorizer) -> dict[str, int]:
    return dict(zip(model.categories_, map(int, model.train_counts_), strict=True))


def _figures(run: Any, *, best_only: bool) -> dict[str, Any]:
    """Return micro- and macro-F1 with bootstrap intervals over documents; the accuracy where each gets one category."""
    from rubricate.measures.evaluation import evaluate

    result = evaluate(replace(run, scores=None), bootstrap=RESAMPLES)
    figures: dict[str, Any] = {"documents": result.documents}
    if best_only:
        figures["accuracy"] = result.micro["f1"]
    for average, values in (("micro", result.micro), ("macro", result.macro)):
        intervals = result.intervals[f"{average}.f1"]
        interval = next((each for each in intervals if each.method != "wilson"), intervals[0])
        figures[f"{average}_f1"] = values["f1"]
        figures[f"{average}_f1_interval"] = [min(max(end, 0.0), 1.0) for end in (interval.low, interval.high)]
    return figures


def _untested(model: Categorizer, corpus: Corpus) -> list[str]:
    """Return the learned categories that no test document has; none without test documents."""
    if not len(corpus.test):
        return []
    held = {corpus.test.categories[column] for column in corpus.test.labels.indices}
    return [name for name in model.categories_ if name not in held]


def _coverage(curve: Any) -> list[dict[str, float]]:
    """Return the curve at some shares of documents answered."""
    import numpy as np

    points = []
    for share in (0.5, 0.7, 0.8, 0.9, 1.0):
        at = min(int(np.searchsorted(curve.coverage, share - 1e-12)), len(curve.coverage) - 1)
        names = ("coverage", "confidence", "error")
        points.append({name: round(float(getattr(curve, name)[at]), 4) for name in names})
    return points


def _text(summary: dict[str, Any]) -> str:
    from rubricate.training.data import unlabelled_message

    each = f"{summary['labels_per_document']:.2f} labels each"
    lines = [
        f"{summary['model']}: {summary['categories']:,} categories from {summary['documents']:,} documents ({each}), "
        f"{summary['seconds']:.1f} s",
        f"{summary['classifier']}, {summary['cut']}",
        *language_lines(summary["language"]),
        *choice_lines(summary["representation"]),
        *summary["rare_categories"],
    ]
    lines += cut_lines(summary["cut"]) if summary["single_label"] else []
    if summary["unlabelled"] == summary["documents"]:
        return "\n".join(
            [*lines, "no document has a label: what to expect of new documents is not known", summary["signature"]]
        )
    if summary["unlabelled"] and summary["single_label"]:
        left_out = unlabelled_message(summary["unlabelled"], summary["documents"] + summary["unlabelled"])
        lines.append(f"{left_out}; to learn that a document may have none: --cut micro_macro, or --outside 0.05")
    elif summary["unlabelled"]:
        lines.append(f"{summary['unlabelled']:,} documents without a label are learned as belonging to no category")
    best_only = summary["single_label"] and summary["cut"] == "Rcut()"
    lines += ["", f"{'':24}{'accuracy' if best_only else 'micro-F1':24}macro-F1"]
    lines += [_row(f"{name}, {summary[key]['documents']:,}", summary[key]) for name, key in _ROWS if summary[key]]
    if summary["untested_categories"]:
        number = f"{len(summary['untested_categories']):,} of {summary['categories']:,} categories"
        lines.append(
            f"{number} have no test documents and count 0 in the macro-F1 of the test (as in evaluate --train)"
        )
    if summary["cross_validation"] is None:
        lines.append("no cross-validation (--folds 0): what to expect of new documents is not known")
    lines += ["", *_advice(summary["coverage"] or []), summary["signature"]]
    return "\n".join(lines)


_ROWS = (("cross-validated", "cross_validation"), ("test", "test"))


def _row(name: str, figures: dict[str, Any]) -> str:
    cells = []
    for average in ("micro", "macro"):
        low, high = figures[f"{average}_f1_interval"]
        cells.append(f"{figures[f'{average}_f1']:.4f} [{low:.4f}, {high:.4f}]")
    return f"{name:24}{cells[0]:24}{cells[1]}"


def _advice(coverage: list[dict[str, float]]) -> list[str]:
    """Say what abstaining would bring."""
    lines = [
        f"answering {point['coverage']:.0%} of the documents (classify --abstain {point['confidence']:.2f}): "
        f"{point['error']:.1%} of those not exactly right"
        for point in coverage
        if point["coverage"] < 0.999
    ]
    return list(dict.fromkeys(lines))
