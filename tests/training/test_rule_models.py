"""Rules of trained models, printed and run again on raw text."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import rubricate as rb
from rubricate.errors import InvalidInput

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def corpus():
    return rb.load("newswire", documents=500)


@pytest.mark.parametrize("analyzer", [None, rb.text.Analyzer(ngrams=(1, 2), title="mark")], ids=["words", "phrases"])
@pytest.mark.parametrize("name", ["charade", "dtree", "ripper", "swap1"])
def test_printed_rules_decide_as_the_model_that_learned_them(name, analyzer, corpus):
    model = rb.Categorizer(name, analyzer=analyzer, folds=0, cut=0.0, engine="serial").fit(corpus.train)
    base = rb.rules.rules_of(model)
    assert rb.rules.parse_rules(rb.rules.format_rules(base)) == base
    assert all(rule.positives is not None for rule in base.rules)
    run = rb.rules.run_rules(rb.rules.parse_rules(rb.rules.format_rules(base)), corpus.test)
    columns = [run.categories.index(model.categories_[c]) for c in model.aligned_.columns_]
    decided = model.classifier_.predict(model.features(corpus.test))
    wanted = decided.toarray() if sparse.issparse(decided) else np.asarray(decided)
    assert wanted.sum() > 50
    assert (run.decisions.values.toarray()[:, columns] == wanted.astype(bool)).all()


def test_phrases_with_gaps_cannot_be_found_again():
    with pytest.raises(InvalidInput, match="phrases with gaps"):
        rb.rules.run_rules(
            rb.rules.parse_rules("analyzer ngrams = (1, 2), window = 4; c if 'wheat export' [3 right, 0 wrong];"), ["a"]
        )
