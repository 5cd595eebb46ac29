# %% [markdown]
# # Short questions
#
# A few words per text, many categories: the default compares stemmed terms, words in pairs and character n-grams by
# cross-validation and takes what is best. With a sentence encoder on disk (`vectors=FOLDER`, or the variable
# `RUBRICATE_ENCODER`) vectors that know meaning join the candidates.

# %%
import random

import rubricate as rb

random.seed(0)
asks = {
    "card_arrival": ["when will my card arrive", "my new card is not here yet", "has my card been sent"],
    "lost_card": ["I lost my card", "my card was stolen", "I cannot find my card anywhere"],
    "exchange_rate": ["what is the exchange rate", "how do you set rates", "your rate for euros looks wrong"],
    "top_up_failed": ["my top up failed", "topping up does not work", "why was my top-up declined"],
}
openings = ["", "hi, ", "please help: ", "hello there, ", "quick question: "]
texts, labels = zip(
    *[(random.choice(openings) + ask, name) for name, forms in asks.items() for ask in forms for _ in range(8)],
    strict=True,
)
model = rb.Categorizer().fit(list(texts), list(labels))

# %% [markdown]
# What was chosen, and what cross-validation says of it:

# %%
print(model.signature())
print(dict(model.cross_validated))

# %%
model.classify(["where is my card?", "someone took my card", "is the euro rate ok"])
