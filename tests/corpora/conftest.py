"""What the tests of corpora share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from rubricate.corpora import loading


@pytest.fixture
def without_digests(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Forget the digests on record of a corpus, so that small files made for a test are read; the rest is as it is."""

    def forget(name: str) -> None:
        find, known = loading.source, loading.source(name)
        made = replace(known, files=tuple(replace(file, sha256="", members={}) for file in known.files))
        monkeypatch.setattr(loading, "source", lambda asked: made if asked == name else find(asked))

    return forget
