"""Groups of problems against their definitions: which rows are positive, and whose choices a group is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.classifiers.hierarchical.hierarchies import labelled_graphs, matrix

from rubricate.classifiers.hierarchical.descent import NONE, Guards
from rubricate.classifiers.hierarchical.groups import Problems, per_level, per_node, per_parent
from rubricate.classifiers.hierarchical.machines import Trainer
from rubricate.classifiers.hierarchical.nodes import Layout, place_labels
from rubricate.classifiers.svm import SVM
from rubricate.hierarchy import Hierarchy


def placed(graph):
    edges, names, labels = graph
    return place_labels(matrix(labels, names), Hierarchy.from_edges(edges), names)


@pytest.mark.slow
@given(labelled_graphs(), st.data())
def test_a_row_is_positive_where_it_is_among_the_positives(graph, data):
    problems = Problems(placed(graph))
    documents = st.lists(st.integers(0, 11), unique=True, max_size=12)
    for _ in range(3):  # one group must not see what another left behind
        rows = np.array(data.draw(documents), np.int64)
        positives = [np.array(part, np.int64) for part in data.draw(st.lists(documents, max_size=3))]
        problems.add(rows, positives)
        wanted = [[row in part for part in map(list, positives)] for row in rows]
        assert problems.groups[-1].labels.tolist() == wanted
        assert problems.groups[-1].rows.tolist() == rows.tolist()


SCHEMES = {
    "parent": per_parent,
    "contested": lambda places: per_parent(places, contested=True),
    "level": per_level,
    "siblings": lambda places: per_node(places, "siblings"),
    "exclusive": lambda places: per_node(places, "exclusive"),
}


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
@given(graph=labelled_graphs())
def test_a_group_of_choices_has_exactly_the_problems_of_a_node(scheme, graph):
    places = placed(graph)
    problems, layout = SCHEMES[scheme](places), Layout.of(places)
    machines = Trainer(SVM(C=1.0, max_sweeps=1, tol=1e9)).train(np.eye(12), problems.groups)
    guards = Guards.of(problems, machines)
    spans = [list(range(a, b)) for a, b in zip(machines.group_starts, machines.group_starts[1:], strict=False)]
    for node in range(len(layout.nodes)):
        choices = guards.choices(layout, node).tolist()
        wanted = spans.index(choices) if choices and NONE not in choices and choices in spans else NONE
        assert guards.choice_groups[node] == wanted
