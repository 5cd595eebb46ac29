/* Linear and nearly linear learners: neural networks, perceptrons, ridge regression, scores of naive Bayes.
 * All sums have a fixed order: from left to right, or that of sums.h over the units of an output.
 *
 * NEURAL NETWORK (rb_train_network): one pass of stochastic gradient descent, with at most one hidden layer.
 *     z = b1 + sum_t x_t W1[t]      h = s(z)      u = b2 + W2 h      o = s(u)         s(a) = 1 / (1 + exp(-a))
 *     without a hidden layer        u = b1 + sum_t x_t W1[t]
 *     networks side by side         W1 has more units than W2 has columns: output c sees the c-th group of units only.
 *                                   Every step is then that of as many networks with one output each.
 * Given  documents, labels and weights, the order of the documents, the network, the sums of squared gradients so far
 *        in the same shapes, the rate, and the most distinct terms that a batch may have; all numbers in single
 *        precision. The network and the sums change in place.
 * Rule   the gradient of a batch is the mean over its documents, by weight, of that of -sum y ln o + (1 - y) ln(1 - o)
 *        or of sum (y - o)^2. Every weight moves by -rate g / sqrt(sum g^2) (AdaGrad, Duchi et al. 2011). A term that
 *        no document of the batch has is not touched, which is exact for this rule.
 * Cost   per document 4 nonzeros units + 6 outputs units; per batch (distinct terms + outputs) units.
 * Edges  a document without terms moves the biases and W2; a gradient of 0 moves nothing, also the first time.
 * Dense  rb_output_errors and rb_adagrad are the two halves of a batch of dense documents without a hidden layer; the
 *        matrix products before and after the errors are NumPy's.
 *
 * PERCEPTRON (rb_train_perceptron): find w, b with y (w x + b) > margin for as many documents as possible, y = -1 or 1.
 * A document with y (w x + b) <= margin moves w by v y x and b by v y, v its weight (Rosenblatt 1958).
 * Given  the documents; for each term its input from 0 to size - 1, or -1 if it is not used; the order of each pass.
 * Return w with b as its last number, and the number of passes: training ends with a pass that moved nothing.
 *        RB_LAST returns the weights after the last pass; RB_AVERAGE the mean of those after every document of every
 *        pass (Freund and Schapire 1999); RB_POCKET those with the least weight of errors, y (w x + b) <= 0, after any
 *        pass (Gallant 1990, who compares after each document). Of equal errors the earlier pass wins.
 * Cost   passes x stored values of the inputs; RB_AVERAGE adds one number per input, RB_POCKET a second visit.
 * Edges  without documents w and b are 0; a document of weight 0 moves nothing.
 *
 * RIDGE (rb_solve_ridge): (A'A + ridge I) Z = B for 16 columns of B at once, by conjugate gradients (Golub and Van Loan
 * 2013, algorithm 11.3.3). Columns share the passes over A, not the steps.
 * Given  A and its transpose by row, B (columns of A x 16), ridge > 0, the ratio of residual to right side at which a
 *        column is done, and the largest number of iterations.
 * Cost   per iteration two passes over the stored values and three over arrays of the shape of B.
 * Edges  a zero column of B gives a zero column of Z. A column that is done goes on with the others.
 *
 * LINEAR SCORES (rb_linear_scores): score(x, c) = a_c + sum_t x_t (b_t + s_c + w_tc), w sparse (terms x categories).
 * Cost   one multiplication and addition per stored weight of the document's terms, and three per category.
 */
#include "common.h"
#include "sums.h"

enum { COLUMNS = 16 }; /* of a ridge problem */

/* 1 / (1 + exp(-u)) to a relative 5e-5, without a call, so that loops over it are vectorised.
 * exp(-|u|) is the 256th power of exp(-|u| / 256), whose Taylor series is short; |u| above 60 counts as 60. */
static inline float sigmoid(float u) {
    float x = -fabsf(u);
    x = (-60.0f > x ? -60.0f : x) * (1.0f / 256);
    float e = 1.0f + x * (1.0f + x * (1.0f / 2 + x * (1.0f / 6 + x * (1.0f / 24 + x * (1.0f / 120)))));
    for (int i = 0; i < 8; i++) e *= e;
    return (u >= 0.0f ? 1.0f : e) / (1.0f + e);
}

