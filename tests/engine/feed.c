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
    size_t capacity;
    size_t damage_capacity;
    size_t items[WL_MOST_LEVELS];
    /* What items hold, by column: batches interleave them differently with rows. */
    uint8_t *inside[16];
    size_t inside_size[16];
    wl_carried_value carried_values[WL_MOST_CARRIED_VALUES];
    uint8_t *stores;
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

static void append_inside(reading *it, size_t number, const void *bytes, size_t size) {
    it->inside[number] = realloc(it->inside[number], it->inside_size[number] + size + 1);
    CHECK(it->inside[number] != NULL);
    if (size)
        memcpy(it->inside[number] + it->inside_size[number], bytes, size);
    it->inside_size[number] += size;
}

static size_t capacity_of(const reading *it, size_t number) {
    unsigned level = wl_program_level(it->program, number);
    return level ? it->items[level - 1] : it->capacity;
}

static bool has_offsets(unsigned storage) { return storage == WL_VARIABLE || storage == WL_LIST; }

static void make_columns(reading *it) {
    for (size_t i = 0; i < wl_program_columns(it->program); i++) {
        size_t capacity = capacity_of(it, i);
        wl_column *column = it->columns + i;
        unsigned storage = wl_program_storage(it->program, i);
        *column = (wl_column){.wanted = it->how->wanted >> i & 1};
        if (!column->wanted)
            continue;
        column->validity = exactly((capacity + 7) / 8);
        memset(column->validity, 0, (capacity + 7) / 8);
        column->offsets = has_offsets(storage) ? exactly((capacity + 1) * 4) : NULL;
        column->data_size = storage == WL_VARIABLE ? it->room : storage > WL_VARIABLE ? 0 : capacity * storage;
        column->values = exactly(column->data_size);
    }
    it->row_offsets = exactly(it->capacity * 8);
    it->damages = (wl_damage *)(void *)exactly(it->damage_capacity * sizeof(wl_damage));
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
    } else if (storage == WL_LIST) {
        uint32_t from = wl_load4(column->offsets + row * 4), to = wl_load4(column->offsets + row * 4 + 4);
        CHECK(from <= to && (valid || from == to));
        append_number(it, to - from);
    } else if (valid && storage != WL_STRUCT) {
        append(it, column->values + row * storage, storage);
    }
}

/* The items of a column: as values of rows, but into a record of the column's own. */
static void note_items(reading *it, size_t number, size_t items, size_t *nulls) {
    outcome rows = it->out;
    size_t allocated = it->allocated;
    it->out = (outcome){.bytes = NULL};
    it->allocated = 0;
    for (size_t item = 0; item < items; item++)
        note_value(it, number, item, nulls);
    append_inside(it, number, it->out.bytes, it->out.size);
    free(it->out.bytes);
    it->out = rows;
    it->allocated = allocated;
}

