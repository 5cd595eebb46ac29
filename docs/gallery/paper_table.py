# %% [markdown]
# # A table for a paper
#
# Two systems, every measure with intervals, tests for all pairs with correction, and LaTeX to paste.

# %%
import rubricate as rb

corpus = rb.load("newswire", documents=1200, categories=60)
svm = rb.Categorizer(rb.SVM(C=1.0), weights="ltc", cut="rcut:1", folds=0).fit(corpus.train)
knn = rb.Categorizer(rb.KNN(k=15), weights="ltc", cut="rcut:1", folds=0).fit(corpus.train)
runs = [svm.run(corpus.test, name="SVM"), knn.run(corpus.test, name="kNN")]
print(rb.evaluate(runs[0], bootstrap=200))

# %%
comparison = rb.compare(runs)
print(comparison)
