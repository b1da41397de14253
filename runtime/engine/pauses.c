/* Finds the points of a program before which reading of a unit may pause, to continue in another call.
 *
 * Such a point is the end of a loop iteration, or of a sub-stream, around rows. The results of a unit up to there are
 * returned, so nothing that follows may invalidate them: neither a checksum of the unit or of an open one, nor a value
 * outside of its rows. And what follows must not need bytes from before the pause, except those of spans, which are
 * kept. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "computed_text.h"

#define NONE UINT32_MAX

/* The open regions around a step, in program order. */
typedef struct {
    uint32_t unit;  /* the innermost UNIT, or NONE */
    uint32_t limit; /* the innermost sub-stream, or NONE */
    uint32_t loop;  /* the outermost LOOP, or NONE */
    bool in_row;
    bool elsewhere; /* inside of a position, or of the content of a block */
} surroundings;

typedef struct {
    wl_program *program;
    surroundings *around; /* one per step */
    uint32_t *outer;      /* for a UNIT or a sub-stream, the enclosing one */
    size_t words;         /* of a set of spans and marks */
    uint64_t *live;       /* one set per step: what may be read from there on before it is set again */
} analysis;

static void survey(analysis *at) {
    const wl_program *program = at->program;
    surroundings now = {NONE, NONE, NONE, false, false};
    uint32_t loops[WL_MOST_LOOPS], loop_depth = 0;
    bool elsewhere[WL_DEEPEST_LIMIT + 1] = {false};
    unsigned depth = 0;
    for (uint32_t i = 0; i < program->step_count; i++) {
        const wl_step *step = program->steps + i;
        now.elsewhere = elsewhere[depth < WL_DEEPEST_LIMIT ? depth : WL_DEEPEST_LIMIT];
        now.loop = loop_depth ? loops[0] : NONE;
        at->around[i] = now;
        switch (step->op) {
        case WL_OP_UNIT:
            at->outer[i] = now.unit;
            now.unit = i;
            break;
        case WL_OP_UNIT_END:
            now.unit = at->outer[now.unit];
            break;
        case WL_OP_ROW:
        case WL_OP_ROW_END:
            now.in_row = step->op == WL_OP_ROW;
            break;
        case WL_OP_LOOP:
            loops[loop_depth++] = i;
            break;
        case WL_OP_AGAIN:
            loop_depth--;
            break;
        case WL_OP_LIMIT_REGISTER:
        case WL_OP_LIMIT_FIXED:
        case WL_OP_SEEK:
            at->outer[i] = now.limit;
            now.limit = i;
            if (++depth <= WL_DEEPEST_LIMIT)
                elsewhere[depth] = elsewhere[depth - 1] || step->op == WL_OP_SEEK;
            break;
        case WL_OP_EXPAND:
            elsewhere[depth < WL_DEEPEST_LIMIT ? depth : WL_DEEPEST_LIMIT] = true;
            break;
        case WL_OP_LIMIT_END:
            now.limit = at->outer[now.limit];
            depth--;
            break;
        default:
            break;
        }
    }
}

/* Sets of spans and marks ------------------------------------------------------------------------------------------ */

static void add(uint64_t *set, size_t number) { set[number / 64] |= UINT64_C(1) << number % 64; }
static void drop(uint64_t *set, size_t number) { set[number / 64] &= ~(UINT64_C(1) << number % 64); }
static bool has(const uint64_t *set, size_t number) { return set[number / 64] >> number % 64 & 1; }

static size_t mark_number(const analysis *at, size_t mark) { return at->program->span_count + mark; }

static void add_expression(const analysis *at, uint64_t *set, const uint8_t *code, size_t size) {
    bool registers[WL_MOST_REGISTERS] = {false}, spans[WL_MOST_SPANS] = {false};
    wl_expression_uses(code, size, registers, spans);
    for (uint32_t i = 0; i < at->program->span_count; i++) {
        if (spans[i])
            add(set, i);
    }
}

static void go_back_over_text(uint64_t *set, const wl_step *step) {
    const wl_text_reads reads = wl_text_reads_of(step);
    drop(set, step->a);
    for (size_t i = 0; i < 2; i++) {
        if (reads.spans[i] >= 0)
            add(set, (size_t)reads.spans[i]);
    }
}

