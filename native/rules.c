/* Rules: conjunctions of conditions on the words of a document. What they cover, how they are grown, pruned, chosen, and fired.
 *
 * A condition c >= 0 holds of a document that has the term c, one c < 0 of a document without the term ~c. A rule without
 * conditions covers every document. With p and n the weights of the positive and negative documents that a rule covers, its
 * precision is p / (p + n). Documents are given by number, ascending; the terms of a document ascend, too.
 *
 * rb_find_covered       The documents that meet all conditions, in the order given. Cost: a binary search per condition up to the
 *                       first that fails.
 * rb_weigh_prefixes     The costs of the positive and of the negative documents that meet the first 1, 2, ... conditions.
 * rb_grow_rule          RIPPER: add the condition of highest FOIL gain p1 (log2 p1/(p1 + n1) - log2 p0/(p0 + n0)) (quinlan1990)
 *                       until no negative document is covered or no gain is above 0. Ties: the smaller term, its presence before
 *                       its absence. Cost: for each condition the rows of the documents still covered and a look at each term.
 * rb_grow_rule_set      SWAP-1 (weiss1993; apte1994). Of two rules the better has the higher precision, of equal precision the
 *                       higher p. From the rule without conditions, take the best of all rules that exchange one condition for
 *                       another or leave one out, if it is better than the rule at hand; else the best that adds a condition, if
 *                       it is better; until n = 0 or none is better. Set the documents that it covers aside, and grow the next
 *                       rule, as long as a positive document is left and a rule is found. A rule that is wrong for half of the
 *                       documents that it newly covers, or more, is left out: twins with different labels.
 *                       Ties: an exchange before one at a later place, the smaller term, its presence before its absence.
 *                       Cost: for each step the holders of the rule's terms, a pass over the documents for each condition, and the
 *                       rows of the documents that fail at most one condition. What a change covers is computed by subtraction,
 *                       then added up; a change that was better by rounding alone ends the search.
 * rb_prune_rule_set     Weakest-link pruning (weiss1993). A document is assigned if a rule or more covers it. Of all ways to take
 *                       out a rule, or a condition of a rule of two or more, take the one that adds least error for each condition
 *                       it saves, until no rule is left. Ties: the step that saves most conditions, then the first rule, whole
 *                       rules before their conditions. Cost: for each step a look at all documents, and at the removals that
 *                       concern a document which is now covered by another number of rules.
 * rb_list_descriptions  CHARADE (ganascia1991): the sets of terms with p >= support and precision >= confidence, one term more at
 *                       a time, in the order of their terms; every term must raise the precision above that of the set without it
 *                       and of the term alone. What is listed is not extended. Nothing is listed without a positive document.
 * rb_choose_rules       Go through the rules in order; choose one if, of the documents it covers that fewer than `needed` chosen
 *                       rules cover, the positive ones have p > 0 and p / (p + n) >= confidence. Stop when every positive
 *                       document has the rules it needs. A rule without terms is not chosen.
 * rb_fire_rules         The score of a document for a category: with s1 the highest strength of its rules that fire, and the
 *                       product over the others that fire, s1 + slight (1 - s1) (1 - prod (1 - s)); 0 if none fires.
 */
#include "common.h"

typedef struct { double p, n; } cover_weight;

static bool condition_holds(const rb_lists *rows, int64_t document, int64_t condition) {
    int64_t term = condition >= 0 ? condition : ~condition;
    int64_t low = rows->starts[document], end = rows->starts[document + 1], high = end;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (rows->items[middle] < term)
            low = middle + 1;
        else
            high = middle;
    }
    return (low < end && rows->items[low] == term) == (condition >= 0);
}

/* How many conditions hold before the first that fails. */
static int64_t count_met(const rb_lists *rows, int64_t document, const int64_t *conditions, int64_t size) {
    int64_t met = 0;
    while (met < size && condition_holds(rows, document, conditions[met])) met++;
    return met;
}

int64_t rb_find_covered(const rb_lists *rows, const int64_t *documents, int64_t count, const int64_t *conditions, int64_t size,
                        int64_t *covered) {
    int64_t found = 0;
    for (int64_t i = 0; i < count; i++)
        if (count_met(rows, documents[i], conditions, size) == size) covered[found++] = documents[i];
    return found;
}

void rb_weigh_prefixes(const rb_rule_examples *examples, const double *costs, const int64_t *documents, int64_t count,
                       const int64_t *conditions, int64_t size, double *positive, double *negative) {
    for (int64_t k = 0; k < size; k++) positive[k] = negative[k] = 0.0;
    for (int64_t i = 0; i < count; i++) {
        int64_t d = documents[i], met = count_met(&examples->rows, d, conditions, size);
        if (met > 0) (examples->positive[d] ? positive : negative)[met - 1] += costs[d];
    }
    for (int64_t k = size - 2; k >= 0; k--) positive[k] += positive[k + 1], negative[k] += negative[k + 1];
}

