"""How spaCy numbers strings: built-in symbols by a fixed list, all others by MurmurHash64A with seed 1."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["string_number", "strings_by_number"]

_START = {
    1: "IS_ALPHA IS_ASCII IS_DIGIT IS_LOWER IS_PUNCT IS_SPACE IS_TITLE IS_UPPER LIKE_URL LIKE_NUM LIKE_EMAIL IS_STOP "
    "IS_OOV_DEPRECATED IS_BRACKET IS_QUOTE IS_LEFT_PUNCT IS_RIGHT_PUNCT IS_CURRENCY",
    64: "ID ORTH LOWER NORM SHAPE PREFIX SUFFIX LENGTH CLUSTER LEMMA POS TAG DEP ENT_IOB ENT_TYPE HEAD SENT_START "
    "SPACY PROB LANG ADJ ADP ADV AUX CONJ CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X EOL SPACE",
    380: "PERSON NORP FACILITY ORG GPE LOC PRODUCT EVENT WORK_OF_ART LANGUAGE LAW DATE TIME PERCENT MONEY QUANTITY "
    "ORDINAL CARDINAL acomp advcl advmod agent amod appos attr aux auxpass cc ccomp complm conj cop csubj csubjpass "
    "dep det dobj expl hmod hyph infmod intj iobj mark meta neg nmod nn npadvmod nsubj nsubjpass num number oprd obj "
    "obl parataxis partmod pcomp pobj poss possessive preconj prep prt punct quantmod relcl rcmod root xcomp acl "
    "ENT_KB_ID MORPH ENT_ID IDX _",
}
_SYMBOLS = {name: start + place for start, names in _START.items() for place, name in enumerate(names.split())}
_SYMBOLS |= {f"FLAG{number}": number for number in range(19, 64)}
_SYMBOLS |= {f"DEPRECATED{number:03}": 103 + number for number in range(1, 277)}
_FACTOR, _SHIFT, _MASK = 0xC6A4A7935BD1E995, 47, (1 << 64) - 1


def string_number(text: str) -> int:
    """Return the number of a string.

    >>> string_number("coffee"), string_number("DATE")
    (3197928453018144401, 391)
    """
    if not text:
        return 0
    return _SYMBOLS.get(text) or _hashed(text.encode())


def strings_by_number(strings: Iterable[str]) -> dict[int, str]:
    """Return each string under its number."""
    return {0: ""} | {string_number(text): text for text in strings}


def _hashed(data: bytes) -> int:
    value = 1 ^ (len(data) * _FACTOR & _MASK)
    whole = len(data) - len(data) % 8
    for start in range(0, whole, 8):
        block = int.from_bytes(data[start : start + 8], "little") * _FACTOR & _MASK
        block = (block ^ block >> _SHIFT) * _FACTOR & _MASK
        value = (value ^ block) * _FACTOR & _MASK
    if whole < len(data):
        value = (value ^ int.from_bytes(data[whole:], "little")) * _FACTOR & _MASK
    value = (value ^ value >> _SHIFT) * _FACTOR & _MASK
    return value ^ value >> _SHIFT
