/* Distances in hierarchies, and the smallest graphs that connect the true and the assigned labels of documents.
 *
 * Nodes are whole numbers from 0 on. Python has checked that all of them are in range.
 */
#include "common.h"

/* ---- Fewest links between pairs of nodes, links taken in both directions ----
 *
 * Given  the parents and the children of every node, and pairs of a source x and a target y, sorted by source.
 * Fill   the number of links of the shortest path of each pair; 0 for equal nodes, -1 if there is no path.
 * Cost   one breadth-first search per distinct source, which stops at its last target: at most nodes + links each.
 */
typedef struct { int64_t *distances, *queue, tail; } search;

/* Queue the neighbours of a node that were not met before. */
static void spread(search *s, int64_t node, const rb_lists *links) {
    for (int64_t i = links->starts[node]; i < links->starts[node + 1]; i++) {
        int64_t other = links->items[i];
        if (s->distances[other] >= 0) continue;
        s->distances[other] = s->distances[node] + 1;
        s->queue[s->tail++] = other;
    }
}

/* Search from a source until `targets` distinct wanted nodes have been taken from the queue. */
static void search_from(search *s, int64_t source, const bool *is_wanted, int64_t targets, const rb_lists *parents,
                        const rb_lists *children) {
    s->tail = 1, s->queue[0] = source, s->distances[source] = 0;
    for (int64_t head = 0; head < s->tail && targets > 0; head++) {
        int64_t node = s->queue[head];
        targets -= is_wanted[node];
        spread(s, node, parents);
        spread(s, node, children);
    }
}

int rb_graph_distances(const rb_lists *parents, const rb_lists *children, int64_t n, const int64_t *x,
                       const int64_t *y, int64_t *distances, const int32_t *stop) {
    int64_t nodes = parents->length, last;
    search s = {RB_ALLOC(int64_t, nodes), RB_ALLOC(int64_t, nodes), 0};
    bool *is_wanted = RB_ALLOC_ZEROS(bool, nodes);
    int status = s.distances && s.queue && is_wanted ? RB_OK : RB_NO_MEMORY;
    for (int64_t node = 0; node < nodes && status == RB_OK; node++) s.distances[node] = -1;
    for (int64_t first = 0; first < n && status == RB_OK; first = last) {
        int64_t wanted = 0;
        for (last = first; last < n && x[last] == x[first]; last++) {
            wanted += !is_wanted[y[last]];
            is_wanted[y[last]] = true;
        }
        search_from(&s, x[first], is_wanted, wanted, parents, children);
        for (int64_t i = first; i < last; i++) {
            distances[i] = s.distances[y[i]];
            is_wanted[y[i]] = false;
        }
        /* Only nodes that were met are reset: a short search costs no pass over all nodes. */
        for (int64_t i = 0; i < s.tail; i++) s.distances[s.queue[i]] = -1;
        if (rb_is_stopped(stop)) status = RB_STOPPED;
    }
    free(s.distances);
    free(s.queue);
    free(is_wanted);
    return status;
}

/* ---- The path between each pair of nodes of a tree ----
 *
 * Given  pairs of nodes, the parent (-1 for the root) and the depth of each node; nodes from the size of the tree on
 *        are outside of it and meet nothing but themselves.
 * Fill   the links of each path (-1: none) and the nodes on either side, each from its end to the meeting point, which
 *        is on both sides. Cost: the links.
 */
void rb_tree_paths(int64_t nodes, const int64_t *parents, const int64_t *depths, int64_t n, const int64_t *x,
                   const int64_t *y, int64_t *links, int64_t *x_starts, int32_t *x_nodes, int64_t *y_starts,
                   int32_t *y_nodes) {
    int64_t at_x = 0, at_y = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t a = x[i], b = y[i], climbed = 0;
        bool meet = a == b || (a < nodes && b < nodes);
        /* The deeper of two different nodes is never their meeting point, so it climbs. */
        while (meet && a != b) {
            if (depths[a] >= depths[b]) x_nodes[at_x++] = (int32_t)a, a = parents[a];
            else y_nodes[at_y++] = (int32_t)b, b = parents[b];
            climbed++;
        }
        if (meet) x_nodes[at_x++] = y_nodes[at_y++] = (int32_t)a;
        links[i] = meet ? climbed : -1;
        x_starts[i + 1] = at_x, y_starts[i + 1] = at_y;
    }
}

