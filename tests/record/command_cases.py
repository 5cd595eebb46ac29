"""Cases of the record: what the commands print of a corpus."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from tests.record.commands import printed, rubricate
from tests.record.material import documents_file, rules_for, workspace
from tests.record.recording import Case, text_digest
from tests.record.systems import fitted

Corpus = Callable[[], Any]

PLAN = """
title = "Record"
resamples = 20
thresholds = ["micro_macro", "rcut:1"]
[[corpora]]
name = "{name}"
{options}
[[representations]]
name = "all"
representation = "terms"
[[representations]]
name = "200"
select = "chi2:200"
[[systems]]
name = "SVM"
representations = ["all"]
[[systems]]
name = "kNN"
classifier = "knn"
k = 9
representations = ["200"]
[[systems]]
name = "NB"
classifier = "nb"
representations = ["200"]
thresholds = ["scut:0.1"]
[learning]
systems = ["kNN"]
shares = [0.5]
"""

ESTIMATES = {
    "xi_alpha": ("rho=2",),
    "leave_one_out": (),
    "cross_validation": ("folds=3",),
    "holdout": ("repeats=2",),
    "bootstrap": ("samples=3",),
    "jackknife": ("groups=4",),
    "training_error": (),
}
"""Each method of estimation, with few repetitions."""

TESTS = "s,S,T,T',p,permutation,bootstrap,mcnemar,friedman,ranking_sign,ranking_t,ranking_permutation"


def _write(name: str, rows: Iterable[Iterable[object]]) -> Path:
    path = Path(workspace().name) / name
    path.parent.mkdir(exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows)
    return path


@cache
def _runs(corpus: Any) -> dict[str, Any]:
    """Write truth, training counts, hierarchy and the runs of three systems on the test documents; return the paths."""
    folder, tests, names = f"runs of {corpus.name}", corpus.test, corpus.categories
    truth = ([name, ";".join(names[c] for c in tests.labels[[row]].indices)] for row, name in enumerate(tests.ids))
    held = np.bincount(corpus.train.labels.indices, minlength=len(names)).tolist()
    return {
        "truth": _write(f"{folder}/truth.csv", [("document", "labels"), *truth]),
        "counts": _write(f"{folder}/counts.csv", [("category", "count"), *zip(names, held, strict=True)]),
        "tree": _write(f"{folder}/tree.csv", [("parent", "child"), *corpus.taxonomy]),
        "runs": [
            _write(f"{folder}/{name}.csv", _run_rows(fitted(name, corpus, cut=cut, weights=weights), tests))
            for name, cut, weights in (("svm", "0.0", "ltc"), ("knn", "rcut:1", "ltc"), ("nb", "pcut", "nnn"))
        ],
    }


def _run_rows(model: Any, tests: Any) -> Iterable[Iterable[object]]:
    """Yield the rows of a run file: document, category, score, decision."""
    scores, decided = model.decision_function(tests), model.decide(tests).values.toarray()
    yield "document", "category", "score", "decision"
    for row, document in enumerate(tests.ids):
        for column in np.flatnonzero(np.isfinite(scores[row])):
            score = f"{scores[row, column]:.6f}"
            yield document, model.categories_[column], score, int(decided[row, column])


def evaluated(corpus: Corpus) -> Any:
    """Return all measures of three runs: of their decisions, and of their scores with another cut."""
    files = _runs(corpus())
    given = [files["truth"], *files["runs"], "--train-counts", files["counts"]]
    options = ["--per-category", "--by-frequency", "--measure", "f_beta:2", "--bootstrap", 20]
    return {
        "all": printed("evaluate", *given, *options, "--hierarchy", files["tree"]),
        "rcut": printed("evaluate", *given, "--cut", "rcut:2", "--undefined", "omit"),
    }


def compared(corpus: Corpus) -> Any:
    """Return the outcomes of all tests of three runs, by band of frequency too."""
    files = _runs(corpus())
    given = [files["truth"], *files["runs"], "--samples", 99, "--train-counts", files["counts"]]
    return {
        "all": printed("compare", *given, "--tests", TESTS, "--adjust", "bh"),
        "exact": printed("compare", *given, "--exact", "--hierarchy", files["tree"]),
        "bands": printed("compare", *given, "--by-frequency", "--bands", 3),
    }


def estimated(data: Callable[[], object], method: str, *options: object) -> Any:
    """Return an estimate of a linear SVM, or with options of another system."""
    given = [part for option in ESTIMATES[method] for part in ("--option", option)]
    return printed("estimate", data(), "--classifier", "svm", "--method", method, *given, *options)


def trained(corpus: Corpus) -> Any:
    """Return the summary of `train` and what `classify` says with that model of the same documents."""
    model, documents = Path(workspace().name) / "trained.rubric", documents_file(corpus())
    options = ("--representation", "terms", "--cut", "scut", "--set", "folds=3")
    summary = printed("train", documents, "--title", "title", "-o", model, *options)
    answers = printed("classify", model, documents, "--title", "title", "--top", 3, "--abstain", 0.3)
    return {"summary": summary, "answers": answers}


def ruled(corpus: Corpus) -> Any:
    """Return the labels that hand-written rules assign."""
    path = Path(workspace().name) / "hand.rules"
    path.write_text(rules_for(corpus().categories) + "\n" + 'gold if title(gold) or "gold mine";\n', encoding="utf-8")
    return text_digest(rubricate("rules", "run", path, documents_file(corpus()), "--title", "title"))


def studied(corpus: Corpus) -> Any:
    """Return the numbers of a study of a file."""
    plan, documents = Path(workspace().name) / "plan.toml", documents_file(corpus())
    plan.write_text(PLAN.format(name=documents.name, options='title = "title"'), encoding="utf-8")
    return printed("study", plan, "--store", Path(workspace().name) / "study")


def tuned(corpus: Corpus, *options: object) -> Any:
    """Return the numbers of a search."""
    store = ["--store", Path(workspace().name) / "tune"]
    return printed("tune", documents_file(corpus()), "--title", "title", *options, *store)


GRID = ("--grid", "C=0.5,2", "--grid", "select=null,chi2:200")


def run_cases(corpus: Corpus) -> dict[str, Case]:
    """Return the cases of files of predictions, and of training and classifying by commands."""
    return {
        "evaluate": partial(evaluated, corpus),
        "compare": partial(compared, corpus),
        "train and classify": partial(trained, corpus),
        "tune: by xi_alpha": partial(tuned, corpus, *GRID, "--by", "xi-alpha"),
    }


def study_cases(corpus: Corpus) -> dict[str, Case]:
    """Return the cases that train many times."""
    file, title = partial(_file, corpus), ("--title", "title")
    knn = ("--classifier", "knn", "--set", "cut=scut")
    return {
        **{f"estimate: {name}": partial(estimated, file, name, *title) for name in ESTIMATES},
        "estimate: knn": partial(estimated, file, "cross_validation", *title, *knn),
        "estimate: suspects": partial(estimated, file, "leave_one_out", *title, "--suspects", 5),
        "estimate: curve": lambda: printed(
            "estimate", file(), "--classifier", "svm", *title, "--curve", "--category", "earnings"
        ),
        "study": partial(studied, corpus),
        "rules": partial(ruled, corpus),
        "tune: all": partial(tuned, corpus, *GRID, "--folds", 3),
        "tune: greedy": partial(
            tuned, corpus, "--classifier", "knn", "--grid", "k=5,15,45", "--grid", "cut=rcut:1,scut", "--greedy",
            "--by", "validation", "--criterion", "macro_f1",
        ),
    }  # fmt: skip


def _file(corpus: Corpus) -> Path:
    return documents_file(corpus())


def reuters_estimates(corpus: Corpus) -> dict[str, Case]:
    """Return the cases of estimates on all training documents of Reuters, and of a slow one on some."""
    name, split, title = "reuters21578", ("--split", "aptemod"), ("--title", "title")
    return {
        "estimate: xi_alpha": partial(estimated, lambda: name, "xi_alpha", *split),
        "estimate: leave_one_out": partial(estimated, lambda: name, "leave_one_out", *split),
        "estimate: cross_validation": partial(estimated, partial(_file, corpus), "cross_validation", *title),
    }
