/* Rows of a sparse matrix: their largest and mean values, and their lengths made one.
 *
 * Given  where each row starts, and the stored values.
 * Fill   one number per row, or change the values in place.
 * Cost   one to three passes; values are summed from left to right.
 * Edges  an empty row has 0; a row of zeros stays as it is.
 */
#include "common.h"

/* The largest stored value of each row; values must not be negative. */
void rb_row_maxima(const int64_t *starts, int64_t rows, const double *values, double *maxima) {
    for (int64_t row = 0; row < rows; row++) {
        double best = 0.0;
        for (int64_t i = starts[row]; i < starts[row + 1]; i++) best = rb_max(best, values[i]);
        maxima[row] = best;
    }
}

/* The mean of the stored values of each row. */
void rb_row_means(const int64_t *starts, int64_t rows, const double *values, double *means) {
    for (int64_t row = 0; row < rows; row++) {
        double sum = 0.0;
        for (int64_t i = starts[row]; i < starts[row + 1]; i++) sum += values[i];
        means[row] = sum / (double)rb_max_int(1, starts[row + 1] - starts[row]);
    }
}

/* Divide a row by its largest magnitude; false for a row of zeros. */
static bool scale_row(double *row, int64_t length) {
    double top = 0.0;
    for (int64_t i = 0; i < length; i++) top = rb_max(top, fabs(row[i]));
    if (!(top > 0.0)) return false;
    for (int64_t i = 0; i < length; i++) row[i] /= top;
    return true;
}

/* Divide each row by the root of the sum of its squares. With `scale_first` it is divided by its largest magnitude
 * before, so that no square overflows or vanishes. */
void rb_make_unit(const int64_t *starts, int64_t rows, bool scale_first, double *values) {
    for (int64_t r = 0; r < rows; r++) {
        double *row = values + starts[r], square = 0.0;
        int64_t length = starts[r + 1] - starts[r];
        if (scale_first && !scale_row(row, length)) continue;
        for (int64_t i = 0; i < length; i++) square += row[i] * row[i];
        double norm = sqrt(square);
        if (!(norm > 0.0) && !scale_first) continue;
        for (int64_t i = 0; i < length; i++) row[i] /= norm;
    }
}
