"""The encoder against a slow twin in double precision, and its compiled loops against formulas."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import erf, softmax
from tests.oracles import bert as oracle
from tests.text.encoders.tiny import VOCABULARY, config, tensors, write_encoder

from rubricate.errors import InvalidFile
from rubricate.native.networks import gelu_rows, norm_rows, softmax_rows
from rubricate.text.bert import Bert, padded
from rubricate.text.encoder import unit
from rubricate.text.encoder_folder import open_folder

tokens = st.lists(st.integers(0, len(VOCABULARY) - 1), min_size=1, max_size=15)


@pytest.fixture(scope="module")
def networks(tmp_path_factory):
    folder = tmp_path_factory.mktemp("encoders")
    kinds = {"mean": {}, "cls": {}}
    made = {name: Bert(open_folder(write_encoder(folder / name, pooling=name, **each))) for name, each in kinds.items()}
    roberta = write_encoder(folder / "roberta", model_type="roberta", pad_token_id=1)
    return made | {"roberta": Bert(open_folder(roberta))}


@given(texts=st.lists(tokens, min_size=1, max_size=4), pooling=st.sampled_from(["mean", "cls"]))
def test_vectors_are_those_of_the_slow_twin_whatever_is_beside_them(networks, texts, pooling):
    ours = unit(networks[pooling].forward(*padded(texts)))
    theirs = [oracle.encode(tensors(), config(), text, pooling=pooling) for text in texts]
    np.testing.assert_allclose(ours, theirs, atol=5e-6)


def test_roberta_counts_places_from_behind_the_padding(networks):
    ours = unit(networks["roberta"].forward(*padded([[5, 6, 7]])))
    np.testing.assert_allclose(ours[0], oracle.encode(tensors(), config(), [5, 6, 7], first=2), atol=5e-6)
    assert networks["roberta"].longest == 18


@given(st.lists(st.floats(-30, 30, width=32), min_size=1, max_size=40))
def test_gelu_is_the_formula(values):
    z = np.array([values], np.float32)
    expected = 0.5 * (z.astype(float) + 1) * (1 + erf((z.astype(float) + 1) / np.sqrt(2)))
    gelu_rows(z, np.ones(len(values), np.float32))
    np.testing.assert_allclose(z, expected, atol=4e-6)


@given(st.lists(st.floats(-200, 200, width=32), min_size=1, max_size=40), st.integers(0, 40))
def test_softmax_is_the_formula_up_to_the_length(values, length):
    a = np.array(values, np.float32)[None, None, None]
    length = min(length, len(values))
    expected = np.zeros(len(values))
    if length:
        expected[:length] = softmax(np.array(values[:length]))
    softmax_rows(a, np.array([length]))
    np.testing.assert_allclose(a.ravel(), expected, atol=2e-6)


def test_norm_is_the_formula():
    rng = np.random.default_rng(0)
    x, other = rng.normal(size=(2, 5, 7)).astype(np.float32)
    bias, gain, shift = rng.normal(size=(3, 7)).astype(np.float32)
    expected = [oracle.norm((a + b + bias).astype(float), gain, shift, 1e-5) for a, b in zip(x, other, strict=True)]
    norm_rows(x, other, bias, (gain, shift, np.float32(1e-5)))
    np.testing.assert_allclose(x, expected, atol=2e-5)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"model_type": "t5"}, "of the kind 't5'"),
        ({"hidden_act": "relu"}, "hidden_act='relu'"),
        ({"position_embedding_type": "relative_key"}, "relative_key"),
        ({"num_attention_heads": 5}, "5 heads for a width of 16"),
        ({"num_attention_heads": 0}, "whole number from 1 on, got 0"),
        ({"num_hidden_layers": -1}, "whole number from 1 on, got -1"),
        ({"num_hidden_layers": 3}, "no tensor named 'encoder.layer.2"),
        ({"num_hidden_layers": 1000}, "1000 layers"),
        ({"hidden_size": 32}, r"has the shape \(\d+, 16\), expected \(\d+, 32\)"),
        ({"vocab_size": 7}, "expected \\(7, 16\\)"),
        ({"layer_norm_eps": "x"}, "layer_norm_eps"),
    ],
)
def test_a_network_that_does_not_fit_its_weights_is_refused(tmp_path, changes, said):
    folder = write_encoder(tmp_path / "encoder", **changes)
    with pytest.raises(InvalidFile, match=said):
        Bert(open_folder(folder))
