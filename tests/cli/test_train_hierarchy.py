"""`train`, `classify` and `evaluate` with a hierarchy of one's own, also where it is strange."""

from __future__ import annotations

import csv
import json
import time

import pytest

pytestmark = pytest.mark.slow

TREE = "parent,child\ncrude,gas\ncrude,ship\ngrain,corn\ngrain,wheat\n"
WORDS = {
    "crude": "barrel refinery",
    "gas": "barrel pipeline",
    "ship": "barrel tanker",
    "corn": "harvest maize",
    "wheat": "harvest flour",
}


def write(path, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("id", "text", "labels"), *rows])


def documents(path, words, copies=6):
    """Documents of two words each, labels `a;b` kept as they are."""
    rows = [(label, text) for label, text in words.items() for _ in range(copies)]
    write(path, [(str(k), text, label) for k, (label, text) in enumerate(rows)])


def found(rubricate, tmp_path, words, tree, *options, classifier="top_down"):
    """The labels that a trained model gives the training documents, one a category."""
    documents(tmp_path / "docs.csv", words)
    (tmp_path / "tree.csv").write_text(tree)
    given = ("--classifier", classifier, "--hierarchy", "tree.csv", "--folds", "0", "--cut", "0.0", *options)
    code, _, talk = rubricate("train", "docs.csv", "-o", "model", *given)
    assert code == 0, talk
    write(tmp_path / "new.csv", [(f"n{k}", text, "") for k, text in enumerate(words.values())])
    code, out, talk = rubricate("classify", "model", "new.csv", "--json")
    assert code == 0, talk
    return [set(json.loads(line)["labels"]) for line in out.splitlines()]


@pytest.mark.parametrize("classifier", ["top_down", "local", "tolerant", "big_bang", "proximity"])
def test_trains_every_hierarchical_classifier(rubricate, tmp_path, classifier):
    labels = found(rubricate, tmp_path, WORDS, TREE, classifier=classifier)
    assert sum({name} <= own for name, own in zip(WORDS, labels, strict=True)) >= 4


def test_the_hierarchy_needs_a_classifier_that_knows_it(rubricate, tmp_path):
    documents(tmp_path / "docs.csv", WORDS)
    (tmp_path / "tree.csv").write_text(TREE)
    for options in ((), ("--classifier", "svm")):
        code, _, talk = rubricate("train", "docs.csv", "-o", "model", "--hierarchy", "tree.csv", *options)
        assert code != 0
        assert "--hierarchy needs a classifier that knows hierarchies; give one of big_bang, local" in talk


def test_a_label_that_is_not_in_the_hierarchy_is_named(rubricate, tmp_path):
    documents(tmp_path / "docs.csv", {**WORDS, "gold": "ounce bullion"})
    (tmp_path / "tree.csv").write_text(TREE)
    given = ("--classifier", "top_down", "--hierarchy", "tree.csv")
    code, _, talk = rubricate("train", "docs.csv", "-o", "model", *given)
    assert code != 0
    assert "1 of 6 categories are not in the taxonomy: 'gold'; add a pair (parent, child)" in talk
    assert not (tmp_path / "model").exists()


def test_a_document_with_a_node_and_one_above_it_has_both(rubricate, tmp_path):
    words = {**WORDS, "grain;corn": "harvest maize silo"}
    labels = found(rubricate, tmp_path, words, TREE)
    assert labels[-1] == {"grain", "corn"}


def test_a_node_without_documents_is_never_assigned(rubricate, tmp_path):
    labels = found(rubricate, tmp_path, WORDS, TREE + "grain,rice\nmetal,tin\n")
    assert not {"rice", "tin", "metal"} & set().union(*labels)
    assert [{name} for name in WORDS] == labels


def test_a_chain_of_single_children_thirty_deep(rubricate, tmp_path):
    chain = "".join(f"c{k},c{k + 1}\n" for k in range(30))
    words = {"c30": "barrel tanker", "other": "harvest maize", "c15": "ounce bullion"}
    assert found(rubricate, tmp_path, words, f"top,c0\ntop,other\n{chain}") == [{"c30"}, {"other"}, {"c15"}]


def test_a_diamond(rubricate, tmp_path):
    words = {"x": "barrel tanker", "a": "harvest maize", "b": "ounce bullion"}
    assert found(rubricate, tmp_path, words, "p,x\nq,x\np,a\nq,b\n") == [{"x"}, {"a"}, {"b"}]


