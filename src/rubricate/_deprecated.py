"""Old public names and the new ones. An old name works for one release, with a DeprecationWarning."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from typing import Any

__all__ = ["MOVED", "RENAMED", "RENAMED_ESTIMATION", "RENAMED_LABELLING", "forward"]

RENAMED = {
    "Analyzer": "rubricate.text.Analyzer",
    "BigBang": "rubricate.classifiers.BigBang",
    "CHARADE": "rubricate.classifiers.CHARADE",
    "CLASSI": "rubricate.classifiers.CLASSI",
    "Comparison": "rubricate.significance.Comparison",
    "Construe": "rubricate.classifiers.Construe",
    "Counts": "rubricate.measures.Counts",
    "DTree": "rubricate.classifiers.DTree",
    "Decisions": "rubricate.thresholds.Decisions",
    "Estimate": "rubricate.estimation.Estimate",
    "Evaluation": "rubricate.measures.Evaluation",
    "Experts": "rubricate.classifiers.Experts",
    "FixedCut": "rubricate.thresholds.FixedCut",
    "LearningCurve": "rubricate.estimation.LearningCurve",
    "Local": "rubricate.classifiers.Local",
    "MicroMacro": "rubricate.thresholds.MicroMacro",
    "NNetsPARC": "rubricate.classifiers.NNetsPARC",
    "Pcut": "rubricate.thresholds.Pcut",
    "Plan": "rubricate.experiments.Plan",
    "Proximity": "rubricate.classifiers.Proximity",
    "RIPPER": "rubricate.classifiers.RIPPER",
    "RankLimit": "rubricate.thresholds.RankLimit",
    "Rcut": "rubricate.thresholds.Rcut",
    "ReportData": "rubricate.reports.ReportData",
    "Rocchio": "rubricate.classifiers.Rocchio",
    "RuleBase": "rubricate.rules.RuleBase",
    "SWAP1": "rubricate.classifiers.SWAP1",
    "Scores": "rubricate.thresholds.Scores",
    "Scut": "rubricate.thresholds.Scut",
    "Select": "rubricate.text.Select",
    "Significance": "rubricate.significance.Significance",
    "Stack": "rubricate.classifiers.Stack",
    "Store": "rubricate.experiments.Store",
    "Thresholded": "rubricate.thresholds.Thresholded",
    "Tolerant": "rubricate.classifiers.Tolerant",
    "TopDown": "rubricate.classifiers.TopDown",
    "Vectors": "rubricate.text.Vectors",
    "WORD": "rubricate.classifiers.WORD",
    "Weights": "rubricate.text.Weights",
    "calibrate": "rubricate.estimation.calibrate",
    "learning_curve": "rubricate.estimation.learning_curve",
    "open_model": "rubricate.open",
    "parse_rules": "rubricate.rules.parse_rules",
    "print_rules": "rubricate.rules.format_rules",
    "read_plan": "rubricate.experiments.read_plan",
    "read_rules": "rubricate.rules.read_rules",
    "read_taxonomy": "rubricate.hierarchy.read_taxonomy",
    "records": "rubricate.io.records",
    "rules_of": "rubricate.rules.rules_of",
    "run_rules": "rubricate.rules.run_rules",
    "write_report": "rubricate.reports.write_report",
}

RENAMED_ESTIMATION = {
    "Suspect": "rubricate.labelling.Suspect",
    "suspects": "rubricate.labelling.suspects",
}
"""The same for names that were in `rubricate.estimation`."""

RENAMED_LABELLING = {
    "LabelSuspect": "rubricate.labelling.Suspect",
    "suspicious_labels": "rubricate.labelling.suspects",
}
"""The same for names in `rubricate.labelling`."""

MOVED = {
    "rubricate.evaluation": ("rubricate.measures", "rubricate.significance"),
    "rubricate.readers": ("rubricate.io",),
}
"""Old packages, and the packages that have their public names now."""


def forward(package: str) -> Callable[[str], Any]:
    """Return the `__getattr__` of an old package: a name warns and gives the object of a new one."""

    def get(name: str) -> Any:
        for home in MOVED[package]:
            module = importlib.import_module(home)
            if name in module.__all__:
                message = f"{package}.{name} is now {home}.{name}; the old name goes with the next release"
                warnings.warn(message, DeprecationWarning, stacklevel=2)
                return getattr(module, name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return get
