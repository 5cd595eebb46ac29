"""A procedure chooses among representations × candidates, computes each step once, and is the same on any engine."""

from __future__ import annotations

import pickle
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rubricate as rb
from rubricate.errors import InvalidInput, UnknownName
from rubricate.folds import assign_folds
from rubricate.labels import label_matrix
from rubricate.text.representation import Representation
from rubricate.thresholds import resolve
from rubricate.training.cache import Entry, Memory
from rubricate.training.choosing import climb, fit_cut, selection_score
from rubricate.training.data import Fold, TrainingData
from rubricate.training.plan import Step, TrainingPlan
from rubricate.training.run import TrainingRun

pytestmark = pytest.mark.slow

WORDS = {"grain": "wheat corn silo", "fuel": "oil gas barrel", "ship": "port vessel cargo"}


def make_texts(n: int, seed: int) -> tuple[list[str], list[set[str]]]:
    """Two words of each category of a document, in a sentence of noise; titles say nothing."""
    rng = np.random.default_rng(seed)
    texts, labels = [], []
    for _ in range(n):
        own = rng.choice(list(WORDS), int(rng.integers(1, 3)), replace=False)
        words = [str(rng.choice(WORDS[name].split())) for name in own for _ in range(2)]
        texts.append(" ".join([*words, *(f"noise{rng.integers(9)}" for _ in range(4))]))
        labels.append({str(name) for name in own})
    return texts, labels


@pytest.fixture(scope="module")
def material():
    return TrainingData(*make_texts(90, 0))


def procedure(**changes):
    parts = {
        "representations": (Representation(), Representation(weights="lnc", select="chi2:6")),
        "candidates": (rb.SVM(C=0.1), rb.SVM(C=2.0), rb.KNN(k=3)),
        "cut": resolve("scut"),
        "folds": 3,
    }
    return TrainingPlan(**(parts | changes))


def test_every_representation_is_tried_with_every_candidate_and_the_best_is_kept(material):
    asked = procedure()
    trained = TrainingRun(asked, material).model()
    selection_scores = []
    for option in asked.options:  # the same by hand: one option at a time
        alone = procedure(representations=(option.representation,), candidates=(option.candidate,))
        ((scores, labels),) = TrainingRun(alone, material).held_out_scores()
        selection_scores.append(selection_score(fit_cut(asked.cut, scores, labels).decide(scores), labels))
    assert len(selection_scores) == 6
    assert trained.selection_scores == tuple(selection_scores)
    assert trained.option == int(np.argmax(selection_scores))
    chosen = asked.options[trained.option]
    assert trained.representation.get_params(deep=False) == chosen.representation.get_params(deep=False)
    assert repr(trained.classifier.classifier) == repr(chosen.candidate)
    new, _ = make_texts(20, 1)
    alone = TrainingRun(
        procedure(representations=(chosen.representation,), candidates=(chosen.candidate,)), material
    ).model()
    assert (trained.decide(new) != alone.decide(new)).nnz == 0


COSTS = (0.001, 0.01, 0.1, 1.0, 10.0)


def test_a_climb_looks_only_at_the_way_to_the_best(material):
    parts = {"representations": (Representation(),), "candidates": tuple(rb.SVM(C=C) for C in COSTS)}
    whole, climbing = procedure(**parts), procedure(**parts, climbs_from=2)
    every, way = TrainingRun(whole, material), TrainingRun(climbing, material)
    trained, other = every.model(), way.model()
    assert [step.option for step in climbing.steps(final=False)] == [2, 3] * 3
    assert way.tried == [2, 3, 4] or way.tried[-1] == 3
    assert other.selection_scores == tuple(trained.selection_scores[option] for option in way.tried)
    assert other.option == way.tried[int(np.argmax(other.selection_scores))]
    assert other.selection_scores[way.tried.index(other.option)] == max(other.selection_scores)
    assert {other.option - 1, other.option + 1} & set(range(len(COSTS))) <= set(way.tried)


def test_two_candidates_need_no_climb_and_several_representations_none(material):
    parts = {"representations": (Representation(),), "candidates": (rb.SVM(C=0.1), rb.SVM())}
    assert TrainingRun(procedure(**parts, climbs_from=0), material).tried == [0, 1]
    for start, changes in ((0, {}), (2, parts), (-1, parts)):
        with pytest.raises(InvalidInput, match=f"climbs_from={start} is no candidate of one representation"):
            procedure(**changes, climbs_from=start)


