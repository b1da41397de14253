/* Constant folding and copy propagation when a plan is created.
 *
 * Input registers are the same for all rows of a call, and so is what expressions compute from them and from constants:
 * the byte order of a file, the unit of its times. Expressions are simplified with such values, conditions on them
 * become jumps or nothing, unreachable steps are dropped, and a register that would only repeat a field is replaced by
 * the field. What remains is often a plan of fixed fields, which row blocks can run.
 *
 * A register is known if it has a single definition, and for the steps that only run after that: those up to the target
 * of the nearest jump over the definition. Only reads are replaced. A definition that is no longer read is dropped with
 * all others that are not needed (plan_needs.c). */
#include <stdlib.h>

#include "expression.h"
#include "fold.h"
#include "plan.h"

#define REGISTER_BYTES 3

/* What is known about a register in the steps after `from` and before `to`. */
typedef struct {
    uint32_t definitions; /* 2: two or more */
    uint32_t from, to;
    bool loaded;   /* it contains a field, so it always has a value */
    bool constant; /* it contains `value` */
    bool repeats;  /* it contains the same as register `source` */
    uint32_t source;
    int64_t value;
} fact;

typedef struct {
    const wl_program *program;
    wl_needs *need;
    wl_step *steps;
    bool *reachable;
    uint32_t *scope; /* one per step: the end of the steps that only run after it */
    fact facts[WL_MOST_REGISTERS];
    uint32_t at;     /* the current step */
    wl_folding folding;
} folder;

static void define(folder *fold, size_t number, bool loaded) {
    fact *found = fold->facts + number;
    found->definitions += found->definitions < 2;
    found->loaded = loaded;
    found->from = fold->at;
    found->to = fold->scope[fold->at];
}

static void find_definitions(folder *fold) {
    const wl_program *program = fold->program;
    for (fold->at = 0; fold->at < program->step_count; fold->at++) {
        const wl_step *step = fold->steps + fold->at;
        if (!program->reachable[fold->at])
            continue;
        for (size_t i = 0; i < 4; i++) {
            if (wl_operation_of(step)->operands[i] == WL_IS_RESULT)
                define(fold, (size_t)wl_operand(step, i), step->op == WL_OP_REGISTER_FIXED || step->op == WL_OP_VARINT);
        }
    }
    for (uint32_t i = 0; i < program->rule_count; i++) {
        if (program->rules[i].stored_size)
            fold->facts[program->rules[i].sum].definitions = 2;
    }
    for (uint32_t i = 0; i < program->input_register_count; i++) {
        const wl_integer value = fold->need->arguments->input_registers[i];
        fold->facts[i].to = program->step_count;
        fold->facts[i].constant = value == (int64_t)value;
        fold->facts[i].value = (int64_t)value;
    }
}

static void find_scopes(folder *fold) {
    const wl_program *program = fold->program;
    for (uint32_t i = 0; i < program->step_count; i++)
        fold->scope[i] = program->step_count;
    for (uint32_t i = 0; i < program->step_count; i++) {
        const uint32_t to = program->reachable[i] ? wl_step_leads_to(program, fold->steps, i) : 0;
        for (uint32_t over = i + 1; over < to; over++)
            fold->scope[over] = fold->scope[over] < to ? fold->scope[over] : to;
    }
}

/* What is known about a register at the current step; NULL: nothing. */
static const fact *fact_of(const folder *fold, size_t number) {
    const fact *found = fold->facts + number;
    if (number < fold->program->input_register_count)
        return found->constant ? found : NULL;
    return found->definitions == 1 && fold->at > found->from && fold->at < found->to ? found : NULL;
}

/* The register with the same contents. */
static uint32_t source_of(const folder *fold, uint32_t number) {
    const fact *found = fact_of(fold, number);
    return found && found->repeats ? found->source : number;
}

static bool is_constant(const folder *fold, size_t number, int64_t *value) {
    const fact *found = fact_of(fold, number);
    if (!found || !found->constant)
        return false;
    *value = found->value;
    return true;
}

/* Expressions ------------------------------------------------------------------------------------------------------ */

static wl_register_fact content_of(const void *facts, uint32_t number) {
    const folder *fold = facts;
    wl_register_fact content = {.source = source_of(fold, number)};
    content.constant = is_constant(fold, number, &content.value);
    return content;
}

/* Simplifies an expression, and records what its register contains. */
static void fold_expression(folder *fold, wl_step *step) {
    const size_t begin = fold->folding.used;
    fact *made = fold->facts + step->a;
    made->constant = wl_fold_codes(&fold->folding, fold->program->constants + step->c, (size_t)step->d, &made->value);
    const uint8_t *folded = fold->folding.codes + begin;
    if (fold->folding.used - begin == REGISTER_BYTES && *folded == CODE_REGISTER) {
        const uint32_t source = wl_code_number(folded + 1);
        const fact *field = fact_of(fold, source);
        made->repeats = field && field->loaded;
        made->source = source;
    }
    step->c = (int64_t)(fold->program->constant_size + begin);
    step->d = (int64_t)(fold->folding.used - begin);
}

