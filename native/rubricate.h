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
/* ---- end linear_svm.c ---- */

/* ---- kernel_svm.c ---- */
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
