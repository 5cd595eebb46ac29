"""A model opened to predict answers as the categorizer does, and imports no estimator class."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.oracles.term_vectors import TermVectorOracle

import rubricate as rb
from rubricate.text import Analyzer, Vectors
from rubricate.text.options import LONGEST, phrase_lengths
from rubricate.text.smart import SCHEMES
from rubricate.training.label_columns import LabelColumns
from rubricate.training.model_file import _plain_model, read_model
from rubricate.types import Documents

pytestmark = pytest.mark.slow

TEXTS = ["Wheat and corn", "corn exports, don't", "crude oil", "oil & gas 1,000", "wheat harvest", "gas pipeline"] * 3
SINGLE = ["grain", "grain", "fuel", "fuel", "grain", "fuel"] * 3
THREE = ["grain", "trade", "fuel", "fuel", "grain", "trade"] * 3
SETS = [{"grain"}, {"grain", "trade"}, {"fuel"}, {"fuel"}, {"grain"}, {"fuel", "trade"}] * 3
LINES = st.lists(
    st.text(st.sampled_from("aA oIl WwhEt\u00c4\u0130\u00df\x00\x01\ud800'\u2019#1,.\n_ \u4e2d"), max_size=30)
    | st.sampled_from(TEXTS),
    max_size=4,
)
MODELS = {
    "two classes": ({"representation": "terms"}, SINGLE),
    "three classes, blocks": ({"representation": "mixed"}, THREE),
    "several labels": ({"representation": "words"}, SETS),
    "learned cuts": ({"classifier": rb.SVM(C=2), "cut": "scut", "weights": "Lpc"}, SETS),
    "a fixed cut": ({"classifier": rb.SVM(bias=None), "cut": 0.1}, SETS),
    "two best": ({"classifier": rb.SVM(), "cut": "rcut:2", "select": "chi2:4"}, THREE),
}


def documents(bodies, titles=None):
    labels = sparse.csr_array((len(bodies), 0), dtype=bool)
    return Documents([str(i) for i in range(len(bodies))], list(bodies), labels, (), titles=titles)


@pytest.fixture(scope="module", params=MODELS)
def pair(request, tmp_path_factory):
    """A plain model and the categorizer of the same file."""
    options, labels = MODELS[request.param]
    folds = 0 if request.param in ("a fixed cut", "two best") else 3
    model = rb.Categorizer(**options, folds=folds, engine="serial").fit(TEXTS, labels)
    stored = read_model(model.save(tmp_path_factory.mktemp("models") / "m.rubric"))
    plain = stored.model()
    assert type(plain.classifier) is LabelColumns
    return plain, rb.Categorizer.of(stored)


@given(bodies=LINES, titled=st.booleans())
def test_a_plain_model_answers_to_the_last_bit(pair, bodies, titled):
    plain, model = pair
    given_documents = documents(bodies, ["Wheat prices"] * len(bodies) if titled else None)
    for top in (None, 2):
        assert plain.answers(given_documents, top=top) == model.answers(given_documents, top=top)


def test_a_batch_is_answered_as_one_by_one(pair):
    plain, _ = pair
    whole = plain.answers(documents(TEXTS), top=2)
    assert [plain.answers(documents([text]), top=2)[0] for text in TEXTS] == whole


def test_confidence_is_left_out_where_nobody_asks(pair):
    plain, model = pair
    few = documents(TEXTS[:3])
    quick = plain.answer_columns(few, confident=False).answers()
    assert [answer.confidence for answer in quick] == [None] * 3
    assert [replace(answer, confidence=None) for answer in model.answers(few)] == quick
    if plain.confidence is None:
        with pytest.raises(rb.errors.InvalidInput, match="folds"):
            plain.answers(few, abstain=0.5)
    else:
        abstaining = plain.answer_columns(few, abstain=0.9, confident=False)
        assert abstaining.answers() == model.answers(few, abstain=0.9)


def test_a_plain_model_knows_no_settings(pair):
    plain, model = pair
    assert model.model_.signature() == model.signature()
    with pytest.raises(rb.errors.InvalidInput, match="without its settings"):
        plain.signature()


@given(
    bodies=LINES.filter(bool),
    tokens=st.sampled_from(["letters", "alphanumeric", "words", "web", "characters"]),
    ngrams=st.sampled_from([1, 2, (1, 2), (2, 4)]),
    title=st.sampled_from(["plain", "mark", 1, 2]),
    scheme=st.sampled_from(SCHEMES),
    stem=st.sampled_from([None, "porter", "porter2"]),
)
def test_one_text_at_a_time_has_the_vectors_of_many(bodies, tokens, ngrams, title, scheme, stem):
    analyzer = Analyzer(tokens=tokens, ngrams=ngrams, title=title, stem=stem, stop=["and"])
    learned = Vectors(analyzer, weights=scheme, threads=1).fit(documents(TEXTS, ["Grain"] * len(TEXTS)))
    kind = "characters" if tokens == "characters" else "words"
    few = TermVectorOracle(
        tokens=tokens,
        stop=frozenset(learned.stop_words_),
        min_length=analyzer.min_length,
        stem=stem,
        lengths=phrase_lengths(ngrams, longest=LONGEST[kind]),
        title=title,
        columns={term: i for i, term in enumerate(learned.vocabulary_)},
        scheme=scheme,
        idf=learned.idf_,
    )
    expected = learned.transform(documents(bodies, ["Wheat", *bodies[1:]])).toarray()
    for row, body, heading in zip(expected, bodies, ["Wheat", *bodies[1:]], strict=True):
        vector = np.zeros(len(row))
        columns, weights = few.vector(heading, body)
        vector[columns] = weights
        np.testing.assert_array_equal(vector, row)


@pytest.mark.parametrize(
    "options",
    [
        {"classifier": "knn"},
        {"classifier": rb.SVM(kernel="rbf")},
        {"cut": "pcut"},
        {"weights": "pivoted"},
        {"weights": rb.text.Weights("ltc")},
    ],
)
def test_models_that_need_their_estimators_get_them(options, tmp_path):
    model = rb.Categorizer(**{"classifier": rb.SVM(), "folds": 3, **options}, engine="serial").fit(TEXTS, SETS)
    stored = read_model(model.save(tmp_path / "m.rubric"))
    assert _plain_model(stored) is None
    assert stored.model().answers(TEXTS, top=2) == model.answers(TEXTS, top=2)
    assert stored.model().settings is not None


@pytest.mark.parametrize(
    "analyzer",
    [
        Analyzer(casing="mark"),
        Analyzer(negation=True),
        Analyzer(ngrams=2, window=3),
        Analyzer(tokens="characters", ngrams=(3, 4), hashing=64),
    ],
)
def test_every_analysis_is_plain(analyzer, tmp_path):
    model = rb.Categorizer(rb.SVM(), analyzer=analyzer, folds=3, engine="serial").fit(TEXTS, SETS)
    plain = _plain_model(read_model(model.save(tmp_path / "m.rubric")))
    assert plain.answers(TEXTS, top=2) == model.answers(TEXTS, top=2)


def test_parts_of_different_size_are_not_used(tmp_path):
    model = rb.Categorizer(rb.SVM(), folds=0, cut="rcut:1", engine="serial").fit(TEXTS, SETS)
    stored = read_model(model.save(tmp_path / "m.rubric"))
    assert _plain_model(stored) is not None
    node = stored.manifest["model"]
    for name in ("aligned_", "classifier_", "intercept_"):
        node = node["estimator"]["state"][name]
    stored.arrays[node["array"]] = np.zeros(7)
    assert _plain_model(stored) is None


def test_classify_of_one_line_imports_neither_scikit_learn_nor_pandas(tmp_path):
    path = rb.Categorizer(folds=3, engine="serial").fit(TEXTS, SINGLE).save(tmp_path / "m.rubric")
    code = (
        "import sys; from rubricate.cli import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print({'sklearn', 'scipy.optimize', 'pandas'} & set(sys.modules))"
    )
    command = [sys.executable, "-c", code, "classify", str(path), "--json", "--say", "corn and wheat"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    row, imported = done.stdout.splitlines()
    assert json.loads(row)["labels"] == ["grain"]
    assert imported == "set()"


def _estimators(node, name):
    """Yield the estimators of this name in a manifest."""
    if isinstance(node, dict):
        if node.get("name") == name and "state" in node:
            yield node
        for part in node.values():
            yield from _estimators(part, name)
    elif isinstance(node, list):
        for part in node:
            yield from _estimators(part, name)


def _set(name, group, key, value):
    def change(model):
        # Values of an estimator count from its last occurrence: earlier ones are unfitted parameters.
        estimator = [*_estimators(model, name)][-1]
        estimator[group][key] = value(estimator[group].get(key)) if callable(value) else value

    return change


@pytest.mark.parametrize(
    "change",
    [
        _set("Categorizer", "state", "limit_", 3),
        _set("Categorizer", "state", "categories_", {"tuple": ["fuel", "grain"]}),
        _set("Blocks", "params", "shares", {"tuple": [1.0]}),
        _set("Vectors", "params", "weights", {"plugin": ["weights", "own"]}),
        _set("Vectors", "state", "vocabulary_", lambda node: {"tuple": node["tuple"][:-1]}),
        _set("Vectors", "state", "vocabulary_", lambda node: {"tuple": [node["tuple"][1], *node["tuple"][1:]]}),
        _set("Analyzer", "params", "window", 99),
        _set("Analyzer", "params", "stop", "/etc/passwd"),
        _set("Aligned", "state", "columns_", {"array": 1}),
        _set("Confidence", "state", "weights_", {"array": 0}),
        _set("Confidence", "state", "sureness_", {"array": 0}),
        _set("svm", "params", "kernel", "rbf"),
        lambda model: model.update({"estimator": 5}),
        lambda model: (model.clear(), model.update({"tuple": []})),
    ],
)
def test_files_with_unfitting_parts_are_left_to_the_estimators(tmp_path, change):
    """A plain model is not made of what is wrong in a file; the categorizer names it."""
    model = rb.Categorizer(representation="mixed", folds=3, engine="serial").fit(TEXTS, SETS)
    stored = read_model(model.save(tmp_path / "m.rubric"))
    assert _plain_model(stored) is not None
    manifest = json.loads(json.dumps(stored.manifest))
    change(manifest["model"])
    assert _plain_model(replace(stored, manifest=manifest)) is None


def test_a_model_that_knows_only_constants_answers_alike(tmp_path):
    model = rb.Categorizer(rb.SVM(), folds=3, engine="serial").fit(TEXTS, SETS)
    stored = read_model(model.save(tmp_path / "m.rubric"))
    _set("Aligned", "state", "classifier_", None)(stored.manifest["model"])
    assert type(stored.model().classifier) is LabelColumns
    assert stored.model().answers(TEXTS, top=2) == rb.Categorizer.of(stored).answers(TEXTS, top=2)