@given(
    selection_scores=st.lists(st.integers(0, 9), min_size=3, max_size=9, unique=True),
    peak=st.integers(0, 8),
    flat=st.booleans(),
)
def test_a_climb_finds_the_peak_of_what_rises_and_falls(selection_scores, peak, flat):
    peak %= len(selection_scores)
    ordered = [*sorted(selection_scores[:peak]), 10, *sorted(selection_scores[peak + 1 :], reverse=True)]
    if flat and peak + 1 < len(ordered):
        ordered[peak + 1] = 10  # of equals the first is taken
    middle = (len(ordered) - 1) // 2
    tried = climb(range(middle, middle + 2), len(ordered), ordered.__getitem__)
    assert max(tried, key=lambda option: (ordered[option], -option)) == peak
    assert tried == list(range(tried[0], tried[-1] + 1))
    assert len(tried) <= abs(peak - middle) + 3


def test_the_figures_are_of_the_choice_too(material):
    """Each fold is decided by the option that the other folds choose, so the figures do not see the choice."""
    many, judged = procedure(), TrainingRun(procedure(), material).model().judged
    held = [scores for scores, _ in TrainingRun(many, material).held_out_scores()]
    fold_ids = assign_folds(material.labels, 3, seed=0)
    for fold in range(3):
        kept, out = np.flatnonzero(fold_ids != fold), np.flatnonzero(fold_ids == fold)
        cuts = [fit_cut(many.cut, scores[kept], material.labels[kept]) for scores in held]
        best = int(
            np.argmax(
                [selection_score(c.decide(s[kept]), material.labels[kept]) for c, s in zip(cuts, held, strict=True)]
            )
        )
        assert (judged.decided[out] != cuts[best].decide(held[best][out])).nnz == 0


def test_text_is_read_once_per_analyzer_and_vectors_made_once_per_representation_and_fold(monkeypatch):
    calls = {"read": 0, "part": 0}
    for name in calls:
        method = getattr(Representation, name)

        def counted(self, *given, method=method, name=name):
            calls[name] += 1
            return method(self, *given)

        monkeypatch.setattr(Representation, name, counted)
    shapes = (Representation(), Representation(select="chi2:5"), Representation(rb.text.Analyzer(stem=None)))
    TrainingRun(procedure(representations=shapes), TrainingData(*make_texts(40, 2))).model()
    assert calls["read"] == 2
    assert calls["part"] == 3 * 3 + 1, "three folds of three representations, and all documents for the chosen one"


