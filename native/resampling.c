/* Resampling of documents: measures of documents drawn with replacement, folds for cross-validation.
 *
 * Documents that change nothing apart are counted together: what a document adds has a code (a pattern), and a resample
 * only changes how often each code occurs. Sums run in the order of the documents, patterns and draws. Weights and
 * counts are whole numbers from 0 on. Python has checked that all indices are in range.
 */
#include "common.h"

enum { BLOCK = 256 }; /* draws at a time */

/* ---- Rankings in which each document counts as often as it was drawn ----
 *
 * Resampling changes the weights of documents, not their order, so a ranking is sorted once.
 *
 * Fill   for each ranking: average precision, R-precision, 11-point average precision, break-even point, optimal F1;
 *        NaN if the weighted ranking has no true item.
 * Rules  those of the measures with a weight of 1 each: no threshold lies inside a tie; items that are not listed are
 *        never assigned but, if true, belong to the true items (`missed`, by ranking).
 * Cost   listed items of all rankings.
 */
enum { LEVELS = 11, MEASURES = 5 };

typedef struct { double distance, middle; } break_even;

/* The pair of precision and recall with the smallest distance so far, of equals that with the higher mean. */
static break_even nearer(break_even nearest, int64_t hits, int64_t assigned, int64_t n) {
    double p = (double)hits / (double)assigned, r = (double)hits / (double)n;
    break_even own = {fabs(p - r), (p + r) / 2};
    bool better = own.distance < nearest.distance || (own.distance == nearest.distance && own.middle > nearest.middle);
    return hits > 0 && better ? own : nearest;
}

/* Measure ranking r, in which items of weight n > 0 are true. */
static void measure(const rb_ranked_items *items, int64_t r, const int64_t *weights, int64_t n, double *values) {
    double levels[LEVELS] = {0}, precision_sum = 0.0, inside = 0.0, best_f1 = 0.0, exact = -1.0, level_sum = 0.0;
    int64_t assigned = 0, hits = 0, before = 0, hits_before = 0;
    break_even nearest = {INFINITY, 0.0};
    for (int64_t i = items->starts[r]; i < items->starts[r + 1]; i++) {
        int64_t weight = weights[items->documents[i]];
        assigned += weight;
        hits += weight * items->is_true[i];
        if (!items->is_last[i]) continue; /* no threshold lies inside a tie: everything is read at its last item */
        /* Between two hits |P - R| falls towards rank n, so only thresholds next to hits and to n can be nearest. */
        if (hits > hits_before || (before < n && n < assigned)) {
            if (before > 0) nearest = nearer(nearest, hits_before, before, n);
            nearest = nearer(nearest, hits, assigned, n);
        }
        if (hits > hits_before) {
            double p = (double)hits / (double)assigned, more = (double)(hits - hits_before);
            precision_sum += more * p;
            /* The interval [level/10, (level + 1)/10) of recall, in integers; the last hit also stands at recall 1. */
            int64_t level = (LEVELS - 1) * hits / n;
            levels[level] = level < LEVELS - 1 ? rb_max(levels[level], p) : p;
            levels[LEVELS - 1] = p;
            /* The share of the tie that stands at rank n or before it, over all orders of the tie. */
            inside += more * rb_min(rb_max((double)(n - before) / (double)(assigned - before), 0.0), 1.0);
            best_f1 = rb_max(best_f1, (double)(2 * hits) / (double)(assigned + n));
        }
        if (assigned == n) exact = (double)hits / (double)n;
        before = assigned, hits_before = hits;
    }
    if (before > 0) nearest = nearer(nearest, hits, before, n);
    /* Interpolation: each level gets the highest precision at it and to the right of it. */
    for (int level = LEVELS - 2; level >= 0; level--) levels[level] = rb_max(levels[level], levels[level + 1]);
    for (int level = 0; level < LEVELS; level++) level_sum += levels[level];
    values[0] = precision_sum / (double)n, values[1] = inside / (double)n, values[2] = level_sum / LEVELS;
    values[3] = exact >= 0 ? exact : nearest.middle, values[4] = best_f1;
}

void rb_weighted_rankings(int64_t n, const rb_ranked_items *items, const int64_t *missed, const int64_t *weights,
                          double *values) {
    for (int64_t r = 0; r < n; r++, values += MEASURES) {
        int64_t n_true = missed[r];
        for (int64_t i = items->starts[r]; i < items->starts[r + 1]; i++)
            n_true += weights[items->documents[i]] * items->is_true[i];
        for (int k = 0; k < MEASURES; k++) values[k] = NAN;
        if (n_true > 0) measure(items, r, weights, n_true, values);
    }
}

