/* Reads whole inputs in batches and windows of any size, as a reader would, and writes down what came out. */
#include "check.h"

typedef struct {
    const wl_program *program;
    const feed *how;
    outcome out;
    size_t allocated;
    wl_column columns[16];
    uint8_t *row_offsets;
    wl_damage *damages;
    size_t room;
} reading;

static void append(reading *it, const void *bytes, size_t size) {
    if (it->out.size + size > it->allocated) {
        it->allocated = (it->out.size + size) * 2 + 64;
        it->out.bytes = realloc(it->out.bytes, it->allocated);
        CHECK(it->out.bytes != NULL);
    }
    if (size)
        memcpy(it->out.bytes + it->out.size, bytes, size);
    it->out.size += size;
}

static void append_number(reading *it, uint64_t value) { append(it, &value, sizeof value); }

static void make_columns(reading *it) {
    size_t capacity = it->how->capacity;
    for (size_t i = 0; i < wl_program_columns(it->program); i++) {
        wl_column *column = it->columns + i;
        unsigned storage = wl_program_storage(it->program, i);
        *column = (wl_column){.wanted = it->how->wanted >> i & 1};
        if (!column->wanted)
            continue;
        column->validity = exactly((capacity + 7) / 8);
        memset(column->validity, 0, (capacity + 7) / 8);
        column->offsets = storage == WL_VARIABLE ? exactly((capacity + 1) * 4) : NULL;
        column->data_size = storage == WL_VARIABLE ? it->room : capacity * storage;
        column->values = exactly(column->data_size);
    }
    it->row_offsets = exactly(capacity * 8);
    it->damages = (wl_damage *)(void *)exactly(it->how->damages * sizeof(wl_damage));
}

static void free_columns(reading *it) {
    for (size_t i = 0; i < wl_program_columns(it->program); i++) {
        if (it->columns[i].wanted) {
            free(it->columns[i].validity);
            free(it->columns[i].offsets);
            free(it->columns[i].values);
        }
    }
    free(it->row_offsets);
    free(it->damages);
}

static void note_value(reading *it, size_t number, size_t row, size_t *nulls) {
    const wl_column *column = it->columns + number;
    unsigned storage = wl_program_storage(it->program, number);
    bool valid = column->validity[row / 8] >> row % 8 & 1;
    append(it, &valid, 1);
    *nulls += !valid;
    if (storage == WL_VARIABLE) {
        uint32_t from = wl_load4(column->offsets + row * 4), to = wl_load4(column->offsets + row * 4 + 4);
        CHECK(from <= to && to <= column->data_size);
        append_number(it, to - from);
        append(it, column->values + from, to - from);
        CHECK(valid || from == to);
    } else if (valid) {
        append(it, column->values + row * storage, storage);
    }
}

static void note_rows(reading *it, const wl_fill_result *result) {
    size_t nulls[16] = {0};
    size_t damage = 0;
    CHECK(result->rows <= it->how->capacity);
    for (size_t row = 0; row < result->rows; row++) {
        uint64_t position;
        memcpy(&position, it->row_offsets + row * 8, 8);
        append(it, "R", 1);
        append_number(it, position);
        for (size_t i = 0; i < wl_program_columns(it->program); i++) {
            if (it->columns[i].wanted)
                note_value(it, i, row, nulls + i);
        }
    }
    for (size_t i = 0; i < wl_program_columns(it->program); i++) {
        CHECK(result->null_counts[i] == nulls[i]);
        for (size_t bit = result->rows; it->columns[i].wanted && bit < (it->how->capacity + 7) / 8 * 8; bit++)
            CHECK(!(it->columns[i].validity[bit / 8] >> bit % 8 & 1));
    }
    CHECK(result->damage_count <= it->how->damages);
    for (; damage < result->damage_count; damage++) {
        const wl_damage *each = it->damages + damage;
        CHECK(each->begin <= each->end && (each->row >= 0) == it->how->null_rows);
        CHECK(each->row < (int64_t)result->rows);
    }
    it->out.rows += result->rows;
}

