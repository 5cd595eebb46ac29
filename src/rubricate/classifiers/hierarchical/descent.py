"""From the top of a hierarchy downwards: how far each document gets.

With m(p, c) the margin of the link from p to c (above 0: open) and s(c) that of staying at an internal category c:

    reach(root) = m(root), or ∞ without a guard        reach(c) = max over parents p of min(reach(p), m(p, c))
    score(c)    = reach(c) at a leaf                   score(c) = min(reach(c), s(c)) at an internal category

so that a score is above 0 exactly where every classifier on some path says yes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rubricate.classifiers import base as scorer
from rubricate.classifiers.hierarchical.groups import NONE, Problems
from rubricate.classifiers.hierarchical.machines import DocumentRows, Machines
from rubricate.classifiers.hierarchical.nodes import Layout, check_numbers, check_values
from rubricate.types import Bools, Evidence, Floats, Ints

__all__ = ["Cuts", "Descent", "Guards", "Scoring", "in_blocks"]


@dataclass(frozen=True, eq=False)
class Guards:
    """Which problem guards what.

    Parameters
    ----------
    guards
        Problem of each link; NONE for a link that is open to every document.
    stays
        Problem of staying at each node; NONE for a node where none stays.
    root_guard
        Problem of entering the tree; NONE without one.
    choice_groups
        Group whose problems are the links of a node and its own, in this order; NONE where no group is.
    """

    guards: Ints
    stays: Ints
    root_guard: int
    choice_groups: Ints

    @classmethod
    def of(cls, problems: Problems, machines: Machines) -> Guards:
        """Return the guards of problems that machines have learned."""
        layout = Layout.of(problems.places)
        bare = cls(problems.guards, problems.stays, int(problems.root), np.zeros(0, np.int64))
        return cls(bare.guards, bare.stays, bare.root_guard, _choice_groups(bare, layout, machines))

    def choices(self, layout: Layout, node: int) -> Ints:
        """Return the problems at a node: its links in order, then its own where it has one."""
        links = self.guards[layout.child_starts[node] : layout.child_starts[node + 1]]
        return links if self.stays[node] == NONE else np.append(links, self.stays[node])


def _choice_groups(guards: Guards, layout: Layout, machines: Machines) -> Ints:
    """Return for each node the group that consists of exactly its choices, in this order; else NONE."""
    groups = np.full(len(layout.nodes), NONE, np.int64)
    inner = np.flatnonzero(np.diff(layout.child_starts) > 0)
    first, last = layout.child_starts[inner], layout.child_starts[inner + 1] - 1
    # Links that are not one after the other have a jump between them.
    jumps = np.concatenate([[0], np.cumsum(np.diff(guards.guards) != 1)])
    single = (jumps[first] == jumps[last]) & (guards.guards[first] != NONE)
    ends, stays = guards.guards[last], guards.stays[inner]
    ends = np.where(stays == NONE, ends, np.where(stays == ends + 1, stays, NONE))
    own = np.searchsorted(machines.group_starts, guards.guards[first], side="right") - 1
    whole = (machines.group_starts[own] == guards.guards[first]) & (machines.group_starts[own + 1] == ends + 1)
    groups[inner[single & whole]] = own[single & whole]
    return groups


@dataclass(frozen=True, eq=False)
class Cuts:
    """Where the classifiers say yes.

    Parameters
    ----------
    problem_cuts
        Margin = score − cut, for each problem.
    rank
        With t > 0 the margin is the score less the middle between the t-th best choice at the node and the next.
    """

    problem_cuts: Floats
    rank: int = 0


@dataclass(frozen=True, eq=False)
class Descent:
    """A learned descent: the nodes, the machines of the problems, what they guard, and where they say yes."""

    layout: Layout
    machines: Machines
    guards: Guards
    cuts: Cuts

    def choices(self, node: int) -> Ints:
        """Return the problems at a node: its links in order, then its own where it has one."""
        return self.guards.choices(self.layout, node)

    def certain(self, node: int) -> Bools:
        """Return which choices at a node every training document has made."""
        choices = self.choices(node)
        return self._always[choices] | (choices == NONE)

    def empty(self, node: int) -> Bools:
        """Return which choices at a node no training document has made."""
        return self._never[self.choices(node)]

    @cached_property
    def _always(self) -> Bools:
        """Whether a problem says yes to every document; the last entry stands for NONE."""
        return np.append(~self.machines.learned & (self.machines.problem_bias > 0), False)

    @cached_property
    def _never(self) -> Bools:
        """Whether a problem says no to every document; the last entry stands for NONE."""
        return np.append(~self.machines.learned & (self.machines.problem_bias < 0), False)

    def reach(self, X: Any, *, pruned: bool = False) -> tuple[Floats, Floats]:
        """Return (reach, stay), nodes × documents; −∞ where `pruned` leaves a node unvisited: its parents refused."""
        layout, scoring, documents = self.layout, Scoring(self, X), X.shape[0]
        reach, stay = np.full((2, len(layout.nodes), documents), -np.inf)
        everyone = np.arange(documents)
        reach[0] = scoring.root_margin()
        for node in range(len(layout.nodes)):
            children = layout.children(node)
            if not len(children):
                stay[node] = reach[node]
                continue
            chosen = np.flatnonzero(reach[node] > 0) if pruned else everyone
            if len(chosen):
                margins, here = scoring.margins(node, chosen), reach[node, chosen]
                below, least = children[:, None], np.minimum(here, margins[:, : len(children)].T)
                reach[below, chosen] = np.maximum(reach[below, chosen], least)
                if self.guards.stays[node] != NONE:
                    stay[node, chosen] = np.minimum(here, margins[:, -1])
        return reach, stay

    def ends(self, X: Any) -> tuple[Ints, Ints]:
        """Return (documents, nodes): where the descent ends, which is where `stay` of `reach` is above 0.

        Only documents that reach a node are scored there.
        """
        layout, scoring = self.layout, Scoring(self, X)
        arrived: list[list[Ints]] = [[] for _ in layout.nodes]
        entering = np.flatnonzero(scoring.root_margin() > 0)
        arrived[0] += [entering] if len(entering) else []
        ends = []
        for node, parts in enumerate(arrived):
            if not parts:
                continue
            chosen = np.unique(np.concatenate(parts)) if len(parts) > 1 else parts[0]
            children = layout.children(node)
            if not len(children):
                ends.append((chosen, node))
                continue
            choice, place = np.nonzero(scoring.margins(node, chosen).T > 0)
            starts = np.searchsorted(choice, np.arange(len(children) + 1))
            for k in np.flatnonzero(np.diff(starts)):
                arrived[children[k]].append(chosen[place[starts[k] : starts[k + 1]]])
            if self.guards.stays[node] != NONE and starts[-1] < len(place):
                ends.append((chosen[place[starts[-1] :]], node))
        documents = np.concatenate([np.zeros(0, np.int64), *(part for part, _ in ends)])
        return documents, np.repeat([node for _, node in ends], [len(part) for part, _ in ends]).astype(np.int64)

    def scores(self, X: Any) -> Floats:
        """Return the score of each category, documents × categories; documents are taken in blocks."""
        scores = in_blocks(X, lambda part: self.reach(part)[1][self.layout.columns].T, width=len(self.layout.nodes))
        return np.minimum(np.ascontiguousarray(scores), np.finfo(np.float64).max)

    def explain(self, X: Any, category: int, limit: int) -> list[list[Evidence]]:
        """Return what spoke for and against at the weakest classifier of the category's best path.

        That classifier sets the score.
        """
        weakest = self.weakest(X, int(self.layout.columns[category]))
        explained: list[list[Evidence]] = [[] for _ in range(X.shape[0])]
        for problem in np.unique(weakest[weakest != NONE]):
            rows = np.flatnonzero(weakest == problem)
            for row, reasons in zip(rows, self.machines.explain(X[rows], int(problem), limit), strict=True):
                explained[row] = reasons
        return explained

    def weakest(self, X: Any, node: int) -> Ints:
        """Return the problem with the least margin on each document's best path to a node; of equals the lowest."""
        layout, scoring, documents = self.layout, Scoring(self, X), X.shape[0]
        everyone, above = np.arange(documents), layout.above(node)
        reach, problem = np.full((node + 1, documents), -np.inf), np.full((node + 1, documents), NONE)
        reach[0], problem[0] = scoring.root_margin(), self.guards.root_guard
        wanted = {node, *above}
        for parent in above:
            margins = scoring.margins(parent, everyone)
            for k, link in enumerate(layout.links(parent)):
                child = layout.child_ids[link]
                if child in wanted:
                    least = np.minimum(reach[parent], margins[:, k])
                    own = np.where(margins[:, k] <= reach[parent], self.guards.guards[link], problem[parent])
                    problem[child] = np.where(least > reach[child], own, problem[child])
                    reach[child] = np.maximum(least, reach[child])
        stay = self.guards.stays[node]
        if stay == NONE:
            return problem[node]
        return np.where(scoring.margins(node, everyone)[:, -1] <= reach[node], stay, problem[node])

    def check(self, *, terms: int, categories: int) -> None:
        """Raise ValueError where links, problems and categories do not fit together."""
        self.machines.check(terms)
        self.layout.check(categories)
        guards, cuts = self.guards, self.cuts
        check_numbers(guards.guards, guards.stays, guards.choice_groups)
        check_values(cuts.problem_cuts)
        nodes, links, problems = len(self.layout.nodes), len(self.layout.child_ids), self.machines.problems
        if (len(guards.guards), len(guards.stays), len(guards.choice_groups)) != (links, nodes, nodes):
            raise ValueError("nodes do not fit together")
        for numbers in (guards.guards, guards.stays):
            if len(numbers) and (numbers.min() < NONE or numbers.max() >= problems):
                raise ValueError("a number leads beyond the problems")
        if len(cuts.problem_cuts) != problems or cuts.rank < 0:
            raise ValueError("cuts and problems do not fit together")
        if not NONE <= guards.root_guard < problems or not self._groups_fit():
            raise ValueError("a group or guard does not exist")

    def _groups_fit(self) -> bool:
        """Return whether the group named for a node, if any, exists and has a problem for each choice of the node."""
        sizes = np.diff(self.machines.group_starts)
        named = np.flatnonzero(self.guards.choice_groups != NONE)
        groups = self.guards.choice_groups[named]
        if (groups < 0).any() or (groups >= len(sizes)).any():
            return False
        choices = np.diff(self.layout.child_starts)[named] + (self.guards.stays[named] != NONE)
        return bool((sizes[groups] == choices).all())


