"""Neural networks, perceptrons, sleeping experts, ridge regression, linear scores, and the rows of a text encoder.

The C files have the formulas: native/networks.c, native/experts.c, native/encoder.c.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rubricate.native.library import check_lengths, core
from rubricate.native.sparse import Lists, Rows

__all__ = [
    "AVERAGE", "LAST", "POCKET", "RIDGE_COLUMNS", "ExpertPool", "GradientSteps", "Layers", "Lesson", "PerceptronLesson",
    "gelu_rows", "learn_experts", "linear_scores", "norm_rows", "score_experts", "softmax_rows",
    "solve_ridge_columns", "train_dense_network", "train_network", "train_perceptron",
]  # fmt: skip

LAST, AVERAGE, POCKET = range(3)
RIDGE_COLUMNS = 16
"""Right sides that `solve_ridge_columns` takes at once."""
MAX_QUICK_DOCUMENTS = 1000
"""Documents that are scored without a thread to wait for, which costs 0.2 ms and lets Ctrl-C through."""


def _check_items(name: str, items: np.ndarray, limit: int) -> None:
    if items.size and not 0 <= items.min() <= items.max() < limit:
        raise ValueError(f"{name} must be from 0 to {limit - 1}")


def _check_lists(name: str, starts: np.ndarray, items: np.ndarray, limit: int) -> None:
    if len(starts) == 0 or starts[0] < 0 or starts[-1] > len(items) or np.any(starts[1:] < starts[:-1]):
        raise ValueError(f"the starts of {name} must ascend from 0 to {len(items)}")
    _check_items(name, items, limit)


def _check_shape(name: str, array: np.ndarray, shape: tuple[int, ...]) -> None:
    if array.shape != shape:
        raise ValueError(f"{name} must have the shape {shape}, not {array.shape}")


def _run_scoring(name: str, documents: int, *values: Any) -> None:
    if documents > MAX_QUICK_DOCUMENTS:
        core.run_stoppable(name, *values)
    else:
        getattr(core, name)(*values, None)


class Layers(NamedTuple):
    """W₁ terms × units, b₁, W₂ outputs × units (of an output), b₂; W₂ and b₂ are empty without a hidden layer."""

    W1: np.ndarray
    b1: np.ndarray
    W2: np.ndarray
    b2: np.ndarray


class Lesson(NamedTuple):
    """Documents (rows, or an array) and weights in single precision, labels, and the order of a pass over all."""

    documents: Any
    labels: Lists
    weights: np.ndarray
    order: np.ndarray


class GradientSteps(NamedTuple):
    """Documents per step, the rate of AdaGrad, and whether the loss is the squared error."""

    batch: int
    rate: float
    squared: bool


def _check_training(lesson: Lesson, network: Layers, sums: Layers, steps: GradientSteps, documents: int) -> None:
    W1, b1, W2, b2 = network
    units, (outputs, width) = W1.shape[1], W2.shape
    if outputs and units not in (width, outputs * width):
        raise ValueError(f"{units} units do not fit {outputs} outputs of {width} units")
    _check_shape("b1", b1, (units,))
    _check_shape("b2", b2, (outputs,))
    for part, own in zip(network, sums, strict=True):
        _check_shape("the sums of squared gradients", own, part.shape)
    check_lengths(documents, weights=lesson.weights, labels=lesson.labels.starts[1:], order=lesson.order)
    _check_lists("labels", *lesson.labels, outputs or units)
    _check_items("order", lesson.order, documents)
    if steps.batch < 1:
        raise ValueError(f"a batch must have at least one document, got {steps.batch}")


def train_network(lesson: Lesson, network: Layers, sums: Layers, steps: GradientSteps) -> None:
    """Take the documents in their order, `steps.batch` at a time, and move the network after each batch."""
    rows, terms = lesson.documents, len(network.W1)
    _check_training(lesson, network, sums, steps, rows.length)
    _check_lists("terms", rows.starts, rows.terms, terms)
    distinct = min(terms, steps.batch * int(np.diff(rows.starts).max(initial=0)))
    shape = (*network.W1.shape, *network.W2.shape)
    core.run_stoppable("rb_train_network", lesson, *shape, distinct, network, sums, steps)


def train_dense_network(lesson: Lesson, network: Layers, sums: Layers, steps: GradientSteps) -> None:
    """Do the same with documents in a dense array and no hidden layer, by matrix products: several times as fast."""
    X, labels, weights, order = lesson
    W1, b1 = network.W1, network.b1
    _check_training(lesson, network, sums, steps, len(X))
    _check_shape("W2", network.W2, (0, len(b1)))
    gradient, bias = np.empty_like(W1), np.zeros_like(b1)
    for begin in range(0, len(order), steps.batch):
        batch = order[begin : begin + steps.batch]
        rows = X[batch]
        Z = rows @ W1
        core.rb_output_errors(labels, weights, len(batch), batch, len(b1), b1, steps.squared, Z, bias)
        np.matmul(rows.T, Z, out=gradient)
        core.rb_adagrad(gradient.size, steps.rate, gradient, W1, sums.W1)
        core.rb_adagrad(bias.size, steps.rate, bias, b1, sums.b1)


class PerceptronLesson(NamedTuple):
    """Documents, the input of each term (-1: none), targets ±1, weights, and orders (passes × documents)."""

    rows: Rows
    inputs: np.ndarray
    targets: np.ndarray
    weights: np.ndarray
    orders: np.ndarray


def train_perceptron(lesson: PerceptronLesson, *, margin: float, chosen: int) -> tuple[np.ndarray, int]:
    """Return w with b as its last number, and the passes made; `chosen` is LAST, AVERAGE or POCKET."""
    rows, inputs, targets, weights, orders = lesson
    check_lengths(rows.length, targets=targets, weights=weights, orders=orders.T)
    _check_lists("terms", rows.starts, rows.terms, len(inputs))
    _check_items("orders", orders, rows.length)
    size, passes = int(inputs.max(initial=-1)) + 1, np.zeros(1, np.int64)
    w = np.empty(size + 1)
    core.run_stoppable("rb_train_perceptron", lesson, len(orders), size, margin, chosen, w, passes)
    return w, int(passes[0])


def solve_ridge_columns(
    A: Rows, transposed: Rows, B: np.ndarray, *, ridge: float, tolerance: float, max_iterations: int
) -> np.ndarray:
    """Return Z of (AᵀA + ridge I) Z = B; B has RIDGE_COLUMNS columns, each done at this relative residual."""
    _check_shape("B", B, (transposed.length, RIDGE_COLUMNS))
    _check_lists("terms of A", A.starts, A.terms, transposed.length)
    _check_lists("terms of the transposed A", transposed.starts, transposed.terms, A.length)
    Z = np.empty(B.shape)
    core.run_stoppable("rb_solve_ridge", A, transposed, ridge, tolerance, max_iterations, B, Z)
    return Z


def linear_scores(documents: Rows, shared: tuple[np.ndarray, np.ndarray, np.ndarray], weights: Rows) -> np.ndarray:
    """Return a_c + Σ_t x_t (b_t + s_c + w_tc), documents × categories; `shared` is (a, s, b)."""
    a, s, b = shared
    check_lengths(len(a), s=s)
    check_lengths(len(b), weights=weights.starts[1:])
    _check_lists("terms", documents.starts, documents.terms, len(b))
    _check_lists("categories", weights.starts, weights.terms, len(a))
    scores = np.empty((documents.length, len(a)))
    _run_scoring("rb_linear_scores", documents.length, documents, len(a), a, s, b, weights, scores)
    return scores


class ExpertPool(NamedTuple):
    """The experts: `seen` to `room` have one entry per phrase, `category` to `against` one per expert; `size` one.

    The experts of phrase w are `length[w]` from `first[w]` on, in a block for `room[w]`; `size` places are taken.
    """

    seen: np.ndarray
    first: np.ndarray
    length: np.ndarray
    room: np.ndarray
    category: np.ndarray
    favour: np.ndarray
    against: np.ndarray
    size: np.ndarray


def learn_experts(
    documents: Lists, labels: Lists, weights: np.ndarray, pool: ExpertPool, *, beta: float, categories: int,
    scores: np.ndarray | None = None,
) -> ExpertPool:  # fmt: skip
    """Learn the documents in their order; return the pool, which changes in place until it has to grow.

    `scores`, if given, is filled with the scores before each update, documents × categories.
    """
    check_lengths(documents.length, weights=weights, labels=labels.starts[1:])
    _check_lists("phrases", *documents, len(pool.first))
    _check_lists("labels", *labels, categories)
    if scores is not None:
        _check_shape("scores", scores, (documents.length, categories))
    values, progress = (beta, categories, scores), np.zeros(2, np.int64)
    while True:
        capacity = len(pool.category)
        core.run_stoppable("rb_learn_experts", documents, labels, weights, pool, capacity, *values, progress)
        if progress[0] == documents.length:
            return pool
        more = max(capacity, int(pool.size[0] + progress[1]) - capacity)
        parts = {name: getattr(pool, name) for name in ("category", "favour", "against")}
        pool = pool._replace(**{name: np.append(part, np.zeros(more, part.dtype)) for name, part in parts.items()})


def score_experts(documents: Lists, pool: ExpertPool, categories: int) -> np.ndarray:
    """Return the scores, documents × categories."""
    _check_lists("phrases", *documents, len(pool.first))
    scores = np.zeros((documents.length, categories))
    _run_scoring("rb_score_experts", documents.length, documents, pool, categories, scores)
    return scores


def gelu_rows(z: np.ndarray, bias: np.ndarray) -> None:
    """Add the bias to every row and apply GELU, in place."""
    check_lengths(z.shape[1], bias=bias)
    core.rb_gelu_rows(*z.shape, bias, z)


def norm_rows(x: np.ndarray, other: np.ndarray, bias: np.ndarray, scale: tuple[np.ndarray, np.ndarray, Any]) -> None:
    """Add the bias and the row of `other`, and normalise, in place; `scale` is (gain, shift, eps)."""
    gain, shift, eps = scale
    check_lengths(x.shape[1], bias=bias, gain=gain, shift=shift)
    _check_shape("the other rows", other, x.shape)
    core.rb_norm_rows(*x.shape, np.ascontiguousarray(other), bias, gain, shift, eps, x)


def softmax_rows(a: np.ndarray, lengths: np.ndarray) -> None:
    """Turn the scores of each document's tokens (documents × heads × tokens × tokens) into weights that add up to 1."""
    documents, heads, rows, width = a.shape
    check_lengths(documents, lengths=lengths)
    _check_items("lengths", lengths, width + 1)
    core.rb_softmax_rows(documents, heads * rows, width, lengths, a)
