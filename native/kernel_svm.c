/* One kernel SVM by sequential minimal optimisation, and the best bias for given scores.
 *
 * Problem: max over beta of  sum |beta_i| - sum beta_i beta_j K(x_i, x_j) / 2  with beta_i = y_i alpha_i and
 * 0 <= alpha_i <= C_i; with a free bias also sum beta_i = 0. A penalised bias, lambda b^2 / 2, is a K larger by
 * 1 / lambda (`shift`).
 *
 * Given    a kernel matrix, whole or as rows computed on demand and cached; y = +-1; the bounds C_i (0 excludes a
 *          document); a start beta with f = K beta. beta need not be feasible: it is clipped, and with a free bias moved
 *          until its sum is 0.
 * Returned beta and f, the ends of the interval of optimal biases, the number of steps. Stops at a relative duality gap
 *          or when no optimality (KKT) condition is off by more than the tolerance.
 * Cost     a step is 3 n operations, and one over all stored values for each row that is not in the cache.
 * Ties     the first document wins.
 * Edges    K(x_i, x_i) = 0 or two equal documents: the step goes to a bound. All C_i = 0: beta = 0, bias 0.
 *
 * With a free bias the pair is chosen as in Fan, Chen and Lin (2005), "Working set selection using second order
 * information": i of the largest y - f that may grow, j of the largest second-order gain. Without one: the document of
 * the largest gain (y - f)^2 / K_ii, together with the support vector that adds most to it if both stay within their
 * bounds. Unlike LIBSVM there is no shrinking, and cached rows serve the next category.
 */
#include "common.h"

static const double TINY = 1e-12;        /* stands for the curvature of a direction without any */
static const double PAIR_GAIN = 1.0001;  /* a partner must add more than this factor to the gain of one document */
enum { STEPS_PER_MEASUREMENT = 16 };     /* a measurement of the gap costs about a step */

static double power(double base, int64_t exponent) {
    double result = 1.0;
    for (; exponent > 0; exponent >>= 1, base *= base)
        if (exponent & 1) result *= base;
    return result;
}

/* K(x, z) from x.z and |x|^2 + |z|^2. */
static double kernel_value(const rb_kernel *kernel, double product, double squares) {
    if (kernel->kind == 1) return power(kernel->gamma * product + kernel->coef0, kernel->degree) + kernel->shift;
    if (kernel->kind == 2) return exp(-kernel->gamma * rb_max(squares - 2 * product, 0.0)) + kernel->shift;
    return product + kernel->shift;
}

/* Document i is spread out once, so each product is one pass over the other document without merging terms. */
static void compute_row(const rb_kernel_matrix *matrix, int64_t i, double *row) {
    const rb_rows *x = &matrix->rows;
    for (int64_t p = x->starts[i]; p < x->starts[i + 1]; p++) matrix->dense[x->terms[p]] += x->values[p];
    for (int64_t r = 0; r < matrix->length; r++) {
        double product = 0.0;
        for (int64_t p = x->starts[r]; p < x->starts[r + 1]; p++) product += matrix->dense[x->terms[p]] * x->values[p];
        row[r] = kernel_value(&matrix->kernel, product, matrix->squares[i] + matrix->squares[r]);
    }
    for (int64_t p = x->starts[i]; p < x->starts[i + 1]; p++) matrix->dense[x->terms[p]] = 0.0;
}

/* Row i of the matrix. Two rows are in use at a time, and the cache holds two at least. */
static const double *kernel_row(const rb_kernel_matrix *matrix, int64_t i) {
    int64_t n = matrix->length, slot = matrix->slots[i];
    if (matrix->capacity >= n && slot >= 0) return matrix->values + slot * n;
    int64_t now = ++matrix->last_used[matrix->capacity];
    if (slot < 0) {
        slot = 0;
        for (int64_t k = 1; k < matrix->capacity; k++)
            if (matrix->last_used[k] < matrix->last_used[slot]) slot = k;
        if (matrix->owners[slot] >= 0) matrix->slots[matrix->owners[slot]] = -1;
        compute_row(matrix, i, matrix->values + slot * n);
        matrix->slots[i] = slot, matrix->owners[slot] = i;
    }
    matrix->last_used[slot] = now;
    return matrix->values + slot * n;
}

