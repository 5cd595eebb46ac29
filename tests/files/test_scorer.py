"""The scorer of `rubricate classify` answers as the categorizer does, and needs no estimator class."""

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

import rubricate as rb
from rubricate.files.model.model_file import read_model
from rubricate.files.scorer.opening import scorer_of
from rubricate.text import Analyzer, Vectors
from rubricate.text.few_texts import FewTexts
from rubricate.text.options import LONGEST, phrase_lengths
from rubricate.text.smart import SCHEMES
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
    """A scorer and the categorizer of the same file."""
    options, labels = MODELS[request.param]
    folds = 0 if request.param in ("a fixed cut", "two best") else 3
    model = rb.Categorizer(**options, folds=folds, engine="serial").fit(TEXTS, labels)
    stored = read_model(model.save(tmp_path_factory.mktemp("models") / "m.rubric"))
    scorer = scorer_of(stored)
    assert scorer is not None
    return scorer, rb.Categorizer.of(stored)


@given(bodies=LINES, titled=st.booleans())
def test_scorer_answers_to_the_last_bit(pair, bodies, titled):
    scorer, model = pair
    given_documents = documents(bodies, ["Wheat prices"] * len(bodies) if titled else None)
    for top in (None, 2):
        assert scorer.answers(given_documents, top=top) == model.answers(given_documents, top=top)


def test_confidence_is_left_out_where_nobody_asks(pair):
    scorer, model = pair
    few = documents(TEXTS[:3])
    quick = scorer.answers(few, confident=False)
    assert [answer.confidence for answer in quick] == [None] * 3
    assert [replace(answer, confidence=None) for answer in model.answers(few)] == quick
    if scorer.certainty is None:
        with pytest.raises(rb.errors.InvalidInput, match="folds"):
            scorer.answers(few, abstain=0.5)
    else:
        assert scorer.answers(few, abstain=0.9, confident=False) == model.answers(few, abstain=0.9)


@given(
    bodies=LINES.filter(bool),
    tokens=st.sampled_from(["letters", "alphanumeric", "words", "web", "characters"]),
    ngrams=st.sampled_from([1, 2, (1, 2), (2, 4)]),
    title=st.sampled_from(["plain", "mark", 1, 2]),
    scheme=st.sampled_from(SCHEMES),
    stem=st.sampled_from([None, "porter", "porter2"]),
)
def test_few_texts_have_the_vectors_of_many(bodies, tokens, ngrams, title, scheme, stem):
    analyzer = Analyzer(tokens=tokens, ngrams=ngrams, title=title, stem=stem, stop=["and"])
    learned = Vectors(analyzer, weights=scheme, threads=1).fit(documents(TEXTS, ["Grain"] * len(TEXTS)))
    kind = "characters" if tokens == "characters" else "words"
    few = FewTexts(
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
        {"analyzer": Analyzer(casing="mark")},
        {"weights": "pivoted"},
        {"analyzer": Analyzer(negation=True)},
        {"analyzer": Analyzer(ngrams=2, window=3)},
        {"analyzer": Analyzer(tokens="characters", ngrams=(3, 4), hashing=64)},
    ],
)
def test_models_that_need_their_estimators_have_no_scorer(options, tmp_path):
    model = rb.Categorizer(**{"classifier": rb.SVM(), "folds": 3, **options}, engine="serial").fit(TEXTS, SETS)
    assert scorer_of(read_model(model.save(tmp_path / "m.rubric"))) is None


def test_parts_of_different_size_have_no_scorer(tmp_path):
    model = rb.Categorizer(rb.SVM(), folds=0, cut="rcut:1", engine="serial").fit(TEXTS, SETS)
    stored = read_model(model.save(tmp_path / "m.rubric"))
    assert scorer_of(stored) is not None
    node = stored.manifest["model"]
    for name in ("aligned_", "classifier_", "intercept_"):
        node = node["estimator"]["state"][name]
    stored.arrays[node["array"]] = np.zeros(7)
    assert scorer_of(stored) is None


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
        _set("Analyzer", "params", "window", 3),
        _set("Aligned", "state", "columns_", {"array": 1}),
        _set("Aligned", "state", "classifier_", None),
        _set("Confidence", "state", "weights_", {"array": 0}),
        _set("Confidence", "state", "sureness_", {"array": 0}),
        _set("svm", "params", "kernel", "rbf"),
        lambda model: model.update({"estimator": 5}),
        lambda model: (model.clear(), model.update({"tuple": []})),
    ],
)
def test_files_with_unfitting_parts_are_left_to_the_estimators(tmp_path, change):
    """What the scorer cannot do or finds wrong it does not answer; the categorizer names what is wrong."""
    model = rb.Categorizer(representation="mixed", folds=3, engine="serial").fit(TEXTS, SETS)
    stored = read_model(model.save(tmp_path / "m.rubric"))
    assert scorer_of(stored) is not None
    manifest = json.loads(json.dumps(stored.manifest))
    change(manifest["model"])
    assert scorer_of(replace(stored, manifest=manifest)) is None
