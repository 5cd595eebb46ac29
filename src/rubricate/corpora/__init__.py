"""Sources → Corpus: one file per corpus, and the way from a name or a path to a Corpus.

A corpus file exports a `Source` (`catalogue`). Its data are found by name in the folder that `RUBRICATE_DATA` names,
then in the user's cache; archives are read without being unpacked (`archives`).
"""

from rubricate._exports import attach

__getattr__, __dir__, __all__ = attach(__name__)
