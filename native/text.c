/* From texts to numbered words, character n-grams and phrases, and to counts per document.
 *
 * Given  texts as one UTF-8 buffer, or as term numbers end to end, with where each text ends or starts; and the table
 *        of the words or phrases that have a number.
 * Fill   the number at each occurrence, by first occurrence; the table with the new words; rows of a sparse matrix.
 * Cost   one pass each. Tables use open addressing with linear probing and are at most half full.
 * Ties   none: a word is its folded bytes, a phrase its terms.
 * Edges  a text without words gives an empty range. Words and phrases do not cross the end of a text. Bytes that are
 *        not valid UTF-8 are never part of a word, and nothing is read beyond the end of a text.
 *
 * Tables are arrays of the caller, who makes them larger. A function that fills one returns when the table is full, or
 * after MAX_WORK, so that Ctrl-C is seen; `progress` says where the next call goes on.
 *
 * Hashing: a key of 64 bits times an odd number that depends on the seed of the table; the upper bits are the slot.
 * With a random seed two keys collide with probability at most 2 / slots (Dietzfelbinger et al. 1997), so that nobody
 * can prepare texts whose words all have the same slot. This holds for phrases and for words of up to 7 bytes; longer
 * words are hashed 8 bytes at a time, each time with the same multiplication, for which nothing is proved.
 */
#include "common.h"
#include "random.h"

enum {
    CHUNK = 8,          /* bytes of a word that are hashed together */
    MAX_WORK = 1 << 25, /* bytes or occurrences of one call: a fraction of a second */
    MAX_TERMS = 16,     /* terms of a phrase */
    MAX_INSERTION = 16, /* row length up to which insertion is as fast as digits; measured on rows of 16 to 1,000 */
    DIGITS = 256,
    LINE_FEED = 10
};

/* ---- words ---- */

static uint64_t multiplier_of(uint64_t seed) { return (RB_RANDOM_STEP ^ seed << 1) | 1; }

/* How far a hash is shifted to give one of `count` slots, a power of two from 2 on. */
static int slot_shift(int64_t count) {
    int shift = 64;
    for (; count > 1; count >>= 1) shift--;
    return shift;
}

/* A word in a buffer: bytes that are not folded yet, and the hash of the folded ones. */
typedef struct { const uint8_t *bytes; uint64_t length, hash; } span;

/* A hash under way: of the bytes read so far, those since the last multiple of 8 are in `chunk`. */
typedef struct { uint64_t hash, chunk, length; } hasher;

static inline void add_byte(hasher *state, uint8_t byte, uint64_t multiplier) {
    state->chunk = state->chunk << 8 | byte;
    if (++state->length % CHUNK) return;
    state->hash = (state->hash ^ state->chunk) * multiplier;
    state->hash ^= state->hash >> 32, state->chunk = 0;
}

static inline span span_of(const uint8_t *bytes, const hasher *state, uint64_t multiplier) {
    return (span){bytes, state->length, (state->hash ^ state->chunk) * multiplier};
}

/* The length as a slot stores it, in 32 bits. */
static inline uint64_t stored_length(uint64_t length) { return length < UINT32_MAX ? length : UINT32_MAX; }

/* Whether a word of the table has these bytes. */
static bool has_bytes(const rb_words *table, int64_t word, span target, const uint8_t *lower) {
    const uint8_t *known = table->pool + table->ends[word];
    if ((uint64_t)(table->ends[word + 1] - table->ends[word]) != target.length + 1) return false;
    for (uint64_t i = 0; i < target.length; i++)
        if (known[i] != lower[target.bytes[i]]) return false;
    return true;
}

/* The slot of a word, or the free slot where it belongs. Up to 8 bytes, length and hash determine the word, because
 * hashing is then one to one. */
static inline uint64_t find_word(const rb_words *table, int shift, span target, const uint8_t *lower) {
    const uint64_t *slots = table->slots, mask = (uint64_t)table->slot_count - 1;
    uint64_t length = stored_length(target.length), p = target.hash >> shift;
    for (;; p = (p + 1) & mask) {
        uint64_t entry = slots[2 * p + 1];
        if (!entry) return p;
        if (slots[2 * p] != target.hash || entry >> 32 != length) continue;
        if (length <= CHUNK || has_bytes(table, (int64_t)(entry & UINT32_MAX) - 1, target, lower)) return p;
    }
}

