/* Rules: conjunctions of conditions on the words of a document. What they cover; growing, pruning, choosing, firing.
 *
 * A condition c >= 0 holds of a document that has the term c, one c < 0 of a document without the term ~c. A rule
 * without conditions covers every document. With p and n the weights of the positive and negative documents that a rule
 * covers, its precision is p / (p + n). Documents are given by number, ascending; so are the terms of a document.
 *
 * find_covered       Documents that meet all conditions, in the order given. Cost: binary searches in their rows.
 * weigh_prefixes     Costs of the positive and of the negative documents that meet the first 1, 2, ... conditions.
 * grow_rule          RIPPER: add the condition of highest FOIL gain p1 (log2 p1/(p1 + n1) - log2 p0/(p0 + n0))
 *                    (quinlan1990) until no negative document is covered or no gain is above 0. Ties: the smaller term,
 *                    its presence before its absence. Cost: per condition, the rows covered and a look at each term.
 * grow_rule_set      SWAP-1 (weiss1993; apte1994). Of two rules the better has the higher precision, of equal precision
 *                    the higher p. From the rule without conditions, take the best of all rules that exchange one
 *                    condition or leave one out, if it is better than the rule at hand; else the best that adds one, if
 *                    it is better; until n = 0 or none is better. Set the documents covered aside and grow the next,
 *                    until no rule is found. A rule that is wrong for half of the documents it newly covers is left
 *                    out: twins with different labels. Ties: an exchange before one at a later place, the smaller term,
 *                    its presence before its absence. Cost: per step, the holders of the rule's terms, a pass over the
 *                    documents, and the rows of those that fail at most one condition.
 * prune_rule_set     Weakest-link pruning (weiss1993). A document is assigned if any rule covers it. Of all ways to
 *                    take out a rule, or a condition of a rule of two or more, take the one that adds least error for
 *                    each condition it saves, until no rule is left. Ties: the step that saves most, then the first
 *                    rule, whole rules before their conditions. Cost: per step, a look at all documents, and at the
 *                    rules concerned by a document that is now covered by another number of rules.
 * list_descriptions  CHARADE (ganascia1991): the sets of terms with p >= support and precision >= confidence, one term
 *                    more at a time, in the order of their terms; every term must raise the precision above that of the
 *                    set without it and of the term alone. What is listed is not extended. Without a positive document
 *                    nothing is listed; the empty set never is.
 * choose_rules       Go through the rules in order; choose one if, of the documents it covers that fewer than `needed`
 *                    chosen rules cover, p > 0 and p / (p + n) >= confidence. Stop when every positive document has the
 *                    rules it needs. A rule without terms is not chosen.
 * fire_rules         Score of a document for a category: with s1 the highest strength of a rule that fires, and the
 *                    product over the others that fire, s1 + slight (1 - s1) (1 - prod (1 - s)); 0 if none fires.
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

int64_t rb_find_covered(const rb_lists *rows, const int64_t *documents, int64_t count, const int64_t *conditions,
                        int64_t size, int64_t *covered) {
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
        *(examples->positive[d] ? &sum.p : &sum.n) += examples->weights[d];
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
static bool best_gain(const rb_rule_examples *examples, const cover_weight *sums, cover_weight before,
                      int64_t *condition) {
    double best = 0.0, log_precision = log2(before.p / (before.p + before.n)), odds = before.n / before.p, gain;
    for (int64_t t = 0; t < examples->columns; t++) {
        double p = sums[t].p, n = sums[t].n;
        /* n/p >= n0/p0: not more precise than before, so the gain is not above 0 and the logarithm can be spared. */
        if (n < p * odds && (gain = foil_gain(p, n, log_precision)) > best) best = gain, *condition = t;
        /* Without a negative document that has the term, its absence excludes only positive ones. */
        if (examples->absent && n > 0 && (gain = foil_gain(before.p - p, before.n - n, log_precision)) > best)
            best = gain, *condition = ~t;
    }
    return best > 0.0;
}

