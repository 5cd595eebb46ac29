/* Counts behind the measures: tables of two label matrices, ranks of labels, best categories, thresholds, label sets.
 *
 * Matrices are rb_lists or rb_rows whose columns ascend within each row without duplicates. Python has checked that all
 * indices are in range. Scores are never NaN; -inf means "not ranked". Counts are exact whole numbers.
 */
#include "best.h"
#include "common.h"

bool rb_are_valid_lists(const rb_lists *lists, int64_t size, int64_t columns) {
    const int64_t *starts = lists->starts, begin = starts[0], end = starts[lists->length];
    int64_t descending = begin < 0 || end > size; /* a count, not a bool: it is vectorised */
    for (int64_t row = 0; row < lists->length; row++) descending += starts[row] > starts[row + 1];
    if (descending || columns < 0) return !descending;
    uint32_t largest = 0; /* negative items are large when unsigned */
    for (int64_t i = begin; i < end; i++) {
        uint32_t item = (uint32_t)lists->items[i];
        largest = item > largest ? item : largest;
    }
    return begin == end || (int64_t)largest < columns;
}

/* ---- Tables of two or three label matrices ----
 *
 * Given  matrices of the same shape.
 * Fill   the entries that two matrices have in common, by row or by column, and the entries of each by column; or for
 *        three matrices the code of each cell that one of them holds.
 * Cost   one merge of the rows: entries + rows. Empty rows add nothing.
 */

static void count_items(const rb_lists *lists, int64_t *restrict counts) {
    for (int64_t i = lists->starts[0]; i < lists->starts[lists->length]; i++) counts[lists->items[i]]++;
}

/* Without branches: rows are short, and a mispredicted branch costs more than these additions. */
static inline void count_common(const rb_lists *first, const rb_lists *second, bool by_row, int64_t *restrict both) {
    for (int64_t row = 0; row < first->length; row++) {
        int64_t i = first->starts[row], i_end = first->starts[row + 1];
        int64_t j = second->starts[row], j_end = second->starts[row + 1];
        while (i < i_end && j < j_end) {
            int32_t a = first->items[i], b = second->items[j];
            both[by_row ? row : a] += a == b;
            i += a <= b, j += b <= a;
        }
    }
}

void rb_count_overlap(const rb_lists *first, const rb_lists *second, int64_t *both, int64_t *in_first,
                      int64_t *in_second) {
    count_common(first, second, false, both);
    count_items(first, in_first);
    count_items(second, in_second);
}

void rb_count_row_overlap(const rb_lists *first, const rb_lists *second, int64_t *both) {
    count_common(first, second, true, both);
}

int64_t rb_compare_decisions(const rb_lists *truth, const rb_lists *a, const rb_lists *b, int64_t *tally,
                             int64_t *starts, int32_t *columns, int8_t *codes) {
    const int32_t end = INT32_MAX; /* stands after the last column of a row; no column is as large */
    int64_t at = 0;
    for (int64_t row = 0; row < truth->length; row++) {
        int64_t i = truth->starts[row], j = a->starts[row], k = b->starts[row];
        int64_t i_end = truth->starts[row + 1], j_end = a->starts[row + 1], k_end = b->starts[row + 1];
        while (i < i_end || j < j_end || k < k_end) {
            int32_t in_truth = i < i_end ? truth->items[i] : end;
            int32_t in_a = j < j_end ? a->items[j] : end, in_b = k < k_end ? b->items[k] : end;
            /* The smallest of the three is the next cell that any matrix holds. */
            int32_t column = in_a < in_b ? in_a : in_b;
            column = in_truth < column ? in_truth : column;
            int code = (in_truth == column) | (in_a == column) << 1 | (in_b == column) << 2;
            i += code & 1, j += code >> 1 & 1, k += code >> 2;
            if (tally) tally[(int64_t)column * 8 + code]++;
            else columns[at] = column, codes[at] = (int8_t)code;
            at++;
        }
        if (!tally) starts[row + 1] = at;
    }
    return at;
}

/* ---- Scores at cells, and ranks of labels ----
 *
 * A ranking orders items by descending score. For each true item (label): how many items score more (`above`), how
 * many score at least as much (`rank`), and how many labels score at least as much (`hits`). Every ranking measure
 * follows from these three.
 *
 * Given  the listed scores of each ranking; the number of items and the score `floor` of those not listed; the scores
 *        of the labels.
 * Ties   items of one score stand together: `rank` is the last place of the tie, `above` the place before its first.
 * Edges  a label that scores -inf is not ranked: its `hits` is 0, its `rank` the number of items.
 * Cost   items x labels for up to MAX_COMPARED labels (vectorised, 0.2 ns per comparison), items x log labels beyond.
 */