static cover_weight weigh(const rb_rule_examples *examples, const int64_t *documents, int64_t count) {
    cover_weight sum = {0.0, 0.0};
    for (int64_t i = 0; i < count; i++) {
        int64_t d = documents[i];
        if (examples->positive[d])
            sum.p += examples->weights[d];
        else
            sum.n += examples->weights[d];
    }
    return sum;
}

/* For each term, the weight of those of the documents that have it. */
static void count_terms(const rb_rule_examples *examples, const int64_t *documents, int64_t count, cover_weight *sums) {
    const int64_t *starts = examples->rows.starts;
    const int32_t *terms = examples->rows.items;
    memset(sums, 0, sizeof(cover_weight) * (size_t)examples->columns);
    for (int64_t i = 0; i < count; i++) {
        int64_t d = documents[i];
        double weight = examples->weights[d];
        if (examples->positive[d])
            for (int64_t j = starts[d]; j < starts[d + 1]; j++) sums[terms[j]].p += weight;
        else
            for (int64_t j = starts[d]; j < starts[d + 1]; j++) sums[terms[j]].n += weight;
    }
}

/* ---- RIPPER ---- */

static double foil_gain(double p, double n, double log_precision) {
    return p > 0 ? p * (log2(p / (p + n)) - log_precision) : 0.0;
}

/* The condition of highest gain; false if none is above 0. */
static bool best_gain(const rb_rule_examples *examples, const cover_weight *sums, cover_weight before, int64_t *condition) {
    double best = 0.0, log_precision = log2(before.p / (before.p + before.n)), odds = before.n / before.p;
    for (int64_t t = 0; t < examples->columns; t++) {
        double p = sums[t].p, n = sums[t].n;
        /* n/p >= n0/p0: not more precise than before, so the gain is not above 0 and the logarithm can be spared. */
        if (n < p * odds) {
            double gain = foil_gain(p, n, log_precision);
            if (gain > best) best = gain, *condition = t;
        }
        /* Without a negative document that has the term, its absence excludes only positive ones. */
        if (examples->absent && n > 0) {
            double gain = foil_gain(before.p - p, before.n - n, log_precision);
            if (gain > best) best = gain, *condition = ~t;
        }
    }
    return best > 0.0;
}

/* Add conditions to a rule. `conditions` has places for `count` more than the given `size`: each added condition of gain above 0
   excludes a document at least. */
int rb_grow_rule(const rb_rule_examples *examples, const int64_t *documents, int64_t count, int64_t *conditions, int64_t *size) {
    int64_t *left = RB_ALLOC(int64_t, count);
    cover_weight *sums = RB_ALLOC(cover_weight, examples->columns);
    int status = RB_NO_MEMORY;
    if (!left || !sums) goto end;
    count = rb_find_covered(&examples->rows, documents, count, conditions, *size, left);
    for (int64_t places = count; places > 0; places--) {
        cover_weight before = weigh(examples, left, count);
        if (before.p <= 0 || before.n <= 0) break;
        count_terms(examples, left, count, sums);
        if (!best_gain(examples, sums, before, conditions + *size)) break;
        count = rb_find_covered(&examples->rows, left, count, conditions + *size, 1, left);
        ++*size;
    }
    status = RB_OK;
end:
    free(left), free(sums);
    return status;
}

/* ---- SWAP-1: growing ---- */

#define NO_CONDITION INT64_MAX /* in place of a condition: leave it out */

/* For each document: how many conditions fail, and the sum of their places in the rule: the place of the only one if one fails. */
typedef struct { int32_t failed, places; } failure;

/* A rule with the documents that fail at most one of its conditions: those that fail condition i alone are
   documents[starts[i]] to documents[starts[i + 1] - 1], those that fail none come last. `failures` is scratch memory. */
typedef struct { int64_t size, *conditions, *starts, *documents; failure *failures; } near_rule;

static void count_failures(const rb_holders *holders, const near_rule *rule, int64_t documents) {
    failure all = {0, 0};
    for (int64_t i = 0; i < rule->size; i++)
        if (rule->conditions[i] >= 0) all.failed++, all.places += (int32_t)i;
    for (int64_t d = 0; d < documents; d++) rule->failures[d] = all;
    for (int64_t i = 0; i < rule->size; i++) {
        /* The presence of a term fails everywhere but in its holders, its absence in the holders alone. */
        bool present = rule->conditions[i] >= 0;
        int64_t t = present ? rule->conditions[i] : ~rule->conditions[i];
        int32_t sign = present ? -1 : 1;
        for (int64_t j = holders->starts[t]; j < holders->ends[t]; j++) {
            failure *own = rule->failures + holders->documents[j];
            own->failed += sign, own->places += sign * (int32_t)i;
        }
    }
}

