"""Public names of `rubricate.significance`; `__init__.py` reads this list."""

from rubricate.types import Significance as Significance

from .comparing.comparison import Comparison as Comparison
from .comparing.comparison import compare as compare
from .comparing.corrections import benjamini_hochberg as benjamini_hochberg
from .comparing.corrections import holm as holm
from .comparing.critical_difference import CriticalDifference as CriticalDifference
from .comparing.critical_difference import critical_difference as critical_difference
from .comparing.letters import letters as letters
from .definition.test import significance_test as significance_test
from .systems.published import published as published
from .systems.published import read_counts as read_counts
from .systems.system import System as System
