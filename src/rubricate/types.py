"""The nouns that the stages hand to each other. Frozen values that check shapes and compute nothing.

Documents → Terms → (sparse matrix) → Scores → Decisions → Counts → Significance
A Run is what one system said of one set of documents, with the truth beside it where that is known.

Matrices are documents × categories (or documents × terms), `scipy.sparse.csr_array`, canonical:
sorted indices, no duplicates, no stored zeros. Labels and decisions are boolean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rubricate._tables import frame_of, html_of
from rubricate.errors import InvalidInput
from rubricate.matrices import check_sparse_indices

__all__ = [
    "AnyClassifier",
    "Bools",
    "Corpus",
    "Counts",
    "Decisions",
    "Documents",
    "Edges",
    "Evidence",
    "FittedModel",
    "Floats",
    "Ints",
    "Progress",
    "Run",
    "Scores",
    "Signature",
    "Significance",
    "Sparse",
    "Terms",
    "Undefined",
]

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]
Sparse: TypeAlias = sparse.csr_array
Edges: TypeAlias = tuple[tuple[str, str], ...]
"""A taxonomy as (parent, child) pairs."""

Undefined: TypeAlias = Literal["zero", "one", "omit"]
"""What 0/0 counts as: zero (default), one, or left out of the mean."""


class Progress(Protocol):
    """Shows how far long work is: `progress(3)` says that three more steps are done.

    With `text`, other work begins: its name, its steps (`total`, None if unknown), and how many of them are done.
    """

    def __call__(self, steps: int = 0, *, total: int | None = None, text: str | None = None) -> None:
        """Count these steps as done."""


def _same_length(noun: str, **parts: Sized | None) -> None:
    lengths = {name: len(part) for name, part in parts.items() if part is not None}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise InvalidInput(f"{noun}: parts of different length ({listed}); give one entry per document in each")


def _check_shape(noun: str, matrix: Any, shape: tuple[int, int]) -> None:
    if tuple(matrix.shape) != shape:
        expected, actual = (" × ".join(map(str, sides)) for sides in (shape, matrix.shape))
        raise InvalidInput(f"{noun}: expected a matrix of {expected}, got {actual}")


@dataclass(frozen=True, eq=False)
class Documents:
    """Documents with their labels.

    `bodies` hold the text (without the title where `titles` are kept apart); `fields` hold what else the
    corpus says of each document (dates, places, …), one sequence a field.
    """

    ids: Sequence[str]
    bodies: Sequence[str]
    labels: Sparse
    categories: tuple[str, ...]
    titles: Sequence[str] | None = None
    fields: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _same_length("Documents", ids=self.ids, bodies=self.bodies, titles=self.titles, **dict(self.fields))
        _check_shape("Documents.labels", self.labels, (len(self.ids), len(self.categories)))

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        """Return how many there are; printing the texts of a corpus would take minutes."""
        return f"<{len(self.ids):,} documents, {len(self.categories):,} categories, {self.labels.nnz:,} labels>"

    @property
    def texts(self) -> Sequence[str]:
        """Title and body as one text each, a line break between them."""
        if self.titles is None:
            return self.bodies
        return [f"{title}\n{body}" if title else body for title, body in zip(self.titles, self.bodies, strict=True)]

    def take(self, rows: Sequence[int] | Ints) -> Documents:
        """Return the documents at these positions, in this order."""
        index = np.asarray(rows, dtype=np.int64)

        def pick(values: Any) -> Any:
            if getattr(values, "outside_memory", False):  # `scratch.MappedTexts`: nothing is read
                return values.take(index)
            return [values[i] for i in index]

        return Documents(
            ids=pick(self.ids),
            bodies=pick(self.bodies),
            labels=self.labels[index],
            categories=self.categories,
            titles=None if self.titles is None else pick(self.titles),
            fields={name: pick(values) for name, values in self.fields.items()},
        )


@dataclass(frozen=True, eq=False)
class Corpus:
    """A named collection with its split. `taxonomy` is None for a flat one."""

    name: str
    split: str
    train: Documents
    test: Documents
    taxonomy: Edges | None = None
    licence: str = ""
    synthetic: bool = False

    def __post_init__(self) -> None:
        if self.train.categories != self.test.categories:
            raise InvalidInput(f"corpus {self.name!r}: train and test must share one tuple of categories")

    def __repr__(self) -> str:
        """Name, split and size."""
        parts = f"train {self.train!r}, test {self.test!r}"
        return f"<corpus {self.name}, split {self.split or 'none'}: {parts}>"

    def to_frame(self) -> Any:
        """Return one row per document: id, split, text, labels (a list)."""
        rows = [
            (identity, part, text, [self.categories[c] for c in labels.indices[slice(*labels.indptr[i : i + 2])]])
            for part, documents in (("train", self.train), ("test", self.test))
            for labels in (documents.labels,)
            for i, (identity, text) in enumerate(zip(documents.ids, documents.texts, strict=True))
        ]
        return frame_of(("id", "split", "text", "labels"), rows)

    def _repr_html_(self) -> str:
        """Return the sizes for notebooks."""
        rows = [
            (part, len(documents), len(documents.categories), documents.labels.nnz)
            for part, documents in (("train", self.train), ("test", self.test))
        ]
        return html_of(("split", "documents", "categories", "labels"), rows, f"{self.name} {self.split}")

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories, in the order of the label columns."""
        return self.train.categories


