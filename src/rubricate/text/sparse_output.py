"""What transformers with sparse output do where scikit-learn would make a frame of it.

scikit-learn refuses to put sparse output into frames, also where frames are only asked for in general
(`set_config(transform_output="pandas")`). Ours give sparse arrays then, and frames of sparse columns where one of them
is asked for it by `set_output`.
"""

from __future__ import annotations

from typing import Any, Literal, Self

from sklearn import config_context
from sklearn.base import TransformerMixin

from rubricate.errors import InvalidInput
from rubricate.types import Sparse

__all__ = ["SparseTransformer", "arrays"]


def arrays() -> Any:
    """Return a context in which transformers from elsewhere give arrays, whatever the user's setting is."""
    return config_context(transform_output="default")


class SparseTransformer(TransformerMixin):
    """A transformer whose output is sparse; `set_output(transform="pandas")` makes it a frame of sparse columns."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(auto_wrap_output_keys=None, **options)

    def set_output(self, *, transform: Literal["default", "pandas"] | None = None) -> Self:
        """Choose what `transform` gives: "default", a sparse array; "pandas", a frame of sparse columns."""
        if transform not in (None, "default", "pandas"):
            raise InvalidInput(f"no sparse frames of kind {transform!r}. Fix: transform='pandas' or 'default'")
        if transform is not None:
            self._sklearn_output_config = {"transform": transform}  # under this name scikit-learn's clone keeps it
        return self

    def _given_out(self, vectors: Sparse) -> Any:
        """Return the vectors in the chosen form."""
        if getattr(self, "_sklearn_output_config", {}).get("transform") != "pandas":
            return vectors
        import pandas as pd

        names = self.get_feature_names_out()
        frame = pd.DataFrame.sparse.from_spmatrix(vectors, columns=names)
        return frame.fillna(0.0)  # before pandas 3.1 what is not stored was NaN