def test_steps_of_the_same_vectors_follow_each_other():
    steps = procedure().steps()
    assert len(steps) == 18
    vectors = [(step.option // 3, step.fold.number) for step in steps]
    assert vectors == sorted(vectors)
    alone = procedure(candidates=(rb.SVM(),), representations=(Representation(),), seeds=2).steps()
    assert [step.fold and step.fold.seed for step in alone] == [0, 0, 0, 1, 1, 1, None]


@pytest.mark.parametrize("engine", ["serial", "threads"])
def test_engines_give_the_same(material, engine):
    trained = TrainingRun(procedure(), material, engine=engine).model()
    other = TrainingRun(procedure(), TrainingData(material.documents, material.target), engine="serial").model()
    assert trained.selection_scores == other.selection_scores
    assert trained.figures == other.figures


def test_results_of_other_processes_travel_back_where_the_cache_is_not_shared(material):
    """As on a cluster: the task works on a copy, whose memory is not ours."""

    def elsewhere(function, tasks):
        return [pickle.loads(pickle.dumps(function))(task) for task in tasks]

    here, there = TrainingRun(procedure(), material), TrainingRun(procedure(), material, engine=elsewhere)
    steps = here.procedure.steps()
    here.compute(steps)
    there.compute(steps)
    for step in steps:
        assert there.cache.has(step)
        np.testing.assert_array_equal(here.entry(step).arrays["values"], there.entry(step).arrays["values"])


def test_a_step_is_computed_once(material):
    execution = TrainingRun(procedure(candidates=(rb.SVM(),)), material)
    first = execution.entry(Step(0, Fold(3, 0, 1)))
    assert execution.entry(Step(0, Fold(3, 0, 1))) is first
    assert set(first.notes) == {"vectors", "fit", "score"}


def test_memory_keeps_and_pickles_empty():
    memory = Memory()
    memory.keep("a", Entry({}, {"n": 1}, 0.0))
    assert memory.remember("a", lambda: pytest.fail("computed again")).notes == {"n": 1}
    began = time.perf_counter()
    assert 0 <= memory.remember("b", lambda: ({}, {})).seconds <= time.perf_counter() - began
    assert not pickle.loads(pickle.dumps(memory)).has("a")


@pytest.mark.parametrize("held_out", ["third", "training"])
def test_scores_may_come_from_a_third_or_from_the_training_documents(material, held_out):
    asked = procedure(held_out=held_out, candidates=(rb.SVM(),), representations=(Representation(),), vectors_in="all")
    trained = TrainingRun(asked, material).model()
    assert trained.judged is None
    assert trained.figures is None
    vectors = Representation().fit_transform(material.documents, material.labels)
    fold_ids = assign_folds(material.labels, 3, seed=0)
    kept, held = (fold_ids != 0, fold_ids == 0) if held_out == "third" else (fold_ids >= 0, fold_ids >= 0)
    svm = rb.SVM().fit(vectors[np.flatnonzero(kept)], material.labels[np.flatnonzero(kept)])
    scores = svm.decision_function(vectors[np.flatnonzero(held)])
    expected = resolve("scut").fit(scores, material.labels[np.flatnonzero(held)]).cuts_
    np.testing.assert_allclose(trained.threshold.cuts_, expected, rtol=1e-6)


def test_documents_may_go_to_the_classifier_as_they_are(material):
    stack = rb.classifiers.Stack(
        [("svm", _pipeline(rb.SVM())), ("nb", _pipeline(rb.NB()))],
        folds=3,
        rounds=5,
        keep_scores=True,
    )
    asked = procedure(
        representations=(Representation(weights="documents"),), candidates=(stack,), bare=True, held_out="own"
    )
    trained = TrainingRun(asked, material).model()
    new, labels = make_texts(30, 3)
    truth, _ = label_matrix(labels, material.categories)
    assert rb.measures.micro("f1", rb.measures.counts(truth, trained.decide(new))) > 0.8


def test_a_categorizer_of_a_classifier_that_reads_documents(tmp_path):
    texts, labels = make_texts(60, 4)
    stack = rb.classifiers.Stack([("svm", _pipeline(rb.SVM())), ("nb", _pipeline(rb.NB()))], folds=3, rounds=5)
    model = rb.Categorizer(stack, weights="documents", folds=2).fit(texts, labels)
    new, truth = make_texts(10, 5)
    assert sum(set(found) == wanted for found, wanted in zip(model.classify(new), truth, strict=True)) > 5
    assert model.answers(new, explain=2)[0].evidence
    assert len(model.explain(new[0])) > 0


def _pipeline(classifier):
    from sklearn.pipeline import make_pipeline

    return make_pipeline(rb.text.Vectors(), classifier)


def test_what_does_not_go_together_is_refused():
    with pytest.raises(UnknownName, match="vectors_in"):
        procedure(vectors_in="some")
    with pytest.raises(UnknownName, match="held_out"):
        procedure(held_out="half")
    with pytest.raises(InvalidInput, match="at least one representation"):
        procedure(candidates=())
    with pytest.raises(InvalidInput, match="folds=0 does not go with held_out='folds'"):
        procedure(folds=0)
    with pytest.raises(InvalidInput, match="choosing among 6 options needs held-out scores"):
        procedure(folds=0, held_out="none")


def test_representations_with_the_same_short_form_are_told_apart():
    """The printed form of an estimator is cut at 700 characters; two long lists of stop words must not be mixed up."""
    words = [f"word{'a' * i}" for i in range(60)]
    one, other = (Representation(rb.text.Analyzer(stop=[*words, last])) for last in ("wheat", "corn"))
    assert repr(one) == repr(other)
    assert one.key() != other.key()
    assert one.reading_key() != other.reading_key()
    assert one.key() == Representation(rb.text.Analyzer(stop=[*words, "wheat"])).key()
    weights = np.eye(2)
    same = _Fixed(weights)
    assert Representation(weights=same).key() == Representation(weights=same).key()
    assert Representation(weights=same).key() != Representation(weights=_Fixed(weights.copy())).key()


class _Fixed:
    """A transformer with an array among its parameters."""

    def __init__(self, matrix):
        self.matrix = matrix

    def get_params(self, deep=True):
        return {"matrix": self.matrix}

    def transform(self, X):
        return X
