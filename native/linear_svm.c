/* Linear SVMs of up to eight categories over the same documents, by dual coordinate descent.
 *
 * Problem, for each category with y_i = +-1, C_i = weight_i x cost of that sign, and lambda >= 0 or infinite:
 *
 *     min over w, b:  P = w.w / 2 + lambda b^2 / 2 + sum C_i xi_i,    xi_i = max(0, 1 - y_i (w.x_i + b))
 *     max over beta:  D = sum |beta_i| - |sum beta_i x_i|^2 / 2 - (sum beta_i)^2 / 2 lambda,    0 <= y_i beta_i <= C_i
 *
 * where beta_i = y_i alpha_i. lambda = 0 is a free bias (sum beta_i = 0), lambda = infinity none (b = 0).
 *
 * Method   guess   a few sweeps over all documents for all categories at once: one pass over the terms of a document
 *                  serves all lanes, as the weights are interleaved, W[term][lane]. What has beta != 0 or ends near
 *                  the margin is the working set of the category.
 *          solve   each category alone on its working set, by coordinate descent (Hsieh et al. 2008, "A dual coordinate
 *                  descent method for large-scale linear SVM") with shrinking; loosely in the first round.
 *          check   all documents again, for all lanes at once: the exact P and D, and the new working sets. A category
 *                  with P - D <= tol P is done; the others are solved again, more precisely.
 * Given    the documents in random order (`rb_gather_rows`), bit c of `labels` is y in lane c; optionally beta and b to
 *          start from, which replace the guess.
 * Returned by lane: beta; 1 - y f of what is near the margin or inside (the slack if positive); b, P, D, sweeps.
 * Cost     a sweep of a category is two operations per stored value of its active documents; guess and check are two
 *          per stored value and lane. Memory: 128 bytes per document, 72 per term.
 * Order    documents are visited in their order by the guess, in a new random order for each sweep of a solve, from the
 *          seed of the lane alone. Lanes never touch each other, so results do not depend on what shares a block.
 * Edges    a document of zeros has score b. Lanes whose costs are 0 keep beta = 0. A term may occur twice in a document.
 */
#include "common.h"
#include "random.h"

enum {
    LANES = 8,
    GUESS_SWEEPS = 5,
    FIXED_BIAS_SWEEPS = 2, /* sweeps of the guess before its bias moves: they only find out which documents count */
    FIRST_SWEEPS = 64,  /* sweeps of the first solve, doubled in each round: a hard category gets a check in between */
    PATIENT_ROUNDS = 4, /* rounds after which a category that runs out of sweeps is given back */
};
static const double MARGIN_BAND = 1e-3;  /* how far beyond the margin a document still belongs to the working set */
static const double GUESS_STEP = 1e-5;   /* a step of the guess that changes a score by less is left out */
static const double GUESS_RESIST = 0.3;  /* the share of free documents that damps a change of the bias, in the guess */
static const double MAX_BIAS_STEP = 0.1; /* the first sweeps are far from the optimum and would throw the bias about */
static const double START_BIAS = 1.05;   /* of categories with more than two thirds or (negated) less than one */
static const double FIRST_GAP = 0.01;    /* the relative gap of the first solve, which only has to find the working set */
static const double GAP_SHARE = 0.9;     /* the share of `tol` asked of the second, halved in each further round */
static const double SHRINK = 0.003;      /* a document with beta = 0 this far beyond the margin is shrunk */
static const double RESIST = 0.2;        /* the share of free documents that damps a change of the bias */
static const double NO_STEP = 1e-12;     /* steps that change a score by less are not made */
static const double BIAS_DRIFT = 0.05;   /* a bias that has moved this far since all documents were visited wakes them */

/* ---- documents and weights ---- */

static void shuffle(int64_t count, int64_t *order, uint64_t *random) {
    for (int64_t a = 0; a < count - 1; a++) {
        int64_t j = a + rb_draw_below(random, count - a), held = order[a];
        order[a] = order[j], order[j] = held;
    }
}

