"""Five criteria of selection: what is kept, what is measured, and what the committed cells say."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import rubricate as rb
from rubricate.papers.reproduction import load_reproduction, read_again
from rubricate.papers.yang_pedersen_1997 import CRITERIA, SelectionStudy
from rubricate.reports.reproductions import to_page

FOUND = load_reproduction("yang-pedersen-1997")
FOLDER = Path(__file__).parents[2] / "docs" / "reproductions"


@pytest.fixture
def study():
    study = SelectionStudy("Reuters", FOUND, lambda _: None)
    study.corpus = rb.load("newswire", documents=500)
    return study


def test_terms_are_kept_as_select_keeps_them(study):
    counts, labels = study.counts[0], study.corpus.train.labels
    for short, (name, by) in CRITERIA.items():
        kept = study.kept(short, 0.9)
        wanted = rb.text.Select(name, k=len(kept), by=by).fit(counts, labels).get_support()
        assert np.array_equal(kept, np.flatnonzero(wanted))
        assert len(kept) == round(0.1 * counts.shape[1])


def test_fewer_terms_are_the_vectors_of_the_flow(study):
    """The same 11-point average as by `Vectors` with selection."""
    from rubricate.measures import mean, ranks
    from rubricate.measures.rankings import eleven_point

    kept = study.kept("χ²", 0.9)
    vectors = rb.text.Vectors(select=f"chi2:{len(kept)}")
    X, Z = vectors.fit_transform(study.corpus.train), vectors.transform(study.corpus.test)
    scores = rb.KNN(k=45).fit(X, study.corpus.train.labels).decision_function(Z)
    wanted = float(mean(eleven_point(ranks(scores, study.corpus.test.labels))))
    assert study.average_precision("kNN", kept) == pytest.approx(wanted, abs=1e-12)


def test_the_committed_page_is_that_of_the_committed_cells():
    cells = read_again(FOUND.paper, json.loads((FOLDER / f"{FOUND.paper}.json").read_text("utf-8")))
    figures = [f"{FOUND.paper}/{path.name}" for path in sorted((FOLDER / FOUND.paper).glob("*.svg"))]
    assert len(figures) == 4
    assert (FOLDER / f"{FOUND.paper}.md").read_text("utf-8").strip() == to_page(FOUND, cells, figures=figures).strip()
