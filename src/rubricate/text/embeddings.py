"""Sentence and word vectors as one scikit-learn transformer: texts → dense rows of length 1."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from rubricate.errors import InvalidInput, UnknownName
from rubricate.storage import store_folder
from rubricate.text.encoder import BACKENDS, Runtime, open_runtime
from rubricate.text.encoder_folder import digest_of, locate, locate_again
from rubricate.text.static_vectors import StaticTable, is_static, open_table
from rubricate.text.stored_vectors import KeptVectors
from rubricate.text.texts import blocks

__all__ = ["Embeddings"]

POOLINGS = ("mean", "cls", "idf")
TEXTS = 4096
"""Texts that are encoded and kept at a time."""
CHARACTERS = 1 << 24
"""Characters of texts that are held at a time."""
ALGORITHM = 1
"""Changes when vectors do, so that kept ones are not used any more."""


class Embeddings(TransformerMixin, BaseEstimator):
    """Texts → vectors that know meaning, by an encoder on disk: documents × dimensions, each row of length 1.

    Nothing is downloaded and nothing from the folder is executed. Encoders: a folder in the layout of
    sentence-transformers with a network of the BERT family (`config.json`, `model.safetensors`, `tokenizer.json`;
    mean or CLS pooling), computed by NumPy on all cores; other networks where sentence-transformers is installed. Or a
    table of word vectors: GloVe text, fastText `.vec`, a folder of model2vec.

    Parameters
    ----------
    model
        The folder or file, or the name of a fetched encoder (`rubricate models list`).
    pooling
        None: as the encoder says; "mean" or "cls" of the tokens' vectors; "idf" (tables of words only): the mean
        weighted by ln((n + 1) / (df + 1)) + 1, learned from the training texts.
    longest
        Most tokens of a text; what follows is not read. None: as the encoder says.
    backend
        "numpy", "sentence-transformers", or "auto": sentence-transformers where torch sees a GPU or the network is
        not of the BERT family, if it is installed; else NumPy.
    cache
        Keep vectors of training texts in the store (`RUBRICATE_STORE`), by their content; later runs read them.

    Learned: `name_` and `digest_` of the encoder, `width_`, and `idf_` with pooling="idf". The weights are not part of
    it: an opened model looks for the encoder with the same digest. Texts of any language go in as they are; what the
    encoder makes of them is its own matter. An empty text has a vector too (that of no words).
    """

    def __init__(
        self,
        model: str | Path,
        *,
        pooling: str | None = None,
        longest: int | None = None,
        backend: str = "auto",
        cache: bool = True,
    ) -> None:
        self.model = model
        self.pooling = pooling
        self.longest = longest
        self.backend = backend
        self.cache = cache

    def fit(self, X: Any, y: Any = None) -> Self:
        """Look at the encoder; with pooling="idf" learn the weights of words from texts."""
        self._check()
        path = locate(self.model)
        self.name_, self.digest_ = path.resolve().name, digest_of(path)
        encoder = self._open(path)
        self.width_ = encoder.width
        self.idf_ = None
        if self.pooling == "idf":
            if not isinstance(encoder, StaticTable):
                raise InvalidInput(
                    'pooling="idf" weighs words, and this encoder reads sentences. Fix: leave out pooling, or give a '
                    "table of word vectors"
                )
            self.idf_ = encoder.idf([text for block in blocks(X, CHARACTERS) for text in block.joined()])
        return self

    def fit_transform(self, X: Any, y: Any = None) -> NDArray[np.float32]:
        """Look at the encoder and return the vectors of texts, which are kept in the store."""
        if self.pooling == "idf":
            X = [text for block in blocks(X, CHARACTERS) for text in block.joined()]
        return self.fit(X)._vectors(X, keep=True)

    def transform(self, X: Any) -> NDArray[np.float32]:
        """Return the vectors of texts; those in the store are read, further ones are not put there."""
        check_is_fitted(self, "digest_")
        return self._vectors(X, keep=False)

    @property
    def reads_rows_alone(self) -> bool:
        """Whether the vector of a text depends on nothing but the text, so that folds can share it."""
        return self.pooling != "idf"

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return names of the columns: the dimensions have no meaning of their own."""
        check_is_fitted(self, "digest_")
        return np.array([f"dimension {i}" for i in range(self.width_)], dtype=object)

    def signature(self) -> str:
        """Return the name of the encoder and the start of its digest, for the signature of a number."""
        shown = getattr(self, "name_", None) or Path(str(self.model)).name
        digest = getattr(self, "digest_", "")
        pooling = "" if self.pooling is None else f" {self.pooling}"
        return f"vectors {shown}{f' {digest[:8]}' if digest else ''}{pooling}"

    def _vectors(self, X: Any, *, keep: bool) -> NDArray[np.float32]:
        encoder = self._open(locate_again(self.model, self.name_, self.digest_))
        if encoder.width != self.width_:
            raise InvalidInput(f"the encoder gives {encoder.width} numbers, the model expects {self.width_}")
        kept = self._kept() if self.cache and not isinstance(encoder, StaticTable) else None
        parts = [self._encoded(encoder, texts, kept, keep=keep) for texts in _parts(X)]
        return np.concatenate(parts) if parts else np.empty((0, self.width_), np.float32)

    def _encoded(
        self, encoder: Runtime | StaticTable, texts: Sequence[str], kept: KeptVectors | None, *, keep: bool
    ) -> NDArray[np.float32]:
        """Return the vectors of some texts; each distinct text that is not kept is encoded once."""
        if isinstance(encoder, StaticTable):
            return encoder.encode(texts, self.idf_)
        distinct = list(dict.fromkeys(texts))
        if kept is None:
            vectors = encoder.encode(distinct)
        else:
            vectors, known = kept.find(distinct)
            missing = [text for text, have in zip(distinct, known, strict=True) if not have]
            if missing:
                vectors[~known] = encoder.encode(missing)
                if keep:
                    kept.keep(missing, vectors[~known])
        if not np.isfinite(vectors).all():
            raise InvalidInput("the encoder gives NaN or infinite numbers. Fix: get its files again")
        row = {text: i for i, text in enumerate(distinct)}
        return vectors if len(distinct) == len(texts) else vectors[[row[text] for text in texts]]

    def _open(self, path: Path) -> Runtime | StaticTable:
        if is_static(path):
            if self.pooling == "cls":
                raise InvalidInput('pooling="cls" needs an encoder of sentences; this is a table of word vectors')
            return open_table(path)
        pooling = None if self.pooling == "idf" else self.pooling
        return open_runtime(path, backend=self.backend, pooling=pooling, longest=self.longest)

    def _kept(self) -> KeptVectors:
        what = f"{ALGORITHM}\0{self.digest_}\0{self.pooling}\0{self.longest}"
        key = hashlib.sha256(what.encode()).hexdigest()[:32]
        return KeptVectors(store_folder() / "vectors" / key, self.width_)

    def _check(self) -> None:
        if self.pooling is not None and self.pooling not in POOLINGS:
            raise UnknownName("pooling", str(self.pooling), POOLINGS)
        if self.backend not in BACKENDS:
            raise UnknownName("backend", str(self.backend), BACKENDS)
        if self.longest is not None and (type(self.longest) is not int or self.longest < 3):
            raise InvalidInput(f"longest must be a whole number of tokens from 3 on, or None; got {self.longest!r}")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def _parts(X: Any) -> Iterator[list[str]]:
    """Yield texts, a few thousand at a time."""
    for block in blocks(X, CHARACTERS):
        texts = block.joined()
        for start in range(0, len(texts), TEXTS):
            yield texts[start : start + TEXTS]
