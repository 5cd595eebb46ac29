"""Leave-one-out: each document decided by a classifier trained on all others; exact and fast for SVMs."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rubricate.classifiers.svm.leave_one_out.machines import Machines, is_svm, machines
from rubricate.classifiers.svm.leave_one_out.retraining import Left, leave_one_out_scores
from rubricate.engines import Engine, one_blas_thread, run_tasks
from rubricate.errors import InvalidInput
from rubricate.estimation._estimate import Estimate, names_for
from rubricate.estimation.cross_validation import cross_validation
from rubricate.estimation.definition.estimator import estimator
from rubricate.estimation.theory.bounds import rogers_wagner
from rubricate.labels import indicator
from rubricate.measures import counts
from rubricate.types import Floats, Signature, Sparse

__all__ = ["leave_one_out"]

MEMORY = 1 << 31
"""Bytes that a kernel matrix may take."""
DENSE, SMALL, TINY = 0.1, 3000, 300
"""A linear kernel of rows at least so dense, of no more documents, is treated by its matrix too; so are few of any."""

BIAS = "almost none: the expected estimate is the expected error after training on n − 1 documents (theorem 1)"
SPREAD = "higher than that of 10-fold cross-validation; mean square deviation <= 1/n + 6 Pr(h_n ≠ h_n−1) (theorem 2)"


@estimator(needs_svm=True)
def leave_one_out(
    classifier: Any,
    X: Any,
    labels: Sparse,
    *,
    categories: Any = None,
    every: bool = False,
    single: bool = False,
    sample_weight: Any = None,
    engine: Engine | str = "threads",
    signature: Signature | None = None,
) -> Estimate:
    """Err_loo = (1/n) Σ L(h_{n\\i}(x_i), y_i), and the table of all such decisions (joachims2000, section 3.4).

    For an SVM the answer to that paper's open question: only the documents that its condition leaves in doubt are
    removed, and the solution is repaired from the full one instead of found anew. With a free bias those are the
    documents with 2 α_i R² + ξ_i >= 1 (lemma 1, where the retrained solution is stable; where 10 or fewer documents
    have 0 < α < C every support vector, and where none has every document is taken), otherwise those with
    α_i K(x_i, x_i) >= y_i f(x_i), which needs no such proviso. A document misclassified by the full solution remains so
    and is not re-solved. Decisions equal those of retraining.

    `scores` are leave-one-out scores of all documents re-solved and of those with α = 0, whose removal changes
    nothing; of the others the full solution's, or exact ones too with `every` (for learning cuts and calibration).
    Zero decides as "not in the category". `facts`: `candidates`, documents with α > 0 and others re-solved; `settled`
    of them by the conditions above; `solves`, the others; `steps`; `short`, re-solves that ended before the sign was
    certain; `unstable`, retrained solutions without 0 < α < C, whose bias is the middle of an interval; `disagreement`
    of full and retrained decisions on the document left out, and theorem 2's bound with it (the document left out feels
    its removal most, so this is on the safe side). A document alone on its side is an error. Costs of
    `class_weight="balanced"` stay those of all documents.

    With `sample_weight` C_i = C w_i, as in `SVM.fit`; a fitted SVM needs those of its training, and others are refused.
    Documents are counted, not weights. Other classifiers are trained once for each document.

    Bias: almost none (theorem 1). Spread: higher than that of 10-fold cross-validation. Cost for linear SVMs: the
    inverse of one matrix a category and some ten microseconds for each document in doubt (`svm_leave_one_out_pivots`),
    less in all than 10-fold cross-validation; memory 4 s² bytes for s documents near the margin, 8 n² for kernels.
    """
    if not is_svm(classifier):
        if sample_weight is not None:
            raise InvalidInput(
                "leave_one_out weighs documents only for an SVM; leave sample_weight out, or give an SVM"
            )
        found = cross_validation(
            classifier, X, labels, categories=categories, folds=labels.shape[0], stratified=False, single=single,
            engine=engine, signature=signature,
        )  # fmt: skip
        return _renamed(found)
    machine = machines(classifier, X, indicator(labels), sample_weight)
    gram = _gram(machine)
    columns = range(machine.labels.shape[1])
    with one_blas_thread():
        left = run_tasks(lambda c: leave_one_out_scores(machine, c, gram=gram, every=every), columns, engine=engine)
    scores = np.column_stack([one.score for one in left])
    return Estimate(
        method="leave_one_out",
        documents=machine.labels.shape[0],
        categories=names_for(categories, machine.labels.shape[1]),
        table=counts(machine.labels, sparse.csr_array(scores > 0)),
        bias=BIAS,
        spread=SPREAD,
        undetermined=np.array([bool(one.unstable.any()) for one in left]),
        scores=scores,
        facts=_facts(left, scores.shape[0]),
        signature=signature or Signature(classifier=" ".join(repr(classifier).split())),
    )


def _gram(machine: Machines) -> Floats | None:
    """The whole kernel matrix, shared by the categories; None where the rows do better, for sparse linear SVMs."""
    n, cells = machine.X.shape[0], machine.X.shape[0] * machine.X.shape[1]
    small = n <= TINY or (n <= SMALL and machine.X.nnz >= DENSE * cells)
    if machine.kernel.name == "linear" and not small:
        return None
    if 8 * n * n > MEMORY:
        raise InvalidInput(
            f"exact leave-one-out of a kernel SVM needs the kernel matrix of all {n} documents, {8 * n * n >> 20} MB; "
            "use xi_alpha or cross_validation, or fewer documents"
        )
    return np.ascontiguousarray(machine.kernel.matrix(machine.X, machine.X) + machine.shift)


def _facts(left: list[Left], n: int) -> dict[str, Any]:
    apart = np.array([float(np.mean((one.score > 0) != (one.full > 0))) for one in left])
    candidates, solves = (
        int(sum(part)) for part in zip(*((one.candidates, one.solved.sum()) for one in left), strict=True)
    )
    return {
        "trainings": 1,
        "candidates": candidates,
        "settled": candidates - solves,
        "solves": solves,
        "steps": int(sum(one.steps for one in left)),
        "short": int(sum(one.short for one in left)),
        "unstable": np.array([int(one.unstable.sum()) for one in left]),
        "resolved": np.array([int(one.solved.sum()) for one in left]),
        "disagreement": apart,
        "theorem_2": np.array([rogers_wagner(n, float(share)) for share in apart]),
    }


def _renamed(found: Estimate) -> Estimate:
    from dataclasses import replace

    return replace(found, method="leave_one_out", bias=BIAS, spread=SPREAD)