/* Steps ------------------------------------------------------------------------------------------------------------ */

static void leave_out(wl_step *step) { step->op = WL_STEP_FOLDED; }

static void jump(wl_step *step, bool jumps) {
    if (jumps)
        *step = (wl_step){.op = WL_OP_JUMP, .c = step->c};
    else
        leave_out(step);
}

static void fold_step(folder *fold, wl_step *step) {
    int64_t value;
    switch (step->op) {
    case WL_OP_EXPRESSION:
        fold_expression(fold, step);
        break;
    case WL_OP_COLUMN_REGISTER:
    case WL_OP_COLUMN_TIMESTAMP:
    case WL_OP_BYTES_REGISTER:
        step->b = source_of(fold, step->b);
        break;
    case WL_OP_LIMIT_REGISTER:
    case WL_OP_SKIP_REGISTER:
        step->a = (uint16_t)source_of(fold, step->a);
        break;
    case WL_OP_CHECK_RANGE:
        if (!(step->b & 0x80) && is_constant(fold, step->a, &value) && value >= step->c && value <= step->d)
            leave_out(step);
        else
            step->a = (uint16_t)source_of(fold, step->a);
        break;
    case WL_OP_CHECK_TRUE:
        if (is_constant(fold, step->a, &value) && value)
            leave_out(step);
        else
            step->a = (uint16_t)source_of(fold, step->a);
        break;
    case WL_OP_SKIP_IF_ZERO:
        if (is_constant(fold, step->a, &value))
            jump(step, value == 0);
        else
            step->a = (uint16_t)source_of(fold, step->a);
        break;
    case WL_OP_SKIP_UNLESS:
        if (is_constant(fold, step->a, &value))
            jump(step, value != step->d);
        break;
    default:
        break;
    }
}

/* Follows the remaining steps, and drops jumps over nothing. */
static void find_reachable(folder *fold) {
    const wl_program *program = fold->program;
    uint32_t next = program->step_count; /* the next step that may run */
    for (uint32_t i = 0; i < program->step_count; i++) {
        const unsigned op = fold->steps[i].op;
        if (!fold->reachable[i])
            continue;
        const uint32_t to = wl_step_leads_to(program, fold->steps, i);
        if (to)
            fold->reachable[to] = true;
        if (op != WL_OP_JUMP && op != WL_OP_END && i + 1 < program->step_count)
            fold->reachable[i + 1] = true;
    }
    for (uint32_t i = program->step_count; i-- > 0;) {
        wl_step *step = fold->steps + i;
        if (fold->reachable[i] && step->op == WL_OP_JUMP && next >= (uint32_t)step->c)
            leave_out(step);
        next = fold->reachable[i] && step->op != WL_STEP_FOLDED ? i : next;
    }
}

/* Whether there is an expression, and nothing that defines registers in another way. */
static bool may_fold(const wl_program *program, size_t *size) {
    *size = 0;
    for (uint32_t i = 0; i < program->step_count; i++) {
        if (program->reachable[i] && program->steps[i].op == WL_OP_EXPRESSION)
            *size += wl_folded_size((size_t)program->steps[i].d);
    }
    return *size && !program->function_count && !program->message_count;
}

bool wl_plan_fold(wl_needs *need) {
    const wl_program *program = need->program;
    const size_t count = program->step_count;
    size_t size;
    need->steps = program->steps;
    need->reachable = program->reachable;
    if (!may_fold(program, &size))
        return true;
    const size_t each = sizeof(wl_step) + sizeof(uint32_t) + sizeof(bool);
    uint8_t *memory = malloc(count * each + size);
    folder *fold = calloc(1, sizeof *fold);
    if (!memory || !fold) {
        free(memory);
        free(fold);
        return false;
    }
    fold->program = program;
    fold->need = need;
    fold->steps = (wl_step *)memory;
    fold->scope = (uint32_t *)(fold->steps + count);
    fold->reachable = (bool *)(fold->scope + count);
    fold->folding = (wl_folding){
        .content = content_of, .facts = fold, .codes = (uint8_t *)(fold->reachable + count)};
    memcpy(fold->steps, program->steps, count * sizeof *fold->steps);
    find_scopes(fold);
    find_definitions(fold);
    for (fold->at = 0; fold->at < count; fold->at++) {
        fold->reachable[fold->at] = false;
        if (program->reachable[fold->at])
            fold_step(fold, fold->steps + fold->at);
    }
    fold->reachable[0] = true;
    find_reachable(fold);
    need->folded = memory;
    need->steps = fold->steps;
    need->reachable = fold->reachable;
    need->codes = fold->folding.codes;
    free(fold);
    return true;
}