@dataclass(frozen=True, eq=False)
class Terms:
    """The terms of documents in order of occurrence: d has `words[i]` for i in `ids[starts[d]:starts[d + 1]]`."""

    words: Sequence[str]
    ids: NDArray[np.int32]
    starts: Ints

    def __post_init__(self) -> None:
        if len(self.starts) == 0 or int(self.starts[-1]) != len(self.ids):
            raise InvalidInput("Terms.starts must begin with 0 and end with the number of occurrences")

    def __len__(self) -> int:
        return len(self.starts) - 1


@dataclass(frozen=True, eq=False)
class Scores:
    """How strongly each document belongs to each category; higher is stronger.

    `values` is dense, or sparse when only the best categories of each document are kept; every score that
    a sparse matrix does not store equals `floor` (which no stored score undercuts).
    """

    values: Floats | Sparse
    categories: tuple[str, ...]
    documents: Sequence[str]
    floor: float = -np.inf

    def __post_init__(self) -> None:
        check_sparse_indices(self.values)
        _check_shape("Scores", self.values, (len(self.documents), len(self.categories)))

    def best(self) -> Ints:
        """Return the column of the best category of each document, −1 where a sparse row stores none.

        Of equal scores the earlier category wins. (`values.argmax(axis=1)` of a sparse matrix takes a score that is
        not stored for 0, which is more than any negative score.)

        >>> Scores(sparse.csr_array([[-2.0, 0, -1.0], [0, 0, 0]]), ("a", "b", "c"), ["d1", "d2"], -2.0).best().tolist()
        [2, -1]
        """
        return self.ranking(1)[:, 0]

    def ranking(self, k: int) -> Ints:
        """Return the columns of the k best categories of each document, best first, −1 where fewer are stored."""
        ranked = np.full((len(self.documents), k), -1, dtype=np.int64)
        if not sparse.issparse(self.values):
            order = np.argsort(-np.asarray(self.values), axis=1, kind="stable")[:, :k]
            ranked[:, : order.shape[1]] = order
            return ranked
        rows = sparse.csr_array(self.values)
        document = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
        order = np.lexsort((rows.indices, -rows.data, document))
        place = np.arange(len(order)) - rows.indptr[document]
        kept = place < k
        ranked[document[kept], place[kept]] = rows.indices[order][kept]
        return ranked


