"""Settings of the wrong kind, from the command line or a plan: one error that names them, never a traceback."""

from __future__ import annotations

import contextlib

import pytest

import rubricate as rb
from rubricate.errors import InvalidFile, InvalidInput, RubricateError
from rubricate.experiments.plan_file import read_plan
from rubricate.training.categorizer import configured

TEXTS, LABELS = ["wheat rose", "oil fell", "wheat and corn", "oil and gas"] * 2, ["grain", "crude"] * 4
WRONG = {
    "analyzer__ngrams": ["x", [1], None, [2, 1], 0, 99],
    "analyzer__stop": [True, 3, [1, 2]],
    "analyzer__min_length": ["x", None, 1.5, 0, True],
    "analyzer__title": ["x", [1], 0],
    "analyzer__window": ["x", 99],
    "analyzer__stem": [[1], "x", 3],
    "analyzer__tokens": [[1], 3, "x"],
    "min_df": ["x", [1], 0, 1.5, None, True],
    "weights": [[1], 3],
    "select": [[1], 5, {}],
    "cut": [[1], {}, "x"],
    "classifier__alpha": ["x", [1], None, -1],
    "folds": ["x", 1, [2]],
    "seed": ["x", -1],
}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in WRONG.items() for value in values])
def test_values_of_the_wrong_kind_are_one_error(name, value):
    with pytest.raises((InvalidInput, RubricateError)):
        configured({"classifier": "nb", "weights": "nnn", name: value}).fit(TEXTS, LABELS)


@pytest.mark.slow
@pytest.mark.parametrize("ngrams", ["1,2", [1, 2], (1, 2)])
def test_a_range_of_phrases_may_be_written_with_a_comma(ngrams):
    """`--set analyzer__ngrams=1,2` ended in a traceback."""
    fitted = configured({"classifier": "nb", "weights": "nnn", "analyzer__ngrams": ngrams}).fit(TEXTS, LABELS)
    assert isinstance(fitted, rb.Categorizer)


@pytest.mark.parametrize("line", ["stop = false", "min_length = 'x'", "stop = 3", "tokens = 3", "ngrams = 'x'"])
def test_a_plan_says_where_a_value_is_wrong_or_runs(tmp_path, line):
    """`stop = false` in a plan ended in a traceback; it means no list, as "none" does."""
    plan = tmp_path / "plan.toml"
    head = '[[corpora]]\nname = "newswire"\n[[systems]]\nname = "nb"\nclassifier = "nb"\n'
    plan.write_text(f'{head}[[representations]]\nname = "terms"\nanalyzer = {{ {line} }}\n')
    with contextlib.suppress(InvalidFile):
        (trial,) = read_plan(plan).trials()
        if line == "stop = false":
            configured(trial.settings).fit(TEXTS, LABELS)
            return
        with pytest.raises(RubricateError):
            configured(trial.settings).fit(TEXTS, LABELS)
        return
    with pytest.raises(InvalidFile, match="line 8"):
        read_plan(plan)
