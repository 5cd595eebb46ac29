"""A package outside adds a plug-in of every kind by entry points, and each is used end to end."""

from __future__ import annotations

import importlib
import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from typer.testing import CliRunner

import rubricate as rb
from rubricate import registry
from rubricate.cli import build
from rubricate.engines import run_tasks

ENTRY_POINTS = {
    "readers": "piped = outside.plugins:piped",
    "corpora": "ledger = outside.plugins:ledger",
    "selection": "rarest = outside.plugins:rarest",
    "classifiers": "centroid = outside.plugins:Centroid",
    "thresholds": "above_mean = outside.plugins:AboveMean",
    "measures": "jaccard = outside.plugins:jaccard",
    "significance": "volume = outside.plugins:volume",
    "estimation": "resubstitution = outside.plugins:resubstitution",
    "engines": "backwards = outside.plugins:backwards",
    "sections": "outlook = outside.plugins:outlook",
    "cli": "greet = outside.plugins:greet",
    "papers": "tiny_2000 = outside.plugins:tiny_2000",
}
TOML = """
title = "A tiny paper"
source = "nowhere"
corpus = {name = "ledger"}
notes = []
options = {answer = 0.75}
systems = {}
[tables.1]
title = "Table 1"
source = "section 1"
figures = "tiny.csv"
"""


@pytest.fixture(scope="module", autouse=True)
def _installed(tmp_path_factory):
    """Install the package as pip would: a folder on the path with the code and its metadata."""
    site = tmp_path_factory.mktemp("site-packages")
    package, metadata = site / "outside", site / "outside-1.0.dist-info"
    (package / "published").mkdir(parents=True)
    metadata.mkdir()
    (package / "__init__.py").touch()
    shutil.copy(Path(__file__).with_name("outside_plugins.py"), package / "plugins.py")
    (package / "tiny_2000.toml").write_text(TOML)
    (package / "published" / "tiny.csv").write_text("row,F1\nours,0.75\n")
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: outside\nVersion: 1.0\n")
    groups = [f"[rubricate.{kind}]\n{line}\n" for kind, line in ENTRY_POINTS.items()]
    (metadata / "entry_points.txt").write_text("\n".join(groups))
    sys.path.insert(0, str(site))
    importlib.invalidate_caches()
    registry.refresh()
    yield
    sys.path.remove(str(site))
    for name in ("outside", "outside.plugins"):
        sys.modules.pop(name, None)
    registry.refresh()


@pytest.fixture(scope="module")
def model(_installed):
    """A categorizer made of outside parts, on an outside corpus."""
    corpus = rb.load("ledger")
    return rb.Categorizer("centroid", select="rarest:5", cut="above_mean", engine="backwards").fit(corpus.train)


@pytest.mark.parametrize("kind", sorted(registry.KINDS))
def test_every_kind_has_an_outside_plugin_that_is_listed_and_found(kind):
    name = ENTRY_POINTS[kind].partition(" ")[0]
    assert name in registry.names(kind)
    assert registry.find(kind, registry.load(kind, name)) == name


def test_a_corpus_with_its_options():
    assert len(rb.load("ledger", copies=3).train) == 18
    shown = CliRunner().invoke(build(), ["corpus", "list"])
    assert shown.exit_code == 0, shown.output
    assert "ledger" in shown.output


def test_a_format_of_documents(tmp_path):
    path = tmp_path / "some.piped"
    path.write_text("grain|wheat\nfuel|oil\n")
    corpus = rb.load(path)
    documents = [*corpus.train.bodies, *corpus.test.bodies]
    assert sorted(documents) == ["oil", "wheat"]
    assert corpus.categories == ("fuel", "grain")


def test_selection_classifier_threshold_and_engine_make_a_categorizer(model):
    corpus = rb.load("ledger")
    assert type(model.classifier_).__name__ == "Centroid"
    assert model.features(corpus.test).shape[1] == 5
    assert model.run(corpus.test).decisions.values.shape == (12, 3)
    assert run_tasks(abs, [-1, 2, -3], engine="backwards") == [1, 2, 3]


def test_a_threshold_that_needs_the_whole_set_gets_it(model, tmp_path):
    """Decided in blocks, about half of each block would be assigned; of the whole set the second half is not."""
    from rubricate.training.scoring import decide

    cut = rb.thresholds.resolve("above_mean")
    blocks = [np.array([[3.0], [2.0]]), np.array([[1.0], [0.0]])]
    assert decide(cut, iter(blocks), 1).toarray().ravel().tolist() == [True, True, False, False]
    assert rb.thresholds.RankLimit(rank=1, cut="above_mean").needs_whole_set
    path, texts = tmp_path / "model.rubric", ["wheat corn wheat"] * 1100 + ["oil"] * 1100
    model.save(path)
    (tmp_path / "texts.txt").write_text("\n".join(texts))
    arguments = ["classify", str(path), str(tmp_path / "texts.txt"), "--format", "lines", "--json"]
    outcome = CliRunner().invoke(build(), arguments)
    assert outcome.exit_code == 0, outcome.output
    from_command = [tuple(json.loads(line)["labels"]) for line in outcome.stdout.splitlines()]
    assert from_command == model.classify(texts)


def test_a_measure_joins_every_evaluation(model):
    corpus = rb.load("ledger")
    result = rb.evaluate(model.run(corpus.test))
    table = result.counts
    wanted = table.tp.sum() / (table.tp.sum() + table.fp.sum() + table.fn.sum())
    assert result.micro["jaccard"] == pytest.approx(wanted)
    assert len(result.per_category["jaccard"]) == 3


def test_a_significance_test():
    found = rb.compare({"a": [{"x"}, {"y"}], "b": [{"x"}, set()]}, truth=[{"x"}, {"y"}], tests="volume")
    assert [(one.test, one.statistic) for one in found] == [("volume", 1.0)]


def test_an_estimator():
    X, labels = np.eye(4), sparse.csr_array(np.eye(4, 2) > 0)
    found = rb.estimate(registry.load("classifiers", "centroid")(), X, labels, method="resubstitution")
    assert found.method == "resubstitution"
    assert found.micro["recall"] == 1.0


def test_a_section_of_the_report(tmp_path):
    from rubricate.reports import ReportData, write_report

    run = rb.as_run([{"x"}, {"y"}], [{"x"}, {"x"}], name="one")
    page = write_report(ReportData([run], resamples=0), tmp_path / "page.html").page
    assert "1 systems, seen from outside" in page.read_text("utf-8")


def test_a_command():
    outcome = CliRunner().invoke(build(), ["greet", "world"])
    assert (outcome.exit_code, outcome.stdout) == (0, "hello world\n")


def test_a_reproduction_with_its_own_figures():
    cells, _ = rb.reproduce("tiny-2000")
    assert [(cell.row, cell.column, cell.published, cell.ours) for cell in cells] == [("ours", "F1", 0.75, 0.75)]
