/* One SVM without each of some documents in turn: steps on the kernel matrix of the documents near the margin.
 *
 * Problem: the dual of one category, in beta = y alpha, with low <= beta <= high (0 and C for y = 1, -C and 0 for y = -1),
 *
 *     max  sum |beta_j| - 1/2 sum beta_j beta_k K_jk,      with a free bias also  sum beta_j = 0,
 *
 * with beta_i = 0 for one document i. A penalised bias is part of K. Only the documents of a margin set may change their
 * beta; all others keep alpha = 0 or alpha = C.
 *
 * Given    the margin set and its kernel matrix, and one row for each removal: beta and the gradient y - f (f without the
 *          bias) of the margin set, which the steps change, the document's place in the set (-1 if it is not in it) and its
 *          beta before.
 * Returned rb_retrain: beta and gradient after at most `limit` steps, their number (-1: the margin set cannot take over
 *          the beta of the document), and the middle of the biases that the conditions of the optimum allow.
 *          rb_measure: for each row of gradients the bias with the least loss, and the duality gap with it.
 * Cost     a step takes about three passes over the margin set, a measurement about ten.
 * Ties     the first document of the margin set.
 * Edge     no document with 0 < alpha < C: the bias is the middle of the interval of best ones. Curvature 0: the step ends
 *          at a bound. A document with C = 0 stays at 0.
 *
 * With a free bias, what beta_i leaves missing in the sum is first handed over to other documents, then steps change two
 * documents at a time: the one with the largest gradient that may grow, and the one with the largest second-order gain
 * with it (Fan, Chen and Lin 2005). Otherwise a step changes the one document with the largest gain.
 */
#include "common.h"

enum { LANES = 8 };
static const double NO_CURVATURE = 1e-12;
/* The conditions of the optimum hold if no gradient is off by more than this. */
static const double TOLERANCE = 1e-10;
/* A slope of the loss below this share of all costs counts as zero, so that rounding does not split an interval. */
static const double FLAT_SHARE = 1e-10;

/* What one removal works on. `grow` is 0 where beta may grow, else -INFINITY; `shrink` is 0 where it may shrink, else
 * INFINITY: added to the gradient they leave out the documents at a bound without a branch. */
typedef struct {
    int64_t size;
    const double *kernel, *y;
    double *beta, *gradient, *low, *high, *grow, *shrink, *diagonal, *gain;
    double up, down; /* the largest gradient that may grow, the smallest that may shrink: at the optimum up <= b <= down */
    int64_t top;     /* the document with the largest gradient that may grow */
} problem;

static void set_beta(problem *p, int64_t j, double value) {
    p->beta[j] = value;
    p->grow[j] = value < p->high[j] ? 0.0 : -INFINITY;
    p->shrink[j] = value > p->low[j] ? 0.0 : INFINITY;
}

static void add_multiple(double *restrict target, double factor, const double *restrict row, int64_t size) {
    for (int64_t j = 0; j < size; j++) target[j] += factor * row[j];
}

/* The first document with the largest value in `values`; -1 if none is above `least`. Lanes let the compiler use vector
 * instructions; as only comparisons are made, they do not change the result. */
static int64_t find_largest(const double *values, double least, int64_t size) {
    double best[LANES];
    int64_t at[LANES], whole = size - size % LANES, found = -1;
    for (int64_t l = 0; l < LANES; l++) best[l] = least, at[l] = -1;
    for (int64_t j = 0; j < whole; j += LANES)
        for (int64_t l = 0; l < LANES; l++) {
            bool better = values[j + l] > best[l];
            best[l] = better ? values[j + l] : best[l];
            at[l] = better ? j + l : at[l];
        }
    for (int64_t l = 0; l < LANES; l++)
        if (best[l] > least || (best[l] == least && at[l] >= 0 && at[l] < found)) least = best[l], found = at[l];
    for (int64_t j = whole; j < size; j++)
        if (values[j] > least) least = values[j], found = j;
    return found;
}

/* Find the largest gradient of those that may grow and the smallest of those that may shrink. */
static void find_ends(problem *p) {
    const double *gradient = p->gradient, *grow = p->grow, *shrink = p->shrink;
    double smallest[LANES], *restrict gain = p->gain;
    int64_t whole = p->size - p->size % LANES;
    for (int64_t l = 0; l < LANES; l++) smallest[l] = INFINITY;
    for (int64_t j = 0; j < whole; j += LANES)
        for (int64_t l = 0; l < LANES; l++) {
            double down = gradient[j + l] + shrink[j + l];
            smallest[l] = down < smallest[l] ? down : smallest[l];
            gain[j + l] = gradient[j + l] + grow[j + l];
        }
    p->down = INFINITY;
    for (int64_t j = whole; j < p->size; j++) {
        p->down = rb_min(p->down, gradient[j] + shrink[j]);
        gain[j] = gradient[j] + grow[j];
    }
    for (int64_t l = 0; l < LANES; l++) p->down = rb_min(p->down, smallest[l]);
    p->top = find_largest(gain, -INFINITY, p->size);
    p->up = p->top < 0 ? -INFINITY : gain[p->top];
}

