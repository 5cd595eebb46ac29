"""What a training, a trained model and its explanations refuse, each with a sentence."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import RidgeClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier

import rubricate as rb
from rubricate.errors import InvalidInput, UnknownName
from rubricate.rules import parse_rules
from rubricate.training import memory
from rubricate.training.rule_models import rules_of

TEXTS = ["wheat corn", "corn crop", "crude oil", "oil gas", "gold mine", "mine ore"] * 3
ONE = ["grain", "grain", "fuel", "fuel", "metal", "metal"] * 3
SETS = [{name} for name in ONE]


def fitted(classifier="nb", labels=ONE, **options):
    return rb.Categorizer(classifier, folds=0, cut="rcut:1", **options).fit(TEXTS, labels)


@pytest.mark.parametrize("size", [0, -1, True, 1.5, "2"])
def test_min_df_is_a_whole_number(size):
    with pytest.raises(InvalidInput, match="min_df must be a whole number"):
        rb.Categorizer("nb", min_df=size).fit(TEXTS, ONE)


@pytest.mark.parametrize("share", [True, -0.1, 1, "some"])
def test_outside_is_a_share(share):
    with pytest.raises(InvalidInput, match="outside must be a share"):
        rb.Categorizer(outside=share, folds=2).fit(TEXTS, ONE)


def test_outside_goes_with_one_label_and_without_a_cut():
    with pytest.raises(InvalidInput, match=r"cut='scut'. Fix: leave out one"):
        rb.Categorizer(outside=0.1, cut="scut", folds=2).fit(TEXTS, ONE)
    with pytest.raises(InvalidInput, match="documents of 2 labels"):
        rb.Categorizer(outside=0.1, folds=2).fit(TEXTS, [{"a", "b"}, *SETS[1:]])


def test_rank_explain_and_familiarity_say_what_they_need():
    model = fitted()
    with pytest.raises(InvalidInput, match="k must be at least 1"):
        model.rank(TEXTS, 0)
    with pytest.raises(InvalidInput, match="folds"):
        model.familiarity(TEXTS)
    with pytest.raises(UnknownName, match="grian"):
        model.explain(TEXTS[:1], category="grian")


def test_what_cannot_learn_on_says_what_can():
    with pytest.raises(InvalidInput, match=r"cannot learn further documents.*nb, knn"):
        fitted("llsf").update(TEXTS[:2], ONE[:2])


def test_further_documents_have_the_shape_of_the_first():
    model = fitted()
    with pytest.raises(InvalidInput, match="2 documents and 1 label sets"):
        model.update(TEXTS[:2], ONE[:1])
    with pytest.raises(InvalidInput, match="document 0 has 2 labels"):
        fitted(labels=SETS).update(TEXTS[:2], [{"grain", "fuel"}, set()])
    several = fitted(labels=[{"grain", "fuel"}, *SETS[1:]])
    assert several.update(TEXTS[:2], [{"grain", "fuel"}, set()]) is several


def test_linear_classifiers_from_elsewhere_are_explained():
    """One row per class, one machine per class, one row for two classes: the heaviest term is the same."""
    for classifier in (RidgeClassifier(), OneVsRestClassifier(RidgeClassifier())):
        (evidence,) = fitted(classifier).explain(["wheat corn"], category="grain")
        assert {reason.name for reason in evidence["grain"]} <= {"wheat", "corn"}
        assert all(reason.weight > 0 for reason in evidence["grain"])
    two = rb.Categorizer(RidgeClassifier(), folds=0).fit(TEXTS[:4] * 3, ONE[:4] * 3)
    weights = {name: two.explain(["wheat"], category=name)[0][name][0].weight for name in ("grain", "fuel")}
    assert weights["grain"] == -weights["fuel"] > 0


def test_classifiers_that_cannot_explain_say_so():
    with pytest.raises(InvalidInput, match="KNeighborsClassifier cannot explain"):
        fitted(KNeighborsClassifier(1)).explain(["wheat"], category="grain")


def test_models_without_rules_have_none_to_print():
    with pytest.raises(InvalidInput, match=r"has no rules; train one that has: charade"):
        rules_of(fitted())


def test_rules_written_by_hand_come_back_with_their_analysis():
    base = parse_rules("grain if wheat; fuel if oil and gas;")
    model = rb.Categorizer(rb.classifiers.Construe(base), folds=0).fit(TEXTS, ONE)
    assert [rule.category for rule in rules_of(model).rules] == [rule.category for rule in base.rules]


def test_memory_that_cannot_be_known_refuses_nothing(monkeypatch):
    def missing(*_, **__):
        raise OSError

    assert memory.free_memory() > 1e6
    monkeypatch.setattr(Path, "read_text", missing)
    assert memory.free_memory() > 1e6, "where /proc is missing, sysconf says it"
    monkeypatch.setattr(os, "sysconf", missing)
    assert memory.free_memory() is None


@pytest.mark.slow
def test_too_little_memory_is_said_before_it_is_used(monkeypatch):
    monkeypatch.setattr(memory, "SMALL", 1)
    monkeypatch.setattr(memory, "free_memory", lambda: 1000)
    with pytest.raises(InvalidInput, match=r"would need about .* Fix: --representation terms"):
        rb.Categorizer(representation="mixed", folds=2).fit(TEXTS, ONE)
    monkeypatch.setattr(memory, "free_memory", lambda: None)
    assert np.all(rb.Categorizer(representation="mixed", folds=2).fit(TEXTS, ONE).predict(["oil"]) == "fuel")
