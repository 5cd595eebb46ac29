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
/* For tests: let the allocation of this number fail (0: the next one, -1: none); return how many are not freed. */
RB_EXPORT int64_t rb_test_allocations(int64_t fail_at);

/* An array that a function allocates because its length is only known at the end; freed by rb_free_buffer. */
typedef struct { int64_t bytes, capacity; uint8_t *data; } rb_buffer;
RB_EXPORT void rb_free_buffer(rb_buffer *buffer);

/* ---- shared nouns ---- */

/* A sparse matrix in CSR form: row i holds positions starts[i] to starts[i + 1] - 1. */
typedef struct { int64_t length; const int64_t *starts; const int32_t *terms; const double *values; } rb_rows;

/* The same in single precision. */
typedef struct { int64_t length; const int64_t *starts; const int32_t *terms; const float *values; } rb_float_rows;

/* Lists of whole numbers end to end: list i holds items[starts[i]] to items[starts[i + 1] - 1]. */
typedef struct { int64_t length; const int64_t *starts; const int32_t *items; } rb_lists;

/* ---- text.c ---- */

/* Texts in UTF-8 end to end: text i ends before ends[i]. */
typedef struct { int64_t length; const uint8_t *bytes; const int64_t *ends; } rb_texts;

/* What a word is made of: fold[b] is 0 if byte b is not part of a word, 1 if b starts a longer code point, else the
 * folded byte; lower[b] is b with ASCII capitals folded; classes[c] tells whether code point c is part of a word. */
typedef struct {
    int64_t class_count;
    const uint8_t *fold, *lower;
    const bool *classes;
} rb_alphabet;

/* Numbered words: word w is pool[ends[w]] to pool[ends[w + 1] - 2], and a line feed follows. A slot is two values: the
 * hash of a word, and its length << 32 | its number + 1, or 0 if the slot is free. Half of the slots stay free. */
typedef struct {
    int64_t slot_count, pool_capacity;
    uint64_t seed;
    uint64_t *slots;
    int64_t *ends;
    uint8_t *pool;
    int64_t *size;
} rb_words;

/* Numbered phrases: keys[p] is (number of the phrase without its last term) << 32 | last term, or -1 if p is free. */
typedef struct {
    int64_t slot_count;
    uint64_t seed;
    int64_t *keys;
    int32_t *numbers;
    int64_t *size;
} rb_phrases;

/* Phrases of `shortest` to `longest` terms among `window` consecutive ones, at most `max_step` places apart. */
typedef struct { int64_t shortest, longest, window, max_step, max_per_place, first_free; } rb_phrase_form;

RB_EXPORT void rb_scan_words(const rb_texts *texts, const rb_alphabet *alphabet, const rb_words *table,
                             int32_t *ids, int64_t *starts, int64_t *progress);
RB_EXPORT void rb_move_words(const rb_words *table, int64_t slot_count, uint64_t *slots);
RB_EXPORT void rb_number_ngrams(const rb_texts *runs, int64_t shortest, int64_t longest, const rb_words *table,
                                int64_t buckets, int32_t *ids, int64_t *starts, int64_t *progress);
RB_EXPORT void rb_number_phrases(const rb_lists *texts, const rb_phrase_form *form, const rb_phrases *table,
                                 int32_t *numbers, int64_t *starts, int32_t *pairs, int64_t *progress);
RB_EXPORT void rb_move_phrases(const rb_phrases *table, const rb_phrases *larger);
RB_EXPORT void rb_renumber(const rb_lists *texts, const int32_t *renumbered, int64_t *starts, int32_t *items);
RB_EXPORT void rb_expand(const rb_lists *texts, const rb_lists *runs, int64_t *starts, int32_t *items);
RB_EXPORT void rb_count_terms(const rb_lists *texts, int64_t *last_places, int64_t *starts, int32_t *terms,
                              int32_t *counts);