/* Change two documents, sum beta kept; false if the conditions of the optimum hold. */
static bool step_pair(problem *p) {
    find_ends(p);
    if (p->up - p->down <= TOLERANCE) return false;
    int64_t size = p->size, i = p->top;
    const double *row = p->kernel + i * size, *diagonal = p->diagonal, *gradient = p->gradient, *shrink = p->shrink;
    double *restrict gain = p->gain;
    double up = p->up, own = diagonal[i];
    for (int64_t j = 0; j < size; j++) {
        double lead = up - (gradient[j] + shrink[j]), curvature = own + diagonal[j] - 2 * row[j];
        lead = lead > 0 ? lead : 0;
        gain[j] = lead * lead / (curvature > NO_CURVATURE ? curvature : NO_CURVATURE);
    }
    int64_t j = find_largest(gain, 0.0, size);
    if (j < 0) return false;
    double room = rb_min(p->high[i] - p->beta[i], p->beta[j] - p->low[j]);
    double step = rb_min((up - gradient[j]) / rb_max(own + diagonal[j] - 2 * row[j], NO_CURVATURE), room);
    const double *other = p->kernel + j * size;
    /* A document that reaches its bound gets exactly that value. */
    set_beta(p, i, step == p->high[i] - p->beta[i] ? p->high[i] : p->beta[i] + step);
    set_beta(p, j, step == p->beta[j] - p->low[j] ? p->low[j] : p->beta[j] - step);
    double *restrict changed = p->gradient;
    for (int64_t k = 0; k < size; k++) changed[k] -= step * (row[k] - other[k]);
    return step > 0;
}

/* Change one document; false if the conditions of the optimum hold. */
static bool step_single(problem *p) {
    const double *gradient = p->gradient, *grow = p->grow, *shrink = p->shrink, *diagonal = p->diagonal;
    double *restrict gain = p->gain;
    for (int64_t j = 0; j < p->size; j++) {
        double up = gradient[j] + grow[j], down = gradient[j] + shrink[j];
        double lead = (up > 0 ? up : 0) + (down < 0 ? down : 0);
        gain[j] = lead * lead / (diagonal[j] > NO_CURVATURE ? diagonal[j] : NO_CURVATURE);
    }
    int64_t j = find_largest(gain, 0.0, p->size);
    if (j < 0) return false;
    double old = p->beta[j], value = old + gradient[j] / rb_max(diagonal[j], NO_CURVATURE);
    set_beta(p, j, rb_min(rb_max(value, p->low[j]), p->high[j]));
    add_multiple(p->gradient, old - p->beta[j], p->kernel + j * p->size, p->size);
    return p->beta[j] != old;
}

/* Give beta of the document that goes to others, so that the sum stays as it is: each time to the document with the best
 * change of the objective. False if they cannot take all of it. */
static bool hand_over(problem *p, double amount) {
    while (amount != 0) {
        double sign = amount > 0 ? 1 : -1, part = 0, best = -INFINITY;
        int64_t chosen = -1;
        for (int64_t j = 0; j < p->size; j++) {
            double room = rb_min(sign > 0 ? p->high[j] - p->beta[j] : p->beta[j] - p->low[j], sign * amount);
            double change = sign * p->gradient[j] - 0.5 * room * p->diagonal[j];
            if (room > 0 && change > best) chosen = j, part = room, best = change;
        }
        if (chosen < 0) return false;
        double bound = sign > 0 ? p->high[chosen] : p->low[chosen], value = p->beta[chosen] + sign * part;
        set_beta(p, chosen, sign * value >= sign * bound ? bound : value);
        add_multiple(p->gradient, -sign * part, p->kernel + chosen * p->size, p->size);
        amount = part == sign * amount ? 0 : amount - sign * part;
    }
    return true;
}

/* The b with the least loss sum C max(0, y (gradient - b)), the middle of an interval of such b, found from a b nearby.
 * The loss bends where b passes a gradient; left of b its slope is the costs of the gradients below b, less those of the
 * positives. `outside` is what other documents with alpha = C add to the costs of the positives. */
