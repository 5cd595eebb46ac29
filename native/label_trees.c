/* Label trees: the halves of a set of categories, the linear machines of a node, and the search for the best
 * categories.
 *
 * Problem  Many categories are put into a tree of balanced groups; at each node one linear machine per branch (a child
 *          or, at a leaf, a category) scores how well a document fits the branch. Prabhu et al. 2018 (Parabel),
 *          Khandagale et al. 2020 (Bonsai), Jasinska et al. 2016 (probabilistic label trees).
 * Machine  min over w, b of 1/2 |w - w0|^2 + 1/2 ((b - b0) / B)^2 + C sum over i of max(0, 1 - y_i (w.x_i + b))^2, by
 *          dual coordinate descent, one document at a time and all branches of a node together: the scores of a
 *          document are one pass over its terms, as many numbers wide as there are branches.
 * Score    of a category in a tree: the product over the nodes on its path of exp(-loss(f)), where loss(f) =
 *          max(0, 1 - f)^2 + E/2 (1 - f / (1 + |f|)); E only separates scores that would all be 1. In a forest: the
 *          mean over the trees, 0 for a tree whose search did not reach the category.
 * Cost     training a node: sweeps x its stored values x branches; search: per document beam x depth nodes.
 * Random   the first halves and the order of documents are drawn by SplitMix64 from the seed given.
 * Ties     halves: of equal projections the later category belongs to the second half. Search: of equal scores the one
 *          met first is kept, earlier nodes and branches first. Merged trees: the smaller category.
 * Edges    a document without terms is scored by the biases alone. Values must be finite.
 */
#include "best.h"
#include "common.h"
#include "random.h"

/* Weight of the second part of the loss. */
static const double EPSILON = 1e-3;
/* Rounds of a bisection at most, and the gain in mean similarity below which it ends. */
enum { MAX_ROUNDS = 50 };
static const double MIN_GAIN = 1e-4;

/* ---- halves ---- */

/* Something to be sorted by a number, which may be a whole one below 2^53; of equal numbers the earlier comes first. */
typedef struct { double value; int64_t position; } ranked;

static int compare_ranked(const void *left, const void *right) {
    const ranked *a = left, *b = right;
    if (a->value != b->value) return a->value < b->value ? -1 : 1;
    return (a->position > b->position) - (a->position < b->position);
}

static void add_row(const rb_rows *rows, int64_t row, double scale, double *sums) {
    for (int64_t p = rows->starts[row]; p < rows->starts[row + 1]; p++) sums[rows->terms[p]] += scale * rows->values[p];
}

static double length_of(const double *vector, int64_t columns) {
    double square = 0;
    for (int64_t t = 0; t < columns; t++) square += vector[t] * vector[t];
    return rb_max(sqrt(square), 1e-30);
}

/* One round of 2-means: mark the half of the categories that lies towards `direction`, and point it from the centre of
 * the first half to that of the second. Return the mean similarity of a category to its own centre. centres: 2 x
 * columns. */
static double halve_once(const rb_rows *centroids, int64_t count, const int64_t *categories, int64_t columns,
                         double *restrict direction, double *restrict centres, ranked *order, bool *second) {
    for (int64_t i = 0; i < count; i++) {
        double projection = 0;
        for (int64_t p = centroids->starts[categories[i]]; p < centroids->starts[categories[i] + 1]; p++)
            projection += centroids->values[p] * direction[centroids->terms[p]];
        order[i] = (ranked){projection, i};
    }
    /* By rank, not by sign: both halves must have the same size for the tree to be balanced. */
    qsort(order, (size_t)count, sizeof *order, compare_ranked);
    for (int64_t rank = 0; rank < count; rank++) second[order[rank].position] = rank >= count / 2;
    memset(centres, 0, 2 * (size_t)columns * sizeof *centres);
    for (int64_t i = 0; i < count; i++) add_row(centroids, categories[i], 1, centres + (second[i] ? columns : 0));
    double left = length_of(centres, columns), right = length_of(centres + columns, columns);
    for (int64_t t = 0; t < columns; t++) direction[t] = centres[columns + t] / right - centres[t] / left;
    return (left + right) / (double)count;
}