/* Sort documents by the condition that fails; `max_failures` 0 leaves out those that fail one. */
static void sort_by_failure(const near_rule *rule, const int64_t *documents, int64_t count, int32_t max_failures) {
    int64_t size = rule->size, *starts = rule->starts;
    memset(starts, 0, sizeof(int64_t) * (size_t)(size + 2));
    for (int64_t i = 0; i < count; i++) {
        failure own = rule->failures[documents[i]];
        if (own.failed <= max_failures) starts[own.failed ? own.places + 1 : size + 1]++;
    }
    for (int64_t i = 0; i <= size; i++) starts[i + 1] += starts[i];
    for (int64_t i = 0; i < count; i++) {
        failure own = rule->failures[documents[i]];
        if (own.failed <= max_failures) rule->documents[starts[own.failed ? own.places : size]++] = documents[i];
    }
    for (int64_t i = size + 1; i > 0; i--) starts[i] = starts[i - 1]; /* each start had moved to the end of its part */
    starts[0] = 0;
}

static bool is_better(cover_weight a, cover_weight b) {
    double left = a.p * b.n, right = b.p * a.n; /* precisions, compared without a division */
    return a.p > 0 && (left > right || (left == right && a.p > b.p));
}

/* What the search for one rule works with: sums over the documents left, over those covered, and (`wide`) over those covered
   without one condition. */
typedef struct {
    const rb_rule_examples *examples;
    const rb_holders *holders;
    near_rule rule, tried;
    cover_weight *totals, *sums, *wide;
} swap_search;

/* The best condition of those that cover more than `best`, which becomes what it covers; `all` is the weight to choose from. */
static int64_t best_condition(const rb_rule_examples *examples, const cover_weight *sums, cover_weight all, cover_weight *best) {
    int64_t condition = NO_CONDITION;
    for (int64_t t = 0; t < examples->columns; t++) {
        if (is_better(sums[t], *best)) condition = t, *best = sums[t];
        if (!examples->absent) continue;
        cover_weight without = {all.p - sums[t].p, all.n - sums[t].n};
        if (is_better(without, *best)) condition = ~t, *best = without;
    }
    return condition;
}

/* The place and the condition (NO_CONDITION: leave it out) of the best exchange; place -1 if none is better. */
static int64_t best_exchange(const swap_search *search, cover_weight cover, int64_t *condition) {
    const near_rule *rule = &search->rule;
    int64_t place = -1;
    cover_weight best = cover;
    for (int64_t i = 0; i < rule->size; i++) {
        /* Without condition i the rule covers what it covers and the documents that fail i alone; so do the sums. */
        const int64_t *freed = rule->documents + rule->starts[i];
        int64_t count = rule->starts[i + 1] - rule->starts[i];
        cover_weight more = weigh(search->examples, freed, count), all = {cover.p + more.p, cover.n + more.n};
        if (rule->size > 1 && is_better(all, best)) place = i, *condition = NO_CONDITION, best = all;
        const cover_weight *sums = search->totals; /* what the only condition covers and what it does not is everything */
        if (rule->size > 1) {
            count_terms(search->examples, freed, count, search->wide);
            for (int64_t t = 0; t < search->examples->columns; t++)
                search->wide[t].p += search->sums[t].p, search->wide[t].n += search->sums[t].n;
            sums = search->wide;
        }
        int64_t chosen = best_condition(search->examples, sums, all, &best);
        if (chosen != NO_CONDITION) place = i, *condition = chosen;
    }
    return place;
}

/* Set `tried` to the rule with another condition at a place (NO_CONDITION: without it); at place -1, with one more. */
static void change_rule(swap_search *search, int64_t place, int64_t condition) {
    near_rule *tried = &search->tried;
    tried->size = 0;
    for (int64_t i = 0; i < search->rule.size; i++) {
        if (i != place)
            tried->conditions[tried->size++] = search->rule.conditions[i];
        else if (condition != NO_CONDITION)
            tried->conditions[tried->size++] = condition;
    }
    if (place < 0) tried->conditions[tried->size++] = condition;
}

