"""The choice of a representation: what is tried, what is left out, and what does not choose at all."""

from __future__ import annotations

import numpy as np
import pytest

import rubricate as rb
from rubricate.errors import InvalidInput, UnknownName
from rubricate.text.representation import Representation
from rubricate.thresholds import resolve
from rubricate.training import screening
from rubricate.training.candidates import costs_for
from rubricate.training.data import TrainingData
from rubricate.training.representations import candidate_representations
from rubricate.training.run import TrainingRun
from rubricate.training.screening import Screened, screen

pytestmark = pytest.mark.slow

RCUT = resolve("rcut:1")


def questions(n=240, seed=0):
    """Return questions that only their stop words tell apart, and their labels."""
    rng = np.random.default_rng(seed)
    forms = {"how": "how do i {} it", "why": "why was it not {}", "who": "who can {} this for me"}
    labels = [list(forms)[i] for i in rng.integers(3, size=n)]
    return [forms[label].format(rng.choice(["pay", "send", "stop", "find"])) for label in labels], labels


def test_questions_do_not_lose_their_stop_words():
    texts, labels = questions()
    model = rb.Categorizer().fit(texts, labels)
    assert model.screening_["chosen"] != "terms"
    assert model.cross_validation_["micro_f1"] > 0.95
    assert rb.Categorizer(representation="terms").fit(texts, labels).cross_validation_["micro_f1"] < 0.7
    tried = {each["name"]: each for each in model.screening_["tried"]}
    assert list(tried)[:2] == ["terms", "terms without stop list"]
    assert [name.split(",")[0] for name in tried][-3:] == ["words", "characters", "mixed"]
    assert len(tried) == 7
    assert tried["terms"]["micro_f1"] < 0.7 < list(tried.values())[-1]["micro_f1"]


def test_the_simplest_of_equals_is_taken(monkeypatch):
    monkeypatch.setattr(screening, "FEWEST", 200)
    texts, labels = questions()
    choice = screen(candidate_representations(Representation()), TrainingData(texts, labels), cut=RCUT)
    assert choice.chosen == "terms without stop list"
    assert choice.documents == len(texts)


def test_of_few_documents_the_mixed_representation_is_taken_unless_another_is_better(monkeypatch):
    texts, labels = questions()
    candidates = candidate_representations(Representation())
    assert screen(candidates, TrainingData(texts, labels), cut=RCUT).chosen == "mixed, smoothed idf"
    monkeypatch.setattr(screening, "CHEAP", 100)
    assert screen(candidates, TrainingData(texts, labels), cut=RCUT).chosen == "terms without stop list"


@pytest.mark.parametrize(("lead", "chosen"), [(0.009, "mixed"), (0.011, "characters")])
def test_what_is_better_by_less_than_the_noise_of_few_documents_is_not_better(lead, chosen):
    """225 documents: .15 / √225 = .01 in micro-F1 + ¼ macro-F1."""
    tried = [
        Screened("terms", 0.5, 0.5, entries=10.0),
        Screened("characters", 0.8 + lead, 0.8, entries=50.0),
        Screened("mixed", 0.8, 0.8, entries=60.0),
    ]
    assert screening._preferred(tried, 225).name == chosen