static void add_multiple(int64_t n, double step, const double *restrict row, double *restrict f) {
    for (int64_t i = 0; i < n; i++) f[i] += step * row[i];
}

static double low(const rb_dual *d, int64_t i) { return d->y[i] > 0 ? 0.0 : -d->cap[i]; }
static double high(const rb_dual *d, int64_t i) { return d->y[i] > 0 ? d->cap[i] : 0.0; }
static double clip(const rb_dual *d, int64_t i, double beta) { return rb_min(rb_max(beta, low(d, i)), high(d, i)); }

static void move(const rb_kernel_matrix *matrix, const rb_dual *d, int64_t i, double beta) {
    if (beta != d->beta[i]) add_multiple(matrix->length, beta - d->beta[i], kernel_row(matrix, i), d->f);
    d->beta[i] = beta;
}

/* The document of the largest y - f that may grow, that value, and the document of the least y - f that may shrink.
 * At the optimum the first value is at most the second, and every bias between them is optimal. */
typedef struct { int64_t i, j; double up, down; } ends;

static ends find_ends(const rb_kernel_matrix *matrix, const rb_dual *d) {
    ends e = {-1, -1, -INFINITY, INFINITY};
    for (int64_t i = 0; i < matrix->length; i++) {
        double residual = d->y[i] - d->f[i];
        if (residual > e.up && d->beta[i] < high(d, i)) e.i = i, e.up = residual;
        if (residual < e.down && d->beta[i] > low(d, i)) e.j = i, e.down = residual;
    }
    return e;
}

/* Clip beta to its bounds; with a free bias then move the documents that gain most until the sum is 0. */
static void make_feasible(const rb_kernel_matrix *matrix, const rb_dual *d, bool has_free_bias) {
    for (int64_t i = 0; i < matrix->length; i++) move(matrix, d, i, clip(d, i, d->beta[i]));
    for (int64_t turn = 0; has_free_bias && turn < 2 * matrix->length; turn++) {
        double total = 0.0, size = 0.0;
        for (int64_t i = 0; i < matrix->length; i++) total += d->beta[i], size += fabs(d->beta[i]);
        if (fabs(total) <= 1e-15 * size) return;
        ends e = find_ends(matrix, d);
        int64_t i = total > 0 ? e.j : e.i;
        if (i < 0) return;
        move(matrix, d, i, clip(d, i, d->beta[i] - total));
    }
}

/* The document that may shrink with the largest gain, difference^2 / curvature; -1 if none. */
static int64_t find_opposite(const rb_kernel_matrix *matrix, const rb_dual *d, const double *row, int64_t i) {
    const double *diagonal = matrix->diagonal;
    int64_t best = -1;
    double best_gain = 0.0, up = d->y[i] - d->f[i];
    for (int64_t j = 0; j < matrix->length; j++) {
        double difference = up - (d->y[j] - d->f[j]);
        if (difference <= 0 || d->beta[j] <= low(d, j)) continue;
        double gain = difference * difference / rb_max(diagonal[i] + diagonal[j] - 2 * row[j], TINY);
        if (gain > best_gain) best = j, best_gain = gain;
    }
    return best;
}

/* Move beta_i up and its best opposite down by the same, at most to the nearer bound; false if there is none. */
static bool exchange(const rb_kernel_matrix *matrix, const rb_dual *d, int64_t i) {
    const double *row = kernel_row(matrix, i), *diagonal = matrix->diagonal;
    int64_t j = find_opposite(matrix, d, row, i);
    if (j < 0) return false;
    double difference = d->y[i] - d->f[i] - (d->y[j] - d->f[j]);
    /* K_ii + K_jj - 2 K_ij is the curvature along (beta_i + t, beta_j - t); the sum of beta stays. */
    double step = difference / rb_max(diagonal[i] + diagonal[j] - 2 * row[j], TINY);
    double room_i = high(d, i) - d->beta[i], room_j = d->beta[j] - low(d, j), room = rb_min(room_i, room_j);
    /* Exactly onto the bound: whether 0 < alpha < C is asked of beta later. */
    double new_i = step >= room && room_i <= room_j ? high(d, i) : d->beta[i] + rb_min(step, room);
    double new_j = step >= room && room_j <= room_i ? low(d, j) : d->beta[j] - rb_min(step, room);
    move(matrix, d, i, new_i);
    move(matrix, d, j, new_j);
    return true;
}

