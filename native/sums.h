/* Sums of single-precision rows in a fixed order that compilers can vectorise: element j goes to partial sum
 * j % RB_LANES, then halves of the partial sums are added to halves. */
#pragma once
#include <stdint.h>

enum { RB_LANES = 16 };

static inline float rb_add_lanes(float *sums) {
    for (int k = 0; k < 8; k++) sums[k] += sums[k + 8];
    for (int k = 0; k < 4; k++) sums[k] += sums[k + 4];
    return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

static inline float rb_dot(const float *restrict a, const float *restrict b, int64_t length) {
    float sums[RB_LANES] = {0};
    int64_t j = 0;
    for (; j + RB_LANES <= length; j += RB_LANES)
        for (int k = 0; k < RB_LANES; k++) sums[k] += a[j + k] * b[j + k];
    for (int k = 0; j < length; j++, k++) sums[k] += a[j] * b[j];
    return rb_add_lanes(sums);
}

static inline float rb_sum(const float *a, int64_t length) {
    float sums[RB_LANES] = {0};
    int64_t j = 0;
    for (; j + RB_LANES <= length; j += RB_LANES)
        for (int k = 0; k < RB_LANES; k++) sums[k] += a[j + k];
    for (int k = 0; j < length; j++, k++) sums[k] += a[j];
    return rb_add_lanes(sums);
}
