# %% [markdown]
# # A stream learned on-line
#
# Sleeping experts learn one document after the other and never look back. Accuracy over the stream grows as they learn.

# %%
import numpy as np

import rubricate as rb
from rubricate.classifiers import Experts

corpus = rb.load("newswire", documents=900, categories=60)
vectors = rb.text.Vectors(weights="bnn").fit(corpus.train)
X, Y = vectors.transform(corpus.train), corpus.train.labels
model = Experts()
right = []
for start in range(0, X.shape[0], 50):
    batch = slice(start, start + 50)
    if start:
        best = np.asarray(model.decision_function(X[batch])).argmax(axis=1)
        right.append(float(np.mean([Y[batch].toarray()[i, c] for i, c in enumerate(best)])))
    model.partial_fit(X[batch], Y[batch])
print([round(share, 2) for share in right])
