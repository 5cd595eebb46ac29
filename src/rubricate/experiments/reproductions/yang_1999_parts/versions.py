"""Tables 1 and 5: the versions of Reuters, ours beside theirs, and what they do to the category ranking."""

from __future__ import annotations

import numpy as np

from rubricate.experiments.reproductions.yang_1999_parts.cuts import eleven_points
from rubricate.experiments.reproductions.yang_1999_parts.study import VERSIONS, Found, VersionStudy
from rubricate.types import Documents

__all__ = ["RANKERS", "labelled_share", "table_1", "table_5"]

RANKERS = ("kNN", "LLSF", "WORD")


def table_1(study: VersionStudy) -> Found:
    """Categories, documents and the share of test documents with a label."""
    found: Found = {}
    for version in VERSIONS:
        corpus = study.corpus(version)
        found[version, "categories"] = len(corpus.categories)
        found[version, "training documents"] = len(corpus.train)
        found[version, "test documents"] = len(corpus.test)
        found[version, "labelled test documents"] = labelled_share(corpus.test)
        found[version, "labelled training documents"] = labelled_share(corpus.train)
    return found


def labelled_share(documents: Documents) -> float:
    """The share of documents with a category."""
    return float(np.mean(np.diff(documents.labels.indptr) > 0))


def table_5(study: VersionStudy) -> Found:
    """11-point average precision of complete rankings.

    Where a version has unlabelled documents, two readings: they have a category of their own, which is what comes
    near the published figures, and they are left out, as `eleven_point` does.
    """
    found: Found = {}
    for version in VERSIONS:
        mixed = labelled_share(study.corpus(version).test) < 1
        for system in RANKERS:
            found[version, system] = eleven_points(study.scored(system, version, unlabelled=mixed))
            if mixed:
                found[version, f"{system}, unlabelled left out"] = eleven_points(study.scored(system, version))
    return found
