"""A transformer encoder as the papers have it, in double precision, one text and one head at a time."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def norm(x: Any, gain: Any, shift: Any, eps: float) -> Any:
    return (x - x.mean()) / math.sqrt(x.var() + eps) * gain + shift


def gelu(x: float) -> float:
    return 0.5 * x * (1 + math.erf(x / math.sqrt(2)))


def softmax(x: Any) -> Any:
    e = np.exp(x - x.max())
    return e / e.sum()


def encode(
    tensors: dict[str, Any], config: dict[str, Any], tokens: list[int], *, pooling: str = "mean", first: int = 0
) -> Any:
    """Return the vector of one text at length 1; `first` is the place of its first token."""
    w = {name: value.astype(np.float64) for name, value in tensors.items()}
    eps, heads = config["layer_norm_eps"], config["num_attention_heads"]
    e = "embeddings."
    h = [
        norm(
            w[e + "word_embeddings.weight"][token]
            + w[e + "position_embeddings.weight"][first + place]
            + w[e + "token_type_embeddings.weight"][0],
            w[e + "LayerNorm.weight"],
            w[e + "LayerNorm.bias"],
            eps,
        )
        for place, token in enumerate(tokens)
    ]
    for i in range(config["num_hidden_layers"]):
        p = f"encoder.layer.{i}."

        def linear(name: str, x: Any, p: str = p) -> Any:
            return w[f"{p}{name}.weight"] @ x + w[f"{p}{name}.bias"]

        q, k, v = ([linear(f"attention.self.{part}", x) for x in h] for part in ("query", "key", "value"))
        size = len(h[0]) // heads
        mixed = []
        for place in range(len(h)):
            parts = []
            for head in range(heads):
                at = slice(head * size, (head + 1) * size)
                weights = softmax(np.array([q[place][at] @ other[at] / math.sqrt(size) for other in k]))
                parts.append(sum(weight * value[at] for weight, value in zip(weights, v, strict=True)))
            out = linear("attention.output.dense", np.concatenate(parts)) + h[place]
            name = p + "attention.output.LayerNorm"
            mixed.append(norm(out, w[name + ".weight"], w[name + ".bias"], eps))
        h = []
        for x in mixed:
            wide = np.array([gelu(value) for value in linear("intermediate.dense", x)])
            name = p + "output.LayerNorm"
            h.append(norm(linear("output.dense", wide) + x, w[name + ".weight"], w[name + ".bias"], eps))
    vector = h[0] if pooling == "cls" else np.mean(h, axis=0)
    return vector / np.linalg.norm(vector)