/* ---- Patterns in draws ----
 *
 * Given  the pattern of each document and its weight in each draw (documents x draws).
 * Fill   patterns x draws: the summed weights. Sums of up to MAX_ADDED documents have 16 bits, twice as fast as 32.
 * Cost   documents x draws, vectorised over BLOCK draws, whose sums for a few hundred patterns stay in the cache.
 */
enum { MAX_ADDED = 257 }; /* 257 x 255 is 2^16 - 1 */

typedef struct { uint16_t sums[BLOCK]; int32_t added; } partial_sums;

static void flush_sums(partial_sums *partial, int64_t size, int32_t *restrict sums) {
    for (int64_t b = 0; b < size; b++) sums[b] += partial->sums[b];
    memset(partial, 0, sizeof *partial);
}

int rb_sum_pattern_weights(int64_t documents, int64_t draws, int64_t patterns, const int64_t *codes,
                           const uint8_t *weights, int32_t *sums, const int32_t *stop) {
    partial_sums *partial = RB_ALLOC_ZEROS(partial_sums, patterns);
    int status = partial ? RB_OK : RB_NO_MEMORY;
    for (int64_t start = 0; start < draws && status == RB_OK; start += BLOCK) {
        int64_t size = rb_min_int(BLOCK, draws - start);
        for (int64_t d = 0; d < documents; d++) {
            partial_sums *own = &partial[codes[d]];
            uint16_t *restrict total = own->sums;
            const uint8_t *restrict drawn = weights + d * draws + start;
            for (int64_t b = 0; b < size; b++) total[b] = (uint16_t)(total[b] + drawn[b]);
            if (++own->added == MAX_ADDED) flush_sums(own, size, sums + codes[d] * draws + start);
        }
        for (int64_t p = 0; p < patterns; p++) flush_sums(&partial[p], size, sums + p * draws + start);
        if (rb_is_stopped(stop)) status = RB_STOPPED;
    }
    free(partial);
    return status;
}

/* ---- Means of ratios and their standard errors in draws ----
 *
 * A macro-average is the mean of ratios R_c = X_c / Y_c of sums over documents (a micro-average has one). Its standard
 * error by the infinitesimal jackknife is sqrt(sum over patterns p of w_p e_p^2), where e_p is the influence of a
 * document of pattern p: the mean over c of (x_pc - R_c y_pc) / Y_c. efron1993, section 12.5.
 *
 * Given  what a document of each pattern adds to the numerators (`above`) and denominators (`below`); how often each
 *        pattern occurs in each draw (patterns x draws); the number of ratios.
 * Fill   the mean ratio and (ratios x standard error)^2 of each draw. 0/0 counts as 0.
 * Cost   draws x stored entries, vectorised over BLOCK draws; memory for 2 x ratios x BLOCK.
 */
typedef struct { int64_t draws, size; const int32_t *weights; double *top, *bottom, *influence; } draw_block;

/* Add the pattern's weighted entries to the sums of their ratios. */
static void add_sums(const rb_rows *rows, const draw_block *block, double *sums) {
    for (int64_t p = 0; p < rows->length; p++) {
        const int32_t *restrict drawn = block->weights + p * block->draws;
        for (int64_t i = rows->starts[p]; i < rows->starts[p + 1]; i++) {
            double *restrict own = sums + rows->terms[i] * block->size;
            double value = rows->values[i];
            for (int64_t b = 0; b < block->size; b++) own[b] += value * drawn[b];
        }
    }
}

/* Add sign x entry x factor of all ratios of pattern p to its influence. */
static void add_influence(const rb_rows *rows, int64_t p, double sign, const double *factors, const draw_block *block) {
    double *restrict influence = block->influence;
    for (int64_t i = rows->starts[p]; i < rows->starts[p + 1]; i++) {
        const double *restrict factor = factors + rows->terms[i] * block->size;
        double value = sign * rows->values[i];
        for (int64_t b = 0; b < block->size; b++) influence[b] += value * factor[b];
    }
}

