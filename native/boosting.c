/* Gradient boosting of small regression trees on binned features, for the logistic loss.
 *
 * Given    bins, rows x columns: the bin of each value, below 128, in the order of the values; truth, 0 or 1 per row;
 *          the settings; the log-odds `base` before the first tree.
 * Returned for each round a tree of up to `leaves` leaves in four arrays, rounds x (2 leaves - 1), which the caller has
 *          filled with -1 (features) and 0: the feature asked for, the last bin that goes left, the left child (the
 *          right one follows it), and the value of a leaf, `rate` included.
 *
 * Each tree is a Newton step for the sum of log(1 + exp(-y s)) (friedman2001; with the gain of chen2016, equation 7):
 * g = p - y, h = p (1 - p); a leaf is -rate G / (H + penalty), the gain of a split is
 * Gl^2 / (Hl + penalty) + Gr^2 / (Hr + penalty) - G^2 / (H + penalty). The leaf of largest gain is split next; the
 * histogram of the larger child is the parent's less that of the smaller one.
 *
 * Cost     rounds x columns x (rows + those in smaller children) additions; leaves x columns x 128 x 3 numbers.
 * Ties     The earlier leaf, feature, then bin. No split leaves fewer than `min_rows` on a side or has no gain.
 */
#include "common.h"

#define BINS 128

/* Sums of g and h and the number of rows of one bin. A histogram has BINS of them for each feature. */
typedef struct { double g, h; int64_t rows; } bin_sums;

/* A node: its rows are start to stop - 1 of `order`; the gain of its best split, 0 without one, -1 after the split. */
typedef struct { int64_t feature, last_bin, left, start, stop, histogram; double gain; } boosted_node;

/* A tree while it grows: rows in the order of its leaves, scratch memory to sort them, histograms of its leaves. */
typedef struct {
    const uint8_t *bins;
    int64_t rows, columns;
    const rb_boosting *settings;
    double *scores, *slopes, *curves;
    int64_t *order, *spare;
    bin_sums *histograms;
    boosted_node *nodes;
} boosted_tree;

static inline bin_sums *histogram_of(const boosted_tree *tree, int64_t slot) {
    return tree->histograms + slot * tree->columns * BINS;
}

/* Fill the histogram of the rows of a node. */
static void fill_histogram(const boosted_tree *tree, const boosted_node *node) {
    bin_sums *histogram = histogram_of(tree, node->histogram);
    memset(histogram, 0, sizeof(bin_sums) * (size_t)(tree->columns * BINS));
    for (int64_t at = node->start; at < node->stop; at++) {
        int64_t i = tree->order[at];
        const uint8_t *bins = tree->bins + i * tree->columns;
        double g = tree->slopes[i], h = tree->curves[i];
        for (int64_t f = 0; f < tree->columns; f++) {
            bin_sums *bin = histogram + f * BINS + bins[f];
            bin->g += g, bin->h += h, bin->rows++;
        }
    }
}

/* Turn the histogram of a parent into that of its larger child. */
static void subtract_histogram(const boosted_tree *tree, int64_t large, int64_t small) {
    bin_sums *restrict from = histogram_of(tree, large);
    const bin_sums *restrict part = histogram_of(tree, small);
    for (int64_t b = 0; b < tree->columns * BINS; b++)
        from[b].g -= part[b].g, from[b].h -= part[b].h, from[b].rows -= part[b].rows;
}

/* Find the split of a node with the largest gain. */
static void find_split(const boosted_tree *tree, boosted_node *node) {
    const bin_sums *histogram = histogram_of(tree, node->histogram);
    double penalty = tree->settings->penalty, G = 0.0, H = 0.0;
    int64_t n = 0, least = rb_max_int(tree->settings->min_rows, 1);
    node->gain = 0.0, node->feature = node->last_bin = -1;
    for (int64_t b = 0; b < BINS; b++) /* every feature has all rows of the node, so the first one gives the totals */
        G += histogram[b].g, H += histogram[b].h, n += histogram[b].rows;
    double whole = G * G / (H + penalty);
    for (int64_t f = 0; f < tree->columns; f++, histogram += BINS) {
        double g = 0.0, h = 0.0;
        int64_t rows = 0;
        for (int64_t b = 0; b < BINS - 1; b++) {
            if (histogram[b].rows == 0) continue;
            g += histogram[b].g, h += histogram[b].h, rows += histogram[b].rows;
            if (rows < least) continue;
            if (n - rows < least) break; /* the right side only shrinks from here on */
            double gain = g * g / (h + penalty) + (G - g) * (G - g) / (H - h + penalty) - whole;
            if (gain > node->gain + 1e-10) /* within rounding of the best so far it is a tie */
                node->gain = gain, node->feature = f, node->last_bin = b;
        }
    }
}

/* Bring the rows of a node that go left to the front; return where the others begin. Both sides stay ascending, so that
   the sums of a leaf do not depend on how it was reached. */
