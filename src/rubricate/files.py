"""Deprecated: folders that an earlier version made for MLflow name a module of this package to open them."""

import sys

from rubricate.training import mlflow_loader

__path__: list[str] = []
sys.modules[f"{__name__}.mlflow_loader"] = mlflow_loader