static void add_checksum(const analysis *at, uint64_t *set, const wl_step *step) {
    const wl_rule *rule = at->program->rules + step->a;
    if (rule->place != WL_IN_REGISTER)
        add(set, step->b);
    add(set, mark_number(at, (size_t)step->c));
    add(set, mark_number(at, (size_t)step->d));
    if (rule->replace >= 0)
        add(set, mark_number(at, rule->own));
}

/* From what is read after a step to what is read from the step on. */
static void go_back_over(const analysis *at, uint64_t *set, const wl_step *step) {
    switch (step->op) {
    case WL_OP_BYTES_REGISTER:
    case WL_OP_BYTES_FIXED:
    case WL_OP_BYTES_REST:
    case WL_OP_REST:
    case WL_OP_BYTES_TERMINATED:
        drop(set, step->a);
        break;
    case WL_OP_SLICE:
        drop(set, step->a);
        add(set, step->b);
        break;
    case WL_OP_MARK:
        drop(set, mark_number(at, step->a));
        if (step->b >= 3)
            add(set, (size_t)step->c);
        break;
    case WL_OP_COLUMN_BYTES:
    case WL_OP_COLUMN_TEXT:
    case WL_OP_SERIES_ADD_TEXT:
        add(set, step->b);
        break;
    case WL_OP_CHECK_UTF8:
    case WL_OP_TRIM_RIGHT:
    case WL_OP_CUT_TERMINATOR:
        add(set, step->a);
        break;
    case WL_OP_EXPRESSION:
        add_expression(at, set, at->program->constants + step->c, (size_t)step->d);
        break;
    case WL_OP_SUM:
    case WL_OP_DIGEST:
        if (step->op == WL_OP_DIGEST)
            drop(set, step->a);
        for (int64_t i = 0; i < 2 * step->d; i++)
            add(set, mark_number(at, (size_t)(step->c + i)));
        break;
    case WL_OP_CHECKSUM:
        add_checksum(at, set, step);
        break;
    default:
        if (wl_makes_text(step->op))
            go_back_over_text(set, step);
        break;
    }
}

static bool join(const analysis *at, uint64_t *set, size_t from) {
    const uint64_t *other = at->live + from * at->words;
    bool grown = false;
    for (size_t i = 0; i < at->words; i++) {
        grown |= (other[i] & ~set[i]) != 0;
        set[i] |= other[i];
    }
    return grown;
}

/* One pass from the last step to the first. Returns whether something was added. */
static bool flow_back(analysis *at, uint64_t *set) {
    const wl_program *program = at->program;
    bool grown = false;
    for (uint32_t i = program->step_count; i-- > 0;) {
        const wl_step *step = program->steps + i;
        if (!program->reachable[i])
            continue;
        memset(set, 0, at->words * sizeof *set);
        if (step->op != WL_OP_END && step->op != WL_OP_JUMP)
            join(at, set, i + 1);
        if (step->op == WL_OP_JUMP || step->op == WL_OP_SKIP_IF_ZERO || step->op == WL_OP_AGAIN ||
            (step->op == WL_OP_LOOP && step->b != WL_LOOP_UNTIL))
            join(at, set, (size_t)step->c);
        if (step->op == WL_OP_EXPAND)
            join(at, set, program->partner[i]);
        go_back_over(at, set, step);
        /* Damage continues at the end of the stream that confines it. */
        for (uint32_t limit = at->around[i].limit; limit != NONE; limit = at->outer[limit]) {
            if (program->steps[limit].op != WL_OP_SEEK && program->steps[limit].b & WL_LIMIT_CONTAINS)
                join(at, set, program->partner[limit]);
        }
        uint64_t *live = at->live + i * at->words;
        for (size_t word = 0; word < at->words; word++) {
            grown |= (set[word] & ~live[word]) != 0;
            live[word] |= set[word];
        }
    }
    return grown;
}

/* Points to pause -------------------------------------------------------------------------------------------------- */

