"""Running a plan: the numbers of the categorizer, each step once, the same on any engine and after any interruption."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

import rubricate as rb
from rubricate.errors import CorpusMissing, InvalidInput
from rubricate.experiments import runner as runner_module
from rubricate.experiments.plan import CorpusChoice, Learning, Plan, RepresentationChoice, SystemChoice
from rubricate.experiments.runner import run_study
from rubricate.experiments.store import DamagedEntry, Store
from rubricate.experiments.trial import Trial, compute_steps
from rubricate.training import scoring
from rubricate.training.categorizer import configured
from rubricate.training.data import TrainingData

pytestmark = pytest.mark.slow

SETTINGS = {
    "svm": {"classifier": "svm", "C": 0.5},
    "knn on few terms": {"classifier": "knn", "k": 7, "select": "chi2:15", "cut": "scut:0.2"},
    "counts": {"classifier": "nb", "weights": "nnn", "min_df": 2, "analyzer__stem": None},
    "chosen among candidates": {},
    "no folds": {"classifier": "svm", "folds": 0, "cut": 0.0},
    "rank": {"classifier": "knn", "cut": "rcut:1"},
    "proportion": {"classifier": "nb", "weights": "nnn", "cut": "pcut:1.0", "folds": 3, "seed": 5},
}


def same(run, other):
    values = [
        np.asarray(one.scores.values.toarray() if hasattr(one.scores.values, "toarray") else one.scores.values)
        for one in (run, other)
    ]
    assert np.array_equal(*values)
    assert (run.decisions.values != other.decisions.values).nnz == 0
    assert (run.truth != other.truth).nnz == 0
    assert run.train_counts.tolist() == other.train_counts.tolist()
    assert list(run.documents) == list(other.documents)


@pytest.mark.parametrize("case", SETTINGS)
@pytest.mark.parametrize("kind", ["corpus", "single"])
def test_a_trial_gives_what_the_categorizer_gives(case, kind, request, store):
    corpus = request.getfixturevalue(kind)
    trial = Trial("x", SETTINGS[case], TrainingData(corpus, test=corpus.test), store)
    same(trial.run()[0], configured(SETTINGS[case]).fit(corpus).run(corpus))


TREES = [(("top", "grain"), ("top", "fuel"), ("top", "money"), ("money", "ship"))]
TREES.append((("grain", "fuel"), ("fuel", "money"), ("money", "ship")))


def test_hierarchical_trials_go_by_the_taxonomy_of_the_corpus(corpus, store):
    runs = []
    for tree in (*TREES, None):
        placed = replace(corpus, taxonomy=tree)
        trial = Trial("x", {"classifier": "top_down"}, TrainingData(placed, test=placed.test), store)
        runs.append(trial.run()[0])
        same(runs[-1], configured({"classifier": "top_down"}).fit(placed).run(placed))
    assert not np.array_equal(runs[0].scores.values, runs[1].scores.values), "each taxonomy is stored by itself"
    assert not np.array_equal(runs[0].scores.values, runs[2].scores.values)


def test_a_study_and_a_search_of_hierarchical_systems(store):
    plan = Plan(
        corpora=(CorpusChoice("newswire", options={"documents": 500}),),
        systems=(SystemChoice("tree", {"classifier": "top_down"}), SystemChoice("flat", {"classifier": "svm"})),
        tests=("hierarchical_t", "hierarchical_permutation:lca_f1"),
        folds=2,
    )
    (result,) = run_study(plan, store=store, engine="serial").results
    assert result.trials[0].trial.classifiers[0].taxonomy == result.corpus.taxonomy
    assert {one.test for one in result.comparison.results} == {"hierarchical_t", "hierarchical_permutation"}
    grid = {"classifier": ["top_down"], "root": ["join", "classifier"]}
    found = rb.tune(result.corpus, grid, folds=2, store=store, engine="serial")
    plain = rb.tune(result.corpus.train, grid, folds=2, store=store, engine="serial")
    assert found.best.value != plain.best.value, "the taxonomy counts in a search too"


def test_a_cut_of_several_fold_seeds_and_sparse_scores_agree_with_the_categorizer_too(corpus, store, monkeypatch):
    settings = {"classifier": "svm", "cut": "scut:0.1", "cut__seeds": 3}
    seeds = Trial("x", settings, TrainingData(corpus, test=corpus.test), store)
    other = rb.Categorizer("svm", cut=rb.thresholds.Scut(fbr=0.1, seeds=3)).fit(corpus)
    same(seeds.run()[0], other.run(corpus))
    monkeypatch.setattr(scoring, "LARGE", 10)
    monkeypatch.setattr(scoring, "LIMIT", 2)
    large = Trial("x", {"classifier": "nb"}, TrainingData(corpus, test=corpus.test), store)
    same(large.run()[0], configured({"classifier": "nb"}).fit(corpus).run(corpus))


def test_train_and_study_try_the_same_costs_where_only_the_best_scores_are_kept(corpus, store, monkeypatch):
    """Beyond `LARGE` scores `train` once kept C = 1 where a study tried four."""
    monkeypatch.setattr(scoring, "LARGE", 100)
    monkeypatch.setattr(scoring, "LIMIT", 2)
    plan = plan_over(monkeypatch, corpus, (SystemChoice("default"),))
    (trial,) = run_study(plan, store=store).results[0].trials
    model = rb.Categorizer().fit(corpus)
    assert model.limit_ == 2
    assert trial.run.signature.classifier == model.signature().classifier
    same(trial.run, model.run(corpus))
    tuned = rb.tune(corpus, {"cut": ["micro_macro"]}, store=store)
    assert tuned.best.value == rb.evaluate(model.out_of_fold_run()).micro["f1"]
    rough = [rb.Categorizer(rb.SVM(C=C)).fit(corpus).cross_validated["micro_f1"] for C in (0.5, 1.0, 2.0, 4.0)]
    assert len(set(rough)) > 1, "the costs make a difference here"


def test_cross_validated_decisions_are_those_of_the_categorizer(corpus, store):
    for settings in ({"classifier": "svm", "cut": "scut"}, {}):
        run = Trial("x", settings, TrainingData(corpus.train), store).cross_validated()
        other = configured(settings).fit(corpus).out_of_fold_run()
        assert (run.decisions.values != other.decisions.values).nnz == 0


def test_explanations_are_those_of_the_categorizer(corpus, store, monkeypatch):
    settings = {"classifier": "svm", "select": "chi2:20"}
    model = configured(settings).fit(corpus)
    text = corpus.test.texts[0]
    for folder in (store, Store(store.folder)):  # computed now, and from the store
        trial = Trial("x", settings, TrainingData(corpus, test=corpus.test), folder)
        trial.run()
        assert trial.explain(0, "fuel") == model.explain(text, "fuel")["fuel"]
    monkeypatch.setattr(Trial, "fitted", lambda *arguments: pytest.fail("trained again"))
    kept = Trial("x", settings, TrainingData(corpus, test=corpus.test), store)
    assert kept.explain(0, "fuel") == model.explain(text, "fuel")["fuel"]


def plan_over(monkeypatch, corpus, systems=None, **parts):
    monkeypatch.setattr(runner_module, "load", lambda name, **options: corpus)
    systems = systems or (
        SystemChoice("SVM", {"classifier": "svm"}),
        SystemChoice("NB", {"classifier": "nb"}, thresholds=("rcut:1", "scut:0.1")),
    )
    return Plan((CorpusChoice("small"),), systems, **parts)


def fits(monkeypatch):
    """Every training of a study, as (classifier, documents)."""
    from rubricate.training.adapters import Aligned

    made, fit = [], Aligned.fit

    def counted(self, X, labels):
        made.append((type(self.classifier).__name__, X.shape[0]))
        return fit(self, X, labels)

    monkeypatch.setattr(Aligned, "fit", counted)
    return made


def test_steps_are_shared_by_cuts_and_none_is_made_twice(corpus, store, monkeypatch):
    made = fits(monkeypatch)
    plan = plan_over(monkeypatch, corpus)
    study = run_study(plan, store=store)
    assert [one.run.name for one in study.results[0].trials] == ["SVM", "NB rcut:1", "NB scut:0.1"]
    assert len(made) == 12, "five folds and all, for two classifiers"
    run_study(plan, store=Store(store.folder))
    assert len(made) == 12
    wider = plan_over(monkeypatch, corpus, thresholds=("micro_macro", "fixed:0"))
    run_study(wider, store=store)
    assert len(made) == 12, "another cut needs no training"


def test_text_is_read_and_terms_selected_once_for_all_systems(corpus, store, monkeypatch):
    from rubricate.text.representation import Representation

    read, shaped = [], []
    for name, calls in (("read", read), ("part", shaped)):
        method = getattr(Representation, name)
        monkeypatch.setattr(Representation, name, lambda self, *a, m=method, c=calls: (c.append(1), m(self, *a))[1])
    systems = tuple(SystemChoice(name, {"classifier": name}) for name in ("svm", "knn", "nb"))
    shapes = (RepresentationChoice("a"), RepresentationChoice("b", {"select": "chi2:9"}))
    plan = plan_over(monkeypatch, corpus, systems, representations=shapes)
    run_study(plan, store=store)
    assert len(read) == 1
    assert len(shaped) == 12, "five folds and all, for two representations"


def test_engines_give_the_same_numbers(corpus, tmp_path, monkeypatch):
    plan = plan_over(monkeypatch, corpus, learning=Learning(("SVM",), (0.3, 0.6)))
    found = [run_study(plan, store=Store(tmp_path / engine), engine=engine) for engine in ("serial", "threads")]
    for a, b in zip(found[0].results[0].trials, found[1].results[0].trials, strict=True):
        same(a.run, b.run)
    assert found[0].results[0].learning == found[1].results[0].learning
    stored = [sorted(p.name for p in Store(tmp_path / engine).entries()) for engine in ("serial", "threads")]
    assert stored[0] == stored[1]


def test_a_study_that_breaks_off_goes_on_where_it_was(corpus, store, monkeypatch):
    plan, made = plan_over(monkeypatch, corpus), fits(monkeypatch)
    done = []

    class Stop(BaseException):
        pass

    def stopping(steps=0, *, total=None, text=None):
        done.extend([1] * steps)
        if len(done) == 4:
            raise Stop

    with pytest.raises(Stop):
        run_study(plan, store=store, engine="serial", progress=stopping)
    assert len(list(store.entries())) == 4
    run_study(plan, store=store)
    assert len(made) == 12


def test_a_damaged_step_is_computed_again_and_gives_the_same(corpus, store, monkeypatch):
    plan = plan_over(monkeypatch, corpus)
    before = run_study(plan, store=store)
    for path in list(store.entries())[::2]:
        path.write_bytes(b"PK" + path.read_bytes()[2:-30])
    with pytest.warns(DamagedEntry):
        after = run_study(plan, store=store)
    for a, b in zip(before.results[0].trials, after.results[0].trials, strict=True):
        same(a.run, b.run)


def test_tables_tests_and_json(corpus, store, monkeypatch):
    plan = plan_over(monkeypatch, corpus, measures=("f_beta:2",), tests=("s", "p"))
    (result,) = run_study(plan, store=store).results
    assert list(result.row(0)) == ["miR", "miP", "miF1", "maF1", "error", "mi f_beta:2", "ma f_beta:2"]
    assert result.row(0)["miF1"] == rb.evaluate(result.runs[0]).row()["miF1"]
    whole = result.to_dict()
    assert whole["documents"] == {"train": 120, "test": 60}
    assert {one["test"] for one in whole["comparison"]["comparisons"]} == {"s", "p"}
    assert whole["trials"][0]["settings"]["classifier"] == "svm"
    assert set(whole["trials"][0]["seconds"]) == {"vectors", "fit", "score", "folds", "cut"}
    only = plan_over(monkeypatch, corpus, (SystemChoice("NB", {"classifier": "nb"}),))
    assert run_study(only, store=store).results[0].comparison is None


def test_learning_curves_end_with_the_whole_and_take_nested_parts(corpus, store, monkeypatch):
    made = fits(monkeypatch)
    plan = plan_over(monkeypatch, corpus, learning=Learning(("SVM",), (0.25, 0.5), "macro_f1"))
    (result,) = run_study(plan, store=store).results
    sizes = [size for size, _ in result.learning["SVM"]]
    assert sizes == [30, 60, 120]
    assert result.learning["SVM"][-1][1] == result.row(0)["maF1"]
    assert ("SVM", 30) in made
    assert set(result.learning) == {"SVM"}


def test_the_other_corpus_stands_in_and_it_is_said(corpus, store, monkeypatch):
    def load(name, **options):
        if name == "absent":
            raise CorpusMissing("fetch it")
        return corpus

    monkeypatch.setattr(runner_module, "load", load)
    systems = (SystemChoice("NB", {"classifier": "nb"}),)
    (result,) = run_study(Plan((CorpusChoice("absent", otherwise="here"),), systems), store=store).results
    assert "here stands in" in result.note
    with pytest.raises(CorpusMissing):
        run_study(Plan((CorpusChoice("absent"),), systems), store=store)


def test_errors_name_the_trial_or_the_corpus(corpus, store, monkeypatch):
    wrong = plan_over(monkeypatch, corpus, (SystemChoice("bad one", {"classifier": "svm", "C": -1}),))
    with pytest.raises(InvalidInput, match="trial 'bad one'"):
        run_study(wrong, store=store)
    empty = rb.Corpus("c", "s", corpus.train, corpus.test.take([]))
    with pytest.raises(InvalidInput, match="no test documents"):
        run_study(plan_over(monkeypatch, empty), store=store)


def test_steps_of_two_trials_that_are_the_same_are_made_once(corpus, store, monkeypatch):
    made, material = fits(monkeypatch), TrainingData(corpus, test=corpus.test)
    trials = [Trial(name, {"classifier": "nb"}, material, store) for name in "ab"]
    compute_steps(trials)
    assert len(made) == 6


def test_on_reuters_the_study_gives_the_numbers_of_the_categorizer(aptemod, store):
    material = TrainingData(aptemod, test=aptemod.test)
    settings = {"classifier": "nb", "weights": "nnn", "select": "chi2:2000", "cut": "micro_macro"}
    trial = Trial("NB", settings, material, store)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compute_steps([trial])
        run, _ = trial.run()
    same(run, configured(settings).fit(aptemod).run(aptemod))
    assert rb.evaluate(run).row()["miF1"] == pytest.approx(0.818, abs=0.002)  # yangliu1999: .7956 with other cuts
