/* Decision trees on the presence of words: growing, pruning, smoothing, walking.
 *
 * Grow    Split the documents of a node by the word whose presence tells most about the truth, until nothing is told.
 *         With N the weight of the documents, P that of the positive ones, n, p the same if the word is present:
 *             gain   H(N, P) - n/N H(n, p) - (N-n)/N H(N-n, P-p)        H(n, p): entropy in bits
 *             split  H(N, n)
 *         By ratio: the largest gain / split among the words of at least average gain (quinlan1993, section 2.2); else
 *         the largest gain. Only words that leave `min_weight` or more on either side count, in the average too.
 *   Cost  Only the smaller child is counted; the larger one is its parent less the smaller. So a document is read at
 *         most log2(documents) times; besides, each node looks at the words that can still split it.
 *   Ties  Words within 1e-10 of the best are equal: the first column wins.
 *   Edges A node that is pure, too light for two children, or without a word of gain above 1e-10 is a leaf; so is one
 *         whose best word no document has (its count is the rounding of subtractions). So there are at most
 *         2 documents - 1 nodes, for which the caller has made space. No recursion: a path may be very long.
 *
 * Prune   With E errors among N training documents at a leaf, the errors to expect are N U(E, N), U the upper limit of
 *         the error rate at a confidence. Replace a node by a leaf if that is no worse than its subtree, or by its
 *         larger branch, whose leaves take in the documents of the other branch (quinlan1993, sections 4.2 and 4.3).
 *   Rules of C4.5, release 8: U is 1 - confidence^(1/N) for E = 0, linear between E = 0 and 1, Wilson's limit with half
 *         an error more above; E >= N - 1/2: two thirds of the rest besides. First, a node whose leaves make as many
 *         training errors as itself becomes a leaf. A replacement may cost 0.1 errors; a leaf is preferred to a branch.
 *         After raising a branch, the subtree is pruned again. At the end nodes are renumbered, parents first.
 *   Cost  The documents of the smaller branch are walked down the larger one at every node, and after raising again at
 *         the nodes that got documents (at the others nothing would change).
 *   Ties  Branches of equal weight: the one without the word is the larger.
 *
 * Smooth  Average over all prunings (buntine1992, section 4). Each node is a leaf with probability `leaf_prior`, or
 *         goes on. With a Beta(a, a) prior on the probability of a positive, a leaf has the evidence and the estimate
 *             L = B(P + a, N - P + a) / B(a, a)          (P + a) / (N + 2a)
 *         and a node the evidence S = leaf_prior L + (1 - leaf_prior) S(child) S(other child); at the bottom S = L. It
 *         is a leaf with posterior probability w = leaf_prior L / S; a path ends with the mean of the estimates on it,
 *         q = w estimate + (1 - w) q(child). Returned for each node: q as if it were the end of the path.
 *   Cost  One pass up and one down. Evidence is kept as logarithms: that of a thousand documents underflows.
 */
#include "common.h"

#define EPSILON 1e-10         /* gains and ratios that differ by less are equal */
#define ACCEPTED_ERRORS 0.1   /* errors that a simpler tree may cost: C4.5, release 8 */
#define NEGLIGIBLE_ERROR 1e-3 /* training errors that count as none: C4.5, release 8 */
#define MAX_LEVELS 64         /* a level holds at most half of the documents of the level before */

/* The words of one node: counts[2 t] and counts[2 t + 1] are n and p of word t; `active` words may still split it. */
typedef struct { double *counts; int32_t *active; int64_t size; } word_level;

static bool alloc_level(word_level *level, int64_t width) {
    level->counts = RB_ALLOC(double, 2 * width);
    level->active = RB_ALLOC(int32_t, width);
    return level->counts && level->active;
}

/* x log2 x, 0 at 0; looked up for whole numbers. */
static inline double x_log_x(double x, const rb_split_rule *rule) {
    if (x <= 0.0) return 0.0;
    if (x < (double)rule->table_length) {
        int64_t whole = (int64_t)x;
        if ((double)whole == x) return rule->table[whole];
    }
    return x * log2(x);
}

/* n H(n, p). */
static inline double entropy_bits(double n, double p, const rb_split_rule *rule) {
    return x_log_x(n, rule) - x_log_x(p, rule) - x_log_x(n - p, rule);
}

