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

/* Whether starts ascend within 0 to size, and every item lies within 0 to columns - 1, unless columns is -1. */
RB_EXPORT bool rb_are_valid_lists(const rb_lists *lists, int64_t size, int64_t columns);

/* Count the entries of both matrices, of the first and of the second, by column; or of both by row. Given zeros. */
RB_EXPORT void rb_count_overlap(const rb_lists *first, const rb_lists *second, int64_t *both, int64_t *in_first,
                                int64_t *in_second);
RB_EXPORT void rb_count_row_overlap(const rb_lists *first, const rb_lists *second, int64_t *both);

/* Every cell that truth, a or b holds, with its code: 1 if in truth + 2 if in a + 4 if in b. The number of cells is
 * returned. `tally` (columns x 8, given zeros) counts the codes of each column; or, if it is NULL, row starts (the first
 * given as 0), columns and codes list the cells. */
RB_EXPORT int64_t rb_compare_decisions(const rb_lists *truth, const rb_lists *a, const rb_lists *b, int64_t *tally,
                                       int64_t *starts, int32_t *columns, int8_t *codes);

/* The score at each cell, `floor` if none is stored. */
RB_EXPORT void rb_scores_at(const rb_rows *scores, const rb_lists *cells, double floor, double *values);

/* Rankings: their listed scores, the number of items, the score of items not listed, the scores of the labels. */
typedef struct {
    const int64_t *starts;
    const double *values;
    int64_t items;
    double floor;
    const int64_t *label_starts;
    const double *labels;
} rb_rankings;
/* For each label: items that score more, items that score at least as much, labels that score at least as much. */
RB_EXPORT int rb_rank_labels(int64_t n, const rb_rankings *rankings, int64_t *above, int64_t *rank, int64_t *hits,
                             const int32_t *stop);

/* Points of rankings: recall hits / labels and precision hits / rank; 0 <= hits <= labels, 1 <= labels, 1 <= rank. */
typedef struct { const int64_t *row, *hits, *rank, *labels; } rb_recall_points;
/* Rankings x 11: the highest precision with recall in [i/10, (i + 1)/10), and in the last column the precision at the
 * point with most hits, the last of equals. Both arrays are given as zeros. False if a point cannot be. */
RB_EXPORT bool rb_recall_levels(int64_t n, const rb_recall_points *points, int64_t rankings, int64_t *most_hits,
                                double *table);

/* The columns of the k best scores of each row (rows x k), and their number. */
RB_EXPORT int rb_best_columns(int64_t rows, int64_t columns, const double *values, int64_t k, int64_t *best_columns,
                              int64_t *kept);
RB_EXPORT int rb_best_stored_columns(const rb_rows *stored, int64_t columns, double floor, int64_t k,
                                     int64_t *best_columns, int64_t *kept);

/* The cells that reach each step (given zeros), and the highest score below it (given -inf). Of stored scores with
 * their columns, missing[c] more cells of category c have the score `floor`. */
RB_EXPORT void rb_count_dense_steps(int64_t documents, int64_t categories, const double *scores, const int64_t *starts,
                                    const double *steps, int64_t *counts, double *below);
RB_EXPORT void rb_count_stored_steps(int64_t n, const int32_t *columns, const double *scores, double floor,
                                     const int64_t *missing, int64_t categories, const int64_t *starts,
                                     const double *steps, int64_t *counts, double *below);

/* What the threshold at each step assigns, how much of it is right, whether it is allowed; positives by category. */
typedef struct { const int64_t *starts, *hits, *assigned, *positives; const bool *allowed; } rb_step_tables;
/* The step of each category after coordinate ascent on micro-F1 + weight x macro-F1. */
RB_EXPORT void rb_balance_f1(int64_t categories, const rb_step_tables *tables, double weight, int64_t passes,
                             int64_t *chosen);

