"""Public names of `rubricate.evaluation`; `__init__.py` reads this list."""

from .evaluating import evaluate as evaluate
from .hierarchy import HierarchyEvaluation as HierarchyEvaluation
from .hierarchy import hierarchy_evaluation as hierarchy_evaluation
from .measuring import evaluate_run as evaluate_run
from .measuring import with_hierarchy as with_hierarchy
from .ranking import RankedSystem as RankedSystem
from .ranking import Ranking as Ranking
from .ranking import rank_systems as rank_systems
from .result import COLUMNS as COLUMNS
from .result import Evaluation as Evaluation
