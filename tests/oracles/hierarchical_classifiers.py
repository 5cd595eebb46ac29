"""Training documents and descents in a hierarchy, written as their definitions over sets."""

from __future__ import annotations

import math

from tests.oracles.hierarchy import ancestors, coverage


def covered(edges, labels, name):
    """The documents labelled with a node or one below it; of None, all."""
    below = coverage(edges, name)
    return {d for d, own in enumerate(labels) if own & below}


def labelled(labels, name):
    return {d for d, own in enumerate(labels) if name in own}


def subtree_documents(edges, labels, parent, child):
    """Positives and negatives of the classifier of a link (sunlim2001, section 4)."""
    inside = covered(edges, labels, child)
    return inside, covered(edges, labels, parent) - inside


def local_documents(edges, labels, name):
    """Positives and negatives of the local classifier of an internal category."""
    inside = labelled(labels, name)
    return inside, covered(edges, labels, name) - inside


def policy_documents(policy, edges, labels, name):
    """Positives and negatives of a node by a policy of silla2011."""
    everyone = set(range(len(labels)))
    parents = {parent for parent, child in edges if child == name}
    siblings = {child for parent, child in edges if parent in parents} - {name}
    inside, own = covered(edges, labels, name), labelled(labels, name)
    if policy == "siblings":
        return inside, set().union(*(covered(edges, labels, one) for one in siblings)) - inside
    if policy == "exclusive_siblings":
        return own, set().union(*(labelled(labels, one) for one in siblings)) - own
    if policy == "inclusive":
        above = set().union(*(labelled(labels, one) for one in ancestors(edges, name)))
        return inside, everyone - inside - above
    if policy == "less_inclusive":
        return inside, everyone - inside
    if policy == "exclusive":
        return own, everyone - own
    return own, everyone - inside


def best_path(edges, root, links, stays, name):
    """The score of a category: over all paths from the root the best of the least margin, staying included."""
    if name == root:
        return stays.get(name, float("inf"))
    found = max(
        min(_reach(edges, root, links, parent), links[parent, name]) for parent, child in edges if child == name
    )
    return min(found, stays.get(name, float("inf")))


def _reach(edges, root, links, name):
    if name == root:
        return float("inf")
    return max(min(_reach(edges, root, links, parent), links[parent, name]) for parent, child in edges if child == name)


def likeliest_path(edges, root, margins, certain, slope, name):
    """The chance of a category: over all paths from the root the largest product of chances, staying included."""
    links, stays = margins
    stay = _chance(stays[name], slope, name in certain) if name in stays else 1.0
    return _likeliest(edges, root, links, certain, slope, name) * stay


def _likeliest(edges, root, links, certain, slope, name):
    if name == root:
        return 1.0
    return max(
        _likeliest(edges, root, links, certain, slope, parent)
        * _chance(links[parent, name], slope, (parent, name) in certain)
        for parent, child in edges
        if child == name
    )


def _chance(margin, slope, is_certain):
    return 1.0 if is_certain else 1 / (1 + math.exp(-slope * margin))