/* Grow one rule that tells the positive documents from the negative ones. */
static void grow_by_swaps(swap_search *search, const int64_t *documents, int64_t count) {
    const rb_rule_examples *examples = search->examples;
    cover_weight cover = weigh(examples, documents, count);
    near_rule *rule = &search->rule, *tried = &search->tried;
    rule->size = 0;
    while (cover.p > 0 && cover.n > 0) {
        const cover_weight *sums = search->totals;
        if (rule->size > 0) {
            int64_t start = rule->starts[rule->size];
            count_terms(examples, rule->documents + start, rule->starts[rule->size + 1] - start, search->sums);
            sums = search->sums;
        }
        int64_t condition = NO_CONDITION, place = best_exchange(search, cover, &condition);
        if (place < 0) { /* an exchange keeps the rule short, so it goes before an addition */
            cover_weight best = cover;
            condition = best_condition(examples, sums, cover, &best);
            if (condition == NO_CONDITION || rule->size == examples->columns) break;
        }
        change_rule(search, place, condition);
        count_failures(search->holders, tried, examples->rows.length);
        sort_by_failure(tried, documents, count, 1);
        int64_t start = tried->starts[tried->size];
        cover_weight now = weigh(examples, tried->documents + start, tried->starts[tried->size + 1] - start);
        /* The change was chosen by subtraction; added up it must still be better, or rounding would loop for ever. */
        if (!is_better(now, cover)) break;
        near_rule other = *rule;
        *rule = *tried, *tried = other, cover = now;
    }
}

/* Part the documents left into those that the rule covers, which go to `covered`, and the others, which stay. Return how many it
   covers. */
static int64_t part_covered(const near_rule *rule, int64_t *left, int64_t *count, int64_t *covered) {
    int64_t kept = 0, found = 0;
    for (int64_t i = 0; i < *count; i++) {
        if (rule->failures[left[i]].failed == 0)
            covered[found++] = left[i];
        else
            left[kept++] = left[i];
    }
    *count = kept;
    return found;
}

/* Keep the sums over the documents left: by subtraction if all weights are whole numbers, else added up. */
static void update_totals(swap_search *search, bool exact, const int64_t *left, int64_t count, const int64_t *covered,
                          int64_t found) {
    if (!exact) {
        count_terms(search->examples, left, count, search->totals);
        return;
    }
    count_terms(search->examples, covered, found, search->sums);
    for (int64_t t = 0; t < search->examples->columns; t++)
        search->totals[t].p -= search->sums[t].p, search->totals[t].n -= search->sums[t].n;
}

static bool alloc_near_rule(near_rule *rule, int64_t columns, int64_t count, int64_t documents) {
    rule->conditions = RB_ALLOC(int64_t, columns + 1), rule->starts = RB_ALLOC(int64_t, columns + 3);
    rule->documents = RB_ALLOC(int64_t, count), rule->failures = RB_ALLOC(failure, documents);
    return rule->conditions && rule->starts && rule->documents && rule->failures;
}

static void free_near_rule(near_rule *rule) {
    free(rule->conditions), free(rule->starts), free(rule->documents), free(rule->failures);
}

static bool all_whole(const double *values, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (values[i] != rint(values[i])) return false;
    return true;
}

static bool any_positive(const rb_rule_examples *examples, const int64_t *documents, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (examples->positive[documents[i]]) return true;
    return false;
}

/* Grow rules for the documents; `ends` gets the end of each rule in `conditions`. */
int rb_grow_rule_set(const rb_rule_examples *examples, const rb_holders *holders, const int64_t *documents, int64_t count,
                     rb_buffer *conditions, rb_buffer *ends, const int32_t *stop) {
    int64_t columns = examples->columns, size = 0, *left = RB_ALLOC(int64_t, count);
    swap_search search = {.examples = examples, .holders = holders};
    bool exact = all_whole(examples->weights, examples->rows.length);
    int status = RB_NO_MEMORY;
    search.totals = RB_ALLOC(cover_weight, columns), search.sums = RB_ALLOC(cover_weight, columns);
    search.wide = RB_ALLOC(cover_weight, columns);
    if (!left || !search.totals || !search.sums || !search.wide) goto end;
    if (!alloc_near_rule(&search.rule, columns, count, examples->rows.length)) goto end;
    if (!alloc_near_rule(&search.tried, columns, count, examples->rows.length)) goto end;
    memcpy(left, documents, sizeof(int64_t) * (size_t)count);
    count_terms(examples, left, count, search.totals);
    while (any_positive(examples, left, count)) {
        if (rb_is_stopped(stop)) {
            status = RB_STOPPED;
            goto end;
        }
        grow_by_swaps(&search, left, count);
        near_rule *rule = &search.rule;
        if (rule->size == 0) break;
        int64_t *covered = search.tried.documents, found = part_covered(rule, left, &count, covered);
        double total = 0.0, right = 0.0;
        for (int64_t i = 0; i < found; i++) {
            total += examples->weights[covered[i]];
            if (examples->positive[covered[i]]) right += examples->weights[covered[i]];
        }
        if (right > total / 2) {
            size += rule->size;
            if (!rb_append(conditions, rule->conditions, (int64_t)sizeof(int64_t) * rule->size)) goto end;
            if (!rb_append(ends, &size, sizeof size)) goto end;
        }
        update_totals(&search, exact, left, count, covered, found);
    }
    status = RB_OK;
end:
    free(left), free(search.totals), free(search.sums), free(search.wide);
    free_near_rule(&search.rule), free_near_rule(&search.tried);
    return status;
}

