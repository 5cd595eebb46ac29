"""The slow twin of native/newswire.c: one story at a time, recursive, Python integers and strings."""

from __future__ import annotations

from functools import cache

from rubricate.native import newswire as words

MASK = 2**64 - 1
STEP = 0x9E3779B97F4A7C15


def mix(a, b):
    z = (a + (b + 1) * STEP) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


@cache
def zipf(n):
    """Weights of n ranks by Zipf's law."""
    return [720_720 // rank for rank in range(1, n + 1)]


class Dice:
    def __init__(self, state):
        self.state = state

    def below(self, n):
        word, self.state = mix(self.state, 0), (self.state + STEP) & MASK
        return ((word >> 32) * int(n)) >> 32

    def octave(self, bits):
        size = 1 << self.below(bits)
        return size - 1 + self.below(size)

    def choose(self, weights):
        left = self.below(sum(weights))
        for k, weight in enumerate(weights):
            if left < weight:
                return k
            left -= weight
        raise AssertionError("no weight left")


def image(i, n, key):
    """Where the permutation of 0 … n - 1 sends i: a network on pairs of digits, walked until it lands below n."""
    half = 1
    while 4**half < n:
        half += 1
    while True:
        left, right = divmod(i, 2**half)
        for turn in range(4):
            left, right = right, left ^ ((mix(key + turn & MASK, right) >> 32) % 2**half)
        i = left * 2**half + right
        if i < n:
            return i


def permutation(n, key):
    """The whole permutation as a list."""
    return [image(i, n, key) for i in range(n)]


class Writer:
    def __init__(self, grammar, topics, rates, date):
        self.grammar, self.topics, self.rates, self.date = grammar, topics, rates, date

    def piece(self, number):
        start, stop = self.grammar.pieces[number : number + 2]
        return bytes(self.grammar.blob[start:stop]).decode()

    def related(self, topic):
        return range(*self.topics.related_starts[topic : topic + 2])

    def relative(self, dice, topic):
        places = self.related(topic)
        weights = [int(self.topics.related_sums[k + 1] - self.topics.related_sums[k]) for k in places]
        return int(self.topics.related[places[dice.choose(weights)]]) if weights else -1

    def voice(self, dice, topic):
        throw, parents = dice.below(1000), self.topics.parents
        children = self.topics.children[slice(*self.topics.child_starts[topic : topic + 2])][:8]
        if len(children) and throw < self.rates.child:
            return int(children[dice.below(len(children))])
        if throw < self.rates.own or parents[topic] < 0:
            return topic
        parent = int(parents[topic])
        return parent if throw < self.rates.parent or parents[parent] < 0 else int(parents[parent])

    def name(self, dice, kind, topic):
        number = {
            0: lambda: mix(mix(topic, 1), dice.octave(8)) >> 32,
            1: lambda: mix(mix(topic, 1000 + int(self.date[2])), dice.octave(5)) >> 32,
            2: lambda: mix(2, dice.octave(13)) >> 32,
            3: lambda: int(self.topics.subjects[topic]),
            4: lambda: mix(topic, 3) >> 32,
        }[int(kind)]()
        parts = (number % 64, number // 64 % 64, number // 4096 % 32)
        return "".join(self.piece(first + k) for first, k in zip(self.grammar.syllables, parts, strict=True))

    def quantity(self, dice, kind):
        return f"{dice.octave(5)}.{1 + dice.below(9)}" if kind == 0 else str(2 + dice.octave(9))

    def expand(self, dice, listed, topic):
        first, last = self.grammar.lists[listed : listed + 2]
        sequence = first + dice.choose(zipf(int(last - first)))
        start, stop = self.grammar.sequences[sequence : sequence + 2]
        return "".join(self.step(dice, k, topic) for k in range(start, stop))

    def step(self, dice, k, topic):
        operation, argument = self.grammar.operations[k], self.grammar.arguments[k]
        if operation == words.LITERAL:
            return self.piece(argument)
        if operation == words.LIST:
            return self.expand(dice, argument, topic)
        if operation == words.TOPIC:
            about = self.voice(dice, topic) if argument < 3 else topic
            return self.expand(dice, self.topics.lists[about, argument], about)
        if operation == words.NAME:
            return self.name(dice, argument, topic)
        if operation == words.NUMBER:
            return self.quantity(dice, argument)
        return self.piece(self.grammar.months[self.date[0] - 1]) if argument == 0 else str(self.date[1])

    def sentence(self, dice, kind, topic):
        text = self.expand(dice, self.topics.lists[topic, words.KINDS.index(kind)], topic)
        return '"' + text[1].upper() + text[2:] if text[0] == '"' else text[0].upper() + text[1:]

    def plan(self, dice, first):
        throw, subject = dice.below(1000), [first]
        wanted = 3 if throw < self.rates.third else 2 if throw < self.rates.second else 1
        while len(subject) < wanted:
            other = self.relative(dice, first)
            if other < 0 or other == subject[-1]:
                break
            subject.append(other)
        return subject

    def label(self, dice, subject, safe):
        if dice.below(1000) < self.rates.mislabelled and not safe:
            other = self.relative(dice, subject[0])
            if other >= 0 and other not in subject[1:]:
                return [other, *subject[1:]]
        return subject

    def focus(self, dice, subject, turn, counts):
        if turn < len(subject):
            return subject[turn]
        throw = dice.below(1000)
        if throw >= self.rates.stray:
            return subject[0] if dice.below(2) == 0 else subject[dice.below(len(subject))]
        other = self.relative(dice, subject[0]) if 2 * throw < self.rates.stray else -1
        return other if other >= 0 else dice.choose(counts)


def story(seed, i, *, train, counts, grammar, topics, rates, date):
    """Title, body and labels of document i; `counts` are the documents of each category in its part of the split."""
    part = int(i >= train)
    key, writer = mix(seed, 0), Writer(grammar, topics, rates, date)
    slot = image(i - part * train, sum(counts), key + 8 * part & MASK)
    first = next(c for c in range(len(counts)) if slot < sum(counts[: c + 1]))
    dice = Dice(mix(key, i + 1))
    subject = writer.plan(dice, first)
    labels = writer.label(dice, subject, slot == sum(counts[:first]))
    title = writer.sentence(dice, "title", first)
    body = writer.expand(dice, grammar.opening, first)
    for turn in range(4 + dice.below(5)):
        body += " " + writer.sentence(dice, "follow" if turn else "lead", writer.focus(dice, subject, turn, counts))
    return title, body, labels
