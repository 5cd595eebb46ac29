"""Public names of `rubricate.estimation`; `__init__.py` reads this list."""

from .calibration import calibrate as calibrate
from .estimating import estimate as estimate
from .learning_curves import Forecast as Forecast
from .learning_curves import LearningCurve as LearningCurve
from .learning_curves import learning_curve as learning_curve
from .results import MEASURES as MEASURES
from .results import Estimate as Estimate
