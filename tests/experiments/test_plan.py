"""Plans: what a file means, which combinations it makes, and errors that point at a line and say what to do."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tally import count_cases

from rubricate.errors import InvalidFile, InvalidInput, UnknownName
from rubricate.experiments.plan import CorpusChoice, Plan, RepresentationChoice, SystemChoice
from rubricate.experiments.plan_file import built_in_plans, line_of, lines, read_plan

GOOD = """\
title = "Two systems"
seed = 3
thresholds = ["scut:0.1", 0.0]

[[corpora]]
name = "newswire"
documents = 600

[[representations]]
name = "ltc"

[[representations]]
name = "few"
select = "chi2:100"
analyzer = { stem = "porter" }

[[systems]]
name = "SVM"
classifier = "svm"
C = 2.0

[[systems]]
name = "kNN"
classifier = "knn"
representations = ["few"]
thresholds = ["rcut:1"]

[learning]
systems = ["kNN"]
shares = [0.5, 0.2]
"""


def write(tmp_path, text, name="plan.toml"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_plan_is_the_product_of_its_parts(tmp_path):
    plan = read_plan(write(tmp_path, GOOD))
    assert [one.name for one in plan.trials()] == [
        "SVM ltc scut:0.1",
        "SVM ltc 0.0",
        "SVM few scut:0.1",
        "SVM few 0.0",
        "kNN",
    ]
    assert dict(plan.trials()[2].settings) == {
        "select": "chi2:100",
        "analyzer__stem": "porter",
        "classifier": "svm",
        "C": 2.0,
        "folds": 5,
        "seed": 3,
        "cut": "scut:0.1",
    }
    assert plan.corpora == (CorpusChoice("newswire", options={"documents": 600}),)
    assert plan.learning.shares == (0.2, 0.5)


def test_defaults_are_one_representation_and_the_categorizers_own_cut(tmp_path):
    plan = read_plan(write(tmp_path, '[[corpora]]\nname = "newswire"\n[[systems]]\nname = "default"\n'))
    (trial,) = plan.trials()
    assert trial.name == "default"
    assert trial.threshold is None
    assert "cut" not in trial.settings


@pytest.mark.parametrize("name", built_in_plans())
def test_every_plan_that_comes_with_the_package_is_sound(name):
    assert read_plan(name).trials()


def test_the_default_plan_has_the_five_systems():
    assert [one.name for one in read_plan("five").systems] == ["SVM", "kNN", "LLSF", "NNet", "NB"]


WRONG = {
    "syntax": ("seed = 3", "seed = ", 2, "not valid TOML"),
    "key": ("seed = 3", "sede = 3", 2, "Did you mean 'seed'"),
    "kind": ("seed = 3", 'seed = "3"', 2, "whole number"),
    "true is no number": ("seed = 3", "seed = true", 2, "whole number"),
    "least": ("seed = 3", "folds = 1", 2, "at least 2"),
    "threshold": ('"scut:0.1", 0.0', '"skut"', 3, "Did you mean 'scut'"),
    "threshold argument": ('"scut:0.1", 0.0', '"rcut:x"', 3, "whole number"),
    "threshold list": ('["scut:0.1", 0.0]', '"scut"', 3, "must be a list"),
    "corpus": ('"newswire"', '"newswir"', 6, "Did you mean 'newswire'"),
    "corpus option": ("documents = 600", "document = 600", 7, "Did you mean 'documents'"),
    "split": ("documents = 600", 'split = "x"', 7, "no split of newswire"),
    "path": ('"newswire"', '"missing.csv"', 6, "no 'missing.csv'"),
    "selection setting": ("select = ", "selects = ", 14, "selects"),
    "analyzer": ("stem = ", "steem = ", 15, "Did you mean 'stem'"),
    "name missing": ('name = "SVM"\n', "", 17, "name is missing"),
    "classifier": ('"svm"', '"smv"', 19, "Did you mean 'svm'"),
    "parameter": ("C = 2.0", "degre = 2", 20, "Did you mean 'degree'"),
    "cut in a system": ("C = 2.0", 'cut = "scut"', 20, "thresholds"),
    "seed in a system": ("C = 2.0", "seed = 2", 20, "top of the plan"),
    "representation": ('["few"]', '["fwe"]', 25, "Did you mean 'few'"),
    "learning system": ('systems = ["kNN"]', 'systems = ["kN"]', 29, "Did you mean 'kNN'"),
    "share": ("[0.5, 0.2]", "[0.5, 2]", 30, "between 0 and 1"),
    "no corpora": ('[[corpora]]\nname = "newswire"\ndocuments = 600\n', "", None, "at least one of corpora"),
    "one table": ("[[corpora]]", "[corpora]", 5, r"\[\[corpora\]\]"),
    "test": ("seed = 3", 'tests = ["Q"]', 2, "no test named 'Q'"),
    "measure": ("seed = 3", 'measures = ["f2"]', 2, "no measure named 'f2'"),
    "adjust": ("seed = 3", 'adjust = "hol"', 2, "Did you mean 'holm'"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_plan_is_refused_with_file_line_and_remedy(tmp_path, case):
    old, new, line, message = WRONG[case]
    assert old in GOOD
    path = write(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(InvalidFile, match=message) as caught:
        read_plan(path)
    assert caught.value.line == line
    assert "plan.toml" in str(caught.value)


def test_the_plan_of_the_documentation_is_sound(tmp_path):
    page = Path(__file__).parents[2] / "docs" / "guides" / "studies.md"
    text = page.read_text(encoding="utf-8").split("```toml\n")[1].split("```")[0]
    (tmp_path / "news.csv").write_text("text,topics\na,b\n", encoding="utf-8")
    plan = read_plan(write(tmp_path, text))
    assert [one.name for one in plan.trials()] == [
        "SVM all terms scut:0.1",
        "SVM all terms micro_macro",
        "SVM few terms scut:0.1",
        "SVM few terms micro_macro",
        "kNN",
    ]
    assert plan.corpora[1].folder == tmp_path
    defaults = Plan(plan.corpora, plan.systems, representations=plan.representations)
    for name in ("seed", "folds", "adjust", "undefined", "resamples", "tests"):
        assert getattr(plan, name) == getattr(defaults, name), "the page says that these are the defaults"


def test_names_that_come_twice_are_refused(tmp_path):
    with pytest.raises(InvalidFile, match="'SVM' comes twice"):
        read_plan(write(tmp_path, GOOD.replace('name = "kNN"', 'name = "SVM"').replace('systems = ["kNN"]', "")))


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"\x00", b"[[" * 500])
def test_bytes_that_are_no_plan_are_refused(tmp_path, content):
    path = tmp_path / "plan.toml"
    path.write_bytes(content)
    with pytest.raises(InvalidFile):
        read_plan(path)


def test_a_plan_that_is_not_there():
    with pytest.raises(UnknownName, match="Did you mean 'five'"):
        read_plan("fiv")
    with pytest.raises(InvalidFile, match="cannot be read"):
        read_plan("missing.toml")


def test_plans_made_in_python_are_checked_too():
    corpora = (CorpusChoice("newswire"),)
    with pytest.raises(InvalidInput, match="at least one corpus"):
        Plan((), (SystemChoice("a"),))
    with pytest.raises(UnknownName, match="representation of this plan"):
        Plan(corpora, (SystemChoice("a", representations=("b",)),))
    with pytest.raises(InvalidInput, match="comes twice"):
        Plan(corpora, (SystemChoice("a"),), representations=(RepresentationChoice("b"), RepresentationChoice("b")))


SCALAR = st.sampled_from(
    ["1", "true", '"a = b # c"', "'[[x]]'", "[1, 2]", '[\n  "x",\n  "[[y]]", # z\n]', '"""\na = 1\n[b]\n"""']
)
TABLE = st.tuples(
    st.sampled_from(["[t.u]", "[[a]]", "[[a.b]]", "[z]"]), st.dictionaries(st.sampled_from("kmnp"), SCALAR)
)


@given(st.dictionaries(st.sampled_from("kmnp"), SCALAR), st.lists(TABLE, max_size=5))
def test_lines_of_keys_are_where_the_keys_are(top, tables):
    parts = [f"{key} = {value}" for key, value in top.items()]
    for header, keys in tables:
        parts += [header, *(f"  {key} = {value}" for key, value in keys.items()), "# comment"]
    text = "\n".join(parts)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        count_cases(0)
        return
    rows = text.splitlines()
    for place, line in lines(text).items():
        value = data
        for step in place:
            value = value[step]
        assert str(place[-1] if isinstance(place[-1], str) else place[-2]) in rows[line - 1]
    count_cases()


def test_the_line_of_something_within_is_that_of_what_holds_it():
    found = lines("a = {b = 1}\n")
    assert line_of(found, ("a", "b")) == 1
    assert line_of(found, ("c",)) is None
