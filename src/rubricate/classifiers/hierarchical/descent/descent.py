"""From the top of a hierarchy downwards: how far each document gets.

With m(p, c) the margin of the link from p to c (above 0: open) and s(c) that of staying at an internal category c:

    reach(root) = m(root), or ∞ without a guard        reach(c) = max over parents p of min(reach(p), m(p, c))
    score(c)    = reach(c) at a leaf                   score(c) = min(reach(c), s(c)) at an internal category

so that a score is above 0 exactly where every classifier on some path says yes. Learned, beside the machines:

    child_starts_, child_ids_   the links, parent by parent, in topological order
    guards_, stays_, root_guard_   the problem of each link, each node, the root; −1 for none
    choice_groups_              the group whose problems are the links of a node and its own, in order; −1 for none
    columns_                    the node of each category
    problem_cuts_, rank_        margin = score − cut; or, with rank_ = t > 0, score − the middle between the t-th
                                best of the choices at a node and the next
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rubricate.classifiers import _scorer
from rubricate.classifiers.hierarchical.descent.bases import default_base
from rubricate.classifiers.hierarchical.descent.groups import NONE, Problems
from rubricate.classifiers.hierarchical.descent.linear import Rows
from rubricate.classifiers.hierarchical.descent.machines import (
    check_machines,
    check_numbers,
    check_values,
    explain_problem,
    group_matrix,
    learn_machines,
)
from rubricate.classifiers.hierarchical.descent.nodes import Places
from rubricate.types import Bools, Evidence, Floats, Ints

__all__ = [
    "Scoring",
    "check_descent",
    "check_tree",
    "explain_weakest",
    "keep_links",
    "keep_tree",
    "learn_descent",
    "node_choices",
    "path_scores",
    "problem_scores",
    "reached",
]


def learn_descent(model: Any, X: Any, problems: Problems) -> Any:
    """Learn the problems and keep the links; the base that was used."""
    base = default_base(model.base)
    learn_machines(model, X, problems.groups, base)
    keep_links(model, problems)
    return base


def keep_tree(model: Any, places: Places) -> None:
    """Leave the nodes, their links and the place of the categories among them on the model."""
    tree = places.tree
    model.nodes_, model.columns_ = tree.names, places.columns
    model.child_starts_, model.child_ids_ = tree.child_starts.astype(np.int64), tree.child_ids.astype(np.int64)


def keep_links(model: Any, problems: Problems) -> None:
    """Leave the links and what guards them on the model."""
    tree = problems.places.tree
    keep_tree(model, problems.places)
    model.guards_, model.stays_, model.root_guard_ = problems.guards, problems.stays, int(problems.root)
    model.choice_groups_ = np.array([_choice_group(problems, node, model) for node in range(len(tree))], np.int64)


def node_choices(model: Any, node: int) -> Ints:
    """The problems at a node: its links in order, then its own where it has one."""
    links = model.guards_[model.child_starts_[node] : model.child_starts_[node + 1]]
    return links if model.stays_[node] == NONE else np.append(links, model.stays_[node])


def _choice_group(problems: Problems, node: int, model: Any) -> int:
    wanted = node_choices(model, node)
    if not len(wanted) or (np.diff(wanted) != 1).any() or wanted[0] == NONE:
        return NONE
    group = int(np.searchsorted(model.group_starts_, wanted[0], side="right")) - 1
    whole = model.group_starts_[group] == wanted[0] and model.group_starts_[group + 1] == wanted[-1] + 1
    return group if whole else NONE


class Scoring:
    """The scores of problems for documents, computed for those that are asked for."""

    def __init__(self, model: Any, X: Any) -> None:
        self.model, self.X, self.rows = model, X, Rows(X)
        self._columns: dict[int, Floats] = {}

    def at_node(self, node: int, chosen: Ints) -> Floats:
        """Scores of the choices at a node, documents × choices."""
        group = int(self.model.choice_groups_[node])
        if group != NONE:
            return group_matrix(self.model, self.X, self.rows, group, chosen)
        problems = node_choices(self.model, node)
        return np.column_stack([self.problem(int(problem))[chosen] for problem in problems])

    def problem(self, problem: int) -> Floats:
        """Scores of all documents; with −1, which is no problem, ∞."""
        if problem == NONE:
            return np.full(self.X.shape[0], np.inf)
        if problem not in self._columns:
            starts = self.model.group_starts_
            group = int(np.searchsorted(starts, problem, side="right")) - 1
            found = group_matrix(self.model, self.X, self.rows, group, np.arange(self.X.shape[0]))
            self._columns |= {int(starts[group]) + k: found[:, k] for k in range(found.shape[1])}
        return self._columns[problem]

    def root_margin(self) -> Floats:
        """The margin of entering the tree; ∞ without a guard."""
        guard = int(self.model.root_guard_)
        return self.problem(guard) - (0.0 if guard == NONE else self.model.problem_cuts_[guard])

    def margins(self, node: int, chosen: Ints) -> Floats:
        """Margins of the choices at a node."""
        problems, scores = node_choices(self.model, node), self.at_node(node, chosen)
        known = np.where(problems == NONE, 0, problems)
        if not self.model.rank_:
            return scores - np.where(problems == NONE, 0.0, self.model.problem_cuts_[known])
        empty = ~self.model.learned_[known] & (self.model.problem_bias_[known] < 0) & (problems != NONE)
        return _by_rank(scores, empty, self.model.rank_)


def problem_scores(model: Any, X: Any) -> Floats:
    """Scores of all documents for all problems, documents × problems."""
    scoring = Scoring(model, X)
    return np.column_stack([scoring.problem(k) for k in range(len(model.problem_bias_))])


def _by_rank(scores: Floats, empty: Bools, t: int) -> Floats:
    """Score − the middle between the t-th best and the next; an empty choice comes behind all others."""
    if not scores.size:
        return scores
    least = np.where(empty, np.inf, scores).min(axis=1, initial=0.0)
    scores = np.where(empty, least[:, None] - 1, scores)
    if scores.shape[1] <= t:
        return np.where(empty, -1.0, np.ones_like(scores))
    ordered = -np.sort(-scores, axis=1)
    return scores - (ordered[:, [t - 1]] + ordered[:, [t]]) / 2


def reached(model: Any, X: Any, *, pruned: bool = False) -> tuple[Floats, Floats]:
    """(reach, stay): nodes × documents; −∞ where `pruned` leaves a node unvisited because its parents refused."""
    scoring, documents, nodes = Scoring(model, X), X.shape[0], len(model.nodes_)
    reach, stay = np.full((nodes, documents), -np.inf), np.full((nodes, documents), -np.inf)
    everyone = np.arange(documents)
    reach[0] = scoring.root_margin()
    for node in range(nodes):
        links = slice(model.child_starts_[node], model.child_starts_[node + 1])
        if links.start == links.stop:
            stay[node] = reach[node]
            continue
        chosen = np.flatnonzero(reach[node] > 0) if pruned else everyone
        if len(chosen):
            margins, here = scoring.margins(node, chosen), reach[node, chosen]
            for k, child in enumerate(model.child_ids_[links]):
                reach[child, chosen] = np.maximum(reach[child, chosen], np.minimum(here, margins[:, k]))
            if model.stays_[node] != NONE:
                stay[node, chosen] = np.minimum(here, margins[:, -1])
    return reach, stay


def path_scores(model: Any, X: Any) -> Floats:
    """The score of each category, documents × categories; documents are taken in blocks."""
    size = max(1, _scorer.BLOCK // len(model.nodes_))
    parts = [
        reached(model, X[start : start + size])[1][model.columns_].T for start in range(0, max(X.shape[0], 1), size)
    ]
    return np.minimum(np.ascontiguousarray(np.vstack(parts)), np.finfo(np.float64).max)


def explain_weakest(model: Any, X: Any, category: int, limit: int) -> list[list[Evidence]]:
    """What spoke for and against at the weakest classifier of the category's best path, which sets the score."""
    weakest = _weakest(model, Scoring(model, X), int(model.columns_[category]), X.shape[0])
    found: list[list[Evidence]] = [[] for _ in range(X.shape[0])]
    for problem in np.unique(weakest[weakest != NONE]):
        rows = np.flatnonzero(weakest == problem)
        for row, reasons in zip(rows, explain_problem(model, X[rows], int(problem), limit), strict=True):
            found[row] = reasons
    return found


