"""Turn a study into the data of reports, one report per corpus."""

from __future__ import annotations

from collections.abc import Sequence

from rubricate.experiments.expectations import expected
from rubricate.experiments.study import CorpusResult
from rubricate.reports.data import ReportData, RunLearningCurve
from rubricate.types import Evidence

__all__ = ["study_data"]


def study_data(result: CorpusResult, *, commands: Sequence[str] = ()) -> ReportData:
    """Collect what a report shows of the trials on one corpus; `commands` are those that repeat the study."""
    plan, corpus = result.plan, result.corpus
    trials = {trial_result.run.name: trial_result.trial for trial_result in result.trials}

    def explain(run: str, row: int, category: str) -> Sequence[Evidence]:
        return trials[run].explain(row, category)

    first = result.trials[0].trial
    return ReportData(
        runs=result.runs,
        title=f"{plan.title}: {corpus.name}",
        documents=corpus.test,
        corpus_note=corpus_note(result),
        commands=commands,
        explain=explain,
        analyzer=first.settings.analyzer,
        learning=_curves(result),
        seconds={trial_result.run.name: trial_result.seconds for trial_result in result.trials},
        undefined=plan.undefined,
        resamples=plan.resamples,
        seed=plan.seed,
        extras={"estimate": expected(result), **({"hierarchy": corpus.taxonomy} if corpus.taxonomy else {})},
    )


def corpus_note(result: CorpusResult) -> str:
    """Describe the source of the documents, and say so if they are synthetic."""
    corpus = result.corpus
    kind = "Synthetic documents, made by a program" if corpus.synthetic else "Documents"
    sizes = (
        f"{len(corpus.train):,} to learn from, {len(corpus.test):,} to test on, {len(corpus.categories):,} categories"
    )
    licence = f" Licence: {corpus.licence.rstrip('.')}." if corpus.licence else ""
    note = f" {result.note}" if result.note else ""
    return f"{kind} of the corpus {corpus.name}, split {corpus.split}: {sizes}.{licence}{note}"


def _curves(result: CorpusResult) -> list[RunLearningCurve]:
    measure = {"micro_f1": "miF1", "macro_f1": "maF1"}.get(result.plan.learning.measure, result.plan.learning.measure)
    return [
        RunLearningCurve(name, [size for size, _ in points], [value for _, value in points], measure=measure)
        for name, points in result.learning.items()
    ]
