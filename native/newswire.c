/* Synthetic stories: the topics of each document, then its title, dateline and sentences, as ASCII bytes.
 * Given   which stories to write, word lists, topics and rates. The word lists are a grammar without cycles: lists of
 *         sequences of literals, made-up names, numbers and further lists.
 * Return  the bytes, the ends of title and body of each document, and up to three labels (-1: none). The caller makes
 *         the array of bytes long enough for any story.
 * Cost    linear in the bytes written. The entry of rank r of a list is taken with probability proportional to 1 / r.
 * Random  document i depends on the seed and i alone, never on the batch it is in; whole numbers only, so stories are
 *         the same on every machine.
 * Edges   a topic without related ones gets no second label. The first document of each category is never mislabelled,
 *         so no category with documents loses all of them. The first letter of a title, a dateline and a sentence is
 *         made a capital, also after an opening quotation mark.
 */
#include "common.h"
#include "random.h"

/* Operations, kinds of lists of a topic and kinds of names: as in src/rubricate/native/newswire.py. */
enum { LITERAL, LIST, TOPIC, NAME, NUMBER, DATE };
enum { TITLE = 3, LEAD = 4, FOLLOW = 5, KINDS = 7, PHRASES = 3 };
enum { FIRM, PERSON, PLACE, SUBJECT };
enum { MAX_TOPICS = 3, MAX_CHILDREN = 8, THOUSAND = 1000 };

/* One story in progress: the random state, month, day and week, and where the next byte goes. */
typedef struct {
    const rb_grammar *grammar;
    const rb_topics *topics;
    const rb_rates *rates;
    const int64_t *date;
    uint64_t state;
    uint8_t *out;
} story;

/* A number from 0 to 2^bits - 2 by Zipf's law: each doubling of the rank is as likely as the next. */
static int64_t draw_octave(uint64_t *state, int64_t bits) {
    int64_t size = (int64_t)1 << rb_draw_below(state, bits);
    return size - 1 + rb_draw_below(state, size);
}

/* The last k with sums[k] <= value, given sums[start] <= value < sums[end]. */
static int64_t find_interval(const int64_t *sums, int64_t start, int64_t end, int64_t value) {
    while (end - start > 1) {
        int64_t middle = (start + end) / 2;
        if (sums[middle] <= value) start = middle;
        else end = middle;
    }
    return start;
}

/* k from start to end - 1 by weight; sums[k] are the weights before k, from any origin. */
static int64_t draw_weighted(uint64_t *state, const int64_t *sums, int64_t start, int64_t end) {
    return find_interval(sums, start, end, sums[start] + rb_draw_below(state, sums[end] - sums[start]));
}

/* Where a keyed permutation of 0 .. n - 1 sends i, in constant memory: a four-round Feistel network permutes 4^half
 * numbers, and is repeated until the result is below n (Black and Rogaway 2002); on average at most four times. */
static int64_t permute(int64_t i, int64_t n, uint64_t key) {
    int64_t half = 1;
    while ((int64_t)1 << (2 * half) < n) half++;
    int64_t mask = ((int64_t)1 << half) - 1;
    do {
        int64_t left = i >> half, right = i & mask;
        for (uint64_t turn = 0; turn < 4; turn++) {
            int64_t next = left ^ ((int64_t)(rb_mix(key + turn, (uint64_t)right) >> 32) & mask);
            left = right, right = next;
        }
        i = left << half | right;
    } while (i >= n);
    return i;
}

/* A related topic by weight; -1 if there is none. */
static int64_t draw_related(story *own, int64_t topic) {
    int64_t start = own->topics->related_starts[topic], end = own->topics->related_starts[topic + 1];
    return start == end ? -1 : own->topics->related[draw_weighted(&own->state, own->topics->related_sums, start, end)];
}

static void put_piece(story *own, int64_t piece) {
    int64_t start = own->grammar->pieces[piece], length = own->grammar->pieces[piece + 1] - start;
    memcpy(own->out, own->grammar->blob + start, (size_t)length);
    own->out += length;
}

/* Three syllables, by bits of the number: no name is stored, and each number always gives the same one. */
static void put_name(story *own, int64_t number) {
    for (int part = 0; part < 3; part++, number >>= 6)
        put_piece(own, own->grammar->syllables[part] + (number & (part == 2 ? 31 : 63)));
}

static void put_number(story *own, int64_t number) {
    int digits = 1;
    for (int64_t rest = number; rest >= 10; rest /= 10) digits++;
    for (int k = digits - 1; k >= 0; k--, number /= 10) own->out[k] = (uint8_t)('0' + number % 10);
    own->out += digits;
}

/* A percentage with one decimal (kind 0), or a count. */
static void put_quantity(story *own, int64_t kind) {
    put_number(own, kind == 0 ? draw_octave(&own->state, 5) : 2 + draw_octave(&own->state, 9));
    if (kind != 0) return;
    *own->out++ = '.';
    put_number(own, 1 + rb_draw_below(&own->state, 9));
}

/* The number of a name: firms belong to a topic, people to a topic for a week, places to nobody. */
static int64_t draw_name(story *own, int64_t kind, int64_t topic) {
    uint64_t about = (uint64_t)topic, week = (uint64_t)own->date[2];
    switch (kind) {
    case SUBJECT: return own->topics->subjects[topic];
    case FIRM: return (int64_t)(rb_mix(rb_mix(about, 1), (uint64_t)draw_octave(&own->state, 8)) >> 32);
    case PERSON: return (int64_t)(rb_mix(rb_mix(about, 1000 + week), (uint64_t)draw_octave(&own->state, 5)) >> 32);
    case PLACE: return (int64_t)(rb_mix(2, (uint64_t)draw_octave(&own->state, 13)) >> 32);
    default: return (int64_t)(rb_mix(about, 3) >> 32);
    }
}

