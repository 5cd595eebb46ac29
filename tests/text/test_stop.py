"""Stop lists: ours, a file's, a collection's, and files that cannot be read."""

from __future__ import annotations

import pytest

from rubricate.errors import InvalidFile
from rubricate.text.stop_lists import stop_words


def test_our_list_holds_function_words_only() -> None:
    words = stop_words("smart")
    assert {"the", "of", "and", "is", "not", "themselves"} <= words
    assert not {"wheat", "bank", "oil", "trade", "say's"} & words
    assert all(word.isascii() and word.isalpha() and word.islower() for word in words)


def test_a_file_has_words_and_comments(tmp_path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("# mine\nReuter\n\nvs mln # figures\nÜber\n", "utf-8")
    assert stop_words(path) == stop_words(str(path)) == {"reuter", "vs", "mln", "über"}
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"# mine\n", b""))
    assert stop_words(path) == {"reuter", "vs", "mln", "über"}, "a byte order mark is no part of the first word"


def test_a_missing_file_is_named_with_a_remedy(tmp_path) -> None:
    with pytest.raises(InvalidFile, match=r"none\.txt: cannot read it as a stop list .*'smart'"):
        stop_words(tmp_path / "none.txt")
    with pytest.raises(InvalidFile, match="smrt"):
        stop_words("smrt")


def test_a_file_in_another_encoding_is_named_with_its_line(tmp_path) -> None:
    path = tmp_path / "latin.txt"
    path.write_bytes("a\nb\nüber\n".encode("latin-1"))
    with pytest.raises(InvalidFile, match=r"latin\.txt, line 3: not UTF-8"):
        stop_words(path)