/* Put a word into a free slot; false if the table is full: *needed is then the pool that it takes. */
static bool add_word(const rb_words *table, uint64_t slot, span target, const uint8_t *lower, int64_t *needed) {
    int64_t word = *table->size, at = table->ends[word];
    *needed = at + (int64_t)target.length + 1;
    if (2 * word >= table->slot_count || *needed > table->pool_capacity) return false;
    for (uint64_t i = 0; i < target.length; i++) table->pool[at + (int64_t)i] = lower[target.bytes[i]];
    table->pool[*needed - 1] = LINE_FEED;
    table->slots[2 * slot] = target.hash;
    table->slots[2 * slot + 1] = stored_length(target.length) << 32 | (uint64_t)(word + 1);
    table->ends[word + 1] = *needed;
    *table->size = word + 1;
    return true;
}

/* The number of a word, which is added if it is new; -1 if the table is full. */
static inline int64_t number_word(const rb_words *table, int shift, span target, const uint8_t *lower,
                                  int64_t *needed) {
    uint64_t p = find_word(table, shift, target, lower);
    if (!table->slots[2 * p + 1] && !add_word(table, p, target, lower, needed)) return -1;
    return (int64_t)(table->slots[2 * p + 1] & UINT32_MAX) - 1;
}

/* Put the words of a table into more slots, all of them free. */
void rb_move_words(const rb_words *table, int64_t slot_count, uint64_t *slots) {
    uint64_t mask = (uint64_t)slot_count - 1;
    int shift = slot_shift(slot_count);
    for (int64_t i = 0; i < table->slot_count; i++) {
        if (!table->slots[2 * i + 1]) continue;
        uint64_t p = table->slots[2 * i] >> shift;
        while (slots[2 * p + 1]) p = (p + 1) & mask;
        slots[2 * p] = table->slots[2 * i], slots[2 * p + 1] = table->slots[2 * i + 1];
    }
}

/* The bytes of the code point at `at` if it is valid UTF-8, ends by `stop` and is part of a word, else 0. */
static int64_t code_point_width(const uint8_t *at, const uint8_t *stop, const rb_alphabet *alphabet) {
    static const int64_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    int64_t width = at[0] < 0xE0 ? 2 : at[0] < 0xF0 ? 3 : 4, code = at[0] & (0xFF >> (width + 1));
    if (stop - at < width) return 0;
    for (int64_t i = 1; i < width; i++) {
        if ((at[i] & 0xC0) != 0x80) return 0;
        code = code << 6 | (at[i] & 0x3F);
    }
    return code >= smallest[width] && code < alphabet->class_count && alphabet->classes[code] ? width : 0;
}

/* Read the word at `at`, of no byte if there is none; its hash is made along the way, so that bytes are read once. */
static inline span read_word(const uint8_t *at, const uint8_t *stop, const rb_alphabet *alphabet, uint64_t multiplier) {
    const uint8_t *first = at, *fold = alphabet->fold;
    hasher state = {0, 0, 0};
    while (at < stop) {
        uint8_t folded = fold[*at];
        if (folded > 1) {
            add_byte(&state, folded, multiplier);
            at++;
            continue;
        }
        int64_t width = folded ? code_point_width(at, stop, alphabet) : 0;
        if (!width) break;
        for (; width > 0; width--, at++) add_byte(&state, *at, multiplier);
    }
    return span_of(first, &state, multiplier);
}

/* Number the words of texts. `progress` is the text and the byte where to go on, the words so far, and the bytes that
 * the pool of a full table needs. `ids` has a place for every second byte and one more for every text. */
void rb_scan_words(const rb_texts *texts, const rb_alphabet *alphabet, const rb_words *table, int32_t *ids,
                   int64_t *starts, int64_t *progress) {
    const uint8_t *first = texts->bytes + progress[1], *at = first, *fold = alphabet->fold;
    uint64_t multiplier = multiplier_of(table->seed);
    int64_t text = progress[0], found = progress[2];
    int shift = slot_shift(table->slot_count);
    for (; text < texts->length; text++) {
        const uint8_t *stop = texts->bytes + texts->ends[text];
        while (at < stop) {
            span word = fold[*at] ? read_word(at, stop, alphabet, multiplier) : (span){at, 0, 0};
            if (!word.length) {
                at++;
                continue;
            }
            int64_t number = number_word(table, shift, word, alphabet->lower, progress + 3);
            if (number < 0 || at - first > MAX_WORK) goto leave;
            ids[found++] = (int32_t)number;
            at += word.length;
        }
        starts[text + 1] = found;
    }
leave:
    progress[0] = text, progress[1] = at - texts->bytes, progress[2] = found;
}

/* ---- character n-grams ---- */

