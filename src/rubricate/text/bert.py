"""Texts of like length together, so that little is computed for padding, and memory stays bounded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rubricate.errors import InvalidFile
from rubricate.native.networks import gelu_rows, norm_rows, softmax_rows
from rubricate.text.encoder_folder import CONFIG, WEIGHTS, EncoderFolder
from rubricate.text.safetensors import TensorFile

__all__ = ["KINDS", "TOKENS", "Bert", "batches", "padded"]

TOKENS = 1024
"""Tokens of a batch with padding: 512 to 1,024 was fastest; with 2,048 the numbers of a layer leave the cache."""


def batches(lengths: NDArray[np.int64], tokens: int = TOKENS) -> Iterator[NDArray[np.int64]]:
    """Yield the places of texts, longest first, in batches of at most so many tokens; a longer text is alone.

    Longest first, so that memory is claimed at once and the last batches, which end a bar, are short.

    >>> [batch.tolist() for batch in batches(np.array([2, 9, 3, 3]), tokens=9)]
    [[1], [2, 3, 0]]
    """
    order = np.argsort(-lengths, kind="stable")
    start = 0
    while start < len(order):
        count = max(1, tokens // int(lengths[order[start]]))
        yield order[start : start + count]
        start += count


def padded(rows: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return rows of numbers as one matrix, filled with 0, and their lengths.

    >>> padded([[5, 6], [7]])[0].tolist()
    [[5, 6], [7, 0]]
    """
    lengths = np.array([len(row) for row in rows], np.int64)
    matrix = np.zeros((len(rows), int(lengths.max(initial=0))), np.int64)
    for place, row in enumerate(rows):
        matrix[place, : len(row)] = row
    return matrix, lengths


KINDS: Mapping[str, bool] = {"bert": False, "roberta": True, "xlm-roberta": True, "camembert": True}
"""The kinds of networks, and whether their places count from behind the padding token."""
PREFIXES = ("", "bert.", "roberta.", "model.")
MOST_LAYERS = 128

Array = NDArray[np.float32]


class Dense(NamedTuple):
    """A linear step: x → x · weight + bias."""

    weight: Array
    bias: Array


class Scale(NamedTuple):
    """What follows a normalised row."""

    gain: Array
    shift: Array
    eps: np.float32


class Layer(NamedTuple):
    """One layer: queries, keys and values in one product; what follows attention; the two steps between."""

    attention: Dense
    mixed: Dense
    mixed_norm: Scale
    wide: Dense
    narrow: Dense
    narrow_norm: Scale


