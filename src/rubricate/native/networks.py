"""Neural networks, perceptrons, sleeping experts, ridge regression, linear scores, and the rows of a text encoder.

The C files have the formulas: native/networks.c, native/experts.c, native/encoder.c.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rubricate.native.library import check_lengths, core
from rubricate.native.sparse import Lists, Rows

__all__ = [
    "AVERAGE",
    "LAST",
    "POCKET",
    "RIDGE_COLUMNS",
    "ExpertPool",
    "GradientSteps",
    "Layers",
    "Lesson",
    "PerceptronLesson",
    "compact_pool",
    "empty_pool",
    "gelu_rows",
    "learn_experts",
    "linear_scores",
    "norm_rows",
    "score_experts",
    "softmax_rows",
    "solve_ridge_columns",
    "train_dense_network",
    "train_network",
    "train_perceptron",
]

LAST, AVERAGE, POCKET = range(3)
RIDGE_COLUMNS = 16
"""Right sides that `solve_ridge_columns` takes at once."""
FIRST_EXPERTS = 16
"""Places of an empty pool of experts."""


def _check_items(name: str, items: np.ndarray, limit: int) -> None:
    if len(items) and not 0 <= int(items.min()) <= int(items.max()) < limit:
        raise ValueError(f"{name} must be from 0 to {limit - 1}")


def _check_lists(name: str, starts: np.ndarray, items: np.ndarray, limit: int) -> None:
    """Raise ValueError unless the starts ascend from 0 on within the items, and items are below the limit."""
    if len(starts) == 0 or starts[0] < 0 or starts[-1] > len(items) or np.any(starts[1:] < starts[:-1]):
        raise ValueError(f"the starts of {name} must ascend from 0 to {len(items)}")
    _check_items(name, items, limit)


class Layers(NamedTuple):
    """W₁ terms × units, b₁, W₂ outputs × units (of an output), b₂; W₂ and b₂ are empty without a hidden layer."""

    W1: np.ndarray
    b1: np.ndarray
    W2: np.ndarray
    b2: np.ndarray

    @property
    def terms(self) -> int:
        """Return the number of terms."""
        return len(self.W1)

    @property
    def units(self) -> int:
        """Return the number of units that see the terms."""
        return len(self.b1)

    @property
    def outputs(self) -> int:
        """Return the number of outputs, 0 without a hidden layer."""
        return len(self.b2)

    @property
    def width(self) -> int:
        """Return the number of units that an output sees."""
        return int(self.W2.shape[1])


class Lesson(NamedTuple):
    """Documents and their weights in single precision, their labels, and the order of one pass."""

    documents: Rows
    labels: Lists
    weights: np.ndarray
    order: np.ndarray

    @property
    def visits(self) -> int:
        """Return the number of documents of a pass."""
        return len(self.order)


class GradientSteps(NamedTuple):
    """Documents per step, the rate of AdaGrad, and whether the loss is the squared error."""

    batch: int
    rate: float
    squared: bool


def _check_network(network: Layers, sums: Layers) -> None:
    units = network.units
    groups = 1 if network.width == units else network.outputs
    if network.W2.shape[0] != network.outputs or (network.outputs and units != groups * network.width):
        raise ValueError(f"layers of the shapes {[part.shape for part in network]} do not fit together")
    check_lengths(units, b1=network.b1)
    if [part.shape for part in network] != [part.shape for part in sums]:
        raise ValueError("the sums must have the shapes of the network")


def _check_lesson(
    lesson: tuple[Lists, np.ndarray, np.ndarray], documents: int, steps: GradientSteps, outputs: int
) -> None:
    labels, weights, order = lesson
    check_lengths(documents, weights=weights, labels=labels.starts[1:])
    _check_lists("labels", labels.starts, labels.items, outputs)
    _check_items("order", order, documents)
    if steps.batch < 1:
        raise ValueError(f"a batch must have at least one document, got {steps.batch}")


def train_network(lesson: Lesson, network: Layers, sums: Layers, steps: GradientSteps) -> None:
    """Take the documents in their order, `steps.batch` at a time, and move the network after each batch."""
    rows, outputs = lesson.documents, network.outputs or network.units
    _check_network(network, sums)
    _check_lesson(lesson[1:], rows.length, steps, outputs)
    _check_lists("terms", rows.starts, rows.terms, network.terms)
    core.run_stoppable("rb_train_network", lesson, network, sums, steps)


def train_dense_network(
    documents: np.ndarray,
    lesson: tuple[Lists, np.ndarray, np.ndarray],
    network: tuple[Layers, Layers],
    steps: GradientSteps,
) -> None:
    """Do the same with dense documents (× terms) and no hidden layer, several times as fast by matrix products.

    `lesson` are the labels, the weights and the order; `network` is the network and the sums of squared gradients.
    """
    (labels, weights, order), (layers, sums) = lesson, network
    _check_network(layers, sums)
    _check_lesson(lesson, len(documents), steps, layers.units)
    gradient, bias = np.empty_like(layers.W1), np.zeros_like(layers.b1)
    for begin in range(0, len(order), steps.batch):
        batch = order[begin : begin + steps.batch]
        X = documents[batch]
        Z = X @ layers.W1
        core.rb_output_errors(labels, weights, len(batch), batch, layers.units, layers.b1, steps.squared, Z, bias)
        np.matmul(X.T, Z, out=gradient)
        core.rb_adagrad(gradient.size, steps.rate, gradient, layers.W1, sums.W1)
        core.rb_adagrad(bias.size, steps.rate, bias, layers.b1, sums.b1)


class PerceptronLesson(NamedTuple):
    """Documents with targets ±1 and weights, the input of each term (-1: none), and orders (passes × documents)."""

    rows: Rows
    inputs: np.ndarray
    targets: np.ndarray
    weights: np.ndarray
    orders: np.ndarray

    @property
    def size(self) -> int:
        """Return the number of inputs."""
        return int(self.inputs.max(initial=-1)) + 1

    @property
    def passes(self) -> int:
        """Return the largest number of passes."""
        return len(self.orders)


def train_perceptron(lesson: PerceptronLesson, *, margin: float, chosen: int) -> tuple[np.ndarray, int]:
    """Return w with b as its last number, and the passes made; `chosen` is LAST, AVERAGE or POCKET."""
    rows, orders = lesson.rows, lesson.orders
    check_lengths(rows.length, targets=lesson.targets, weights=lesson.weights, orders=orders.T)
    _check_lists("terms", rows.starts, rows.terms, len(lesson.inputs))
    _check_items("orders", orders.ravel(), rows.length)
    w, passes = np.empty(lesson.size + 1), np.zeros(1, np.int64)
    core.run_stoppable("rb_train_perceptron", lesson, margin, chosen, w, passes)
    return w, int(passes[0])


def solve_ridge_columns(
    A: Rows, transposed: Rows, B: np.ndarray, *, ridge: float, tolerance: float, max_iterations: int
) -> np.ndarray:
    """Return Z of (AᵀA + ridge I) Z = B; B has RIDGE_COLUMNS columns, which end at this relative residual."""
    if B.shape != (transposed.length, RIDGE_COLUMNS):
        raise ValueError(f"B must have the shape {(transposed.length, RIDGE_COLUMNS)}, not {B.shape}")
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
    core.run_stoppable("rb_linear_scores", documents, len(a), a, s, b, weights, scores)
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

    @property
    def capacity(self) -> int:
        """Return the number of places."""
        return len(self.category)


def empty_pool(phrases: int) -> ExpertPool:
    """Return a pool without experts."""
    first, length, room = (np.zeros(phrases, np.int64) for _ in range(3))
    category, favour, against = np.zeros(FIRST_EXPERTS, np.int32), np.zeros(FIRST_EXPERTS), np.zeros(FIRST_EXPERTS)
    return ExpertPool(np.zeros(phrases), first, length, room, category, favour, against, np.zeros(1, np.int64))


def learn_experts(
    documents: Lists, labels: Lists, weights: np.ndarray, *, pool: ExpertPool, beta: float, categories: int,
    scores: np.ndarray | None = None,
) -> ExpertPool:  # fmt: skip
    """Learn the documents in their order; return the pool, which changes in place until it has to grow.

    `scores`, if given, is filled with the scores before each update, documents × categories.
    """
    check_lengths(documents.length, weights=weights, labels=labels.starts[1:])
    _check_lists("phrases", documents.starts, documents.items, len(pool.first))
    _check_lists("labels", labels.starts, labels.items, categories)
    if scores is not None and scores.shape != (documents.length, categories):
        raise ValueError(f"scores must have the shape {(documents.length, categories)}, not {scores.shape}")
    progress = np.zeros(2, np.int64)
    while True:
        core.run_stoppable("rb_learn_experts", documents, labels, weights, pool, beta, categories, scores, progress)
        if progress[0] == documents.length:
            return pool
        more = max(pool.capacity, int(pool.size[0] + progress[1]) - pool.capacity)
        parts = (
            np.concatenate([part, np.zeros(more, part.dtype)]) for part in (pool.category, pool.favour, pool.against)
        )
        pool = ExpertPool(*pool[:4], *parts, pool.size)


def score_experts(documents: Lists, pool: ExpertPool, categories: int) -> np.ndarray:
    """Return the scores, documents × categories."""
    _check_lists("phrases", documents.starts, documents.items, len(pool.first))
    scores = np.zeros((documents.length, categories))
    core.run_stoppable("rb_score_experts", documents, pool, categories, scores)
    return scores


def compact_pool(pool: ExpertPool) -> ExpertPool:
    """Return the pool without spare places, the blocks in the order of the phrases, categories ascending."""
    starts = np.cumsum(pool.length) - pool.length
    total = int(pool.length.sum())
    places = np.repeat(pool.first - starts, pool.length) + np.arange(total)
    phrases = np.repeat(np.arange(len(starts)), pool.length)
    places = places[np.lexsort((pool.category[places], phrases))]
    parts = (part[places] for part in (pool.category, pool.favour, pool.against))
    return ExpertPool(pool.seen, starts, pool.length, pool.length.copy(), *parts, np.full(1, total))


def gelu_rows(z: np.ndarray, bias: np.ndarray) -> None:
    """Add the bias to every row and apply GELU, in place."""
    check_lengths(z.shape[1], bias=bias)
    core.rb_gelu_rows(*z.shape, bias, z)


def norm_rows(x: np.ndarray, other: np.ndarray, bias: np.ndarray, scale: tuple[np.ndarray, np.ndarray, float]) -> None:
    """Add the bias and the row of `other`, and normalise, in place; `scale` is (gain, shift, eps)."""
    gain, shift, eps = scale
    check_lengths(x.shape[1], bias=bias, gain=gain, shift=shift)
    if other.shape != x.shape:
        raise ValueError(f"the other rows must have the shape {x.shape}, not {other.shape}")
    core.rb_norm_rows(*x.shape, other, bias, gain, shift, eps, x)


def softmax_rows(a: np.ndarray, lengths: np.ndarray) -> None:
    """Turn the scores of each document's tokens (documents × heads × tokens × tokens) into weights that add up to 1."""
    documents, heads, rows, width = a.shape
    check_lengths(documents, lengths=lengths)
    _check_items("lengths", lengths, width + 1)
    core.rb_softmax_rows(documents, heads * rows, width, lengths, a)