/* `conditions` has places for `count` more than the given ones: each condition of gain above 0 excludes a document. */
int rb_grow_rule(const rb_rule_examples *examples, const int64_t *documents, int64_t count, int64_t *conditions,
                 int64_t *size) {
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

/* How many conditions fail in a document, and the sum of their places: the place of the only one if one fails. */
typedef struct { int32_t failed, places; } failure;

/* A rule with the documents that fail at most one of its conditions: those that fail condition i alone are
   documents[starts[i]] to documents[starts[i + 1] - 1]; those that it covers come last. */
typedef struct { int64_t size, *conditions, *starts, *documents; failure *failures; } near_rule;

static int64_t *covered_by(const near_rule *rule, int64_t *count) {
    *count = rule->starts[rule->size + 1] - rule->starts[rule->size];
    return rule->documents + rule->starts[rule->size];
}

/* Count the failures of all documents, and sort the given ones by the condition that fails; with `max_failed` 0 only
   those are listed that the rule covers. */
static void find_near(const rb_holders *holders, near_rule *rule, int64_t all_documents, const int64_t *documents,
                      int64_t count, int32_t max_failed) {
    int64_t size = rule->size, *starts = rule->starts;
    failure everywhere = {0, 0};
    for (int64_t i = 0; i < size; i++)
        if (rule->conditions[i] >= 0) everywhere.failed++, everywhere.places += (int32_t)i;
    for (int64_t d = 0; d < all_documents; d++) rule->failures[d] = everywhere;
    for (int64_t i = 0; i < size; i++) {
        /* The presence of a term fails everywhere but in its holders, its absence in the holders alone. */
        int64_t t = rule->conditions[i] >= 0 ? rule->conditions[i] : ~rule->conditions[i];
        int32_t sign = rule->conditions[i] >= 0 ? -1 : 1;
        for (int64_t j = holders->starts[t]; j < holders->ends[t]; j++) {
            failure *own = rule->failures + holders->documents[j];
            own->failed += sign, own->places += sign * (int32_t)i;
        }
    }
    memset(starts, 0, sizeof(int64_t) * (size_t)(size + 2));
    for (int64_t i = 0; i < count; i++) {
        failure own = rule->failures[documents[i]];
        if (own.failed <= max_failed) starts[own.failed ? own.places + 1 : size + 1]++;
    }
    for (int64_t i = 0; i <= size; i++) starts[i + 1] += starts[i];
    for (int64_t i = 0; i < count; i++) {
        failure own = rule->failures[documents[i]];
        if (own.failed <= max_failed) rule->documents[starts[own.failed ? own.places : size]++] = documents[i];
    }
    for (int64_t i = size + 1; i > 0; i--) starts[i] = starts[i - 1]; /* each had moved to the end of its part */
    starts[0] = 0;
}

static bool is_better(cover_weight a, cover_weight b) {
    double left = a.p * b.n, right = b.p * a.n; /* precisions, compared without a division */
    return a.p > 0 && (left > right || (left == right && a.p > b.p));
}

/* What the search for one rule works with: sums over the documents left, over those covered, and (`wide`) over those
   covered without one condition. */
typedef struct {
    const rb_rule_examples *examples;
    const rb_holders *holders;
    near_rule rule, tried;
    cover_weight *totals, *sums, *wide;
} swap_search;

/* The best of the conditions that are better than `best`, which becomes what it covers; all of them cover `all`. */
static int64_t best_condition(const rb_rule_examples *examples, const cover_weight *sums, cover_weight all,
                              cover_weight *best) {
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
    cover_weight best = cover;
    int64_t place = -1;
    for (int64_t i = 0; i < rule->size; i++) {
        /* Without condition i the rule covers what it covers and the documents that fail i alone; so do the sums. */
        const int64_t *freed = rule->documents + rule->starts[i];
        int64_t count = rule->starts[i + 1] - rule->starts[i];
        cover_weight more = weigh(search->examples, freed, count), all = {cover.p + more.p, cover.n + more.n};
        if (rule->size > 1 && is_better(all, best)) place = i, *condition = NO_CONDITION, best = all;
        const cover_weight *sums = search->totals; /* what the only condition covers and does not cover is everything */
        if (rule->size > 1) {
            sums = search->wide;
            count_terms(search->examples, freed, count, search->wide);
            for (int64_t t = 0; t < search->examples->columns; t++)
                search->wide[t].p += search->sums[t].p, search->wide[t].n += search->sums[t].n;
        }
        int64_t chosen = best_condition(search->examples, sums, all, &best);
        if (chosen != NO_CONDITION) place = i, *condition = chosen;
    }
    return place;
}

/* Set `tried` to the rule with another condition at a place (NO_CONDITION: without it); at place -1, with one more. */
static void change_rule(const near_rule *rule, int64_t place, int64_t condition, near_rule *tried) {
    tried->size = 0;
    for (int64_t i = 0; i < rule->size; i++) {
        if (i != place)
            tried->conditions[tried->size++] = rule->conditions[i];
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
        const cover_weight *sums = rule->size ? search->sums : search->totals;
        int64_t condition = NO_CONDITION, place, found, *covered;
        if (rule->size) covered = covered_by(rule, &found), count_terms(examples, covered, found, search->sums);
        place = best_exchange(search, cover, &condition);
        if (place < 0) { /* an exchange keeps the rule short, so it goes before an addition */
            cover_weight best = cover;
            condition = best_condition(examples, sums, cover, &best);
            if (condition == NO_CONDITION || rule->size == examples->columns) break;
        }
        change_rule(rule, place, condition, tried);
        find_near(search->holders, tried, examples->rows.length, documents, count, 1);
        covered = covered_by(tried, &found);
        cover_weight now = weigh(examples, covered, found);
        /* The change was chosen by subtraction; added up it must still be better, or rounding would loop for ever. */
        if (!is_better(now, cover)) break;
        near_rule other = *rule;
        *rule = *tried, *tried = other, cover = now;
    }
}

/* Set the documents that the rule covers aside; return how many are left. The sums over those are kept by subtraction
   if all weights are whole numbers, else added up again. */
static int64_t set_aside(swap_search *search, bool exact, int64_t *left, int64_t count) {
    int64_t kept = 0, found, *covered = covered_by(&search->rule, &found);
    for (int64_t i = 0; i < count; i++)
        if (search->rule.failures[left[i]].failed > 0) left[kept++] = left[i];
    count_terms(search->examples, exact ? covered : left, exact ? found : kept, exact ? search->sums : search->totals);
    for (int64_t t = 0; exact && t < search->examples->columns; t++)
        search->totals[t].p -= search->sums[t].p, search->totals[t].n -= search->sums[t].n;
    return kept;
}

/* Whether more than half of the weight that a rule covers is positive. */
static bool is_mostly_right(const rb_rule_examples *examples, const near_rule *rule) {
    int64_t count, *covered = covered_by(rule, &count);
    double total = 0.0;
    for (int64_t i = 0; i < count; i++) total += examples->weights[covered[i]];
    return weigh(examples, covered, count).p > total / 2;
}

/* Grow rules for the documents; `ends` gets the end of each rule in `conditions`. */
int rb_grow_rule_set(const rb_rule_examples *examples, const rb_holders *holders, const int64_t *documents,
                     int64_t count, rb_buffer *conditions, rb_buffer *ends, const int32_t *stop) {
    int64_t columns = examples->columns, documents_all = examples->rows.length, size = 0;
    int64_t *left = RB_ALLOC(int64_t, 3 * count), *rules = RB_ALLOC(int64_t, 4 * columns + 8);
    cover_weight *sums = RB_ALLOC(cover_weight, 3 * columns);
    failure *failures = RB_ALLOC(failure, 2 * documents_all);
    bool exact = true;
    int status = RB_NO_MEMORY;
    if (!left || !rules || !sums || !failures) goto end;
    swap_search search = {examples, holders,
                          {0, rules, rules + columns + 1, left + count, failures},
                          {0, rules + 2 * columns + 4, rules + 3 * columns + 5, left + 2 * count,
                           failures + documents_all},
                          sums, sums + columns, sums + 2 * columns};
    near_rule *rule = &search.rule;
    for (int64_t d = 0; d < documents_all; d++) exact &= examples->weights[d] == rint(examples->weights[d]);
    memcpy(left, documents, sizeof(int64_t) * (size_t)count);
    count_terms(examples, left, count, search.totals);
    while (!rb_is_stopped(stop)) {
        grow_by_swaps(&search, left, count);
        if (rule->size == 0) break;
        if (is_mostly_right(examples, rule)) {
            size += rule->size;
            if (!rb_append(conditions, rule->conditions, (int64_t)sizeof(int64_t) * rule->size)) goto end;
            if (!rb_append(ends, &size, sizeof size)) goto end;
        }
        count = set_aside(&search, exact, left, count);
    }
    status = rb_is_stopped(stop) ? RB_STOPPED : RB_OK;
end:
    free(left), free(rules), free(sums), free(failures);
    return status;
}

/* ---- SWAP-1: pruning ---- */

/* A rule of the set. Its removal concerns the documents that it covers, that of condition i those that fail i alone.
   costs[0] is what it costs to remove the rule, costs[i + 1] condition i; they are to be computed if the rule is stale.
   A rule that lost a condition has another edition. */
typedef struct { near_rule near; double *costs; int32_t edition; bool alive, stale; } set_rule;

/* A rule that a document concerns, as one that the rule covers or as one that fails a single condition. The links of a
   document are a chain that -1 ends; those to an earlier edition of a rule are passed over. */
typedef struct { int64_t next; int32_t rule, edition; bool covered; } rule_link;

typedef struct {
    const rb_rule_examples *examples;
    const rb_holders *holders;
    const double *counts;
    set_rule *rules;
    int32_t *times; /* how many rules cover each document */
    int64_t *first_link, *everyone, *sorted, *conditions, *starts;
    double *costs;
    failure *failures;
    rb_buffer links;
} rule_set;

/* Find the documents that a rule concerns; false without memory. */
static bool find_concerned(const rule_set *set, near_rule *near) {
    int64_t documents = set->examples->rows.length;
    free(near->documents);
    near->failures = set->failures, near->documents = set->sorted; /* scratch: their number is not known before */
    find_near(set->holders, near, documents, set->everyone, documents, near->size > 1 ? 1 : 0);
    int64_t size = near->starts[near->size + 1];
    near->documents = RB_ALLOC(int64_t, size);
    if (near->documents) memcpy(near->documents, set->sorted, sizeof(int64_t) * (size_t)size);
    return near->documents != NULL;
}

/* Link the documents that a rule concerns to it; its costs are to be computed. */
static bool link_documents(rule_set *set, int64_t r) {
    const near_rule *near = &set->rules[r].near;
    set->rules[r].stale = true;
    for (int64_t j = 0; j < near->starts[near->size + 1]; j++) {
        int64_t *first = set->first_link + near->documents[j];
        rule_link link = {*first, (int32_t)r, set->rules[r].edition, j >= near->starts[near->size]};
        *first = set->links.bytes / (int64_t)sizeof link;
        if (!rb_append(&set->links, &link, sizeof link)) return false;
    }
    return true;
}

/* Add a rule to the number of those that cover each document, or take it away. A document counts in a removal if the
   rule alone covers it, or if no rule does and it fails a single condition; if that changes, costs become stale. */
static void change_times(rule_set *set, const near_rule *near, int32_t sign) {
    const rule_link *links = (const rule_link *)set->links.data;
    int64_t count, *covered = covered_by(near, &count);
    for (int64_t j = 0; j < count; j++) {
        int64_t d = covered[j];
        int32_t before = set->times[d], after = set->times[d] += sign;
        if (before > 2 || after > 2 || set->counts[d] == 0.0) continue;
        for (int64_t at = set->first_link[d]; at >= 0; at = links[at].next) {
            set_rule *rule = set->rules + links[at].rule;
            int32_t wanted = links[at].covered;
            if (links[at].edition == rule->edition && (before == wanted) != (after == wanted)) rule->stale = true;
        }
    }
}

/* How many removals a rule has: itself, and its conditions unless it has only one. */
static int64_t count_removals(const near_rule *near) { return near->size > 1 ? near->size + 1 : 1; }

/* What each removal adds to the error. */
static void compute_costs(const rule_set *set, set_rule *rule) {
    const near_rule *near = &rule->near;
    for (int64_t i = 0; i < count_removals(near); i++) {
        int64_t part = i == 0 ? near->size : i - 1;
        double change = 0.0;
        for (int64_t j = near->starts[part]; j < near->starts[part + 1]; j++)
            if (set->times[near->documents[j]] == (i == 0)) change += set->counts[near->documents[j]];
        rule->costs[i] = i == 0 ? change : -change;
    }
    rule->stale = false;
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
        for (int64_t i = 0; i < count_removals(&rule->near); i++) {
            int64_t saved = i == 0 ? rule->near.size : 1;
            double own = rule->costs[i] / (double)rb_max_int(saved, 1);
            if (*chosen < 0 || own < *price || (own == *price && saved > saving))
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
    change_times(set, near, -1);
    rule->alive = removal > 0;
    if (removal == 0) return true;
    for (int64_t i = removal; i < near->size; i++) near->conditions[i - 1] = near->conditions[i];
    near->size--;
    if (!find_concerned(set, near)) return false;
    change_times(set, near, 1);
    return link_documents(set, r);
}

/* Find the documents that the rules concern, and link them; false without memory. */
static bool start_rules(rule_set *set, const rb_rules *rules) {
    for (int64_t d = 0; d < set->examples->rows.length; d++) set->first_link[d] = -1, set->everyone[d] = d;
    for (int64_t r = 0; r < rules->length; r++) {
        near_rule *near = &set->rules[r].near;
        int64_t first = rules->starts[r];
        near->size = rules->starts[r + 1] - first;
        near->conditions = set->conditions + first, near->starts = set->starts + first + 2 * r;
        set->rules[r].costs = set->costs + first + r, set->rules[r].alive = true;
        if (!find_concerned(set, near)) return false;
        change_times(set, near, 1);
    }
    for (int64_t r = 0; r < rules->length; r++)
        if (!link_documents(set, r)) return false;
    return true;
}

/* `counts` is what each document counts in the error, above 0 if it is positive, below 0 if it is negative; `held_out`
   what a wrong answer costs. The arrays of `steps` have a place for each condition and rule, and one more. */
int rb_prune_rule_set(const rb_rule_examples *examples, const rb_holders *holders, const rb_rules *rules,
                      const double *counts, const double *held_out, const rb_pruning_steps *steps, int64_t *made,
                      const int32_t *stop) {
    rule_set set = {.examples = examples, .holders = holders, .counts = counts};
    int64_t documents = examples->rows.length, size = rules->starts[rules->length], rule, removal, step = 0;
    int64_t *numbers = RB_ALLOC(int64_t, 3 * documents + 2 * size + 2 * rules->length);
    int status = RB_NO_MEMORY;
    set.rules = RB_ALLOC_ZEROS(set_rule, rules->length), set.times = RB_ALLOC_ZEROS(int32_t, documents);
    set.costs = RB_ALLOC(double, size + rules->length), set.failures = RB_ALLOC(failure, documents);
    if (!numbers || !set.rules || !set.times || !set.costs || !set.failures) goto end;
    set.first_link = numbers, set.everyone = numbers + documents, set.sorted = numbers + 2 * documents;
    set.conditions = numbers + 3 * documents, set.starts = set.conditions + size;
    memcpy(set.conditions, rules->conditions, sizeof(int64_t) * (size_t)size);
    if (!start_rules(&set, rules)) goto end;
    steps->errors[0] = held_out_error(&set, held_out);
    while (!rb_is_stopped(stop) && weakest_link(&set, rules->length, &rule, &removal, steps->added + step)) {
        steps->rules[step] = rule, steps->places[step] = removal - 1;
        if (!take_out(&set, rule, removal)) goto end;
        steps->errors[++step] = held_out_error(&set, held_out);
    }
    *made = step;
    status = rb_is_stopped(stop) ? RB_STOPPED : RB_OK;
end:
    for (int64_t r = 0; set.rules && r < rules->length; r++) free(set.rules[r].near.documents);
    free(numbers), free(set.rules), free(set.times), free(set.costs), free(set.failures), free(set.links.data);
    return status;
}

/* ---- CHARADE ---- */

/* Whether one cover is more precise than another; compared without a division. */
static bool is_more_precise(cover_weight a, cover_weight b) { return a.p * b.n > b.p * a.n; }

/* A description: what it covers, alone and together with each term; `turn` is the next term to try. */
typedef struct { int64_t *documents, count, turn; cover_weight cover, *sums; } description;

/* Append the description that a level and those above it stand for by their last turns. */
static bool append_description(const description *levels, int64_t level, rb_buffer *terms, rb_buffer *ends,
                               rb_buffer *covers) {
    int64_t term = 0;
    for (int64_t i = 0; i <= level; i++) {
        term = levels[i].turn - 1;
        if (!rb_append(terms, &term, sizeof term)) return false;
    }
    int64_t end = terms->bytes / (int64_t)sizeof term;
    return rb_append(ends, &end, sizeof end) && rb_append(covers, levels[level].sums + term, sizeof(cover_weight));
}

/* Make a level of the documents of another one that have a term; false without memory. */
static bool start_level(const rb_rule_examples *examples, const description *above, int64_t term, description *level) {
    if (!level->documents) level->documents = RB_ALLOC(int64_t, examples->rows.length);
    if (!level->sums) level->sums = RB_ALLOC(cover_weight, examples->columns);
    if (!level->documents || !level->sums) return false;
    if (above)
        level->count = rb_find_covered(&examples->rows, above->documents, above->count, &term, 1, level->documents);
    else
        for (level->count = 0; level->count < examples->rows.length; level->count++)
            level->documents[level->count] = level->count;
    level->turn = above ? term + 1 : 0;
    level->cover = above ? above->sums[term] : weigh(examples, level->documents, level->count);
    count_terms(examples, level->documents, level->count, level->sums);
    return true;
}

/* Depth first without recursion: a level is a description that is extended by one term after the other, each above
   those before it, so that each set is met once. Level 0 is the empty description. `covers` gets p and n. */
int rb_list_descriptions(const rb_rule_examples *examples, double support, double confidence, int64_t max_terms,
                         rb_buffer *terms, rb_buffer *ends, rb_buffer *covers, const int32_t *stop) {
    int64_t level = 0;
    description *levels = RB_ALLOC_ZEROS(description, max_terms);
    int status = RB_NO_MEMORY;
    if (!levels || !start_level(examples, NULL, 0, levels)) goto end;
    while (level >= 0 && !rb_is_stopped(stop)) {
        description *own = levels + level;
        if (own->turn == examples->columns) {
            level--;
            continue;
        }
        int64_t term = own->turn++;
        cover_weight cover = own->sums[term];
        if (cover.p < support || cover.p <= 0 || !is_more_precise(cover, own->cover)) continue;
        if (level > 0 && !is_more_precise(cover, levels[0].sums[term])) continue;
        if (cover.p >= confidence * (cover.p + cover.n)) {
            if (!append_description(levels, level, terms, ends, covers)) goto end;
        } else if (level + 1 < max_terms) {
            if (!start_level(examples, own, term, levels + ++level)) goto end;
        }
    }
    status = rb_is_stopped(stop) ? RB_STOPPED : RB_OK;
end:
    for (int64_t i = 0; levels && i < max_terms; i++) free(levels[i].documents), free(levels[i].sums);
    free(levels);
    return status;
}

/* The documents that hold the term of a conjunction that fewest hold, the first of equals. */
static const int64_t *fewest_holders(const rb_holders *holders, const int64_t *terms, int64_t size, int64_t *count) {
    int64_t best = 0;
    *count = INT64_MAX;
    for (int64_t i = 0; i < size; i++) {
        int64_t own = holders->ends[terms[i]] - holders->starts[terms[i]];
        if (own < *count) *count = own, best = terms[i];
    }
    return holders->documents + holders->starts[best];
}

/* `order` and `chosen` have a place for each rule; the rules are terms only. */
int rb_choose_rules(const rb_rule_examples *examples, const rb_holders *holders, const rb_rules *rules,
                    const int64_t *order, double confidence, int64_t needed, int64_t *chosen, int64_t *count) {
    int64_t documents = examples->rows.length, waiting = 0, made = 0;
    int64_t *cover = RB_ALLOC(int64_t, documents), *waits = RB_ALLOC(int64_t, documents);
    int status = RB_NO_MEMORY;
    if (!cover || !waits) goto end;
    for (int64_t d = 0; d < documents; d++) waits[d] = needed, waiting += examples->positive[d];
    for (int64_t i = 0; i < rules->length && waiting > 0; i++) {
        const int64_t *terms = rules->conditions + rules->starts[order[i]], *some;
        int64_t size = rules->starts[order[i] + 1] - rules->starts[order[i]], found;
        if (size == 0) continue;
        some = fewest_holders(holders, terms, size, &found);
        found = rb_find_covered(&examples->rows, some, found, terms, size, cover);
        cover_weight added = {0.0, 0.0};
        for (int64_t j = 0; j < found; j++) {
            int64_t d = cover[j];
            if (waits[d] > 0) *(examples->positive[d] ? &added.p : &added.n) += examples->weights[d];
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

/* Add a rule to its category if it fires: `best` is the highest strength so far, `doubt` the product over the others.
   The terms of the document were marked with its number. */
static void fire_rule(const rb_rule_index *index, int64_t r, int64_t document, const int64_t *seen, double *best,
                      double *doubt) {
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
int rb_fire_rules(const rb_lists *rows, const rb_rule_index *index, int64_t columns, int64_t others, double slight,
                  double *scores) {
    int64_t *seen = RB_ALLOC(int64_t, columns); /* seen[t] = d: document d has the term t */
    double *doubt = RB_ALLOC(double, index->categories);
    int status = RB_NO_MEMORY;
    if (!seen || !doubt) goto end;
    for (int64_t t = 0; t < columns; t++) seen[t] = -1;
    for (int64_t c = 0; c < index->categories; c++) doubt[c] = 1.0;
    for (int64_t d = 0; d < rows->length; d++) {
        double *best = scores + d * index->categories;
        for (int64_t j = rows->starts[d]; j < rows->starts[d + 1]; j++) seen[rows->items[j]] = d;
        for (int64_t j = rows->starts[d]; j < rows->starts[d + 1]; j++) {
            int32_t t = rows->items[j];
            for (int64_t i = index->term_starts[t]; i < index->term_starts[t + 1]; i++)
                fire_rule(index, index->by_term[i], d, seen, best, doubt);
        }
        for (int64_t i = 0; i < others; i++) fire_rule(index, index->others[i], d, seen, best, doubt);
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
