"""BERT's tokens: worked examples, and the numbers of the `tokenizers` package."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.text.encoders.tiny import VOCABULARY, tokenizer

from rubricate.errors import InvalidFile, InvalidInput
from rubricate.text.safetensors import read_json
from rubricate.text.wordpiece import WordPiece, read_tokenizer

PIECES = {number: piece for piece, number in VOCABULARY.items()}


def _shown(text, longest=50):
    own = WordPiece.from_json(tokenizer())
    (numbers,) = own.encode([text], longest)
    return [PIECES[number] for number in numbers]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Wheat exports rose!", "wheat export ##s rose !"),
        ("", ""),
        (" \t\n", ""),
        ("Góld\u0000 ship\u200b", "gold ship"),
        ("oil中文oil", "oil 中 文 oil"),
        ("a" * 101, "[UNK]"),
        ("wheat™", "[UNK]"),
        ("don't", "d ##o ##n ' t"),
        ("oil [SEP] oil", "oil [SEP] oil"),
    ],
)
def test_worked_examples(text, pieces):
    assert _shown(text) == ["[CLS]", *pieces.split(), "[SEP]"]


def test_a_long_text_is_cut_and_its_end_not_read():
    assert _shown("wheat " * 1000, 5) == ["[CLS]", "wheat", "wheat", "wheat", "[SEP]"]
    assert _shown(" " * 10_000 + "wheat oil", 5) == ["[CLS]", "wheat", "oil", "[SEP]"]
    assert _shown("oil " + "x" * 5000 + " wheat", 6) == ["[CLS]", "oil", "[UNK]", "wheat", "[SEP]"]


SIGNS = st.characters(exclude_categories=("Cs", "Cn"))  # those of this Python's version of Unicode


@given(st.text(SIGNS, max_size=60), st.integers(3, 20))
def test_the_numbers_are_those_of_the_package(text, longest):
    tokenizers = pytest.importorskip("tokenizers")
    full = tokenizer()
    full["model"] |= {"continuing_subword_prefix": "##", "max_input_chars_per_word": 100}
    full["normalizer"] |= {"strip_accents": None}
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    full["added_tokens"] = [each | flags for each in full["added_tokens"]]
    names = {name: {"id": name, "ids": [VOCABULARY[name]], "tokens": [name]} for name in ("[CLS]", "[SEP]")}
    single = [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
              {"SpecialToken": {"id": "[SEP]", "type_id": 0}}]  # fmt: skip
    full["post_processor"] = {"type": "TemplateProcessing", "single": single, "pair": single, "special_tokens": names}
    full |= {"version": "1.0", "truncation": None, "padding": None, "decoder": None}
    peer = tokenizers.Tokenizer.from_str(json.dumps(full))
    peer.enable_truncation(longest)
    assert WordPiece.from_json(full).encode([text], longest) == [peer.encode(text).ids]


def test_real_texts_have_the_numbers_of_the_package(minilm):
    tokenizers = pytest.importorskip("tokenizers")
    peer = tokenizers.Tokenizer.from_file(str(minilm / "tokenizer.json"))
    peer.no_padding()
    peer.enable_truncation(64)
    texts = [
        "Ünïcödé — “quotes”, 3.5 % & #tags 😀 e-mail@example.com",
        "naïve café\u00a0x\u00adyz",
        "東京は日本の首都です。",
        "ÅÄÖ ßtraße İstanbul ﬁne",
    ]
    own = WordPiece.from_json(read_json(minilm / "tokenizer.json"))
    assert own.encode(texts, 64) == [peer.encode(text).ids for text in texts]


def test_a_tokenizer_that_does_not_fit_is_refused(tmp_path):
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(tokenizer()))
    with pytest.raises(InvalidFile, match="the encoder knows only 20 tokens"):
        read_tokenizer(path, 20)
    for broken in ("[]", "{", '{"model": 3}'):
        path.write_text(broken)
        with pytest.raises((InvalidFile, ImportError)):
            read_tokenizer(path, 20)
    path.write_text(
        json.dumps(tokenizer(model={"type": "WordPiece", "vocab": {"a": -1, "[UNK]": 0, "[CLS]": 1, "[SEP]": 2}}))
    )
    with pytest.raises(InvalidFile, match="whole numbers from 0 on"):
        read_tokenizer(path, 20)
    with pytest.raises(InvalidInput, match="lacks the token"):
        WordPiece({"a": 0})
