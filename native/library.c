/* What the loader asks: which processor this is, and which sources the library was built from. Buffers are freed here, too. */
#define RB_TEST_DEFINITIONS
#include "common.h"
#ifndef RB_STAMP
#define RB_STAMP "unknown"
#endif

#if defined __x86_64__ || defined _M_X64
#include <cpuid.h>
static uint64_t enabled_states(void) {
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

int64_t rb_level(void) {
    uint32_t a, b, c, d;
    const uint32_t fma = 1u << 12, movbe = 1u << 22, osxsave = 1u << 27, avx = 1u << 28, f16c = 1u << 29;
    const uint32_t bmi1 = 1u << 3, avx2 = 1u << 5, bmi2 = 1u << 8, lzcnt = 1u << 5;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return 1;
    if ((c & (fma | movbe | osxsave | avx | f16c)) != (fma | movbe | osxsave | avx | f16c)) return 1;
    if ((enabled_states() & 6) != 6) return 1; /* the system saves the wide registers */
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (b & (bmi1 | avx2 | bmi2)) != (bmi1 | avx2 | bmi2)) return 1;
    if (!__get_cpuid(0x80000001, &a, &b, &c, &d) || !(c & lzcnt)) return 1;
    return 3;
}
#else
int64_t rb_level(void) { return 1; }
#endif

const char *rb_stamp(void) { return RB_STAMP; }

#ifdef RB_TEST
static _Atomic int64_t live_allocations, failing_allocation = -1; /* the only globals, in the build for tests alone */

static bool fails(void) { return failing_allocation >= 0 && failing_allocation-- == 0; }

static void *counted(void *memory) {
    live_allocations += memory != NULL;
    return memory;
}

void *rb_test_malloc(size_t bytes) { return fails() ? NULL : counted(malloc(bytes)); }
void *rb_test_calloc(size_t count, size_t bytes) { return fails() ? NULL : counted(calloc(count, bytes)); }

void *rb_test_realloc(void *memory, size_t bytes) {
    if (fails()) return NULL;
    return memory ? realloc(memory, bytes) : counted(malloc(bytes));
}

void rb_test_free(void *memory) {
    live_allocations -= memory != NULL;
    free(memory);
}

int64_t rb_test_allocations(int64_t fail_at) {
    failing_allocation = fail_at;
    return live_allocations;
}
#define free rb_test_free
#else
int64_t rb_test_allocations(int64_t fail_at) { return fail_at - fail_at; }
#endif

void rb_free_buffer(rb_buffer *buffer) {
    free(buffer->data);
    buffer->data = NULL, buffer->bytes = buffer->capacity = 0;
}