void rb_shuffle_documents(int64_t count, int64_t *order, uint64_t seed) { shuffle(count, order, &seed); }

/* Copy documents and renumber their terms in the order in which they are met, so the weights of frequent terms lie
 * together. Terms that only one document has can be folded into one of length sqrt(sum of squares): all products between
 * documents stay the same, and with them the dual, on fewer stored values. */
int64_t rb_gather_rows(const rb_rows *rows, int64_t count, const int64_t *chosen, int32_t *place, int64_t *starts,
                       int32_t *terms, double *values, int32_t *own) {
    int64_t used = 0, at = 0;
    starts[0] = 0;
    for (int64_t a = 0; a < count; a++) {
        double folded = 0.0;
        for (int64_t p = rows->starts[chosen[a]]; p < rows->starts[chosen[a] + 1]; p++) {
            int32_t term = rows->terms[p];
            if (place[term] == RB_FOLD_TERM) folded += rows->values[p] * rows->values[p];
            if (place[term] <= RB_SKIP_TERM) continue;
            if (place[term] < 0) place[term] = (int32_t)used, own[used++] = term;
            terms[at] = place[term], values[at++] = rows->values[p];
        }
        if (folded > 0) own[used] = -1, terms[at] = (int32_t)used++, values[at++] = sqrt(folded);
        starts[a + 1] = at;
    }
    for (int64_t t = 0; t < used; t++)
        if (own[t] >= 0) place[own[t]] = -1;
    return used;
}

/* Beta is documents x categories, W terms x categories. Documents are added in their order. */
void rb_sum_weights(const rb_rows *rows, const rb_rows *beta, int64_t categories, double *W) {
    for (int64_t i = 0; i < rows->length; i++) {
        int64_t first = beta->starts[i], last = beta->starts[i + 1];
        if (first == last) continue;
        for (int64_t p = rows->starts[i]; p < rows->starts[i + 1]; p++) {
            double *w = W + rows->terms[p] * categories, value = rows->values[p];
            for (int64_t k = first; k < last; k++) w[beta->terms[k]] += beta->values[k] * value;
        }
    }
}

/* Terms without weights count 0. Cost: the terms of the weights + stored values x categories. */
void rb_score_rows(const rb_rows *rows, int64_t count, const int64_t *chosen, const rb_weights *weights,
                   int32_t *place, double *scores) {
    int64_t columns = weights->columns;
    for (int64_t t = 0; t < weights->length; t++) place[weights->own[t]] = (int32_t)t;
    for (int64_t a = 0; a < count; a++) {
        double *own = scores + a * columns;
        memcpy(own, weights->bias, (size_t)columns * sizeof *own);
        for (int64_t p = rows->starts[chosen[a]]; p < rows->starts[chosen[a] + 1]; p++) {
            int32_t t = place[rows->terms[p]];
            if (t < 0) continue;
            const double *w = weights->weights + t * columns, value = rows->values[p];
            for (int64_t c = 0; c < columns; c++) own[c] += value * w[c];
        }
    }
    for (int64_t t = 0; t < weights->length; t++) place[weights->own[t]] = -1;
}

/* w.x_i; four sums are kept apart, which lets the processor overlap them. */
static inline double dot_row(const rb_rows *x, int64_t i, const double *w) {
    const int32_t *t = x->terms + x->starts[i];
    const double *v = x->values + x->starts[i];
    int64_t n = x->starts[i + 1] - x->starts[i], p = 0;
    double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
    for (; p + 4 <= n; p += 4) {
        a += w[t[p]] * v[p];
        b += w[t[p + 1]] * v[p + 1];
        c += w[t[p + 2]] * v[p + 2];
        d += w[t[p + 3]] * v[p + 3];
    }
    for (; p < n; p++) a += w[t[p]] * v[p];
    return (a + b) + (c + d);
}

static inline void add_row(const rb_rows *x, int64_t i, double factor, double *restrict w) {
    for (int64_t p = x->starts[i]; p < x->starts[i + 1]; p++) w[x->terms[p]] += factor * x->values[p];
}

