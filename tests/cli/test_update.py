"""`rubricate update`: learning on, training anew, and what neither can do."""

from __future__ import annotations

import json

import pytest
from tests.cli.test_train import stories

import rubricate as rb
from rubricate.errors import InvalidInput


@pytest.fixture
def rubricate(rubricate, tmp_path):
    rows = [f'{name},"{text}",{";".join(labels)}\n' for name, text, labels in stories(60)]
    (tmp_path / "old.csv").write_text("id,text,labels\n" + "".join(rows[:40]))
    (tmp_path / "new.csv").write_text("id,text,labels\n" + "".join(rows[40:]))
    more = "".join(f"t{i},tin mines of Bolivia,tin\n" for i in range(8))
    (tmp_path / "tin.csv").write_text("id,text,labels\n" + more)

    return rubricate


def test_a_model_that_keeps_its_documents_is_trained_anew(rubricate):
    assert rubricate("train", "old.csv", "-o", "m", "--keep")[0] == 0
    code, out, _ = rubricate("update", "m", "tin.csv", "-o", "m2")
    assert code == 0
    assert "8 new documents, trained anew" in out
    assert "new categories: tin" in out
    model = rb.Categorizer.open("m2")
    assert model.classify(["tin mines"]) == [("tin",)]
    assert len(model.kept_documents()) == len(model.ids_) == 48
    old, tin = (rb.load(name).train for name in ("old.csv", "tin.csv"))
    whole = [*old.bodies, *tin.bodies]
    sets = [[d.categories[c] for c in d.labels[[i]].indices] for d in (old, tin) for i in range(len(d))]
    fresh = rb.Categorizer().fit(whole, sets)
    assert model.cross_validated == fresh.cross_validated, "as if all documents had been there from the start"


def test_naive_bayes_learns_on(rubricate):
    assert rubricate("train", "old.csv", "-o", "m", "--classifier", "nb", "--weights", "nnn")[0] == 0
    code, out, _ = rubricate("update", "m", "new.csv", "-o", "m2", "--json")
    assert code == 0
    result = json.loads(out)
    assert (result["way"], result["documents"], result["new_documents"]) == ("learned on", 60, 20)


def test_new_categories_need_the_documents(rubricate):
    assert rubricate("train", "old.csv", "-o", "m", "--classifier", "nb")[0] == 0
    code, _, talk = rubricate("update", "m", "tin.csv", "-o", "m2")
    assert code == 2
    assert "categories that the model does not have: tin" in talk
    assert "train with --keep" in talk


def test_what_cannot_learn_more_says_how_it_could(rubricate):
    assert rubricate("train", "old.csv", "-o", "m")[0] == 0
    code, _, talk = rubricate("update", "m", "new.csv", "-o", "m2")
    assert code == 2
    assert "train --keep" in talk
    assert rubricate("train", "old.csv", "-o", "m", "--keep")[0] == 0
    code, _, talk = rubricate("update", "m", "old.csv", "-o", "m2")
    assert code == 2
    assert "was learned before" in talk


def test_only_its_own_documents_are_kept():
    texts, labels = zip(*[(text, labels) for _, text, labels in stories(40)], strict=True)
    model = rb.Categorizer("nb", weights="nnn").fit(list(texts), list(labels))
    with pytest.raises(InvalidInput, match="fitted on"):
        model.keep(list(texts))
    with pytest.raises(InvalidInput, match="keeps no documents"):
        model.retrained(list(texts))


def test_one_label_each_is_judged_by_accuracy(rubricate, tmp_path):
    rows = [f"{i},{'wheat prices' if i % 2 else 'oil wells'},{'grain' if i % 2 else 'oil'}\n" for i in range(24)]
    for name, part in (("a.csv", rows[:16]), ("b.csv", rows[16:])):
        (tmp_path / name).write_text("id,text,labels\n" + "".join(part))
    assert rubricate("train", "a.csv", "-o", "m", "--keep")[0] == 0
    assert "cross-validated: accuracy 1.0000, macro-F1 1.0000" in rubricate("update", "m", "b.csv", "-o", "m2")[1]
    assert json.loads(rubricate("update", "m", "b.csv", "-o", "m2", "--json")[1])["single_label"] is True
