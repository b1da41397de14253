/* Whether a plan can be run as a sheet (frames.h), and reading a sheet's rows. */
#include <stdlib.h>

#include "frames.h"

/* What is known of a register, a span or a mark at a step of the plan. */
typedef struct {
    bool known;
    uint32_t kind;
    wl_sheet_place from, to;
} fact;

typedef struct {
    wl_sheet *sheet;
    wl_sheet_place cursor;
    uint32_t base;
    fact registers[WL_MOST_REGISTERS];
    fact spans[WL_MOST_SPANS];
    fact marks[WL_MOST_MARKS];
} planner;

static wl_sheet_place behind(uint32_t base, int64_t bytes) { return (wl_sheet_place){false, base + (uint32_t)bytes}; }

static wl_sheet_step *add(planner *plan, wl_sheet_function run, const wl_instruction *instruction) {
    wl_sheet_step *step = plan->sheet->steps + plan->sheet->count++;
    *step = (wl_sheet_step){
        .run = run, .column = instruction->a, .from = behind(plan->base, instruction->c), .out = instruction->out};
    return step;
}

/* Bounds as the low one and the reach: in the field's own 64 bits, signed or not. False: no value lies in them. */
static bool add_bounds(wl_sheet_step *step, const fact *value, wl_integer low, wl_integer high) {
    bool natural = value->kind == WL_U8LE || value->kind == WL_U8BE;
    wl_integer least = natural ? 0 : INT64_MIN, most = natural ? (wl_integer)UINT64_MAX : INT64_MAX;
    low = low > least ? low : least;
    high = high < most ? high : most;
    step->from = value->from;
    step->kind = value->kind;
    step->low = (uint64_t)low;
    step->reach = (uint64_t)(high - low);
    return value->known && low <= high;
}

static bool add_bytes(planner *plan, const wl_instruction *instruction) {
    const fact *span = plan->spans + instruction->b;
    wl_sheet_step *step = add(plan, wl_sheet_bytes, instruction);
    step->from = span->from;
    step->to = span->to;
    step->offsets = instruction->offsets;
    step->room = (size_t)instruction->d;
    return span->known && !span->from.is_end;
}

/* A checksum over a range that is there in every row, whose own bytes count as they stand or are the first of it. */
static bool add_checksum(planner *plan, const wl_instruction *instruction) {
    const wl_checksum *checksum = plan->sheet->run->checksums + instruction->a;
    const wl_rule *rule = checksum->rule;
    const fact *from = plan->marks + instruction->c, *to = plan->marks + instruction->d;
    const fact *expected = plan->registers + instruction->b;
    wl_sheet_step *step = add(plan, wl_sheet_checksum, instruction);
    if (!from->known || !to->known || !expected->known || from->from.is_end)
        return false;
    step->begin = from->from.offset;
    if (rule->replace >= 0) {
        const fact *own = plan->marks + rule->own;
        if (!own->known || own->from.is_end || own->from.offset != from->from.offset)
            return false;
        step->begin += rule->own_size;
    }
    step->from = expected->from;
    step->kind = expected->kind;
    step->to = to->from;
    step->checksum = checksum;
    /* Every row has its fixed bytes; where the range ends with the row, these are at most what comes before it. */
    return step->begin <= (to->from.is_end ? plan->cursor.offset : to->from.offset);
}

