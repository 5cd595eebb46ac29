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
/* ---- end linear_svm.c ---- */

/* ---- kernel_svm.c ---- */
/* ---- end kernel_svm.c ---- */

/* ---- leave_one_out.c ---- */
/* ---- end leave_one_out.c ---- */