/* Whose phrase a sentence about a topic uses: its own, a child's, its parent's or its grandparent's. */
static int64_t draw_speaker(story *own, int64_t topic) {
    const rb_topics *topics = own->topics;
    int64_t dice = rb_draw_below(&own->state, THOUSAND), parent = topics->parents[topic];
    int64_t start = topics->child_starts[topic], children = topics->child_starts[topic + 1] - start;
    if (children > 0 && dice < own->rates->child)
        return topics->children[start + rb_draw_below(&own->state, rb_min_int(children, MAX_CHILDREN))];
    if (dice < own->rates->own || parent < 0) return topic;
    return dice < own->rates->parent || topics->parents[parent] < 0 ? parent : topics->parents[parent];
}

/* Write one entry of a list. */
static void expand(story *own, int64_t list, int64_t topic) {
    const rb_grammar *grammar = own->grammar;
    int64_t first = grammar->lists[list], length = grammar->lists[list + 1] - first;
    int64_t entry = first + draw_weighted(&own->state, grammar->ranks, 0, length);
    for (int64_t at = grammar->sequences[entry]; at < grammar->sequences[entry + 1]; at++) {
        int64_t argument = grammar->arguments[at], about = topic;
        switch (grammar->operations[at]) {
        case LITERAL: put_piece(own, argument); break;
        case LIST: expand(own, argument, topic); break;
        case TOPIC:
            if (argument < PHRASES) about = draw_speaker(own, topic);
            expand(own, own->topics->lists[about * KINDS + argument], about);
            break;
        case NAME: put_name(own, draw_name(own, argument, topic)); break;
        case NUMBER: put_quantity(own, argument); break;
        default:
            if (argument == 0) put_piece(own, grammar->months[own->date[0] - 1]);
            else put_number(own, own->date[1]);
        }
    }
}

/* Write one entry of a list, its first letter a capital. */
static void put_sentence(story *own, int64_t list, int64_t topic) {
    uint8_t *start = own->out;
    expand(own, list, topic);
    if (*start == '"') start++;
    if (*start >= 'a' && *start <= 'z') *start = (uint8_t)(*start - 'a' + 'A');
}

/* Draw the further topics of a story whose main one is subject[0]; return how many topics it has. */
static int64_t draw_topics(story *own, int64_t *subject) {
    int64_t dice = rb_draw_below(&own->state, THOUSAND), count = 1;
    int64_t wanted = dice < own->rates->third ? 3 : dice < own->rates->second ? 2 : 1;
    while (count < wanted) {
        int64_t other = draw_related(own, subject[0]);
        if (other < 0 || other == subject[count - 1]) break;
        subject[count++] = other;
    }
    return count;
}

/* Draw what a further sentence is about: any topic of the story, or now and then another one. */
static int64_t draw_focus(story *own, const int64_t *subject, int64_t count, const int64_t *quotas,
                          int64_t categories) {
    int64_t dice = rb_draw_below(&own->state, THOUSAND);
    if (dice >= own->rates->stray)
        return rb_draw_below(&own->state, 2) == 0 ? subject[0] : subject[rb_draw_below(&own->state, count)];
    int64_t other = 2 * dice < own->rates->stray ? draw_related(own, subject[0]) : -1;
    return other >= 0 ? other : draw_weighted(&own->state, quotas, 0, categories);
}

void rb_write_stories(const rb_assignment *assignment, int64_t stories, int64_t categories, const rb_grammar *grammar,
                      const rb_topics *topics, const rb_rates *rates, uint8_t *out, int64_t *ends, int64_t *labels) {
    uint64_t key = rb_mix(assignment->seed, 0);
    story own = {grammar, topics, rates, NULL, 0, out};
    for (int64_t row = 0; row < stories; row++, ends += 2, labels += MAX_TOPICS) {
        int64_t i = assignment->documents[row], part = i < assignment->train ? 0 : 1;
        const int64_t *quotas = assignment->quotas + part * (categories + 1);
        /* A keyed permutation spreads the documents of each category over the whole period, without a table. */
        int64_t slot = permute(i - part * assignment->train, quotas[categories], key + 8 * (uint64_t)part);
        int64_t subject[MAX_TOPICS] = {find_interval(quotas, 0, categories, slot), -1, -1};
        own.date = assignment->dates + 3 * row;
        own.state = rb_mix(key, (uint64_t)(i + 1));
        int64_t count = draw_topics(&own, subject);
        memcpy(labels, subject, sizeof subject);
        /* The draw comes first, also for a document that keeps its label: texts do not depend on who is mislabelled. */
        if (rb_draw_below(&own.state, THOUSAND) < rates->mislabelled && slot != quotas[subject[0]]) {
            int64_t other = draw_related(&own, subject[0]);
            if (other >= 0 && other != subject[1] && other != subject[2]) labels[0] = other;
        }
        put_sentence(&own, topics->lists[subject[0] * KINDS + TITLE], subject[0]);
        ends[0] = own.out - out;
        put_sentence(&own, grammar->opening, subject[0]);
        int64_t sentences = 4 + rb_draw_below(&own.state, 5);
        for (int64_t turn = 0; turn < sentences; turn++) {
            *own.out++ = ' ';
            int64_t about = turn < count ? subject[turn] : draw_focus(&own, subject, count, quotas, categories);
            put_sentence(&own, topics->lists[about * KINDS + (turn == 0 ? LEAD : FOLLOW)], about);
        }
        ends[1] = own.out - out;
    }
}