/* The document of the largest gain of its own, (y - f)^2 / K_ii, without a free bias; -1 if all are optimal. */
static int64_t find_single(const rb_kernel_matrix *matrix, const rb_dual *d) {
    int64_t best = -1;
    double best_gain = 0.0;
    for (int64_t i = 0; i < matrix->length; i++) {
        double residual = d->y[i] - d->f[i];
        bool may_move = (residual > 0 && d->beta[i] < high(d, i)) || (residual < 0 && d->beta[i] > low(d, i));
        if (!may_move) continue;
        double gain = residual * residual / rb_max(matrix->diagonal[i], TINY);
        if (gain > best_gain) best = i, best_gain = gain;
    }
    return best;
}

/* The support vector with the largest gain when moved together with i; -1 if none adds to the gain of i alone. */
static int64_t find_partner(const rb_kernel_matrix *matrix, const rb_dual *d, const double *row, int64_t i) {
    int64_t best = -1;
    double own = d->y[i] - d->f[i], own_square = matrix->diagonal[i];
    double best_gain = PAIR_GAIN * own * own / rb_max(own_square, TINY);
    for (int64_t j = 0; j < matrix->length; j++) {
        if (d->beta[j] == 0 || j == i) continue;
        double other = d->y[j] - d->f[j], square = matrix->diagonal[j], volume = own_square * square - row[j] * row[j];
        if (volume <= TINY * own_square * square) continue;
        /* g' K^-1 g, K the 2 x 2 kernel matrix of both and g their residuals. */
        double gain = (own * own * square - 2 * own * other * row[j] + other * other * own_square) / volume;
        if (gain > best_gain) best = j, best_gain = gain;
    }
    return best;
}

/* Move i and its partner to their common optimum if both stay within their bounds, else i alone. */
static void advance(const rb_kernel_matrix *matrix, const rb_dual *d, int64_t i) {
    const double *row = kernel_row(matrix, i), *diagonal = matrix->diagonal;
    int64_t j = find_partner(matrix, d, row, i);
    double own = d->y[i] - d->f[i];
    if (j >= 0) {
        double other = d->y[j] - d->f[j], volume = diagonal[i] * diagonal[j] - row[j] * row[j];
        double new_i = d->beta[i] + (own * diagonal[j] - other * row[j]) / volume;
        double new_j = d->beta[j] + (other * diagonal[i] - own * row[j]) / volume;
        if (clip(d, i, new_i) == new_i && clip(d, j, new_j) == new_j) {
            move(matrix, d, i, new_i);
            move(matrix, d, j, new_j);
            return;
        }
    }
    move(matrix, d, i, clip(d, i, d->beta[i] + own / rb_max(diagonal[i], TINY)));
}

/* Whether primal - dual <= tol primal at this bias. */
static bool is_gap_small(const rb_kernel_matrix *matrix, const rb_dual *d, double bias, double tol) {
    double gap = 0.0, primal = 0.0;
    for (int64_t i = 0; i < matrix->length; i++) {
        double hinge = d->cap[i] * rb_max(0.0, 1 - d->y[i] * (d->f[i] + bias));
        gap += hinge - fabs(d->beta[i]) + d->beta[i] * d->f[i];
        primal += hinge + 0.5 * d->beta[i] * d->f[i];
    }
    return gap <= tol * primal;
}

/* The interval of optimal biases; its middle twice if the ends have not met. */
static void set_biases(const ends *e, double *result) {
    double up = e->i < 0 ? (e->j < 0 ? 0.0 : e->down) : e->up, down = e->j < 0 ? up : e->down;
    double middle = 0.5 * (up + down);
    result[0] = rb_min(up, middle), result[1] = rb_max(down, middle);
}

