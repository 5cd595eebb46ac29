/* Small helpers that several files share. */
#pragma once
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "rubricate.h"

/* In the build for tests allocations are counted, and one of them can be made to fail (library.c). */
#ifdef RB_TEST
void *rb_test_malloc(size_t bytes);
void *rb_test_calloc(size_t count, size_t bytes);
void *rb_test_realloc(void *memory, size_t bytes);
void rb_test_free(void *memory);
#ifndef RB_TEST_DEFINITIONS
#define malloc rb_test_malloc
#define calloc rb_test_calloc
#define realloc rb_test_realloc
#define free rb_test_free
#endif
#endif

/* Maximum and minimum with Python's rule for NaN and ties: the first argument wins unless the second is strictly better. */
static inline double rb_max(double a, double b) { return b > a ? b : a; }
static inline double rb_min(double a, double b) { return b < a ? b : a; }
static inline int64_t rb_max_int(int64_t a, int64_t b) { return b > a ? b : a; }
static inline int64_t rb_min_int(int64_t a, int64_t b) { return b < a ? b : a; }

/* Memory for `count` values of a type. Never 0 bytes, because malloc(0) may return NULL. */
#define RB_ALLOC(type, count) ((type *)malloc(sizeof(type) * (size_t)((count) > 0 ? (count) : 1)))
#define RB_ALLOC_ZEROS(type, count) ((type *)calloc((size_t)((count) > 0 ? (count) : 1), sizeof(type)))

/* Whether the caller has asked for an early return; checked once per outer iteration of long loops. */
static inline bool rb_is_stopped(const int32_t *stop) { return stop && *(const volatile int32_t *)stop; }

/* Append `bytes` bytes to a buffer, growing it by half; false without memory. */
static inline bool rb_append(rb_buffer *buffer, const void *data, int64_t bytes) {
    if (buffer->bytes + bytes > buffer->capacity) {
        int64_t capacity = rb_max_int(buffer->bytes + bytes, buffer->capacity + buffer->capacity / 2 + 64);
        uint8_t *grown = (uint8_t *)realloc(buffer->data, (size_t)capacity);
        if (!grown) return false;
        buffer->data = grown, buffer->capacity = capacity;
    }
    if (bytes) memcpy(buffer->data + buffer->bytes, data, (size_t)bytes);
    buffer->bytes += bytes;
    return true;
}