/* Damages go to the end of the record: batches interleave them differently with rows. */
static void note_damages(reading *it, uint8_t **kept, size_t *size, const wl_fill_result *result) {
    *kept = realloc(*kept, *size + result->damage_count * 24 + 1);
    CHECK(*kept != NULL);
    for (size_t i = 0; i < result->damage_count; i++) {
        uint64_t three[3] = {it->damages[i].begin, it->damages[i].end, it->damages[i].reason};
        memcpy(*kept + *size, three, sizeof three);
        *size += sizeof three;
    }
    it->out.damaged += result->damage_count;
}

/* One call. The window is copied to memory of its own size. */
static wl_fill_result call(reading *it, size_t begin, size_t end) {
    static size_t counts[2][16];
    wl_fill_result result = {.null_counts = counts[0], .data_used = counts[1]};
    make_columns(it);
    uint8_t *window = copy_of(it->how->input + begin, end - begin);
    const wl_fill_arguments arguments = {.source = window,
                                         .begin = 0,
                                         .end = end - begin,
                                         .base_offset = begin,
                                         .at_end = end == it->how->size,
                                         .at_start = begin == 0,
                                         .verify = it->how->verify,
                                         .null_rows = it->how->null_rows,
                                         .capacity = it->how->capacity,
                                         .columns = it->columns,
                                         .offsets = it->row_offsets,
                                         .damages = it->damages,
                                         .damage_capacity = it->how->damages,
                                         .padding = it->how->padding,
                                         .max_record = it->how->max_record,
                                         .stop = it->how->stop,
                                         .row_by_row = it->how->row_by_row,
                                         .preset = it->how->preset};
    CHECK(wl_fill(it->program, &arguments, &result));
    CHECK(result.consumed <= end - begin);
    free(window);
    return result;
}

/* Where the next call begins, after the frame at result->position was too long. */
static size_t after_oversize(reading *it, const wl_fill_result *result, size_t consumed, uint8_t **kept,
                              size_t *size) {
    const feed *how = it->how;
    size_t next =
        wl_find_delimiter(how->input, consumed, how->size, it->program->delimiter, it->program->delimiter_size);
    if (next == WL_NOT_FOUND)
        next = how->size;
    uint64_t three[3] = {result->position, next, WL_REASON_LIMIT};
    *kept = realloc(*kept, *size + sizeof three);
    CHECK(*kept != NULL);
    memcpy(*kept + *size, three, sizeof three);
    *size += sizeof three;
    it->out.damaged++;
    return next;
}

outcome read_all(const wl_program *program, const feed *how) {
    reading it = {.program = program, .how = how, .room = how->room};
    uint8_t *kept = NULL;
    size_t kept_size = 0, begin = 0, end = how->chunk && how->chunk < how->size ? how->chunk : how->size;
    for (bool more = true; more;) {
        wl_fill_result result = call(&it, begin, end);
        note_rows(&it, &result);
        note_damages(&it, &kept, &kept_size, &result);
        free_columns(&it);
        begin += result.consumed;
        it.out.status = result.status;
        it.out.reason = result.status == WL_LOST ? result.reason : 0;
        it.out.position = result.position;
        switch (result.status) {
        case WL_NEED_INPUT:
            CHECK(end < how->size);
            end = how->size - end > how->chunk ? end + how->chunk : how->size;
            break;
        case WL_BATCH_FULL:
            CHECK(result.rows || result.damage_count);
            break;
        case WL_NO_ROOM:
            CHECK(result.rows == 0 && result.needed > it.room);
            it.room = result.needed;
            break;
        case WL_OVERSIZE:
            begin = after_oversize(&it, &result, begin, &kept, &kept_size);
            end = end < begin ? begin : end;
            break;
        default:
            more = false;
        }
    }
    append(&it, "D", 1);
    append(&it, kept, kept_size);
    free(kept);
    append_number(&it, (uint64_t)it.out.status);
    append_number(&it, it.out.reason);
    append_number(&it, it.out.position);
    append_number(&it, begin);
    return it.out;
}

bool same_outcome(const outcome *left, const outcome *right) {
    return left->size == right->size && !memcmp(left->bytes, right->bytes, left->size);
}