/* Where the code point after the one at i starts. */
static inline int64_t next_point(const uint8_t *bytes, int64_t i, int64_t stop) {
    do i++;
    while (i < stop && (bytes[i] & 0xC0) == 0x80);
    return i;
}

/* The CRC-32 remainder of each byte, lowest bit first. */
static void fill_remainders(uint32_t *remainders) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >> 1 ^ 0xEDB88320u : crc >> 1;
        remainders[byte] = crc;
    }
}

/* How n-grams get their numbers: from a table, or, without one, from the CRC-32 modulo the number of buckets. */
typedef struct {
    const rb_words *table;
    int64_t buckets, needed;
    uint64_t multiplier;
    int shift;
    uint32_t remainders[256];
    uint8_t same[256];
} numbering;

static void start_numbering(numbering *own, const rb_words *table, int64_t buckets) {
    own->table = table, own->buckets = buckets, own->needed = 0;
    fill_remainders(own->remainders);
    for (int byte = 0; byte < 256; byte++) own->same[byte] = (uint8_t)byte; /* runs are folded already */
    own->multiplier = table ? multiplier_of(table->seed) : 0;
    own->shift = table ? slot_shift(table->slot_count) : 0;
}

/* The number of an n-gram; -1 if the table is full. */
static inline int64_t number_ngram(numbering *own, const uint8_t *bytes, int64_t width) {
    if (!own->table) {
        uint32_t crc = UINT32_MAX;
        for (int64_t i = 0; i < width; i++) crc = own->remainders[(crc ^ bytes[i]) & 0xFF] ^ crc >> 8;
        return (int64_t)(crc ^ UINT32_MAX) % own->buckets;
    }
    hasher state = {0, 0, 0};
    for (int64_t i = 0; i < width; i++) add_byte(&state, bytes[i], own->multiplier);
    span target = span_of(bytes, &state, own->multiplier);
    return number_word(own->table, own->shift, target, own->same, &own->needed);
}

/* Number the character n-grams of runs without white space, shorter ones first, from left to right.
 *
 * Runs are folded, with one space before the first and one after each; ends[r] is the space after run r. A run belongs
 * together with the spaces around it; one that is not longer than the shortest n-gram counts once, as a whole, as
 * `char_wb` of scikit-learn has it. `progress` is the run, the length and the byte where to go on (length 0: at the
 * start of a run), the n-grams so far, and the bytes that the pool of a full table needs. */
void rb_number_ngrams(const rb_texts *runs, int64_t shortest, int64_t longest, const rb_words *table, int64_t buckets,
                      int32_t *ids, int64_t *starts, int64_t *progress) {
    const uint8_t *bytes = runs->bytes;
    int64_t run = progress[0], length = progress[1], start = progress[2], count = progress[3], limit = count + MAX_WORK;
    numbering own;
    start_numbering(&own, table, buckets);
    for (; run < runs->length; run++, length = 0) {
        int64_t first = run ? runs->ends[run - 1] : 0, stop = runs->ends[run] + 1;
        if (!length) length = shortest, start = first;
        for (; length <= longest; length++, start = first) {
            int64_t end = start, points = 0;
            for (; points < length && end < stop; points++) end = next_point(bytes, end, stop);
            if (points < length && length > shortest) break;
            for (;; start = next_point(bytes, start, stop), end = next_point(bytes, end, stop)) {
                int64_t number = count < limit ? number_ngram(&own, bytes + start, end - start) : -1;
                if (number < 0) goto leave;
                ids[count++] = (int32_t)number;
                if (end >= stop) break;
            }
            if (points < length) break;
        }
        starts[run + 1] = count;
    }
leave:
    progress[0] = run, progress[1] = length, progress[2] = start, progress[3] = count, progress[4] = own.needed;
}

/* ---- phrases ---- */

/* Where a phrase is, or the free slot where it belongs. */
static inline uint64_t find_phrase(const rb_phrases *table, int shift, uint64_t multiplier, int64_t key) {
    const int64_t *keys = table->keys;
    uint64_t mask = (uint64_t)table->slot_count - 1, p = (uint64_t)key * multiplier >> shift;
    for (;; p = (p + 1) & mask) {
        int64_t known = keys[p];
        if (known == key || known < 0) return p;
    }
}

/* Put the phrases of a table into a larger one that has none. */
void rb_move_phrases(const rb_phrases *table, const rb_phrases *larger) {
    uint64_t multiplier = multiplier_of(larger->seed);
    int shift = slot_shift(larger->slot_count);
    for (int64_t i = 0; i < table->slot_count; i++) {
        if (table->keys[i] < 0) continue;
        uint64_t p = find_phrase(larger, shift, multiplier, table->keys[i]);
        larger->keys[p] = table->keys[i], larger->numbers[p] = table->numbers[i];
    }
}