static int64_t part_rows(const boosted_tree *tree, const boosted_node *node) {
    const uint8_t *column = tree->bins + node->feature;
    int64_t left = node->start, right = 0;
    for (int64_t at = node->start; at < node->stop; at++) {
        int64_t i = tree->order[at];
        if (column[i * tree->columns] <= node->last_bin)
            tree->order[left++] = i;
        else
            tree->spare[right++] = i;
    }
    memcpy(tree->order + left, tree->spare, sizeof(int64_t) * (size_t)right);
    return left;
}

/* Split the leaf with the largest gain, the first of equals, into nodes `made` and `made` + 1; false without a gain. */
static bool split_best_leaf(const boosted_tree *tree, int64_t made, int64_t slot) {
    boosted_node *node = tree->nodes, *left = tree->nodes + made, *right = left + 1;
    for (int64_t i = 1; i < made; i++)
        if (tree->nodes[i].gain > node->gain) node = tree->nodes + i;
    if (node->gain <= 0.0) return false;
    int64_t middle = part_rows(tree, node);
    left->start = node->start, left->stop = right->start = middle, right->stop = node->stop;
    bool left_is_smaller = middle - node->start <= node->stop - middle;
    boosted_node *small = left_is_smaller ? left : right, *large = left_is_smaller ? right : left;
    small->histogram = slot, large->histogram = node->histogram;
    fill_histogram(tree, small);
    subtract_histogram(tree, large->histogram, slot);
    node->gain = -1.0, node->left = made;
    find_split(tree, left);
    find_split(tree, right);
    return true;
}

/* Grow one tree on the scores so far; return the number of its nodes. */
static int64_t grow_boosted_tree(const boosted_tree *tree, const double *truth) {
    int64_t made = 1;
    for (int64_t i = 0; i < tree->rows; i++) {
        double p = 1.0 / (1.0 + exp(-tree->scores[i]));
        tree->slopes[i] = p - truth[i], tree->curves[i] = p * (1.0 - p);
        tree->order[i] = i;
    }
    tree->nodes[0].start = 0, tree->nodes[0].stop = tree->rows, tree->nodes[0].histogram = 0;
    fill_histogram(tree, tree->nodes);
    find_split(tree, tree->nodes);
    for (int64_t slot = 1; slot < tree->settings->leaves; slot++, made += 2)
        if (!split_best_leaf(tree, made, slot)) break;
    return made;
}

/* The Newton step of a leaf, added to the scores of its rows. */
static double set_leaf(const boosted_tree *tree, const boosted_node *leaf) {
    double G = 0.0, H = 0.0;
    for (int64_t at = leaf->start; at < leaf->stop; at++)
        G += tree->slopes[tree->order[at]], H += tree->curves[tree->order[at]];
    double value = tree->settings->rate * (-G / (H + tree->settings->penalty));
    for (int64_t at = leaf->start; at < leaf->stop; at++) tree->scores[tree->order[at]] += value;
    return value;
}

int rb_grow_boosted_trees(const uint8_t *bins, const double *truth, int64_t rows, int64_t columns,
                          const rb_boosting *settings, double base, int64_t *features, int64_t *last_bins,
                          int64_t *lefts, double *values, const int32_t *stop) {
    int64_t width = 2 * settings->leaves - 1;
    double *sums = RB_ALLOC(double, 3 * rows);
    int64_t *order = RB_ALLOC(int64_t, 2 * rows);
    bin_sums *histograms = RB_ALLOC(bin_sums, settings->leaves * columns * BINS);
    boosted_node *nodes = RB_ALLOC(boosted_node, width);
    boosted_tree tree = {bins, rows, columns, settings, sums, sums + rows, sums + 2 * rows, order, order + rows,
                         histograms, nodes};
    int status = RB_NO_MEMORY;
    if (!sums || !order || !histograms || !nodes) goto end;
    for (int64_t i = 0; i < rows; i++) tree.scores[i] = base;
    for (int64_t t = 0; t < settings->rounds && !rb_is_stopped(stop); t++) {
        int64_t made = grow_boosted_tree(&tree, truth);
        for (int64_t i = 0; i < made; i++) {
            const boosted_node *node = tree.nodes + i;
            int64_t at = t * width + i;
            if (node->gain == -1.0)
                features[at] = node->feature, last_bins[at] = node->last_bin, lefts[at] = node->left;
            else
                values[at] = set_leaf(&tree, node);
        }
    }
    status = rb_is_stopped(stop) ? RB_STOPPED : RB_OK;
end:
    free(sums), free(order), free(histograms), free(nodes);
    return status;
}

/* Add the value of each tree to the scores; a value goes left if it is at most the limit of its node. */
void rb_add_boosted_trees(const rb_boosted_trees *trees, int64_t rounds, int64_t nodes, const double *X, int64_t rows,
                          int64_t columns, double *scores) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t t = 0; t < rounds; t++) {
            int64_t root = t * nodes, node = root;
            while (trees->features[node] >= 0)
                node = root + trees->lefts[node] + (X[i * columns + trees->features[node]] > trees->limits[node]);
            scores[i] += trees->values[node];
        }
}