/* Fill in the gain of each word that can split the node, or its gain ratio; the other words leave the list. */
static void score_words(word_level *level, double P, double N, const rb_split_rule *rule, double *scores) {
    const double *counts = level->counts;
    double least = rule->min_weight - EPSILON, whole = entropy_bits(N, P, rule), total = 0.0;
    int32_t *active = level->active;
    int64_t kept = 0;
    /* A word that is too rare or too frequent here is so in every node below: it leaves the list for good. */
    for (int64_t i = 0; i < level->size; i++) {
        double n = counts[2 * active[i]], p = counts[2 * active[i] + 1];
        if (n < least || N - n < least) continue;
        active[kept] = active[i];
        scores[kept] = (whole - entropy_bits(n, p, rule) - entropy_bits(N - n, P - p, rule)) / N;
        total += scores[kept++];
    }
    level->size = kept;
    if (!rule->by_ratio || kept == 0) return;
    /* The ratio favours words that hardly split at all; so only words of at least average gain are compared by it. */
    double average = total / (double)kept, split = x_log_x(N, rule);
    for (int64_t i = 0; i < kept; i++) {
        double n = counts[2 * active[i]];
        if (scores[i] >= average - EPSILON && scores[i] > EPSILON)
            scores[i] *= N / (split - (x_log_x(n, rule) + x_log_x(N - n, rule)));
        else
            scores[i] = 0.0;
    }
}

/* The first column among the best words, -1 if no word tells anything. The list is not in the order of columns. */
static int64_t best_word(const word_level *level, const double *scores) {
    double best = EPSILON;
    int64_t chosen = -1;
    for (int64_t i = 0; i < level->size; i++) best = rb_max(best, scores[i]);
    if (best <= EPSILON) return -1;
    for (int64_t i = 0; i < level->size; i++)
        if (scores[i] >= best - EPSILON && (chosen < 0 || level->active[i] < chosen)) chosen = level->active[i];
    return chosen;
}

/* Move the documents of a node that have a word to the front of its range; return where the others begin. */
static int64_t part_documents(const rb_lists *postings, int64_t word, const rb_tree *tree, int64_t node,
                              int32_t *place) {
    int64_t first = tree->first[node], last = tree->last[node], middle = first;
    for (int64_t i = postings->starts[word]; i < postings->starts[word + 1]; i++) {
        int32_t d = postings->items[i], at = place[d];
        if (at < first || at >= last) continue;
        int32_t other = tree->order[middle];
        tree->order[middle] = d, tree->order[at] = other;
        place[d] = (int32_t)middle, place[other] = at;
        middle++;
    }
    return middle;
}

/* Count and list the words of the smaller child's documents, and take them from the counts of the larger child. */
static void count_smaller(const rb_tree_cases *cases, const rb_tree *tree, int64_t node, word_level *small,
                          word_level *large) {
    const int64_t *starts = cases->rows.starts;
    const int32_t *words = cases->rows.items;
    double *counts = small->counts, *rest = large->counts;
    int64_t listed = 0;
    for (int64_t i = tree->first[node]; i < tree->last[node]; i++) {
        int32_t d = tree->order[i];
        for (int64_t j = starts[d]; j < starts[d + 1]; j++) counts[2 * words[j]] = counts[2 * words[j] + 1] = 0.0;
    }
    for (int64_t i = tree->first[node]; i < tree->last[node]; i++) {
        int32_t d = tree->order[i];
        double weight = cases->weights[d], positive = cases->truth[d] ? weight : 0.0;
        for (int64_t j = starts[d]; j < starts[d + 1]; j++) {
            int64_t t = 2 * (int64_t)words[j];
            if (counts[t] == 0.0) small->active[listed++] = words[j];
            counts[t] += weight, counts[t + 1] += positive;
            rest[t] -= weight, rest[t + 1] -= positive;
        }
    }
    small->size = listed;
}

static void set_leaf(const rb_tree *tree, int64_t node, int64_t first, int64_t last, double P, double N) {
    tree->asked[node] = tree->present[node] = tree->without[node] = -1;
    tree->first[node] = first, tree->last[node] = last;
    tree->positives[node] = P, tree->totals[node] = N;
}