int rb_halve_categories(const rb_rows *centroids, int64_t count, const int64_t *categories, int64_t columns,
                        uint64_t seed, bool *second, const int32_t *stop) {
    double *direction = RB_ALLOC_ZEROS(double, columns), *centres = RB_ALLOC(double, 2 * columns);
    ranked *order = RB_ALLOC(ranked, count);
    int status = direction && centres && order ? RB_OK : RB_NO_MEMORY;
    if (status == RB_OK) {
        int64_t first = rb_draw_below(&seed, count);
        add_row(centroids, categories[first], -1, direction);
        add_row(centroids, categories[(first + 1 + rb_draw_below(&seed, count - 1)) % count], 1, direction);
        double before = -INFINITY;
        for (int round = 0; round < MAX_ROUNDS && status == RB_OK; round++) {
            double similarity = halve_once(centroids, count, categories, columns, direction, centres, order, second);
            if (similarity - before < MIN_GAIN) break;
            before = similarity;
            if (rb_is_stopped(stop)) status = RB_STOPPED;
        }
    }
    free(direction), free(centres), free(order);
    return status;
}

/* ---- training a node ---- */

/* The rows of a node's documents, whose terms have numbers of their own (places; terms[place] is the column), and the
 * state of the solver: signs y, dual variables, softness 1 / (2 C), squared lengths, weights (terms x branches). */
typedef struct {
    int64_t documents, branches, term_count;
    const int64_t *starts;
    const int32_t *places;
    const float *values;
    int64_t *terms, *place_of, *order, *moved;
    float *signs, *duals, *softness, *squares, *weights, *biases, *steps;
    void *copied[3];
} training;

static void free_training(training *node) {
    free(node->terms), free(node->place_of), free(node->order), free(node->moved), free(node->signs), free(node->duals);
    free(node->softness), free(node->squares), free(node->weights), free(node->steps);
    for (int i = 0; i < 3; i++) free(node->copied[i]);
}

/* Copy the rows of the node's documents and number their terms in the order in which they occur. */
static bool copy_rows(const rb_float_rows *vectors, const rb_label_node *given, training *node) {
    int64_t size = 0, at = 0;
    for (int64_t i = 0; i < given->length; i++)
        size += vectors->starts[given->documents[i] + 1] - vectors->starts[given->documents[i]];
    int64_t *starts = node->copied[0] = RB_ALLOC_ZEROS(int64_t, given->length + 1);
    int32_t *places = node->copied[1] = RB_ALLOC(int32_t, size);
    float *values = node->copied[2] = RB_ALLOC(float, size);
    if (!starts || !places || !values) return false;
    for (int64_t i = 0; i < given->length; i++) {
        int64_t document = given->documents[i];
        for (int64_t p = vectors->starts[document]; p < vectors->starts[document + 1]; p++, at++) {
            int32_t term = vectors->terms[p];
            int64_t *place = &node->place_of[term];
            if (*place < 0) *place = node->term_count, node->terms[node->term_count++] = term;
            places[at] = (int32_t)*place, values[at] = vectors->values[p];
        }
        starts[i + 1] = at;
    }
    node->starts = starts, node->places = places, node->values = values;
    return true;
}

/* Take the rows of the node's documents. A root has them all: a copy would double the memory. */
static bool take_rows(const rb_float_rows *vectors, const rb_label_node *given, int64_t columns, training *node) {
    bool has_all = given->length == vectors->length;
    node->terms = RB_ALLOC(int64_t, columns), node->place_of = RB_ALLOC(int64_t, columns);
    if (!node->terms || !node->place_of) return false;
    for (int64_t t = 0; t < columns; t++) node->place_of[t] = has_all ? t : -1, node->terms[t] = t;
    if (!has_all) return copy_rows(vectors, given, node);
    node->term_count = columns;
    node->starts = vectors->starts, node->places = vectors->terms, node->values = vectors->values;
    return true;
}

