"""Whoever waits for an encoder may watch: scikit-learn's `fit` and `transform` cannot take a `Progress`."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rubricate.engines import one_blas_thread, run_on_threads
from rubricate.errors import InvalidFile, MissingExtra, UnknownName
from rubricate.text.bert import KINDS, Bert, batches, padded
from rubricate.text.encoder_folder import TOKENIZER, EncoderFolder, digest_of, open_folder
from rubricate.text.wordpiece import read_tokenizer
from rubricate.types import Progress

__all__ = ["BACKENDS", "Backend", "Runtime", "announce", "open_runtime", "watched"]

_watchers: list[Progress] = []


@contextmanager
def watched(progress: Progress) -> Iterator[None]:
    """Tell `progress` of every encoding while the block runs, in whatever thread it happens."""
    _watchers.append(progress)
    try:
        yield
    finally:
        _watchers.remove(progress)


def announce(steps: int, *, total: int | None = None) -> None:
    """Tell those who watch how many more texts are encoded; with a total, an encoding begins."""
    for progress in tuple(_watchers):
        progress(steps, total=total, text=None if total is None else "encoding texts")


Backend: TypeAlias = Literal["auto", "numpy", "sentence-transformers"]
BACKENDS = ("auto", "numpy", "sentence-transformers")
LIBRARY = "sentence_transformers"


class Runtime(Protocol):
    """Turns texts into vectors of length 1."""

    width: int

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of texts, one row each."""


class OwnRuntime:
    """A BERT encoder by NumPy. Batches run on as many threads as BLAS may use; results do not depend on how many.

    Parameters
    ----------
    folder
        The checked folder of the encoder.
    longest
        Most tokens of a text; what follows is not read.
    """

    def __init__(self, folder: EncoderFolder, longest: int) -> None:
        self.bert = Bert(folder)
        self.tokenizer = read_tokenizer(folder.path / TOKENIZER, self.bert.vocabulary_size)
        self.longest = min(longest, self.bert.longest)
        self.width = self.bert.width

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of texts, one row each."""
        tokens = self.tokenizer.encode(texts, self.longest)
        lengths = np.array([len(each) for each in tokens], np.int64)
        vectors = np.empty((len(texts), self.width), np.float32)

        def work(rows: NDArray[np.int64]) -> None:
            vectors[rows] = self.bert.forward(*padded([tokens[row] for row in rows]))
            announce(len(rows))

        threads = blas_threads()
        announce(0, total=len(texts))
        with one_blas_thread():
            run_on_threads(work, list(batches(lengths)), threads)
        return unit(vectors)


class LibraryRuntime:
    """An encoder run by sentence-transformers, on a GPU where torch sees one. It runs no code from the folder."""

    def __init__(self, path: Path, longest: int | None) -> None:
        from sentence_transformers import SentenceTransformer

        self._model: Any = SentenceTransformer(str(path), trust_remote_code=False, local_files_only=True)
        if longest is not None:
            self._model.max_seq_length = longest
        self.width = int(self.encode([""]).shape[1])

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of texts, one row each."""
        vectors = self._model.encode(list(texts), convert_to_numpy=True, show_progress_bar=False)
        announce(len(texts), total=len(texts))
        return unit(np.asarray(vectors, np.float32))


def open_runtime(
    path: str | Path, *, backend: str = "auto", pooling: str | None = None, longest: int | None = None
) -> Runtime:
    """Return the encoder of a folder, opened once for all who ask; files that changed are opened again."""
    if backend not in BACKENDS:
        raise UnknownName("backend", str(backend), BACKENDS)
    open_folder(path)
    return _opened(Path(path).resolve(), digest_of(path), backend, (pooling, longest))


@lru_cache(maxsize=2)
def _opened(path: Path, digest: str, backend: str, options: tuple[Any, Any]) -> Runtime:
    folder = open_folder(path)
    pooling, longest = options
    own = not folder.foreign and str(folder.config.get("model_type", "bert")) in KINDS
    wanted = backend == "sentence-transformers" or (backend == "auto" and (not own or _sees_gpu()))
    if wanted and pooling is None and importlib.util.find_spec(LIBRARY) is not None:
        return LibraryRuntime(path, longest)
    if backend == "sentence-transformers":
        raise MissingExtra("embeddings", "Encoders by sentence-transformers (install that package too)")
    if folder.foreign:
        raise InvalidFile(
            f"the encoder has the step {folder.foreign[0]!r:.40}, which only sentence-transformers can compute",
            path=path,
            remedy="pip install sentence-transformers, or use another encoder",
        )
    if pooling is not None:
        folder = EncoderFolder(folder.path, folder.config, pooling, folder.longest)
    return OwnRuntime(folder, folder.longest if longest is None else longest)


def _sees_gpu() -> bool:
    """Return whether torch and sentence-transformers are installed and torch sees a GPU."""
    if any(importlib.util.find_spec(name) is None for name in ("torch", LIBRARY)):
        return False
    import torch

    return bool(torch.cuda.is_available())


def blas_threads() -> int:
    """Return how many threads BLAS may use now: all cores, unless the environment or the caller says less."""
    from threadpoolctl import threadpool_info  # type: ignore[import-untyped]

    return max([1, *(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")])


def unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return rows at length 1; a row of zeros stays."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), np.float32)
