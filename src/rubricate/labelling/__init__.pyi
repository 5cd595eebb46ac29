"""Public names of `rubricate.labelling`; `__init__.py` reads this list."""

from .agreement.agreement import Agreement as Agreement
from .agreement.agreement import agreement as agreement
from .agreement.alternative import AlternativeAnnotator as AlternativeAnnotator
from .agreement.alternative import alternative_annotator as alternative_annotator
from .population.estimates import PopulationEstimates as PopulationEstimates
from .population.estimates import population_estimates as population_estimates
from .population.labelled import LabelledSample as LabelledSample
from .population.powered import powered_mean as powered_mean
from .runs import read_predictions as read_predictions
from .sampling.sample import Sample as Sample
from .sampling.sample import draw_sample as draw_sample
from .sampling.sample import planned_size as planned_size
from .sampling.sample_files import read_labelled as read_labelled
from .sampling.sample_files import read_sample as read_sample
from .sampling.sample_files import write_sample as write_sample