/* Whether the step may refuse a value outside of rows. */
static bool may_refuse(const analysis *at, uint32_t number) {
    const wl_step *step = at->program->steps + number;
    switch (step->op) {
    case WL_OP_CHECK_RANGE:
    case WL_OP_CHECK_TRUE:
    case WL_OP_CHECK_CONSTANT:
        return !(step->b & 1);
    case WL_OP_VARINT:
        return !(step->d & 1);
    case WL_OP_CHECK_UTF8:
    case WL_OP_CHECKSUM:
        return true;
    case WL_OP_EXPAND:
        return !step->b && !(at->program->steps[at->around[number].limit].b & WL_LIMIT_CONTAINS);
    default:
        return false;
    }
}

/* Whether the unit (NONE: the outermost one) is open around a step. */
static bool is_open(const analysis *at, uint32_t unit, uint32_t around) {
    uint32_t each = at->around[around].unit;
    while (each != unit && each != NONE)
        each = at->outer[each];
    return each == unit;
}

/* Whether the results of the units that are open at a step remain valid whatever follows. */
static bool stands(const analysis *at, uint32_t place) {
    const wl_program *program = at->program;
    if (program->sums_unit)
        return false;
    for (uint32_t unit = at->around[place].unit; unit != NONE; unit = at->outer[unit]) {
        if (program->steps[unit].b)
            return false;
    }
    const uint32_t loop = at->around[place].loop;
    for (uint32_t i = loop == NONE ? place : loop; i < program->step_count; i++) {
        if (program->reachable[i] && !at->around[i].in_row && may_refuse(at, i) &&
            is_open(at, at->around[i].unit, place))
            return false;
    }
    return true;
}

static bool may_pause(const analysis *at, uint32_t place) {
    const wl_program *program = at->program;
    const wl_step *step = program->steps + place;
    if ((step->op != WL_OP_AGAIN && step->op != WL_OP_LIMIT_END) || !program->reachable[place] ||
        at->around[place].in_row || at->around[place].elsewhere)
        return false;
    for (uint32_t i = 0; i < program->mark_count; i++) {
        if (has(at->live + place * at->words, mark_number(at, i)))
            return false;
    }
    return stands(at, place);
}

static void find_places(analysis *at) {
    wl_program *program = at->program;
    for (uint32_t i = 0; i < program->step_count; i++) {
        if (!may_pause(at, i))
            continue;
        program->pauses[i] = true;
        program->can_pause |= program->steps[i].op == WL_OP_AGAIN;
        for (uint32_t span = 0; span < program->span_count; span++) {
            program->carried[span] |= has(at->live + i * at->words, span);
            program->carries |= program->carried[span];
        }
    }
}

/* Whether the program has steps that the analysis does not cover: functions, fields of messages, variables, and series
 * and computed text from outside of rows. */
static bool has_others(const wl_program *program) {
    bool in_row = false;
    for (uint32_t i = 0; i < program->step_count; i++) {
        const unsigned op = program->steps[i].op;
        in_row = op == WL_OP_ROW || (in_row && op != WL_OP_ROW_END);
        if (((op == WL_OP_SERIES || wl_makes_text(op)) && !in_row) || op == WL_OP_BLANK || op == WL_OP_FIELDS || op == WL_OP_SKIP_UNLESS ||
            op == WL_OP_LIMIT_SPAN || op == WL_OP_FUNCTION || op == WL_OP_CALL || op == WL_OP_RETURN || op == WL_OP_VARIABLE ||
            op == WL_OP_SET || op == WL_OP_APPEND || op == WL_OP_ITEM_OF)
            return true;
    }
    return false;
}

bool wl_program_pauses(wl_program *program) {
    if (!program->has_rows || program->delimiter_size || program->positions || program->attempts || has_others(program))
        return true;
    analysis at = {.program = program, .words = (program->span_count + program->mark_count) / 64 + 1};
    at.around = calloc(program->step_count, sizeof *at.around);
    at.outer = calloc(program->step_count, sizeof *at.outer);
    at.live = calloc(program->step_count + 1, at.words * sizeof *at.live);
    bool good = at.around && at.outer && at.live;
    if (good) {
        survey(&at);
        while (flow_back(&at, at.live + program->step_count * at.words))
            continue;
        find_places(&at);
    }
    free(at.around);
    free(at.outer);
    free(at.live);
    return good;
}
