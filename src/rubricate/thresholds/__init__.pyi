"""Public names of `rubricate.thresholds`; `__init__.py` reads this list."""

from rubricate.training.adapters import Thresholded as Thresholded
from rubricate.types import Decisions as Decisions
from rubricate.types import Scores as Scores

from .base import Threshold as Threshold
from .base import decide as decide
from .base import resolve as resolve
from .fixed import FixedCut as FixedCut
from .fixed import Pcut as Pcut
from .fixed import Rcut as Rcut
from .rank_limit import RankLimit as RankLimit
from .refuse import Refuse as Refuse
from .scut import MicroMacro as MicroMacro
from .scut import Scut as Scut
