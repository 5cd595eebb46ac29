/* Random whole numbers: SplitMix64 (Steele, Lea and Flood 2014). One 64-bit word of state, the same numbers everywhere. */
#pragma once
#include <stdint.h>

#define RB_RANDOM_STEP 0x9E3779B97F4A7C15u

/* A 64-bit hash of two whole numbers: the finalizer of SplitMix64 over a + (b + 1) step; b + 1, because it maps 0 to 0. */
static inline uint64_t rb_mix(uint64_t a, uint64_t b) {
    uint64_t z = a + (b + 1) * RB_RANDOM_STEP;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* The next 64 random bits. */
static inline uint64_t rb_draw(uint64_t *state) {
    uint64_t word = rb_mix(*state, 0);
    *state += RB_RANDOM_STEP;
    return word;
}

/* A whole number from 0 to n - 1, n < 2^32: the high half of a product; its bias is below n / 2^32. */
static inline int64_t rb_draw_below(uint64_t *state, int64_t n) {
    return (int64_t)(((rb_draw(state) >> 32) * (uint64_t)n) >> 32);
}
