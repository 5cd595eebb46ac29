"""Exact leave-one-out of support vector machines from one training.

The question (joachims2000, section 5.2, open there): what would the SVM trained without document i say about it? n
trainings answer it. Here one training does, with three facts and two ways of removing a document.

**Who is in doubt.** Let α, ξ, f be the full solution, y f the margins.

- A document with α_i = 0 changes nothing: the solution without it is the same.
- One that is misclassified with its own help stays so. With F the objective of the others and ℓ_i the loss of i, F(w)
  + ℓ_i(w) <= F(w') + ℓ_i(w') and F(w') <= F(w) give ℓ_i(w') >= ℓ_i(w) >= 1.
- With a free bias and stable solutions, 2 α_i R² + ξ_i < 1 proves that it is no error (joachims2000, lemma 1);
  without a bias, or with a penalised one, α_i K(x_i, x_i) < y_i f(x_i) does, for every solution (jaakkola1999).

What is left is removed, one document at a time, from the full solution (`category`).

**When a sign is certain.** Let P and D be the primal and dual values of some feasible w, w* the optimum, and G = P(w)
− D. P is ½ w·w plus a convex function, so P(w) − P(w*) >= ½ |w − w*|², and the same holds for D; their sum is G, so
that |w − w*|² <= G. Without a bias |f(x) − f*(x)| <= √(K(x, x) G), where a penalised bias is one more feature of size
1. A free bias is a weighted quantile of y − w·x, and moves by no more than w·x does for some document z, so that
|f(x) − f*(x)| <= |(w − w*)·(x − z)| <= √(2 R² G), because |x − z|² = K(x, x) − K(x, z) + K(z, z) − K(x, z) <= 2R². In
short |f − f*|² <= reach2 · G (`SolvedSVMs.reach2`). G counts all documents, also those that were not looked at while
solving: where they come to violate their margin and leave the sign open, they enter and it is done again. Where
each document gets one label, signs do not matter: scores are compared with those of other categories, as intervals
(`rubricate.estimation.theory.contest`).

**Near the margin** (`near`, kernels `svm_removals` and `svm_removal_lanes`). The kernel matrix of the documents near
the margin is made once per category, in whole numbers of 16 bits. A removal starts from the full solution: the free
documents take over β_i by fixed shares, and those that violate their condition by more than a threshold make coordinate
steps, each a row of the matrix added to f, while the threshold falls. At every level, and before the first step, the
score is corrected by what it lacks to first order. What remains then is s·M⁻¹s / α_i, s being what the scores of the
free documents lack: of second order, and of known sign. That it lies within the bounds that are used is measured
(`svm_removals`), not proved: the duality gap says too little, as each of hundreds of free documents adds C times its
own violation to it. Documents outside that violate their margin by more than the level enter. This way is taken only
for vectors of about length 1 and moderate C (`near.suits`); scores that the last level leaves open are solved again the
other way.

**By retraining** (`rows` and `matrix`, kernel `svm_retraining`), for all the rest, in double precision: the solver
that trained the SVM starts from the full solution, without document i, and goes on until the gap proves the sign.
Linear SVMs are solved by coordinate descent on their rows (`svm_local`), others, and linear ones of few documents, by
sequential minimal optimisation on the kernel matrix (`svm_smo`).
"""