/* Make the root and the counts of all words. */
static void start_root(const rb_tree_cases *cases, const rb_tree *tree, word_level *level, int32_t *place) {
    const int64_t *starts = cases->rows.starts;
    int64_t documents = cases->rows.length, width = cases->postings.length;
    double P = 0.0, N = 0.0;
    for (int64_t t = 0; t < width; t++) {
        level->active[t] = (int32_t)t;
        level->counts[2 * t] = cases->word_weights[t], level->counts[2 * t + 1] = 0.0;
    }
    level->size = width;
    for (int64_t d = 0; d < documents; d++) {
        tree->order[d] = place[d] = (int32_t)d;
        N += cases->weights[d];
        if (!cases->truth[d]) continue;
        P += cases->weights[d];
        for (int64_t j = starts[d]; j < starts[d + 1]; j++)
            level->counts[2 * cases->rows.items[j] + 1] += cases->weights[d];
    }
    set_leaf(tree, 0, 0, documents, P, N);
}

/* Make the two children of a node; return whether the one with the word has no more documents than the other. */
static bool add_children(const rb_tree_cases *cases, const rb_tree *tree, int64_t node, int64_t made, int64_t middle) {
    int64_t first = tree->first[node], last = tree->last[node];
    double P = 0.0, N = 0.0;
    for (int64_t i = first; i < middle; i++) {
        double weight = cases->weights[tree->order[i]];
        N += weight;
        if (cases->truth[tree->order[i]]) P += weight;
    }
    tree->present[node] = made, tree->without[node] = made + 1;
    set_leaf(tree, made, first, middle, P, N);
    set_leaf(tree, made + 1, middle, last, tree->positives[node] - P, tree->totals[node] - N);
    return middle - first <= last - middle;
}

int rb_grow_tree(const rb_tree_cases *cases, const rb_split_rule *rule, const rb_tree *tree, int64_t *size,
                 const int32_t *stop) {
    int64_t width = cases->postings.length, made = 1, waiting = 1;
    word_level levels[MAX_LEVELS] = {{0}};
    struct { int64_t node, level; } stack[MAX_LEVELS + 1] = {{0, 0}};
    int32_t *place = RB_ALLOC(int32_t, cases->rows.length);
    double *scores = RB_ALLOC(double, width);
    int status = RB_NO_MEMORY;
    if (!place || !scores || !alloc_level(&levels[0], width)) goto end;
    start_root(cases, tree, &levels[0], place);
    while (waiting > 0 && !rb_is_stopped(stop)) {
        int64_t node = stack[--waiting].node, at = stack[waiting].level;
        double P = tree->positives[node], N = tree->totals[node];
        if (P <= EPSILON || N - P <= EPSILON || 2 * rule->min_weight - N > EPSILON) continue;
        score_words(&levels[at], P, N, rule, scores);
        int64_t word = best_word(&levels[at], scores);
        if (word < 0) continue;
        int64_t middle = part_documents(&cases->postings, word, tree, node, place);
        if (middle == tree->first[node] || middle == tree->last[node]) continue;
        tree->asked[node] = word;
        int64_t small = add_children(cases, tree, node, made, middle) ? made : made + 1;
        if (!levels[at + 1].counts && !alloc_level(&levels[at + 1], width)) goto end;
        count_smaller(cases, tree, small, &levels[at + 1], &levels[at]);
        /* The smaller child is grown first and takes the next level; the larger one keeps its parent's counts. So
           there is one node per level on the stack, and a level has at most half of the documents of the one before. */
        stack[waiting].node = made + made + 1 - small, stack[waiting++].level = at;
        stack[waiting].node = small, stack[waiting++].level = at + 1;
        made += 2;
    }
    *size = made;
    status = rb_is_stopped(stop) ? RB_STOPPED : RB_OK;
end:
    for (int64_t i = 0; i < MAX_LEVELS; i++) free(levels[i].counts), free(levels[i].active);
    free(place), free(scores);
    return status;
}

/* ---- pruning ---- */

/* A tree that is being pruned. The documents of a leaf are a list: head[leaf], then next[document]; -1 ends it.
   `errors` are those to expect of each node; `changed` nodes are to be looked at. The others are scratch: `added`
   (P and N of each node) is zero and `has_word` false between uses. */
typedef struct {
    const rb_tree_cases *cases;
    const rb_tree *tree;
    double confidence, z, *errors, *added;
    int32_t *head, *next, *documents;
    int64_t *leaves, *stack;
    bool *changed, *has_word;
} pruning;

/* Errors to expect beyond the E seen: Wilson's upper limit, with half an error more. */
static double more_errors(double N, double E, double z) {
    if (E + 0.5 >= N) return 0.67 * (N - E);
    double e = E + 0.5, z2 = z * z;
    return N * (e + z2 / 2 + sqrt(z2 * (e * (1 - e / N) + z2 / 4))) / (N + z2) - E;
}

