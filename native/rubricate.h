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
/* ---- end linear_svm.c ---- */

/* ---- kernel_svm.c ---- */
/* ---- end kernel_svm.c ---- */

/* ---- leave_one_out.c ---- */
/* ---- end leave_one_out.c ---- */