enum { MAX_COUNTED = 8, MAX_COMPARED = 128 };

/* The number of entries below the target: halve down to a short part, then count through it, which is vectorised. */
static int64_t count_below(const int32_t *restrict ascending, int64_t size, int32_t target) {
    int64_t low = 0;
    int32_t less = 0;
    while (size > MAX_COUNTED) {
        int64_t half = size >> 1;
        low += ascending[low + half - 1] < target ? half : 0;
        size -= half;
    }
    for (int64_t i = low; i < low + size; i++) less += ascending[i] < target;
    return low + less;
}

void rb_scores_at(const rb_rows *scores, const rb_lists *cells, double floor, double *values) {
    for (int64_t row = 0; row < cells->length; row++) {
        int64_t at = scores->starts[row], end = scores->starts[row + 1];
        for (int64_t j = cells->starts[row]; j < cells->starts[row + 1]; j++) {
            at += count_below(scores->terms + at, end - at, cells->items[j]);
            values[j] = at < end && scores->terms[at] == cells->items[j] ? scores->values[at] : floor;
        }
    }
}

static void count_above(const double *restrict values, int64_t n, double score, int64_t *above, int64_t *at_least) {
    int64_t more = 0, equal = 0;
    for (int64_t i = 0; i < n; i++) more += values[i] > score, equal += values[i] == score;
    *above = more, *at_least = more + equal;
}

/* The number of entries up to the value, of n > 0 ascending ones; without branches. */
static int64_t count_up_to(const double *ascending, int64_t n, double value) {
    int64_t low = 0;
    while (n > 1) {
        int64_t half = n >> 1;
        low += ascending[low + half - 1] <= value ? half : 0;
        n -= half;
    }
    return low + (ascending[low] <= value);
}

/* Sort ascending: merge runs that double in length. */
static void sort_values(double *values, double *buffer, int64_t n) {
    for (int64_t width = 1; width < n; width *= 2) {
        for (int64_t low = 0; low < n; low += 2 * width) {
            int64_t i = low, middle = rb_min_int(low + width, n), j = middle, end = rb_min_int(low + 2 * width, n);
            for (int64_t k = low; k < end; k++) {
                bool right = i == middle || (j < end && values[j] < values[i]);
                buffer[k] = values[right ? j : i];
                i += !right, j += right;
            }
        }
        memcpy(values, buffer, sizeof(double) * (size_t)n);
    }
}

typedef struct { double *sorted, *buffer; int64_t *at_least, *equal, *first; } rank_scratch;
typedef struct { int64_t *above, *rank, *hits; } label_ranks;

/* Put each listed score into its place among the sorted scores of n labels. */
static void rank_by_search(const double *listed, int64_t n_listed, const double *labels, int64_t n, label_ranks out,
                           const rank_scratch *scratch) {
    double *sorted = scratch->sorted;
    int64_t *at_least = scratch->at_least, *equal = scratch->equal, *first = scratch->first;
    memcpy(sorted, labels, sizeof(double) * (size_t)n);
    sort_values(sorted, scratch->buffer, n);
    for (int64_t j = 0; j < n; j++) first[j] = j && sorted[j] == sorted[j - 1] ? first[j - 1] : j;
    for (int64_t j = 0; j <= n; j++) at_least[j] = equal[j] = 0;
    for (int64_t i = 0; i < n_listed; i++) {
        int64_t place = count_up_to(sorted, n, listed[i]);
        at_least[place]++;
        if (place > 0 && sorted[place - 1] == listed[i]) equal[place]++;
    }
    for (int64_t j = n - 1; j >= 0; j--) at_least[j] += at_least[j + 1];
    for (int64_t j = 0; j < n; j++) {
        int64_t place = count_up_to(sorted, n, labels[j]);
        out.rank[j] = at_least[place], out.above[j] = at_least[place] - equal[place];
        out.hits[j] = n - first[place - 1];
    }
}

