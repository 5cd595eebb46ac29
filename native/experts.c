/* Sleeping experts: learn from documents one by one, and score them.
 *
 * Problem  each pair of phrase and category may have an expert with two weights, for and against. On a document, the
 *          experts of its phrases are awake. With F and A the sums of their weights for and against a category,
 *              score = F / (F + A)                                       0 if no expert is awake
 *          Then those that were wrong lose, and the sum of all that are awake is restored (Freund et al. 1997, section
 *          4):
 *              the document is in the category      against beta, all (F + A) / (F + beta A)
 *              it is not                            for beta,     all (F + A) / (beta F + A)
 *          A document of weight s has beta^s in place of beta.
 * Pool     before the update, a document of a category makes an expert of each of its phrases that has none there. Its
 *          weights are beta^n for, n the documents with the phrase so far, as if it had been awake and wrong on each, and
 *          1 against. The experts of a phrase lie in one block; a full block moves to the end of the pool with twice the
 *          capacity.
 * Given    documents as lists of distinct phrases, their categories as lists, their weights; the pool.
 * Return   the pool changed in place; the scores before each update, unless `scores` is NULL. Before a document that
 *          might not fit into the pool learning ends: progress[0] is then its number and progress[1] the places it may
 *          take. The caller enlarges the pool and calls again. At the end progress[0] is the number of documents.
 * Cost     two visits of the experts of the document's phrases. Weights stay above 1e-300, so that none is lost for ever.
 * Edges    a document of weight 0 is scored, not learned.
 */
#include "common.h"

static const double LEAST_WEIGHT = 1e-300;
enum { FIRST_CAPACITY = 2 }; /* of a block */

/* F and A of a category, and what weights for and against are multiplied by. */
typedef struct { double favour, against; } pair;

/* Sums and factors per category; `touched` are the categories with an expert awake, in the order they were met.
 * marks[c] is the last visit of a phrase that found an expert for c. */
typedef struct {
    pair *sums, *factors;
    bool *awake;
    int64_t *touched, count, *marks, visits;
} ledger;

static bool make_ledger(ledger *state, int64_t categories) {
    state->sums = RB_ALLOC_ZEROS(pair, categories), state->factors = RB_ALLOC(pair, categories);
    state->awake = RB_ALLOC_ZEROS(bool, categories), state->touched = RB_ALLOC(int64_t, categories);
    state->marks = RB_ALLOC_ZEROS(int64_t, categories);
    state->count = state->visits = 0;
    return state->sums && state->factors && state->awake && state->touched && state->marks;
}

static void free_ledger(ledger *state) {
    free(state->sums), free(state->factors), free(state->awake), free(state->touched), free(state->marks);
}

/* Add up F and A of each category with an expert awake on document d. */
static void sum_weights(const rb_lists *documents, int64_t d, const rb_experts *experts, ledger *state) {
    for (int64_t k = documents->starts[d]; k < documents->starts[d + 1]; k++) {
        int64_t first = experts->first[documents->items[k]], end = first + experts->length[documents->items[k]];
        for (int64_t i = first; i < end; i++) {
            int32_t c = experts->category[i];
            if (!state->awake[c]) state->awake[c] = true, state->touched[state->count++] = c;
            state->sums[c].favour += experts->favour[i];
            state->sums[c].against += experts->against[i];
        }
    }
}

static void write_scores(const ledger *state, double *scores) {
    for (int64_t k = 0; k < state->count; k++) {
        pair sum = state->sums[state->touched[k]];
        scores[state->touched[k]] = sum.favour / (sum.favour + sum.against);
    }
}

static void clear_ledger(ledger *state) {
    for (int64_t k = 0; k < state->count; k++) {
        state->sums[state->touched[k]] = (pair){0.0, 0.0};
        state->awake[state->touched[k]] = false;
    }
    state->count = 0;
}

/* The places that new experts of document d take at most; blocks that move leave their old places unused. */
static int64_t count_new_places(const rb_lists *documents, int64_t d, int64_t labels, const rb_expert_pool *pool) {
    int64_t places = 0;
    for (int64_t k = documents->starts[d]; k < documents->starts[d + 1]; k++) {
        int64_t w = documents->items[k], room = pool->room[w];
        while (room < pool->length[w] + labels) room = rb_max_int(FIRST_CAPACITY, 2 * room), places += room;
    }
    return places;
}

static void add_expert(const rb_expert_pool *pool, int64_t w, int32_t c, double weight) {
    int64_t length = pool->length[w];
    if (length == pool->room[w]) {
        int64_t old = pool->first[w], new = *pool->size;
        memcpy(pool->category + new, pool->category + old, sizeof(int32_t) * (size_t)length);
        memcpy(pool->favour + new, pool->favour + old, sizeof(double) * (size_t)length);
        memcpy(pool->against + new, pool->against + old, sizeof(double) * (size_t)length);
        pool->first[w] = new, pool->room[w] = rb_max_int(FIRST_CAPACITY, 2 * length);
        *pool->size += pool->room[w];
    }
    int64_t at = pool->first[w] + pool->length[w]++;
    pool->category[at] = c, pool->favour[at] = weight, pool->against[at] = 1.0;
}

