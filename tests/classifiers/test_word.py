"""WORD: names matched to documents, against a slow twin, by hand, from files, in a categorizer, on Reuters."""

from __future__ import annotations

import json
import math
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.model_selection import GridSearchCV
from tests.damaged import write_damaged
from tests.oracles.word import cosine_with_names

import rubricate as rb
from rubricate import cli
from rubricate.errors import InvalidFile, InvalidInput, UnknownName
from rubricate.experiments.store import Store
from rubricate.experiments.trial import Trial
from rubricate.training.data import TrainingData
from rubricate.training.plan import Step

pytestmark = pytest.mark.slow

TERMS = ["corn", "crude", "fx", "money", "oil", "wheat"]
NAMES = {"grain": ["wheat", "corn"], "crude": "crude oil", "money-fx": "money-fx"}
X = np.array([[1, 0, 0, 0, 0, 2], [0, 1, 0, 0, 1, 0], [0, 0, 1, 1, 0, 0], [0, 0, 0, 3, 1, 0], [0, 0, 0, 0, 0, 0.0]])
Y = pd.DataFrame([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1], [0, 0, 0]], columns=list(NAMES))
FRAME = pd.DataFrame(X, columns=TERMS)


def test_scores_by_hand():
    model = rb.classifiers.WORD(NAMES, weights="nnc").fit(FRAME, Y)
    half, ten = 1 / math.sqrt(2), math.sqrt(10)
    wanted = [[3 * half / math.sqrt(5), 0, 0], [0, 1, 0], [0, 0, 1], [0, half / ten, 3 * half / ten], [0, 0, 0]]
    np.testing.assert_allclose(model.decision_function(FRAME), wanted, rtol=1e-12)
    assert model.predict(FRAME).tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 1], [0, 0, 0]]


SCHEMES = st.sampled_from([tf + df + norm for tf in "nbla" for df in "ntp" for norm in "nc"])


@given(scheme=SCHEMES, data=st.data())
def test_agrees_with_the_slow_twin(scheme, data):
    columns = data.draw(st.integers(1, 6))
    cells = st.lists(st.sampled_from([0, 0, 1, 2, 5]), min_size=columns, max_size=columns)
    documents = np.array(data.draw(st.lists(cells, min_size=1, max_size=6)), float)
    names = np.array(data.draw(st.lists(cells, min_size=2, max_size=4)), float)
    model = rb.classifiers.WORD(
        sparse.csr_array(names), categories=[f"c{i}" for i in range(len(names))], weights=scheme
    )
    labels = sparse.csr_array((len(documents), len(names)), dtype=bool)
    wanted = cosine_with_names(documents, names, scheme)
    np.testing.assert_allclose(model.fit(documents, labels).decision_function(documents), wanted, atol=1e-12)
    at_hand = model.set_params(idf="documents").fit().decision_function(sparse.csr_array(documents))
    np.testing.assert_allclose(at_hand, wanted, atol=1e-12)


def test_needs_no_documents():
    model = rb.classifiers.WORD(NAMES, terms=TERMS).fit()
    assert model.categories_ == ("grain", "crude", "money-fx")
    assert (model.idf_ == 1).all()
    assert model.predict(sparse.csr_array(X)).toarray()[:4].sum(axis=1).tolist() == [1, 1, 1, 2]
    listed = rb.classifiers.WORD(list(NAMES.values()), categories=list(NAMES), terms=TERMS).fit()
    assert (listed.coef_ != model.coef_).nnz == 0


def test_unlabelled_documents_give_the_idf():
    model = rb.classifiers.WORD(NAMES, terms=TERMS).fit(X)
    held = (X > 0).sum(axis=0)
    np.testing.assert_allclose(model.idf_, np.log(5 / held))


def test_sample_weights_count_documents():
    heavy = rb.classifiers.WORD(NAMES, terms=TERMS).fit(X, Y, sample_weight=[2, 1, 1, 0, 1])
    copies = rb.classifiers.WORD(NAMES, terms=TERMS).fit(X[[0, 0, 1, 2, 4]], Y.iloc[[0, 0, 1, 2, 4]])
    np.testing.assert_allclose(heavy.idf_, copies.idf_)


