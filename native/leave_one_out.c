/* One SVM without each of some documents in turn, started from the solution with all of them.
 *
 * Problem: the dual of one category, in beta = y alpha, with low <= beta <= high (0 and C for y = 1, -C and 0 for y = -1),
 *
 *     max  sum |beta_j| - 1/2 sum beta_j beta_k K_jk,      with a free bias also  sum beta_j = 0,
 *
 * with beta_i = 0 for one document i, and the score f(x_i) = sum beta_j K_ij + b of its solution. A penalised bias is part
 * of K, and then b = 0.
 *
 * Given    a margin set: documents that may change their beta, with their kernel matrix and the gradient y - f (f without
 *          b) of the full solution. All other documents keep alpha = 0 or alpha = C. And the removals: for each document i
 *          its beta, its kernel values with the margin set, its score, and its place in the set (-1 if it is not in it).
 * Returned for each removal the score, the duality gap of the margin set, b, the changes of beta, |w' - w|^2, the number of
 *          documents with 0 < alpha < C, and the steps. free = -1: the margin set cannot take over beta_i.
 * Cost     about three passes over the margin set for each step; mostly some hundred steps for a removal.
 * Ties     the first document of the margin set.
 * Edge     no document with 0 < alpha < C: b is the middle of the interval of best values. Curvature 0: the step ends at a
 *          bound.
 *
 * With a free bias beta_i is first handed over to other documents, then steps change two documents at a time: i with the
 * largest gradient that may grow, j with the largest second-order gain (Fan, Chen and Lin 2005). Otherwise a step
 * changes the one document with the largest gain. From time to time the duality gap is measured; a removal ends when its
 * score is certain enough. From a solution with gap G, |f(x) - f*(x)|^2 <= reach2 G, where reach2 is 2 R^2 with a free
 * bias and K(x, x) without: see rubricate.classifiers.svm.leave_one_out for the proof.
 */
#include "common.h"

enum { LANES = 8, STEPS_PER_CHECK = 16 };
static const double NO_CURVATURE = 1e-12;
/* A slope of the loss below this share of all costs counts as zero, so that rounding does not split an interval. */
static const double FLAT_SHARE = 1e-10;

/* What one removal works on. `grow` is 0 where beta may grow, else -INFINITY; `shrink` is 0 where it may shrink, else
 * INFINITY: added to the gradient they leave out the documents at a bound without a branch. */
typedef struct {
    int64_t size;
    double *beta, *low, *high, *gradient, *grow, *shrink, *diagonal, *gain;
    double up, down; /* the largest gradient that may grow, the smallest that may shrink: at the optimum up <= b <= down */
} problem;

static void set_beta(problem *p, int64_t j, double value) {
    p->beta[j] = value;
    p->grow[j] = value < p->high[j] ? 0.0 : -INFINITY;
    p->shrink[j] = value > p->low[j] ? 0.0 : INFINITY;
}

static void add_multiple(double *restrict target, double factor, const double *restrict row, int64_t size) {
    for (int64_t j = 0; j < size; j++) target[j] += factor * row[j];
}

static double dot(const double *restrict a, const double *restrict b, int64_t size) {
    double sums[LANES] = {0}, total = 0;
    int64_t whole = size - size % LANES;
    for (int64_t j = 0; j < whole; j += LANES)
        for (int64_t l = 0; l < LANES; l++) sums[l] += a[j + l] * b[j + l];
    for (int64_t j = whole; j < size; j++) total += a[j] * b[j];
    for (int64_t l = 0; l < LANES; l++) total += sums[l];
    return total;
}

/* Find the largest gradient of those that may grow and the smallest of those that may shrink. Lanes have no order to keep,
 * so that the compiler can use vector instructions. */
static void find_ends(problem *p) {
    const double *gradient = p->gradient, *grow = p->grow, *shrink = p->shrink;
    double largest[LANES], smallest[LANES];
    for (int64_t l = 0; l < LANES; l++) largest[l] = -INFINITY, smallest[l] = INFINITY;
    int64_t whole = p->size - p->size % LANES;
    for (int64_t j = 0; j < whole; j += LANES)
        for (int64_t l = 0; l < LANES; l++) {
            double up = gradient[j + l] + grow[j + l], down = gradient[j + l] + shrink[j + l];
            largest[l] = up > largest[l] ? up : largest[l];
            smallest[l] = down < smallest[l] ? down : smallest[l];
        }
    for (int64_t j = whole; j < p->size; j++) {
        largest[0] = rb_max(largest[0], gradient[j] + grow[j]);
        smallest[0] = rb_min(smallest[0], gradient[j] + shrink[j]);
    }
    p->up = -INFINITY, p->down = INFINITY;
    for (int64_t l = 0; l < LANES; l++) p->up = rb_max(p->up, largest[l]), p->down = rb_min(p->down, smallest[l]);
}

