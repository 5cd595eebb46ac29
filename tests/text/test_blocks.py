"""Blocks side by side: each of length 1, the whole of length 1, saved and opened like any representation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer

import rubricate as rb
from rubricate.errors import InvalidInput
from rubricate.text.blocks import Blocks, side_by_side
from rubricate.text.representation import Representation, source_of

pytestmark = pytest.mark.slow

TEXTS = ["wheat and corn", "corn exports", "crude oil", "oil and gas", "wheat harvest", "gas pipeline"] * 3
LABELS = ["grain", "grain", "fuel", "fuel", "grain", "fuel"] * 3
PARTS = (Representation(), Representation(rb.text.Analyzer(tokens="characters", ngrams=(3, 5)), min_df=2))


def test_side_by_side_is_a_stack_divided_by_the_root_of_its_blocks():
    rng = np.random.default_rng(0)
    blocks = [sparse.random_array((7, n), density=0.4, format="csr", rng=rng) for n in (3, 1, 5)]
    joined = side_by_side(blocks)
    assert np.allclose(joined.toarray(), sparse.hstack(blocks).toarray() / np.sqrt(3))
    joined.check_format(full_check=True)
    assert joined.has_sorted_indices


def test_documents_have_length_one_and_columns_have_names():
    blocks = Blocks(PARTS).fit(TEXTS)
    X = blocks.transform(TEXTS)
    assert np.allclose(X.multiply(X).sum(axis=1), 1)
    assert len(blocks.names()) == X.shape[1]
    assert {"wheat", "whe…", "…eat", "oil"} <= set(blocks.names())
    assert abs(X - Blocks(PARTS).fit_transform(TEXTS)).max() == 0
    assert blocks.describe()["terms"].endswith("& characters 3-5")


def test_no_blocks_are_refused():
    with pytest.raises(InvalidInput, match="at least one"):
        Blocks(()).fit(TEXTS)


@pytest.mark.parametrize("representation", ["terms", "words", "characters", "mixed", "auto"])
def test_a_model_keeps_its_representation(tmp_path, representation):
    model = rb.Categorizer(representation=representation).fit(TEXTS, LABELS)
    again = rb.Categorizer.open(model.save(tmp_path / "m.rubric"))
    new = ["Exports of wheat", "gas!", ""]
    assert again.classify(new) == model.classify(new)
    assert np.array_equal(again.decision_function(new), model.decision_function(new))
    assert again.screening_ == model.screening_
    assert (model.screening_ is not None) == (representation == "auto")


def test_character_ngrams_explain_by_the_parts_of_words():
    model = rb.Categorizer(representation="characters").fit(TEXTS, LABELS)
    evidence = model.explain("pipelines")["fuel"]
    assert any("…" in str(reason) for reason in evidence)


@pytest.mark.parametrize(
    "weights",
    [
        FeatureUnion([("w", TfidfVectorizer()), ("c", TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 3)))]),
        make_pipeline(CountVectorizer(), Normalizer()),
    ],
)
def test_unions_and_pipelines_of_text_transformers_are_weights(tmp_path, weights):
    assert source_of(weights) == "texts"
    model = rb.Categorizer("svm", weights=weights).fit(TEXTS, LABELS)
    again = rb.Categorizer.open(model.save(tmp_path / "m.rubric"))
    assert again.classify(["wheat", "crude gas"]) == [("grain",), ("fuel",)]


def test_a_function_beside_text_transformers_works_and_cannot_be_saved(tmp_path):
    lengths = FunctionTransformer(lambda texts: np.array([[len(text)] for text in texts]))
    union = FeatureUnion([("length", lengths), ("words", TfidfVectorizer())])
    assert source_of(union) == "texts"
    lower = make_pipeline(FunctionTransformer(lambda texts: [text.lower() for text in texts]), CountVectorizer())
    assert source_of(lower) == "texts"
    model = rb.Categorizer("svm", weights=union).fit(TEXTS, LABELS)
    assert len(model.predict(["wheat"])) == 1
    with pytest.raises(InvalidInput, match="FunctionTransformer cannot be saved: a model file holds data and no code"):
        model.save(tmp_path / "m.rubric")
    assert not (tmp_path / "m.rubric").exists()


def test_a_union_of_texts_and_counts_is_refused():
    union = FeatureUnion([("w", TfidfVectorizer()), ("n", Normalizer())])
    with pytest.raises(InvalidInput, match="members of a FeatureUnion read counts and texts"):
        source_of(union)
