"""Public names of `rubricate.estimation`; `__init__.py` reads this list."""

from .definition.estimate import MEASURES as MEASURES
from .definition.estimate import Estimate as Estimate
from .resampling.learning_curve import Forecast as Forecast
from .resampling.learning_curve import LearningCurve as LearningCurve
from .resampling.learning_curve import learning_curve as learning_curve
from .systems.calibration import calibrate as calibrate
from .systems.estimating import estimate as estimate