class Bert:
    """The network of a folder, its weights in memory in single precision.

    Parameters
    ----------
    folder
        A checked folder; one whose network is of another kind, or whose weights do not fit it, is refused.
    """

    def __init__(self, folder: EncoderFolder) -> None:
        kind = str(folder.config.get("model_type", "bert"))
        if kind not in KINDS:
            raise _refuse(folder, f"a network of the kind {kind!r:.40}; known are {', '.join(KINDS)}")
        for key, wanted in (("hidden_act", "gelu"), ("position_embedding_type", "absolute")):
            if folder.config.get(key, wanted) != wanted:
                raise _refuse(folder, f"{key}={folder.config[key]!r:.40}; only {wanted!r} can be computed")
        self.pooling = folder.pooling
        self.width, self.heads = folder.whole("hidden_size"), folder.whole("num_attention_heads")
        layers = folder.whole("num_hidden_layers")
        if self.width % self.heads or layers > MOST_LAYERS:
            raise _refuse(folder, f"{self.heads} heads for a width of {self.width}, {layers} layers")
        eps = folder.config.get("layer_norm_eps", 1e-12)
        if not isinstance(eps, float) or not 0 < eps < 1:
            raise _refuse(folder, f"layer_norm_eps={eps!r:.40}")
        self._weights = _Weights(folder, np.float32(eps))
        self.words, self.places, self.norm = self._weights.embeddings(KINDS[kind])
        self.layers = [self._weights.layer(i, self.heads) for i in range(layers)]
        del self._weights

    @property
    def vocabulary_size(self) -> int:
        """Number of tokens that the network knows."""
        return int(self.words.shape[0])

    @property
    def longest(self) -> int:
        """Most tokens of a text."""
        return int(self.places.shape[0])

    def forward(self, tokens: NDArray[np.int64], lengths: NDArray[np.int64]) -> Array:
        """Return the vectors of texts, given the numbers of their tokens (texts × tokens, padded) and their lengths."""
        texts, length = tokens.shape
        h = self.words[tokens].reshape(-1, self.width)
        places = np.broadcast_to(self.places[:length], (texts, length, self.width)).reshape(-1, self.width)
        norm_rows(h, places, np.zeros(self.width, np.float32), self.norm)
        for layer in self.layers:
            h = self._layer(h, layer, (texts, length), lengths)
        return self._pool(h.reshape(texts, length, self.width), lengths)

    def _layer(self, h: Array, layer: Layer, shape: tuple[int, int], lengths: NDArray[np.int64]) -> Array:
        products = h @ layer.attention.weight
        products += layer.attention.bias
        query, key, value = products.reshape(*shape, 3, self.heads, -1).transpose(2, 0, 3, 1, 4)
        weights = query @ key.transpose(0, 1, 3, 2)
        softmax_rows(weights, lengths)
        context = np.empty((*shape, self.heads, self.width // self.heads), np.float32)
        np.matmul(weights, value, out=context.transpose(0, 2, 1, 3))
        mixed = context.reshape(-1, self.width) @ layer.mixed.weight
        norm_rows(mixed, h, layer.mixed.bias, layer.mixed_norm)
        wide = mixed @ layer.wide.weight
        gelu_rows(wide, layer.wide.bias)
        out = np.asarray(wide @ layer.narrow.weight, np.float32)
        norm_rows(out, mixed, layer.narrow.bias, layer.narrow_norm)
        return out

    def _pool(self, h: Array, lengths: NDArray[np.int64]) -> Array:
        if self.pooling == "cls":
            return h[:, 0]
        inside = (np.arange(h.shape[1]) < lengths[:, None]).astype(np.float32)
        means: Array = np.einsum("nmk,nm->nk", h, inside) / lengths[:, None].astype(np.float32)
        return means


class _Weights:
    """The tensors of a network under the names that its library gives them."""

    def __init__(self, folder: EncoderFolder, eps: np.float32) -> None:
        self.folder, self.eps = folder, eps
        self.file = TensorFile(folder.path / WEIGHTS)
        first = "embeddings.word_embeddings.weight"
        self.prefix = next((prefix for prefix in PREFIXES if prefix + first in self.file), None)
        if self.prefix is None:
            raise _refuse(folder, f"{WEIGHTS} has no {first}; it holds no encoder of this kind")
        self.width = folder.whole("hidden_size")

    def get(self, name: str, *shape: int) -> Array:
        return self.file.floats(f"{self.prefix}{name}", shape)

    def embeddings(self, behind_padding: bool) -> tuple[Array, Array, Scale]:
        """Return the vectors of words, those of places with the type of a first sentence, and their norm."""
        folder, width = self.folder, self.width
        words = self.get("embeddings.word_embeddings.weight", folder.whole("vocab_size"), width)
        places = self.get("embeddings.position_embeddings.weight", folder.whole("max_position_embeddings"), width)
        kinds = self.get("embeddings.token_type_embeddings.weight", folder.whole("type_vocab_size", 2), width)
        if behind_padding:
            padding = folder.config.get("pad_token_id", 1)
            places = places[(padding if type(padding) is int and 0 <= padding < len(places) - 1 else 1) + 1 :]
        return words, np.ascontiguousarray(places + kinds[0]), self.scale("embeddings.LayerNorm")

    def scale(self, name: str) -> Scale:
        return Scale(self.get(f"{name}.weight", self.width), self.get(f"{name}.bias", self.width), self.eps)

    def dense(self, name: str, out: int, into: int) -> Dense:
        weight = self.get(f"{name}.weight", out, into)
        return Dense(np.ascontiguousarray(weight.T), self.get(f"{name}.bias", out))

    def layer(self, number: int, heads: int) -> Layer:
        """Return a layer; queries are divided by the root of the width of a head beforehand."""
        name, width, inner = f"encoder.layer.{number}", self.width, self.folder.whole("intermediate_size")
        parts = [self.dense(f"{name}.attention.self.{part}", width, width) for part in ("query", "key", "value")]
        root = np.float32((width // heads) ** -0.5)
        parts[0] = Dense(parts[0].weight * root, parts[0].bias * root)
        return Layer(
            Dense(
                np.ascontiguousarray(np.concatenate([part.weight for part in parts], axis=1)),
                np.concatenate([part.bias for part in parts]),
            ),
            self.dense(f"{name}.attention.output.dense", width, width),
            self.scale(f"{name}.attention.output.LayerNorm"),
            self.dense(f"{name}.intermediate.dense", inner, width),
            self.dense(f"{name}.output.dense", width, inner),
            self.scale(f"{name}.output.LayerNorm"),
        )


def _refuse(folder: EncoderFolder, problem: Any) -> InvalidFile:
    remedy = "use an encoder of the BERT family, or install sentence-transformers, which runs others"
    return InvalidFile(str(problem), path=folder.path / CONFIG, remedy=remedy)
