"""Tables of word vectors: GloVe text, .vec, model2vec; means, idf weights, and files that are wrong."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.text.encoders.tiny import VOCABULARY, tokenizer, write_safetensors

import rubricate as rb
from rubricate.errors import InvalidFile, InvalidInput

GLOVE = "wheat 1 0 0\ncorn 0.8 0.6 0\ngold 0 0 1\n, 0 1 0\n"


@pytest.fixture
def glove(tmp_path):
    path = tmp_path / "glove.txt"
    path.write_text(GLOVE)
    return path


def test_a_text_is_the_mean_of_its_words_at_length_1(glove, tmp_path):
    vectors = rb.text.Embeddings(glove).fit_transform(["Wheat corn wheat", "gold!", "zinc", ""])
    mean = np.array([2.8, 0.6, 0]) / np.linalg.norm([2.8, 0.6, 0])
    np.testing.assert_allclose(vectors, [mean, [0, 0, 1], [0, 0, 0], [0, 0, 0]], atol=1e-6)
    (tmp_path / "fast.vec").write_text("4 3\n" + GLOVE)
    np.testing.assert_array_equal(
        rb.text.Embeddings(tmp_path / "fast.vec").fit_transform(["Wheat corn wheat"])[0], vectors[0]
    )


def test_idf_weights_are_learned_from_training_texts(glove):
    texts = ["wheat corn", "wheat", "wheat gold"]
    encoder = rb.text.Embeddings(glove, pooling="idf").fit(texts)
    idf = np.log(4 / (np.array([3, 1, 1, 0]) + 1)) + 1
    np.testing.assert_allclose(encoder.idf_, idf, atol=1e-6)
    expected = idf[0] * np.array([1, 0, 0]) + idf[1] * np.array([0.8, 0.6, 0])
    np.testing.assert_allclose(encoder.transform(["wheat corn"])[0], expected / np.linalg.norm(expected), atol=1e-6)
    model = rb.Categorizer(weights=encoder, folds=2, cut="rcut:1").fit(texts * 4, ["a", "a", "b"] * 4)
    assert model.classify(["gold"]) == [("b",)]


def test_model2vec_folders_leave_special_tokens_out(tmp_path):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(len(VOCABULARY), 4)).astype(np.float32)
    write_safetensors(tmp_path / "model.safetensors", {"embeddings": table})
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "model2vec"}))
    (tmp_path / "tokenizer.json").write_text(json.dumps(tokenizer()))
    vectors = rb.text.Embeddings(tmp_path).fit_transform(["wheat exports", "\u2603"])
    mean = table[[VOCABULARY[piece] for piece in ("wheat", "export", "##s")]].sum(axis=0)
    np.testing.assert_allclose(vectors, [mean / np.linalg.norm(mean), np.zeros(4)], atol=1e-6)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "no word vectors"),
        ("wheat 1 0\ncorn 1\n", "line 2: 1 numbers, expected 2"),
        ("wheat 1 nan\n", "line 1: NaN"),
        ("wheat 1 inf\n", "NaN or infinite"),
        ("wheat 1 x\n", "not followed by numbers"),
        ("wheat\n", "line 1: 0 numbers"),
    ],
)
def test_files_that_are_no_tables_are_refused(tmp_path, content, said):
    path = tmp_path / "table.txt"
    path.write_text(content)
    with pytest.raises(InvalidFile, match=said):
        rb.text.Embeddings(path).fit([])


def test_a_table_has_no_first_token(glove):
    with pytest.raises(InvalidInput, match="table of word vectors"):
        rb.text.Embeddings(glove, pooling="cls").fit([])
