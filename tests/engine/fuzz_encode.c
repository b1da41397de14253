/* A fuzz target in libFuzzer's form: rows from columns, with any fields, offsets, stuffing and delimiter.
 *
 * Rows written with little room at a time are those written at once; a reader that searches for delimiters finds
 * exactly the rows that were written, none of them larger than allowed. Offsets lead anywhere: the sanitizer sees what
 * is read outside of the data. */
#include "drive.h"

#define MOST_FIELDS 5
#define MOST_ROWS 12
#define ROOM 120000

typedef struct {
    wl_encode_field fields[MOST_FIELDS];
    uint8_t *values[MOST_FIELDS];
    uint8_t *offsets, *data;
    wl_algorithm algorithm;
    wl_encode_arguments arguments;
} sample;

static void make_fields(taker *bytes, sample *it) {
    wl_encode_arguments *arguments = &it->arguments;
    arguments->field_count = take(bytes) % (MOST_FIELDS + 1);
    bool checked = false;
    for (size_t i = 0; i < arguments->field_count; i++) {
        wl_encode_field *field = it->fields + i;
        field->kind = take(bytes) % WL_KIND_COUNT;
        field->holds = take(bytes) % 3;
        bool whole = field->kind < WL_S1;
        if (field->holds == WL_HOLDS_CHECKSUM && (checked || wl_kind_size(field->kind) != 4 || !whole))
            field->holds = WL_HOLDS_COLUMN;
        if (field->holds == WL_HOLDS_SIZE && !whole)
            field->holds = WL_HOLDS_COLUMN;
        if (field->holds == WL_HOLDS_SIZE)
            field->added = (int8_t)take(bytes);
        if (field->holds == WL_HOLDS_CHECKSUM) {
            checked = true;
            unsigned number = 1 + take(bytes) % 2;
            uint32_t state = take(bytes) * 0x01010101u;
            it->algorithm = crc_algorithm(number, state, take(bytes) * 0x01010101u);
            arguments->algorithm = &it->algorithm;
            arguments->replace = (uint8_t)take(bytes);
            arguments->begin = take(bytes) % 12;
            arguments->end = take(bytes) % 2 ? SIZE_MAX : arguments->begin + take(bytes) % 30;
        }
        if (field->holds == WL_HOLDS_COLUMN) {
            size_t size = arguments->rows * wl_kind_size(field->kind);
            it->values[i] = exactly(size);
            for (size_t k = 0; k < size; k++)
                it->values[i][k] = (uint8_t)take(bytes);
            field->values = it->values[i];
        }
    }
    arguments->fields = it->fields;
}

/* Offsets that mostly go up, and the rest of the bytes, now and then repeated, as data. */
static void make_content(taker *bytes, sample *it) {
    wl_encode_arguments *arguments = &it->arguments;
    if (take(bytes) % 4 == 0)
        return;
    unsigned wild = take(bytes), step = 1 + take(bytes), times = take(bytes) % 8 ? 1 : 1 + take(bytes) % 16;
    /* Also rows of about a block's size. */
    step = step > 240 ? (step - 240) * 1024 : step;
    size_t left = (size_t)(bytes->end - bytes->at);
    arguments->data_size = wl_smaller(left * times, 30000);
    it->data = exactly(arguments->data_size);
    for (size_t i = 0; i < arguments->data_size; i++)
        it->data[i] = bytes->at[i % left];
    it->offsets = exactly(4 * (arguments->rows + 1));
    int32_t at = 0;
    for (size_t i = 0; i <= arguments->rows; i++) {
        int32_t value = wild % 16 == 0 && i == wild / 16 ? (int32_t)(wild * 0x81020408u) : at;
        memcpy(it->offsets + 4 * i, &value, 4);
        at = (int32_t)wl_smaller((size_t)at + step, arguments->data_size);
    }
    arguments->data = it->data;
    arguments->offsets = it->offsets;
}

/* In place: the arguments point to the fields. */
static void make(taker *bytes, sample *it) {
    wl_encode_arguments *arguments = &it->arguments;
    arguments->rows = take(bytes) % (MOST_ROWS + 1);
    arguments->stuffing = stuffing_of(take(bytes) % WL_STUFFING_COUNT, 0xFE, 0xFD, 4);
    arguments->max_record = take(bytes) % 4 ? 1 << 20 : take(bytes);
    if (arguments->stuffing.kind == WL_STUFFING_WORD) {
        arguments->delimiter_size = 2;
        memcpy(arguments->delimiter, "\xFE\xFD", 2);
    } else if (arguments->stuffing.kind == WL_STUFFING_COBS) {
        arguments->delimiter_size = 1;
    } else if (arguments->stuffing.kind != WL_STUFFING_NONE) {
        arguments->delimiter_size = 1;
        arguments->delimiter[0] = 0xFE;
    } else {
        arguments->delimiter_size = take(bytes) % 5;
        for (size_t i = 0; i < arguments->delimiter_size; i++)
            arguments->delimiter[i] = (uint8_t)(take(bytes) % 3);
        arguments->padding = arguments->delimiter_size ? 0 : take(bytes) % 5;
    }
    make_fields(bytes, it);
    make_content(bytes, it);
}

/* All rows that can be written, with that much room to begin with; what is refused is passed over. */
static size_t encode_all(const sample *it, uint8_t *out, size_t room, size_t *rows) {
    size_t written = 0;
    *rows = 0;
    for (size_t row = 0; row < it->arguments.rows;) {
        wl_encode_result result;
        uint8_t *piece = exactly(room);
        CHECK(wl_encode(&it->arguments, row, piece, room, &result));
        CHECK(result.size <= room && result.rows <= it->arguments.rows - row && written + result.size <= ROOM);
        if (result.size)
            memcpy(out + written, piece, result.size);
        free(piece);
        written += result.size;
        row += result.rows;
        *rows += result.rows;
        CHECK((result.status == WL_ENCODED) == (row == it->arguments.rows));
        CHECK(result.status != WL_ENCODE_NO_ROOM || result.needed > room - result.size);
        if (result.status == WL_ENCODE_NO_ROOM)
            room = result.needed;
        row += result.status == WL_ENCODE_REFUSED;
    }
    return written;
}

static void check_frames(const sample *it, const uint8_t *out, size_t size, size_t rows) {
    const wl_encode_arguments *arguments = &it->arguments;
    size_t found = 0, at = 0, next;
    while ((next = wl_find_delimiter(out, at, size, arguments->delimiter, arguments->delimiter_size)) != WL_NOT_FOUND) {
        CHECK(next - at <= arguments->max_record);
        at = next + arguments->delimiter_size;
        found++;
    }
    CHECK(found == rows && at == size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    taker bytes = {data, data + size};
    choose_level(take(&bytes));
    unsigned room = take(&bytes);
    sample it = {0};
    make(&bytes, &it);
    uint8_t *whole = exactly(ROOM), *pieces = exactly(ROOM);
    size_t rows, again, length = encode_all(&it, whole, ROOM, &rows);
    CHECK(encode_all(&it, pieces, room, &again) == length && again == rows && !memcmp(whole, pieces, length));
    if (it.arguments.delimiter_size)
        check_frames(&it, whole, length, rows);
    free(whole);
    free(pieces);
    for (size_t i = 0; i < MOST_FIELDS; i++)
        free(it.values[i]);
    free(it.offsets);
    free(it.data);
    return 0;
}

#ifdef WITH_MAIN
int main(int count, char **arguments) { return drive(count, arguments, "\0\1\2\3\5\xFE\xFD\x10", 8); }
#endif
