"""Public names of `rubricate.thresholds`; `__init__.py` reads this list."""

from rubricate.types import Decisions as Decisions
from rubricate.types import Scores as Scores

from ._decide import decide as decide
from ._resolve import resolve as resolve
from ._threshold import Threshold as Threshold
from ._thresholded import Thresholded as Thresholded
from .fixed import FixedCut as FixedCut
from .micro_macro import MicroMacro as MicroMacro
from .pcut import Pcut as Pcut
from .rank_limit import RankLimit as RankLimit
from .rcut import Rcut as Rcut
from .scut import Scut as Scut