/* Allocate and set the state with which the solver starts. */
static bool start_solver(const rb_lists *labels, const rb_rows *centroids, const rb_label_node *given,
                         const rb_hinge *hinge, training *node) {
    int64_t n = node->documents, branches = node->branches;
    node->signs = RB_ALLOC(float, n *branches), node->duals = RB_ALLOC_ZEROS(float, n *branches);
    node->softness = RB_ALLOC(float, n), node->squares = RB_ALLOC(float, n), node->order = RB_ALLOC(int64_t, n);
    node->weights = RB_ALLOC_ZEROS(float, node->term_count *branches);
    node->steps = RB_ALLOC(float, branches), node->moved = RB_ALLOC(int64_t, branches);
    if (!node->signs || !node->duals || !node->softness || !node->squares || !node->order || !node->weights ||
        !node->steps || !node->moved)
        return false;
    for (int64_t i = 0; i < n * branches; i++) node->signs[i] = -1;
    for (int64_t i = 0; i < n; i++) {
        int64_t document = given->documents[i];
        for (int64_t p = labels->starts[document]; p < labels->starts[document + 1]; p++) {
            int64_t branch = given->branch_of[labels->items[p]];
            if (branch >= 0) node->signs[i * branches + branch] = 1;
        }
        node->softness[i] = (float)(0.5 / given->costs[i]);
        node->squares[i] = (float)(hinge->bias * hinge->bias);
        for (int64_t p = node->starts[i]; p < node->starts[i + 1]; p++)
            node->squares[i] += node->values[p] * node->values[p];
    }
    for (int64_t c = 0; c < branches; c++) {
        node->biases[c] = (float)hinge->start;
        if (!given->categories) continue; /* at a leaf w0 is a multiple of the centroid of the category */
        int64_t category = given->categories[c];
        for (int64_t p = centroids->starts[category]; p < centroids->starts[category + 1]; p++) {
            int64_t place = node->place_of[centroids->terms[p]];
            if (place >= 0) node->weights[place * branches + c] = (float)hinge->prior * (float)centroids->values[p];
        }
    }
    return true;
}

/* Add a multiple of a row to sums. Not inlined: gcc 12 would merge it with the loop around it (unroll and jam) and then
 * vectorise neither; training took a fifth longer. */
static __attribute__((noinline)) void add_multiple(float value, const float *restrict row, int64_t length,
                                                   float *restrict sums) {
    for (int64_t c = 0; c < length; c++) sums[c] += value * row[c];
}

/* Put the scores of a document for all branches into `scores`. */
static void score_branches(const training *node, int64_t i, float *restrict scores) {
    memcpy(scores, node->biases, (size_t)node->branches * sizeof *scores);
    for (int64_t p = node->starts[i]; p < node->starts[i + 1]; p++)
        add_multiple(node->values[p], node->weights + node->places[p] * node->branches, node->branches, scores);
}

/* Add step y x of `count` branches to the weights; steps holds one number per branch, 0 for those that do not move. */
static void move_weights(training *node, int64_t i, int64_t count, const float *restrict steps) {
    for (int64_t p = node->starts[i]; p < node->starts[i + 1]; p++) {
        float value = node->values[p];
        float *restrict row = node->weights + node->places[p] * node->branches;
        if (4 * count > node->branches) /* over the whole row, several branches at once */
            add_multiple(value, steps, node->branches, row);
        else
            for (int64_t q = 0; q < count; q++) row[node->moved[q]] += value * steps[node->moved[q]];
    }
}

/* Visit one document: minimise along its dual variables, one per branch. Return the largest step, in units of the
 * gradient; steps below `negligible` are not made. */
static float visit_document(training *node, int64_t i, float bias_square, float negligible) {
    float *restrict steps = node->steps, *restrict duals = node->duals + i * node->branches;
    const float *restrict signs = node->signs + i * node->branches;
    float softness = node->softness[i], curvature = node->squares[i] + softness, inverse = 1 / curvature, largest = 0;
    int64_t count = 0;
    score_branches(node, i, steps);
    for (int64_t c = 0; c < node->branches; c++) {
        float gradient = signs[c] * steps[c] - 1 + softness * duals[c], dual = duals[c] - gradient * inverse;
        steps[c] = (dual > 0 ? dual : 0) - duals[c];
    }
    for (int64_t c = 0; c < node->branches; c++) {
        float size = fabsf(steps[c]) * curvature;
        if (size > negligible) {
            largest = size > largest ? size : largest;
            duals[c] += steps[c];
            steps[c] *= signs[c];
            node->biases[c] += bias_square * steps[c];
            node->moved[count++] = c;
        } else {
            steps[c] = 0;
        }
    }
    if (count) move_weights(node, i, count, steps);
    return largest;
}

