/* Liveness in functions: which of its own values a function reads after a call that it makes, and which ones it may read
 * before it has set them. A call keeps the former, in case the function is called again meanwhile, and clears the latter
 * (calls.c). A step is idle if nothing reads the register that it sets.
 *
 * From the last step to the first, the values that a step needs are those that it reads, and those that the steps after
 * it need and that it does not set. An end of a loop leads back to its beginning, so this is repeated until nothing
 * changes. */
#include <stdlib.h>
#include <string.h>

#include "operations.h"

/* `live`: for each step of the function, what it needs of the function's own registers, spans and marks, which come one
 * after another: a row of `width` flags. */
typedef struct {
    wl_program *program;
    const wl_function *function;
    uint32_t end; /* the step after RETURN */
    size_t width;
    bool *live;
} finder;

static size_t count_of(const wl_range *range) { return (size_t)(range->to - range->from); }

static bool *row_of(const finder *find, uint32_t step) { return find->live + (step - find->function->step) * find->width; }

static void add(bool *to, const bool *from, size_t count) {
    for (size_t i = 0; i < count; i++)
        to[i] |= from[i];
}

/* What the steps that may come after a step need. */
static void add_following(const finder *find, uint32_t at, bool *needed) {
    const wl_step *step = find->program->steps + at;
    const uint8_t flow = wl_operation_of(step)->flow;
    const uint32_t to = wl_step_leads_to(find->program, find->program->steps, at);
    if (flow != WL_FLOW_JUMP && flow != WL_FLOW_END)
        add(needed, row_of(find, at + 1), find->width);
    if (to)
        add(needed, row_of(find, to), find->width);
    if (flow == WL_FLOW_AGAIN)
        add(needed, row_of(find, (uint32_t)step->c), find->width);
}

/* Copies those of a function's own values. */
static void take_own(const wl_function *function, const wl_values *values, bool *own) {
    const wl_range *ranges[] = {&function->registers, &function->spans, &function->marks};
    const bool *of[] = {values->registers, values->spans, values->marks};
    for (size_t i = 0; i < 3; i++) {
        memcpy(own, of[i] + ranges[i]->from, count_of(ranges[i]) * sizeof *own);
        own += count_of(ranges[i]);
    }
}

/* Finds what the steps need, from what is known so far; returns whether that is more. `own`: working memory for three
 * rows. */
static bool extend(const finder *find, bool *own) {
    bool *needed = own, *read = own + find->width, *set = read + find->width, more = false;
    for (uint32_t i = find->end; i-- > find->function->step;) {
        if (!find->program->reachable[i])
            continue;
        const wl_step *step = find->program->steps + i;
        wl_values values = {{false}, {false}, {false}};
        wl_step_sets(find->program, step, &values);
        take_own(find->function, &values, set);
        values = (wl_values){{false}, {false}, {false}};
        wl_step_reads(find->program, NULL, step, &values);
        take_own(find->function, &values, read);
        memset(needed, 0, find->width * sizeof *needed);
        add_following(find, i, needed);
        bool *row = row_of(find, i);
        for (size_t n = 0; n < find->width; n++) {
            const bool is_needed = read[n] || (needed[n] && !set[n]);
            more |= is_needed && !row[n];
            row[n] |= is_needed;
        }
    }
    return more;
}

/* Appends the numbers of a kind whose flags are set. */
static uint16_t list(wl_program *program, const wl_range *range, const bool **flags) {
    uint16_t count = 0;
    for (size_t i = range->from; i < range->to; i++) {
        if (*(*flags)++) {
            program->kept_numbers[program->kept_size++] = (uint16_t)i;
            count++;
        }
    }
    return count;
}

