# %% [markdown]
# # A language model judged with 200 labels
#
# Someone's system labelled 1,200 documents and nobody knows how well. People label 200, chosen so that the answer is
# as narrow as possible; the predictions for all the others make the interval narrower still.

# %%
import rubricate as rb

corpus = rb.load("newswire", documents=3600, categories=60)
system = rb.Categorizer(rb.NB(), weights="nnn", cut="rcut:1", folds=0).fit(corpus.train)  # stands for any system
run = system.run(corpus.test)
print(len(corpus.test), "documents labelled by the system")

# %%
sample = rb.labelling.draw_sample(run, 200, design="stratified", seed=1)
print(len(sample.documents), "documents for people to label")

# %% [markdown]
# Here the truth is known, so it can stand in for the people's answers; then it is compared with the estimate.

# %%
labels = corpus.test.labels[sample.rows]
labelled = rb.labelling.LabelledSample(sample.rows, sample.stratum, sample.sizes, labels)
estimates = rb.labelling.population_estimates(labelled, run)
for name in ("micro_precision", "micro_recall", "micro_f1"):
    found = estimates.get(name)
    print(f"{name}: {found.estimate:.3f} ({found.low:.3f} to {found.high:.3f})")
print("truth:", round(float(rb.evaluate(run).row()["miF1"]), 3))
