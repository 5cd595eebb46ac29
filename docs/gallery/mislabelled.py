# %% [markdown]
# # Mislabelled documents
#
# Scores that never saw a document's own label (out of fold) show which labels contradict the text. Ten labels are
# made wrong on purpose; how many are among the twenty most suspicious?

# %%
import numpy as np
from scipy import sparse

import rubricate as rb
from rubricate.types import Documents

corpus = rb.load("newswire", documents=900, categories=60)
documents = corpus.train
draw = np.random.default_rng(0)
labels = documents.labels.toarray()
wrong = draw.choice(len(documents), 10, replace=False)
for row in wrong:
    labels[row] = np.roll(labels[row], 7)
dirty = Documents(documents.ids, documents.bodies, sparse.csr_array(labels), documents.categories, documents.titles)

# %%
run = rb.labelling.out_of_fold_scores(dirty)
suspects = rb.suspects(run, limit=20)
hit = {documents.ids[row] for row in wrong} & {each.document for each in suspects}
print(len(hit), "of 10 wrong labels are among the 20 most suspicious")
print(suspects[0])