/* The scores of all lanes, without bias; even and odd positions are summed apart. */
static inline void dot_lanes(const rb_rows *x, int64_t i, const double *restrict W, double *restrict scores) {
    double even[LANES] = {0}, odd[LANES] = {0};
    int64_t p = x->starts[i], end = x->starts[i + 1];
    for (; p + 2 <= end; p += 2) {
        const double *v = W + (int64_t)x->terms[p] * LANES, *u = W + (int64_t)x->terms[p + 1] * LANES;
        for (int c = 0; c < LANES; c++) even[c] += x->values[p] * v[c];
        for (int c = 0; c < LANES; c++) odd[c] += x->values[p + 1] * u[c];
    }
    if (p < end)
        for (int c = 0; c < LANES; c++) even[c] += x->values[p] * W[(int64_t)x->terms[p] * LANES + c];
    for (int c = 0; c < LANES; c++) scores[c] = even[c] + odd[c];
}

static inline void add_lanes(const rb_rows *x, int64_t i, const double *restrict factors, double *restrict W) {
    for (int64_t p = x->starts[i]; p < x->starts[i + 1]; p++)
        for (int c = 0; c < LANES; c++) W[(int64_t)x->terms[p] * LANES + c] += x->values[p] * factors[c];
}

/* ---- a block under way ---- */

typedef struct {
    const rb_rows *x;
    const rb_linear_block *given;
    double *squares, size;               /* |x_i|^2 and their mean */
    double *W, *beta, *lack;             /* terms x lanes; documents x lanes: beta, and 1 - y f of the last check */
    uint8_t *near;                       /* the working sets, a bit for each lane */
    double bias[LANES], primal[LANES], dual[LANES];
    int64_t sweeps[LANES];
    bool is_done[LANES], is_stuck[LANES];
    /* One category alone: its documents with y, C, beta, the order of visits; its weights. */
    int64_t count;
    int32_t *documents;
    int64_t *order;
    double *y, *cap, *own_beta, *w;
} block;

static inline int sign_bit(const block *b, int64_t i, int lane) { return b->given->labels[i] >> lane & 1; }
static inline double cost(const block *b, int64_t i, int lane) {
    return b->given->weights[i] * b->given->costs[sign_bit(b, i, lane) * LANES + lane];
}
static inline bool is_free(double beta, double cap) { return beta != 0 && fabs(beta) < cap; }

/* ---- guess ---- */

/* One clipped coordinate step in every lane; which lanes are near their margin. */
static unsigned step_lanes(const block *b, int64_t i, const double *scores, double *steps, bool *has_moved) {
    const double square = b->squares[i], inverse = 1 / rb_max(square, 1e-12 * b->size);
    double *beta = b->beta + i * LANES, y[LANES], cap[LANES];
    unsigned near = 0;
    *has_moved = false;
    for (int c = 0; c < LANES; c++) y[c] = 2.0 * sign_bit(b, i, c) - 1, cap[c] = cost(b, i, c);
    for (int c = 0; c < LANES; c++) {
        /* In alpha = y beta: Newton's step with the curvature |x|^2, clipped to 0 ... C. */
        double lack = 1 - y[c] * (scores[c] + b->bias[c]), alpha = y[c] * beta[c];
        double wanted = rb_min(rb_max(alpha + lack * inverse, 0.0), cap[c]);
        bool moves = fabs(wanted - alpha) * square > GUESS_STEP;
        steps[c] = moves ? y[c] * (wanted - alpha) : 0.0;
        beta[c] = moves ? y[c] * wanted : beta[c];
        *has_moved |= moves;
        near |= (unsigned)(beta[c] != 0 || lack > -MARGIN_BAND) << c;
    }
    return near;
}

/* How far the bias moves per unit of sum beta: only free documents react to it, each by about 1 / |x|^2. */
static double bias_step(double penalty, double resist, int64_t free_count, double size) {
    if (penalty == INFINITY) return 0.0;
    double resistance = size > 1e-200 ? resist * (double)rb_max_int(free_count, 5) / size : 0.0;
    return penalty + resistance > 0 ? 1 / (penalty + resistance) : 1.0;
}

