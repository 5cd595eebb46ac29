"""Rubricate: put documents under headings, measure how well, and say whether one system is really better.

The public names are loaded when first used, so that `import rubricate` costs almost nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from rubricate._version import __version__

if TYPE_CHECKING:
    from rubricate.categorizer.calibration import calibrate as calibrate
    from rubricate.categorizer.categorizer import Categorizer as Categorizer
    from rubricate.categorizer.estimation import estimate as estimate
    from rubricate.categorizer.estimation import suspects as suspects
    from rubricate.categorizer.evaluation import evaluate as evaluate
    from rubricate.categorizer.rule_runs import rules_of as rules_of
    from rubricate.categorizer.rule_runs import run_rules as run_rules
    from rubricate.classifiers.classi import CLASSI as CLASSI
    from rubricate.classifiers.construe import Construe as Construe
    from rubricate.classifiers.dtree import DTree as DTree
    from rubricate.classifiers.experts import Experts as Experts
    from rubricate.classifiers.hierarchical.big_bang import BigBang as BigBang
    from rubricate.classifiers.hierarchical.proximity import Proximity as Proximity
    from rubricate.classifiers.hierarchical.tolerant import Tolerant as Tolerant
    from rubricate.classifiers.hierarchical.top_down import TopDown as TopDown
    from rubricate.classifiers.knn import KNN as KNN
    from rubricate.classifiers.llsf import LLSF as LLSF
    from rubricate.classifiers.local import Local as Local
    from rubricate.classifiers.nb import NB as NB
    from rubricate.classifiers.nnet import NNet as NNet
    from rubricate.classifiers.nnets_parc import NNetsPARC as NNetsPARC
    from rubricate.classifiers.rocchio import Rocchio as Rocchio
    from rubricate.classifiers.rule_learners.charade import CHARADE as CHARADE
    from rubricate.classifiers.rule_learners.ripper import RIPPER as RIPPER
    from rubricate.classifiers.rule_learners.swap1 import SWAP1 as SWAP1
    from rubricate.classifiers.stack import Stack as Stack
    from rubricate.classifiers.svm.svm import SVM as SVM
    from rubricate.classifiers.word import WORD as WORD
    from rubricate.corpora import load as load
    from rubricate.errors import RubricateError as RubricateError
    from rubricate.estimation import Estimate as Estimate
    from rubricate.estimation import LearningCurve as LearningCurve
    from rubricate.estimation import learning_curve as learning_curve
    from rubricate.experiments.plan import Plan as Plan
    from rubricate.experiments.plan_file import read_plan as read_plan
    from rubricate.experiments.reproduction import reproduce as reproduce
    from rubricate.experiments.runner import run_study as run_study
    from rubricate.experiments.store import Store as Store
    from rubricate.experiments.tuning import tune as tune
    from rubricate.files.model.model_file import open_model as open_model
    from rubricate.files.model.model_file import save as save
    from rubricate.files.predictions.reading import read_runs as read_runs
    from rubricate.files.predictions.reading import read_truth as read_truth
    from rubricate.files.predictions.reading import write_run as write_run
    from rubricate.files.predictions.runs import as_run as as_run
    from rubricate.hierarchy import Hierarchy as Hierarchy
    from rubricate.hierarchy import read_taxonomy as read_taxonomy
    from rubricate.measures import Evaluation as Evaluation
    from rubricate.readers.user_files import records as records
    from rubricate.reports.data import ReportData as ReportData
    from rubricate.reports.page import write_report as write_report
    from rubricate.rules.form import RuleBase as RuleBase
    from rubricate.rules.parser import parse_rules as parse_rules
    from rubricate.rules.parser import read_rules as read_rules
    from rubricate.rules.printer import print_rules as print_rules
    from rubricate.significance import Comparison as Comparison
    from rubricate.significance import compare as compare
    from rubricate.text.analyzer import Analyzer as Analyzer
    from rubricate.text.select import Select as Select
    from rubricate.text.vectors import Vectors as Vectors
    from rubricate.text.weights import Weights as Weights
    from rubricate.thresholds._thresholded import Thresholded as Thresholded
    from rubricate.thresholds.fixed import FixedCut as FixedCut
    from rubricate.thresholds.micro_macro import MicroMacro as MicroMacro
    from rubricate.thresholds.pcut import Pcut as Pcut
    from rubricate.thresholds.rank_limit import RankLimit as RankLimit
    from rubricate.thresholds.rcut import Rcut as Rcut
    from rubricate.thresholds.scut import Scut as Scut
    from rubricate.types import Corpus as Corpus
    from rubricate.types import Counts as Counts
    from rubricate.types import Decisions as Decisions
    from rubricate.types import Documents as Documents
    from rubricate.types import Run as Run
    from rubricate.types import Scores as Scores
    from rubricate.types import Significance as Significance

_HOMES = {
    "Analyzer": "text.analyzer",
    "BigBang": "classifiers.hierarchical.big_bang",
    "CHARADE": "classifiers.rule_learners.charade",
    "CLASSI": "classifiers.classi",
    "Categorizer": "categorizer.categorizer",
    "Comparison": "significance",
    "Construe": "classifiers.construe",
    "Corpus": "types",
    "Counts": "types",
    "DTree": "classifiers.dtree",
    "Decisions": "types",
    "Documents": "types",
    "Estimate": "estimation",
    "Evaluation": "measures",
    "Experts": "classifiers.experts",
    "FixedCut": "thresholds.fixed",
    "Hierarchy": "hierarchy",
    "KNN": "classifiers.knn",
    "LLSF": "classifiers.llsf",
    "LearningCurve": "estimation",
    "Local": "classifiers.local",
    "MicroMacro": "thresholds.micro_macro",
    "NB": "classifiers.nb",
    "NNet": "classifiers.nnet",
    "NNetsPARC": "classifiers.nnets_parc",
    "Pcut": "thresholds.pcut",
    "Plan": "experiments.plan",
    "Proximity": "classifiers.hierarchical.proximity",
    "RIPPER": "classifiers.rule_learners.ripper",
    "RankLimit": "thresholds.rank_limit",
    "Rcut": "thresholds.rcut",
    "ReportData": "reports.data",
    "Rocchio": "classifiers.rocchio",
    "RubricateError": "errors",
    "RuleBase": "rules.form",
    "Run": "types",
    "SVM": "classifiers.svm.svm",
    "SWAP1": "classifiers.rule_learners.swap1",
    "Scores": "types",
    "Scut": "thresholds.scut",
    "Select": "text.select",
    "Significance": "types",
    "Stack": "classifiers.stack",
    "Store": "experiments.store",
    "Thresholded": "thresholds._thresholded",
    "Tolerant": "classifiers.hierarchical.tolerant",
    "TopDown": "classifiers.hierarchical.top_down",
    "Vectors": "text.vectors",
    "WORD": "classifiers.word",
    "Weights": "text.weights",
    "as_run": "files.predictions.runs",
    "calibrate": "categorizer.calibration",
    "compare": "significance",
    "estimate": "categorizer.estimation",
    "evaluate": "categorizer.evaluation",
    "learning_curve": "estimation",
    "load": "corpora",
    "open_model": "files.model.model_file",
    "parse_rules": "rules.parser",
    "print_rules": "rules.printer",
    "read_plan": "experiments.plan_file",
    "read_rules": "rules.parser",
    "read_runs": "files.predictions.reading",
    "read_taxonomy": "hierarchy",
    "read_truth": "files.predictions.reading",
    "records": "readers.user_files",
    "reproduce": "experiments.reproduction",
    "rules_of": "categorizer.rule_runs",
    "run_rules": "categorizer.rule_runs",
    "run_study": "experiments.runner",
    "save": "files.model.model_file",
    "suspects": "categorizer.estimation",
    "tune": "experiments.tuning",
    "write_report": "reports.page",
    "write_run": "files.predictions.reading",
}

__all__ = [*sorted(_HOMES), "__version__"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"rubricate.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'rubricate' has no attribute {name!r}; it has {', '.join(sorted(_HOMES))}")


def __dir__() -> list[str]:
    return sorted(__all__)