/* Errors to expect of a leaf that decides as most of its N documents are, P of them positive. */
double rb_expected_errors(double N, double P, double confidence, double z) {
    double E = rb_min(P, N - P);
    if (N <= 0.0) return 0.0;
    double none = N * (1.0 - pow(confidence, 1.0 / N));
    if (E < 1e-6) return none;
    /* Below one error C4.5 interpolates between the exact limit for none and Wilson's for one. */
    if (E < 0.9999) return E + none + E * (more_errors(N, 1.0, z) - none);
    return E + more_errors(N, E, z);
}

/* Make leaves of nodes whose leaves together make as many errors on the training documents. */
static void collapse(const rb_tree *tree, int64_t size, double *errors) {
    for (int64_t node = size - 1; node >= 0; node--) { /* children come after their parents: first */
        errors[node] = rb_min(tree->positives[node], tree->totals[node] - tree->positives[node]);
        if (tree->asked[node] < 0) continue;
        double below = errors[tree->present[node]] + errors[tree->without[node]];
        if (below >= errors[node] - NEGLIGIBLE_ERROR)
            tree->asked[node] = -1;
        else
            errors[node] = below;
    }
}

/* The next node of a walk through the nodes below that on the stack: parents first, then the child with the word. */
static inline int64_t next_below(const rb_tree *tree, int64_t *stack, int64_t *waiting) {
    int64_t node = stack[--*waiting];
    if (tree->asked[node] >= 0) {
        stack[(*waiting)++] = tree->without[node];
        stack[(*waiting)++] = tree->present[node];
    }
    return node;
}

static inline void add_to_leaf(const pruning *state, int64_t leaf, int32_t document) {
    state->next[document] = state->head[leaf];
    state->head[leaf] = document;
}

/* List the documents of the leaves under a node in `documents`; return their number. */
static int64_t list_documents(const pruning *state, int64_t node) {
    int64_t size = 0, waiting = 1;
    state->stack[0] = node;
    while (waiting > 0) {
        int64_t below = next_below(state->tree, state->stack, &waiting);
        int32_t d = state->tree->asked[below] < 0 ? state->head[below] : -1;
        for (; d >= 0; d = state->next[d]) state->documents[size++] = d;
    }
    return size;
}

static void mark_words(const rb_lists *rows, int64_t document, bool *has_word, bool value) {
    for (int64_t j = rows->starts[document]; j < rows->starts[document + 1]; j++) has_word[rows->items[j]] = value;
}

/* Errors to expect of a branch whose leaves take in the listed documents too. */
static double errors_if_raised(const pruning *state, int64_t branch, int64_t count) {
    const rb_tree *tree = state->tree;
    double *added = state->added, total = state->errors[branch];
    for (int64_t i = 0; i < count; i++) {
        int64_t d = state->documents[i], node = branch;
        mark_words(&state->cases->rows, d, state->has_word, true);
        while (tree->asked[node] >= 0)
            node = state->has_word[tree->asked[node]] ? tree->present[node] : tree->without[node];
        mark_words(&state->cases->rows, d, state->has_word, false);
        state->leaves[i] = node;
        added[2 * node + 1] += state->cases->weights[d];
        added[2 * node] += state->cases->truth[d] ? state->cases->weights[d] : 0.0;
    }
    /* Only leaves that got documents change: the errors of the branch are corrected by theirs, each leaf once. */
    for (int64_t i = 0; i < count; i++) {
        int64_t leaf = state->leaves[i];
        if (added[2 * leaf + 1] <= 0.0) continue;
        double P = tree->positives[leaf] + added[2 * leaf], N = tree->totals[leaf] + added[2 * leaf + 1];
        total += rb_expected_errors(N, P, state->confidence, state->z) - state->errors[leaf];
        added[2 * leaf] = added[2 * leaf + 1] = 0.0;
    }
    return total;
}

/* Put a branch in the place of its parent: walk the listed documents down the branch, marking the nodes they pass. */
static void raise_branch(const pruning *state, int64_t node, int64_t branch, int64_t count) {
    const rb_tree *tree = state->tree;
    for (int64_t i = 0; i < count; i++) {
        int32_t d = state->documents[i];
        int64_t at = branch;
        mark_words(&state->cases->rows, d, state->has_word, true);
        while (tree->asked[at] >= 0) {
            at = state->has_word[tree->asked[at]] ? tree->present[at] : tree->without[at];
            state->changed[at] = true;
            tree->totals[at] += state->cases->weights[d];
            tree->positives[at] += state->cases->truth[d] ? state->cases->weights[d] : 0.0;
        }
        mark_words(&state->cases->rows, d, state->has_word, false);
        add_to_leaf(state, at, d);
    }
    tree->asked[node] = tree->asked[branch];
    tree->present[node] = tree->present[branch], tree->without[node] = tree->without[branch];
    state->head[node] = state->head[branch];
}

