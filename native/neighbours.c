/* Search by inner products: the k best items of sparse queries, the nearest of dense vectors, votes, related documents.
 *
 * Best items
 *   Problem  score(x, i) = sum over t of x_t w_ti + f_x b_i; find the k items of largest score for each query x. The
 *            items are documents (nearest neighbours: w holds unit vectors, no b) or categories (linear classifiers: w
 *            holds the weights by term, b the biases, f = 1 or a number per document).
 *   Given    queries by row, terms ascending; factors f; the weights by term as an rb_index; k, at most the items.
 *   Return   items and scores, queries x k, best first.
 *   Method   Items are taken in blocks whose sums stay in the cache. For each query the weights of its terms are added
 *            to the sums of the block; then a bar that at least k sums reach keeps most of them out of the heap.
 *   Cost     one multiplication and addition per stored weight of the query's terms (vectorised for terms that have a
 *            row), two looks at each sum; a comparison per term and block. Memory: one number per term of the queries.
 *   Ties     equal scores go to the smaller item.
 *   Exact    a score is summed over the terms in the order of the query, f_x b_i last, so it depends neither on the
 *            other queries nor on the blocks. Items that share no term with the query have score 0 + f_x b_i.
 *   Edges    weights and values may be negative; products must be finite. A query without terms ranks by f_x b_i.
 */
#include "best.h"
#include "common.h"

enum { CHUNK = 16 /* sums compared with the bar at once */, GROUPS = 4 /* groups per k, see find_bar */ };
enum { HALVINGS = 12 /* steps of the search for a bar */ };

static int64_t count_reaching(const double *values, int64_t length, double bar) {
    int64_t count = 0;
    for (int64_t i = 0; i < length; i++) count += values[i] >= bar;
    return count;
}

/* Return a number that at least k sums reach, and few more. Item i belongs to group i mod (GROUPS k). Groups are
 * disjoint, so if k of their maxima reach a number, k sums do: the k-th largest maximum is a lower bound of the k-th
 * largest sum. */
static double find_bar(const double *sums, int64_t length, int64_t k, double *restrict maxima) {
    int64_t groups = GROUPS * k;
    if (groups > length) return -INFINITY;
    memcpy(maxima, sums, (size_t)groups * sizeof *maxima);
    for (int64_t start = groups; start + groups <= length; start += groups)
        for (int64_t g = 0; g < groups; g++) maxima[g] = rb_max(maxima[g], sums[start + g]);
    double low = INFINITY, high = -INFINITY;
    for (int64_t g = 0; g < groups; g++) low = rb_min(low, maxima[g]), high = rb_max(high, maxima[g]);
    for (int step = 0; step < HALVINGS; step++) {
        double middle = (low + high) / 2;
        if (count_reaching(maxima, groups, middle) >= k) low = middle;
        else high = middle;
    }
    return low;
}

/* Offer the sums of a block to the best so far. */
static void offer_block(const double *sums, int64_t length, int64_t first, rb_best *best, double *maxima) {
    bool is_full = best->size == best->capacity;
    double bar = is_full ? best->values[0] : find_bar(sums, length, best->capacity, maxima);
    for (int64_t start = 0; start < length; start += CHUNK) {
        int64_t end = rb_min_int(start + CHUNK, length);
        if (!count_reaching(sums + start, end - start, bar)) continue;
        for (int64_t i = start; i < end; i++)
            if (sums[i] >= bar) rb_best_offer(best, sums[i], first + i);
        if (best->size == best->capacity) bar = best->values[0];
    }
}

/* Put the scores of one block for query q into sums. next[p] is where the list of position p of the queries
 * continues. */
static void sum_block(const rb_rows *queries, int64_t q, const rb_index *index, int64_t block, int64_t *next,
                      double *restrict sums) {
    int64_t first = block * index->width, length = rb_min_int(index->width, index->length - first);
    memset(sums, 0, (size_t)length * sizeof *sums);
    for (int64_t p = queries->starts[q]; p < queries->starts[q + 1]; p++) {
        int32_t term = queries->terms[p];
        double x = queries->values[p];
        if (index->rows[term] >= 0) {
            const double *restrict row = index->dense + (block * index->row_count + index->rows[term]) * index->width;
            for (int64_t i = 0; i < length; i++) sums[i] += x * row[i];
            continue;
        }
        const int32_t *restrict items = index->items;
        const double *restrict weights = index->weights;
        int64_t at = next[p], end = index->starts[term + 1];
        if (at < end && items[end - 1] < first + length)
            for (; at < end; at++) sums[items[at] - first] += x * weights[at];
        else
            for (; at < end && items[at] < first + length; at++) sums[items[at] - first] += x * weights[at];
        next[p] = at;
    }
}

int rb_best_items(const rb_rows *queries, const double *factors, const rb_index *index, int64_t k, int64_t *items,
                  double *scores) {
    int64_t size = queries->starts[queries->length];
    int64_t *next = RB_ALLOC(int64_t, size);
    rb_best *best = RB_ALLOC(rb_best, queries->length);
    double *sums = RB_ALLOC(double, index->width), *maxima = RB_ALLOC(double, GROUPS *k);
    int status = next && best && sums && maxima ? RB_OK : RB_NO_MEMORY;
    if (status == RB_OK) {
        for (int64_t p = 0; p < size; p++) next[p] = index->starts[queries->terms[p]];
        for (int64_t q = 0; q < queries->length; q++) best[q] = (rb_best){k, 0, scores + q * k, items + q * k};
        for (int64_t block = 0; block * index->width < index->length; block++) {
            int64_t first = block * index->width, length = rb_min_int(index->width, index->length - first);
            for (int64_t q = 0; q < queries->length; q++) {
                sum_block(queries, q, index, block, next, sums);
                if (index->offsets)
                    for (int64_t i = 0; i < length; i++) sums[i] += factors[q] * index->offsets[first + i];
                offer_block(sums, length, first, &best[q], maxima);
            }
        }
        for (int64_t q = 0; q < queries->length; q++) rb_best_rank(&best[q]);
    }
    free(next), free(best), free(sums), free(maxima);
    return status;
}