/* ---- SWAP-1: pruning ---- */

/* A rule of the set with the documents that its removals concern, as in near_rule: the whole rule those that it covers, condition
   i those that fail i alone. costs[0] is what it costs to remove the rule, costs[i + 1] condition i. A rule that lost a condition
   has another edition. */
typedef struct { near_rule near; double *costs; int32_t edition; bool alive, stale; } set_rule;

/* A removal that concerns a document; the removals of a document are a chain that -1 ends. Links to an earlier edition of a rule
   are passed over. */
typedef struct { int64_t next; int32_t rule, removal, edition; } removal_link;

typedef struct {
    const rb_rule_examples *examples;
    const rb_holders *holders;
    const double *counts;
    bool exact;
    set_rule *rules;
    int32_t *times; /* how many rules cover each document */
    int64_t *first_link, *everyone;
    rb_buffer links;
    near_rule scratch;
} rule_set;

/* How many removals a rule has: itself, and its conditions unless it has only one. */
static int64_t count_removals(const set_rule *rule) { return rule->near.size > 1 ? rule->near.size + 1 : 1; }

static void removal_documents(const set_rule *rule, int64_t removal, int64_t *first, int64_t *last) {
    int64_t part = removal == 0 ? rule->near.size : removal - 1;
    *first = rule->near.starts[part], *last = rule->near.starts[part + 1];
}

/* Find the documents that the removals of a rule concern; false without memory. */
static bool find_removals(rule_set *set, set_rule *rule) {
    near_rule *near = &rule->near;
    int64_t documents = set->examples->rows.length;
    near->failures = set->scratch.failures;
    count_failures(set->holders, near, documents);
    free(near->documents);
    near->documents = set->scratch.documents; /* sorted there first: their number is not known before */
    sort_by_failure(near, set->everyone, documents, near->size > 1 ? 1 : 0);
    int64_t size = near->starts[near->size + 1];
    near->documents = RB_ALLOC(int64_t, size);
    if (!near->documents) return false;
    memcpy(near->documents, set->scratch.documents, sizeof(int64_t) * (size_t)size);
    return true;
}

/* Link the documents that the removals of a rule concern to them; its costs are to be computed. */
static bool link_removals(rule_set *set, int32_t r) {
    set_rule *rule = set->rules + r;
    rule->stale = true;
    for (int64_t i = 0, first, last; i < count_removals(rule); i++) {
        removal_documents(rule, i, &first, &last);
        for (int64_t j = first; j < last; j++) {
            int64_t d = rule->near.documents[j];
            removal_link link = {set->first_link[d], r, (int32_t)i, rule->edition};
            set->first_link[d] = set->links.bytes / (int64_t)sizeof link;
            if (!rb_append(&set->links, &link, sizeof link)) return false;
        }
    }
    return true;
}

/* What each removal adds to the error. A document changes sides if this rule alone covers it (the rule is removed), or if no rule
   covers it (a condition is removed). */
static void compute_costs(const rule_set *set, set_rule *rule) {
    for (int64_t i = 0, first, last; i < count_removals(rule); i++) {
        double change = 0.0;
        removal_documents(rule, i, &first, &last);
        for (int64_t j = first; j < last; j++) {
            int64_t d = rule->near.documents[j];
            if (set->times[d] == (i == 0 ? 1 : 0)) change += set->counts[d];
        }
        rule->costs[i] = i == 0 ? change : -change;
    }
    rule->stale = false;
}

/* Revise the costs of the removals that concern a document which was covered by `before` rules. Sums of whole numbers are revised
   in place, others are added up again, so that rounding stays the same. */
static void revise_costs(rule_set *set, int64_t d, int32_t before) {
    const removal_link *links = (const removal_link *)set->links.data;
    for (int64_t at = set->first_link[d]; at >= 0; at = links[at].next) {
        set_rule *rule = set->rules + links[at].rule;
        int64_t i = links[at].removal;
        int32_t wanted = i == 0 ? 1 : 0;
        bool is_wanted = set->times[d] == wanted;
        if (links[at].edition != rule->edition || (before == wanted) == is_wanted) continue;
        if (set->exact && !rule->stale)
            rule->costs[i] += is_wanted == (i == 0) ? set->counts[d] : -set->counts[d];
        else
            rule->stale = true;
    }
}