/* target += factor source. */
static inline void add_scaled(float *restrict target, float factor, const float *restrict source, int64_t length) {
    for (int64_t j = 0; j < length; j++) target[j] += factor * source[j];
}

/* Replace the outputs u of document d by the derivative of its loss by u, times `weight`. */
static void output_errors(const rb_lists *labels, int64_t d, float weight, bool squared, float *o, int64_t outputs) {
    for (int64_t c = 0; c < outputs; c++) o[c] = sigmoid(o[c]);
    /* The derivative of the cross-entropy is o - y: subtract 1 where y = 1. */
    for (int64_t i = labels->starts[d]; i < labels->starts[d + 1]; i++) o[labels->items[i]] -= 1.0f;
    if (squared)
        for (int64_t c = 0; c < outputs; c++) {
            /* That of (y - o)^2 is 2 (o - y) o (1 - o); o[c] now holds o - y, negative exactly where y = 1. */
            float p = o[c] >= 0.0f ? o[c] : o[c] + 1.0f;
            o[c] *= 2.0f * p * (1.0f - p);
        }
    for (int64_t c = 0; c < outputs; c++) o[c] *= weight;
}

void rb_adagrad(int64_t length, float rate, float *restrict gradient, float *restrict weights, float *restrict sums) {
    for (int64_t j = 0; j < length; j++) {
        float g = gradient[j];
        sums[j] += g * g;
        weights[j] -= rate * g / (sqrtf(sums[j]) + 1e-12f); /* the constant makes 0 / 0 a step of 0 */
        gradient[j] = 0.0f;
    }
}

void rb_output_errors(const rb_lists *labels, const float *weights, int64_t count, const int64_t *documents,
                      int64_t units, const float *bias, bool squared, float *z, float *bias_gradient) {
    for (int64_t i = 0; i < count; i++) {
        float *row = z + i * units;
        add_scaled(row, 1.0f, bias, units);
        output_errors(labels, documents[i], weights[documents[i]] / (float)count, squared, row, units);
        add_scaled(bias_gradient, 1.0f, row, units);
    }
}

/* The shape of a network; the gradients of a batch, of which row i of W1 is that of term used[i] and slot[t] the row of
 * term t, or -1; and, for one document, h (first z), the outputs, and the derivative of the loss by z. */
typedef struct {
    int64_t units, outputs, width;
    rb_layers gradient;
    int32_t *slot, *used, distinct;
    float *memory, *h, *o, *delta;
} batch_state;

/* Allocate for batches of at most `distinct` terms; false without memory. */
static bool make_batch(batch_state *state, int64_t terms, int64_t distinct) {
    int64_t units = state->units, outputs = state->outputs, hidden = outputs * state->width;
    float *W1 = state->memory = RB_ALLOC_ZEROS(float, (distinct + 3) * units + hidden + 2 * outputs);
    state->slot = RB_ALLOC(int32_t, terms), state->used = RB_ALLOC(int32_t, distinct);
    if (!W1 || !state->slot || !state->used) return false;
    memset(state->slot, -1, sizeof(int32_t) * (size_t)terms);
    float *b1 = W1 + distinct * units, *W2 = b1 + units, *b2 = W2 + hidden;
    state->gradient = (rb_layers){W1, b1, W2, b2};
    state->h = b2 + outputs, state->delta = state->h + units, state->o = state->delta + units;
    return true;
}

/* Compute h and the outputs from z, add the gradients of W2 and b2, and set delta. */
static void through_hidden(const rb_lesson *lesson, int64_t d, float weight, bool squared, const rb_layers *network,
                           batch_state *state) {
    int64_t units = state->units, width = state->width;
    int64_t shift = units > width ? width : 0; /* from the units of one output to those of the next */
    float *restrict h = state->h, *restrict delta = state->delta;
    for (int64_t j = 0; j < units; j++) h[j] = sigmoid(h[j]), delta[j] = 0.0f;
    for (int64_t c = 0; c < state->outputs; c++)
        state->o[c] = network->b2[c] + rb_dot(network->W2 + c * width, h + c * shift, width);
    output_errors(&lesson->labels, d, weight, squared, state->o, state->outputs);
    for (int64_t c = 0; c < state->outputs; c++) {
        float g = state->o[c];
        state->gradient.b2[c] += g;
        add_scaled(delta + c * shift, g, network->W2 + c * width, width);
        add_scaled(state->gradient.W2 + c * width, g, h + c * shift, width);
    }
    for (int64_t j = 0; j < units; j++) delta[j] *= h[j] * (1.0f - h[j]); /* dh/dz = h (1 - h) */
}

