"""`rubricate show` and `rubricate classify --say`: a model by itself, and one text."""

from __future__ import annotations

import json

import pytest
from tests.cli.test_train import stories

import rubricate as rb
from rubricate.errors import UnknownName


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    rows = list(stories(120, several=False))
    found = rb.Categorizer(engine="serial").fit([row[1] for row in rows], [row[2][0] for row in rows])
    found.save(tmp_path_factory.mktemp("show") / "m.rubric")
    found.file = tmp_path_factory.getbasetemp() / "show0" / "m.rubric"
    return found


@pytest.mark.slow
def test_show_says_what_was_chosen_and_what_speaks_for_each_category(rubricate, model):
    code, out, talk = rubricate("show", model.file)
    assert (code, talk) == (0, "")
    assert "3 categories from 120 documents" in out
    assert f"representation: {model.screening_['chosen']}, chosen on 120 documents" in out
    assert "cross-validated: accuracy" in out
    grain = next(line for line in out.splitlines() if line.startswith("grain"))
    assert any(word in grain for word in ("wheat", "corn", "harvest", "barlei"))


@pytest.mark.slow
def test_show_as_json(rubricate, model):
    code, out, _ = rubricate("show", model.file, "--json", "--terms", 2)
    assert code == 0
    described = json.loads(out)
    assert described["representation"] == model.screening_
    assert [each["name"] for each in described["categories"]] == ["fuel", "grain", "trade"]
    assert sum(each["documents"] for each in described["categories"]) == 120
    assert all(len(each["top_terms"]) == 2 for each in described["categories"])


def test_a_classifier_without_weights_has_no_top_terms(model):
    rows = list(stories(40, several=False))
    knn = rb.Categorizer("knn").fit([row[1] for row in rows], [row[2][0] for row in rows])
    assert knn.top_terms("grain") == []
    with pytest.raises(UnknownName, match="Did you mean 'grain'"):
        model.top_terms("grian")


def test_one_text_is_answered(rubricate, model):
    code, out, _ = rubricate("classify", model.file, "--say", "wheat, corn and barley")
    assert code == 0
    assert out == "id,labels\n1,grain\n"
    code, out, _ = rubricate("classify", model.file, "--say", "", "--json")
    assert code == 0
    assert json.loads(out)["id"] == "1"


@pytest.mark.parametrize("arguments", [(), ("new.csv", "--say", "wheat")])
def test_documents_or_one_text(rubricate, model, arguments):
    code, _, talk = rubricate("classify", model.file, *arguments)
    assert code == 2
    assert "give documents or one text" in talk


@pytest.mark.slow
def test_the_summary_of_train_names_rare_categories_and_the_choice(rubricate, tmp_path):
    rows = [f'"{text}",{labels[0]}\n' for _, text, labels in stories(60, several=False)]
    (tmp_path / "one.csv").write_text("text,labels\n" + "".join(rows) + "tin mines,tin\n")
    code, out, _ = rubricate("train", tmp_path / "one.csv", "-o", tmp_path / "m.rubric")
    assert code == 0
    assert "1 category has fewer than 5 documents and can hardly be learned: tin (1)" in out
    assert "representation: " in out
    assert "accuracy" in out
