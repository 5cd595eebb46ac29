"""Sources → Corpus: one module per corpus, and `load`, which takes a name or a path.

The decorator `corpus` makes a `Source` of the function that reads one (`sources`). Its data are found by name in the
folder that `RUBRICATE_DATA` names, then in the user's cache; archives are read without being unpacked (`archives`).
"""

from rubricate._exports import attach

__getattr__, __dir__, __all__ = attach(__name__)