static void note_rows(reading *it, const wl_fill_result *result) {
    size_t nulls[16] = {0};
    size_t damage = 0;
    CHECK(result->rows <= it->capacity);
    for (size_t row = 0; row < result->rows; row++) {
        uint64_t position;
        memcpy(&position, it->row_offsets + row * 8, 8);
        append(it, "R", 1);
        append_number(it, position);
        for (size_t i = 0; i < wl_program_columns(it->program); i++) {
            if (it->columns[i].wanted && !wl_program_level(it->program, i))
                note_value(it, i, row, nulls + i);
        }
    }
    for (size_t i = 0; i < wl_program_columns(it->program); i++) {
        unsigned level = wl_program_level(it->program, i);
        size_t values = level ? result->items_used[level - 1] : result->rows, capacity = capacity_of(it, i);
        CHECK(values <= capacity);
        if (level && it->columns[i].wanted)
            note_items(it, i, values, nulls + i);
        CHECK(result->null_counts[i] == nulls[i]);
        for (size_t bit = values; it->columns[i].wanted && bit < (capacity + 7) / 8 * 8; bit++)
            CHECK(!(it->columns[i].validity[bit / 8] >> bit % 8 & 1));
    }
    CHECK(result->damage_count <= it->damage_capacity);
    for (; damage < result->damage_count; damage++) {
        const wl_damage *each = it->damages + damage;
        CHECK(each->begin <= each->end && each->end <= each->until);
        CHECK(each->rows + it->how->null_rows <= result->rows);
    }
    it->out.rows += result->rows;
    it->out.dropped += result->dropped;
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

/* One of a column, with two ranges or one. */
static size_t predicate_of(const reading *it, uint64_t *ranges, wl_predicate *predicate) {
    const unsigned seed = it->how->predicate, keys = seed % WL_KEYS_COUNT;
    const size_t columns = wl_program_columns(it->program), column = columns ? seed % columns : 0;
    if (!seed || !columns || !it->columns[column].wanted || wl_program_level(it->program, column))
        return 0;
    const unsigned storage = wl_program_storage(it->program, column);
    if (storage > 8)
        return 0;
    const uint64_t zero = keys == WL_UNSIGNED_KEYS ? 0 : UINT64_C(1) << (keys == WL_SIGNED_KEYS ? 63 : 8 * storage - 1);
    const uint64_t four[4] = {zero, zero + seed, zero + 2 * seed, UINT64_MAX};
    memcpy(ranges, four, sizeof four);
    *predicate = (wl_predicate){.column = (uint32_t)column,
                                .keys = keys,
                                .nulls = seed & 16,
                                .count = seed & 32 ? 1 : 2,
                                .ranges = (const uint8_t *)ranges};
    return 1;
}

/* One call. The window is copied to memory of its own size. */
static wl_fill_result call(reading *it, size_t begin, size_t end) {
    static size_t counts[2][16], items[WL_MOST_LEVELS];
    wl_fill_result result = {.null_counts = counts[0], .data_used = counts[1], .items_used = items};
    make_columns(it);
    uint8_t *window = copy_of(it->how->input + begin, end - begin);
    size_t known = wl_program_carried_values(it->program) * sizeof *it->carried_values;
    uint8_t *carried_values = calloc(2 + it->damage_capacity, known + 1);
    CHECK(carried_values != NULL);
    memcpy(carried_values, it->carried_values, known);
    uint64_t ranges[4];
    wl_predicate predicate;
    const size_t predicates = predicate_of(it, ranges, &predicate);
    const wl_fill_arguments arguments = {.source = window,
                                         .begin = 0,
                                         .end = end - begin,
                                         .base_offset = begin,
                                         .at_end = end == it->how->size,
                                         .at_start = begin == 0,
                                         .verify = it->how->verify,
                                         .null_rows = it->how->null_rows,
                                         .capacity = it->capacity,
                                         .items = it->items,
                                         .columns = it->columns,
                                         .offsets = it->row_offsets,
                                         .damages = it->damages,
                                         .damage_capacity = it->damage_capacity,
                                         .padding = it->how->padding,
                                         .max_record = it->how->max_record,
                                         .stop = it->how->stop,
                                         .row_by_row = it->how->row_by_row,
                                         .input_registers = it->how->input_registers,
                                         .expander = &repeating,
                                         .carried_values = carried_values,
                                         .stores = it->stores,
                                         .max_items = it->how->max_items,
                                         .predicates = &predicate,
                                         .predicate_count = predicates};
    CHECK(wl_fill(it->program, &arguments, &result));
    CHECK(contents_held == 0);
    CHECK(result.consumed <= end - begin);
    memcpy(it->carried_values, carried_values, known);
    free(carried_values);
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

/* Makes room for what the first row or unit needs. */
static void grow(reading *it, const wl_fill_result *result) {
    size_t columns = wl_program_columns(it->program), what = result->reason;
    size_t *room = what < columns        ? &it->room
                   : what == columns     ? &it->capacity
                   : what == columns + 1 ? &it->damage_capacity
                                         : it->items + (what - columns - 2);
    CHECK(what < columns + 2 + wl_program_levels(it->program) && result->needed > *room);
    *room = result->needed;
}

outcome read_all(const wl_program *program, const feed *how) {
    reading it = {.program = program,
                  .how = how,
                  .room = how->room,
                  .capacity = how->capacity,
                  .damage_capacity = how->damages};
    for (size_t i = 0; i < WL_MOST_LEVELS; i++)
        it.items[i] = how->room;
    size_t stores = wl_program_stores(program);
    it.stores = stores ? calloc(stores, WL_STORE_BYTES) : NULL;
    CHECK(!stores || it.stores != NULL);
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
            CHECK(result.rows == 0);
            grow(&it, &result);
            break;
        case WL_OVERSIZE:
            begin = after_oversize(&it, &result, begin, &kept, &kept_size);
            end = end < begin ? begin : end;
            break;
        default:
            more = false;
        }
    }
    for (size_t i = 0; i < wl_program_columns(program); i++) {
        append_number(&it, it.inside_size[i]);
        append(&it, it.inside[i], it.inside_size[i]);
        free(it.inside[i]);
    }
    append(&it, "D", 1);
    append(&it, kept, kept_size);
    free(kept);
    free(it.stores);
    append_number(&it, (uint64_t)it.out.status);
    append_number(&it, it.out.reason);
    append_number(&it, it.out.position);
    append_number(&it, begin);
    return it.out;
}

bool same_outcome(const outcome *left, const outcome *right) {
    return left->size == right->size && left->dropped == right->dropped && !memcmp(left->bytes, right->bytes, left->size);
}