static void move_biases(block *b) {
    double total[LANES] = {0}, penalty = b->given->penalty;
    int64_t free_count[LANES] = {0};
    for (int64_t i = 0; i < b->x->length; i++)
        for (int c = 0; b->near[i] && c < LANES; c++) {
            double beta = b->beta[i * LANES + c];
            total[c] += beta;
            free_count[c] += is_free(beta, cost(b, i, c));
        }
    for (int c = 0; c < LANES; c++) {
        double step = bias_step(penalty, GUESS_RESIST, free_count[c], b->size) * (total[c] - penalty * b->bias[c]);
        b->bias[c] += rb_min(rb_max(step, -MAX_BIAS_STEP), MAX_BIAS_STEP);
    }
}

static void start_biases(block *b) {
    for (int c = 0; c < LANES; c++) {
        int64_t positive = 0, n = b->x->length;
        for (int64_t i = 0; i < n; i++) positive += sign_bit(b, i, c);
        b->bias[c] = 3 * positive < n ? -START_BIAS : 3 * positive > 2 * n ? START_BIAS : 0.0;
        if (b->given->penalty == INFINITY) b->bias[c] = 0.0;
    }
}

static void guess(block *b) {
    double scores[LANES], steps[LANES];
    bool has_moved;
    start_biases(b);
    for (int turn = 0; turn < GUESS_SWEEPS; turn++) {
        for (int64_t i = 0; i < b->x->length; i++) {
            dot_lanes(b->x, i, b->W, scores);
            b->near[i] = (uint8_t)step_lanes(b, i, scores, steps, &has_moved);
            if (has_moved) add_lanes(b->x, i, steps, b->W);
        }
        if (turn >= FIXED_BIAS_SWEEPS && b->given->penalty < INFINITY) move_biases(b);
    }
}

/* ---- solve one category on its working set ---- */

typedef struct { double gap, hinge, norm; int64_t active, free; } sweep_result;

/* Visit the first `count` documents in order; those that are shrunk are moved behind the active ones. The bias moves along with each step, as if it had a larger penalty (`pull` is the
 * inverse of it): a feature of size 1 in all documents would make the steps short. */
static sweep_result sweep(block *b, int lane, int64_t count, double pull) {
    double bias = b->bias[lane], *y = b->y, *cap = b->cap, *beta = b->own_beta;
    sweep_result s = {.active = count};
    for (int64_t a = 0; a < s.active;) {
        int64_t r = b->order[a];
        double f = dot_row(b->x, b->documents[r], b->w) + bias, old = beta[r], lack = 1 - y[r] * f;
        /* The gap is a sum of terms C xi - alpha (1 - y f) >= 0, measured as documents pass, before their steps. */
        s.hinge += cap[r] * rb_max(lack, 0.0);
        s.gap += cap[r] * rb_max(lack, 0.0) - fabs(old) * lack;
        s.norm += old * (f - bias);
        double curvature = rb_max(b->squares[b->documents[r]] + pull, 1e-300);
        double new = y[r] * rb_min(rb_max(y[r] * old + lack / curvature, 0.0), cap[r]);
        double step = new - old, change = fabs(step) * curvature;
        s.free += is_free(new, cap[r]);
        if (change > NO_STEP || curvature <= 1e-300) {
            beta[r] = new;
            bias += pull * step;
            add_row(b->x, b->documents[r], step, b->w);
        } else if (new == 0 && lack < -SHRINK) {
            s.active--; /* the document that comes here from the end is looked at next */
            b->order[a] = b->order[s.active], b->order[s.active] = r;
            continue;
        }
        a++;
    }
    b->bias[lane] = bias;
    return s;
}