class Scoring:
    """The scores of problems for documents, computed for those that are asked for."""

    def __init__(self, descent: Descent, X: Any) -> None:
        self.descent, self.documents = descent, DocumentRows(X)
        self._columns: dict[int, Floats] = {}

    def at_node(self, node: int, chosen: Ints) -> Floats:
        """Return the scores of the choices at a node, documents × choices."""
        group = int(self.descent.guards.choice_groups[node])
        if group != NONE:
            return self.descent.machines.group_scores(self.documents, group, chosen)
        return np.column_stack([self.problem(int(problem))[chosen] for problem in self.descent.choices(node)])

    def problem(self, problem: int) -> Floats:
        """Return the scores of all documents; +inf where `problem` is NONE (an unguarded link)."""
        machines, documents = self.descent.machines, self.documents.X.shape[0]
        if problem == NONE:
            return np.full(documents, np.inf)
        if problem not in self._columns:
            group = machines.group_of(problem)
            scores = machines.group_scores(self.documents, group, np.arange(documents))
            first = int(machines.group_starts[group])
            self._columns |= {first + k: scores[:, k] for k in range(scores.shape[1])}
        return self._columns[problem]

    def root_margin(self) -> Floats:
        """Return the margin of entering the tree; +inf without a guard."""
        guard = int(self.descent.guards.root_guard)
        return self.problem(guard) - (0.0 if guard == NONE else self.descent.cuts.problem_cuts[guard])

    def margins(self, node: int, chosen: Ints) -> Floats:
        """Return the margins of the choices at a node."""
        descent, scores = self.descent, self.at_node(node, chosen)
        if descent.cuts.rank:
            return _by_rank(scores, descent.empty(node), descent.cuts.rank)
        problems = descent.choices(node)
        known = np.where(problems == NONE, 0, problems)
        return scores - np.where(problems == NONE, 0.0, descent.cuts.problem_cuts[known])


def _by_rank(scores: Floats, empty: Bools, t: int) -> Floats:
    """Return score − the middle between the t-th best and the next; an empty choice comes behind all others."""
    if not scores.size:
        return scores
    if empty.any():
        least = np.where(empty, np.inf, scores).min(axis=1, initial=0.0)
        scores = np.where(empty, least[:, None] - 1, scores)
    if scores.shape[1] <= t:
        return np.where(empty, -1.0, np.ones_like(scores))
    ordered = np.sort(scores, axis=1)
    return scores - ((ordered[:, -t] + ordered[:, -t - 1]) / 2)[:, None]


def in_blocks(X: Any, score: Callable[[Any], Floats], *, width: int) -> Floats:
    """Score documents in blocks, so that about `BLOCK` scores (documents × width) are held at once."""
    size = max(1, scorer.BLOCK // width)
    return np.vstack([score(X[start : start + size]) for start in range(0, max(X.shape[0], 1), size)])