/* Sets x 2, given zeros: the weight of similar sets by Jaccard and by MASI, each set's own weight included. */
RB_EXPORT int rb_sum_similarities(const rb_lists *sets, const rb_lists *holders, const double *weights, double *sums,
                                  const int32_t *stop);
/* ---- end measures.c ---- */

/* ---- resampling.c ---- */

/* Documents with each pair of codes (size x size, given zeros), and the first of them (given -1). */
RB_EXPORT void rb_count_code_pairs(int64_t n, const int32_t *first, const int32_t *second, int64_t size,
                                   int64_t *counts, int64_t *seen);
/* The sum of squared differences of the slopes; documents with different codes are returned. */
RB_EXPORT int64_t rb_sum_code_gaps(int64_t n, const int32_t *first, const int32_t *second, const double *slopes,
                                   double *sum);

/* Rankings end to end, best item first: its document, whether it is true, whether it is the last of its tie. */
typedef struct {
    const int64_t *starts;
    const int32_t *documents;
    const bool *is_true, *is_last;
} rb_ranked_items;
/* Rankings x 5: average precision, R-precision, 11-point average precision, break-even point, optimal F1. */
RB_EXPORT void rb_weighted_rankings(int64_t n, const rb_ranked_items *items, const int64_t *missed,
                                    const int64_t *weights, double *values);

/* Patterns x draws, given zeros: the summed weights of the documents of each pattern. */
RB_EXPORT int rb_sum_pattern_weights(int64_t documents, int64_t draws, int64_t patterns, const int64_t *codes,
                                     const uint8_t *weights, int32_t *sums, const int32_t *stop);

/* The mean ratio and the square of ratios x its standard error in each draw, both given zeros. */
RB_EXPORT int rb_ratio_errors(const rb_rows *above, const rb_rows *below, int64_t ratios, int64_t draws,
                              const int32_t *weights, double *means, double *squares, const int32_t *stop);

/* The fold of each document, given -1; from the order of categories, of documents, and of folds for each category. */
RB_EXPORT int rb_assign_folds(const rb_lists *by_category, const rb_lists *by_document, const int64_t *category_order,
                              const int64_t *document_order, int64_t folds, const int64_t *fold_orders,
                              int64_t *fold_ids, const int32_t *stop);
/* ---- end resampling.c ---- */

/* ---- hierarchy.c ---- */

/* The fewest links between x[i] and y[i], -1 without a path; pairs are sorted by x. */
RB_EXPORT int rb_graph_distances(const rb_lists *parents, const rb_lists *children, int64_t n, const int64_t *x,
                                 const int64_t *y, int64_t *distances, const int32_t *stop);

/* The links between x[i] and y[i] in a tree, and the nodes on either side, with their starts (the first given as 0). */
RB_EXPORT void rb_tree_paths(int64_t nodes, const int64_t *parents, const int64_t *depths, int64_t n, const int64_t *x,
                             const int64_t *y, int64_t *links, int64_t *x_starts, int32_t *x_nodes, int64_t *y_starts,
                             int32_t *y_nodes);

/* `pairs` numbers the connection of each pair of a true and an assigned label of a document, in that order. Connection
 * c has links[c] links (-1: none) and paths path_starts[c] to path_starts[c + 1] - 1; x and y are the nodes of each
 * path on the side of the true and of the assigned label, the meeting point on both. */
typedef struct {
    const int64_t *pairs, *links, *path_starts;
    rb_lists x, y;
    int64_t nodes, limit;
} rb_connections;
/* 3 x documents: nodes in both sets, assigned alone, true alone. */
RB_EXPORT int rb_count_smallest_graphs(const rb_lists *truth, const rb_lists *assigned,
                                       const rb_connections *connections, int64_t *counts, const int32_t *stop);
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
/* ---- end linear_svm.c ---- */

/* ---- kernel_svm.c ---- */
/* ---- end kernel_svm.c ---- */

/* ---- leave_one_out.c ---- */
/* ---- end leave_one_out.c ---- */