/* Make a leaf of a node: the documents of its leaves become its own. */
static void make_leaf(const pruning *state, int64_t node) {
    int64_t count = list_documents(state, node);
    state->tree->asked[node] = state->head[node] = -1;
    for (int64_t i = 0; i < count; i++) add_to_leaf(state, node, state->documents[i]);
}

/* Choose between a leaf, the larger branch with the documents of the smaller one, and the subtree as it is. Return
   whether the branch was raised, so that the node is to be looked at again. */
static bool simplify_node(const pruning *state, int64_t node, double alone) {
    const rb_tree *tree = state->tree;
    int64_t larger = tree->present[node], smaller = tree->without[node];
    double *errors = state->errors;
    errors[node] = errors[larger] + errors[smaller];
    if (tree->totals[larger] <= tree->totals[smaller]) larger = tree->without[node], smaller = tree->present[node];
    int64_t count = list_documents(state, smaller);
    double raised = errors_if_raised(state, larger, count);
    if (alone <= rb_min(raised, errors[node]) + ACCEPTED_ERRORS) {
        make_leaf(state, node);
        errors[node] = alone;
    } else if (raised <= errors[node] + ACCEPTED_ERRORS) {
        raise_branch(state, node, larger, count);
        return true;
    }
    return false;
}

/* Number the nodes that can be reached anew, each before its children; return their number. */
static int64_t compact_nodes(const pruning *state, int64_t *kept, int64_t *number) {
    const rb_tree *tree = state->tree;
    int64_t *columns[3] = {tree->present, tree->without, tree->asked}; /* `asked`, which tells leaves, last */
    double *sums[2] = {tree->positives, tree->totals};
    int64_t size = 0, waiting = 1;
    state->stack[0] = 0;
    while (waiting > 0) {
        int64_t node = next_below(tree, state->stack, &waiting);
        number[node] = size, kept[size++] = node;
    }
    for (int c = 0; c < 2; c++) {
        for (int64_t i = 0; i < size; i++) state->added[i] = sums[c][kept[i]];
        memcpy(sums[c], state->added, sizeof(double) * (size_t)size);
    }
    for (int c = 0; c < 3; c++) {
        for (int64_t i = 0; i < size; i++) {
            int64_t value = columns[c][kept[i]];
            state->stack[i] = tree->asked[kept[i]] < 0 ? -1 : c == 2 ? value : number[value];
        }
        memcpy(columns[c], state->stack, sizeof(int64_t) * (size_t)size);
    }
    return size;
}

/* List the documents of each leaf; every node is to be looked at. */
static void start_pruning(const pruning *state, int64_t nodes) {
    const rb_tree *tree = state->tree;
    int64_t waiting = 1;
    for (int64_t node = 0; node < nodes; node++) state->head[node] = -1, state->changed[node] = true;
    state->stack[0] = 0;
    while (waiting > 0) {
        int64_t leaf = next_below(tree, state->stack, &waiting);
        if (tree->asked[leaf] >= 0) continue;
        for (int64_t i = tree->first[leaf]; i < tree->last[leaf]; i++) add_to_leaf(state, leaf, tree->order[i]);
    }
}

/* Simplify the nodes, those below first. A node waits as ~node until those below it are on the stack, then as node. */
static void prune_nodes(const pruning *state, int64_t *stack, const int32_t *stop) {
    const rb_tree *tree = state->tree;
    int64_t waiting = 1;
    stack[0] = ~(int64_t)0;
    while (waiting > 0 && !rb_is_stopped(stop)) {
        int64_t entry = stack[--waiting], node = entry < 0 ? ~entry : entry;
        double alone = rb_expected_errors(tree->totals[node], tree->positives[node], state->confidence, state->z);
        if (tree->asked[node] < 0) {
            state->errors[node] = alone;
        } else if (entry < 0) {
            int64_t children[2] = {tree->without[node], tree->present[node]};
            stack[waiting++] = node;
            for (int i = 0; i < 2; i++) {
                if (!state->changed[children[i]]) continue; /* it got no documents since it was looked at */
                state->changed[children[i]] = false;
                stack[waiting++] = ~children[i];
            }
        } else if (simplify_node(state, node, alone)) {
            stack[waiting++] = ~node;
        }
    }
}

