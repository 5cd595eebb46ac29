"""Tables 1 and 5: the versions of Reuters, ours beside theirs, and what they do to the category ranking."""

from __future__ import annotations

import numpy as np

from rubricate.engines import run_tasks
from rubricate.experiments.reproductions.yang_1999_parts.cuts import eleven_points
from rubricate.experiments.reproductions.yang_1999_parts.study import VERSIONS, OurFigures, VersionStudy
from rubricate.types import Documents

__all__ = ["RANKERS", "labelled_share", "table_1", "table_5"]

RANKERS = ("kNN", "LLSF", "WORD")


def table_1(study: VersionStudy) -> OurFigures:
    """Count categories, documents and the share of test documents with a label."""
    figures: OurFigures = {}
    for version in VERSIONS:
        corpus = study.corpus(version)
        figures[version, "categories"] = len(corpus.categories)
        figures[version, "training documents"] = len(corpus.train)
        figures[version, "test documents"] = len(corpus.test)
        figures[version, "labelled test documents"] = labelled_share(corpus.test)
        figures[version, "labelled training documents"] = labelled_share(corpus.train)
    return figures


def labelled_share(documents: Documents) -> float:
    """Return the share of documents with a category."""
    return float(np.mean(np.diff(documents.labels.indptr) > 0))


def table_5(study: VersionStudy) -> OurFigures:
    """Measure 11-point average precision of complete rankings.

    Where a version has unlabelled documents, two readings: they have a category of their own, which is what comes
    near the published figures, and they are left out, as `eleven_point` does.
    """

    def row(version: str) -> OurFigures:
        figures: OurFigures = {}
        mixed = labelled_share(study.corpus(version).test) < 1
        for system in RANKERS:
            figures[version, system] = eleven_points(study.scored(system, version, unlabelled=mixed))
            if mixed:
                figures[version, f"{system}, unlabelled left out"] = eleven_points(study.scored(system, version))
        return figures

    return {place: value for each in run_tasks(row, VERSIONS, engine="threads") for place, value in each.items()}
