"""Public names of `rubricate.significance`; `__init__.py` reads this list."""

from rubricate.types import Significance as Significance

from ._comparison import Comparison as Comparison
from ._comparison import compare as compare
from ._corrections import benjamini_hochberg as benjamini_hochberg
from ._corrections import holm as holm
from ._plugin import significance_test as significance_test
from ._published import published as published
from ._published import read_counts as read_counts
from ._system import System as System
