/* Rows of arrays: the steps INPUT, INPUT_BYTES and INPUT_ITEMS take the values of a row from the arrays of the call. */
#include "computed_text.h"
#include "handlers.h"

_Static_assert((int)WL_INPUT_BITS == (int)WL_KIND_COUNT, "the kinds of integers come first");

/* The array with that number; NULL if the call has none. */
static const wl_input *input_of(const wl_run *run, size_t number) {
    return number < run->arguments->input_count ? run->arguments->inputs + number : NULL;
}

static bool bit_of(const uint8_t *bits, size_t number) { return bits[number / 8] >> number % 8 & 1; }

__attribute__((always_inline)) static inline bool is_null(const wl_input *input, size_t number) {
    return number >= input->length || (input->validity && !bit_of(input->validity, input->first + number));
}

/* The range between two offsets, which ends at `most` or before; otherwise false. */
__attribute__((always_inline)) static inline bool take_range(const uint8_t *offsets, size_t number, size_t most, size_t *begin, size_t *end) {
    *begin = wl_load4(offsets + 4 * number);
    *end = wl_load4(offsets + 4 * number + 4);
    return *begin <= *end && *end <= most;
}

/* The number of an element; false if it is null. */
__attribute__((always_inline)) static inline bool take_number(const wl_input *input, size_t number, wl_integer *value) {
    size_t begin, end;
    if (is_null(input, number))
        return false;
    number += input->first;
    switch (input->kind) {
    case WL_INPUT_BITS:
        return *value = bit_of(input->values, number), true;
    case WL_INPUT_BYTES:
        return false;
    case WL_INPUT_SIZES:
        if (!take_range(input->values, number, SIZE_MAX, &begin, &end))
            return false;
        return *value = (wl_integer)(end - begin), true;
    default:
        return *value = wl_load_kind(input->values + number * wl_kind_size(input->kind), input->kind), true;
    }
}

/* The bytes of an element. */
__attribute__((always_inline)) static inline wl_span bytes_of(const wl_input *input, size_t number) {
    size_t begin, end;
    if (input->kind != WL_INPUT_BYTES || is_null(input, number) ||
        !take_range(input->values, input->first + number, input->data_size, &begin, &end))
        return wl_text_none(WL_ABSENT);
    return (wl_span){input->data + begin, end - begin};
}

/* The number of the element for the row or, unless `item` is 0, of that item of its list, from 1; SIZE_MAX: there is
 * none. */
__attribute__((always_inline)) static inline size_t element_of(const wl_input *input, size_t row, int64_t item) {
    size_t begin, end;
    if (!item)
        return row;
    if (row >= input->list_count || !take_range(input->lists, input->lists_first + row, input->length, &begin, &end) ||
        (uint64_t)item > end - begin)
        return SIZE_MAX;
    return begin + (size_t)item - 1;
}

__attribute__((always_inline)) static inline void set_number(wl_run *run, const wl_instruction *step, size_t row) {
    const wl_input *input = input_of(run, step->b);
    wl_integer value;
    if (input && take_number(input, element_of(input, run->arguments->begin + row, step->c), &value))
        wl_set_register(run, step->a, value);
    else
        wl_set_missing(run, step->a, WL_ABSENT);
}

WL_HANDLER(wl_input_number) {
    set_number(run, step, row);
    GO_ON;
}

__attribute__((always_inline)) static inline void set_bytes(wl_run *run, const wl_instruction *step, size_t row) {
    const wl_input *input = input_of(run, step->b);
    run->spans[step->a] = input ? bytes_of(input, element_of(input, run->arguments->begin + row, step->c)) : wl_text_none(WL_ABSENT);
}

WL_HANDLER(wl_input_bytes) {
    set_bytes(run, step, row);
    GO_ON;
}

static bool add_items(wl_run *run, const wl_instruction *step, size_t row) {
    const wl_input *input = input_of(run, step->b);
    wl_series *series = run->series + step->a;
    size_t next, end;
    series->used = series->texts_used = 0;
    if (!input || row >= input->list_count || !take_range(input->lists, input->lists_first + row, input->length, &next, &end))
        return true;
    for (; next < end; next++) {
        wl_integer value = WL_ABSENT;
        const bool is_bytes = input->kind == WL_INPUT_BYTES, failed = is_bytes || !take_number(input, next, &value);
        if (is_bytes ? !wl_series_add_span(series, bytes_of(input, next)) : !wl_series_add_number(series, failed, value))
            return false;
    }
    return true;
}

WL_HANDLER(wl_input_items) {
    if (WL_UNLIKELY(!add_items(run, step, run->arguments->begin + row)))
        return wl_lost(run, WL_REASON_LIMIT);
    GO_ON;
}

bool wl_fill_computed(const wl_program *program, const wl_fill_arguments *arguments, wl_fill_result *result) {
    static const uint8_t nothing[1];
    wl_run *run = wl_run_make(program, arguments, false);
    if (!run)
        return false;
    *result = (wl_fill_result){.status = WL_END, .null_counts = result->null_counts, .data_used = result->data_used};
    run->result = result;
    wl_columns_start(run);
    while (result->rows < arguments->capacity) {
        const int outcome = wl_run_row(run, nothing, nothing, result->rows);
        if (WL_UNLIKELY(outcome == WL_ROW_NO_ROOM)) {
            wl_row_take_back(run, result->rows);
            result->status = WL_NO_ROOM;
            result->needed = run->needed;
            break;
        }
        if (WL_UNLIKELY(outcome != WL_ROW_COMPLETE || run->refused)) {
            wl_row_take_back(run, result->rows);
            wl_row_nulls(run, result->rows);
        }
        result->rows++;
    }
    wl_columns_finish(run, result);
    wl_run_free(run);
    return true;
}
