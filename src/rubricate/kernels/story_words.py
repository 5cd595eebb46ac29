"""Expand a grammar into ASCII bytes: lists of sequences of literals, made-up names, numbers and further lists.

Given  grammar, topics and rates, and a theme: the list to expand, the topic, the story's date.
Return where the text ends in the buffer, which the caller has made long enough.
Cost   linear in the bytes written. A list's entry of rank r is taken with probability proportional to 1 / r.
Edges  the first letter of an expansion becomes a capital, also behind an opening quotation mark.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.splitmix import Whole, below, mix, octave, weighted

__all__ = [
    "DATE",
    "KINDS",
    "LIST",
    "LITERAL",
    "NAME",
    "NUMBER",
    "TOPIC",
    "Grammar",
    "Pen",
    "Rates",
    "Theme",
    "Topics",
    "expand",
]

LITERAL, LIST, TOPIC, NAME, NUMBER, DATE = range(6)
KINDS = ("actors", "thing", "deed", "title", "lead", "follow", "firm")
_PHRASES = 3
_FIRM, _PERSON, _PLACE, _SUBJECT = range(4)
_QUOTE, _POINT, _ZERO = 34, 46, 48
_32 = np.uint64(32)


class Grammar(NamedTuple):
    """Literals (`pieces` of `blob`), sequences of (operation, argument) pairs, and lists of sequences.

    `ranks[n]` is the sum of 1/1 … 1/n in whole numbers, `opening` the list of datelines.
    """

    blob: np.ndarray
    pieces: np.ndarray
    operations: np.ndarray
    arguments: np.ndarray
    sequences: np.ndarray
    lists: np.ndarray
    ranks: np.ndarray
    syllables: np.ndarray
    months: np.ndarray
    opening: int


class Topics(NamedTuple):
    """The tree, related topics with running sums of weights, the lists of each topic, the numbers of made-up names."""

    parents: np.ndarray
    child_starts: np.ndarray
    children: np.ndarray
    related_starts: np.ndarray
    related: np.ndarray
    related_sums: np.ndarray
    lists: np.ndarray
    subjects: np.ndarray


class Rates(NamedTuple):
    """How often, in a thousand: what makes the corpus as hard as it is.

    `second` and `third`: a story has at least two, three topics; `mislabelled`: its first label is a related one.
    `stray`: a sentence is about another topic. A phrase comes from a `child` of the topic where it has any, else up to
    `own` from the topic itself, up to `parent` from its parent, else from its grandparent.
    """

    second: int
    third: int
    mislabelled: int
    stray: int
    own: int
    child: int
    parent: int


class Pen(NamedTuple):
    """The random state, the expansions under way, and the bytes written.

    A row of `stack` has the next operation of a sequence, the end of the sequence, and the topic it is about.
    """

    state: np.ndarray
    stack: np.ndarray
    out: np.ndarray


class Theme(NamedTuple):
    """What to write: the list to expand, the topic, and the story's month, day and week."""

    listed: Whole
    topic: Whole
    date: np.ndarray


@numba.njit(cache=True, nogil=True)
def _pick(state: np.ndarray, grammar: Grammar, listed: Whole) -> Whole:
    """Draw a sequence of the list; the first is the likeliest."""
    first, n = grammar.lists[listed], grammar.lists[listed + 1] - grammar.lists[listed]
    return first + weighted(state, grammar.ranks, 0, n)


@numba.njit(cache=True, nogil=True)
def _voice(state: np.ndarray, topics: Topics, rates: Rates, topic: Whole) -> Whole:
    """Draw whose phrase a sentence about `topic` uses: its own, a child's, its parent's or its grandparent's."""
    dice = below(state, 1000)
    start, stop = topics.child_starts[topic], topics.child_starts[topic + 1]
    # Of many children only the first eight lend their phrases.
    if stop > start and dice < rates.child:
        return topics.children[start + below(state, min(stop - start, 8))]
    if dice < rates.own or topics.parents[topic] < 0:
        return topic
    parent = topics.parents[topic]
    return parent if dice < rates.parent or topics.parents[parent] < 0 else topics.parents[parent]