/* Add a rule to the number of those that cover each document, or take it away. */
static void change_times(rule_set *set, const set_rule *rule, int32_t sign, bool revise) {
    int64_t first, last;
    removal_documents(rule, 0, &first, &last);
    for (int64_t j = first; j < last; j++) {
        int64_t d = rule->near.documents[j];
        int32_t before = set->times[d];
        set->times[d] += sign;
        /* Covered by three rules or more, a document counts in no removal. */
        if (revise && (sign < 0 ? before : set->times[d]) <= 2 && set->counts[d] != 0.0) revise_costs(set, d, before);
    }
}

static double held_out_error(const rule_set *set, const double *held_out) {
    double error = 0.0;
    for (int64_t d = 0; d < set->examples->rows.length; d++)
        if ((set->times[d] > 0) != set->examples->positive[d]) error += held_out[d];
    return error;
}

/* The removal that adds least error for each condition it saves; false if no rule is left. */
static bool weakest_link(const rule_set *set, int64_t count, int64_t *chosen, int64_t *removal, double *price) {
    int64_t saving = 0;
    *chosen = -1;
    for (int64_t r = 0; r < count; r++) {
        set_rule *rule = set->rules + r;
        if (!rule->alive) continue;
        if (rule->stale) compute_costs(set, rule);
        for (int64_t i = 0; i < count_removals(rule); i++) {
            int64_t saved = i == 0 ? rule->near.size : 1;
            double own = rule->costs[i] / (double)rb_max_int(saved, 1);
            if (*chosen >= 0 && own >= *price && !(own == *price && saved > saving)) continue;
            *chosen = r, *removal = i, *price = own, saving = saved;
        }
    }
    return *chosen >= 0;
}

/* Take a rule or one of its conditions out of the set; false without memory. */
static bool take_out(rule_set *set, int64_t r, int64_t removal) {
    set_rule *rule = set->rules + r;
    near_rule *near = &rule->near;
    rule->edition++;
    change_times(set, rule, -1, true);
    if (removal == 0) {
        rule->alive = false;
        return true;
    }
    for (int64_t i = removal; i < near->size; i++) near->conditions[i - 1] = near->conditions[i];
    near->size--;
    if (!find_removals(set, rule)) return false;
    change_times(set, rule, 1, true);
    return link_removals(set, (int32_t)r);
}

/* Copy the rules of the set; false without memory. */
static bool start_rules(rule_set *set, const rb_rules *rules) {
    for (int64_t r = 0; r < rules->length; r++) {
        set_rule *rule = set->rules + r;
        int64_t size = rules->starts[r + 1] - rules->starts[r];
        rule->near.size = size, rule->alive = true;
        rule->near.conditions = RB_ALLOC(int64_t, size), rule->near.starts = RB_ALLOC(int64_t, size + 2);
        rule->costs = RB_ALLOC(double, size + 1);
        if (!rule->near.conditions || !rule->near.starts || !rule->costs) return false;
        memcpy(rule->near.conditions, rules->conditions + rules->starts[r], sizeof(int64_t) * (size_t)size);
        if (!find_removals(set, rule)) return false;
        change_times(set, rule, 1, false);
        if (!link_removals(set, (int32_t)r)) return false;
    }
    return true;
}

static bool alloc_rule_set(rule_set *set, int64_t rules) {
    int64_t documents = set->examples->rows.length;
    set->rules = RB_ALLOC_ZEROS(set_rule, rules), set->times = RB_ALLOC_ZEROS(int32_t, documents);
    set->first_link = RB_ALLOC(int64_t, documents), set->everyone = RB_ALLOC(int64_t, documents);
    set->scratch.documents = RB_ALLOC(int64_t, documents), set->scratch.failures = RB_ALLOC(failure, documents);
    if (!set->rules || !set->times || !set->first_link || !set->everyone || !set->scratch.documents || !set->scratch.failures)
        return false;
    for (int64_t d = 0; d < documents; d++) set->first_link[d] = -1, set->everyone[d] = d;
    return true;
}

static void free_rule_set(rule_set *set, int64_t rules) {
    for (int64_t r = 0; set->rules && r < rules; r++) {
        near_rule *near = &set->rules[r].near;
        if (near->documents == set->scratch.documents) near->documents = NULL;
        free(near->conditions), free(near->starts), free(near->documents), free(set->rules[r].costs);
    }
    free(set->rules), free(set->times), free(set->first_link), free(set->everyone), free(set->links.data);
    free(set->scratch.documents), free(set->scratch.failures);
}