/* Sweep over the documents in random order until no step is larger than hinge->stop. */
static int solve(const rb_hinge *hinge, uint64_t seed, training *node, const int32_t *stop) {
    float largest = INFINITY, bias_square = (float)(hinge->bias * hinge->bias), negligible = (float)(0.1 * hinge->stop);
    for (int64_t i = 0; i < node->documents; i++) node->order[i] = i;
    for (int64_t sweep = 0; sweep < hinge->sweeps && largest >= hinge->stop; sweep++) {
        if (rb_is_stopped(stop)) return RB_STOPPED;
        largest = 0;
        for (int64_t i = node->documents - 1; i > 0; i--) {
            int64_t j = rb_draw_below(&seed, i + 1), other = node->order[j];
            node->order[j] = node->order[i], node->order[i] = other;
        }
        for (int64_t i = 0; i < node->documents; i++) {
            float size = visit_document(node, node->order[i], bias_square, negligible);
            largest = size > largest ? size : largest;
        }
    }
    return RB_OK;
}

typedef struct { rb_buffer *terms, *starts, *branches, *weights; } node_weights;

/* Append the weights of at least this size term by term: their branches and values, and for each term that has any its
 * column and where its weights end. */
static bool append_weights(const training *node, double least, const node_weights *result) {
    int64_t end = 0;
    bool done = rb_append(result->starts, &end, sizeof end);
    for (int64_t t = 0; t < node->term_count && done; t++) {
        int64_t before = end;
        for (int32_t c = 0; c < node->branches; c++) {
            float weight = node->weights[t * node->branches + c];
            if (fabsf(weight) < least) continue;
            end++;
            done &= rb_append(result->branches, &c, sizeof c) && rb_append(result->weights, &weight, sizeof weight);
        }
        if (end == before) continue;
        done &= rb_append(result->starts, &end, sizeof end) &&
                rb_append(result->terms, &node->terms[t], sizeof node->terms[t]);
    }
    return done;
}

int rb_train_node(const rb_float_rows *vectors, const rb_lists *labels, const rb_rows *centroids,
                  const rb_label_node *given, const rb_hinge *hinge, int64_t columns, float *biases, rb_buffer *terms,
                  rb_buffer *starts, rb_buffer *branches, rb_buffer *weights, const int32_t *stop) {
    training node = {.documents = given->length, .branches = given->branches, .biases = biases};
    node_weights result = {terms, starts, branches, weights};
    int status = RB_NO_MEMORY;
    if (take_rows(vectors, given, columns, &node) && start_solver(labels, centroids, given, hinge, &node))
        status = solve(hinge, given->seed, &node, stop);
    if (status == RB_OK && !append_weights(&node, given->least, &result)) status = RB_NO_MEMORY;
    free_training(&node);
    return status;
}

/* ---- search ---- */

/* A document that is to be scored at a node, and the logarithm of its score so far. */
typedef struct { int64_t document, node; double score; } visit;

/* The best branches of each document: `width` places for each, the worst in the first, -1 for a free place. */
typedef struct { int64_t width; double *scores; int64_t *targets; } beams;

static void clear_beams(beams *best, int64_t documents) {
    for (int64_t i = 0; i < documents * best->width; i++) best->scores[i] = -INFINITY, best->targets[i] = -1;
}

/* Put w.x + b of each branch of a node into f; entry_of has the entries of the node's terms, -1 for other terms. */
static void score_node(const rb_float_rows *queries, const rb_label_forest *forest, const visit *at,
                       const int64_t *entry_of, double *f) {
    int64_t first = forest->branch_starts[at->node], branches = forest->branch_starts[at->node + 1] - first;
    for (int64_t c = 0; c < branches; c++) f[c] = forest->biases[first + c];
    for (int64_t p = queries->starts[at->document]; p < queries->starts[at->document + 1]; p++) {
        int64_t entry = entry_of[queries->terms[p]];
        if (entry < 0) continue;
        for (int64_t q = forest->weight_starts[entry]; q < forest->weight_starts[entry + 1]; q++)
            f[forest->weight_branches[q]] += queries->values[p] * forest->weights[q];
    }
}

/* Offer the branches of a node to the best of a document. */
static void offer_branches(const double *f, int64_t branches, const int64_t *targets, const visit *at, beams *best) {
    double *scores = best->scores + at->document * best->width;
    int64_t *kept = best->targets + at->document * best->width;
    for (int64_t c = 0; c < branches; c++) {
        double shortfall = rb_max(0, 1 - f[c]), score = at->score - shortfall * shortfall;
        if (!(score > scores[0])) continue; /* the rest of the loss only lowers it */
        score -= EPSILON / 2 * (1 - f[c] / (1 + fabs(f[c])));
        if (!(score > scores[0])) continue;
        int64_t worst = 0, target = targets[c];
        scores[0] = score;
        for (int64_t q = 1; q < best->width; q++)
            if (scores[q] < scores[worst]) worst = q;
        scores[0] = scores[worst], kept[0] = kept[worst];
        scores[worst] = score, kept[worst] = target;
    }
}

