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
/* Word lists as tables; src/rubricate/native/newswire.py describes the fields of these structs. */
typedef struct { const uint8_t *blob; const int64_t *pieces, *operations, *arguments, *sequences, *lists, *ranks,
                 *syllables, *months; int64_t opening; } rb_grammar;
typedef struct { const int64_t *parents, *child_starts, *children, *related_starts, *related, *related_sums, *lists,
                 *subjects; } rb_topics;
typedef struct { int64_t second, third, mislabelled, stray, own, child, parent; } rb_rates;
typedef struct { uint64_t seed; int64_t train; const int64_t *quotas, *documents, *dates; } rb_assignment;
RB_EXPORT void rb_write_stories(const rb_assignment *assignment, int64_t stories, int64_t categories,
                                const rb_grammar *grammar, const rb_topics *topics, const rb_rates *rates,
                                uint8_t *out, int64_t *ends, int64_t *labels);
/* ---- end newswire.c ---- */

/* ---- neighbours.c ---- */
/* ---- end neighbours.c ---- */

/* ---- networks.c ---- */
/* A network: W1 terms x units, b1, W2 outputs x width, b2. Without a hidden layer there are no outputs and no W2. */
typedef struct { float *W1, *b1, *W2, *b2; } rb_layers;
/* Documents in single precision with labels and weights, and the order in which one pass visits all of them. */
typedef struct { int64_t length; const int64_t *starts; const int32_t *terms; const float *values; } rb_float_rows;
typedef struct { rb_float_rows documents; rb_lists labels; const float *weights; const int64_t *order; } rb_lesson;
/* Documents per step, the rate of AdaGrad, and whether the loss is the squared error. */
typedef struct { int64_t batch; float rate; bool squared; } rb_gradient_steps;
RB_EXPORT int rb_train_network(const rb_lesson *lesson, int64_t terms, int64_t units, int64_t outputs, int64_t width,
                               int64_t max_distinct, const rb_layers *network, const rb_layers *sums,
                               const rb_gradient_steps *steps, const int32_t *stop);
RB_EXPORT void rb_output_errors(const rb_lists *labels, const float *weights, int64_t count, const int64_t *documents,
                                int64_t units, const float *bias, bool squared, float *z, float *bias_gradient);
RB_EXPORT void rb_adagrad(int64_t length, float rate, float *gradient, float *weights, float *sums);

/* Documents with targets of -1 or 1, the input of each term (or -1), and the order of each pass. */
enum { RB_LAST = 0, RB_AVERAGE = 1, RB_POCKET = 2 };
typedef struct { rb_rows rows; const int32_t *inputs; const double *targets, *weights; const int32_t *orders;
               } rb_perceptron_lesson;
RB_EXPORT int rb_train_perceptron(const rb_perceptron_lesson *lesson, int64_t max_passes, int64_t size, double margin,
                                  int64_t chosen, double *w, int64_t *passes, const int32_t *stop);

RB_EXPORT int rb_solve_ridge(const rb_rows *A, const rb_rows *transposed, double ridge, double tolerance,
                             int64_t max_iterations, const double *B, double *Z, const int32_t *stop);
RB_EXPORT int rb_linear_scores(const rb_rows *documents, int64_t categories, const double *a, const double *s,
                               const double *b, const rb_rows *weights, double *scores, const int32_t *stop);
/* ---- end networks.c ---- */

/* ---- experts.c ---- */
/* The experts of phrase w: `length[w]` from `first[w]` on, in a block for `room[w]`; `size` places are taken. */
typedef struct { double *seen; int64_t *first, *length, *room; int32_t *category; double *favour, *against;
                 int64_t *size; } rb_expert_pool;
/* What scoring reads of a pool. */
typedef struct { const int64_t *first, *length; const int32_t *category; const double *favour, *against; } rb_experts;
RB_EXPORT int rb_learn_experts(const rb_lists *documents, const rb_lists *labels, const double *weights,
                               const rb_expert_pool *pool, int64_t capacity, double beta, int64_t categories,
                               double *scores, int64_t *progress, const int32_t *stop);
RB_EXPORT int rb_score_experts(const rb_lists *documents, const rb_experts *experts, int64_t categories,
                               double *scores, const int32_t *stop);
/* ---- end experts.c ---- */

/* ---- encoder.c ---- */
RB_EXPORT void rb_gelu_rows(int64_t rows, int64_t width, const float *bias, float *z);
RB_EXPORT void rb_norm_rows(int64_t rows, int64_t width, const float *other, const float *bias, const float *gain,
                            const float *shift, float eps, float *x);
RB_EXPORT void rb_softmax_rows(int64_t documents, int64_t rows, int64_t width, const int64_t *lengths, float *a);
/* ---- end encoder.c ---- */

/* ---- trees.c ---- */
/* ---- end trees.c ---- */

/* ---- label_trees.c ---- */
/* ---- end label_trees.c ---- */

/* ---- rules.c ---- */
/* ---- end rules.c ---- */

/* ---- linear_svm.c ---- */
/* ---- end linear_svm.c ---- */

/* ---- kernel_svm.c ---- */
/* ---- end kernel_svm.c ---- */

/* ---- leave_one_out.c ---- */
/* ---- end leave_one_out.c ---- */