@dataclass(frozen=True, eq=False)
class Decisions:
    """The categories that each document is put under: a boolean sparse matrix."""

    values: Sparse
    categories: tuple[str, ...]
    documents: Sequence[str]

    def __post_init__(self) -> None:
        check_sparse_indices(self.values)
        _check_shape("Decisions", self.values, (len(self.documents), len(self.categories)))


@dataclass(frozen=True, eq=False)
class Counts:
    """The contingency table of each category: true and false positives, false and true negatives."""

    tp: Ints
    fp: Ints
    fn: Ints
    tn: Ints

    def __post_init__(self) -> None:
        _same_length("Counts", tp=self.tp, fp=self.fp, fn=self.fn, tn=self.tn)

    def __len__(self) -> int:
        return len(self.tp)


@dataclass(frozen=True)
class Signature:
    """Where a number comes from; printed beside it."""

    corpus: str = ""
    split: str = ""
    terms: str = ""
    weights: str = ""
    selection: str = ""
    classifier: str = ""
    cut: str = ""
    missing: str = ""
    unknown: str = ""
    duplicates: str = ""
    undefined: Undefined = "zero"
    seed: int | None = None
    version: str = ""

    @property
    def policies(self) -> str:
        """Return how documents and labels that do not fit were treated, such as `missing:wrong|unknown:wrong`."""
        chosen = ((name, getattr(self, name).partition(" ")[0]) for name in ("missing", "unknown", "duplicates"))
        return "|".join(f"{name}:{value}" for name, value in chosen if value)

    def __str__(self) -> str:
        """Return `corpus:newswire|split:chronological|…` without the empty parts."""
        parts = ((name, getattr(self, name)) for name in self.__dataclass_fields__)
        return "|".join(f"{name}:{value}" for name, value in parts if value not in ("", None))


