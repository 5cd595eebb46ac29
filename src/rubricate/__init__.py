"""Rubricate: put documents under headings, measure how well, and say whether one system is really better.

The verbs and nouns a newcomer needs are here; everything else is in `rubricate.classifiers`, `thresholds`, `measures`,
`significance`, `estimation`, `hierarchy`, `rules`, `text`, `io`, `experiments` and `reports`. `__init__.pyi` lists
the public names; each is loaded when it is first used.
"""

from rubricate._deprecated import RENAMED
from rubricate._exports import attach
from rubricate._version import __version__ as __version__

__getattr__, __dir__, __all__ = attach(__name__, renamed=RENAMED)