RB_EXPORT int rb_sort_counts(const rb_lists *rows, const int32_t *counts, const int32_t *renumbered,
                             int64_t *lengths, int32_t *columns, int32_t *sorted_counts);
RB_EXPORT int rb_find_places(const int32_t *ids, int64_t length, int64_t words, int64_t *starts, int64_t *places);
/* ---- end text.c ---- */

/* ---- sparse.c ---- */
RB_EXPORT void rb_row_maxima(const int64_t *starts, int64_t rows, const double *values, double *maxima);
RB_EXPORT void rb_row_means(const int64_t *starts, int64_t rows, const double *values, double *means);
RB_EXPORT void rb_make_unit(const int64_t *starts, int64_t rows, bool scale_first, double *values);
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
/* A network: W1 terms x units, b1, W2 outputs x width, b2. Without a hidden layer there are no outputs and no W2. */
typedef struct { float *W1, *b1, *W2, *b2; } rb_layers;
/* Documents in single precision with labels and weights, and the order in which one pass visits all of them. */
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

/* Documents to grow a tree from: the words of each document, the documents of each word, both ascending; whether each
   document is positive, its weight, and for each word the weight of the documents that have it. */
typedef struct {
    rb_lists rows, postings;
    const bool *truth;
    const double *weights, *word_weights;
} rb_tree_cases;

/* A split leaves `min_weight` or more on either side; it is chosen by gain ratio or by gain. table[x] is x log2 x. */
typedef struct { double min_weight; bool by_ratio; int64_t table_length; const double *table; } rb_split_rule;

/* Nodes, children after their parents: the word asked for (-1 at a leaf), the child with it and the child without it,
   the documents as the range first to last - 1 of `order`, their weight and that of the positive ones. */
typedef struct {
    int64_t *asked, *present, *without, *first, *last;
    double *positives, *totals;
    int32_t *order;
} rb_tree;

RB_EXPORT int rb_grow_tree(const rb_tree_cases *cases, const rb_split_rule *rule, const rb_tree *tree, int64_t *size,
                           const int32_t *stop);
RB_EXPORT double rb_expected_errors(double total, double positives, double confidence, double z);
RB_EXPORT int rb_prune_tree(const rb_tree_cases *cases, double confidence, double z, const rb_tree *tree, int64_t *size,
                            const int32_t *stop);
RB_EXPORT int rb_smooth_tree(const rb_tree *tree, int64_t size, double a, double leaf_prior, double *probabilities);

RB_EXPORT int rb_walk_trees(const rb_lists *rows, int64_t width, const int64_t *roots, int64_t trees,
                            const int64_t *asked, const int64_t *present, const int64_t *without, int64_t *leaves);

/* ---- end trees.c ---- */

/* ---- boosting.c ---- */

/* Rounds, the share of each step that is taken, leaves of a tree, least rows of a leaf, penalty on leaf values. */
typedef struct { int64_t rounds; double rate; int64_t leaves, min_rows; double penalty; } rb_boosting;

/* Trees, rounds x nodes: the feature asked for (-1 at a leaf), the largest value that goes left, the left child (the
   right one follows it), the value of a leaf. */
typedef struct {
    const int64_t *features;
    const double *limits;
    const int64_t *lefts;
    const double *values;
} rb_boosted_trees;

RB_EXPORT int rb_grow_boosted_trees(const uint8_t *bins, const double *truth, int64_t rows, int64_t columns,
                                    const rb_boosting *settings, double base, int64_t *features, int64_t *last_bins,
                                    int64_t *lefts, double *values, const int32_t *stop);
RB_EXPORT void rb_add_boosted_trees(const rb_boosted_trees *trees, int64_t rounds, int64_t nodes, const double *X,
                                    int64_t rows, int64_t columns, double *scores);

/* ---- end boosting.c ---- */

/* ---- label_trees.c ---- */

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