@dataclass(frozen=True, eq=False)
class Run:
    """What one system said of one set of documents: scores, decisions or both, and the truth where known.

    `train_counts` are the training documents of each category, for results by category frequency. `outside` counts the
    labels that the system gave each document though they are not categories: each is a wrong answer. `unknown_labels`
    are those labels by name, if known, for measures that place them in a hierarchy.
    """

    name: str
    documents: Sequence[str]
    categories: tuple[str, ...]
    scores: Scores | None = None
    decisions: Decisions | None = None
    truth: Sparse | None = None
    train_counts: Ints | None = None
    signature: Signature = field(default_factory=Signature)
    outside: Ints | None = None
    unknown_labels: Decisions | None = None

    def __post_init__(self) -> None:
        if self.scores is None and self.decisions is None:
            raise InvalidInput(f"run {self.name!r} has neither scores nor decisions; give at least one")
        rows, columns = len(self.documents), len(self.categories)
        for noun, matrix in (
            ("scores", self.scores and self.scores.values),
            ("decisions", self.decisions and self.decisions.values),
            ("truth", self.truth),
        ):
            if matrix is not None:
                _check_shape(f"run {self.name!r}, {noun}", matrix, (rows, columns))
        if self.train_counts is not None and len(self.train_counts) != columns:
            raise InvalidInput(f"run {self.name!r}: {len(self.train_counts)} train counts for {columns} categories")
        if self.outside is not None and len(self.outside) != rows:
            raise InvalidInput(f"run {self.name!r}: {len(self.outside)} counts of outside labels for {rows} documents")
        if self.unknown_labels is not None:
            _check_shape(
                f"run {self.name!r}, strays", self.unknown_labels.values, (rows, len(self.unknown_labels.categories))
            )

    def __repr__(self) -> str:
        """Return name and size; printing the scores would fill pages."""
        given = [part for part in ("scores", "decisions", "truth") if getattr(self, part) is not None]
        size = f"{len(self.documents):,} documents, {len(self.categories):,} categories"
        return f"<run {self.name}: {size}, {', '.join(given)}>"

    def to_frame(self) -> Any:
        """Return one row per pair that is scored, assigned or true: document, category, score, decision, truth."""
        parts = {
            "score": None if self.scores is None else sparse.coo_array(self.scores.values),
            "decision": None if self.decisions is None else sparse.coo_array(self.decisions.values),
            "truth": None if self.truth is None else sparse.coo_array(self.truth),
        }
        cells: dict[tuple[int, int], dict[str, Any]] = {}
        for name, part in parts.items():
            for row, column, value in () if part is None else zip(part.row, part.col, part.data, strict=True):
                cells.setdefault((int(row), int(column)), {})[name] = value.item()
        names = [name for name, part in parts.items() if part is not None]
        missing = {"score": float("nan"), "decision": False, "truth": False}
        rows = [
            (self.documents[row], self.categories[column], *(cell.get(name, missing[name]) for name in names))
            for (row, column), cell in sorted(cells.items())
        ]
        return frame_of(("document", "category", *names), rows)

    def _repr_html_(self) -> str:
        """Return name and size for notebooks."""
        return html_of(("run", "documents", "categories", "scores", "decisions", "truth"), [self._facts()])

    def _facts(self) -> tuple[str, ...]:
        given = ("yes" if getattr(self, part) is not None else "no" for part in ("scores", "decisions", "truth"))
        return self.name, f"{len(self.documents):,}", f"{len(self.categories):,}", *given

    def cut(self, cut: float) -> Run:
        """Return the run with the decisions of a fixed cut: every pair whose score is at least `cut`.

        >>> ids, names = ("d1", "d2"), ("corn", "wheat")
        >>> scores = Scores(np.array([[0.9, 0.2], [0.5, 0.4]]), names, ids)
        >>> Run("svm", ids, names, scores=scores).cut(0.5).decisions.values.toarray().astype(int).tolist()
        [[1, 0], [1, 0]]
        """
        if self.scores is None:
            raise InvalidInput(f"run {self.name!r} has no scores to cut; give scores")
        chosen = _at_least(self.scores, float(cut))
        decisions = Decisions(chosen, self.categories, self.documents)
        signature = replace(self.signature, cut=f"{cut:g}")
        return replace(self, decisions=decisions, outside=None, unknown_labels=None, signature=signature)


def _at_least(scores: Scores, cut: float) -> Sparse:
    """Return the pairs that score `cut` or more; -inf never does."""
    if np.isnan(cut):
        raise InvalidInput("a cut must be a number, got NaN")
    values: Any = scores.values
    if isinstance(values, np.ndarray):
        return sparse.csr_array((values >= cut) & (values > -np.inf))
    stored = values.tocoo()
    if scores.floor >= cut and scores.floor > -np.inf:
        dense = np.full(values.shape, scores.floor)
        dense[stored.row, stored.col] = stored.data
        return sparse.csr_array(dense >= cut)
    kept = (stored.data >= cut) & (stored.data > -np.inf)
    cells = (np.ones(int(kept.sum()), np.bool_), (stored.row[kept], stored.col[kept]))
    return sparse.csr_array(cells, shape=values.shape)


AnyClassifier: TypeAlias = Any
"""A classifier with scikit-learn's methods: ours, scikit-learn's own, a pipeline. scikit-learn has no types to name."""


class FittedModel(Protocol):
    """A fitted `Categorizer`, for packages that it is built on and that cannot import it."""

    representation: str | None
    weights: Any
    cut: Any
    seed: int
    ids_: Sequence[str]
    categories_: tuple[str, ...]
    train_counts_: Ints
    single_label_: bool
    cut_: Any
    limit_: int | None
    model_: Any
    """The fitted `Model`."""

    @property
    def classifier_(self) -> AnyClassifier:
        """Fitted classifier; None where every category is empty or full."""

    @property
    def cross_validated(self) -> Mapping[str, Any] | None:
        """Cross-validated figures; None without folds."""

    def recalibrated(self, model: Any, cut: Any) -> Self:
        """Return a copy that holds another fitted model, of this cut."""

    def run(self, X: Any) -> Run:
        """Score and decide on documents."""

    def answers(self, X: Any) -> Sequence[Any]:
        """Return an `Answer` for each document."""

    def top_terms(self, category: str, limit: int) -> list[str]:
        """Return the terms that speak most for a category."""

    def signature(self) -> Signature:
        """Return where the numbers of the model come from."""

    def save(self, path: str | Path) -> Path:
        """Write the model to one file."""