/* Sweep until the gap of the working set is at most tol P; returns the sweeps done. */
static int64_t sweep_until(block *b, int lane, double tol, int64_t max_sweeps, uint64_t random) {
    double penalty = b->given->penalty, full_bias = b->bias[lane], size = 0.0;
    int64_t active = b->count, free_count = 0, done = 0;
    for (int64_t r = 0; r < b->count; r++) {
        b->order[r] = r;
        free_count += is_free(b->own_beta[r], b->cap[r]);
        size += b->squares[b->documents[r]];
    }
    size = rb_max(size / (double)rb_max_int(b->count, 1), 1e-300);
    while (done < max_sweeps) {
        shuffle(active, b->order, &random);
        double pull = bias_step(penalty, RESIST, free_count, size), excess = 0.0;
        sweep_result s = sweep(b, lane, active, pull);
        bool is_full = active == b->count;
        double gap = s.gap, primal = s.hinge + 0.5 * s.norm; /* sum beta w.x = |w|^2 */
        active = s.active, free_count = s.free;
        done++;
        if (penalty < INFINITY) {
            /* sum beta = lambda b holds only at the optimum; what it is off by belongs to the gap. */
            for (int64_t r = 0; r < b->count; r++) excess += b->own_beta[r];
            double bias = b->bias[lane];
            excess -= penalty * bias;
            gap += penalty > 0 ? excess * excess / (2 * penalty) : fabs(bias * excess) + 0.5 * excess * excess;
            primal += 0.5 * penalty * bias * bias;
        }
        if (is_full) full_bias = b->bias[lane];
        if (gap <= tol * primal && is_full) break;
        if (gap <= tol * primal || fabs(b->bias[lane] - full_bias) > BIAS_DRIFT) {
            active = b->count; /* only a sweep over all documents proves it */
            continue;
        }
        b->bias[lane] += pull * excess; /* the step of the multiplier of sum beta = lambda b (augmented Lagrangian) */
    }
    return done;
}

/* Shift the free beta evenly, then the bounded ones, until their sum is 0; w follows. */
static void balance(block *b) {
    for (int turn = 0; turn < 100; turn++) {
        double total = 0.0, size = 0.0;
        int64_t free_count = 0;
        for (int64_t r = 0; r < b->count; r++) {
            total += b->own_beta[r], size += fabs(b->own_beta[r]);
            free_count += is_free(b->own_beta[r], b->cap[r]);
        }
        if (fabs(total) <= 1e-15 * size) return;
        for (int64_t r = 0; r < b->count; r++) {
            double old = b->own_beta[r], y = b->y[r];
            if (free_count ? !is_free(old, b->cap[r]) : old * total <= 0) continue;
            double share = free_count ? total / (double)free_count : total;
            double new = y * rb_min(rb_max(y * (old - share), 0.0), b->cap[r]);
            add_row(b->x, b->documents[r], new - old, b->w);
            total -= free_count ? 0.0 : old - new;
            b->own_beta[r] = new;
        }
    }
}

/* With a free bias: make sum beta = 0 and b the best for w on the working set. */
static int fit_free_bias(block *b, int lane) {
    double *scores = RB_ALLOC(double, b->count);
    if (!scores) return RB_NO_MEMORY;
    balance(b);
    for (int64_t r = 0; r < b->count; r++) scores[r] = dot_row(b->x, b->documents[r], b->w);
    int status = rb_best_bias(b->count, scores, b->y, b->cap, &b->bias[lane]);
    free(scores);
    return status;
}

static int solve_lane(block *b, int lane, double tol, int64_t max_sweeps) {
    b->count = 0;
    for (int64_t i = 0; i < b->x->length; i++) {
        if (!(b->near[i] >> lane & 1)) continue;
        int64_t r = b->count++;
        b->documents[r] = (int32_t)i, b->y[r] = 2.0 * sign_bit(b, i, lane) - 1, b->cap[r] = cost(b, i, lane);
        b->own_beta[r] = b->beta[i * LANES + lane];
        if (b->own_beta[r] != 0) add_row(b->x, i, b->own_beta[r], b->w);
    }
    uint64_t random = rb_mix(b->given->seeds[lane], (uint64_t)b->sweeps[lane]);
    int64_t done = sweep_until(b, lane, tol, max_sweeps, random);
    int status = b->given->penalty == 0 ? fit_free_bias(b, lane) : RB_OK;
    for (int64_t r = 0; r < b->count; r++) {
        int64_t i = b->documents[r];
        b->beta[i * LANES + lane] = b->own_beta[r];
        for (int64_t p = b->x->starts[i]; p < b->x->starts[i + 1]; p++) b->w[b->x->terms[p]] = 0.0;
    }
    b->sweeps[lane] += done, b->is_stuck[lane] = done >= max_sweeps;
    return status;
}

