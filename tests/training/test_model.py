"""The fitted model: one object that everything reads; a plan of a training trains nothing."""

from __future__ import annotations

import inspect
from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest

import rubricate as rb
from rubricate.training import screening
from rubricate.training.config import TrainingConfig
from rubricate.training.data import TrainingData
from rubricate.training.model import Model
from rubricate.training.parameters import Parameters
from rubricate.training.run import TrainingRun

TEXTS = ["wheat and corn", "corn exports", "crude oil", "oil and gas", "wheat harvest", "gas pipeline"] * 3
LABELS = ["grain", "grain", "fuel", "fuel", "grain", "fuel"] * 3
LEARNED = [
    *("aligned_", "categories_", "classes_", "classifier_", "confidence_", "coverage_"),
    *("cross_validation_", "cut_", "form_", "ids_", "kept_", "language_"),
    *("limit_", "neighbours_", "origin_", "reference_", "representation_", "screening_"),
    *("sharpness_", "single_label_", "train_counts_"),
]


@pytest.fixture(scope="module")
def fitted():
    return rb.Categorizer(representation="terms", folds=3, engine="serial").fit(TEXTS, LABELS)


def test_a_model_does_not_change(fitted):
    with pytest.raises(FrozenInstanceError):
        fitted.model_.threshold = None


def test_every_learned_attribute_reads_the_model(fitted):
    learned = [name for name in vars(fitted) if name.endswith("_")]
    assert learned == ["model_"]
    for name in LEARNED:
        assert hasattr(fitted, name), name
        assert not hasattr(rb.Categorizer(), name), name
    assert not hasattr(fitted, "n_features_in_"), "it takes texts"
    assert fitted.cut_ is fitted.model_.threshold


def test_the_parameters_are_listed_once():
    listed = [each.name for each in fields(Parameters)]
    assert list(inspect.signature(rb.Categorizer).parameters) == [*listed, "engine"]
    assert [each.name for each in fields(TrainingConfig)] == listed
    assert sorted(rb.Categorizer().get_params()) == sorted([*listed, "engine"])


def test_a_plan_trains_nothing_and_an_execution_chooses_first(monkeypatch):
    screened = []
    screen = screening.screen

    def counted(*arguments, **options):
        screened.append(1)
        return screen(*arguments, **options)

    monkeypatch.setattr("rubricate.training.config.screen", counted)
    material = TrainingData(TEXTS, LABELS)
    execution = TrainingRun(TrainingConfig(folds=3).procedure(material), material, engine="serial")
    assert execution.given.is_open
    assert screened == []
    assert execution.procedure.screening["chosen"]
    assert len(execution.procedure.options) == len(execution.classifiers)
    assert screened == [1]


def test_choosing_the_representation_is_shown_as_a_step_of_its_own():
    labels = []

    def engine_with(label):
        def engine(function, tasks):
            labels.append(label)
            return [function(task) for task in tasks]

        engine.labelled = engine_with
        return engine

    rb.Categorizer(folds=3, engine=engine_with("training")).fit(TEXTS, LABELS)
    assert list(dict.fromkeys(labels)) == ["choosing the representation", "training"]


def test_another_model_of_a_categorizer_leaves_the_first_as_it_was():
    model = rb.Categorizer("nb", cut="rcut:1", folds=0).fit(TEXTS, LABELS)
    first = model.model_
    before = first.scores(["wheat and oil", "corn"])
    model.update(["wheat oil oil oil"], ["fuel"])
    assert np.array_equal(first.scores(["wheat and oil", "corn"]), before)
    assert not np.array_equal(model.model_.scores(["wheat and oil", "corn"]), before)
    assert len(first.ids) + 1 == len(model.ids_)


def test_the_former_name_of_the_model_warns(fitted):
    with pytest.warns(DeprecationWarning, match="model_"):
        assert isinstance(fitted.trained(), Model)


def test_a_file_that_holds_another_estimator_is_no_model(tmp_path):
    from rubricate.training.model_file import read_model, save

    path = save(rb.thresholds.Rcut(t=3), tmp_path / "three.rubric")
    with pytest.raises(rb.errors.InvalidFile, match="a Rcut, not a Categorizer"):
        read_model(path).model()
