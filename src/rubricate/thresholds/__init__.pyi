"""Public names of `rubricate.thresholds`; `__init__.py` reads this list."""

from rubricate.training.thresholded import Thresholded as Thresholded
from rubricate.types import Decisions as Decisions
from rubricate.types import Scores as Scores

from .definition.catalogue import decide as decide
from .definition.catalogue import resolve as resolve
from .definition.threshold import Threshold as Threshold
from .fixed import FixedCut as FixedCut
from .micro_macro import MicroMacro as MicroMacro
from .pcut import Pcut as Pcut
from .rank_limit import RankLimit as RankLimit
from .rcut import Rcut as Rcut
from .refuse import Refuse as Refuse
from .scut import Scut as Scut