/* Prune until no rule is left: as many steps as there are conditions, at most one more for each rule without any. The arrays of
   `steps` have that many places; the number of steps made is known from the rules -1, which the caller has filled them with. */
int rb_prune_rule_set(const rb_rule_examples *examples, const rb_holders *holders, const rb_rules *rules,
                      const rb_rule_costs *costs, const rb_pruning_steps *steps, const int32_t *stop) {
    rule_set set = {.examples = examples, .holders = holders, .counts = costs->counts};
    int64_t rule, removal;
    int status = RB_NO_MEMORY;
    set.exact = all_whole(costs->counts, examples->rows.length);
    if (!alloc_rule_set(&set, rules->length) || !start_rules(&set, rules)) goto end;
    steps->errors[0] = held_out_error(&set, costs->held_out);
    for (int64_t step = 0; weakest_link(&set, rules->length, &rule, &removal, steps->added + step); step++) {
        if (rb_is_stopped(stop)) {
            status = RB_STOPPED;
            goto end;
        }
        steps->rules[step] = rule, steps->places[step] = removal - 1;
        if (!take_out(&set, rule, removal)) goto end;
        steps->errors[step + 1] = held_out_error(&set, costs->held_out);
    }
    status = RB_OK;
end:
    free_rule_set(&set, rules->length);
    return status;
}

/* ---- CHARADE ---- */

/* Whether one cover is more precise than another; compared without a division. */
static bool is_more_precise(cover_weight a, cover_weight b) { return a.p * b.n > b.p * a.n; }

/* A description with the documents it covers, and what it covers together with each term; `turn` is the next term to try. */
typedef struct { int64_t *documents, count, turn; cover_weight cover, *sums; } description;

static bool alloc_description(description *own, int64_t documents, int64_t columns) {
    own->documents = RB_ALLOC(int64_t, documents), own->sums = RB_ALLOC(cover_weight, columns);
    return own->documents && own->sums;
}

/* Append the terms of the description at a level, the last turn of each level above included. */
static bool append_description(const description *levels, int64_t level, cover_weight cover, rb_buffer *terms, rb_buffer *ends,
                               rb_buffer *covers) {
    for (int64_t i = 0; i <= level; i++) {
        int64_t term = levels[i].turn - 1;
        if (!rb_append(terms, &term, sizeof term)) return false;
    }
    int64_t end = terms->bytes / (int64_t)sizeof(int64_t);
    return rb_append(ends, &end, sizeof end) && rb_append(covers, &cover, sizeof cover);
}

/* Depth first without recursion: a level is a description that is extended by one term after the other, each above those before,
   so that each set is met once. Level 0 is the empty description. `covers` gets p and n of each that is listed. */
int rb_list_descriptions(const rb_rule_examples *examples, const rb_description_limits *limits, rb_buffer *terms, rb_buffer *ends,
                         rb_buffer *covers, const int32_t *stop) {
    int64_t documents = examples->rows.length, level = 0;
    description *levels = RB_ALLOC_ZEROS(description, limits->max_terms);
    int status = RB_NO_MEMORY;
    if (!levels || !alloc_description(&levels[0], documents, examples->columns)) goto end;
    for (int64_t d = 0; d < documents; d++) levels[0].documents[d] = d;
    levels[0].count = documents, levels[0].cover = weigh(examples, levels[0].documents, documents);
    count_terms(examples, levels[0].documents, documents, levels[0].sums);
    while (level >= 0) {
        description *own = levels + level;
        if (own->turn == examples->columns) {
            level--;
            continue;
        }
        int64_t term = own->turn++;
        cover_weight cover = own->sums[term];
        if (cover.p < limits->support || cover.p <= 0 || !is_more_precise(cover, own->cover)) continue;
        if (level > 0 && !is_more_precise(cover, levels[0].sums[term])) continue;
        if (cover.p >= limits->confidence * (cover.p + cover.n)) {
            if (!append_description(levels, level, cover, terms, ends, covers)) goto end;
        } else if (level + 1 < limits->max_terms) {
            description *below = levels + ++level;
            if (rb_is_stopped(stop)) {
                status = RB_STOPPED;
                goto end;
            }
            if (!below->sums && !alloc_description(below, documents, examples->columns)) goto end;
            below->count = rb_find_covered(&examples->rows, own->documents, own->count, &term, 1, below->documents);
            below->turn = term + 1, below->cover = cover;
            count_terms(examples, below->documents, below->count, below->sums);
        }
    }
    status = RB_OK;
end:
    for (int64_t i = 0; levels && i < limits->max_terms; i++) free(levels[i].documents), free(levels[i].sums);
    free(levels);
    return status;
}