/* The number of a phrase, which is added with a new number if the slot is free. */
static inline int32_t number_phrase(const rb_phrases *table, uint64_t slot, int64_t key, int32_t new_number,
                                    int32_t *pairs, int64_t *added) {
    if (table->keys[slot] >= 0) return table->numbers[slot];
    pairs[2 * *added] = (int32_t)(key >> 32), pairs[2 * *added + 1] = (int32_t)(key & INT32_MAX);
    table->keys[slot] = key, table->numbers[slot] = new_number;
    ++*added, ++*table->size;
    return new_number;
}

/* Number the phrases of texts.
 *
 * A phrase of n terms extends one of n - 1, so that this phrase and the last term are its key; a phrase of one term has
 * the number of the term. At each place the phrases that begin there are numbered depth first: a phrase before those
 * that extend it, the nearer extension first. A phrase counts once for every choice of places; where the gaps were is
 * not stored. New phrases are numbered from first_free on; `pairs` has the key of each: the phrase without its last
 * term, and this term. With max_step 1 the terms are consecutive, and shorter phrases come first.
 *
 * At most form->max_per_place phrases begin at a place: the table has slots for as many before each place, else the
 * function returns. `progress` is the text and the place where to go on, the phrases so far, and how many of them are
 * new. */
void rb_number_phrases(const rb_lists *texts, const rb_phrase_form *form, const rb_phrases *table, int32_t *numbers,
                       int64_t *starts, int32_t *pairs, int64_t *progress) {
    const int32_t *ids = texts->items;
    uint64_t multiplier = multiplier_of(table->seed);
    int64_t text = progress[0], i = progress[1], count = progress[2], limit = count + MAX_WORK;
    int64_t next[MAX_TERMS], last[MAX_TERMS]; /* places of the terms that may extend the phrase of depth + 1 terms */
    int64_t added = progress[3];
    int32_t phrases[MAX_TERMS];
    int shift = slot_shift(table->slot_count);
    for (; text < texts->length; text++) {
        int64_t stop = texts->starts[text + 1];
        for (i = rb_max_int(i, texts->starts[text]); i < stop; i++) {
            if (2 * (*table->size + form->max_per_place) > table->slot_count || count >= limit) goto leave;
            int64_t end = rb_min_int(i + form->window, stop), depth = form->longest > 1 ? 0 : -1;
            phrases[0] = ids[i], next[0] = i + 1, last[0] = rb_min_int(i + form->max_step, end - 1);
            if (form->shortest == 1) numbers[count++] = ids[i];
            while (depth >= 0) {
                int64_t place = next[depth]++;
                if (place > last[depth]) {
                    depth--;
                    continue;
                }
                int64_t key = (int64_t)phrases[depth] << 32 | ids[place];
                uint64_t slot = find_phrase(table, shift, multiplier, key);
                int32_t new_number = (int32_t)(form->first_free + added);
                int32_t phrase = number_phrase(table, slot, key, new_number, pairs, &added);
                if (depth + 2 >= form->shortest) numbers[count++] = phrase;
                if (depth + 2 == form->longest) continue;
                depth++;
                phrases[depth] = phrase, next[depth] = place + 1;
                last[depth] = rb_min_int(place + form->max_step, end - 1);
            }
        }
        starts[text + 1] = count;
    }
leave:
    progress[0] = text, progress[1] = i, progress[2] = count, progress[3] = added;
}

/* ---- occurrences and counts ---- */

/* Renumber terms; those whose new number is negative are left out. */
void rb_renumber(const rb_lists *texts, const int32_t *renumbered, int64_t *starts, int32_t *items) {
    int64_t k = 0;
    for (int64_t text = 0; text < texts->length; text++) {
        for (int64_t i = texts->starts[text]; i < texts->starts[text + 1]; i++) {
            items[k] = renumbered[texts->items[i]];
            k += items[k] >= 0; /* written always, counted only if it stays: no branch to predict */
        }
        starts[text + 1] = k;
    }
}