def test_a_name_with_no_word_among_the_columns_is_named_and_scores_zero():
    with pytest.warns(UserWarning, match=r"no word of 1 of 3 names is a column \('tin'\): they score 0; describe"):
        model = rb.classifiers.WORD(categories=["corn", "tin", "oil"], terms=TERMS).fit(
            X, sparse.csr_array(Y.to_numpy())
        )
    assert model.unmatched_ == ("tin",)
    assert (model.decision_function(X)[:, 1] == 0).all()
    with pytest.warns(UserWarning, match="X has no column names: give `terms`"):
        rb.classifiers.WORD().fit(X, Y.to_numpy())


def test_a_word_of_every_document_weighs_nothing():
    model = rb.classifiers.WORD({"a": "corn", "b": "oil"}, terms=["corn", "oil"]).fit([[1.0, 1.0], [1.0, 0.0]])
    assert model.decision_function([[1.0, 1.0]]).round(9).tolist() == [[0.0, round(1 / math.sqrt(2), 9)]]


def test_explains_by_the_words_that_met():
    model = rb.classifiers.WORD(NAMES, weights="nnc").fit(FRAME, Y)
    found = model.explain(FRAME[:1], "grain")[0]
    assert [one.source for one in found] == ["wheat", "corn"]
    assert sum(one.weight for one in found) == pytest.approx(model.decision_function(FRAME[:1])[0, 0])


def test_names_go_through_the_analyzer_of_the_documents():
    texts = ["Exports of wheat rose", "the exporting of corn", "gold"]
    vectors = rb.text.Vectors().fit(texts)
    model = rb.classifiers.WORD(
        {"trade": "exported goods", "metal": "gold"}, terms=vectors.vocabulary_, analyzer=rb.text.Analyzer()
    )
    assert model.fit(vectors.transform(texts)).predict(vectors.transform(texts)).toarray().tolist() == [
        [True, False],
        [True, False],
        [False, True],
    ]
    by_function = rb.classifiers.WORD({"a": "X Y"}, terms=["x y", "x"], analyzer=lambda text: [text.lower()]).fit()
    assert by_function.coef_.toarray().tolist() == [[1, 0]]


def test_learns_in_a_grid_search_when_columns_have_names():
    grid = GridSearchCV(rb.classifiers.WORD(NAMES), {"weights": ["ltc", "nnc"]}, cv=2, scoring="f1_micro")
    assert grid.fit(pd.concat([FRAME] * 4), pd.concat([Y] * 4)).best_score_ > 0.5


@pytest.mark.parametrize("suffix", [".tsv", ".json"])
def test_names_from_a_file(tmp_path, suffix):
    path = tmp_path / f"names{suffix}"
    lines = "# topics\n\ngrain\twheat\ngrain\tcorn\ncrude\tcrude oil\nmoney-fx\tmoney-fx\n"
    path.write_text(json.dumps(NAMES) if suffix == ".json" else lines, encoding="utf-8")
    found = rb.classifiers.WORD(str(path), terms=TERMS).fit()
    assert found.categories_ == tuple(NAMES)
    assert (found.coef_ != rb.classifiers.WORD(NAMES, terms=TERMS).fit().coef_).nnz == 0


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.tsv", b"grain wheat\n", "line 1: expected a category, a tab and its text.*put a tab after"),
        ("a.tsv", b"grain\twheat\n\tcorn\n", "line 2"),
        ("a.tsv", b"# nothing\n", "no category in it"),
        ("a.tsv", b"gr\xff\xfe\tx", "not UTF-8"),
        ("a.json", b'{"a": \n', "line 2: not JSON"),
        ("a.json", b"[" * 100_000, "not JSON"),
        ("a.json", b"[1]", "expected an object, got a list"),
    ],
)
def test_a_bad_file_of_names_is_named(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InvalidFile, match=message):
        rb.classifiers.WORD(tmp_path / name, terms=TERMS).fit()