@dataclass(frozen=True)
class Significance:
    """The outcome of one test of system a against system b.

    `symbol` compares the values, as YL99 print it (`>>` a is larger at p <= .01, `>` at .05, `~`, `<`, `<<`);
    `better` names the better system ("a", "b" or None), which differs from it for measures where less is more.
    `p_value` is one-sided in the direction of the observed difference where the test is; `sides` says which.
    `direction` is the sign of the observed difference a − b of the values, significant or not.
    `band` names the training frequencies that the test was confined to, `interval` encloses the effect.
    """

    test: str
    statistic: float
    p_value: float
    n: int
    symbol: str
    better: Literal["a", "b"] | None
    method: str
    measure: str = ""
    sides: Literal[1, 2] = 1
    effect: float = float("nan")
    effect_name: str = ""
    a: str = "a"
    b: str = "b"
    adjusted_p: float | None = None
    note: str = ""
    direction: Literal[-1, 0, 1] = 0
    band: str = ""
    interval: tuple[float, float] | None = None


@dataclass(frozen=True)
class Evidence:
    """One reason for a decision, and what it contributed to the score.

    Parameters
    ----------
    kind : what `index` counts.

        "term"
            A column of X.
        "document"
            A training document, by row.
        "rule"
            A rule that holds: the columns of its conditions as a tuple, `c` for a term that is present and `~c` for
            one that is absent; or, for a rule written by hand, its number in the rule base.
        "part"
            A part of the classifier, such as a member of a stack.
    index : the column, row, conditions or number.
    weight : above 0 it spoke for the category, below 0 against it.
    detail : further facts in words.
    name : the text for readers; filled by `named`, or by the classifier where only it knows the name.

    >>> reason = Evidence("rule", (3, ~7), 0.9)
    >>> reason.source
    'x3 and not x7'
    >>> reason.named(terms=["corn", "gold", "oil", "wheat", "a", "b", "c", "surface"]).source
    'wheat and not surface'
    """

    kind: Literal["term", "document", "rule", "part"]
    index: int | tuple[int, ...]
    weight: float
    _: KW_ONLY
    detail: str = ""
    name: str = ""

    @property
    def source(self) -> str:
        """The name, or the index in words (`x17`, `document 3`, `x3 and not x7`) where it has none."""
        return self.name or self._text((), ())

    def named(self, *, terms: Sequence[str] = (), documents: Sequence[str] = ()) -> Evidence:
        """Return the evidence with terms named by `terms` and training documents by `documents`.

        A name that is already there stays; an index beyond the names is kept as a number.
        """
        known = documents if self.kind == "document" else terms
        if self.name or not len(known):
            return self
        return replace(self, name=self._text(terms, documents))

    def _text(self, terms: Sequence[str], documents: Sequence[str]) -> str:
        if isinstance(self.index, tuple):
            parts = (_entry(terms, c, "x") if c >= 0 else f"not {_entry(terms, ~c, 'x')}" for c in self.index)
            return " and ".join(parts) or "always"
        if self.kind == "term":
            return _entry(terms, self.index, "x")
        if self.kind == "document":
            return _entry(documents, self.index, "document ")
        return f"{self.kind} {self.index}"


def _entry(names: Sequence[str], index: int, prefix: str) -> str:
    return str(names[index]) if index < len(names) else f"{prefix}{index}"
