"""`rubricate update`: learning on, training anew, and what neither can do."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.cli.test_train import stories

import rubricate as rb
from rubricate.errors import InvalidInput

pytestmark = pytest.mark.slow


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


def test_new_categories_are_learned_on(rubricate, tmp_path):
    assert rubricate("train", "old.csv", "-o", "m", "--classifier", "nb", "--weights", "nnn")[0] == 0
    code, out, _ = rubricate("update", "m", "tin.csv", "-o", "m2")
    assert code == 0
    assert "8 new documents, the classifier learned on; terms and cuts stay" in out
    assert "new categories: tin\n" in out
    result = json.loads(rubricate("update", "m", "tin.csv", "-o", "m2", "--json")[1])
    model = rb.Categorizer.open("m2")
    assert result["new_categories"] == ["tin"]
    assert result["new_cuts"] == {"tin": model.cut_.cuts_[model.categories_.index("tin")]}
    assert f"as expected of categories with as many documents: tin {result['new_cuts']['tin']:.4g}\n" in out
    again = json.loads(rubricate("update", "m2", "tin.csv", "-o", "m3", "--json")[1])
    assert (again["new_categories"], again["new_cuts"], again["documents"]) == ([], {}, 56)


def test_new_categories_of_documents_with_one_label_need_no_cut(rubricate, tmp_path):
    rows = [f"{'wheat tin' if i % 2 else 'oil wells'},{'grain' if i % 2 else 'oil'}\n" for i in range(24)]
    (tmp_path / "a.csv").write_text("text,labels\n" + "".join(rows))
    (tmp_path / "b.csv").write_text("text,labels\ntin,metal\ntin tin,metal\nnickel,metal\n")
    assert rubricate("train", "a.csv", "-o", "m", "--classifier", "knn", "--set", "k=1")[0] == 0
    out = rubricate("update", "m", "b.csv", "-o", "m2")[1]
    assert "no cut of their own" in out
    assert "1 of the new documents have no term that the model knows" in out
    model = rb.Categorizer.open("m2")
    assert model.classify(["tin", "wheat tin"]) == [("metal",), ("grain",)]
    assert model.ids_[22:] == ("23", "24", "24+1", "24+2", "24+3"), "rows are numbered on, not twice"


def test_rows_without_ids_are_trained_anew_too(rubricate, tmp_path):
    rows = [f"{'wheat' if i % 2 else 'oil'} {'prices' if i % 3 else 'up'},{'ab'[i % 2]}\n" for i in range(24)]
    for name, part in (("a.csv", rows[:16]), ("b.csv", rows[16:])):
        (tmp_path / name).write_text("text,labels\n" + "".join(part))
    assert rubricate("train", "a.csv", "-o", "m", "--keep")[0] == 0
    assert "8 new documents, trained anew" in rubricate("update", "m", "b.csv", "-o", "m2")[1]


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


def test_vectors_of_ones_own_learn_on(rubricate, tmp_path):
    for name, rows, label in (("a", [[1, 0, 0], [0, 1, 0]] * 6, "{}"), ("b", [[0, 0, 1]] * 3, "tin")):
        np.save(tmp_path / f"{name}.npy", np.array(rows, np.float32))
        labels = [label.format("grain" if row[0] else "oil") for row in rows]
        (tmp_path / f"{name}.csv").write_text("labels\n" + "\n".join(labels) + "\n")
    assert rubricate("train", "a.csv", "--vectors", "a.npy", "-o", "m", "--classifier", "rocchio")[0] == 0
    assert "new categories: tin" in rubricate("update", "m", "b.csv", "--vectors", "b.npy", "-o", "m2")[1]
    assert rb.Categorizer.open("m2").classify(np.eye(3)) == [("grain",), ("oil",), ("tin",)]
