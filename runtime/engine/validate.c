/* Checks a program's steps once, so that running them only needs checks against the input.
 *
 * One pass in order is enough, because jumps only go forward, except at the end of a loop, which goes back to steps
 * that assume nothing (regions.c has checked their nesting): whatever may run before a step precedes it. For each step,
 * the pass computes how many bytes the last NEED has made safe (the minimum over all paths to it) and how many
 * sub-streams are open (the same on all paths). */
#include <stdio.h>
#include <stdlib.h>

#include "validate.h"

/* The state after the step also applies at `next`. */
static bool flow(wl_checker *check, int64_t next, int64_t safe, unsigned depth) {
    if (next <= check->at || next >= check->program->step_count)
        return wl_refuse(check, "goes to step %lld, which is not further on", (long long)next);
    if (check->safe[next] < 0) {
        check->safe[next] = safe;
        check->depth[next] = (uint8_t)depth;
        return true;
    }
    if (check->depth[next] != depth)
        return wl_refuse(check, "step %lld is reached with %u and with %u open sub-streams", (long long)next, depth,
                      (unsigned)check->depth[next]);
    if (safe < check->safe[next])
        check->safe[next] = safe;
    return true;
}

static bool jump(wl_checker *check, int64_t to, int64_t safe, unsigned depth) {
    return flow(check, to, safe, depth) &&
           (check->region[to] == check->region[check->at] || wl_refuse(check, "jumps into or out of a loop, row or list"));
}

static bool check_flow(wl_checker *check, const wl_step *step) {
    int64_t safe = check->safe[check->at];
    unsigned depth = check->depth[check->at];
    const int64_t next = (int64_t)check->at + 1;
    const uint8_t kind = wl_operation_of(step)->flow;
    const bool enters = kind == WL_FLOW_LIMIT || kind == WL_FLOW_SEEK || kind == WL_FLOW_ATTEMPT;
    if (enters && depth == WL_DEEPEST_LIMIT)
        return wl_refuse(check, "more than %u sub-streams are open", WL_DEEPEST_LIMIT);
    switch (kind) {
    case WL_FLOW_END:
        return true;
    case WL_FLOW_JUMP:
        return jump(check, step->c, safe, depth);
    case WL_FLOW_BRANCH:
        return jump(check, step->c, safe, depth) && flow(check, next, safe, depth);
    case WL_FLOW_LOOP:
        /* The body is run again from its end, where the last NEED was another one. */
        return (step->b == WL_LOOP_UNTIL || flow(check, step->c, 0, depth)) && flow(check, next, 0, depth);
    case WL_FLOW_AGAIN:
        /* The iterations before it may have been read as a block, without a NEED. */
    case WL_FLOW_CALL:
        return flow(check, next, 0, depth);
    case WL_FLOW_LIMIT:
        return flow(check, next, step->op == WL_OP_LIMIT_SPAN ? 0 : safe, depth + 1);
    case WL_FLOW_SEEK:
        return flow(check, next, 0, depth + 1);
    case WL_FLOW_ATTEMPT:
        return flow(check, next, 0, depth + 1) && flow(check, check->program->partner[check->at], 0, depth + 1);
    case WL_FLOW_EXPAND:
        return flow(check, next, 0, depth) && flow(check, check->program->partner[check->at], 0, depth);
    case WL_FLOW_LEAVE:
        /* After damage, or the content of a block, the bytes of the last NEED are elsewhere. */
        return flow(check, next, 0, depth - 1);
    default:
        return flow(check, next, step->op == WL_OP_NEED ? step->a : safe, depth);
    }
}

/* Records the number of sub-streams that the function opens. */
static void note_depth(wl_checker *check) {
    uint32_t depth = check->depth[check->at] + 1u;
    if (check->function && check->function->limits < depth)
        check->function->limits = depth;
}

static bool check_steps(wl_checker *check) {
    wl_program *program = check->program;
    check->safe[0] = 0;
    check->at = program->step_count - 1;
    if (program->steps[check->at].op != WL_OP_END && program->steps[check->at].op != WL_OP_RETURN)
        return wl_refuse(check, "the last step is not END");
    for (uint32_t i = 0; i < program->step_count; i++) {
        const wl_step *step = program->steps + i;
        if (wl_operation_of(step)->operands[0] == WL_IS_TEXT_RESULT && step->a < program->span_count)
            check->made[step->a] = true;
    }
    for (uint32_t i = 0; i < program->function_count; i++)
        check->safe[program->functions[i].step] = 0;
    for (check->at = 0; check->at < program->step_count; check->at++) {
        if (check->safe[check->at] < 0)
            continue; /* never run, so never invalid */
        program->reachable[check->at] = true;
        const wl_step *step = program->steps + check->at;
        if (step->op == WL_OP_FUNCTION)
            check->function = program->functions + step->a;
        if (!wl_operands_check(check, step) || !check_flow(check, step))
            return false;
        note_depth(check);
    }
    for (uint32_t i = 0; i < program->column_count; i++) {
        unsigned storage = program->storages[i];
        if (storage != 1 && storage != 2 && storage != 4 && storage != 8 && storage != WL_VARIABLE &&
            storage != WL_LIST && storage != WL_STRUCT) {
            snprintf(check->message, check->message_size, "column %u has an unknown storage: %u", i, storage);
            return false;
        }
    }
    return true;
}

/* Before the steps, and even if no step uses the rule, since tables are created for all. */
static bool check_rules(wl_checker *check) {
    check->subject = "checksum";
    for (check->at = 0; check->at < check->program->rule_count; check->at++) {
        if (!wl_rule_check(check, check->program->rules + check->at))
            return false;
    }
    check->subject = "step";
    return true;
}

static bool check_messages(wl_checker *check) {
    const char *problem = NULL;
    uint32_t number;
    check->subject = "message";
    if (!wl_message_tables_check(check->program, &check->at, &number, &problem))
        return number ? wl_refuse(check, "field %u %s", number, problem) : wl_refuse(check, "%s", problem);
    check->subject = "step";
    return true;
}

bool wl_program_check(wl_program *program, char *message, size_t message_size) {
    wl_checker check = {.program = program, .subject = "step", .message = message, .message_size = message_size};
    check.safe = malloc(program->step_count * sizeof *check.safe);
    check.depth = calloc(program->step_count, 1);
    check.region = calloc(program->step_count, sizeof *check.region);
    bool good = false;
    if (check.safe && check.depth && check.region) {
        for (uint32_t i = 0; i < program->step_count; i++)
            check.safe[i] = -1;
        good = wl_program_regions(program, check.region, message, message_size) && check_rules(&check) && check_messages(&check) &&
               check_steps(&check);
    } else {
        snprintf(message, message_size, "no memory for the program");
    }
    free(check.safe);
    free(check.depth);
    free(check.region);
    if (!good)
        return false;
    wl_program_paths(program);
    if (wl_program_assignment(program) && wl_program_liveness(program))
        return true;
    snprintf(message, message_size, "no memory for the program");
    return false;
}