def pages(n=240, seed=0):
    """Return pages that common words tell apart, by how often they occur, among rare words that say nothing."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(["course", "person"], n)
    common = {"course": [0.6, 0.2, 0.2], "person": [0.2, 0.6, 0.2]}
    words = ["homework", "research", "page"]
    texts = [
        " ".join(
            [
                *rng.choice(words, 12, p=common[label]),
                *(f"rare{chr(97 + i % 26)}{i}x" for i in rng.integers(400, size=12)),
            ]
        )
        for label in labels
    ]
    return texts, labels.tolist()


def test_idf_is_left_out_where_it_hurts():
    model = rb.Categorizer().fit(*pages())
    tried = {each["name"]: each["micro_f1"] for each in model.screening_["tried"]}
    assert tried["terms, no idf"] > tried["terms, smoothed idf"] > tried["terms"] + 0.02
    assert {"words, no idf", "mixed, no idf"} <= set(tried)
    assert model.screening_["chosen"].endswith("no idf")
    assert "lnc" in str(model.signature())


def test_a_sample_is_stratified_and_bounded(monkeypatch):
    monkeypatch.setattr(screening, "FEWEST", 40)
    texts, labels = questions(240)
    choice = screen(candidate_representations(Representation()), TrainingData(texts, labels), cut=RCUT)
    assert 50 <= choice.documents <= 70
    monkeypatch.setattr(screening, "MOST_CHARACTERS", 200)
    fewer = screen(candidate_representations(Representation()), TrainingData(texts, labels), cut=RCUT)
    assert 6 <= fewer.documents < 30


def test_a_sample_leaves_two_neighbouring_costs_to_try(monkeypatch):
    texts, labels = questions(240)
    candidates, material = candidate_representations(Representation()), TrainingData(texts, labels)
    assert screen(candidates, material, cut=RCUT, tuned=True).costs == ()
    monkeypatch.setattr(screening, "FEWEST", 40)
    assert screen(candidates, TrainingData(texts, labels), cut=RCUT).costs == ()
    choice = screen(candidates, TrainingData(texts, labels), cut=RCUT, tuned=True)
    known = costs_for(choice.representation)
    low, high = choice.costs
    assert known.index(high) == known.index(low) + 1
    model = rb.Categorizer().fit(texts, labels)
    assert model.classifier_.C in choice.costs
    assert rb.Categorizer(rb.SVM(C=7), representation="auto").fit(texts, labels).classifier_.C == 7


def test_the_better_of_two_costs_is_found_on_the_sample(monkeypatch):
    """Accuracies that rise and fall: the peak stays, and of its neighbours the better one."""
    shares = [0.1, 0.2, 0.8, 0.9, 0.7]
    monkeypatch.setattr(screening, "FEWEST", 40)
    texts, labels = questions(240)
    real = TrainingRun.held_out

    def held_out(self, option, seed):
        scores, truth = real(self, option, seed)
        if len(self.procedure.options) == 1:
            return scores, truth
        share = shares[-len(self.procedure.options) :][option]
        right = np.arange(truth.shape[0]) < share * truth.shape[0]
        return np.where(right[:, None], 1.0, -1.0) * truth.toarray(), truth

    monkeypatch.setattr(TrainingRun, "held_out", held_out)
    costs = screen(candidate_representations(Representation()), TrainingData(texts, labels), cut=RCUT, tuned=True).costs
    assert costs == (1.0, 2.0)


def test_what_would_need_too_much_memory_is_left_out_and_said(monkeypatch):
    monkeypatch.setattr(screening, "MOST_ENTRIES", 2000)
    texts, labels = questions()
    choice = screen(candidate_representations(Representation()), TrainingData(texts, labels), cut=RCUT)
    left_out = {each.name: each.left_out for each in choice.tried if each.left_out}
    assert {name.partition(",")[0] for name in left_out} == {"words", "characters", "mixed"}
    assert all("million entries" in reason for reason in left_out.values())


def test_a_representation_without_terms_is_left_out():
    texts, labels = [f"{i % 2} {i} {i}" for i in range(40)], [str(i % 2) for i in range(40)]
    model = rb.Categorizer().fit(texts, labels)
    assert {each["name"] for each in model.screening_["tried"] if each["left_out"]} >= {"terms"}
    with pytest.raises(InvalidInput, match="no term occurs"):
        rb.Categorizer().fit([""] * 20, ["a", "b"] * 10)


@pytest.mark.parametrize(
    "options",
    [
        {"classifier": "svm"},
        {"analyzer": rb.text.Analyzer()},
        {"select": "chi2:5"},
        {"weights": "lnc"},
        {"min_df": 2},
        {"folds": 0, "cut": "rcut:1"},
        {"representation": "words"},
    ],
)
def test_what_is_said_is_not_chosen(options):
    assert rb.Categorizer(**options).fit(*questions(60)).screening_ is None


def test_auto_chooses_with_other_settings_too():
    model = rb.Categorizer("nb", weights="nnn", representation="auto").fit(*questions(60))
    assert model.screening_["chosen"] != "terms"


def test_names_and_weights_that_do_not_go_together():
    with pytest.raises(UnknownName, match="Did you mean 'mixed'"):
        rb.Categorizer(representation="mixd").fit(*questions(20))
    with pytest.raises(InvalidInput, match="does not start from counts"):
        rb.Categorizer(representation="mixed", weights="precomputed").fit(np.eye(4), list("abab"))
    with pytest.raises(InvalidInput, match="several blocks"):
        rb.Categorizer("word", representation="mixed").fit(*questions(20))


def test_few_documents_keep_the_terms():
    model = rb.Categorizer(folds=2).fit(["wheat", "corn", "oil", "gas"], ["a", "a", "b", "b"])
    assert model.screening_["tried"] == []