def test_a_cycle_is_named(rubricate, tmp_path):
    documents(tmp_path / "docs.csv", WORDS)
    (tmp_path / "tree.csv").write_text("grain,corn\ncorn,grain\n")
    code, _, talk = rubricate("train", "docs.csv", "-o", "model", "--classifier", "top_down", "--hierarchy", "tree.csv")
    assert code != 0
    assert "grain → corn → grain" in talk


def test_twenty_thousand_nodes(rubricate, tmp_path):
    tree = "".join(f"n{(k - 1) // 27},n{k}\n" for k in range(1, 20_000))
    words = {f"n{k}": f"word{chr(97 + k % 26)} term{chr(97 + k // 800)}" for k in (1, 40, 5000, 12_000, 19_999)}
    start = time.perf_counter()
    labels = found(rubricate, tmp_path, words, tree)
    assert [{name} for name in words] == labels
    (tmp_path / "truth.csv").write_text("document,labels\nd1,n19999\nd2,n5000\n")
    (tmp_path / "run.csv").write_text("document,labels\nd1,n19998\nd2,n40\n")
    code, out, talk = rubricate(
        "evaluate", "truth.csv", "run.csv", "--new-categories", "--hierarchy", "tree.csv", "--json"
    )
    assert code == 0, talk
    hierarchy = json.loads(out)["hierarchy"]
    assert hierarchy["nodes"] == 20_000
    assert hierarchy["far"]["assigned"][2] == 1
    assert time.perf_counter() - start < 30


def evaluated(rubricate, tmp_path, truth, decided, tree):
    (tmp_path / "truth.csv").write_text(f"document,labels\nd1,{truth}\n")
    (tmp_path / "run.csv").write_text(f"document,labels\nd1,{decided}\n")
    (tmp_path / "tree.csv").write_text(tree)
    given = ("--new-categories", "--hierarchy", "tree.csv", "--json")
    code, out, talk = rubricate("evaluate", "truth.csv", "run.csv", *given)
    assert code == 0, talk
    return json.loads(out)["hierarchy"], talk


@pytest.mark.parametrize(
    ("truth", "decided", "tree", "hf", "far"),
    [
        ("corn", "grain;corn", "grain,corn\ngrain,wheat\n", 1.0, [0, 1]),
        ("c30", "c15", "top,c0\n" + "".join(f"c{k},c{k + 1}\n" for k in range(30)), 2 * 16 / (16 + 31), [0] * 15 + [1]),
        ("x", "a", "p,x\nq,x\np,a\n", 2 * 1 / (2 + 3), [0, 0, 1]),
        ("corn", "gold;corn", "grain,corn\ngrain,wheat\n", 2 * 1 / (1 + 2), []),
    ],
    ids=["node and ancestor", "chain", "diamond", "outside"],
)
def test_evaluate_in_strange_hierarchies(rubricate, tmp_path, truth, decided, tree, hf, far):
    found, talk = evaluated(rubricate, tmp_path, truth, decided, tree)
    assert found["far"]["assigned"] == far
    assert ("gold" in talk) == ("gold" in decided)
    assert found["micro"]["ancestors"]["hierarchical_f1"] == pytest.approx(hf)


def test_tune_and_estimate_go_by_the_hierarchy(rubricate, tmp_path):
    documents(tmp_path / "docs.csv", WORDS)
    (tmp_path / "tree.csv").write_text(TREE)
    given = ("--classifier", "top_down", "--hierarchy", "tree.csv")
    code, out, talk = rubricate("tune", "docs.csv", "--grid", "min_df=1,2", "--store", "store", *given)
    assert code == 0, talk
    assert "--hierarchy tree.csv --set classifier=top_down" in out.splitlines()[-1]
    code, out, talk = rubricate("estimate", "docs.csv", "--method", "cross-validation", *given, "--json")
    assert code == 0, talk
    assert {"crude", "gas", "ship", "corn", "wheat"} == set(json.loads(out)["per_category"])


@pytest.mark.parametrize("command", [("tune", "docs.csv", "--grid", "C=1,2"), ("estimate", "docs.csv")])
def test_a_flat_classifier_has_no_use_for_a_hierarchy(rubricate, tmp_path, command):
    documents(tmp_path / "docs.csv", WORDS)
    (tmp_path / "tree.csv").write_text(TREE)
    code, _, talk = rubricate(*command, "--hierarchy", "tree.csv")
    assert code == 2
    assert "give one of big_bang, local, proximity, tolerant" in talk