/* Add the gradients of one document; a term that is new to the batch gets the next row. */
static void add_document(const rb_lesson *lesson, int64_t d, float weight, bool squared, const rb_layers *network,
                         batch_state *state) {
    const rb_float_rows *rows = &lesson->documents;
    int64_t units = state->units;
    float *z = state->outputs > 0 ? state->h : state->delta;
    memcpy(z, network->b1, sizeof(float) * (size_t)units);
    for (int64_t i = rows->starts[d]; i < rows->starts[d + 1]; i++)
        add_scaled(z, rows->values[i], network->W1 + rows->terms[i] * units, units);
    if (state->outputs > 0) through_hidden(lesson, d, weight, squared, network, state);
    else output_errors(&lesson->labels, d, weight, squared, state->delta, units);
    add_scaled(state->gradient.b1, 1.0f, state->delta, units);
    for (int64_t i = rows->starts[d]; i < rows->starts[d + 1]; i++) {
        int32_t t = rows->terms[i];
        if (state->slot[t] < 0) state->slot[t] = state->distinct, state->used[state->distinct++] = t;
        add_scaled(state->gradient.W1 + state->slot[t] * units, rows->values[i], state->delta, units);
    }
}

/* Move every weight that the batch touched: a gradient of 0 would move nothing and add nothing to the sums. */
static void move_network(const rb_layers *network, const rb_layers *sums, float rate, batch_state *state) {
    int64_t units = state->units;
    for (; state->distinct > 0; state->distinct--) {
        int64_t i = state->distinct - 1, t = state->used[i];
        state->slot[t] = -1;
        rb_adagrad(units, rate, state->gradient.W1 + i * units, network->W1 + t * units, sums->W1 + t * units);
    }
    rb_adagrad(units, rate, state->gradient.b1, network->b1, sums->b1);
    rb_adagrad(state->outputs * state->width, rate, state->gradient.W2, network->W2, sums->W2);
    rb_adagrad(state->outputs, rate, state->gradient.b2, network->b2, sums->b2);
}

int rb_train_network(const rb_lesson *lesson, int64_t terms, int64_t units, int64_t outputs, int64_t width,
                     int64_t max_distinct, const rb_layers *network, const rb_layers *sums,
                     const rb_gradient_steps *steps, const int32_t *stop) {
    batch_state state = {.units = units, .outputs = outputs, .width = width};
    int64_t documents = lesson->documents.length;
    int status = make_batch(&state, terms, max_distinct) ? RB_OK : RB_NO_MEMORY;
    for (int64_t begin = 0; status == RB_OK && begin < documents; begin += steps->batch) {
        int64_t count = rb_min_int(steps->batch, documents - begin);
        for (int64_t i = begin; i < begin + count; i++) {
            int64_t d = lesson->order[i];
            add_document(lesson, d, lesson->weights[d] / (float)count, steps->squared, network, &state);
        }
        move_network(network, sums, steps->rate, &state);
        if (rb_is_stopped(stop)) status = RB_STOPPED;
    }
    free(state.memory), free(state.slot), free(state.used);
    return status;
}

/* Copy the rows with the inputs alone, so that passes do not visit other terms; false without memory. */
static bool copy_inputs(const rb_perceptron_lesson *lesson, int64_t **starts, int32_t **terms, double **values) {
    const rb_rows *rows = &lesson->rows;
    int64_t count = rows->starts[rows->length] - rows->starts[0], at = 0;
    *starts = RB_ALLOC(int64_t, rows->length + 1), *terms = RB_ALLOC(int32_t, count), *values = RB_ALLOC(double, count);
    if (!*starts || !*terms || !*values) return false;
    for (int64_t row = 0; row < rows->length; row++) {
        (*starts)[row] = at;
        for (int64_t i = rows->starts[row]; i < rows->starts[row + 1]; i++) {
            int32_t input = lesson->inputs[rows->terms[i]];
            if (input >= 0) (*terms)[at] = input, (*values)[at++] = rows->values[i];
        }
    }
    (*starts)[rows->length] = at;
    return true;
}

