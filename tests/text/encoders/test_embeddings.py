"""`Embeddings` as a transformer: vectors, the store, missing and changed encoders, bad input."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.base import clone
from tests.oracles import bert as oracle
from tests.text.encoders.tiny import VOCABULARY, config, tensors, write_encoder, write_safetensors

import rubricate as rb
from rubricate.errors import DigestMismatch, EncoderMissing, InvalidFile, InvalidInput, UnknownName
from rubricate.text.encoder import OwnRuntime, watched

TEXTS = [
    "wheat exports rose",
    "gold",
    "",
    "corn of the ship",
    "gold",
    "oil oil oil oil oil oil oil oil oil oil oil oil oil oil oil oil oil oil oil oil oil oil",
]


@pytest.fixture(autouse=True)
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("RUBRICATE_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("RUBRICATE_MODELS", str(tmp_path / "models"))
    monkeypatch.delenv("RUBRICATE_ENCODER", raising=False)
    return tmp_path / "store"


@pytest.fixture
def folder(tmp_path):
    return write_encoder(tmp_path / "tiny")


@pytest.fixture
def encodings(monkeypatch):
    """The texts of each call of the network."""
    calls = []
    plain = OwnRuntime.encode
    monkeypatch.setattr(OwnRuntime, "encode", lambda self, texts: (calls.append(list(texts)), plain(self, texts))[1])
    return calls


def test_vectors_are_those_of_the_network(folder):
    vectors = rb.text.Embeddings(folder).fit_transform(["wheat exports rose", "gold"])
    numbers = [
        [VOCABULARY[piece] for piece in pieces.split()]
        for pieces in ("[CLS] wheat export ##s rose [SEP]", "[CLS] gold [SEP]")
    ]
    np.testing.assert_allclose(vectors, [oracle.encode(tensors(), config(), each) for each in numbers], atol=5e-6)


def test_together_equals_one_by_one_in_any_order(folder):
    encoder = rb.text.Embeddings(folder, cache=False).fit(TEXTS)
    whole = encoder.transform(TEXTS)
    assert whole.shape == (6, 16)
    np.testing.assert_allclose(np.linalg.norm(whole, axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(np.vstack([encoder.transform([text]) for text in TEXTS]), whole, atol=1e-6)
    np.testing.assert_allclose(encoder.transform(TEXTS[::-1]), whole[::-1], atol=1e-6)
    assert encoder.transform([]).shape == (0, 16)


def test_training_texts_are_encoded_once_and_kept_by_content(folder, store, encodings):
    first = rb.text.Embeddings(folder).fit_transform(TEXTS)
    assert sum(map(len, encodings)) == 5  # one text comes twice
    again = clone(rb.text.Embeddings(folder)).fit_transform([*TEXTS, "ship"])
    assert encodings[-1] == ["ship"]
    np.testing.assert_array_equal(again[:6], first)
    assert len(list(store.glob("vectors/*/*.npy"))) == 2


def test_texts_to_classify_are_not_kept(folder, store):
    encoder = rb.text.Embeddings(folder).fit(TEXTS)
    encoder.transform(TEXTS)
    assert not store.exists()


def test_damaged_kept_vectors_are_computed_again(folder, store, encodings):
    first = rb.text.Embeddings(folder).fit_transform(TEXTS)
    (path,) = store.glob("vectors/*/*.npy")
    table = np.load(path)
    for content in (path.read_bytes()[:100], b"", _npy(table[:, :5]), _npy(_with_nan(table))):
        path.write_bytes(content)
        encodings.clear()
        np.testing.assert_allclose(rb.text.Embeddings(folder).fit_transform(TEXTS), first, atol=1e-6)
        assert encodings
        for other in set(store.glob("vectors/*/*.npy")) - {path}:
            other.unlink()


def _npy(array):
    import io

    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def _with_nan(table):
    table = table.copy()
    table[:, 16:].view(np.float32)[:, 0] = np.nan
    return table


def test_a_store_that_cannot_be_written_is_no_obstacle(folder, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("RUBRICATE_STORE", str(tmp_path / "file"))
    assert rb.text.Embeddings(folder).fit_transform(["gold"]).shape == (1, 16)


def test_progress_is_announced(folder):
    seen = []
    with watched(lambda steps, total=None, text=None: seen.append((steps, total, text))):
        rb.text.Embeddings(folder, cache=False).fit_transform(TEXTS)
    assert seen[0] == (0, 5, "encoding texts")
    assert sum(steps for steps, _, _ in seen) == 5


def test_pooling_and_longest(folder):
    texts = ["wheat gold oil"]
    cls = rb.text.Embeddings(folder, pooling="cls").fit_transform(texts)
    numbers = [VOCABULARY[piece] for piece in ["[CLS]", "wheat", "gold", "oil", "[SEP]"]]
    np.testing.assert_allclose(cls[0], oracle.encode(tensors(), config(), numbers, pooling="cls"), atol=5e-6)
    short = rb.text.Embeddings(folder, longest=3).fit_transform(texts)
    np.testing.assert_allclose(
        short[0], oracle.encode(tensors(), config(), [numbers[0], numbers[1], numbers[-1]]), atol=5e-6
    )


def test_very_long_and_very_short_texts(folder):
    encoder = rb.text.Embeddings(folder, cache=False).fit([])
    long = "wheat " * (50_000_000 // 6)
    vectors = encoder.transform([long, "wheat " * 18, "w", "\ud800", "\x00"])
    np.testing.assert_allclose(vectors[0], vectors[1], atol=1e-6)
    assert np.isfinite(vectors).all()


def test_a_model_is_a_path_or_the_name_of_a_fetched_one(folder, tmp_path):
    write_encoder(tmp_path / "models" / "small")
    assert rb.text.Embeddings("small").fit([]).digest_ == rb.text.Embeddings(folder).fit([]).digest_
    for unknown in ("smal", "../tiny-", str(tmp_path / "nothing")):
        with pytest.raises(EncoderMissing, match="rubricate models fetch"):
            rb.text.Embeddings(unknown).fit([])


def test_an_encoder_that_changed_or_went_is_refused_with_what_to_do(folder, tmp_path, monkeypatch):
    encoder = rb.text.Embeddings(folder).fit(TEXTS)
    moved = folder.rename(tmp_path / "moved")
    with pytest.raises(EncoderMissing, match="'rubricate models fetch tiny', or set RUBRICATE_ENCODER"):
        encoder.transform(["gold"])
    monkeypatch.setenv("RUBRICATE_ENCODER", str(moved))
    assert encoder.transform(["gold"]).shape == (1, 16)
    monkeypatch.delenv("RUBRICATE_ENCODER")
    write_encoder(folder, seed=1)
    with pytest.raises(
        DigestMismatch, match=r"not the encoder that the model was trained with \('tiny', sha256 \w{12}"
    ):
        encoder.transform(["gold"])


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "tokenizer.json"])
def test_a_folder_without_one_of_its_files_is_refused(folder, name):
    (folder / name).unlink()
    with pytest.raises(InvalidFile, match=f"no {name} in this folder"):
        rb.text.Embeddings(folder).fit([])


def test_a_folder_with_code_or_pickles_is_refused(folder):
    (folder / "config.json").write_text(json.dumps(config(auto_map={"AutoModel": "modeling.Evil"})))
    with pytest.raises(InvalidFile, match=r"defined by Python code .*never run"):
        rb.text.Embeddings(folder).fit([])
    write_encoder(folder)
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(InvalidFile, match="a pickle, which can run code and is never opened"):
        rb.text.Embeddings(folder).fit([])


def test_steps_that_only_a_library_knows_are_refused(folder):
    modules = json.loads((folder / "modules.json").read_text())
    for bad, said in (
        ({"path": "2_Dense", "type": "sentence_transformers.models.Dense"}, "the step 'Dense'"),
        ({"path": "../../x", "type": "sentence_transformers.models.Pooling"}, "leads out of the folder"),
    ):
        (folder / "modules.json").write_text(json.dumps([*modules, bad]))
        with pytest.raises(InvalidFile, match=said):
            rb.text.Embeddings(folder, backend="numpy").fit([])
    (folder / "modules.json").write_text("{}")
    with pytest.raises(InvalidFile, match="not a list of modules"):
        rb.text.Embeddings(folder).fit([])


def test_weights_with_nan_are_refused(folder):
    arrays = tensors()
    arrays["encoder.layer.1.output.dense.bias"][3] = np.nan
    write_safetensors(folder / "model.safetensors", arrays)
    with pytest.raises(InvalidFile, match="NaN or infinite"):
        rb.text.Embeddings(folder).fit([])


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"pooling": "max"}, UnknownName),
        ({"backend": "cuda"}, UnknownName),
        ({"longest": 2}, InvalidInput),
        ({"longest": 9.5}, InvalidInput),
        ({"pooling": "idf"}, InvalidInput),
    ],
)
def test_options_that_cannot_be_used_are_refused(folder, options, error):
    with pytest.raises(error):
        rb.text.Embeddings(folder, **options).fit([])


@pytest.mark.slow
def test_it_drops_into_a_categorizer_and_a_model_file_keeps_name_and_digest_alone(folder, tmp_path, encodings):
    texts = ["wheat exports", "corn rose", "gold ship", "ship of gold", "wheat corn", "gold gold"] * 4
    labels = ["grain", "grain", "metal", "metal", "grain", "metal"] * 4
    model = rb.Categorizer(weights=rb.text.Embeddings(folder), cut="rcut:1").fit(texts, labels)
    assert sum(map(len, encodings)) == 6  # once, whatever the folds and the values of C
    model.save(tmp_path / "m.rubric")
    assert (tmp_path / "m.rubric").stat().st_size < 30_000
    assert "vectors tiny" in str(model.signature())
    opened = rb.Categorizer.open(tmp_path / "m.rubric")
    np.testing.assert_allclose(opened.decision_function(texts), model.decision_function(texts), atol=1e-6)
    folder.rename(tmp_path / "elsewhere")
    with pytest.raises(EncoderMissing, match="trained with the encoder 'tiny'"):
        rb.Categorizer.open(tmp_path / "m.rubric")


@pytest.mark.slow
def test_it_drops_into_a_pipeline_and_a_union(folder):
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline, make_union

    texts, labels = ["wheat corn", "corn", "gold", "ship gold"] * 3, ["grain", "grain", "metal", "metal"] * 3
    vectors = rb.text.Embeddings(folder).fit_transform(texts)
    piped = make_pipeline(rb.text.Embeddings(folder), rb.SVM()).fit(texts, labels).decision_function(texts)
    np.testing.assert_allclose(piped, rb.SVM().fit(vectors, labels).decision_function(vectors), atol=1e-5)
    union = make_union(TfidfVectorizer(), rb.text.Embeddings(folder))
    assert rb.Categorizer(weights=union, folds=3).fit(texts, labels).classify(["corn"]) == [("grain",)]