/* The first document with the largest value; -1 if none is above `least`. */
static int64_t find_largest(const double *values, double least, int64_t size) {
    double best[LANES];
    for (int64_t l = 0; l < LANES; l++) best[l] = least;
    int64_t whole = size - size % LANES;
    for (int64_t j = 0; j < whole; j += LANES)
        for (int64_t l = 0; l < LANES; l++) best[l] = values[j + l] > best[l] ? values[j + l] : best[l];
    for (int64_t j = whole; j < size; j++) best[0] = rb_max(best[0], values[j]);
    for (int64_t l = 1; l < LANES; l++) best[0] = rb_max(best[0], best[l]);
    if (best[0] == least) return -1;
    int64_t at = 0;
    while (values[at] != best[0]) at++;
    return at;
}

/* Change two documents, sum beta kept; false if the conditions of the optimum hold. */
static bool step_pair(problem *p, const double *kernel) {
    int64_t size = p->size, i = 0;
    find_ends(p);
    if (p->up <= p->down) return false;
    while (p->gradient[i] + p->grow[i] != p->up) i++;
    const double *row = kernel + i * size, *diagonal = p->diagonal, *gradient = p->gradient, *shrink = p->shrink;
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
    const double *other = kernel + j * size;
    /* A document that reaches its bound gets exactly that value. */
    set_beta(p, i, step == p->high[i] - p->beta[i] ? p->high[i] : p->beta[i] + step);
    set_beta(p, j, step == p->beta[j] - p->low[j] ? p->low[j] : p->beta[j] - step);
    double *restrict changed = p->gradient;
    for (int64_t k = 0; k < size; k++) changed[k] -= step * (row[k] - other[k]);
    return step > 0;
}

/* Change one document; false if the conditions of the optimum hold. */
static bool step_single(problem *p, const double *kernel) {
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
    add_multiple(p->gradient, old - p->beta[j], kernel + j * p->size, p->size);
    return p->beta[j] != old;
}

/* Give beta of the document that goes to others, so that the sum stays as it is: each time to the document with the best
 * change of the objective. False if they cannot take all of it. */
static bool hand_over(problem *p, const double *kernel, double amount) {
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
        add_multiple(p->gradient, -sign * part, kernel + chosen * p->size, p->size);
        amount = part == sign * amount ? 0 : amount - sign * part;
    }
    return true;
}

/* The b with the least loss sum C max(0, y (gradient - b)), the middle of an interval of such b, found from a b nearby.
 * The loss bends where b passes a gradient; left of b its slope is the costs of the gradients below b, less those of the
 * positives. `outside` is what other documents with alpha = C add to the costs of the positives. */
static double best_bias(const problem *p, const double *y, double outside, double b) {
    double positive = outside, tiny = FLAT_SHARE * fabs(outside);
    for (int64_t j = 0; j < p->size; j++) {
        positive += y[j] > 0 ? p->high[j] : 0;
        tiny += FLAT_SHARE * (p->high[j] - p->low[j]);
    }
    for (;;) {
        double below = -positive, at = 0, left = -INFINITY, right = INFINITY;
        for (int64_t j = 0; j < p->size; j++) {
            double cost = p->high[j] - p->low[j], bend = p->gradient[j];
            if (cost == 0) continue;
            if (bend < b) below += cost, left = rb_max(left, bend);
            else if (bend > b) right = rb_min(right, bend);
            else at += cost;
        }
        if (below > tiny && !isinf(left)) b = left;
        else if (below + at < -tiny && !isinf(right)) b = right;
        else {
            left = below >= -tiny && !isinf(left) ? left : b;
            right = below + at <= tiny && !isinf(right) ? right : b;
            return 0.5 * (left + right);
        }
    }
}

/* Primal minus dual value: what each document adds is zero exactly if its conditions of the optimum hold. */
static double duality_gap(const problem *p, const double *y, double b) {
    double gap = 0;
    for (int64_t j = 0; j < p->size; j++) {
        double rest = p->gradient[j] - b, lack = y[j] * rest, cost = p->high[j] - p->low[j];
        gap += cost * (lack > 0 ? lack : 0) - p->beta[j] * rest;
    }
    return rb_max(gap, 0);
}

static bool is_certain(const rb_removals *removals, int64_t r, double score, double gap) {
    double deviation = sqrt(removals->reach2[r] * gap), bar = removals->bar[r];
    if (deviation <= removals->finest) return true;
    if (removals->one_sided) return score + deviation < bar;
    return deviation <= removals->accuracy && fabs(score - bar) > deviation;
}