static void rank_by_comparison(const double *listed, int64_t n_listed, const double *labels, int64_t n,
                               label_ranks out) {
    int64_t above;
    for (int64_t j = 0; j < n; j++) {
        count_above(listed, n_listed, labels[j], &out.above[j], &out.rank[j]);
        count_above(labels, n, labels[j], &above, &out.hits[j]);
    }
}

int rb_rank_labels(int64_t n, const rb_rankings *rankings, int64_t *above, int64_t *rank, int64_t *hits,
                   const int32_t *stop) {
    const int64_t *starts = rankings->starts, *label_starts = rankings->label_starts;
    int64_t most = 0;
    for (int64_t r = 0; r < n; r++) most = rb_max_int(most, label_starts[r + 1] - label_starts[r]);
    most = most > MAX_COMPARED ? most + 1 : 0;
    double *values = RB_ALLOC(double, 2 * most);
    int64_t *counts = RB_ALLOC(int64_t, 3 * most);
    int status = values && counts ? RB_OK : RB_NO_MEMORY;
    rank_scratch scratch = {values, values + most, counts, counts + most, counts + 2 * most};
    for (int64_t r = 0; r < n && status == RB_OK; r++) {
        int64_t begin = label_starts[r], n_labels = label_starts[r + 1] - begin, n_listed = starts[r + 1] - starts[r];
        const double *labels = rankings->labels + begin, *listed = rankings->values + starts[r];
        label_ranks out = {above + begin, rank + begin, hits + begin};
        if (n_labels <= MAX_COMPARED) rank_by_comparison(listed, n_listed, labels, n_labels, out);
        else rank_by_search(listed, n_listed, labels, n_labels, out, &scratch);
        /* Items that are not listed tie at the floor, so they are added all at once. */
        int64_t missing = rb_max_int(rankings->items - n_listed, 0);
        for (int64_t j = 0; j < n_labels; j++) {
            out.rank[j] += rankings->floor >= labels[j] ? missing : 0;
            out.above[j] += rankings->floor > labels[j] ? missing : 0;
            if (labels[j] == -INFINITY) out.hits[j] = 0;
        }
        if (rb_is_stopped(stop)) status = RB_STOPPED;
    }
    free(values);
    free(counts);
    return status;
}

/* ---- Precision at the eleven recall levels 0, 0.1, ..., 1 ----
 *
 * Given  points of rankings in whole numbers, so that intervals are exact: a recall of 3/10 stands at 0.3.
 * Ties   only maxima are taken. Edges: an interval without a point has 0, a ranking without points 0 everywhere.
 */
enum { LEVELS = 11 };

bool rb_recall_levels(int64_t n, const rb_recall_points *points, int64_t rankings, int64_t *most_hits, double *table) {
    for (int64_t k = 0; k < n; k++) {
        int64_t row = points->row[k], hits = points->hits[k], labels = points->labels[k], rank = points->rank[k];
        if (row < 0 || row >= rankings || hits < 0 || hits > labels || labels < 1 || rank < 1) return false;
        int64_t level = (LEVELS - 1) * hits / labels;
        double precision = (double)hits / (double)rank, *own = table + row * LEVELS;
        if (level < LEVELS - 1) own[level] = rb_max(own[level], precision);
        if (hits >= most_hits[row]) most_hits[row] = hits, own[LEVELS - 1] = precision;
    }
    return true;
}

/* ---- The k best categories of each document ----
 *
 * Fill   the columns, k per document in no particular order, and how many of them count.
 * Cost   one comparison per cell, and log2(k) more for a cell that displaces another.
 * Ties   equal scores go to the earlier category.
 * Edges  a score of -inf is never among the best, so a document may have fewer than k.
 */

static void offer(rb_best *best, double value, int64_t column) {
    if (value > -INFINITY) rb_best_offer(best, value, column);
}

int rb_best_columns(int64_t rows, int64_t columns, const double *values, int64_t k, int64_t *best_columns,
                    int64_t *kept) {
    double *scores = RB_ALLOC(double, k);
    if (!scores) return RB_NO_MEMORY;
    for (int64_t row = 0; row < rows && k > 0; row++) {
        rb_best best = {k, 0, scores, best_columns + row * k};
        const double *own = values + row * columns;
        for (int64_t c = 0; c < columns; c++) /* an equal score of a later category stands below the top of the heap */
            if (best.size < k || own[c] > scores[0]) offer(&best, own[c], c);
        kept[row] = best.size;
    }
    free(scores);
    return RB_OK;
}