/* Score the documents that visit the same node: order[0] to order[count - 1]. */
static void visit_node(const rb_float_rows *queries, const rb_label_forest *forest, const ranked *order, int64_t count,
                       const visit *visits, int64_t *entry_of, double *f, beams *level, beams *result) {
    int64_t node = visits[order->position].node, first = forest->branch_starts[node];
    for (int64_t e = forest->term_starts[node]; e < forest->term_starts[node + 1]; e++) entry_of[forest->terms[e]] = e;
    for (int64_t i = 0; i < count; i++) {
        const visit *at = &visits[order[i].position];
        score_node(queries, forest, at, entry_of, f);
        offer_branches(f, forest->branch_starts[node + 1] - first, forest->targets + first, at,
                       forest->leaf[node] ? result : level);
    }
    for (int64_t e = forest->term_starts[node]; e < forest->term_starts[node + 1]; e++) entry_of[forest->terms[e]] = -1;
}

/* List the visits of the next level: the children in the beams. Return their number. */
static int64_t list_visits(const beams *level, int64_t documents, visit *visits) {
    int64_t count = 0;
    for (int64_t i = 0; i < documents * level->width; i++)
        if (level->targets[i] >= 0) visits[count++] = (visit){i / level->width, level->targets[i], level->scores[i]};
    return count;
}

int rb_search_tree(const rb_float_rows *queries, const rb_label_forest *forest, int64_t root, const rb_beam *beam,
                   double *scores, int64_t *categories) {
    int64_t n = queries->length, count = n, most = 0;
    for (int64_t i = 0; i < forest->nodes; i++)
        most = rb_max_int(most, forest->branch_starts[i + 1] - forest->branch_starts[i]);
    beams level = {beam->nodes, RB_ALLOC(double, n *beam->nodes), RB_ALLOC(int64_t, n *beam->nodes)};
    beams result = {beam->categories, scores, categories};
    visit *visits = RB_ALLOC(visit, n *beam->nodes);
    ranked *order = RB_ALLOC(ranked, n *beam->nodes);
    int64_t *entry_of = RB_ALLOC(int64_t, beam->columns);
    double *f = RB_ALLOC(double, most);
    int status = level.scores && level.targets && visits && order && entry_of && f ? RB_OK : RB_NO_MEMORY;
    if (status == RB_OK) {
        for (int64_t t = 0; t < beam->columns; t++) entry_of[t] = -1;
        for (int64_t i = 0; i < n; i++) visits[i] = (visit){i, root, 0};
        clear_beams(&result, n);
        while (count > 0) { /* level by level and grouped by node, so the weights of a node are looked up once */
            for (int64_t i = 0; i < count; i++) order[i] = (ranked){(double)visits[i].node, i};
            qsort(order, (size_t)count, sizeof *order, compare_ranked);
            clear_beams(&level, n);
            for (int64_t start = 0, end; start < count; start = end) {
                for (end = start + 1; end < count && order[end].value == order[start].value;) end++;
                visit_node(queries, forest, order + start, end - start, visits, entry_of, f, &level, &result);
            }
            count = list_visits(&level, n, visits);
        }
    }
    free(level.scores), free(level.targets), free(visits), free(order), free(entry_of), free(f);
    return status;
}

int rb_merge_trees(int64_t documents, int64_t width, const double *scores, const int64_t *found, int64_t trees,
                   int64_t k, int64_t *best_categories, double *best_scores) {
    ranked *order = RB_ALLOC(ranked, width);
    if (!order) return RB_NO_MEMORY;
    for (int64_t d = 0; d < documents; d++, scores += width, found += width) {
        rb_best best = {k, 0, best_scores + d * k, best_categories + d * k};
        for (int64_t i = 0; i < width; i++) order[i] = (ranked){(double)found[i], i};
        qsort(order, (size_t)width, sizeof *order, compare_ranked);
        for (int64_t start = 0, end; start < width; start = end) {
            double sum = 0;
            for (end = start; end < width && order[end].value == order[start].value; end++)
                sum += exp(scores[order[end].position]) / (double)trees;
            if (order[start].value >= 0) rb_best_offer(&best, sum, found[order[start].position]);
        }
        rb_best_rank(&best);
    }
    free(order);
    return RB_OK;
}
