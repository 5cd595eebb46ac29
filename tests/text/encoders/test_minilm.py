"""The real encoder: the vectors that sentence-transformers gives.

tests/golden/minilm.json: sentence-transformers 6.2.0, torch 2.13.0, `SentenceTransformer(FOLDER).encode(texts)`
by `python tests/golden/minilm.py FOLDER` in an environment of its own; the file names the versions.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import rubricate as rb

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "minilm.json").read_text(encoding="utf-8"))


@pytest.mark.slow
def test_vectors_are_those_of_sentence_transformers(minilm):
    vectors = rb.text.Embeddings(minilm, cache=False).fit_transform(GOLDEN["texts"])
    assert np.abs(vectors - np.array(GOLDEN["vectors"])).max() < 1e-4
    assert np.abs(vectors - np.array(GOLDEN["vectors"])).max() < 2e-6  # in fact, with six digits written down
