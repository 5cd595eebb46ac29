"""Rules on raw texts, and the rules of a trained model: where the shared form of rules meets analyzers and models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from scipy import sparse

from rubricate.classifiers.classic.construe import Construe
from rubricate.errors import InvalidInput, UnknownName
from rubricate.rules.explanation import Firing
from rubricate.rules.form import RuleBase, Setting
from rubricate.rules.printer import format_rule
from rubricate.text.analyzer import Analyzer
from rubricate.training.answers import Answer, best_of
from rubricate.training.data import ids_of
from rubricate.training.truth import with_truth
from rubricate.types import AnyClassifier, Corpus, Decisions, Documents, Evidence, FittedModel, Run, Scores, Signature

__all__ = ["HAND_WRITTEN", "rule_analyzer", "rule_answers", "rule_model", "rules_of", "run_rules"]

HAND_WRITTEN: dict[str, Any] = {"tokens": "alphanumeric", "min_length": 1, "stop": None, "stem": None}
"""How texts are read for hand-written rules: every word and number, as it stands."""
OF_ORDER = ("ngrams", "title", "window")
"""Options that a base may name and the engine replaces: it keeps the order of words, and titles apart."""


def rule_analyzer(base: RuleBase) -> Analyzer:
    """Return the analyzer that a base asks for; options that it does not name are those for hand-written rules.

    >>> rule_analyzer(RuleBase(analyzer=(("stem", "porter"),))).signature()
    'alphanumeric1+stop None+stem porter'
    """
    known = Analyzer().get_params()
    for option, _ in base.analyzer:
        if option not in known:
            raise UnknownName("option of the analyzer", option, known)
    if dict(base.analyzer).get("window") is not None:
        raise InvalidInput(
            "the words of these rules are phrases with gaps (window), which only a matrix holds; classify with the "
            "model that learned them, or train one without --set analyzer__window"
        )
    options = {option: value for option, value in base.analyzer if option not in OF_ORDER}
    analyzer = Analyzer(**(HAND_WRITTEN | options))
    try:
        analyzer.check()
    except TypeError:
        problem = "the analyzer line of the rules has a value of the wrong kind, such as text for a number"
        raise InvalidInput(problem) from None
    return analyzer


def rule_model(base: RuleBase, categories: Sequence[str] | None = None) -> Construe:
    """Return a `Construe` for raw texts, with the analyzer that the base asks for."""
    return Construe(base, categories=categories, analyzer=rule_analyzer(base)).fit()


def run_rules(base: RuleBase, documents: Any, name: str = "construe") -> Run:
    """Run rules on documents (texts, `Documents`, or the test documents of a `Corpus`), with the truth beside.

    The categories are those of the rules and, where the documents are labelled, theirs.

    >>> from rubricate.rules.parser import parse_rules
    >>> run = run_rules(parse_rules('grain if wheat or "corn belt";'), ["Wheat fell", "gold"])
    >>> run.scores.values.tolist(), run.decisions.values.toarray().tolist()
    ([[1.0], [0.0]], [[True], [False]])
    """
    held = documents.test if isinstance(documents, Corpus) else documents
    own = held.categories if isinstance(held, Documents) else ()
    model = rule_model(base, tuple(dict.fromkeys((*own, *base.categories))))
    values = model.decision_function(held)
    ids = ids_of(held, len(values))
    run = Run(
        name=name,
        documents=ids,
        categories=model.categories_,
        scores=Scores(values, model.categories_, ids),
        decisions=Decisions(sparse.csr_array(values > 0), model.categories_, ids),
        signature=Signature(terms=rule_analyzer(base).signature(), classifier="construe", cut="a rule holds"),
    )
    return with_truth(run, held, None)


def rule_answers(model: Construe, documents: Documents, *, top: int | None = None, explain: int = 0) -> list[Answer]:
    """Answer each document by rules, as a categorizer does: labels, scores, and the rules that hold.

    `explain` is the number of rules shown for each label, with the words that made them hold.
    """
    passages = model._take_vectors(documents)
    scores = model.decision_function(passages)
    shown = model._explainer().explain(passages) if explain else [[] for _ in scores]
    answers = []
    for row, firings in zip(scores, shown, strict=True):
        labels = tuple(name for name, value in zip(model.categories_, row, strict=True) if value > 0)
        best = best_of((range(len(row)), row), model.categories_, len(row))
        kept = tuple(pair for place, pair in enumerate(best) if pair[1] > 0 or (top is not None and place < top))
        held = {name: [each for each in firings if each.rule.category == name][:explain] for name in labels}
        why = {name: [_reason(each) for each in some] for name, some in held.items() if some}
        answers.append(Answer(labels, None, labels, kept, why))
    return answers


def _reason(firing: Firing) -> Evidence:
    """Return what made the rule hold, and the rule."""
    label = firing.rule.name or f"rule {firing.number + 1}"
    return Evidence(
        "rule", firing.number, firing.rule.score, detail=format_rule(firing.rule), name=f"{label} ({firing})"
    )


def rules_of(model: AnyClassifier) -> RuleBase:
    """Return the rules of a trained model: a `Categorizer` or a classifier that has learned rules or trees.

    Words and categories go by name; the settings of the analyzer are kept, so that the printed base runs on raw text.
    """
    whole = hasattr(model, "representation_")
    classifier = model.classifier_ if whole else model
    if isinstance(classifier, Construe):
        base = classifier.rule_base()
        return base if classifier.analyzer is None else replace(base, analyzer=_settings(classifier.analyzer))
    if not hasattr(classifier, "rule_base"):
        raise InvalidInput(
            f"{type(classifier).__name__} has no rules; train one that has: charade, dtree, ripper, swap1"
        )
    if not whole:
        return classifier.rule_base()
    names = _names(model, [str(name) for name in classifier.categories_])
    learned: RuleBase = classifier.rule_base(names=model.representation_.names(), categories=names)
    vectors = getattr(model.representation_, "vectors_", None)
    return learned if vectors is None else replace(learned, analyzer=_settings(vectors.analyzer or Analyzer()))


def _names(model: FittedModel, columns: Sequence[str]) -> list[str]:
    """Return the names of the classifier's categories, which are column numbers where the model left some out."""
    aligned = model.model_.classifier
    if len(columns) == len(aligned.columns_):
        return [model.categories_[c] for c in aligned.columns_]
    return [model.categories_[int(c)] for c in columns]


def _settings(analyzer: Analyzer) -> tuple[tuple[str, Setting], ...]:
    """Return the options of an analyzer as plain values, in the order of their names."""
    return tuple((option, _plain(value)) for option, value in analyzer.get_params(deep=False).items())


def _plain(value: Any) -> Setting:
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, Path):
        return str(value)
    return tuple(value) if isinstance(value, (list, tuple)) else tuple(sorted(map(str, value)))
