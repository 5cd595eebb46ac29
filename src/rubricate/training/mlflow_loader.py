"""Opens a model file for MLflow's `pyfunc`, which looks for `_load_pyfunc`."""

from __future__ import annotations

from typing import Any

from rubricate.types import FittedModel

__all__ = ["TextModel"]


class TextModel:
    """A model with the `predict` that MLflow expects: a frame with a column `text`, or a list of texts."""

    def __init__(self, model: FittedModel) -> None:
        self.model = model

    def predict(self, data: Any, params: Any = None) -> Any:
        """Return a frame with `labels` (lists) and `confidence`, one row per text."""
        import pandas as pd

        if hasattr(data, "columns"):
            data = data["text"] if "text" in data.columns else data.iloc[:, 0]
        answers = self.model.answers([str(text) for text in data])
        rows = {"labels": [list(each.labels or ()) for each in answers], "confidence": [e.confidence for e in answers]}
        return pd.DataFrame(rows)


def _load_pyfunc(path: str) -> TextModel:
    from rubricate.training.model_file import open as open_model

    return TextModel(open_model(path))