/* ---- The smallest graphs that connect true and assigned labels ----
 *
 * Given  the true and the assigned labels of documents as nodes, and the connections between them.
 * Fill   3 x documents: nodes in both sets, in the assigned set alone, in the true set alone. A set holds the labels of
 *        its side and the nodes of the paths taken. Every label that the other side lacks takes one path to one of its
 *        nearest partners, such that the two sets together are smallest; of those choices the one with the most shared
 *        nodes, then the one with the fewest assigned, so that the numbering of nodes decides nothing.
 * Cost   of a document: choices x nodes on the paths. With more than `limit` choices all nearest paths are taken.
 * Edges  a label without a partner (nothing on the other side, or no connection) stands for itself.
 */
enum { TRUE_SIDE = 0, ASSIGNED_SIDE = 1 };

/* The two sets of a choice. A node is in a set if its mark is the current stamp: the next stamp empties both sets. */
typedef struct { int64_t *marks[2], stamp, sizes[2], shared; } node_sets;

/* Need k of a document takes one of paths[starts[k]] to paths[starts[k + 1] - 1]. */
typedef struct { int64_t length, *starts, *paths; } path_needs;

/* The labels of one document and the connections of its pairs of labels: labels[1] of them for each true label. */
typedef struct { const int32_t *labels[2]; int64_t sizes[2]; const int64_t *pairs; } document_labels;

static void add_nodes(node_sets *sets, int side, const int32_t *nodes, int64_t n) {
    int64_t *own = sets->marks[side], *other = sets->marks[1 - side];
    for (int64_t i = 0; i < n; i++) {
        if (own[nodes[i]] == sets->stamp) continue;
        own[nodes[i]] = sets->stamp;
        sets->sizes[side]++;
        sets->shared += other[nodes[i]] == sets->stamp;
    }
}

/* Add the paths of the nearest connections of label i of a side, unless both sides have it or it has none. */
static void add_need(path_needs *needs, const document_labels *own, int side, int64_t i, const rb_connections *all) {
    int64_t n = own->sizes[1 - side], width = own->sizes[ASSIGNED_SIDE], best = -1, at = needs->starts[needs->length];
    const int64_t *pairs = own->pairs + (side == TRUE_SIDE ? i * width : i);
    int64_t stride = side == TRUE_SIDE ? 1 : width;
    for (int64_t j = 0; j < n; j++) {
        int64_t links = all->links[pairs[j * stride]];
        if (own->labels[side][i] == own->labels[1 - side][j]) return;
        if (links >= 0 && (best < 0 || links < best)) best = links;
    }
    if (best < 0) return;
    for (int64_t j = 0; j < n; j++) {
        int64_t pair = pairs[j * stride];
        if (all->links[pair] != best) continue;
        int64_t path = all->path_starts[pair], end = all->path_starts[pair + 1];
        while (path < end) needs->paths[at++] = path++;
    }
    needs->starts[++needs->length] = at;
}

/* Fill the sets of one choice, a number in mixed radix: its digit k is the path that need k takes; -1 takes all. */
static void fill_sets(node_sets *sets, const document_labels *own, const path_needs *needs, int64_t choice,
                      const rb_connections *all) {
    sets->stamp++, sets->sizes[0] = sets->sizes[1] = sets->shared = 0;
    for (int side = 0; side < 2; side++) add_nodes(sets, side, own->labels[side], own->sizes[side]);
    for (int64_t k = 0; k < needs->length; k++) {
        int64_t low = needs->starts[k], high = needs->starts[k + 1], ways = high - low;
        if (choice >= 0) low += choice % ways, high = low + 1, choice /= ways;
        for (int64_t i = low; i < high; i++) {
            int64_t path = needs->paths[i];
            const int64_t *x = all->x.starts + path, *y = all->y.starts + path;
            add_nodes(sets, TRUE_SIDE, all->x.items + x[0], x[1] - x[0]);
            add_nodes(sets, ASSIGNED_SIDE, all->y.items + y[0], y[1] - y[0]);
        }
    }
}

