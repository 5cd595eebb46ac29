/* The k best of a stream of items, in a heap whose top is the worst of those kept.
 *
 * Given two arrays of k places and the number of places taken; items come one at a time.
 * Cost  one comparison per item, log2(k) more for an item that is kept; nothing is allocated.
 * Ties  equal values go to the smaller item, in whichever order they come.
 * Edges NaN must not occur; an item is offered at most once; with k = 0 nothing is kept.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

typedef struct { int64_t capacity, size; double *values; int64_t *items; } rb_best;

/* Whether a stands below b. */
static inline bool rb_is_worse(double a, int64_t a_item, double b, int64_t b_item) {
    return a < b || (a == b && a_item > b_item);
}

/* Put an item in place of the top, and down to where nothing worse is below it. */
static inline void rb_best_sink(rb_best *best, double value, int64_t item, int64_t size) {
    int64_t at = 0, child;
    while ((child = 2 * at + 1) < size) {
        if (child + 1 < size &&
            rb_is_worse(best->values[child + 1], best->items[child + 1], best->values[child], best->items[child]))
            child++; /* the worse child becomes the top of its part of the heap */
        if (!rb_is_worse(best->values[child], best->items[child], value, item)) break;
        best->values[at] = best->values[child], best->items[at] = best->items[child];
        at = child;
    }
    best->values[at] = value, best->items[at] = item;
}

/* Keep the item if a place is free or if it is better than the worst. */
static inline void rb_best_offer(rb_best *best, double value, int64_t item) {
    if (best->size == best->capacity) {
        if (best->size > 0 && rb_is_worse(best->values[0], best->items[0], value, item))
            rb_best_sink(best, value, item, best->size);
        return;
    }
    int64_t at = best->size++;
    while (at > 0) {
        int64_t above = (at - 1) / 2;
        if (!rb_is_worse(value, item, best->values[above], best->items[above])) break;
        best->values[at] = best->values[above], best->items[at] = best->items[above];
        at = above;
    }
    best->values[at] = value, best->items[at] = item;
}

/* Put the places taken in order, best first. */
static inline void rb_best_rank(rb_best *best) {
    for (int64_t last = best->size - 1; last > 0; last--) {
        double value = best->values[last];
        int64_t item = best->items[last];
        best->values[last] = best->values[0], best->items[last] = best->items[0];
        rb_best_sink(best, value, item, last);
    }
}
