# %% [markdown]
# # Forty submissions ranked
#
# Simulated systems of three qualities: the ranking, and which differences are real.

# %%
import numpy as np
from scipy import sparse

import rubricate as rb

draw = np.random.default_rng(0)
truth = draw.integers(6, size=800)
names = [f"topic {c}" for c in range(6)]
runs = {}
for number in range(40):
    quality = (0.6, 0.7, 0.8)[number % 3]
    said = np.where(draw.random(800) < quality, truth, draw.integers(6, size=800))
    runs[f"team {number + 1}"] = sparse.csr_array(np.eye(6, dtype=bool)[said])
gold = sparse.csr_array(np.eye(6, dtype=bool)[truth])
rows = []
for name, decisions in runs.items():
    result = rb.evaluate(gold, decisions, categories=names, name=name)
    rows.append((float(result.row()["maF1"]), name))
for value, name in sorted(rows, reverse=True)[:5]:
    print(f"{value:.3f}  {name}")
