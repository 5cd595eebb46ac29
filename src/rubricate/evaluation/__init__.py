"""How well one system did: every measure of anyone's predictions in one call.

`evaluate` takes a run, or the truth and predictions in any form, and returns an `Evaluation`.
"""

from rubricate._exports import attach

__getattr__, __dir__, __all__ = attach(__name__)
