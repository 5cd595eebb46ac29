/* Sleeping experts: learn from documents one by one, and score them.
 * Problem  each pair of phrase and category may have an expert with two weights, for and against. On a document, the
 *          experts of its phrases are awake. With F and A the sums of their weights for and against a category,
 *              score = F / (F + A)                                       0 if no expert is awake
 *          Then those that were wrong lose, and the sum of all that are awake is restored (Freund et al. 1997):
 *              the document is in the category      against beta, all (F + A) / (F + beta A)
 *              it is not                            for beta,     all (F + A) / (beta F + A)
 *          A document of weight s has beta^s in place of beta.
 * Pool     before the update, a document of a category makes an expert of each of its phrases that has none there. Its
 *          weights are beta^n for, n the documents with the phrase so far, as if it had been awake and wrong on each,
 *          and 1 against. The experts of a phrase are one block; a full block moves to the end with twice the capacity.
 * Given    documents as lists of distinct phrases, their categories as lists, their weights; the pool.
 * Return   the pool changed in place; the scores before each update, unless `scores` is NULL. Learning ends before a
 *          document that might not fit into the pool: progress[0] is then its number and progress[1] the places it may
 *          take. The caller enlarges the pool and calls again. At the end progress[0] is the number of documents.
 * Cost     two visits of the experts of the document's phrases. Weights stay above 1e-300: none is lost for ever.
 * Edges    a document of weight 0 is scored, not learned.
 */
#include "common.h"

static const double LEAST_WEIGHT = 1e-300;
enum { FIRST_CAPACITY = 2 }; /* of a block */

/* A category on one document: F and A, what the weights of its experts are multiplied by, whether one is awake, and the
 * last visit of a phrase that has an expert for it. */
typedef struct { double favour, against, favour_factor, against_factor; int64_t mark; bool awake; } category_state;

/* All categories; those with an expert awake, in the order they were met; and the visits of phrases so far. */
typedef struct { category_state *states; int64_t *touched, count, visits; } ledger;

static bool make_ledger(ledger *own, int64_t categories) {
    *own = (ledger){RB_ALLOC_ZEROS(category_state, categories), RB_ALLOC(int64_t, categories), 0, 0};
    return own->states && own->touched;
}

/* Add up F and A of each category with an expert awake on document d. */
static void sum_weights(const rb_lists *documents, int64_t d, const rb_experts *experts, ledger *own) {
    for (int64_t k = documents->starts[d]; k < documents->starts[d + 1]; k++) {
        int64_t first = experts->first[documents->items[k]], end = first + experts->length[documents->items[k]];
        for (int64_t i = first; i < end; i++) {
            category_state *state = own->states + experts->category[i];
            if (!state->awake) state->awake = true, own->touched[own->count++] = experts->category[i];
            state->favour += experts->favour[i];
            state->against += experts->against[i];
        }
    }
}

static void write_scores(const ledger *own, double *scores) {
    for (int64_t k = 0; k < own->count; k++) {
        const category_state *state = own->states + own->touched[k];
        scores[own->touched[k]] = state->favour / (state->favour + state->against);
    }
}

static void clear_sums(ledger *own) {
    for (; own->count > 0; own->count--) {
        category_state *state = own->states + own->touched[own->count - 1];
        state->favour = state->against = 0.0, state->awake = false;
    }
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
                        double beta, ledger *own) {
    for (int64_t k = documents->starts[d]; k < documents->starts[d + 1]; k++) {
        int64_t w = documents->items[k], end = pool->first[w] + pool->length[w];
        own->visits++;
        for (int64_t i = pool->first[w]; i < end; i++) own->states[pool->category[i]].mark = own->visits;
        double weight = rb_max(pow(beta, pool->seen[w]), LEAST_WEIGHT);
        for (int64_t j = labels->starts[d]; j < labels->starts[d + 1]; j++) {
            category_state *state = own->states + labels->items[j];
            if (state->mark == own->visits) continue;
            add_expert(pool, w, labels->items[j], weight);
            if (!state->awake) state->awake = true, own->touched[own->count++] = labels->items[j];
            state->favour += weight, state->against += 1.0;
        }
    }
}

/* Set the factors: first as if the document were in no category, then those of its own are overwritten. */
static void set_factors(const rb_lists *labels, int64_t d, double beta, ledger *own) {
    for (int64_t k = 0; k < own->count; k++) {
        category_state *state = own->states + own->touched[k];
        double all = state->favour + state->against, left = beta * state->favour + state->against;
        state->favour_factor = beta * all / left, state->against_factor = all / left;
    }
    for (int64_t j = labels->starts[d]; j < labels->starts[d + 1]; j++) {
        category_state *state = own->states + labels->items[j];
        double all = state->favour + state->against, left = state->favour + beta * state->against;
        if (all > 0.0) state->favour_factor = all / left, state->against_factor = beta * all / left;
    }
}

static void update_weights(const rb_lists *documents, int64_t d, double weight, const rb_expert_pool *pool,
                           const ledger *own) {
    for (int64_t k = documents->starts[d]; k < documents->starts[d + 1]; k++) {
        int64_t w = documents->items[k], end = pool->first[w] + pool->length[w];
        for (int64_t i = pool->first[w]; i < end; i++) {
            const category_state *state = own->states + pool->category[i];
            pool->favour[i] = rb_max(pool->favour[i] * state->favour_factor, LEAST_WEIGHT);
            pool->against[i] = rb_max(pool->against[i] * state->against_factor, LEAST_WEIGHT);
        }
        pool->seen[w] += weight;
    }
}

int rb_learn_experts(const rb_lists *documents, const rb_lists *labels, const double *weights,
                     const rb_expert_pool *pool, int64_t capacity, double beta, int64_t categories, double *scores,
                     int64_t *progress, const int32_t *stop) {
    rb_experts experts = {pool->first, pool->length, pool->category, pool->favour, pool->against};
    ledger own;
    int status = make_ledger(&own, categories) ? RB_OK : RB_NO_MEMORY;
    for (int64_t d = progress[0]; status == RB_OK && d < documents->length; d++) {
        progress[1] = count_new_places(documents, d, labels->starts[d + 1] - labels->starts[d], pool);
        if (progress[1] > capacity - *pool->size) break;
        sum_weights(documents, d, &experts, &own);
        if (scores) write_scores(&own, scores + d * categories);
        if (weights[d] > 0.0) {
            add_experts(documents, labels, d, pool, beta, &own);
            set_factors(labels, d, pow(beta, weights[d]), &own);
            update_weights(documents, d, weights[d], pool, &own);
        }
        clear_sums(&own);
        progress[0] = d + 1;
        if (rb_is_stopped(stop)) status = RB_STOPPED;
    }
    free(own.states), free(own.touched);
    return status;
}

int rb_score_experts(const rb_lists *documents, const rb_experts *experts, int64_t categories, double *scores,
                     const int32_t *stop) {
    ledger own;
    int status = make_ledger(&own, categories) ? RB_OK : RB_NO_MEMORY;
    for (int64_t d = 0; status == RB_OK && d < documents->length; d++) {
        sum_weights(documents, d, experts, &own);
        write_scores(&own, scores + d * categories);
        clear_sums(&own);
        if (rb_is_stopped(stop)) status = RB_STOPPED;
    }
    free(own.states), free(own.touched);
    return status;
}
