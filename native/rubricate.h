/* Every struct and function of the compiled library.
 *
 * The build reads this file twice: the C compiler compiles it, and cffi turns it into src/rubricate/native/_declarations.py.
 * Keep to plain declarations; lines that start with # are for the C compiler only.
 *
 * Conventions
 *   - Arrays are C-contiguous and belong to the caller. `const` arrays are only read; Python may pass read-only arrays for them.
 *   - A function that returns `int` returns a status: RB_OK or a negative code that Python raises. Other types are results.
 *   - Python passes any object with attributes of the same names for a struct; None becomes NULL.
 *   - Indices are checked in Python before the call (dtype, contiguity, lengths, ranges).
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#ifdef _WIN32
#define RB_EXPORT __declspec(dllexport)
#else
#define RB_EXPORT __attribute__((visibility("default")))
#endif

enum { RB_OK = 0, RB_NO_MEMORY = -1, RB_STOPPED = -2 };

/* ---- library ---- */

/* 3 if the processor can run the x86-64-v3 variant, else 1. */
RB_EXPORT int64_t rb_level(void);
/* The stamp of the sources that this library was built from: 16 hexadecimal digits. */
RB_EXPORT const char *rb_stamp(void);

/* An array that a function allocates because its length is only known at the end; freed by rb_free_buffer. */
typedef struct { int64_t bytes, capacity; uint8_t *data; } rb_buffer;
RB_EXPORT void rb_free_buffer(rb_buffer *buffer);

/* ---- shared nouns ---- */

/* A sparse matrix in CSR form: row i holds positions starts[i] to starts[i + 1] - 1. */
typedef struct { int64_t length; const int64_t *starts; const int32_t *terms; const double *values; } rb_rows;

/* Lists of whole numbers end to end: list i holds items[starts[i]] to items[starts[i + 1] - 1]. */
typedef struct { int64_t length; const int64_t *starts; const int32_t *items; } rb_lists;

/* ---- text.c ---- */
/* ---- end text.c ---- */

/* ---- sparse.c ---- */
/* ---- end sparse.c ---- */

/* ---- measures.c ---- */
/* ---- end measures.c ---- */

/* ---- hierarchy.c ---- */
/* ---- end hierarchy.c ---- */

/* ---- newswire.c ---- */
/* ---- end newswire.c ---- */

/* ---- neighbours.c ---- */
/* ---- end neighbours.c ---- */

/* ---- networks.c ---- */
/* ---- end networks.c ---- */

/* ---- trees.c ---- */
/* ---- end trees.c ---- */

/* ---- label_trees.c ---- */
/* ---- end label_trees.c ---- */

/* ---- rules.c ---- */
/* ---- end rules.c ---- */

/* ---- linear_svm.c ---- */

/* Up to eight categories over the same documents: bit c of `labels` says whether a document is in category c, `weights`
 * multiply the costs of documents, `costs` are 2 x 8 (of negatives, of positives; 0 in lanes without a category), `penalty`
 * is lambda. `start_beta` (documents x lanes) and `start_bias` are where to start, or both NULL; with `max_rounds` 0 they
 * are only checked. */
typedef struct {
    int64_t lanes, terms, max_sweeps, max_rounds; const uint8_t *labels; const double *weights, *costs;
    const double *start_beta, *start_bias; const uint64_t *seeds; double penalty, tol;
} rb_linear_block;

/* What is known of each lane at the end; where its cells end in the buffers. */
typedef struct { double *bias, *primal, *dual; int64_t *sweeps, *beta_ends, *slack_ends; } rb_lane_values;
typedef struct { int64_t row; double value; } rb_cell;

/* Weights of some terms: `own` are the terms, `weights` length x columns. */
typedef struct { int64_t length, columns; const int32_t *own; const double *weights, *bias; } rb_weights;

/* Put whole numbers into a random order. */
RB_EXPORT void rb_shuffle_documents(int64_t count, int64_t *order, uint64_t seed);
/* Copy documents, their terms renumbered as they are met; returns the number of terms. `place` is -1 for each term, or one
 * of these, before and after; `own` gets the old numbers, -1 for what is folded: terms of a single document. */
enum { RB_SKIP_TERM = -2, RB_FOLD_TERM = -3 };
RB_EXPORT int64_t rb_gather_rows(const rb_rows *rows, int64_t count, const int64_t *chosen, int32_t *place,
                                 int64_t *starts, int32_t *terms, double *values, int32_t *own);
/* Add sum over i of beta_ic x_it to W[t][c]. */
RB_EXPORT void rb_sum_weights(const rb_rows *rows, const rb_rows *beta, int64_t categories, double *W);
/* Set the scores of documents, count x columns; `place` is -1 for each term, before and after. */
RB_EXPORT void rb_score_rows(const rb_rows *rows, int64_t count, const int64_t *chosen, const rb_weights *weights,
                             int32_t *place, double *scores);
/* Solve a block; the buffers get a cell for each beta that is not 0 and for each 1 - y f of a document near the margin or
 * inside, `weights`, unless NULL, terms x lanes. */
RB_EXPORT int rb_solve_linear_block(const rb_rows *rows, const rb_linear_block *block, rb_lane_values *values,
                                    double *weights, rb_buffer *beta, rb_buffer *slack, const int32_t *stop);
/* ---- end linear_svm.c ---- */

/* ---- kernel_svm.c ---- */

/* K(x, z): kind 0 is x.z, 1 (gamma x.z + coef0)^degree, 2 exp(-gamma |x - z|^2); `shift` is added to every value. */
typedef struct { int64_t kind, degree; double gamma, coef0, shift; } rb_kernel;

/* The kernel matrix of `length` documents. `values` holds `capacity` rows of it, `slots` the row that a document has
 * there or -1, `owners` the document of each row or -1, `last_used` times and, in its last place, the present one.
 * `dense` has a zero for each term. A whole matrix needs neither `rows` nor `squares`. */
typedef struct {
    int64_t length, capacity; rb_rows rows; const double *squares; const double *diagonal; rb_kernel kernel;
    double *values; int64_t *slots, *owners, *last_used; double *dense;
} rb_kernel_matrix;

/* One SVM by its dual variables: y = +-1, bounds C_i, beta = y alpha, f = K beta. */
typedef struct { const double *y, *cap; double *beta, *f; } rb_dual;

typedef struct { int64_t has_free_bias, by_gap, max_steps; double tol; } rb_smo_options;

/* Set f = K beta. */
RB_EXPORT void rb_expand_kernel(const rb_kernel_matrix *matrix, const double *beta, double *f);
/* Solve; the result is the ends of the interval of optimal biases and the number of steps. */
RB_EXPORT int rb_solve_kernel_svm(const rb_kernel_matrix *matrix, const rb_dual *dual, const rb_smo_options *options,
                                  double *result, const int32_t *stop);
/* The b that minimises sum C_i max(0, 1 - y_i (score_i + b)). */
RB_EXPORT int rb_best_bias(int64_t length, const double *scores, const double *y, const double *cap, double *bias);
/* ---- end kernel_svm.c ---- */

/* ---- leave_one_out.c ---- */
/* ---- end leave_one_out.c ---- */
