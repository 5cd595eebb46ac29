"""Vectors and hybrids as representations: considered where an encoder is named, chosen by folds, kept by digest."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from tests.text.encoders.tiny import write_encoder

import rubricate as rb
from rubricate.errors import EncoderMissing, InvalidInput
from rubricate.text.blocks import side_by_side
from rubricate.training.config import parse_settings

pytestmark = pytest.mark.slow

TEXTS = ["wheat exports", "corn rose", "gold ship", "ship of gold", "wheat corn", "gold gold", "oil of the ship"] * 3
LABELS = ["grain", "grain", "metal", "metal", "grain", "metal", "metal"] * 3


@pytest.fixture
def encoder(tmp_path, monkeypatch):
    monkeypatch.setenv("RUBRICATE_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("RUBRICATE_MODELS", str(tmp_path / "models"))
    monkeypatch.delenv("RUBRICATE_ENCODER", raising=False)
    return write_encoder(tmp_path / "tiny")


def _tried(model):
    return [each["name"] for each in model.screening_["tried"]]


def test_vectors_are_considered_only_where_an_encoder_is_named(encoder, monkeypatch):
    plain = rb.Categorizer(folds=2).fit(TEXTS, LABELS)
    assert not any("vectors" in name for name in _tried(plain))
    given = rb.Categorizer(folds=2, vectors=f"model:{encoder}").fit(TEXTS, LABELS)
    monkeypatch.setenv("RUBRICATE_ENCODER", str(encoder))
    named = rb.Categorizer(folds=2).fit(TEXTS, LABELS)
    for model in (given, named):
        base = _tried(model)[-1].removeprefix("hybrid of ").partition(" and vectors")[0]
        assert base in _tried(plain)
        expected = ["vectors", *(f"hybrid of {base} and vectors × {weight}" for weight in ("0.5", "1", "2"))]
        assert _tried(model)[-4:] == expected


def test_a_hybrid_is_the_blocks_side_by_side_each_of_length_1(encoder):
    model = rb.Categorizer(folds=2, vectors=encoder, representation="hybrid").fit(TEXTS, LABELS)
    assert model.screening_["chosen"].startswith("hybrid of mixed, smoothed idf and vectors × ")
    weight = float(model.screening_["chosen"].rpartition(" ")[2])
    X = model.features(TEXTS).toarray()
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1, atol=1e-6)
    vectors = rb.text.Embeddings(encoder).fit_transform(TEXTS)
    np.testing.assert_allclose(X[:, -16:], vectors * weight / np.sqrt(1 + weight**2), atol=1e-6)
    third = f"{1 / np.sqrt(3):.3g}"  # of each of the three blocks that make up "mixed"
    assert f"in shares {third}:{third}:{third}:{weight:g}" in str(model.signature())


def test_vectors_alone_and_their_model_file(encoder, tmp_path):
    model = rb.Categorizer(folds=2, vectors=encoder, representation="vectors").fit(TEXTS, LABELS)
    np.testing.assert_allclose(
        model.features(TEXTS[:2]), rb.text.Embeddings(encoder).fit_transform(TEXTS[:2]), atol=1e-6
    )
    model.save(tmp_path / "m.rubric")
    opened = rb.Categorizer.open(tmp_path / "m.rubric")
    assert opened.classify(TEXTS[:3]) == model.classify(TEXTS[:3])
    assert clone(opened).get_params()["vectors"] is not None


def test_a_hybrid_opens_with_its_encoder_and_says_what_to_do_without(encoder, tmp_path):
    model = rb.Categorizer(folds=2, vectors=encoder, representation="hybrid").fit(TEXTS, LABELS)
    model.save(tmp_path / "m.rubric")
    np.testing.assert_array_equal(
        rb.open(tmp_path / "m.rubric").decide(TEXTS).values.toarray(), model.decide(TEXTS).values.toarray()
    )
    encoder.rename(tmp_path / "away")
    with pytest.raises(EncoderMissing, match="rubricate models fetch tiny"):
        rb.open(tmp_path / "m.rubric")


def test_settings_that_contradict_each_other_are_refused(encoder):
    for options, said in (
        ({"representation": "hybrid"}, "needs an encoder"),
        ({"representation": "vectors"}, "RUBRICATE_ENCODER"),
        ({"vectors": encoder, "weights": "precomputed"}, "only where the representation is chosen"),
        ({"vectors": encoder, "representation": "words"}, "only where the representation is chosen"),
        ({"vectors": 3}, "must be the folder of an encoder"),
        ({"vectors": "model:"}, "must be the folder of an encoder"),
    ):
        with pytest.raises(InvalidInput, match=said):
            rb.Categorizer(**options).fit(TEXTS if options.get("weights") != "precomputed" else np.eye(21), LABELS)
    with pytest.raises(EncoderMissing):
        rb.Categorizer(vectors="nowhere").fit(TEXTS, LABELS)


def test_plain_settings_name_an_encoder(encoder):
    assert parse_settings({"vectors": str(encoder), "representation": "hybrid"}).encoder().model == str(encoder)


def test_shares_are_lengths():
    blocks = [np.array([[1.0, 0.0]]), np.array([[0.6, 0.8]])]
    np.testing.assert_allclose(side_by_side(blocks, (3, 4)).toarray(), [[0.6, 0, 0.48, 0.64]])
    for shares in ((1,), (1, 0), (1, -1), (1, np.inf)):
        with pytest.raises(InvalidInput, match="one number above 0"):
            rb.text.Blocks([rb.text.Representation(), rb.text.Representation()], shares=shares).fit(TEXTS)


@pytest.mark.parametrize("representation", ["vectors", "hybrid"])
def test_words_are_left_out_in_turn_and_the_nearest_documents_named(encoder, tmp_path, representation):
    model = rb.Categorizer(folds=2, vectors=encoder, representation=representation).fit(TEXTS, LABELS)
    model.save(tmp_path / "m.rubric")
    model = rb.Categorizer.open(tmp_path / "m.rubric")
    evidence = model.explain("wheat exports rose", "grain", limit=2)["grain"]
    words, near = evidence[:2], evidence[2:]
    column = model.categories_.index("grain")
    for each in words:
        rest = " ".join(word for word in ["wheat", "exports", "rose"] if word != each.source)
        whole, less = model.model_.scores(["wheat exports rose", rest])[:, column]
        assert each.weight == pytest.approx(whole - less, abs=1e-4)
    assert [each.kind for each in near] == ["document"] * 3
    assert near[0].weight >= near[1].weight
    assert model.answers(["gold"], explain=1)[0].evidence
    ((closest, *_),) = model.nearest("gold gold", 2)
    assert (closest[0], round(closest[1], 2)) == ("5", 1.0)


def test_models_without_vectors_know_no_nearest_documents():
    with pytest.raises(InvalidInput, match="keeps no vectors"):
        rb.Categorizer(folds=2, representation="terms").fit(TEXTS, LABELS).nearest("gold")