/* Documents to learn rules from: their terms, ascending, the number of terms, whether each document is positive, its
   weight; `absent`: rules may ask for the absence of a term. */
typedef struct {
    rb_lists rows;
    int64_t columns;
    const bool *positive;
    const double *weights;
    bool absent;
} rb_rule_examples;

/* The documents that hold term t: documents[starts[t]] to documents[ends[t] - 1], ascending. */
typedef struct { const int64_t *starts, *ends, *documents; } rb_holders;

/* Rules end to end: rule r has conditions[starts[r]] to conditions[starts[r + 1] - 1]. */
typedef struct { int64_t length; const int64_t *starts, *conditions; } rb_rules;

RB_EXPORT int64_t rb_find_covered(const rb_lists *rows, const int64_t *documents, int64_t count,
                                  const int64_t *conditions, int64_t size, int64_t *covered);
RB_EXPORT void rb_weigh_prefixes(const rb_rule_examples *examples, const double *costs, const int64_t *documents,
                                 int64_t count, const int64_t *conditions, int64_t size, double *positive,
                                 double *negative);
RB_EXPORT int rb_grow_rule(const rb_rule_examples *examples, const int64_t *documents, int64_t count,
                           int64_t *conditions, int64_t *size);
RB_EXPORT int rb_grow_rule_set(const rb_rule_examples *examples, const rb_holders *holders, const int64_t *documents,
                               int64_t count, rb_buffer *conditions, rb_buffer *ends, const int32_t *stop);

/* Steps of pruning: the error added for each condition saved, the rule, the place of the condition taken out (-1: the
   whole rule); and the held-out error before the first step and after each. */
typedef struct { double *added; int64_t *rules, *places; double *errors; } rb_pruning_steps;
RB_EXPORT int rb_prune_rule_set(const rb_rule_examples *examples, const rb_holders *holders, const rb_rules *rules,
                                const double *counts, const double *held_out, const rb_pruning_steps *steps,
                                int64_t *made, const int32_t *stop);
RB_EXPORT int rb_list_descriptions(const rb_rule_examples *examples, double support, double confidence,
                                   int64_t max_terms, rb_buffer *terms, rb_buffer *ends, rb_buffer *covers,
                                   const int32_t *stop);
RB_EXPORT int rb_choose_rules(const rb_rule_examples *examples, const rb_holders *holders, const rb_rules *rules,
                              const int64_t *order, double confidence, int64_t needed, int64_t *chosen, int64_t *count);

/* Rules that can be looked up by the terms of a document: each has a strength and a category; those that begin with the
   presence of term t are by_term[term_starts[t]] to by_term[term_starts[t + 1] - 1], all others are `others`. */
typedef struct {
    rb_rules rules;
    const double *strengths;
    const int64_t *category;
    int64_t categories;
    const int64_t *term_starts, *by_term, *others;
} rb_rule_index;
RB_EXPORT int rb_fire_rules(const rb_lists *rows, const rb_rule_index *index, int64_t columns, int64_t others,
                            double slight, double *scores);

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

/* The documents of one category that may change their beta = y alpha: size x size kernel values, y, C. `outside` is the sum
 * of beta over all other documents. */
typedef struct { int64_t size; const double *kernel, *y, *cap; double outside; bool free_bias; } rb_margin_set;

/* Documents left out one at a time: place in the margin set or -1, beta before; beta and gradient y - f of the margin set
 * (one row each, f without the bias), bias, duality gap, steps (-1: no solution in this margin set). */
typedef struct {
    int64_t length; const int64_t *place; const double *own_beta; double *beta, *gradient, *bias, *gap; int64_t *steps;
} rb_removals;

RB_EXPORT int rb_retrain(const rb_margin_set *set, const rb_removals *removals, int64_t limit, const int32_t *stop);
RB_EXPORT int rb_measure(const rb_margin_set *set, const rb_removals *removals);

/* ---- end leave_one_out.c ---- */