static double best_bias(const problem *p, double outside, double b) {
    double positive = outside, tiny = FLAT_SHARE * fabs(outside);
    for (int64_t j = 0; j < p->size; j++) {
        positive += p->high[j];
        tiny += FLAT_SHARE * (p->high[j] - p->low[j]);
    }
    double lowest = -INFINITY, highest = INFINITY; /* the best b is between them */
    for (;;) {
        double below = -positive, at = 0, left = -INFINITY, right = INFINITY, lower = 0, upper = 0, least = b, most = b;
        int64_t lower_count = 0, upper_count = 0;
        for (int64_t j = 0; j < p->size; j++) {
            double cost = p->high[j] - p->low[j], bend = p->gradient[j];
            if (cost == 0) continue;
            if (bend < b) {
                below += cost, left = rb_max(left, bend);
                if (bend > lowest) lower += bend, lower_count++, least = rb_min(least, bend);
            } else if (bend > b) {
                right = rb_min(right, bend);
                if (bend < highest) upper += bend, upper_count++, most = rb_max(most, bend);
            } else at += cost;
        }
        /* Go on at the mean of the bends on the better side, which is within them in spite of rounding. */
        if (below > tiny && lower_count) {
            highest = b, b = rb_min(rb_max(lower / (double)lower_count, least), left);
        } else if (below + at < -tiny && upper_count) {
            lowest = b, b = rb_min(rb_max(upper / (double)upper_count, right), most);
        } else {
            left = below >= -tiny && !isinf(left) ? left : b;
            right = below + at <= tiny && !isinf(right) ? right : b;
            return 0.5 * (left + right);
        }
    }
}

/* Primal minus dual value: what each document adds is zero exactly if its conditions of the optimum hold. */
static double duality_gap(const problem *p, double b) {
    double gap = 0;
    for (int64_t j = 0; j < p->size; j++) {
        double rest = p->gradient[j] - b, lack = p->y[j] * rest, cost = p->high[j] - p->low[j];
        gap += cost * (lack > 0 ? lack : 0) - p->beta[j] * rest;
    }
    return rb_max(gap, 0);
}

static double *make_problem(problem *p, const rb_margin_set *set) {
    int64_t size = p->size = set->size;
    double *memory = RB_ALLOC(double, 6 * size);
    if (!memory) return NULL;
    p->kernel = set->kernel, p->y = set->y, p->low = memory, p->high = memory + size, p->grow = memory + 2 * size;
    p->shrink = memory + 3 * size, p->diagonal = memory + 4 * size, p->gain = memory + 5 * size;
    for (int64_t j = 0; j < size; j++) p->diagonal[j] = set->kernel[j * (size + 1)];
    return memory;
}

/* Begin removal r; return the sum of beta over all documents but i that do not change. */
static double begin(problem *p, const rb_margin_set *set, const rb_removals *removals, int64_t r) {
    int64_t size = set->size, place = removals->place[r];
    p->beta = removals->beta + r * size, p->gradient = removals->gradient + r * size;
    for (int64_t j = 0; j < size; j++) {
        double cost = j == place ? 0 : set->cap[j];
        p->low[j] = set->y[j] > 0 ? 0 : -cost;
        p->high[j] = set->y[j] > 0 ? cost : 0;
        set_beta(p, j, rb_min(rb_max(p->beta[j], p->low[j]), p->high[j]));
    }
    return set->outside - (place < 0 ? removals->own_beta[r] : 0);
}

/* The middle of the biases that the conditions of the optimum allow; 0 if they allow any. */
static double middle_bias(problem *p) {
    find_ends(p);
    if (isinf(p->up)) return isinf(p->down) ? 0 : p->down;
    return isinf(p->down) ? p->up : 0.5 * (p->up + p->down);
}

int rb_retrain(const rb_margin_set *set, const rb_removals *removals, int64_t limit, const int32_t *stop) {
    problem p;
    double *memory = make_problem(&p, set);
    if (!memory) return RB_NO_MEMORY;
    int status = RB_OK;
    for (int64_t r = 0; r < removals->length && status == RB_OK; r++) {
        double sum = begin(&p, set, removals, r);
        for (int64_t j = 0; j < p.size; j++) sum += p.beta[j];
        bool going = !set->free_bias || hand_over(&p, -sum);
        removals->steps[r] = going ? 0 : -1;
        while (going && removals->steps[r] < limit && status == RB_OK) {
            going = set->free_bias ? step_pair(&p) : step_single(&p);
            removals->steps[r] += going;
            if (rb_is_stopped(stop)) status = RB_STOPPED;
        }
        removals->bias[r] = set->free_bias ? middle_bias(&p) : 0;
    }
    free(memory);
    return status;
}

int rb_measure(const rb_margin_set *set, const rb_removals *removals) {
    problem p;
    double *memory = make_problem(&p, set);
    if (!memory) return RB_NO_MEMORY;
    for (int64_t r = 0; r < removals->length; r++) {
        double outside = begin(&p, set, removals, r);
        removals->bias[r] = set->free_bias ? best_bias(&p, outside, removals->bias[r]) : 0;
        removals->gap[r] = duality_gap(&p, removals->bias[r]);
    }
    free(memory);
    return RB_OK;
}
