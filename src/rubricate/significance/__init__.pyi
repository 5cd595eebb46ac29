"""Public names of `rubricate.significance`; `__init__.py` reads this list."""

from rubricate.types import Significance as Significance

from .comparison import Comparison as Comparison
from .comparison import compare as compare
from .corrections import CriticalDifference as CriticalDifference
from .corrections import benjamini_hochberg as benjamini_hochberg
from .corrections import critical_difference as critical_difference
from .corrections import holm as holm
from .corrections import letters as letters
from .definition import significance_test as significance_test
from .published_figures import published as published
from .published_figures import read_counts as read_counts
from .ranking import RankedSystem as RankedSystem
from .ranking import Ranking as Ranking
from .ranking import rank_systems as rank_systems
from .system import System as System