/* ---- check ---- */

static inline bool has_beta(const double *beta) {
    bool some = false;
    for (int c = 0; c < LANES; c++) some |= beta[c] != 0;
    return some;
}

/* Compute P and D over all documents, and the new working sets. W is summed anew: the sum of all steps of a solve has
 * lost digits. */
static void check(block *b) {
    double losses[LANES] = {0}, norms[LANES] = {0}, sizes[LANES] = {0}, totals[LANES] = {0}, penalty = b->given->penalty;
    memset(b->W, 0, (size_t)(b->given->terms * LANES) * sizeof(double));
    for (int64_t i = 0; i < b->x->length; i++)
        if (has_beta(b->beta + i * LANES)) add_lanes(b->x, i, b->beta + i * LANES, b->W);
    for (int64_t i = 0; i < b->x->length; i++) {
        double scores[LANES], weight = b->given->weights[i];
        const double *beta = b->beta + i * LANES;
        double *lack = b->lack + i * LANES;
        unsigned near = 0, label = b->given->labels[i];
        dot_lanes(b->x, i, b->W, scores);
        for (int c = 0; c < LANES; c++) {
            bool positive = label >> c & 1;
            double f = scores[c] + b->bias[c];
            lack[c] = 1 - (positive ? f : -f);
            losses[c] += weight * b->given->costs[positive * LANES + c] * rb_max(lack[c], 0.0);
            norms[c] += beta[c] * scores[c], sizes[c] += fabs(beta[c]), totals[c] += beta[c];
            near |= (unsigned)(beta[c] != 0 || lack[c] > -MARGIN_BAND) << c;
        }
        b->near[i] = (uint8_t)near;
    }
    for (int c = 0; c < LANES; c++) {
        b->primal[c] = 0.5 * norms[c] + losses[c], b->dual[c] = sizes[c] - 0.5 * norms[c];
        if (0 < penalty && penalty < INFINITY) {
            b->primal[c] += 0.5 * penalty * b->bias[c] * b->bias[c];
            b->dual[c] -= totals[c] * totals[c] / (2 * penalty);
        }
        /* A start with a free bias need not fulfil sum beta = 0, without which D is no bound. */
        bool is_feasible = penalty != 0 || fabs(totals[c]) <= 1e-9 * sizes[c];
        b->is_done[c] = is_feasible && b->primal[c] - b->dual[c] <= b->given->tol * b->primal[c];
    }
}

/* ---- a block from start to end ---- */

static bool has_lanes_left(block *b, int round) {
    bool some = false;
    for (int c = 0; c < b->given->lanes; c++) {
        b->is_done[c] |= b->sweeps[c] >= b->given->max_sweeps || (b->is_stuck[c] && round >= PATIENT_ROUNDS);
        some |= !b->is_done[c];
    }
    return some;
}

static int solve_block(block *b, const int32_t *stop) {
    double tight = GAP_SHARE * b->given->tol;
    if (b->given->start_beta) check(b);
    else guess(b);
    for (int round = 0; round < b->given->max_rounds && has_lanes_left(b, round); round++) {
        double tol = round ? tight * ldexp(1.0, 1 - round) : rb_max(b->given->start_beta ? 0.0 : FIRST_GAP, tight);
        for (int c = 0; c < b->given->lanes; c++) {
            if (rb_is_stopped(stop)) return RB_STOPPED;
            if (b->is_done[c]) continue;
            int64_t left = b->given->max_sweeps - b->sweeps[c];
            if (solve_lane(b, c, tol, rb_min_int(left, (int64_t)FIRST_SWEEPS << round))) return RB_NO_MEMORY;
        }
        check(b);
    }
    return RB_OK;
}