/* Nearest of dense vectors
 *   Problem  sim(q, d) = sum over i of q_i d_i; find the k documents of largest sim.
 *   Given    estimates, queries x documents in single precision, none further than `error` from its sim; the vectors in
 *            double precision; k, at most the documents.
 *   Return   documents and similarities, queries x k, best first.
 *   Cost     one comparison per estimate, and an inner product for each document whose estimate is within 2 error of
 *            the k-th best: no other can be among the best.
 *   Ties     equal similarities go to the smaller document.
 *   Exact    inner products are summed in one fixed order, so the result does not depend on how the estimates were
 *            made.
 */

/* Return the inner product in four partial sums. */
static double inner_product(const double *a, const double *b, int64_t length) {
    double sums[4] = {0, 0, 0, 0};
    int64_t whole = length - length % 4;
    for (int64_t i = 0; i < whole; i += 4)
        for (int j = 0; j < 4; j++) sums[j] += a[i + j] * b[i + j];
    for (int64_t i = whole; i < length; i++) sums[0] += a[i] * b[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

void rb_nearest_rows(int64_t queries, int64_t documents, int64_t width, int64_t k, const rb_estimates *given,
                     const double *vectors, int64_t *nearest, double *similarities) {
    for (int64_t q = 0; q < queries; q++) {
        const float *estimates = given->estimates + q * documents;
        const double *query = given->vectors + q * width;
        rb_best best = {k, 0, similarities + q * k, nearest + q * k};
        for (int64_t d = 0; d < documents; d++)
            if (best.size < k || estimates[d] > best.values[0]) rb_best_offer(&best, estimates[d], d);
        /* The k-th best sim is at least the k-th best estimate less the error; the estimate of a document with such a
         * sim is at most another error below that. */
        double least = best.values[0] - 2 * given->error;
        best.size = 0;
        for (int64_t d = 0; d < documents; d++)
            if (estimates[d] >= least) rb_best_offer(&best, inner_product(query, vectors + d * width, width), d);
        rb_best_rank(&best);
    }
}

/* Votes of neighbours
 *   Given    for each query its k neighbours and their weights; the categories of all documents.
 *   Return   scores, queries x categories, which must be 0 before: the sum of the weights of the neighbours that have
 *            the category, the first neighbour first.
 */
void rb_add_votes(int64_t queries, int64_t k, const int64_t *documents, const double *weights, const rb_lists *labels,
                  int64_t categories, double *scores) {
    for (int64_t i = 0; i < queries * k; i++)
        for (int64_t p = labels->starts[documents[i]]; p < labels->starts[documents[i] + 1]; p++)
            scores[i / k * categories + labels->items[p]] += weights[i];
}

/* Related documents
 *   Problem  the cosines of all ordered pairs of different documents that share a term, without storing them.
 *   Given    unit vectors by row, the same matrix by term, and the number of bins.
 *   Return   how many pairs have their cosine in each bin from `least` (0 or more) to bins, and if asked for these
 *            pairs, row by row.
 *   Cost     the sum over terms of their squared document frequency.
 *   Edges    the bin of a cosine is floor(bins cosine), where a cosine that rounding took just below the edge of a bin
 *            counts as on it (within 1e-9); the last bin is for equal directions. Pairs without a common term, or whose
 *            cosine is not positive, are in no bin.
 */
static const double EDGE_TOLERANCE = 1e-9;

/* Set the bin of the cosine of every document with document x: -1 if it has none, and for x itself. */
static void find_bins(const rb_rows *rows, const rb_rows *by_term, int64_t x, int64_t bins, double *restrict sums,
                      int32_t *restrict bin_of) {
    memset(sums, 0, (size_t)rows->length * sizeof *sums);
    for (int64_t p = rows->starts[x]; p < rows->starts[x + 1]; p++) {
        int64_t end = by_term->starts[rows->terms[p] + 1];
        for (int64_t j = by_term->starts[rows->terms[p]]; j < end; j++)
            sums[by_term->terms[j]] += rows->values[p] * by_term->values[j];
    }
    for (int64_t y = 0; y < rows->length; y++) {
        double position = rb_min(sums[y] * (double)bins + EDGE_TOLERANCE, (double)bins);
        bin_of[y] = sums[y] > 0 ? (int32_t)position : -1;
    }
    bin_of[x] = -1;
}

int rb_related_documents(const rb_rows *rows, const rb_rows *by_term, int64_t bins, int64_t *histogram, int64_t least,
                         rb_buffer *pairs, const int32_t *stop) {
    double *sums = RB_ALLOC(double, rows->length);
    int32_t *bin_of = RB_ALLOC(int32_t, rows->length);
    int status = sums && bin_of ? RB_OK : RB_NO_MEMORY;
    for (int64_t x = 0; x < rows->length && status == RB_OK; x++) {
        find_bins(rows, by_term, x, bins, sums, bin_of);
        for (int64_t y = 0; y < rows->length; y++) {
            if (bin_of[y] < least) continue;
            histogram[bin_of[y]]++;
            if (pairs && !rb_append(pairs, (int64_t[]){x, y}, 2 * sizeof(int64_t))) status = RB_NO_MEMORY;
        }
        if (rb_is_stopped(stop)) status = RB_STOPPED;
    }
    free(sums), free(bin_of);
    return status;
}
