"""TR: what the limit keeps, and that the other cut sees only that."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles import cuts as oracle
from tests.thresholds.strategies import TIED, as_sparse, tables

from rubricate.errors import InvalidInput
from rubricate.thresholds import FixedCut, MicroMacro, RankLimit, Scores, Scut


@given(tables(), st.integers(1, 4))
def test_all_but_the_best_are_at_the_floor(table, rank):
    scores, _ = table
    for form in (scores, as_sparse(scores)):
        limited = RankLimit(rank=rank).limit(form)
        kept = oracle.rcut(scores, rank)
        assert limited.values.nnz == kept.sum()
        assert limited.floor == -np.inf
        for d, c in zip(*np.nonzero(kept), strict=True):
            assert limited.values[d, c] == scores[d, c]


@given(tables(elements=TIED, least=1), st.integers(1, 4))
def test_the_other_cut_learns_from_and_decides_on_limited_scores(table, rank):
    scores, truth = table
    limited = np.where(oracle.rcut(scores, rank), scores, -np.inf)
    alone = Scut().fit(limited, truth)
    both = RankLimit(rank=rank, cut="scut").fit(scores, truth)
    assert both.cut_.cuts_.tolist() == alone.cuts_.tolist()
    assert (both.decide(scores).toarray() == alone.decide(limited).toarray()).all()


def test_zero_beyond_the_rank_as_in_the_paper():
    scores = np.array([[0.9, 0.5, 0.4], [0.1, 0.2, 0.3]])
    cut = RankLimit(rank=1, cut=FixedCut(cut=0.0), floor=0.0).fit(None, np.zeros((2, 3)))
    assert cut.limit(scores).floor == 0.0
    assert cut.decide(scores).nnz == 6


def test_floor_above_a_kept_score_is_refused():
    with pytest.raises(InvalidInput, match=r"lies under the floor 0\.0.* use floor=-inf"):
        RankLimit(rank=2, floor=0.0).limit([[-0.5, 0.5, -0.7]])


def test_names_are_kept():
    named = Scores(np.array([[0.1, 0.2]]), ("corn", "wheat"), ["d1"])
    limited = RankLimit(rank=1).limit(named)
    assert (limited.categories, list(limited.documents)) == (("corn", "wheat"), ["d1"])


def test_folds_and_seeds_are_those_of_the_other_cut():
    limit = RankLimit(cut=MicroMacro(folds=3, seeds=2))
    assert (limit.folds, limit.seeds, limit.needs_scores) == (3, 2, True)
    assert RankLimit(cut="rcut:1").needs_scores is False


def test_rank_must_be_a_rank():
    with pytest.raises(InvalidInput, match="rank = 1, 2, …"):
        RankLimit(rank=0).limit([[1.0]])
