"""Sleeping experts with a dictionary: (phrase, category) → [weight for, weight against]."""

from __future__ import annotations

import numpy as np


class SlowExperts:
    def __init__(self, beta):
        self.beta, self.pool, self.seen = beta, {}, {}

    def score(self, held, category):
        awake = [self.pool[w, category] for w in held if (w, category) in self.pool]
        total = sum(f + a for f, a in awake)
        return sum(f for f, _ in awake) / total if awake else 0.0

    def learn(self, held, own, categories, weight=1.0):
        """Learn one document; the scores that it had before."""
        before = [self.score(held, c) for c in range(categories)]
        if weight == 0:
            return before
        for w in held:
            for c in own:
                if (w, c) not in self.pool:
                    self.pool[w, c] = [max(self.beta ** self.seen.get(w, 0.0), 1e-300), 1.0]
        for c in range(categories):
            awake = [self.pool[w, c] for w in held if (w, c) in self.pool]
            if not awake:
                continue
            total = sum(f + a for f, a in awake)
            wrong = 1 if c in own else 0
            for expert in awake:
                expert[wrong] *= self.beta**weight
            scale = total / sum(f + a for f, a in awake)
            for expert in awake:
                expert[:] = [max(part * scale, 1e-300) for part in expert]
        for w in held:
            self.seen[w] = self.seen.get(w, 0.0) + weight
        return before


def progressive(X, Y, beta, weights=None):
    """The scores of each row before it was learned, and the learner."""
    learner = SlowExperts(beta)
    weights = np.ones(len(X)) if weights is None else weights
    rows = [
        learner.learn(np.flatnonzero(x > 0).tolist(), np.flatnonzero(y).tolist(), Y.shape[1], s)
        for x, y, s in zip(X, Y, weights, strict=True)
    ]
    return np.array(rows).reshape(len(X), Y.shape[1]), learner