/* Make the experts that the categories of document d lack, and add them to the sums. */
static void add_experts(const rb_lists *documents, const rb_lists *labels, int64_t d, const rb_expert_pool *pool,
                        double beta, ledger *state) {
    for (int64_t k = documents->starts[d]; k < documents->starts[d + 1]; k++) {
        int64_t w = documents->items[k], end = pool->first[w] + pool->length[w];
        state->visits++;
        for (int64_t i = pool->first[w]; i < end; i++) state->marks[pool->category[i]] = state->visits;
        double weight = rb_max(pow(beta, pool->seen[w]), LEAST_WEIGHT);
        for (int64_t j = labels->starts[d]; j < labels->starts[d + 1]; j++) {
            int32_t c = labels->items[j];
            if (state->marks[c] == state->visits) continue;
            add_expert(pool, w, c, weight);
            state->sums[c].favour += weight;
            state->sums[c].against += 1.0;
        }
    }
}

/* Set the factors: first as if the document were in no category, then those of its own are overwritten. */
static void set_factors(const rb_lists *labels, int64_t d, double beta, ledger *state) {
    for (int64_t k = 0; k < state->count; k++) {
        pair sum = state->sums[state->touched[k]];
        double all = sum.favour + sum.against, left = beta * sum.favour + sum.against;
        state->factors[state->touched[k]] = (pair){beta * all / left, all / left};
    }
    for (int64_t j = labels->starts[d]; j < labels->starts[d + 1]; j++) {
        pair sum = state->sums[labels->items[j]];
        double all = sum.favour + sum.against, left = sum.favour + beta * sum.against;
        if (all > 0.0) state->factors[labels->items[j]] = (pair){all / left, beta * all / left};
    }
}

static void update_weights(const rb_lists *documents, int64_t d, double weight, const rb_expert_pool *pool,
                           const ledger *state) {
    for (int64_t k = documents->starts[d]; k < documents->starts[d + 1]; k++) {
        int64_t w = documents->items[k], end = pool->first[w] + pool->length[w];
        for (int64_t i = pool->first[w]; i < end; i++) {
            pair factor = state->factors[pool->category[i]];
            pool->favour[i] = rb_max(pool->favour[i] * factor.favour, LEAST_WEIGHT);
            pool->against[i] = rb_max(pool->against[i] * factor.against, LEAST_WEIGHT);
        }
        pool->seen[w] += weight;
    }
}

int rb_learn_experts(const rb_lists *documents, const rb_lists *labels, const double *weights,
                     const rb_expert_pool *pool, double beta, int64_t categories, double *scores, int64_t *progress,
                     const int32_t *stop) {
    rb_experts experts = {pool->first, pool->length, pool->category, pool->favour, pool->against};
    ledger state;
    int status = make_ledger(&state, categories) ? RB_OK : RB_NO_MEMORY;
    for (int64_t d = progress[0]; status == RB_OK && d < documents->length; d++) {
        progress[1] = count_new_places(documents, d, labels->starts[d + 1] - labels->starts[d], pool);
        if (progress[1] > pool->capacity - *pool->size) break;
        sum_weights(documents, d, &experts, &state);
        if (scores) write_scores(&state, scores + d * categories);
        if (weights[d] > 0.0) {
            add_experts(documents, labels, d, pool, beta, &state);
            set_factors(labels, d, pow(beta, weights[d]), &state);
            update_weights(documents, d, weights[d], pool, &state);
        }
        clear_ledger(&state);
        /* A category whose first experts this document made is not among those touched. */
        for (int64_t j = labels->starts[d]; j < labels->starts[d + 1]; j++)
            state.sums[labels->items[j]] = (pair){0.0, 0.0};
        progress[0] = d + 1;
        if (rb_is_stopped(stop)) status = RB_STOPPED;
    }
    free_ledger(&state);
    return status;
}

int rb_score_experts(const rb_lists *documents, const rb_experts *experts, int64_t categories, double *scores,
                     const int32_t *stop) {
    ledger state;
    int status = make_ledger(&state, categories) ? RB_OK : RB_NO_MEMORY;
    for (int64_t d = 0; status == RB_OK && d < documents->length; d++) {
        sum_weights(documents, d, experts, &state);
        write_scores(&state, scores + d * categories);
        clear_ledger(&state);
        if (rb_is_stopped(stop)) status = RB_STOPPED;
    }
    free_ledger(&state);
    return status;
}