int rb_best_stored_columns(const rb_rows *stored, int64_t columns, double floor, int64_t k, int64_t *best_columns,
                           int64_t *kept) {
    double *scores = RB_ALLOC(double, k);
    if (!scores) return RB_NO_MEMORY;
    int64_t most_floored = floor > -INFINITY ? k : 0;
    for (int64_t row = 0; row < stored->length; row++) {
        rb_best best = {k, 0, scores, best_columns + row * k};
        int64_t i = stored->starts[row], end = stored->starts[row + 1], floored = 0;
        /* Scores that are not stored tie at the floor, so only the first k of their categories can be the best. */
        for (int64_t c = 0; c < columns && floored < most_floored; c++) {
            if (i < end && stored->terms[i] == c) i++;
            else offer(&best, floor, c), floored++;
        }
        for (int64_t j = stored->starts[row]; j < end; j++) offer(&best, stored->values[j], stored->terms[j]);
        kept[row] = best.size;
    }
    free(scores);
    return RB_OK;
}

/* ---- Thresholds: which are useful, and the micro-macro search over all categories ----
 *
 * A useful threshold lies just below a positive: lowering it further, to just above the next positive, only adds false
 * positives. So a category has one step for each distinct score of its positives, ascending, and a last step at +inf,
 * "assign none". Category c owns steps starts[c] to starts[c + 1] - 1, at least one.
 *
 * Fill   for each step how many cells reach it (`counts`), and the highest score below it (`below`, -inf if none).
 * Cost   one comparison per cell, and log2(steps of the category) more for a cell that reaches the lowest positive.
 * Ties   equal scores are one step. Edges: -inf reaches no step, +inf the last one.
 */

typedef struct {
    int64_t categories;
    const int64_t *starts;
    const double *values;
    int64_t *counts;
    double *below;
} threshold_steps;

/* Turn the cells between two steps into the cells at or above each. */
static void accumulate_steps(const threshold_steps *steps) {
    for (int64_t c = 0; c < steps->categories; c++)
        for (int64_t j = steps->starts[c + 1] - 2; j >= steps->starts[c]; j--) steps->counts[j] += steps->counts[j + 1];
}

/* Count `times` cells of category c with one score. */
static inline void count_cells(const threshold_steps *steps, int64_t c, double value, int64_t times) {
    int64_t above = steps->starts[c], end = steps->starts[c + 1];
    /* Most cells score less than the lowest positive: for them one comparison is all. */
    if (value >= steps->values[above]) {
        above += count_up_to(steps->values + above, end - above, value);
        steps->counts[above - 1] += times;
    }
    if (above < end && value > steps->below[above]) steps->below[above] = value;
}

void rb_count_dense_steps(int64_t documents, int64_t categories, const double *scores, const int64_t *starts,
                          const double *steps, int64_t *counts, double *below) {
    const threshold_steps all = {categories, starts, steps, counts, below};
    for (int64_t d = 0; d < documents; d++)
        for (int64_t c = 0; c < categories; c++) count_cells(&all, c, scores[d * categories + c], 1);
    accumulate_steps(&all);
}

void rb_count_stored_steps(int64_t n, const int32_t *columns, const double *scores, double floor,
                           const int64_t *missing, int64_t categories, const int64_t *starts, const double *steps,
                           int64_t *counts, double *below) {
    const threshold_steps all = {categories, starts, steps, counts, below};
    for (int64_t i = 0; i < n; i++) count_cells(&all, columns[i], scores[i], 1);
    /* All cells of a category that are not stored have one score and are counted together. */
    for (int64_t c = 0; c < categories; c++)
        if (missing[c]) count_cells(&all, c, floor, missing[c]);
    accumulate_steps(&all);
}

/* What a step is compared by: micro x micro-F1 + macro x F1. `hits` are those of all other categories, `total` their
 * assigned documents plus the positives of all; micro-F1 of a step is 2(hits + its hits) / (total + its assigned). */
typedef struct { int64_t hits, total; double micro, macro; } f1_goal;