int rb_solve_kernel_svm(const rb_kernel_matrix *matrix, const rb_dual *d, const rb_smo_options *options,
                        double *result, const int32_t *stop) {
    int64_t steps = 0;
    double biases[2] = {0.0, 0.0};
    make_feasible(matrix, d, options->has_free_bias);
    for (;; steps++) {
        ends e = {-1, -1, 0.0, 0.0};
        double violation;
        if (options->has_free_bias) {
            e = find_ends(matrix, d);
            set_biases(&e, biases);
            violation = e.i < 0 || e.j < 0 ? 0.0 : e.up - e.down;
        } else {
            e.i = find_single(matrix, d);
            violation = e.i < 0 ? 0.0 : fabs(d->y[e.i] - d->f[e.i]);
        }
        if (violation <= (options->by_gap ? 0.0 : options->tol) || steps >= options->max_steps) break;
        if (steps % STEPS_PER_MEASUREMENT == 0) {
            if (rb_is_stopped(stop)) return RB_STOPPED;
            if (options->by_gap && is_gap_small(matrix, d, 0.5 * (biases[0] + biases[1]), options->tol)) break;
        }
        if (!options->has_free_bias) advance(matrix, d, e.i);
        else if (!exchange(matrix, d, e.i)) break;
    }
    result[0] = biases[0], result[1] = biases[1], result[2] = (double)steps;
    return RB_OK;
}

void rb_expand_kernel(const rb_kernel_matrix *matrix, const double *beta, double *f) {
    for (int64_t i = 0; i < matrix->length; i++) f[i] = 0.0;
    for (int64_t i = 0; i < matrix->length; i++)
        if (beta[i] != 0) add_multiple(matrix->length, beta[i], kernel_row(matrix, i), f);
}

/* ---- the best bias ----
 *
 * Problem: min over b of  sum C_i max(0, 1 - y_i (score_i + b)), convex and piecewise linear.
 * The loss bends at the breakpoints y_i - score_i. A positive costs C_i per unit until b reaches its breakpoint, a
 * negative from there on, so the slope left of b is the sum of C_i over breakpoints below b, less that of the positives:
 * the best b is a quantile of the breakpoints. Returned is the middle of an interval of minima; for one class the
 * breakpoint that ends its loss. Cost: sorting the breakpoints.
 */
static const double FLAT_SLOPE = 1e-12; /* slopes up to this share of all costs count as 0 */

typedef struct { double value, cost; } breakpoint;

static int compare_breakpoints(const void *left, const void *right) {
    const breakpoint *a = left, *b = right;
    if (a->value != b->value) return a->value < b->value ? -1 : 1;
    return (a->cost > b->cost) - (a->cost < b->cost);
}

/* The largest breakpoint with costs of at most `limit` below it; the smallest one if none has. */
static double last_breakpoint(const breakpoint *at, int64_t count, double limit) {
    double below = 0.0, last = at[0].value;
    for (int64_t i = 0; i < count && below <= limit;) {
        last = at[i].value;
        for (; i < count && at[i].value == last; i++) below += at[i].cost;
    }
    return last;
}

int rb_best_bias(int64_t length, const double *scores, const double *y, const double *cap, double *bias) {
    breakpoint *at = RB_ALLOC(breakpoint, length);
    if (!at) return RB_NO_MEMORY;
    int64_t count = 0;
    double positive = 0.0, flat = 0.0;
    for (int64_t i = 0; i < length; i++) {
        if (cap[i] <= 0) continue;
        at[count++] = (breakpoint){y[i] - scores[i], cap[i]};
        positive += y[i] > 0 ? cap[i] : 0.0;
        flat += FLAT_SLOPE * cap[i];
    }
    qsort(at, (size_t)count, sizeof *at, compare_breakpoints);
    *bias = count == 0 ? 0.0
                       : 0.5 * (last_breakpoint(at, count, positive - flat) + last_breakpoint(at, count, positive + flat));
    free(at);
    return RB_OK;
}
