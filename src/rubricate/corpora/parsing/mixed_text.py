"""Old text of unknown encoding: UTF-8 where it is valid, else latin-1."""

from __future__ import annotations

__all__ = ["utf8_or_latin1"]


def utf8_or_latin1(raw: bytes) -> str:
    """Decode text, with `\\n` for every line end and without NUL; never fails, since every byte is latin-1.

    >>> utf8_or_latin1("naïve".encode()), utf8_or_latin1(b"na\\xefve\\r\\n")
    ('naïve', 'naïve\\n')
    """
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
