# %% [markdown]
# # How many more labels?
#
# Estimates at growing sizes, and what they forecast for sizes nobody has labelled yet.

# %%
import rubricate as rb

corpus = rb.load("newswire", documents=1500, categories=60)
vectors = rb.text.Vectors(weights="ltc")
X = vectors.fit_transform(corpus.train)
curve = rb.estimation.learning_curve(rb.SVM(C=1.0), X, corpus.train.labels, draws=2)
print([(int(n), round(float(f1), 3)) for n, f1 in zip(curve.sizes, curve.mean(), strict=True)])

# %%
print(curve.at(2 * X.shape[0]))
