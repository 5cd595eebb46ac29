"""The categorizer with hierarchical classifiers: the taxonomy of the corpus, of the classifier, saved and opened."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import sparse

import rubricate as rb

pytestmark = pytest.mark.slow

TEXTS = ["wheat harvest", "corn exports", "tanker at sea", "natural gas pipe", "grain prices", "crude oil"] * 5
LABELS = [["wheat"], ["corn"], ["ship"], ["gas"], ["grain"], ["crude", "ship"]] * 5
TREE = (("grain", "wheat"), ("grain", "corn"), ("crude", "ship"), ("crude", "gas"))


@pytest.mark.parametrize("name", ["top_down", "local", "tolerant", "big_bang", "proximity"])
def test_a_corpus_brings_its_taxonomy(name, tmp_path):
    corpus = rb.load("newswire", documents=600)
    assert corpus.taxonomy
    model = rb.Categorizer(name, folds=2, engine="serial").fit(corpus)
    used = model.classifier_
    assert used.taxonomy == corpus.taxonomy
    assert used.categories == corpus.categories
    again = rb.Categorizer.open(model.save(tmp_path / "m"))
    assert np.array_equal(again.decision_function(corpus.test), model.decision_function(corpus.test))
    assert model.cross_validation_["micro_f1"] > 0.3


def test_a_taxonomy_of_the_classifier_comes_first_and_columns_get_their_names():
    model = rb.Categorizer(rb.classifiers.TopDown(taxonomy=TREE), folds=2, engine="serial").fit(TEXTS, LABELS)
    assert model.classifier_.categories == model.categories_
    assert model.classify(["wheat harvest", "crude oil"]) == [("wheat",), ("crude", "ship")]
    arrays = rb.Categorizer(rb.classifiers.TopDown(taxonomy=np.array(TREE)), folds=2, engine="serial").fit(
        TEXTS, LABELS
    )
    assert arrays.classify(["wheat harvest", "crude oil"]) == [("wheat",), ("crude", "ship")]
    assert model.classifier is not model.classifier_
    assert model.classifier.categories is None, "the classifier given is left as it was"


def test_one_label_a_document():
    single = [labels[0] for labels in LABELS]
    for classifier in (
        rb.classifiers.Local(taxonomy=TREE),
        rb.classifiers.Tolerant(taxonomy=TREE),
        rb.classifiers.TopDown(taxonomy=TREE),
    ):
        model = rb.Categorizer(classifier, folds=2, engine="serial").fit(TEXTS, single)
        assert model.classify(["corn exports", "grain prices"]) == [("corn",), ("grain",)]


def test_a_category_that_a_fold_lacks_keeps_its_place():
    labels = [*LABELS[:-1], ["crude", "ship", "gas"]]
    texts = [*TEXTS, "rare rice"]
    edges = (*TREE, ("grain", "rice"))
    model = rb.Categorizer(rb.classifiers.TopDown(taxonomy=edges), folds=2, engine="serial").fit(
        texts, [*labels, ["rice"]]
    )
    assert model.classify(["wheat harvest"]) == [("wheat",)]
    assert "rice" in model.categories_


def test_explains_the_category_asked_for_where_others_are_empty():
    names = ("barley", "corn", "crude", "gas", "grain", "ship", "wheat")
    labels = sparse.csr_array(np.array([[name in own for name in names] for own in LABELS], bool))
    documents = rb.Documents([str(i) for i in range(30)], TEXTS, labels, names)
    model = rb.Categorizer(rb.classifiers.TopDown(taxonomy=(*TREE, ("grain", "barley"))), folds=2, engine="serial").fit(
        documents
    )
    found = model.explain("natural gas pipe", "gas", limit=2)["gas"]
    assert {one.source for one in found} <= {"natur", "ga", "pipe"}
    assert all(one.weight > 0 for one in found)
    assert model.explain("barley", "barley")["barley"] == []


def test_the_signature_tells_taxonomies_apart_in_a_few_signs():
    many = [("top", f"c{k}") for k in range(2_000)]
    other = [*many[:-1], ("c0", "c1999")]
    models = [rb.Categorizer(rb.classifiers.TopDown(cut=0.5, taxonomy=edges)) for edges in (many, many[::-1], other)]
    one, turned, changed = (model.signature().classifier for model in models)
    assert one == turned != changed
    assert re.fullmatch(r"TopDown\(cut=0\.5, taxonomy=2000 links [0-9a-f]{8}\)", one)
    assert rb.Categorizer(rb.classifiers.TopDown()).signature().classifier == "TopDown()"


def test_estimates_go_by_the_taxonomy_of_the_corpus():
    corpus = rb.load("newswire", documents=500)
    options = {"method": "cross_validation", "folds": 2}
    own = rb.estimate(rb.Categorizer(rb.classifiers.TopDown(taxonomy=corpus.taxonomy), folds=2), corpus, **options)
    for system in (rb.Categorizer("top_down", folds=2), rb.Categorizer(rb.classifiers.TopDown(), folds=2)):
        assert rb.estimate(system, corpus, **options).micro == own.micro
    flat = rb.estimate(rb.Categorizer("top_down", folds=2), corpus.train, **options)
    assert flat.micro != own.micro
    bare = rb.classifiers.TopDown(taxonomy=corpus.taxonomy, categories=corpus.categories)
    assert rb.estimate("top_down", corpus, **options).micro == rb.estimate(bare, corpus, **options).micro