static wl_kept list_all(wl_program *program, const wl_function *function, const bool *flags) {
    wl_kept kept = {.from = program->kept_size};
    kept.registers = list(program, &function->registers, &flags);
    kept.spans = list(program, &function->spans, &flags);
    kept.marks = list(program, &function->marks, &flags);
    const uint16_t *numbers = program->kept_numbers + kept.from;
    kept.masks = program->kept_mask_count;
    if (kept.registers) {
        kept.first_word = numbers[0] / 64;
        kept.words = numbers[kept.registers - 1] / 64 - kept.first_word + 1;
        program->kept_mask_count += kept.words;
    }
    for (size_t i = 0; i < kept.registers; i++)
        program->kept_masks[kept.masks + numbers[i] / 64 - kept.first_word] |= UINT64_C(1) << numbers[i] % 64;
    return kept;
}

/* Makes room for one list more. */
static bool has_room(wl_program *program, const finder *find) {
    const size_t room = program->kept_size + find->width + WL_MOST_LOOPS, words = WL_MOST_REGISTERS / 64;
    uint16_t *numbers = realloc(program->kept_numbers, room * sizeof *numbers);
    uint64_t *masks = realloc(program->kept_masks, (program->kept_mask_count + words) * sizeof *masks);
    program->kept_numbers = numbers ? numbers : program->kept_numbers;
    program->kept_masks = masks ? masks : program->kept_masks;
    if (masks)
        memset(masks + program->kept_mask_count, 0, words * sizeof *masks);
    return numbers && masks;
}

/* What the call at step `at` keeps: besides what is needed after it, the loops around it. */
static bool keep(const finder *find, uint32_t at, bool *needed) {
    wl_program *program = find->program;
    memset(needed, 0, find->width * sizeof *needed);
    add_following(find, at, needed);
    if (!has_room(program, find))
        return false;
    wl_kept *kept = program->kept + at;
    *kept = list_all(program, find->function, needed);
    for (uint32_t i = find->function->step; i < at; i++) {
        const wl_step *step = program->steps + i;
        if (step->op == WL_OP_LOOP && program->reachable[i] && at < step->c) {
            program->kept_numbers[program->kept_size++] = step->a;
            kept->loops++;
        }
    }
    kept->size = wl_kept_size(kept);
    return true;
}

static bool is_idle(const finder *find, uint32_t at, bool *needed) {
    const size_t number = find->program->steps[at].a;
    const wl_range *own = &find->function->registers;
    memset(needed, 0, find->width * sizeof *needed);
    add_following(find, at, needed);
    return number >= own->from && number < own->to && !needed[number - own->from];
}

static bool find_kept(finder *find, wl_function *function) {
    bool *own = malloc(3 * find->width + 1), good = own != NULL;
    while (good && extend(find, own))
        ;
    good = good && has_room(find->program, find);
    if (good)
        function->cleared = list_all(find->program, function, row_of(find, function->step));
    for (uint32_t i = function->step; good && i < find->end; i++) {
        const wl_step *step = find->program->steps + i;
        if (find->program->reachable[i] && step->op == WL_OP_CALL)
            good = keep(find, i, own);
        if (find->program->reachable[i] && (step->op == WL_OP_EXPRESSION || step->op == WL_OP_ABSENT))
            find->program->idle[i] = is_idle(find, i, own);
    }
    free(own);
    return good;
}

bool wl_program_liveness(wl_program *program) {
    bool good = true;
    for (uint32_t i = 0; i < program->step_count; i++)
        program->kept[i].size = wl_kept_size(program->kept + i);
    for (uint32_t i = 0; good && i < program->function_count; i++) {
        wl_function *function = program->functions + i;
        finder find = {.program = program, .function = function};
        find.end = i + 1 < program->function_count ? function[1].step : program->step_count;
        find.width = count_of(&function->registers) + count_of(&function->spans) + count_of(&function->marks);
        find.live = calloc((find.end - function->step + 1) * find.width + 1, sizeof *find.live);
        good = find.live && find_kept(&find, function);
        free(find.live);
    }
    return good;
}
