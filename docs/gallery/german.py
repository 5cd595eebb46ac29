# %% [markdown]
# # A German corpus
#
# The language is noticed, said, and treated by its own stemmer and stop list.

# %%
import rubricate as rb

texts = [
    "Die Ernte von Weizen und Mais fiel in diesem Jahr gut aus",
    "Bauern erwarten höhere Preise für Weizen und Gerste",
    "Der Ölpreis stieg wegen der Kürzungen der Förderung",
    "Neue Bohrungen nach Erdöl in der Nordsee wurden genehmigt",
] * 6
labels = ["Getreide", "Getreide", "Öl", "Öl"] * 6
model = rb.Categorizer(rb.SVM(), language="auto").fit(texts, labels)
print(model.signature())

# %%
model.classify(["Die Bauern ernten Gerste", "Bohrung in der See"])