def _weakest(model: Any, scoring: Scoring, node: int, documents: int) -> Ints:
    """The problem with the least margin on each document's best path to a category; of equal ones the lowest."""
    everyone, above = np.arange(documents), _nodes_above(model, node)
    reach, problem = np.full((node + 1, documents), -np.inf), np.full((node + 1, documents), NONE)
    reach[0], problem[0] = scoring.root_margin(), model.root_guard_
    for parent in above:
        margins, first = scoring.margins(parent, everyone), int(model.child_starts_[parent])
        for k, child in enumerate(model.child_ids_[first : model.child_starts_[parent + 1]]):
            if child == node or child in above:
                least = np.minimum(reach[parent], margins[:, k])
                own = np.where(margins[:, k] <= reach[parent], model.guards_[first + k], problem[parent])
                problem[child] = np.where(least > reach[child], own, problem[child])
                reach[child] = np.maximum(least, reach[child])
    if model.stays_[node] == NONE:
        return problem[node]
    return np.where(scoring.margins(node, everyone)[:, -1] <= reach[node], model.stays_[node], problem[node])


def _nodes_above(model: Any, node: int) -> list[int]:
    """Every node above, parents before children."""
    parents, found = np.repeat(np.arange(len(model.nodes_)), np.diff(model.child_starts_)), {node}
    for one in range(node, 0, -1):
        if one in found:
            found.update(parents[model.child_ids_ == one].tolist())
    return sorted(found - {node})


