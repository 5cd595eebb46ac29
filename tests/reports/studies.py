"""Studies to report on: made-up runs of chosen quality, with names and texts as hostile as wanted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rubricate.labels import indicator
from rubricate.reports.data import ReportData, RunLearningCurve
from rubricate.types import Decisions, Documents, Evidence, Run, Scores, Signature

HOSTILE = (
    "<script>window.hacked = 1</script>",
    "</script><!-- --><img src=x onerror='window.hacked = 1'>",
    "quotes \" ' ` and &amp; &lt;",
    "\u202eright to left\u202c שלום مرحبا",
    "emoji 🐦‍🔥 and \u2028 line \u2029 separators",
    "half a pair \ud83d and a nul \x00",
    "x" * 10_000,
    "=HYPERLINK(1) \\input{x} $y$ {{7*7}} %s",
    "javascript:alert(1)",
    "  ",
)


def small_study(
    *,
    noises: Sequence[float] = (0.4, 0.8, 1.6),
    names: Sequence[str] = ("SVM", "kNN", "NB"),
    categories: Sequence[str] | None = None,
    documents: int = 120,
    text: str = "Wheat exports rose in March. The corn market fell.",
    seed: int = 0,
    **more: Any,
) -> ReportData:
    """Runs whose scores are the truth (±1) with normal noise of these widths, cut at 0.

    Category c has about documents / (c + 2) documents; training counts fall by halves from 640.
    """
    rng = np.random.default_rng(seed)
    labels = tuple(categories if categories is not None else (f"topic {c}" for c in range(8)))
    truth = rng.random((documents, len(labels))) < 1 / (np.arange(len(labels)) + 2)
    ids = [f"d{k}" for k in range(documents)]
    train = np.maximum(640 // 2 ** np.minimum(np.arange(len(labels)), 10), 1).astype(np.int64)
    runs = []
    for name, noise in zip(names, noises, strict=True):
        scores = 2.0 * truth - 1 + noise * rng.normal(size=truth.shape)
        signature = Signature(corpus="made up", classifier=name, seed=seed)
        runs.append(
            Run(
                name,
                ids,
                labels,
                scores=Scores(scores, labels, ids),
                decisions=Decisions(indicator(scores > 0), labels, ids),
                truth=indicator(truth),
                train_counts=train,
                signature=signature,
            )
        )
    texts = Documents(
        ids, [text] * documents, indicator(truth), labels, titles=[f"Story {k}" for k in range(documents)]
    )
    return ReportData(runs, documents=texts, **{"resamples": 60, **more})


def explain(run: str, row: int, category: str) -> list[Evidence]:
    return [
        Evidence("term", 0, 1.5, name="wheat"),
        Evidence("term", 1, -0.5, name="corn"),
        Evidence("term", 2, 0.2, detail=HOSTILE[1], name=HOSTILE[0]),
    ]


def full_study(**more: Any) -> ReportData:
    """A study that fills every section."""
    curve = RunLearningCurve("SVM", [100, 1000], [0.5, 0.8], low=[0.4, 0.75], high=[0.6, 0.85])
    return small_study(
        noises=(0.7, 0.9, 1.6),
        explain=explain,
        learning=[curve],
        commands=["rubricate study plan.toml"],
        corpus_note="Made up.",
        seconds={"SVM": {"fit": 1.25}},
        **more,
    )


def hostile_study() -> ReportData:
    """Every name, text and command is hostile."""
    return small_study(
        names=HOSTILE[:3],
        categories=HOSTILE,
        text=" ".join(HOSTILE),
        title=HOSTILE[1],
        corpus_note=HOSTILE[0],
        commands=list(HOSTILE),
        explain=explain,
        learning=[RunLearningCurve(HOSTILE[1], [1, 2], [0.1, 0.2], measure=HOSTILE[0])],
        seconds={HOSTILE[0]: {HOSTILE[1]: 1.0}},
    )