def test_bad_options_are_named(tmp_path):
    with pytest.raises(InvalidFile, match="cannot be read"):
        rb.classifiers.WORD(str(tmp_path / "none.tsv"), terms=TERMS).fit()
    with pytest.raises(UnknownName, match="Did you mean 'grain'"):
        rb.classifiers.WORD({"grains": "x"}).fit(FRAME, Y)
    with pytest.raises(InvalidInput, match="must be a text or a list of texts, got 7"):
        rb.classifiers.WORD({"grain": 7}).fit(FRAME, Y)
    with pytest.raises(InvalidInput, match="2 names for 3 categories"):
        rb.classifiers.WORD(["a", "b"]).fit(FRAME, Y)
    with pytest.raises(InvalidInput, match="must be a mapping, a list, a file or counts, got 7"):
        rb.classifiers.WORD(7).fit(FRAME, Y)
    with pytest.raises(InvalidInput, match="2 names in `terms` for 6 columns"):
        rb.classifiers.WORD(NAMES, terms=["a", "b"]).fit(X, Y)
    with pytest.raises(InvalidInput, match="needs `terms`"):
        rb.classifiers.WORD(NAMES).fit()
    with pytest.raises(InvalidInput, match="requires y"):
        rb.classifiers.WORD().fit(X)
    with pytest.raises(InvalidInput, match="2 rows for 3 categories"):
        rb.classifiers.WORD(sparse.csr_array((2, 6))).fit(X, Y)
    with pytest.raises(InvalidInput, match="5 columns and X has 6"):
        rb.classifiers.WORD(sparse.csr_array((3, 5))).fit(X, Y)
    with pytest.raises(UnknownName, match="scheme of weights named 'xyz'"):
        rb.classifiers.WORD(NAMES, weights="xyz").fit(FRAME, Y)
    with pytest.raises(UnknownName, match="source of the idf"):
        rb.classifiers.WORD(NAMES, idf="test").fit(FRAME, Y)
    with pytest.raises(InvalidInput, match="analyzer must be"):
        rb.classifiers.WORD(NAMES, analyzer=3).fit(FRAME, Y)


TEXTS = ["wheat rose", "corn fell", "crude oil", "money and oil", "exchange of money", "wheat, corn"] * 4
LABELS = [{"wheat"}, {"corn"}, {"crude-oil"}, {"money"}, {"money"}, {"wheat", "corn"}] * 4


@pytest.mark.parametrize("single", [True, False])
def test_a_categorizer_gives_its_categories_and_terms(single, tmp_path):
    labels = [min(one) for one in LABELS] if single else LABELS
    model = rb.Categorizer("word", folds=2, engine="serial").fit(TEXTS, labels)
    assert model.classify(["the corn", "Crude oils"]) == [("corn",), ("crude-oil",)]
    assert model.explain("crude oil", "crude-oil")["crude-oil"][0].source in ("crude", "oil")
    again = rb.Categorizer.open(model.save(tmp_path / "m"))
    assert (again.decision_function(TEXTS) == model.decision_function(TEXTS)).all()


