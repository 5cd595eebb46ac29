# %% [markdown]
# # A hierarchy of tags
#
# Categories that form a tree: a classifier that goes down level by level, and measures that know how far off a wrong
# category is (Sun and Lim 2001).

# %%
import rubricate as rb
from rubricate.classifiers import TopDown

corpus = rb.load("newswire", documents=900, categories=80)
tree = rb.Hierarchy.from_edges(corpus.taxonomy)
print(len(tree.names), "nodes;", len(corpus.categories), "categories of documents")

# %%
flat = rb.Categorizer(rb.SVM(), weights="ltc", folds=0, cut="rcut:1").fit(corpus.train)
down = rb.Categorizer(TopDown(taxonomy=corpus.taxonomy), weights="ltc", folds=0, cut="rcut:1").fit(corpus.train)
for name, model in (("flat", flat), ("top-down", down)):
    result = rb.evaluate(model.run(corpus.test), hierarchy=tree)
    print(name, {key: round(float(value), 3) for key, value in list(result.row().items())[:4]})