/* Fewer nodes in all; of as many, more shared; of as many shared, fewer assigned. */
static bool is_better(const node_sets *a, const node_sets *b) {
    int64_t total = a->sizes[0] + a->sizes[1], least = b->sizes[0] + b->sizes[1];
    if (total != least) return total < least;
    return a->shared > b->shared || (a->shared == b->shared && a->sizes[ASSIGNED_SIDE] < b->sizes[ASSIGNED_SIDE]);
}

static node_sets smallest_sets(node_sets *sets, const document_labels *own, path_needs *needs,
                               const rb_connections *all) {
    int64_t choices = 1;
    needs->length = 0;
    for (int side = 0; side < 2; side++)
        for (int64_t i = 0; i < own->sizes[side]; i++) add_need(needs, own, side, i, all);
    for (int64_t k = 0; k < needs->length; k++) /* bounded above the limit, so that the product cannot overflow */
        choices = rb_min_int(choices * (needs->starts[k + 1] - needs->starts[k]), all->limit + 1);
    fill_sets(sets, own, needs, choices <= all->limit ? 0 : -1, all);
    node_sets best = *sets;
    for (int64_t choice = 1; choice < choices && choices <= all->limit; choice++) {
        fill_sets(sets, own, needs, choice, all);
        if (is_better(sets, &best)) best = *sets;
    }
    return best;
}

/* The most labels of a document, and the most paths of its pairs, each of which both of its labels may need. */
static void largest_document(const rb_lists *truth, const rb_lists *assigned, const rb_connections *all,
                             int64_t *most_labels, int64_t *most_paths) {
    const int64_t *pair = all->pairs;
    for (int64_t d = 0; d < truth->length; d++) {
        int64_t t = truth->starts[d + 1] - truth->starts[d], a = assigned->starts[d + 1] - assigned->starts[d];
        int64_t paths = 0;
        for (int64_t i = 0; i < t * a; i++, pair++) paths += all->path_starts[*pair + 1] - all->path_starts[*pair];
        *most_labels = rb_max_int(*most_labels, t + a), *most_paths = rb_max_int(*most_paths, 2 * paths);
    }
}

int rb_count_smallest_graphs(const rb_lists *truth, const rb_lists *assigned, const rb_connections *connections,
                             int64_t *counts, const int32_t *stop) {
    int64_t documents = truth->length, nodes = connections->nodes, most_labels = 0, most_paths = 0;
    largest_document(truth, assigned, connections, &most_labels, &most_paths);
    int64_t *marks = RB_ALLOC_ZEROS(int64_t, 2 * nodes), *starts = RB_ALLOC_ZEROS(int64_t, most_labels + 1);
    int64_t *paths = RB_ALLOC(int64_t, most_paths);
    int status = marks && starts && paths ? RB_OK : RB_NO_MEMORY;
    node_sets sets = {{marks, marks + nodes}, 0, {0, 0}, 0};
    path_needs needs = {0, starts, paths};
    const int64_t *pairs = connections->pairs;
    for (int64_t d = 0; d < documents && status == RB_OK; d++) {
        const int64_t *t = truth->starts + d, *a = assigned->starts + d;
        document_labels own = {{truth->items + t[0], assigned->items + a[0]}, {t[1] - t[0], a[1] - a[0]}, pairs};
        pairs += own.sizes[0] * own.sizes[1];
        node_sets best = smallest_sets(&sets, &own, &needs, connections);
        counts[d] = best.shared;
        counts[documents + d] = best.sizes[ASSIGNED_SIDE] - best.shared;
        counts[2 * documents + d] = best.sizes[TRUE_SIDE] - best.shared;
        if (rb_is_stopped(stop)) status = RB_STOPPED;
    }
    free(marks);
    free(starts);
    free(paths);
    return status;
}