static void measure_block(const rb_rows *above, const rb_rows *below, int64_t ratios, const draw_block *block,
                          double *restrict means, double *restrict squares) {
    int64_t size = block->size;
    add_sums(above, block, block->top);
    add_sums(below, block, block->bottom);
    for (int64_t c = 0; c < ratios; c++) {
        double *restrict top = block->top + c * size, *restrict bottom = block->bottom + c * size;
        for (int64_t b = 0; b < size; b++) {
            double inverse = bottom[b] > 0 ? 1.0 / bottom[b] : 0.0, ratio = top[b] * inverse;
            means[b] += ratio / (double)ratios;
            /* From here on the sums hold what x and y are multiplied by in the influence of a pattern. */
            top[b] = inverse, bottom[b] = ratio * inverse;
        }
    }
    for (int64_t p = 0; p < above->length; p++) {
        const int32_t *restrict drawn = block->weights + p * block->draws;
        double *restrict influence = block->influence;
        memset(influence, 0, sizeof(double) * (size_t)size);
        add_influence(above, p, 1.0, block->top, block);
        add_influence(below, p, -1.0, block->bottom, block);
        for (int64_t b = 0; b < size; b++) squares[b] += drawn[b] * influence[b] * influence[b];
    }
}

int rb_ratio_errors(const rb_rows *above, const rb_rows *below, int64_t ratios, int64_t draws, const int32_t *weights,
                    double *means, double *squares, const int32_t *stop) {
    double *sums = RB_ALLOC(double, 2 * ratios * BLOCK + BLOCK);
    int status = sums ? RB_OK : RB_NO_MEMORY;
    for (int64_t start = 0; start < draws && status == RB_OK; start += BLOCK) {
        int64_t size = rb_min_int(BLOCK, draws - start), cells = ratios * size;
        memset(sums, 0, sizeof(double) * (size_t)(2 * cells));
        draw_block block = {draws, size, weights + start, sums, sums + cells, sums + 2 * cells};
        measure_block(above, below, ratios, &block, means + start, squares + start);
        if (rb_is_stopped(stop)) status = RB_STOPPED;
    }
    free(sums);
    return status;
}

/* ---- Folds ----
 *
 * Assign documents to folds so that every category, the rarest first, is spread evenly.
 *
 * Given  the labels by category (its documents in the order in which they are assigned) and by document; the order of
 *        categories, then of documents without labels, and for each category the order of folds that breaks ties.
 * Cost   labels x folds. A document without labels is assigned last, to the smallest fold.
 * Ties   the fold with fewest documents of the category, then the smallest fold, then the category's order of folds.
 */

int rb_assign_folds(const rb_lists *by_category, const rb_lists *by_document, const int64_t *category_order,
                    const int64_t *document_order, int64_t folds, const int64_t *fold_orders, int64_t *fold_ids,
                    const int32_t *stop) {
    int64_t best;
    int64_t *held = RB_ALLOC_ZEROS(int64_t, by_category->length * folds), *sizes = RB_ALLOC_ZEROS(int64_t, folds);
    int status = held && sizes ? RB_OK : RB_NO_MEMORY;
    /* The rarest category first: its few documents have the least freedom once others have been assigned. */
    for (int64_t place = 0; place < by_category->length && status == RB_OK; place++) {
        int64_t c = category_order[place];
        const int64_t *tie_order = fold_orders + c * folds, *own = held + c * folds;
        for (int64_t i = by_category->starts[c]; i < by_category->starts[c + 1]; i++) {
            int64_t d = by_category->items[i];
            if (fold_ids[d] >= 0) continue;
            best = tie_order[0];
            for (int64_t j = 1; j < folds; j++) {
                int64_t k = tie_order[j];
                if (own[k] < own[best] || (own[k] == own[best] && sizes[k] < sizes[best])) best = k;
            }
            fold_ids[d] = best;
            sizes[best]++;
            for (int64_t j = by_document->starts[d]; j < by_document->starts[d + 1]; j++)
                held[by_document->items[j] * folds + best]++;
        }
        if (rb_is_stopped(stop)) status = RB_STOPPED;
    }
    for (int64_t place = 0; place < by_document->length && status == RB_OK; place++) {
        int64_t d = document_order[place];
        if (fold_ids[d] >= 0) continue;
        best = 0;
        for (int64_t k = 1; k < folds; k++) best = sizes[k] < sizes[best] ? k : best;
        fold_ids[d] = best;
        sizes[best]++;
    }
    free(held);
    free(sizes);
    return status;
}