/* Append row and value of each cell of a lane that counts: beta != 0; 1 - y f near the margin or inside. */
static bool append_lane(const block *b, int lane, rb_buffer *beta, rb_buffer *slack) {
    for (int64_t i = 0; i < b->x->length; i++) {
        rb_cell own = {i, b->beta[i * LANES + lane]}, loss = {i, b->lack[i * LANES + lane]};
        if (own.value != 0 && !rb_append(beta, &own, sizeof own)) return false;
        if (loss.value > -MARGIN_BAND && !rb_append(slack, &loss, sizeof loss)) return false;
    }
    return true;
}

static void free_block(block *b) {
    free(b->squares), free(b->W), free(b->beta), free(b->lack), free(b->near), free(b->documents), free(b->order);
    free(b->y), free(b->cap), free(b->own_beta), free(b->w);
}

static bool allocate_block(block *b) {
    int64_t n = b->x->length, terms = b->given->terms;
    b->squares = RB_ALLOC_ZEROS(double, n), b->W = RB_ALLOC_ZEROS(double, terms * LANES);
    b->beta = RB_ALLOC_ZEROS(double, n * LANES), b->lack = RB_ALLOC_ZEROS(double, n * LANES);
    b->near = RB_ALLOC_ZEROS(uint8_t, n), b->documents = RB_ALLOC(int32_t, n), b->order = RB_ALLOC(int64_t, n);
    b->y = RB_ALLOC(double, n), b->cap = RB_ALLOC(double, n), b->own_beta = RB_ALLOC(double, n);
    b->w = RB_ALLOC_ZEROS(double, terms);
    return b->squares && b->W && b->beta && b->lack && b->near && b->documents && b->order && b->y && b->cap &&
           b->own_beta && b->w;
}

static void prepare_block(block *b) {
    int64_t n = b->x->length;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t p = b->x->starts[i]; p < b->x->starts[i + 1]; p++)
            b->squares[i] += b->x->values[p] * b->x->values[p];
        b->size += b->squares[i] / (double)n;
    }
    b->size = b->size > 1e-200 ? b->size : 1.0;
    if (!b->given->start_beta) return;
    for (int64_t i = 0; i < n; i++)
        for (int c = 0; c < b->given->lanes; c++) {
            double y = 2.0 * sign_bit(b, i, c) - 1, alpha = y * b->given->start_beta[i * b->given->lanes + c];
            b->beta[i * LANES + c] = y * rb_min(rb_max(alpha, 0.0), cost(b, i, c));
        }
    memcpy(b->bias, b->given->start_bias, (size_t)b->given->lanes * sizeof(double));
}

int rb_solve_linear_block(const rb_rows *rows, const rb_linear_block *given, rb_lane_values *values, double *weights,
                          rb_buffer *beta, rb_buffer *slack, const int32_t *stop) {
    block b = {.x = rows, .given = given};
    int status = RB_NO_MEMORY;
    if (!allocate_block(&b)) goto end;
    prepare_block(&b);
    status = solve_block(&b, stop);
    for (int c = 0; c < given->lanes && status == RB_OK; c++) {
        values->bias[c] = b.bias[c], values->primal[c] = b.primal[c], values->dual[c] = b.dual[c];
        values->sweeps[c] = b.sweeps[c];
        if (!append_lane(&b, c, beta, slack)) status = RB_NO_MEMORY;
        values->beta_ends[c] = beta->bytes / (int64_t)sizeof(rb_cell);
        values->slack_ends[c] = slack->bytes / (int64_t)sizeof(rb_cell);
        for (int64_t t = 0; weights && t < given->terms; t++) weights[t * given->lanes + c] = b.W[t * LANES + c];
    }
end:
    free_block(&b);
    return status;
}
