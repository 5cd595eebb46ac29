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

/* The weights of `length` items by term. A term with many weights has a row of dense, else a list; rows[t] is the
 * number of its row or -1. dense: blocks of `width` items x row_count x width, the last block filled up with zeros. The
 * list of term t: items[starts[t]] to items[starts[t + 1] - 1], ascending, and their weights. offsets is b, NULL for
 * zeros. */
typedef struct {
    int64_t length, width, row_count;
    const int32_t *rows;
    const double *dense;
    const int64_t *starts;
    const int32_t *items;
    const double *weights, *offsets;
} rb_index;

/* Similarities of queries to documents in single precision, each off by `error` at most, and the queries' vectors. */
typedef struct { const float *estimates; double error; const double *vectors; } rb_estimates;

/* Find the k best items of each query. factors may be NULL if the index has no offsets. */
RB_EXPORT int rb_best_items(const rb_rows *queries, const double *factors, const rb_index *index, int64_t k,
                            int64_t *items, double *scores);
/* Find the k nearest of `vectors` (documents x width) for each query. */
RB_EXPORT void rb_nearest_rows(int64_t queries, int64_t documents, int64_t width, int64_t k, const rb_estimates *given,
                               const double *vectors, int64_t *nearest, double *similarities);
/* Add the weight of each neighbour (queries x k) to the scores of its categories. */
RB_EXPORT void rb_add_votes(int64_t queries, int64_t k, const int64_t *documents, const double *weights,
                            const rb_lists *labels, int64_t categories, double *scores);
/* Count the pairs in each bin from `least` upwards (histogram, bins + 1 places, zeros before) and, unless pairs is
 * NULL, append them to it as pairs of int64_t. */
RB_EXPORT int rb_related_documents(const rb_rows *rows, const rb_rows *by_term, int64_t bins, int64_t *histogram,
                                   int64_t least, rb_buffer *pairs, const int32_t *stop);
/* ---- end neighbours.c ---- */

/* ---- networks.c ---- */
/* ---- end networks.c ---- */

/* ---- trees.c ---- */
/* ---- end trees.c ---- */

/* ---- label_trees.c ---- */

/* A sparse matrix in CSR form in single precision. */
typedef struct { int64_t length; const int64_t *starts; const int32_t *terms; const float *values; } rb_float_rows;

/* How a machine is trained: B, b0, the step at which to stop, sweeps at most, w0 as a multiple of a centroid. */
typedef struct { double bias, start, stop; int64_t sweeps; double prior; } rb_hinge;

/* What a node is trained on: its documents, ascending, with their costs C; the branch of each category (-1: not here);
 * at a leaf the category of each branch, else NULL. Weights smaller than `least` are dropped. */
typedef struct {
    int64_t length, branches;
    const int64_t *documents;
    const double *costs;
    const int64_t *branch_of, *categories;
    double least;
    uint64_t seed;
} rb_label_node;

/* All nodes of all trees. Node i has the branches branch_starts[i] to branch_starts[i + 1] - 1, each with a bias and a
 * target: a node, or a category if leaf[i]. Its terms are term_starts[i] to term_starts[i + 1] - 1; entry e of these
 * has the weights weight_starts[e] to weight_starts[e + 1] - 1, each with its branch within the node. */
typedef struct {
    int64_t nodes;
    const bool *leaf;
    const int64_t *branch_starts, *targets;
    const float *biases;
    const int64_t *term_starts, *terms, *weight_starts;
    const int32_t *weight_branches;
    const float *weights;
} rb_label_forest;

/* How wide to search: nodes kept per level, categories kept at the end, columns of the documents. */
typedef struct { int64_t nodes, categories, columns; } rb_beam;

/* Mark which of `count` >= 2 categories belong to the second half: balanced spherical 2-means of their centroids. */
RB_EXPORT int rb_halve_categories(const rb_rows *centroids, int64_t count, const int64_t *categories, int64_t columns,
                                  uint64_t seed, bool *second, const int32_t *stop);
/* Train the machines of a node: biases, and for each of `terms` (int64_t) where its weights start (int64_t, one more at
 * the end); their branches (int32_t) and values (float). */
RB_EXPORT int rb_train_node(const rb_float_rows *vectors, const rb_lists *labels, const rb_rows *centroids,
                            const rb_label_node *given, const rb_hinge *hinge, int64_t columns, float *biases,
                            rb_buffer *terms, rb_buffer *starts, rb_buffer *branches, rb_buffer *weights,
                            const int32_t *stop);
/* Find the best categories of each document in one tree and the logarithms of their scores, documents x
 * beam->categories, in no order; a free place holds category -1. */
RB_EXPORT int rb_search_tree(const rb_float_rows *queries, const rb_label_forest *forest, int64_t root,
                             const rb_beam *beam, double *scores, int64_t *categories);
/* Find the k best categories of each document over all trees and their mean scores, best first; the arrays hold -1 and
 * 0 before, and after in places that stay free. scores and found: documents x width, of all trees side by side. */
RB_EXPORT int rb_merge_trees(int64_t documents, int64_t width, const double *scores, const int64_t *found,
                             int64_t trees, int64_t k, int64_t *best_categories, double *best_scores);
/* ---- end label_trees.c ---- */

/* ---- rules.c ---- */
/* ---- end rules.c ---- */

/* ---- linear_svm.c ---- */
/* ---- end linear_svm.c ---- */

/* ---- kernel_svm.c ---- */
/* ---- end kernel_svm.c ---- */

/* ---- leave_one_out.c ---- */
/* ---- end leave_one_out.c ---- */
