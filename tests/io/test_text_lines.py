"""Encodings: what is read, what is named, and what is no encoding of text."""

from __future__ import annotations

from pathlib import Path

import pytest

from rubricate.errors import InvalidInput
from rubricate.io.text_files import text_lines
from rubricate.io.user_files import records


def test_latin1_is_read_when_asked_for(tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_bytes("text,labels\ncafé,é\n".encode("latin-1"))
    (found,) = records(tmp_path / "n.csv", encoding="latin-1")
    assert (found.text, found.labels) == ("café", ("é",))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32-le"])
def test_a_byte_order_mark_is_dropped(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "n.txt"
    path.write_bytes(
        "\ufefftext\nnaïve \ufeff\n".removeprefix("\ufeff" * encoding.endswith(("16", "sig"))).encode(encoding)
    )
    assert list(text_lines(path, encoding)) == ["text\n", "naïve \ufeff\n"]


@pytest.mark.parametrize("encoding", ["latin-x", "base64", "rot13", "undefined"])
def test_what_is_no_encoding_of_text_is_refused(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "n.csv").write_bytes(b"text,labels\nx,a\n")
    with pytest.raises(InvalidInput, match=f"no encoding named '{encoding}'"):
        list(records(tmp_path / "n.csv", encoding=encoding))
