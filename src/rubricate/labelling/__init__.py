"""With few human labels: how good a system is, how many labels it takes, and which documents to label next.

`agreement` compares annotators, `draw_sample` chooses documents to label, `population_estimates` measures a system over
all documents from the labelled ones, `prevalence` says how common each category is, `suspects` lists labels to
check, `review_order` lists decisions to check, `next_documents` documents to label, `stopping_rule` says when to stop.
"""

from rubricate._deprecated import RENAMED_LABELLING
from rubricate._exports import attach

__getattr__, __dir__, __all__ = attach(__name__, renamed=RENAMED_LABELLING)