def check_tree(model: Any) -> None:
    """Raise ValueError where nodes, links and categories do not fit together."""
    check_numbers(model.child_starts_, model.child_ids_, model.columns_)
    nodes, links = len(model.nodes_), len(model.child_ids_)
    if len(model.child_starts_) != nodes + 1 or model.child_starts_[0] or model.child_starts_[-1] != links:
        raise ValueError("links and nodes do not fit together")
    if (np.diff(model.child_starts_) < 0).any():
        raise ValueError("nodes do not fit together")
    parents = np.repeat(np.arange(nodes), np.diff(model.child_starts_))
    if (model.child_ids_ <= parents).any() or (model.child_ids_ >= nodes).any():
        raise ValueError("a link does not lead downwards")
    if len(model.columns_) != len(model.categories_) or (model.columns_ < 0).any() or (model.columns_ >= nodes).any():
        raise ValueError("categories and nodes do not fit together")
    if not 0 < getattr(model, "slope_", 1.0) < np.inf:
        raise ValueError("the slope of chances is no number above 0")


def check_descent(model: Any) -> None:
    """Raise ValueError where links, problems and categories do not fit together."""
    check_machines(model)
    check_tree(model)
    check_numbers(model.guards_, model.stays_, model.choice_groups_)
    check_values(model.problem_cuts_)
    nodes, problems = len(model.nodes_), len(model.problem_bias_)
    if len(model.guards_) != len(model.child_ids_) or len(model.stays_) != nodes or len(model.choice_groups_) != nodes:
        raise ValueError("nodes do not fit together")
    for numbers in (model.guards_, model.stays_):
        if len(numbers) and (numbers.min() < NONE or numbers.max() >= problems):
            raise ValueError("a number leads beyond the problems")
    if len(model.problem_cuts_) != problems or model.rank_ < 0:
        raise ValueError("cuts and problems do not fit together")
    if not NONE <= model.root_guard_ < problems or not _groups_fit(model):
        raise ValueError("a group or guard does not exist")


def _groups_fit(model: Any) -> bool:
    """Whether the group named for a node, if any, is there and has a problem for each choice of the node."""
    sizes = np.diff(model.group_starts_)
    named = np.flatnonzero(model.choice_groups_ != NONE)
    groups = model.choice_groups_[named]
    if (groups < 0).any() or (groups >= len(sizes)).any():
        return False
    choices = np.diff(model.child_starts_)[named] + (model.stays_[named] != NONE)
    return bool((sizes[groups] == choices).all())