/* Start removal r; return what is missing in the sum of beta. */
static double start(problem *p, const rb_margin_set *set, const rb_removals *removals, int64_t r, rb_retrained *out) {
    int64_t size = set->size, place = removals->place[r];
    double missing = removals->beta[r];
    p->beta = out->beta + r * size, p->gradient = out->gradient + r * size;
    for (int64_t j = 0; j < size; j++) {
        double cost = j == place ? 0 : set->cap[j];
        p->low[j] = set->y[j] > 0 ? 0 : -cost;
        p->high[j] = set->y[j] > 0 ? cost : 0;
        p->diagonal[j] = set->kernel[j * (size + 1)];
        set_beta(p, j, rb_min(rb_max(p->beta[j], p->low[j]), p->high[j]));
        if (j != place) missing -= p->beta[j] - set->beta[j];
    }
    return missing;
}

/* Set score, gap and b; return whether the score is certain. */
static bool measure(problem *p, const rb_margin_set *set, const rb_removals *removals, int64_t r, rb_retrained *out,
                    bool done) {
    int64_t size = set->size, place = removals->place[r];
    double b = 0, score = removals->score[r] - removals->beta[r] * removals->square[r];
    for (int64_t j = 0; j < size; j++) p->gain[j] = j == place ? 0 : p->beta[j] - set->beta[j];
    score += dot(removals->rows + r * size, p->gain, size);
    if (set->free_bias) {
        find_ends(p);
        b = isinf(p->up) ? p->down : isinf(p->down) ? p->up : 0.5 * (p->up + p->down);
    }
    double gap = duality_gap(p, set->y, b);
    /* The bound of the deviation holds for the best b. It takes some passes, so it is found only to confirm a result. */
    if (set->free_bias && (done || is_certain(removals, r, score + b, gap))) {
        b = best_bias(p, set->y, set->outside - (place < 0 ? removals->beta[r] : 0), b);
        gap = duality_gap(p, set->y, b);
    }
    out->score[r] = score + b, out->gap[r] = gap, out->bias[r] = b;
    return is_certain(removals, r, score + b, gap);
}

static void solve(problem *p, const rb_margin_set *set, const rb_removals *removals, int64_t r, rb_retrained *out) {
    int64_t steps = 0;
    bool done = false;
    while (!measure(p, set, removals, r, out, done) && !done)
        for (int64_t k = 0; k < STEPS_PER_CHECK && !done; k++, steps++)
            done = !(set->free_bias ? step_pair : step_single)(p, set->kernel) || steps >= removals->limit;
    out->steps[r] = steps;
}

static problem make_problem(const rb_margin_set *set, double *memory) {
    int64_t size = set->size;
    problem p = {.size = size, .low = memory, .high = memory + size, .grow = memory + 2 * size};
    p.shrink = memory + 3 * size, p.diagonal = memory + 4 * size, p.gain = memory + 5 * size;
    return p;
}

int rb_leave_out(const rb_margin_set *set, const rb_removals *removals, rb_retrained *out, const int32_t *stop) {
    double *memory = RB_ALLOC(double, 6 * set->size);
    if (!memory) return RB_NO_MEMORY;
    problem p = make_problem(set, memory);
    int status = RB_OK;
    for (int64_t r = 0; r < removals->count && status == RB_OK; r++) {
        double missing = start(&p, set, removals, r, out);
        out->free[r] = -1;
        if (set->free_bias && !hand_over(&p, set->kernel, missing)) continue;
        solve(&p, set, removals, r, out);
        out->free[r] = 0;
        for (int64_t j = 0; j < p.size; j++) out->free[r] += p.low[j] < p.beta[j] && p.beta[j] < p.high[j];
        if (rb_is_stopped(stop)) status = RB_STOPPED;
    }
    free(memory);
    return status;
}

int rb_best_biases(const rb_margin_set *set, const rb_removals *removals, rb_retrained *out) {
    double *memory = RB_ALLOC(double, 6 * set->size);
    if (!memory) return RB_NO_MEMORY;
    problem p = make_problem(set, memory);
    for (int64_t r = 0; r < removals->count; r++) {
        start(&p, set, removals, r, out);
        double outside = set->outside - (removals->place[r] < 0 ? removals->beta[r] : 0);
        out->bias[r] = best_bias(&p, set->y, outside, out->bias[r]);
        out->gap[r] = duality_gap(&p, set->y, out->bias[r]);
    }
    free(memory);
    return RB_OK;
}
