"""What a hostile model file could say of a hierarchy: every learned array that does not fit is refused."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from tests.classifiers.hierarchical.hierarchies import NAMES, TREE, newswire

import rubricate as rb

pytestmark = pytest.mark.slow

X, LABELS = newswire(60)
MODELS = [
    rb.classifiers.TopDown(taxonomy=TREE, categories=NAMES, probability="sigmoid"),
    rb.classifiers.Local(rb.NB(), taxonomy=TREE, categories=NAMES, scheme="level", select=rb.text.Select("chi2:6")),
    rb.classifiers.Tolerant(taxonomy=TREE, categories=NAMES),
    rb.classifiers.BigBang(taxonomy=TREE, categories=NAMES, probability="sigmoid"),
    rb.classifiers.Proximity(taxonomy=TREE, categories=NAMES),
]
ARRAYS = ("child_starts_", "child_ids_", "columns_", "guards_", "stays_", "choice_groups_", "asked_")
ARRAYS += ("group_starts_", "block_starts_", "block_terms_", "block_weights_", "weight_starts_")
ARRAYS += ("problem_bias_", "problem_cuts_", "sigmoid_", "coverage_sigmoid_", "learned_")


def longer(values):
    return np.concatenate([values, values[..., -1:]], axis=-1)


def far(values):
    found = values.copy()
    found.flat[-1] = 10**6 if values.dtype.kind == "i" else np.nan
    return found


@pytest.fixture(scope="module", params=MODELS, ids=lambda model: type(model).__name__)
def check_sparse_indices(request):
    model = request.param.fit(X, LABELS)
    model.check_state()
    return model


@pytest.fixture
def fitted(check_sparse_indices):
    """A copy to damage."""
    return copy.deepcopy(check_sparse_indices)


@pytest.mark.parametrize("change", [longer, far, lambda values: values.astype(str)], ids=["longer", "far", "words"])
@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_that_do_not_fit_are_refused(fitted, name, change):
    kept = getattr(fitted, name, None)
    if kept is None or not kept.size or (name == "learned_" and change is far):
        pytest.skip("this classifier has no such array")
    setattr(fitted, name, change(kept))
    with pytest.raises(ValueError, match=r"fit|finite|whole|leads|lead|end before|beyond|exist"):
        fitted.check_state()


@pytest.mark.parametrize("name, value", [("rank_", -3), ("slope_", np.nan), ("slope_", 0.0), ("machines_", ())])
def test_numbers_that_cannot_be_are_refused(fitted, name, value):
    if hasattr(fitted, name):
        setattr(fitted, name, value)
        with pytest.raises(ValueError, match=r"fit|slope"):
            fitted.check_state()


def test_probabilities_need_what_they_were_learned_by():
    model = rb.classifiers.BigBang(taxonomy=TREE, categories=NAMES, probability="sigmoid").fit(X, LABELS)
    model.single_ = True
    with pytest.raises(ValueError, match="is missing"):
        model.check_state()


def test_a_node_cannot_borrow_the_group_of_another():
    edges = [*TREE, ("grain", "rice")]
    wide = np.pad(LABELS.toarray(), ((0, 0), (0, 1)))
    model = rb.classifiers.TopDown(taxonomy=edges, categories=(*NAMES, "rice")).fit(X, wide)
    for groups in (model.choice_groups_[::-1].copy(), np.where(model.choice_groups_ < 0, -1, -5)):
        model.choice_groups_ = groups
        with pytest.raises(ValueError, match="does not exist"):
            model.check_state()
