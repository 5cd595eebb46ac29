/* The steps of a transformer encoder between its matrix products, on rows of single precision, in place.
 *     rb_gelu_rows       z := (z + bias) Phi(z + bias), Phi the normal distribution (Hendrycks and Gimpel 2016)
 *     rb_norm_rows       x := gain (x + bias + other - mean) / sqrt(variance + eps) + shift, by row (Ba et al. 2016)
 *     rb_softmax_rows    a := exp(a - max) / sum over the first `length` numbers of each row, 0 after them
 *
 * erf is a rational function of x^2 times x, fitted by reweighted least squares on |x| <= 3.9 (absolute error below
 * 4e-7, that of single precision), and exp is 2^k times a polynomial, so that compilers turn both into vector code.
 *
 * Cost   linear in the numbers. Sums over a row have the order of sums.h.
 * Edges  a row of length 0 becomes zeros; NaN stays NaN in a GELU, and makes the whole row NaN in the others.
 */
#include "common.h"
#include "sums.h"

static inline float gelu(float value) {
    float x = fabsf(value * 0.7071067811865476f);
    x = copysignf(x > 3.9f ? 3.9f : x, value);
    float t = x * x, above = 2.1004054815421114e-06f, below = 3.860879223793745e-05f;
    above = above * t + 0.00028478860622271895f, below = below * t + 0.0011414429172873497f;
    above = above * t + 0.0036610597744584084f, below = below * t + 0.014757110737264156f;
    above = above * t + 0.052431222051382065f, below = below * t + 0.11301770806312561f;
    above = above * t + 0.1876668632030487f, below = below * t + 0.4996483027935028f;
    above = above * t + 1.1283791065216064f, below = below * t + 1.0f;
    return 0.5f * value * (1.0f + x * above / below);
}

void rb_gelu_rows(int64_t rows, int64_t width, const float *restrict bias, float *restrict z) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < width; j++) z[i * width + j] = gelu(z[i * width + j] + bias[j]);
}

void rb_norm_rows(int64_t rows, int64_t width, const float *other, const float *restrict bias,
                  const float *restrict gain, const float *restrict shift, float eps, float *x) {
    for (int64_t i = 0; i < rows; i++) {
        float *restrict row = x + i * width;
        const float *restrict added = other + i * width;
        for (int64_t j = 0; j < width; j++) row[j] += bias[j] + added[j];
        float mean = rb_sum(row, width) / (float)width;
        for (int64_t j = 0; j < width; j++) row[j] -= mean;
        float factor = 1.0f / sqrtf(rb_dot(row, row, width) / (float)width + eps);
        for (int64_t j = 0; j < width; j++) row[j] = row[j] * factor * gain[j] + shift[j];
    }
}

/* The largest number of a row, by bits that are in the order of the numbers as whole numbers; a NaN may come first. */
static float largest(int64_t length, const float *row) {
    int32_t best = INT32_MIN, bits;
    float result;
    for (int64_t j = 0; j < length; j++) {
        memcpy(&bits, row + j, sizeof bits);
        bits ^= (bits >> 31) & INT32_MAX;
        best = bits > best ? bits : best;
    }
    best ^= (best >> 31) & INT32_MAX;
    memcpy(&result, &best, sizeof result);
    return result;
}

/* exp(a) for a <= 0: 2^k 2^f with the whole number k nearest to a log2(e), and Taylor's series of 2^f, whose rest is
 * below 1.3e-7 for |f| <= 1/2. Adding 1.5 2^23 rounds to a whole number and leaves it in the low bits. NaN stays. */
static inline float exp_negative(float a) {
    const float rounding = 12582912.0f;
    float y = a * 1.4426950408889634f, power;
    y = -126.0f > y ? -126.0f : y;
    float shifted = y + rounding, f = y - (shifted - rounding), e = 0.00015403530393381609f;
    e = e * f + 0.0013333558146428443f;
    e = e * f + 0.009618129107628477f;
    e = e * f + 0.05550410866482158f;
    e = e * f + 0.2402265069591007f;
    e = e * f + 0.6931471805599453f;
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 127) << 23; /* the other bits of `shifted` are shifted out */
    memcpy(&power, &bits, sizeof power);
    return (e * f + 1.0f) * power;
}

void rb_softmax_rows(int64_t documents, int64_t rows, int64_t width, const int64_t *lengths, float *a) {
    for (int64_t d = 0; d < documents; d++) {
        int64_t length = lengths[d];
        for (int64_t i = 0; i < rows; i++) {
            float *row = a + (d * rows + i) * width, highest = largest(length, row);
            for (int64_t j = 0; j < length; j++) row[j] = exp_negative(row[j] - highest);
            float inverse = 1.0f / rb_sum(row, length);
            for (int64_t j = 0; j < length; j++) row[j] *= inverse;
            memset(row + length, 0, sizeof(float) * (size_t)(width - length));
        }
    }
}