/* The term of a conjunction that fewest documents hold; the first of equals. */
static int64_t rarest_term(const rb_holders *holders, const int64_t *terms, int64_t size) {
    int64_t best = terms[0];
    for (int64_t i = 1; i < size; i++)
        if (holders->ends[terms[i]] - holders->starts[terms[i]] < holders->ends[best] - holders->starts[best]) best = terms[i];
    return best;
}

/* `order` and `chosen` have a place for each rule; the rules are terms only. */
int rb_choose_rules(const rb_rule_examples *examples, const rb_holders *holders, const rb_rules *rules, const int64_t *order,
                    double confidence, int64_t needed, int64_t *chosen, int64_t *count) {
    int64_t documents = examples->rows.length, waiting = 0, made = 0;
    int64_t *cover = RB_ALLOC(int64_t, documents), *waits = RB_ALLOC(int64_t, documents);
    int status = RB_NO_MEMORY;
    if (!cover || !waits) goto end;
    for (int64_t d = 0; d < documents; d++) waits[d] = needed, waiting += examples->positive[d];
    for (int64_t i = 0; i < rules->length && waiting > 0; i++) {
        const int64_t *terms = rules->conditions + rules->starts[order[i]];
        int64_t size = rules->starts[order[i] + 1] - rules->starts[order[i]];
        if (size == 0) continue;
        /* Only documents that hold the rarest term can meet the rule. */
        int64_t key = rarest_term(holders, terms, size), start = holders->starts[key];
        int64_t found = rb_find_covered(&examples->rows, holders->documents + start, holders->ends[key] - start, terms, size, cover);
        cover_weight added = {0.0, 0.0};
        for (int64_t j = 0; j < found; j++) {
            if (waits[cover[j]] <= 0) continue;
            *(examples->positive[cover[j]] ? &added.p : &added.n) += examples->weights[cover[j]];
        }
        if (added.p <= 0 || added.p < confidence * (added.p + added.n)) continue;
        chosen[made++] = order[i];
        for (int64_t j = 0; j < found; j++) waiting -= --waits[cover[j]] == 0 && examples->positive[cover[j]];
    }
    *count = made;
    status = RB_OK;
end:
    free(cover), free(waits);
    return status;
}

/* ---- firing ---- */

/* If every condition of a rule holds of the document whose terms were marked with its number, add the rule to its category: `best` is
   the highest strength so far, `doubt` the product over the other rules. */
static void fire_rule(const rb_rule_index *index, int64_t r, int64_t document, const int64_t *seen, double *best, double *doubt) {
    for (int64_t i = index->rules.starts[r]; i < index->rules.starts[r + 1]; i++) {
        int64_t condition = index->rules.conditions[i];
        if ((seen[condition >= 0 ? condition : ~condition] == document) != (condition >= 0)) return;
    }
    int64_t c = index->category[r];
    double strength = index->strengths[r];
    if (best[c] > 0) doubt[c] *= 1 - rb_min(strength, best[c]); /* the weaker of the two goes into the product */
    best[c] = rb_max(best[c], strength);
}

/* `scores`, documents x categories, is 0 at the beginning. */
int rb_fire_rules(const rb_lists *rows, const rb_rule_index *index, double slight, double *scores) {
    int64_t *seen = RB_ALLOC(int64_t, index->columns); /* seen[t] = d: document d has the term t */
    double *doubt = RB_ALLOC(double, index->categories);
    int status = RB_NO_MEMORY;
    if (!seen || !doubt) goto end;
    for (int64_t t = 0; t < index->columns; t++) seen[t] = -1;
    for (int64_t c = 0; c < index->categories; c++) doubt[c] = 1.0;
    for (int64_t d = 0; d < rows->length; d++) {
        double *best = scores + d * index->categories;
        for (int64_t j = rows->starts[d]; j < rows->starts[d + 1]; j++) seen[rows->items[j]] = d;
        for (int64_t j = rows->starts[d]; j < rows->starts[d + 1]; j++) {
            int32_t t = rows->items[j];
            for (int64_t i = index->term_starts[t]; i < index->term_starts[t + 1]; i++)
                fire_rule(index, index->by_term[i], d, seen, best, doubt);
        }
        for (int64_t i = 0; i < index->others_length; i++) fire_rule(index, index->others[i], d, seen, best, doubt);
        /* `slight` is small: other rules break ties between documents and hardly ever overtake a stronger rule. */
        for (int64_t c = 0; c < index->categories; c++) {
            best[c] += slight * (1 - best[c]) * (1 - doubt[c]);
            doubt[c] = 1.0;
        }
    }
    status = RB_OK;
end:
    free(seen), free(doubt);
    return status;
}
