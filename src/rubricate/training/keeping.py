"""Training documents kept with a model, so that it can be trained again with more of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scipy import sparse

from rubricate.errors import InvalidInput
from rubricate.labels import in_columns
from rubricate.types import Corpus, Documents, Edges

__all__ = ["joined", "joined_corpus", "kept_documents", "kept_with", "plain_documents"]


def plain_documents(documents: Documents) -> dict[str, Any]:
    """Return documents as lists and a label matrix, which a model file can hold; vectors are refused, not lost."""
    if "vectors" in documents.fields:
        raise InvalidInput(
            "a model keeps texts, not vectors; Fix: leave out --keep, and train on all vectors when more come"
        )
    return {
        "ids": [str(name) for name in documents.ids],
        "bodies": list(documents.bodies),
        "titles": None if documents.titles is None else [title or "" for title in documents.titles],
        "labels": documents.labels,
        "categories": tuple(documents.categories),
    }


def kept_documents(plain: Mapping[str, Any]) -> Documents:
    """Return the documents that `plain_documents` was given."""
    return Documents(**{name: plain[name] for name in ("ids", "bodies", "titles", "labels", "categories")})


def kept_with(plain: Mapping[str, Any] | None, X: Any, y: Any) -> dict[str, Any] | None:
    """Return the documents kept and further ones, which must be `Documents`; None where none are kept."""
    if plain is None:
        return None
    if y is not None or not isinstance(X, Documents):
        raise InvalidInput("the model keeps its documents and could not keep these; Fix: give them as Documents")
    return plain_documents(joined(kept_documents(plain), X))


def joined(old: Documents, new: Documents) -> Documents:
    """Return old and new documents as one set over the categories of both; an id that comes twice is refused."""
    twice = next((name for name in new.ids if name in set(map(str, old.ids))), None)
    if twice is not None:
        raise InvalidInput(
            f"the document {twice!r} was learned before; Fix: give new documents new ids, or leave out the old ones"
        )
    categories = tuple(sorted({*old.categories, *new.categories}))
    parts = [in_columns(each.labels, each.categories, categories) for each in (old, new)]
    titles = None
    if old.titles is not None or new.titles is not None:
        titles = [*(old.titles or [""] * len(old)), *(new.titles or [""] * len(new))]
    return Documents(
        ids=[*map(str, old.ids), *map(str, new.ids)],
        bodies=[*old.bodies, *new.bodies],
        labels=sparse.csr_array(sparse.vstack(parts), dtype=bool),
        categories=categories,
        titles=titles,
    )


def joined_corpus(old: Documents, new: Documents, *, taxonomy: Edges | None) -> Corpus:
    """Return old and new documents as those for training of a corpus without a name."""
    documents = joined(old, new)
    return Corpus("", "", documents, documents.take([]), taxonomy=taxonomy)