static bool add_step(planner *plan, const wl_instruction *instruction) {
    const fact *value;
    wl_sheet_step *step;
    wl_integer high;
    switch (instruction->operation) {
    case WL_RUN_NEED:
    case WL_RUN_BYTES_FIXED:
        /* The row's end is where nothing more is. */
        if (plan->cursor.is_end || instruction->c < 0 || instruction->c > INT32_MAX - plan->cursor.offset)
            return false;
        if (instruction->operation == WL_RUN_NEED)
            plan->base = plan->cursor.offset;
        if (instruction->operation == WL_RUN_BYTES_FIXED)
            plan->spans[instruction->a] =
                (fact){.known = true, .from = plan->cursor, .to = behind(plan->cursor.offset, instruction->c)};
        plan->cursor.offset += (uint32_t)instruction->c;
        return true;
    case WL_RUN_BYTES_REST:
        if (plan->cursor.is_end)
            return false;
        /* The offset stays: so many fixed bytes come before. */
        plan->spans[instruction->a] = (fact){.known = true, .from = plan->cursor, .to = {true, plan->cursor.offset}};
        plan->cursor.is_end = true;
        return true;
    case WL_RUN_REGISTER_LE4:
    case WL_RUN_REGISTER_BE4:
    case WL_RUN_REGISTER:
        plan->registers[instruction->a] =
            (fact){.known = true, .kind = instruction->b, .from = behind(plan->base, instruction->c)};
        return true;
    case WL_RUN_MARK:
        plan->marks[instruction->a] =
            (fact){.known = true, .from = instruction->b ? plan->cursor : behind(plan->base, instruction->c)};
        return true;
    case WL_RUN_CHECK_RANGE:
        high = instruction->b & 0x80 ? (wl_integer)(uint64_t)instruction->d : (wl_integer)instruction->d;
        step = add(plan, wl_sheet_range, instruction);
        return add_bounds(step, plan->registers + instruction->a, instruction->c, high);
    case WL_RUN_COLUMN_TIMESTAMP:
        step = add(plan, wl_sheet_timestamp, instruction);
        return add_bounds(step, plan->registers + instruction->b, instruction->c, instruction->d);
    case WL_RUN_CHECK_CONSTANT:
        step = add(plan, wl_sheet_constant, instruction);
        step->constant = instruction->constant;
        step->width = (uint32_t)instruction->d;
        return true;
    case WL_RUN_CHECKSUM:
        return add_checksum(plan, instruction);
    case WL_RUN_COLUMN_REGISTER:
        value = plan->registers + instruction->b;
        step = add(plan, wl_sheet_register, instruction);
        step->from = value->from;
        step->kind = value->kind;
        step->width = (uint32_t)instruction->c;
        return value->known;
    case WL_RUN_COLUMN_BYTES:
        return add_bytes(plan, instruction);
    default:
        return wl_sheet_fixed(instruction->operation) && add(plan, wl_sheet_fixed(instruction->operation), instruction);
    }
}

static bool make_steps(wl_sheet *sheet) {
    planner plan = {.sheet = sheet};
    const wl_instruction *instruction = sheet->run->plan;
    for (; instruction->operation != WL_RUN_END; instruction++) {
        if (!add_step(&plan, instruction))
            return false;
    }
    sheet->fixed = plan.cursor.offset;
    return true;
}

wl_sheet *wl_sheet_make(wl_run *run) {
    size_t steps = 0;
    if (run->unprepared)
        return NULL;
    while (run->plan[steps].operation != WL_RUN_END)
        steps++;
    wl_sheet *sheet = malloc(sizeof *sheet + steps * sizeof(wl_sheet_step));
    if (!sheet)
        return NULL;
    sheet->run = run;
    sheet->steps = (wl_sheet_step *)(void *)(sheet + 1);
    sheet->count = 0;
    sheet->most = WL_GROUP;
    sheet->pause = sheet->wait = 0;
    if (make_steps(sheet))
        return sheet;
    free(sheet);
    return NULL;
}

void wl_sheet_free(wl_sheet *sheet) { free(sheet); }

/* What was done for the rows behind one that does not hold has to be done again. */
static void learn(wl_sheet *sheet, size_t tried, size_t held) {
    if (held == tried) {
        sheet->pause = 0;
        sheet->most = wl_smaller(sheet->most * 2, WL_GROUP);
        return;
    }
    sheet->most = held < 4 ? 8 : held;
    sheet->pause = held < 4 ? wl_smaller(sheet->pause * 2 + 1, 64) : 0;
    sheet->wait = sheet->pause;
}

size_t wl_sheet_read(wl_sheet *sheet, const wl_frames *frames, size_t first, size_t row) {
    size_t most = first + wl_smaller(frames->count - first, sheet->most), end = first;
    if (sheet->wait) {
        sheet->wait--;
        return 0;
    }
    while (end < most && frames->damages[end] == WL_REASON_NONE &&
           (size_t)(frames->ends[end] - frames->data[end]) >= sheet->fixed)
        end++;
    size_t count = end - first;
    sheet->data = frames->data + first;
    sheet->ends = frames->ends + first;
    sheet->spare = frames->spare;
    for (size_t i = 0; i < sheet->count && count; i++)
        count = sheet->steps[i].run(sheet, sheet->steps + i, count, row);
    learn(sheet, most - first, count);
    return count;
}
