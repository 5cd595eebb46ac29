"""From the parts of a stored model to a scorer: which models can do without their estimators."""

from __future__ import annotations

from typing import Any

import numpy as np

from rubricate.errors import RubricateError
from rubricate.files.model.model_file import StoredModel
from rubricate.files.scorer.parts import Part, Unsupported, root
from rubricate.files.scorer.scorer import CertaintyCurve, FileScorer, LinearScores
from rubricate.text.few_texts import FewTexts
from rubricate.text.options import LONGEST, phrase_lengths
from rubricate.types import Floats

__all__ = ["scorer_of"]

CUTS = ("fixed", "micro_macro", "scut")
"""Thresholds that assign what reaches `cuts_`."""
READ = {"tokens", "min_length", "stop", "stem", "ngrams", "title"}
"""Settings of the analysis that `FewTexts` follows; others must have these values, or None."""
PLAIN = {"casing": "fold", "negation": False}


def scorer_of(stored: StoredModel) -> FileScorer | None:
    """Return a scorer that answers as the stored model does; None where that takes its estimators.

    It can stand in for linear SVMs on terms, words or character n-grams with a rank, fixed or learned cut. What looks
    wrong in the file is left to `StoredModel.estimator`, which names it.
    """
    try:
        scorer = _scorer(root(stored.manifest["model"], stored.arrays, stored.size))
        scorer.try_out()
    except (Unsupported, RubricateError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return None
    return scorer


def _scorer(model: Part) -> FileScorer:
    model.check("rubricate", "Categorizer")
    if model["limit_"] is not None:
        raise Unsupported("only the best scores of each document")
    categories = model["categories_"]
    (readers, factors), linear = _readers(model["representation_"]), _linear(model["aligned_"])
    if sum(len(reader.columns) for reader in readers) != len(linear.weights) or len(categories) != len(
        linear.constants
    ):
        raise ValueError("parts of different size")
    t, cuts = _cut(model["cut_"].check("thresholds", "rcut", *CUTS))
    if cuts is not None and cuts.shape != linear.constants.shape:
        raise ValueError("cuts of another number of categories")
    confidence = model["confidence_"]
    return FileScorer(
        categories=categories,
        readers=readers,
        factors=factors,
        linear=linear,
        t=t,
        cuts=cuts,
        certainty=None if confidence is None else _certainty(confidence.check("rubricate", "Confidence")),
        reference=model.get("reference_"),
        sharpness=model.get("sharpness_"),
    )


def _readers(representation: Part) -> tuple[list[FewTexts], Floats]:
    """Return how texts become vectors, and the factor of each, as in `text.blocks`."""
    if representation.name != "Blocks":
        return [_reader(representation.check("rubricate", "Representation")["vectors_"])], np.ones(1)
    readers = [_reader(part.check("rubricate", "Representation")["vectors_"]) for part in representation["parts_"]]
    shares = representation.get("shares")
    lengths = np.ones(len(readers)) if shares is None else np.asarray(shares, np.float64)
    if lengths.shape != (len(readers),):
        raise ValueError("shares of another number of blocks")
    return readers, lengths / np.sqrt(np.sum(lengths**2))


def _reader(vectors: Part) -> FewTexts:
    vectors.check("rubricate", "Vectors")
    analyzer, weights = vectors["analyzer"].check("rubricate", "Analyzer"), vectors["weights"]
    if not isinstance(weights, str) or any(analyzer[name] != PLAIN.get(name) for name in {*analyzer} - READ):
        raise Unsupported("an analysis of its own")
    terms, tokens, idf = vectors["vocabulary_"], analyzer["tokens"], vectors["idf_"]
    if idf.shape != (len(terms),) or len(set(terms)) != len(terms):
        raise ValueError("weights for another number of terms")
    return FewTexts(
        tokens=tokens,
        stop=frozenset(vectors["stop_words_"]),
        min_length=analyzer["min_length"],
        stem=None if analyzer["stem"] == "none" else analyzer["stem"],
        lengths=phrase_lengths(
            analyzer["ngrams"], longest=LONGEST["characters" if tokens == "characters" else "words"]
        ),
        title=analyzer["title"],
        columns={term: column for column, term in enumerate(terms)},
        scheme=weights,
        idf=idf,
    )


def _linear(aligned: Part) -> LinearScores:
    aligned.check("rubricate", "Aligned")
    svm = aligned["classifier_"]
    if svm is None or svm.check("classifiers", "svm")["kernel"] != "linear":
        raise Unsupported("not linear")
    constants, columns = aligned["constants_"], aligned["columns_"]
    weights, bias = svm["coef_"].T, svm["intercept_"]
    if not isinstance(weights, np.ndarray) or weights.ndim != 2:
        raise Unsupported("sparse weights")
    mirrored = weights.shape[1] == 1 and len(columns) == 2 and aligned["form"] == "classes"
    if bias.shape != weights.shape[1:] or not (mirrored or len(columns) == weights.shape[1]):
        raise ValueError("scores for another number of categories")
    return LinearScores(weights, bias, constants=constants, columns=columns, mirrored=mirrored)


def _cut(cut: Part) -> tuple[int, Any]:
    """Return how many of the best categories are assigned, or the cut of each category."""
    if cut.name == "rcut":
        return int(cut["t"]), None
    return 1, np.asarray(cut["cuts_"], np.float64)


def _certainty(confidence: Part) -> CertaintyCurve:
    certainty = CertaintyCurve(
        weights=confidence["weights_"],
        scale=confidence["scale_"],
        familiar=confidence["familiar_"],
        sureness=confidence["sureness_"],
        chances=confidence["chances_"],
    )
    if certainty.weights.shape != (7,) or not len(certainty.chances) or certainty.familiar.ndim != 1:
        raise ValueError("an incomplete confidence")
    if certainty.sureness.shape != certainty.chances.shape:
        raise ValueError("a curve of the confidence with unequal parts")
    return certainty