/* w x + b. */
static double perceptron_output(const rb_rows *rows, int64_t row, const double *w, int64_t size) {
    double u = w[size];
    for (int64_t i = rows->starts[row]; i < rows->starts[row + 1]; i++) u += w[rows->terms[i]] * rows->values[i];
    return u;
}

static void move_perceptron(const rb_rows *rows, int64_t row, double step, double *w, int64_t size) {
    for (int64_t i = rows->starts[row]; i < rows->starts[row + 1]; i++) w[rows->terms[i]] += step * rows->values[i];
    w[size] += step;
}

/* Make one pass and return whether it moved the weights. The mean of the weights after every document is
 * w - late / time, `late` the sum of step x time of the step, so a document that moves nothing costs nothing. */
static bool perceptron_pass(const rb_perceptron_lesson *lesson, const rb_rows *rows, const int32_t *order,
                            double margin, int64_t size, double *w, double *late, double *time) {
    bool moved = false;
    for (int64_t i = 0; i < rows->length; i++, *time += 1.0) {
        double y = lesson->targets[order[i]], weight = lesson->weights[order[i]];
        if (!(y * perceptron_output(rows, order[i], w, size) <= margin && weight > 0.0)) continue;
        moved = true;
        move_perceptron(rows, order[i], weight * y, w, size);
        if (late) move_perceptron(rows, order[i], weight * y * *time, late, size);
    }
    return moved;
}

static double weight_of_errors(const rb_perceptron_lesson *lesson, const rb_rows *rows, const double *w, int64_t size) {
    double wrong = 0.0;
    for (int64_t row = 0; row < rows->length; row++)
        if (lesson->targets[row] * perceptron_output(rows, row, w, size) <= 0.0) wrong += lesson->weights[row];
    return wrong;
}

int rb_train_perceptron(const rb_perceptron_lesson *lesson, int64_t max_passes, int64_t size, double margin,
                        int64_t chosen, double *w, int64_t *passes, const int32_t *stop) {
    int64_t *starts = NULL;
    int32_t *terms = NULL;
    double *values = NULL, *other = RB_ALLOC_ZEROS(double, size + 1); /* late, or the weights in the pocket */
    double least = INFINITY, time = 0.0;
    size_t bytes = sizeof(double) * (size_t)(size + 1);
    bool moved = true;
    int status = copy_inputs(lesson, &starts, &terms, &values) && other ? RB_OK : RB_NO_MEMORY;
    rb_rows rows = {lesson->rows.length, starts, terms, values};
    memset(w, 0, bytes);
    for (*passes = 0; status == RB_OK && moved && *passes < max_passes; ++*passes) {
        const int32_t *order = lesson->orders + *passes * rows.length;
        /* A pass without a move would repeat itself: it is the last one. */
        moved = perceptron_pass(lesson, &rows, order, margin, size, w, chosen == RB_AVERAGE ? other : NULL, &time);
        double wrong = chosen == RB_POCKET ? weight_of_errors(lesson, &rows, w, size) : INFINITY;
        if (wrong < least) least = wrong, memcpy(other, w, bytes);
        if (rb_is_stopped(stop)) status = RB_STOPPED;
    }
    if (status == RB_OK && chosen == RB_AVERAGE && time > 0.0)
        for (int64_t i = 0; i <= size; i++) w[i] -= other[i] / time;
    if (status == RB_OK && chosen == RB_POCKET) memcpy(w, other, bytes);
    free(starts), free(terms), free(values), free(other);
    return status;
}

/* result = rows P; P and the result have COLUMNS columns. */
static void multiply_rows(const rb_rows *rows, const double *restrict P, double *restrict result) {
    for (int64_t i = 0; i < rows->length; i++) {
        double sums[COLUMNS] = {0};
        for (int64_t k = rows->starts[i]; k < rows->starts[i + 1]; k++) {
            const double *row = P + (int64_t)rows->terms[k] * COLUMNS;
            double value = rows->values[k];
            for (int c = 0; c < COLUMNS; c++) sums[c] += value * row[c];
        }
        for (int c = 0; c < COLUMNS; c++) result[i * COLUMNS + c] = sums[c];
    }
}