int rb_prune_tree(const rb_tree_cases *cases, double confidence, double z, const rb_tree *tree, int64_t *size,
                  const int32_t *stop) {
    int64_t nodes = *size, documents = cases->rows.length;
    double *sums = RB_ALLOC_ZEROS(double, 3 * nodes);
    int32_t *lists = RB_ALLOC(int32_t, nodes + 2 * documents);
    int64_t *numbers = RB_ALLOC(int64_t, 4 * nodes + documents);
    bool *marks = RB_ALLOC_ZEROS(bool, nodes + cases->postings.length);
    int status = RB_NO_MEMORY;
    if (!sums || !lists || !numbers || !marks) goto end;
    pruning state = {.cases = cases, .tree = tree, .confidence = confidence, .z = z,
                     .errors = sums, .added = sums + nodes, .head = lists, .next = lists + nodes,
                     .documents = lists + nodes + documents, .stack = numbers,
                     .leaves = numbers + 4 * nodes, .changed = marks, .has_word = marks + nodes};
    collapse(tree, nodes, state.errors);
    start_pruning(&state, nodes);
    prune_nodes(&state, numbers + nodes, stop);
    status = rb_is_stopped(stop) ? RB_STOPPED : RB_OK;
    if (status == RB_OK) *size = compact_nodes(&state, numbers + 2 * nodes, numbers + 3 * nodes);
end:
    free(sums), free(lists), free(numbers), free(marks);
    return status;
}

/* ---- smoothing ---- */

/* log(e^a + e^b) without overflow. */
static double log_sum(double a, double b) {
    double high = rb_max(a, b), low = rb_min(a, b);
    return high + log1p(exp(low - high));
}

int rb_smooth_tree(const rb_tree *tree, int64_t size, double a, double leaf_prior, double *probabilities) {
    double *evidence = RB_ALLOC_ZEROS(double, 4 * size), *leaf = evidence + size;
    double *mean = evidence + 2 * size, *going_on = evidence + 3 * size, both = lgamma(2 * a), each = lgamma(a);
    if (!evidence) return RB_NO_MEMORY;
    /* Children come after parents: evidence is gathered from the last node up, estimates are handed down. */
    for (int64_t node = size - 1; node >= 0; node--) {
        double P = rb_max(tree->positives[node], 0.0), rest = rb_max(tree->totals[node] - tree->positives[node], 0.0);
        double own = lgamma(P + a) + lgamma(rest + a) - lgamma(P + rest + 2 * a) + both - 2 * each;
        evidence[node] = own, leaf[node] = going_on[node] = 1.0;
        if (tree->asked[node] < 0) continue;
        double below = evidence[tree->present[node]] + evidence[tree->without[node]];
        evidence[node] = log_sum(log(leaf_prior) + own, log(1 - leaf_prior) + below);
        leaf[node] = exp(log(leaf_prior) + own - evidence[node]);
    }
    for (int64_t node = 0; node < size; node++) {
        double estimate = (tree->positives[node] + a) / (tree->totals[node] + 2 * a);
        probabilities[node] = mean[node] + going_on[node] * estimate;
        if (tree->asked[node] < 0) continue;
        int64_t one = tree->present[node], other = tree->without[node];
        mean[one] = mean[other] = mean[node] + going_on[node] * leaf[node] * estimate;
        going_on[one] = going_on[other] = going_on[node] * (1 - leaf[node]);
    }
    free(evidence);
    return RB_OK;
}

/* Fill in the leaf that each document reaches in each tree, documents x trees; `width` is the number of words. */
int rb_walk_trees(const rb_lists *rows, int64_t width, const int64_t *roots, int64_t trees, const int64_t *asked,
                  const int64_t *present, const int64_t *without, int64_t *leaves) {
    bool *has_word = RB_ALLOC_ZEROS(bool, width);
    if (!has_word) return RB_NO_MEMORY;
    for (int64_t d = 0; d < rows->length; d++) {
        mark_words(rows, d, has_word, true);
        for (int64_t i = 0; i < trees; i++) {
            int64_t node = roots[i];
            while (asked[node] >= 0) node = has_word[asked[node]] ? present[node] : without[node];
            leaves[d * trees + i] = node;
        }
        mark_words(rows, d, has_word, false);
    }
    free(has_word);
    return RB_OK;
}
