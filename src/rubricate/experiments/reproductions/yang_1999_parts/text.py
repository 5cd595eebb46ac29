"""Claims in the text."""

from __future__ import annotations

from collections.abc import Sequence

from rubricate.experiments.cells import Value
from rubricate.experiments.reproductions.yang_1999_parts.cuts import decide, eleven_points, micro_f1
from rubricate.experiments.reproductions.yang_1999_parts.study import OurFigures, VersionStudy
from rubricate.experiments.reproductions.yang_1999_parts.systems import cell
from rubricate.experiments.reproductions.yang_1999_parts.versions import labelled_share
from rubricate.measures import micro, rejector
from rubricate.text.analyzer import Analyzer
from rubricate.text.vectors import Vectors
from rubricate.types import Documents

__all__ = ["text_numbers"]


def text_numbers(study: VersionStudy) -> OurFigures:
    """Return the numbers of sections 2.2, 3.4, 4.1, 5.2 to 5.4."""
    figures = {**_corpus_claims(study), **_selection(study), **_unlabelled(study), **_rankings(study)}
    return {(item, "value"): value for item, value in figures.items()}


def _corpus_claims(study: VersionStudy) -> dict[str, Value]:
    v2, v3 = study.corpus("v2"), study.corpus("v3")
    refused = rejector(v3.test.labels)
    ohsumed = study.options["ohsumed"]
    return {
        "unlabelled training documents of v2": 1 - labelled_share(v2.train),
        "unlabelled test documents of v2": 1 - labelled_share(v2.test),
        "categories per document of v3": v3.test.labels.nnz / len(v3.test),
        "error of the trivial rejector on v3": micro("error", refused),
        "accuracy of the trivial rejector on v3": micro("accuracy", refused),
        "error of the trivial rejector on OHSUMED": ohsumed["categories_per_document"] / ohsumed["categories"],
        "unique words in the training documents of v3": len(_unstemmed(v3.train)),
    }


def _unstemmed(documents: Documents) -> Sequence[str]:
    """Return the words without stop words, not stemmed; stemmed they are 17,956."""
    return Vectors(Analyzer(stem=None), weights="nnn").fit(documents).vocabulary_


def _selection(study: VersionStudy) -> dict[str, Value]:
    """Measure kNN with 2,485 terms chosen by χ² and with all of them (section 4.1)."""
    figures: dict[str, Value] = {}
    for terms, select in (("all terms", None), ("2,485 terms", "chi2:2485")):
        scored = study.scored("kNN", "v3", select=select)
        figures[f"11-pt of kNN with {terms}"] = eleven_points(scored)
        figures[f"miF1 of kNN with {terms}"] = micro_f1(scored.truth, decide(scored, "scut"))
    return figures


def _unlabelled(study: VersionStudy) -> dict[str, Value]:
    """Count the seeming errors of section 5.2: if unlabelled documents had labels, a perfect system would seem to err.

    Also the rise of both rankings from v2 to v2.2, where unlabelled documents have a category of their own in v2.
    """
    v2 = study.corpus("v2")
    figures: dict[str, Value] = {
        "seeming error of a perfect system on v2": 1 - labelled_share(v2.test),
        "seeming error of the trivial rejector on v2": labelled_share(v2.test),
    }
    for system in ("kNN", "WORD"):
        rise = eleven_points(study.scored(system, "v2.2")) - eleven_points(study.scored(system, "v2", unlabelled=True))
        figures[f"rise of {system} from v2 to v2.2 in 11-pt"] = rise
    return figures


def _rankings(study: VersionStudy) -> dict[str, Value]:
    """Rank the systems: who gains from v2 to v3, who is first and last on v3 (sections 5.3 and 5.4)."""
    versions = study.options["table6"]
    learning = [name for name in versions if name not in ("WORD", "CONSTRUE")]
    on_v3 = {name: cell(study, name, "v3") for name in learning if "v3" in versions[name]}
    both = [name for name in on_v3 if "v2" in versions[name] and name != "EXPERTS"]
    smallest = min(on_v3[name] - cell(study, name, "v2") for name in both)
    figures: dict[str, Value] = {
        "smallest gain from v2 to v3 of a learning system but EXPERTS": smallest,
        "last of the learning systems on v3": min(on_v3, key=lambda name: on_v3[name]),
        "kNN and LLSF among the first three on v3": _among_first(on_v3),
        "every learning system is better than WORD on v3": "yes" if _all_above(study, on_v3) else "no",
    }
    if "EXPERTS" in on_v3 and "v2" in versions["EXPERTS"]:
        figures["gain of EXPERTS from v2 to v3"] = on_v3["EXPERTS"] - cell(study, "EXPERTS", "v2")
    return figures


def _among_first(on_v3: dict[str, float]) -> str:
    first = sorted(on_v3, key=lambda name: -on_v3[name])[:3]
    return "yes" if {"kNN", "LLSF"} <= {*first} else "no"


def _all_above(study: VersionStudy, on_v3: dict[str, float]) -> bool:
    return min(on_v3.values()) > cell(study, "WORD", "v3")