@numba.njit(cache=True, nogil=True)
def _put(out: np.ndarray, end: Whole, grammar: Grammar, piece: Whole) -> Whole:
    for k in range(grammar.pieces[piece], grammar.pieces[piece + 1]):
        out[end] = grammar.blob[k]
        end += 1
    return end


@numba.njit(cache=True, nogil=True)
def _put_name(out: np.ndarray, end: Whole, grammar: Grammar, number: Whole) -> Whole:
    # Three syllables, by bits of the number: no name is stored, and each number always gives the same one.
    for part in range(3):
        end = _put(out, end, grammar, grammar.syllables[part] + (number & (31 if part == 2 else 63)))
        number >>= 6
    return end


@numba.njit(cache=True, nogil=True)
def _put_number(out: np.ndarray, end: Whole, number: Whole) -> Whole:
    digits = 1
    while 10**digits <= number:
        digits += 1
    for k in range(digits):
        out[end + digits - 1 - k] = _ZERO + number % 10
        number //= 10
    return end + digits


@numba.njit(cache=True, nogil=True)
def _name(state: np.ndarray, topics: Topics, kind: Whole, topic: Whole, week: Whole) -> Whole:
    """Draw the number of a name: firms belong to a topic, people to a topic for a week, places to nobody."""
    if kind == _SUBJECT:
        return topics.subjects[topic]
    if kind == _FIRM:
        word = mix(mix(np.uint64(topic), np.uint64(1)), np.uint64(octave(state, 8)))
    elif kind == _PERSON:
        word = mix(mix(np.uint64(topic), np.uint64(1000 + week)), np.uint64(octave(state, 5)))
    elif kind == _PLACE:
        word = mix(np.uint64(2), np.uint64(octave(state, 13)))
    else:
        word = mix(np.uint64(topic), np.uint64(3))
    return np.int64(word >> _32)


@numba.njit(cache=True, nogil=True)
def _put_quantity(state: np.ndarray, out: np.ndarray, end: Whole, kind: Whole) -> Whole:
    """Write a percentage with one decimal (kind 0), or a count."""
    if kind != 0:
        return _put_number(out, end, 2 + octave(state, 9))
    end = _put_number(out, end, octave(state, 5))
    out[end] = _POINT
    return _put_number(out, end + 1, 1 + below(state, 9))


@numba.njit(cache=True, nogil=True)
def _capitalise(out: np.ndarray, start: Whole) -> None:
    at = start + 1 if out[start] == _QUOTE else start  # 'a' to 'z' become capitals by taking 32 away
    if 97 <= out[at] <= 122:
        out[at] -= 32


@numba.njit(cache=True, nogil=True)
def expand(pen: Pen, end: Whole, theme: Theme, grammar: Grammar, topics: Topics, rates: Rates) -> Whole:
    """Write one expansion of the theme's list from `end` on; return where it ends."""
    state, stack, out = pen
    listed, about, date = theme
    depth, start = 0, end
    # A stack instead of recursion: lists nest, and a compiled function that calls itself needs declared types.
    while True:
        if listed >= 0:
            chosen = _pick(state, grammar, listed)
            stack[depth, 0], stack[depth, 1] = grammar.sequences[chosen], grammar.sequences[chosen + 1]
            stack[depth, 2], listed, depth = about, -1, depth + 1
        # Sequences that have ended; several may end at the same word.
        while depth > 0 and stack[depth - 1, 0] == stack[depth - 1, 1]:
            depth -= 1
        if depth == 0:
            _capitalise(out, start)
            return end
        at, about = stack[depth - 1, 0], stack[depth - 1, 2]
        stack[depth - 1, 0] += 1
        operation, argument = grammar.operations[at], grammar.arguments[at]
        if operation == LITERAL:
            end = _put(out, end, grammar, argument)
        elif operation == LIST:
            listed = argument
        elif operation == TOPIC:
            about = _voice(state, topics, rates, about) if argument < _PHRASES else about
            listed = topics.lists[about, argument]
        elif operation == NAME:
            end = _put_name(out, end, grammar, _name(state, topics, argument, about, date[2]))
        elif operation == NUMBER:
            end = _put_quantity(state, out, end, argument)
        elif argument == 0:
            end = _put(out, end, grammar, grammar.months[date[0] - 1])
        else:
            end = _put_number(out, end, date[1])
