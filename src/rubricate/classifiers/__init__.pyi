"""Public names of `rubricate.classifiers`; `__init__.py` reads this list."""

from .base.scorer import Scorer as Scorer
from .classi import CLASSI as CLASSI
from .construe import Construe as Construe
from .dtree import DTree as DTree
from .experts import Experts as Experts
from .hierarchical.big_bang import BigBang as BigBang
from .hierarchical.local import Local as Local
from .hierarchical.proximity import Proximity as Proximity
from .hierarchical.tolerant import Tolerant as Tolerant
from .hierarchical.top_down import TopDown as TopDown
from .knn import KNN as KNN
from .label_tree import LabelTree as LabelTree
from .llsf import LLSF as LLSF
from .nb import NB as NB
from .nnet import NNet as NNet
from .nnets_parc import NNetsPARC as NNetsPARC
from .rocchio import Rocchio as Rocchio
from .rule_learners.charade import CHARADE as CHARADE
from .rule_learners.ripper import RIPPER as RIPPER
from .rule_learners.swap1 import SWAP1 as SWAP1
from .stack import Stack as Stack
from .svm.svm import SVM as SVM
from .word import WORD as WORD