/* The best step of a category by the goal, the highest of equals; the last if none is allowed. 0/0 counts as 0. */
static int64_t best_step(const rb_step_tables *tables, int64_t c, f1_goal goal) {
    int64_t last = tables->starts[c + 1] - 1, chosen = last;
    double best = -1.0;
    /* From the last step down with a strict comparison: of equals the one that assigns fewest documents wins. */
    for (int64_t j = last; j >= tables->starts[c]; j--) {
        if (!tables->allowed[j]) continue;
        int64_t hits = tables->hits[j], assigned = tables->assigned[j];
        double micro = 2.0 * (double)(goal.hits + hits) / (double)rb_max_int(goal.total + assigned, 1);
        double own = 2.0 * (double)hits / (double)rb_max_int(assigned + tables->positives[c], 1);
        double value = goal.micro * micro + goal.macro * own;
        if (value > best) best = value, chosen = j;
    }
    return chosen;
}

/* Coordinate ascent: each category starts at its best F1, then takes its best step with the others held. */
void rb_balance_f1(int64_t categories, const rb_step_tables *tables, double weight, int64_t passes, int64_t *chosen) {
    int64_t positives = 0, hits = 0, assigned = 0;
    for (int64_t c = 0; c < categories; c++) {
        chosen[c] = best_step(tables, c, (f1_goal){0, 0, 0.0, 1.0});
        positives += tables->positives[c], hits += tables->hits[chosen[c]], assigned += tables->assigned[chosen[c]];
    }
    for (int64_t pass = 0; pass < passes; pass++) {
        for (int64_t c = 0; c < categories; c++) {
            /* Micro-F1 depends on a category only through these two sums, so a step is compared in constant time. */
            hits -= tables->hits[chosen[c]], assigned -= tables->assigned[chosen[c]];
            chosen[c] = best_step(tables, c, (f1_goal){hits, assigned + positives, 1.0, weight / (double)categories});
            hits += tables->hits[chosen[c]], assigned += tables->assigned[chosen[c]];
        }
    }
}

/* ---- Similar label sets ----
 *
 * Given  distinct non-empty sets as ascending lists of items, the same transposed (`holders`: for each item its sets,
 *        ascending), and a weight per set.
 * Fill   for each set i: the sum over all sets j of weight_j x s(i, j), in two columns: Jaccard |i & j| / |i | j|, and
 *        MASI, which is Jaccard times 1 (equal), 2/3 (one within the other) or 1/3. passonneau2006, section 3.
 * Cost   sum over items of (number of holders)^2 / 2; pairs without a common item cost nothing.
 */

static void add_similarities(const rb_lists *sets, const double *weights, int64_t i, int64_t j, int64_t common,
                             double *sums) {
    int64_t size = sets->starts[i + 1] - sets->starts[i], other = sets->starts[j + 1] - sets->starts[j];
    double jaccard = (double)common / (double)(size + other - common);
    double masi = jaccard * (common == rb_min_int(size, other) ? 2.0 / 3.0 : 1.0 / 3.0);
    sums[2 * i] += weights[j] * jaccard, sums[2 * i + 1] += weights[j] * masi;
    sums[2 * j] += weights[i] * jaccard, sums[2 * j + 1] += weights[i] * masi;
}

int rb_sum_similarities(const rb_lists *sets, const rb_lists *holders, const double *weights, double *sums,
                        const int32_t *stop) {
    int64_t *next = RB_ALLOC(int64_t, holders->length), *common = RB_ALLOC_ZEROS(int64_t, sets->length);
    int64_t *touched = RB_ALLOC(int64_t, sets->length);
    int status = next && common && touched ? RB_OK : RB_NO_MEMORY;
    /* next[item] is the first holder after set i, so that every pair is met once. */
    for (int64_t item = 0; item < holders->length && status == RB_OK; item++) next[item] = holders->starts[item];
    for (int64_t i = 0; i < sets->length && status == RB_OK; i++) {
        int64_t n_touched = 0;
        for (int64_t at = sets->starts[i]; at < sets->starts[i + 1]; at++) {
            int32_t item = sets->items[at];
            next[item]++;
            for (int64_t place = next[item]; place < holders->starts[item + 1]; place++) {
                int32_t j = holders->items[place];
                if (common[j]++ == 0) touched[n_touched++] = j;
            }
        }
        sums[2 * i] += weights[i], sums[2 * i + 1] += weights[i];
        for (int64_t k = 0; k < n_touched; k++) {
            add_similarities(sets, weights, i, touched[k], common[touched[k]], sums);
            common[touched[k]] = 0;
        }
        if (rb_is_stopped(stop)) status = RB_STOPPED;
    }
    free(next);
    free(common);
    free(touched);
    return status;
}
