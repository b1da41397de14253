/* Conditions that depend on a single byte: several of them, one after another, become one jump.
 *
 * Parts of a row, or of a document, that exclude each other (a `switch-on`, several `if`) are conditions that are tested
 * in turn. Once the first of them has been computed often, it gets a table with the instruction that each value of the
 * byte leads to, over all tests on the way, and over steps between them that change nothing. A condition is an EXPRESSION
 * whose register is read by the next step alone, so it need not be set. */
#include <stdlib.h>

#include "byte_tables.h"
#include "expression.h"
#include "handlers.h"
#include "operations.h"

/* Number of times that a condition is computed before it gets a table, and number of times with another value than a byte
 * after which it gets none. Making a table may take as long as reading some hundred rows. */
#define TRIES (16 * WL_TABLE_AFTER)
/* Number of conditions that a table may skip, for all values together. */
#define MOST_VISITS 1024
#define BYTES 256
#define NOWHERE SIZE_MAX

/* Some values of the byte. */
typedef struct {
    uint64_t words[BYTES / 64];
} set;

typedef struct {
    wl_run *run;
    size_t begin;
    size_t mark;     /* the register with the size of the JSON text at the beginning, or NOWHERE */
    unsigned number; /* the register with the byte */
    unsigned visits;
    uint16_t *to;
} walk;

static bool is_condition(const wl_run *run, size_t at) {
    const wl_instruction *step = run->plan + at;
    const unsigned next = step[1].operation;
    return step->operation == WL_RUN_EXPRESSION && (next == WL_RUN_SKIP_IF_ZERO || next == WL_RUN_CHECK_TRUE) &&
           step[1].a == step->a && run->program->readers[step->a] == 1;
}

static bool is_empty(const set *values) {
    uint64_t any = 0;
    for (size_t i = 0; i < BYTES / 64; i++)
        any |= values->words[i];
    return !any;
}

/* Some of the values lead to an instruction. */
static void arrive(const walk *each, const set *values, size_t at) {
    for (size_t i = 0; i < BYTES / 64; i++) {
        for (uint64_t rest = values->words[i]; rest; rest &= rest - 1)
            each->to[i * 64 + (size_t)__builtin_ctzll(rest)] = (uint16_t)(at - each->begin);
    }
}

/* Passes over steps that change nothing. */
static size_t pass(const walk *each, size_t at) {
    for (;; at++) {
        const wl_instruction *step = each->run->plan + at;
        const bool of_mark = each->mark != NOWHERE && (step->operation == WL_RUN_JSON_MARK    ? step->a == each->mark
                                                       : step->operation == WL_RUN_JSON_FIRST ? step->b == each->mark
                                                                                              : false);
        if (step->operation == WL_RUN_JUMP)
            at += (size_t)step->c - 1;
        else if (!of_mark)
            return at;
    }
}

/* Divides the values by a condition; false: it is none of the byte. */
static bool divide(const walk *each, size_t at, const set *values, set *holding, set *others, set *failing) {
    const wl_instruction *step = each->run->plan + at;
    if (!is_condition(each->run, at))
        return false;
    const wl_byte_table *table = wl_byte_table_of(each->run, step->constant, (size_t)step->d, each->number, WL_U1);
    if (!table)
        return false;
    for (size_t i = 0; i < BYTES / 64; i++) {
        failing->words[i] = values->words[i] & table->failing[i];
        holding->words[i] = values->words[i] & table->true_for[i] & ~table->failing[i];
        others->words[i] = values->words[i] & ~table->true_for[i] & ~table->failing[i];
    }
    return true;
}

static void follow(walk *each, const set *values, size_t at) {
    set holding, others, failing;
    if (is_empty(values))
        return;
    at = pass(each, at);
    if (++each->visits > MOST_VISITS || !divide(each, at, values, &holding, &others, &failing)) {
        arrive(each, values, at);
        return;
    }
    const wl_instruction *next = each->run->plan + at + 1;
    arrive(each, &failing, at);
    follow(each, &holding, at + 2);
    if (next->operation == WL_RUN_CHECK_TRUE)
        arrive(each, &others, at);
    else
        follow(each, &others, at + 1 + (size_t)next->c);
}

static bool leads_to(const wl_instruction *step, size_t at, size_t to) {
    const unsigned flow = step->operation < WL_OP_COUNT ? wl_operations[step->operation].flow : WL_FLOW_NEXT;
    const bool by_c = flow == WL_FLOW_JUMP || flow == WL_FLOW_BRANCH || flow == WL_FLOW_LOOP || flow == WL_FLOW_AGAIN ||
                      flow == WL_FLOW_CALL;
    const bool by_d = flow == WL_FLOW_LIMIT || flow == WL_FLOW_EXPAND || flow == WL_FLOW_ATTEMPT;
    return (by_c && (int64_t)at + step->c == (int64_t)to) || (by_d && (int64_t)at + step->d == (int64_t)to);
}

/* The register that the step before has set to the size of the JSON text, or NOWHERE. */
static size_t mark_before(const wl_run *run, size_t at) {
    if (at == 0 || run->plan[at - 1].operation != WL_RUN_JSON_MARK)
        return NOWHERE;
    for (size_t i = 0; i < run->instructions; i++) {
        if (leads_to(run->plan + i, i, at))
            return NOWHERE;
    }
    return run->plan[at - 1].a;
}

static void make_table(wl_run *run, size_t at, wl_branch *branch) {
    branch->to = calloc(BYTES, sizeof *branch->to);
    if (!branch->to)
        return;
    walk each = {.run = run, .begin = at, .mark = mark_before(run, at), .number = branch->number, .to = branch->to};
    const set all = {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};
    follow(&each, &all, at);
}

static bool is_byte(const wl_run *run, const wl_branch *branch) {
    return (wl_natural)*branch->value < BYTES && !wl_is_missing(run, branch->number);
}

/* Not inlined, so that the other handler needs no stack. */
__attribute__((noinline)) static WL_HANDLER(one_by_one) {
    const size_t at = (size_t)(step - run->plan);
    wl_branch *branch = step->branch;
    if (!is_byte(run, branch))
        branch->others++;
    else if (!branch->to && ++branch->tries == TRIES)
        make_table(run, at, branch);
    if (branch->others == TRIES)
        run->plan[at] = branch->alone;
    return branch->handler(step, run, base, cursor, limit, row);
}

static WL_HANDLER(by_byte) {
    const wl_branch *branch = step->branch;
    if (WL_LIKELY(branch->to && is_byte(run, branch))) {
        const size_t distance = branch->to[(size_t)*branch->value];
        if (WL_LIKELY(distance))
            GO_ON_AT(step + distance);
    }
    return one_by_one(step, run, base, cursor, limit, row);
}

void wl_branches_find(wl_run *run) {
    wl_branch *branch = run->branches;
    for (size_t i = 0; i + 1 < run->instructions; i++) {
        wl_instruction *step = run->plan + i;
        if (!is_condition(run, i) || !wl_depends_on_one(step->constant, (size_t)step->d, &branch->number))
            continue;
        branch->value = run->registers + branch->number;
        branch->alone = *step;
        branch->handler = wl_expression_without_table(step);
        step->handler = by_byte;
        step->branch = branch++;
    }
}

void wl_branches_free(wl_run *run) {
    for (wl_branch *branch = run->branches; branch->value; branch++)
        free(branch->to);
}