def test_a_categorizer_warns_once_and_refuses_selection():
    with pytest.warns(UserWarning, match=r"no word of 1 of 2 names occurs in the documents \('zzz'\)") as caught:
        rb.Categorizer("word", folds=2, engine="serial").fit(TEXTS, ["zzz", "oil"] * 12)
    assert len(caught) == 1
    with pytest.raises(InvalidInput, match="select='chi2:3' leaves some out"):
        rb.Categorizer("word", select="chi2:3").fit(TEXTS, LABELS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        described = rb.classifiers.WORD({"zzz": "wheat or corn"})
        rb.Categorizer(described, folds=2, engine="serial").fit(TEXTS, ["zzz", "oil"] * 12)


def test_the_command_line_trains_it(tmp_path, monkeypatch, capsys):
    rows = [{"text": text, "labels": sorted(labels)} for text, labels in zip(TEXTS, LABELS, strict=True)]
    (tmp_path / "d.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (tmp_path / "names.tsv").write_text("money\tmoney exchange\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    given = ["train", "d.jsonl", "-o", "m", "--classifier", "word", "--set", "names=names.tsv", "--json"]
    monkeypatch.setattr(sys, "argv", ["rubricate", *given])
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert not left.value.code
    assert json.loads(capsys.readouterr().out)["cross_validation"]["micro_f1"] > 0.8


def test_a_cut_model_is_refused(tmp_path):
    model = rb.classifiers.WORD(NAMES, terms=TERMS).fit()
    model.coef_ = model.coef_[:2]
    path = write_damaged(model, tmp_path / "m")
    with pytest.raises(InvalidFile):
        rb.open(path)


@pytest.mark.filterwarnings("ignore:no word of")
def test_reuters_names_match_their_documents(reuters_v3):
    """yang1999, table 5: WORD ranks better than chance and far below learning; here on the training documents of v3."""
    vectors = rb.text.Vectors()
    X = vectors.fit_transform(reuters_v3.train)
    model = rb.classifiers.WORD(
        categories=reuters_v3.categories, terms=vectors.vocabulary_, analyzer=rb.text.Analyzer()
    )
    best = model.fit(X, reuters_v3.train.labels).decision_function(X).argmax(axis=1)
    hits = reuters_v3.train.labels[np.arange(len(best)), best]
    assert 0.2 < np.mean(hits) < 0.6
    assert {"acq", "austdlr", "bop"} <= set(model.unmatched_)


def test_an_edited_file_of_names_is_other_content(tmp_path):
    file = tmp_path / "names.tsv"
    file.write_text("grain\twheat\n", "utf-8")
    before = rb.classifiers.WORD(str(file)).content()
    file.write_text("grain\twheat corn\n", "utf-8")
    assert rb.classifiers.WORD(str(file)).content() != before
    assert rb.classifiers.WORD(NAMES).content() == ""


def test_an_edited_file_of_names_is_another_trial_with_the_same_signature(tmp_path):
    file = tmp_path / "names.tsv"
    labels = sparse.csr_array(np.array([[1, 0], [0, 1]] * 4, bool))
    train = rb.Documents([str(i) for i in range(8)], ["wheat corn", "gold silver"] * 4, labels, ("grain", "metal"))
    settings = {"classifier": "word", "names": str(file), "folds": 0, "cut": 0.1}
    found = []
    for word in ("wheat", "corn"):
        file.write_text(f"grain\t{word}\nmetal\tgold\n", "utf-8")
        trial = Trial("word", settings, TrainingData(train, test=train), Store(tmp_path / "store"))
        found.append((trial.what(Step(0, None)), trial.signature(0)))
    assert found[0][0] != found[1][0]
    assert found[0][1] == found[1][1]
    assert found[0][1].classifier == f"WORD(names={str(file)!r})"


def test_a_signature_shows_the_classifier_as_it_was_given(tmp_path):
    texts, labels = ["wheat corn", "gold silver"] * 4, ["corn", "gold"] * 4
    for asked, wanted in (("word", "WORD()"), (rb.classifiers.WORD(weights="nnc"), "WORD(weights='nnc')")):
        model = rb.Categorizer(asked, folds=0, cut=0.1, engine="serial").fit(texts, labels)
        assert model.signature().classifier == wanted
        model.save(tmp_path / "word.rubric")
        assert rb.Categorizer.open(tmp_path / "word.rubric").signature() == model.signature()


UNLABELLED = ["Wheat and corn exports rose", "Crude oil prices fell", "The bank changed money rates", "Gold"]


def test_a_categorizer_needs_no_labels_for_names_and_rules():
    names = {"grain": "wheat corn", "crude": "crude oil", "money-fx": "money-fx"}
    wanted = [("grain",), ("crude",), ("money-fx",), ()]
    by_names = rb.Categorizer(rb.classifiers.WORD(names)).fit(UNLABELLED)
    assert by_names.classify(UNLABELLED) == wanted
    assert by_names.cross_validated is None
    rules = "grain if wheat; crude if oil; money-fx if money;"
    assert rb.Categorizer(rb.classifiers.Construe(rules)).fit(UNLABELLED).classify(UNLABELLED) == wanted


@pytest.mark.parametrize("settings", [{"cut": "scut"}, {"cut": "pcut:1"}, {"cut": "rcut:1", "folds": 3}])
def test_what_learns_from_labels_is_refused_without_them(settings):
    with pytest.raises(InvalidInput, match="learns from labels, and these documents have none"):
        rb.Categorizer(rb.classifiers.WORD(NAMES), **settings).fit(UNLABELLED)


def test_without_labels_and_names_there_are_no_categories():
    with pytest.raises(InvalidInput, match="name the categories"):
        rb.Categorizer("word").fit(UNLABELLED)


def test_training_on_unlabelled_documents_from_the_command_line(tmp_path, monkeypatch, capsys):
    (tmp_path / "news.csv").write_text("id,text\n" + "".join(f"{i},{text}\n" for i, text in enumerate(UNLABELLED)))
    (tmp_path / "names.tsv").write_text("grain\twheat corn\ncrude\tcrude oil\n")
    monkeypatch.chdir(tmp_path)
    train = ["train", "news.csv", "-o", "m", "--unlabelled", "--classifier", "word", "--set", "names=names.tsv"]
    for line in (train, ["classify", "m", "news.csv"]):
        monkeypatch.setattr(sys, "argv", ["rubricate", *line])
        with pytest.raises(SystemExit) as left:
            cli.main()
        assert not left.value.code
    shown = capsys.readouterr().out
    assert "no document has a label: what to expect of new documents is not known" in shown
    assert shown.endswith("id,labels\n0,grain\n1,crude\n2,\n3,\n")