/* Replace each run of texts by its terms; negative terms are left out. */
void rb_expand(const rb_lists *texts, const rb_lists *runs, int64_t *starts, int32_t *items) {
    int64_t k = 0;
    for (int64_t text = 0; text < texts->length; text++) {
        for (int64_t i = texts->starts[text]; i < texts->starts[text + 1]; i++) {
            int64_t run = texts->items[i];
            for (int64_t j = runs->starts[run]; j < runs->starts[run + 1]; j++) {
                items[k] = runs->items[j];
                k += items[k] >= 0;
            }
        }
        starts[text + 1] = k;
    }
}

/* Count the terms of each text, in the order of their first occurrence. `last_places`, one per term, is 0 on entry. */
void rb_count_terms(const rb_lists *texts, int64_t *last_places, int64_t *starts, int32_t *terms, int32_t *counts) {
    int64_t k = 0;
    for (int64_t text = 0; text < texts->length; text++) {
        int64_t first = k;
        for (int64_t i = texts->starts[text]; i < texts->starts[text + 1]; i++) {
            int32_t term = texts->items[i];
            int64_t place = last_places[term]; /* one more than the place; up to `first` it is of an earlier text */
            if (place > first) {
                counts[place - 1]++;
            } else {
                terms[k] = term, counts[k] = 1;
                last_places[term] = ++k;
            }
        }
        starts[text + 1] = k;
    }
}

static void sort_by_insertion(int64_t *keys, int64_t length) {
    for (int64_t i = 1; i < length; i++) {
        int64_t key = keys[i], j = i;
        for (; j > 0 && keys[j - 1] > key; j--) keys[j] = keys[j - 1];
        keys[j] = key;
    }
}

/* Sort keys by their upper half, eight bits at a time from the lowest; return where they are: `keys` or `spare`. */
static int64_t *sort_by_digits(int64_t *keys, int64_t length, int64_t *spare) {
    int64_t starts[DIGITS], largest = 0;
    for (int64_t i = 0; i < length; i++) largest = rb_max_int(largest, keys[i]);
    for (int shift = 32; largest >> shift > 0; shift += 8) {
        memset(starts, 0, sizeof starts);
        for (int64_t i = 0; i < length; i++) starts[keys[i] >> shift & 0xFF]++;
        for (int64_t digit = 0, start = 0, count; digit < DIGITS; digit++, start += count)
            count = starts[digit], starts[digit] = start;
        for (int64_t i = 0; i < length; i++) spare[starts[keys[i] >> shift & 0xFF]++] = keys[i];
        int64_t *sorted = spare;
        spare = keys, keys = sorted;
    }
    return keys;
}

/* Renumber the columns of rows and sort them, with their counts; columns with a negative number are left out. */
int rb_sort_counts(const rb_lists *rows, const int32_t *counts, const int32_t *renumbered, int64_t *lengths,
                   int32_t *columns, int32_t *sorted_counts) {
    int64_t longest = 0, at = 0;
    for (int64_t row = 0; row < rows->length; row++)
        longest = rb_max_int(longest, rows->starts[row + 1] - rows->starts[row]);
    int64_t *keys = RB_ALLOC(int64_t, 2 * longest);
    if (!keys) return RB_NO_MEMORY;
    for (int64_t row = 0; row < rows->length; row++) {
        int64_t length = 0, *sorted = keys;
        for (int64_t i = rows->starts[row]; i < rows->starts[row + 1]; i++) {
            int64_t column = renumbered[rows->items[i]];
            keys[length] = column * ((int64_t)1 << 32) + counts[i]; /* one sort of whole numbers orders the row */
            length += column >= 0;
        }
        if (length <= MAX_INSERTION) sort_by_insertion(keys, length);
        else sorted = sort_by_digits(keys, length, keys + longest);
        for (int64_t i = 0; i < length; i++, at++)
            columns[at] = (int32_t)(sorted[i] >> 32), sorted_counts[at] = (int32_t)(sorted[i] & INT32_MAX);
        lengths[row] = length;
    }
    free(keys);
    return RB_OK;
}

/* Where each word occurs: word w at places[starts[w]] to places[starts[w + 1] - 1], ascending. `starts` has one place
 * more than there are words, and is 0 on entry. */
int rb_find_places(const int32_t *ids, int64_t length, int64_t words, int64_t *starts, int64_t *places) {
    int64_t *next = RB_ALLOC(int64_t, words);
    if (!next) return RB_NO_MEMORY;
    for (int64_t i = 0; i < length; i++) starts[(int64_t)ids[i] + 1]++;
    for (int64_t word = 0; word < words; word++) {
        next[word] = starts[word];
        starts[word + 1] += starts[word];
    }
    for (int64_t i = 0; i < length; i++) places[next[ids[i]]++] = i;
    free(next);
    return RB_OK;
}
