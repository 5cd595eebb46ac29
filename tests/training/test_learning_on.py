"""A trained model that learns on, with new categories: the oracle is a model fitted on all documents at once."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.naive_bayes import MultinomialNB

import rubricate as rb
from rubricate.errors import InvalidInput
from rubricate.labels import CategoryGrowth, indicator, label_matrix
from rubricate.thresholds import Pcut, RankLimit, Scut, resolve
from rubricate.thresholds.decisions import with_expected_cuts
from rubricate.types import Corpus, Documents

LEARNERS = ["experts", "knn", "nb", "rocchio"]
WORDS = {"grain": "wheat corn crop", "fuel": "crude oil gas", "metal": "gold mine ore", "art": "opera paint museum"}
OWN = {"weights": "precomputed", "folds": 0}


def stories(names, count=24, seed=0):
    """Return texts of several words of their categories, and one or two labels each."""
    rng, texts, labels = np.random.default_rng(seed), [], []
    for number in range(count):
        own = {names[number % len(names)]} | ({str(rng.choice(names))} if rng.random() < 0.3 else set())
        words = " ".join(WORDS[name] for name in sorted(own)).split()
        texts.append(" ".join(rng.choice(words, 5)))
        labels.append(own)
    return texts, labels


def vectors(texts):
    words = sorted({word for line in WORDS.values() for word in line.split()})
    return np.array([[text.split().count(word) for word in words] for text in texts], float)


OLD, LATER = stories(["grain", "fuel", "metal"]), stories(["art", "grain", "metal"], seed=1)
ONE = [sorted(own)[0] for own in OLD[1]]
LATER_ONE = ["art" if "art" in own else sorted(own)[0] for own in LATER[1]]


def same_scores(parts, whole, X):
    np.testing.assert_allclose(parts._scores(X), whole._scores(X), rtol=1e-12, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize(("old", "later"), [(OLD[1], LATER[1]), (ONE, LATER_ONE)], ids=["sets", "column"])
def test_it_scores_as_if_all_had_been_there(name, old, later):
    X, Z = vectors(OLD[0]), vectors(LATER[0])
    parts = rb.Categorizer(name, cut="rcut:1", **OWN).fit(X, old).update(Z, later)
    whole = rb.Categorizer(name, cut="rcut:1", **OWN).fit(np.vstack([X, Z]), [*old, *later])
    assert parts.categories_ == whole.categories_ == ("art", "fuel", "grain", "metal")
    assert parts.classes_.tolist() == whole.classes_.tolist()
    same_scores(parts, whole, np.vstack([X, Z]))
    assert parts.train_counts_.tolist() == whole.train_counts_.tolist()
    assert parts.ids_ == whole.ids_
    assert (parts.predict(Z) == whole.predict(Z)).all()
    later, once = (model.run(X, name, y=old) for name, model in (("later", parts), ("once", whole)))
    assert rb.compare([later, once]).results, "their columns are the same"


@pytest.mark.parametrize("name", LEARNERS)
def test_a_category_known_by_name_alone_is_learned(name):
    """The columns of a matrix may have no documents at first: 1, in the middle, and 3, which stays empty."""
    X, Z = vectors(OLD[0]), vectors(LATER[0])
    order = ["fuel", "art", "grain", "tin", "metal"]
    Y, W = (np.array([[n in own for n in order] for own in part], int) for part in (OLD[1], LATER[1]))
    parts = rb.Categorizer(name, cut="rcut:1", **OWN).fit(X, Y).update(Z, W)
    whole = rb.Categorizer(name, cut="rcut:1", **OWN).fit(np.vstack([X, Z]), np.vstack([Y, W]))
    assert parts.categories_ == whole.categories_ == ("0", "1", "2", "3", "4")
    same_scores(parts, whole, np.vstack([X, Z]))
    assert (parts.predict(Z) == whole.predict(Z)).all()
    for own, other in zip(parts.explain(Z[:3], "1"), whole.explain(Z[:3], "1"), strict=True):
        assert [each.weight for each in own["1"]] == pytest.approx([each.weight for each in other["1"]])
    assert parts.top_terms("1") == whole.top_terms("1")


@pytest.mark.slow
@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("labels", [(OLD[1], LATER[1]), (ONE, LATER_ONE)], ids=["several", "one"])
def test_a_file_holds_all_that_grew(name, labels, tmp_path):
    model = rb.Categorizer(name, weights="nnn").fit(OLD[0], labels[0])
    before = model.cross_validated
    model.update(LATER[0], labels[1])
    texts = [*LATER[0], "", "museum"]
    again = rb.Categorizer.open(model.save(tmp_path / "m"))
    assert again.classify(texts) == model.classify(texts)
    assert again.rank(texts, 4) == model.rank(texts, 4)
    assert again.explain(texts) == model.explain(texts)
    assert again.answers(texts, top=2) == model.answers(texts, top=2)
    assert ((model.confidence(texts) > 0) & (model.confidence(texts) < 1)).all()
    assert model.cross_validated == before, "figures are those of the training"
    run = model.out_of_fold_run()
    assert rb.evaluate(run).micro["f1"] == pytest.approx(before["micro_f1"])
    assert (run.categories, len(run.documents)) == (("art", "fuel", "grain", "metal"), 24)
    if model.single_label_:
        assert model.predict_proba(texts).shape == (len(texts), 4)
        np.testing.assert_allclose(again.predict_proba(texts).sum(axis=1), 1)


def test_what_is_new_is_assigned():
    """The words of the new category were known; its cut is the one expected of its 8 documents."""
    texts = [*OLD[0], "opera museum grain", "paint"]
    model = rb.Categorizer("knn", cut="scut").fit(texts, [*OLD[1], {"fuel"}, {"fuel"}])
    held = model.train_counts_
    known = model.cut_.cuts_.copy()
    model.update(["opera museum paint"] * 8, [{"art"}] * 8)
    assert model.classify(["museum paint", "crude oil"]) == [("art",), ("fuel",)]
    assert model.cut_.cuts_[1:].tolist() == known.tolist()
    line = np.polyfit(np.log1p(held), known, 1)
    assert model.cut_.cuts_[0] == pytest.approx(np.clip(np.polyval(line, np.log(9)), known.min(), known.max()))


def growth(held, more, places=None):
    """Return the growth by so many documents of each category, one label each."""
    labels = indicator(np.repeat(np.eye(len(more)), more, axis=0))
    return CategoryGrowth(labels, np.array(held), np.flatnonzero(held) if places is None else np.array(places))


def test_expected_cuts_lie_on_the_line_of_the_others():
    cuts = 2.0 - 0.5 * np.log2(1 + np.array([1, 3, 7]))  # 1.5, 1, .5
    more = with_expected_cuts(cuts, growth([0, 1, 3, 7, 0], [4, 0, 2, 0, 15]))
    assert more[1:4].tolist() == cuts.tolist()
    assert more[0] == pytest.approx(2 - 0.5 * np.log2(5))
    assert more[4] == 0.5, "no farther than the cuts known"
    empty = growth([1, 3, 7, 0, 0], [0, 0, 0, 3, 0], places=[0, 1, 2, 3, 4])
    assert with_expected_cuts(np.r_[cuts, 9.0, np.inf], empty)[3:].tolist() == [1.0, np.inf]
    two = growth([1, 15, 4, 0], [0, 0, 0, 3])
    assert with_expected_cuts(np.r_[cuts[:2], np.inf], two).tolist() == [1.5, 1.0, np.inf, 1.25], "the median of two"
    assert with_expected_cuts(np.array([np.inf]), growth([4, 0], [0, 1])).tolist() == [np.inf, np.inf]


def test_every_cut_grows():
    old, further = sparse.csr_array([[1, 0], [0, 1], [1, 0]]), indicator([[0, 1, 0], [0, 0, 1]])
    grew = CategoryGrowth(further, np.array([2, 0, 1]), np.array([0, 2]))
    whole = sparse.csr_array([[1, 0, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    for prior in ("documents", "labels"):
        grown = Pcut(prior=prior).fit(None, old).grown(grew)
        assert grown.quotas(10).tolist() == Pcut(prior=prior).fit(None, whole).quotas(10).tolist()
    assert resolve(0.3).fit(None, old).grown(grew).cuts_.tolist() == [0.3] * 3
    with pytest.raises(InvalidInput, match="one cut or 3 of them"):
        rb.thresholds.FixedCut(cut=[0.1, 0.2]).fit(None, old).grown(grew)
    scores = np.array([[0.9, 0.1], [0.2, 0.8], [0.7, 0.4]])
    before = Scut().fit(scores, old)
    assert before.grown(grew).cuts_.tolist() == [before.cuts_[0], before.cuts_.mean(), before.cuts_[1]]
    limited = RankLimit(rank=2, cut="scut").fit(scores, old).grown(grew)
    assert limited.cut_.cuts_.tolist() == before.grown(grew).cuts_.tolist()
    assert limited.decide(np.ones((1, 3))).shape == (1, 3)
    for common in ("rcut:1", "refuse:0.1"):
        assert resolve(common).fit(scores, old).grown(grew).decide(np.eye(3)).shape == (3, 3)


def test_numbers_stay_numbers():
    X, y = vectors(OLD[0]), np.array([3, 5, 9] * 8)
    model = rb.Categorizer("nb", **OWN).fit(X, y)
    model.update(vectors(["opera museum"] * 9), np.array([10] * 9)).update(vectors(["paint"] * 9), [7] * 9)
    assert model.classes_.tolist() == [3, 5, 7, 9, 10]
    assert model.predict(vectors(["opera", "paint"])).tolist() == [10, 7]
    for other in ([1.0], ["tin"], [{"tin"}]):
        with pytest.raises(InvalidInput, match="give one kind"):
            model.update(X[:1], other)


def test_columns_in_an_order_of_their_own_keep_it():
    X, Z = vectors(OLD[0]), vectors(["opera paint", "museum", "crude gas"])
    frame = pd.DataFrame({name: [int(name in own) for own in OLD[1]] for name in ("metal", "fuel", "grain")})
    model = rb.Categorizer("nb", cut=0.0, **OWN).fit(X, frame)
    model.update(Z, pd.DataFrame({"fuel": [0, 0, 1], "art": [1, 1, 0]}))
    assert model.categories_ == ("metal", "fuel", "grain", "art")
    assert model.train_counts_[3] == 2
    numbered = rb.Categorizer("nb", cut=0.0, **OWN).fit(X, np.tile([[1, 0] + [0] * 8, [0, 1] + [0] * 8], (12, 1)))
    numbered.update(Z, sparse.csr_array(np.eye(12)[[10, 10, 3]]))
    assert numbered.categories_ == tuple(map(str, range(12)))
    assert numbered.predict(Z).shape == (3, 12)
    assert numbered.rank(Z[:1], 1)[0][0][0] == "10"


def test_what_is_refused_changes_nothing():
    texts, labels = OLD
    named = rb.Categorizer("nb", folds=0, cut="rcut:1").fit(texts, labels)
    with pytest.raises(InvalidInput, match="label matrix of 4 columns without names, for 3 categories"):
        named.update(texts[:1], [[0, 0, 0, 1]])
    with pytest.raises(InvalidInput, match="2 documents and 1 label sets"):
        named.update(texts[:2], [{"art"}])
    cuts = rb.Categorizer("nb", folds=0, cut=rb.thresholds.FixedCut(cut=[0.1, 0.2, 0.3])).fit(texts, labels)
    with pytest.raises(InvalidInput, match="expected one cut or 4 of them"):
        cuts.update(["opera"], [{"art"}])
    foreign = rb.Categorizer(MultinomialNB(), folds=0, cut="rcut:1").fit(texts, ONE)
    with pytest.raises(
        InvalidInput, match=r"does not have: art. MultinomialNB learns on within .*Fix: train with --ke"
    ):
        foreign.update(["opera"], ["art"])
    assert foreign.update(["oil"], ["fuel"]).train_counts_.sum() == 25
    full = rb.Categorizer("nb", folds=0, cut="rcut:1").fit(texts, [own | {"news"} for own in labels])
    with pytest.raises(InvalidInput, match=r"'news' had all training documents.*Fix"):
        full.update(["opera"], [{"art"}])
    assert full.update(["opera"], [{"art", "news"}]).classify(["opera"]) != [()]
    for model in (named, cuts):
        assert model.categories_ == ("fuel", "grain", "metal")
        assert model.aligned_.classifier_.categories_ == ("0", "1", "2")
        assert len(model.ids_) == 24
        model.classify(texts)


def test_documents_without_labels_are_counter_examples():
    model = rb.Categorizer("nb", weights="nnn", folds=0, cut=0.0).fit(*OLD)
    before = model.rank(["wheat"], 3)
    assert model.update(["wheat wheat"] * 9, [()] * 9).rank(["wheat"], 3) == before, "they enter no category's counts"
    with pytest.raises(InvalidInput, match="document 0 has 0 labels"):
        rb.Categorizer("nb", folds=0).fit(OLD[0], ONE).update(["wheat"], [()])


def test_hashed_terms_learn_on():
    analyzer = rb.text.Analyzer(tokens="characters", ngrams=(3, 5), hashing=1 << 12)
    model = rb.Categorizer("nb", analyzer=analyzer, weights="nnn", folds=0).fit(OLD[0], ONE)
    assert model.update(["crude wheat museum"] * 9, ["trade"] * 9).classify(["wheat crude"]) == [("trade",)]


def test_kept_documents_grow_with_the_model():
    labels, names = label_matrix([*OLD[1], *LATER[1]])
    documents = Documents([str(i) for i in range(48)], [*OLD[0], *LATER[0]], labels, names)
    first, rest = documents.take(range(24)), documents.take(range(24, 48))
    model = rb.Categorizer("nb", folds=0, cut="rcut:1").fit(first).keep(first)
    with pytest.raises(InvalidInput, match="give them as Documents"):
        model.update(["wheat"], [{"grain"}])
    model.update(rest)
    assert tuple(model.kept_documents().ids) == model.ids_


def test_a_model_trained_anew_keeps_its_hierarchy():
    labels, names = label_matrix([*OLD[1], *LATER[1]], ["art", "fuel", "goods", "grain", "metal"])
    documents = Documents([str(i) for i in range(48)], [*OLD[0], *LATER[0]], labels, names)
    first, rest = documents.take(range(24)), documents.take(range(24, 48))
    links = [("goods", name) for name in ("fuel", "grain", "metal")] + [("root", "goods"), ("root", "art")]
    corpus = Corpus("own", "none", first, first.take([]), taxonomy=tuple(links))
    model = rb.Categorizer("top_down", folds=0, cut=0.0).fit(corpus).keep(corpus)
    anew = model.retrained(rest)
    assert anew.aligned_.classifier.taxonomy == model.aligned_.classifier.taxonomy == tuple(links)
    assert anew.classify(["opera museum"]) == [("art",)]
    strange = Documents(["x"], ["tin"], *label_matrix([{"tin"}]))
    with pytest.raises(InvalidInput, match="not in the taxonomy: 'tin'; add a pair"):
        model.retrained(strange)
    with pytest.raises(InvalidInput, match=r"TopDown cannot learn further documents. Fix"):
        model.update(rest)
