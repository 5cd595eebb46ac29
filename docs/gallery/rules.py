# %% [markdown]
# # Rules you can edit
#
# RIPPER learns rules that people can read; edit the text, and run it again.

# %%
import rubricate as rb
from rubricate.classifiers import RIPPER
from rubricate.rules import format_rules, parse_rules, rules_of, run_rules

corpus = rb.load("newswire", documents=900, categories=60)
model = rb.Categorizer(RIPPER(), weights="bnn", cut="rcut:1", folds=0).fit(corpus.train)
base = rules_of(model)
text = format_rules(base)
print(text[:600])

# %% [markdown]
# A person adds a rule of their own:

# %%
name = corpus.categories[0]
edited = parse_rules(text + f"\n'{name}' if unheard near/3 phrase;\n")
run = run_rules(edited, ["an unheard and strange phrase"])
print([run.categories[c] for c in run.decisions.values.indices])