/* 0 for 0 / 0: a column that is solved exactly stays as it is. */
static void divide(const double *a, const double *b, double *ratios) {
    for (int c = 0; c < COLUMNS; c++) ratios[c] = b[c] > 0.0 ? a[c] / b[c] : 0.0;
}

/* Add ridge P to G = A'A P, and set curve to the sum of P G of each column. */
static void add_ridge(int64_t length, double ridge, const double *restrict P, double *restrict G, double *curve) {
    double sums[COLUMNS] = {0};
    for (int64_t i = 0; i < length; i += COLUMNS)
        for (int c = 0; c < COLUMNS; c++) {
            G[i + c] += ridge * P[i + c];
            sums[c] += P[i + c] * G[i + c];
        }
    memcpy(curve, sums, sizeof sums);
}

/* Step along P in Z and in the residuals R, and set squares to the sum of R^2 of each column. */
static void step_along(int64_t length, const double *restrict steps, const double *restrict P,
                       const double *restrict G, double *restrict Z, double *restrict R, double *squares) {
    double sums[COLUMNS] = {0};
    for (int64_t i = 0; i < length; i += COLUMNS)
        for (int c = 0; c < COLUMNS; c++) {
            Z[i + c] += steps[c] * P[i + c];
            R[i + c] -= steps[c] * G[i + c];
            sums[c] += R[i + c] * R[i + c];
        }
    memcpy(squares, sums, sizeof sums);
}

int rb_solve_ridge(const rb_rows *A, const rb_rows *transposed, double ridge, double tolerance, int64_t max_iterations,
                   const double *B, double *Z, const int32_t *stop) {
    int64_t length = transposed->length * COLUMNS;
    double squares[COLUMNS] = {0}, goals[COLUMNS], curve[COLUMNS], steps[COLUMNS], next[COLUMNS];
    double *R = RB_ALLOC(double, 3 * length + A->length * COLUMNS);
    if (!R) return RB_NO_MEMORY;
    double *P = R + length, *G = P + length, *Q = G + length;
    int status = RB_OK;
    for (int64_t i = 0; i < length; i++) {
        R[i] = P[i] = B[i], Z[i] = 0.0;
        squares[i % COLUMNS] += B[i] * B[i];
    }
    for (int c = 0; c < COLUMNS; c++) goals[c] = tolerance * tolerance * squares[c];
    for (int64_t n = 0; status == RB_OK && n < max_iterations; n++) {
        bool done = true;
        for (int c = 0; c < COLUMNS; c++) done = done && squares[c] <= goals[c];
        if (done) break;
        multiply_rows(A, P, Q);
        multiply_rows(transposed, Q, G);
        add_ridge(length, ridge, P, G, curve);
        divide(squares, curve, steps);
        step_along(length, steps, P, G, Z, R, next);
        divide(next, squares, steps); /* the share of the old direction in the new one */
        for (int64_t i = 0; i < length; i += COLUMNS)
            for (int c = 0; c < COLUMNS; c++) P[i + c] = R[i + c] + steps[c] * P[i + c];
        memcpy(squares, next, sizeof squares);
        if (rb_is_stopped(stop)) status = RB_STOPPED;
    }
    free(R);
    return status;
}

int rb_linear_scores(const rb_rows *documents, int64_t categories, const double *a, const double *s, const double *b,
                     const rb_rows *weights, double *scores, const int32_t *stop) {
    for (int64_t d = 0; d < documents->length; d++) {
        double *restrict row = scores + d * categories, length = 0.0, shared = 0.0;
        if (d % 1024 == 0 && rb_is_stopped(stop)) return RB_STOPPED;
        memset(row, 0, sizeof(double) * (size_t)categories);
        for (int64_t i = documents->starts[d]; i < documents->starts[d + 1]; i++) {
            int32_t t = documents->terms[i];
            double x = documents->values[i];
            /* The sums of x_t and x_t b_t are the same for all categories: only w is summed category by category. */
            length += x;
            shared += x * b[t];
            for (int64_t j = weights->starts[t]; j < weights->starts[t + 1]; j++)
                row[weights->terms[j]] += x * weights->values[j];
        }
        for (int64_t c = 0; c < categories; c++) row[c] += a[c] + length * s[c] + shared;
    }
    return RB_OK;
}
