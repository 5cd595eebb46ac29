"""Public names of `rubricate.classifiers`; `__init__.py` reads this list."""

from .base import Scorer as Scorer
from .classic.charade import CHARADE as CHARADE
from .classic.classi import CLASSI as CLASSI
from .classic.construe import Construe as Construe
from .classic.dtree import DTree as DTree
from .classic.experts import Experts as Experts
from .classic.llsf import LLSF as LLSF
from .classic.nnet import NNet as NNet
from .classic.nnets_parc import NNetsPARC as NNetsPARC
from .classic.ripper import RIPPER as RIPPER
from .classic.swap1 import SWAP1 as SWAP1
from .classic.word import WORD as WORD
from .hierarchical.big_bang import BigBang as BigBang
from .hierarchical.local import Local as Local
from .hierarchical.proximity import Proximity as Proximity
from .hierarchical.tolerant import Tolerant as Tolerant
from .hierarchical.top_down import TopDown as TopDown
from .knn import KNN as KNN
from .label_tree import LabelTree as LabelTree
from .nb import NB as NB
from .rocchio import Rocchio as Rocchio
from .stack import Stack as Stack
from .svm import SVM as SVM
