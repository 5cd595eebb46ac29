"""Public names of `rubricate.labelling`; `__init__.py` reads this list."""

from .agreement.agreement import Agreement as Agreement
from .agreement.agreement import agreement as agreement
from .agreement.alternative import AlternativeAnnotator as AlternativeAnnotator
from .agreement.alternative import alternative_annotator as alternative_annotator
from .checking.out_of_fold import out_of_fold_scores as out_of_fold_scores
from .checking.review import Review as Review
from .checking.review import review_order as review_order
from .checking.suspects import LabelSuspect as LabelSuspect
from .checking.suspects import suspicious_labels as suspicious_labels
from .population.estimates import PopulationEstimates as PopulationEstimates
from .population.estimates import population_estimates as population_estimates
from .population.labelled import LabelledSample as LabelledSample
from .population.powered import powered_mean as powered_mean
from .quantification.classes import class_shares as class_shares
from .quantification.prevalence import Prevalence as Prevalence
from .quantification.prevalence import drift as drift
from .quantification.prevalence import prevalence as prevalence
from .runs import read_predictions as read_predictions
from .sampling.sample import Sample as Sample
from .sampling.sample import draw_sample as draw_sample
from .sampling.sample import planned_size as planned_size
from .sampling.sample_files import read_labelled as read_labelled
from .sampling.sample_files import read_sample as read_sample
from .sampling.sample_files import write_sample as write_sample
